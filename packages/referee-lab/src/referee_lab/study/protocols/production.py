"""Production: describe the marked object for a hearer, as speakers of the TUNA corpus did (van Deemter, van der Sluis &
Gatt 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee_lab.study.protocols.checked_answers import CLOCKS, NothingIdentified, check_recorded, in_ms, refuse
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.scene import SCENE, language_of, mark_targets, problem_with_scene, show_scene

__all__ = ["Production"]

TYPING_MS, THINKING_MS = 180.0, 1500.0
LONGEST = 5000


class Production(NothingIdentified):
    """Describe the marked object: collects a corpus.

    The scene with one object marked and a field to type in; pasting and spell checking are off.
    """

    info = Info(
        name="production",
        title="Describe the marked object",
        source="van Deemter, van der Sluis & Gatt (2006), the elicitation of the TUNA corpus",
        plugin="produce",
        parameters={
            "shortest": Parameter(default=2, about="Characters a description must have.", unit="characters"),
            "longest": Parameter(default=300, about="Characters it may have.", unit="characters"),
            "prompt": Parameter(default="", about="A sentence above the field; empty for none."),
            **SCENE,
        },
        answer={
            "text": RecordedColumn(type="text", about="the description as typed"),
            "edits": RecordedColumn(type="number", about="changes to the text, deletions included"),
            "first_key_ms": in_ms("from the scene's onset to the first key"),
        },
        times={"combined_ms": in_ms("from the scene's onset to the end"), **CLOCKS},
    )

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """There is room for some words."""
        room = 0 < settings["shortest"] <= settings["longest"] <= LONGEST
        return problem_with_scene(settings) if room else f"shortest and longest are from 1 to {LONGEST}, in this order"

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the scene with the target marked; only this protocol sends it."""
        scene, labels = show_scene(stimulus.trial, settings, rng)
        parameters = {
            **language_of(stimulus.trial),
            **{name: settings[name] for name in ("shortest", "longest", "prompt")},
            **scene,
            **mark_targets(stimulus.trial, labels),
        }
        return Shown(parameters=parameters, labels=labels)

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """A text of the length asked for."""
        check_recorded(answer, self.info)
        text = answer.answer.get("text")
        if text is None:
            raise refuse("answer.text", "the description is missing")
        # Blanks do not help to reach the shortest length, and count towards the longest, as in the field of the page.
        if not settings["shortest"] <= len(text.strip()) or len(text) > settings["longest"]:
            raise refuse("answer.text", f"should have {settings['shortest']} to {settings['longest']} characters")

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return a reference of the corpus, or else the target's attributes in order."""
        text_of_corpus = next((d.text for d in stimulus.trial.references if d.text), None)
        target = stimulus.trial.scene.entity(stimulus.trial.targets[0])
        text = (text_of_corpus or " ".join(p.value for p in target.attributes) or "that one")[: settings["longest"]]
        text = text.ljust(settings["shortest"], ".")
        first = THINKING_MS * (0.5 + rng.random())
        end = first + TYPING_MS * len(text) * (0.5 + rng.random())
        times = {"combined_ms": end, "t_onset": 0.0, "t_response": end}
        return GivenAnswer(answer={"text": text, "edits": len(text), "first_key_ms": first}, times=times)
