"""Pairwise judgement.

Which of two descriptions of the marked object is better? Sides are drawn anew for every person and trial.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee.errors import InputError
from referee_lab.study.protocols.checked_answers import check_recorded, make_field_error
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.judgement import JUDGED, MARKED, AskedOnce, draw_decision_times, show_marked_scene
from referee_lab.study.protocols.scene import join_words


class JudgementPairwise(AskedOnce):
    """Which of two descriptions of the marked object is better?

    Two descriptions beside each other; `labels` say which is the first of the pair and which its rival.
    """

    info = Info(
        name="judgement-pairwise",
        title="Choose the better of two descriptions",
        source="paired comparison, Thurstone (1927)",
        plugin="judge",
        parameters={
            "question": Parameter(
                default="Which description is better for picking out the marked object?", about="What is asked."
            ),
            "tie": Parameter(default=True, about="Offer 'both alike'."),
            **MARKED,
        },
        answer={"choice": RecordedColumn(type="text", about="the side chosen", values=("left", "right", "tie"))},
        times=JUDGED,
    )

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the scene and both descriptions, on random sides."""
        if stimulus.rival is None:
            raise InputError(
                f"the stimulus {stimulus.id!r} has no second description",
                remedy="conditions are written 'one vs other'",
            )
        scene, labels = show_marked_scene(stimulus.trial, settings, rng)
        sides = ("left", "right") if rng.random() < 0.5 else ("right", "left")
        texts = (join_words(stimulus.description), join_words(stimulus.rival.description))
        parameters = {
            # Sorted by side: in the order of the pair, the page's source would tell which system is first.
            "pairwise": dict(sorted(zip(sides, texts, strict=True))),
            "question": settings["question"],
            "tie": settings["tie"],
            **scene,
        }
        return Shown(parameters=parameters, labels={**labels, sides[0]: "first", sides[1]: "rival"})

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the answer is one of the sides, or a tie if ties are offered."""
        check_recorded(answer, self.info)
        offered = ("left", "right", "tie") if settings["tie"] else ("left", "right")
        if answer.answer.get("choice") not in offered:
            raise make_field_error("answer.choice", f"should be one of {', '.join(offered)}")

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the side whose description leads the hearer to the target; equal ones are drawn at random."""
        assert stimulus.rival is not None
        view = stimulus.trial.for_hearer(rng)
        right = {
            name: hearer.resolve(description, view).entity in stimulus.trial.targets
            for name, description in (("first", stimulus.description), ("rival", stimulus.rival.description))
        }
        sides = {side: right[shown.labels[side]] for side in ("left", "right")}
        better = [side for side, good in sides.items() if good] or ["left", "right"]
        choice = better[0] if len(better) == 1 else rng.choice(["left", "right", *(["tie"] if settings["tie"] else [])])
        return GivenAnswer(answer={"choice": choice}, times=draw_decision_times(rng))
