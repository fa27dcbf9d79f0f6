"""Production: describe the marked object for a hearer, as speakers of the TUNA corpus did (van Deemter, van der Sluis &
Gatt 2006).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee_lab.study.protocols.checked_answers import (
    CLOCKS,
    NothingIdentified,
    check_recorded,
    make_field_error,
    make_time_column,
)
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.scene import SCENE, get_language, mark_targets, show_scene

TYPING_MS, THINKING_MS = 180.0, 1500.0
LONGEST = 5000
# A recording travels in its answer, so that it is acknowledged, stored, withdrawn and deleted with it. Requests have at most 256 KiB.
MOST_BYTES, MOST_SECONDS = 180_000, 45.0
SOUND = re.compile(r"data:(?:audio|video)/(webm|mp4|ogg|wav)[^,]{0,60};base64,([A-Za-z0-9+/=]*)")
ENDINGS = {"webm": ".weba", "mp4": ".m4a", "ogg": ".ogg", "wav": ".wav"}
SILENCE = "data:audio/wav;base64,UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="


class Production(NothingIdentified):
    """Describe the marked object: collects a corpus.

    The scene with one object marked and a field to type in (pasting and spell checking are off), or a microphone.
    """

    info = Info(
        name="production",
        title="Describe the marked object",
        source="van Deemter, van der Sluis & Gatt (2006), the elicitation of the TUNA corpus",
        plugin="produce",
        parameters={
            "answer": Parameter(
                default="typed",
                about="typed, or spoken: descriptions are recorded, and transcribed later (`referee study correct --transcripts`).",
                values=("typed", "spoken"),
            ),
            "longest_s": Parameter(
                default=30.0, about="Maximum duration of a recording.", unit="s", low=1, high=MOST_SECONDS
            ),
            "shortest": Parameter(
                default=2,
                about="Minimum number of characters of a description.",
                unit="characters",
                low=1,
                high=LONGEST,
            ),
            "longest": Parameter(
                default=300,
                about="Maximum number of characters of a description.",
                unit="characters",
                low=1,
                high=LONGEST,
            ),
            "prompt": Parameter(default="", about="A sentence above the field; empty for none."),
            **SCENE,
        },
        answer={
            "text": RecordedColumn(type="text", about="the description as typed, or its transcript"),
            "sound": RecordedColumn(type="sound", about="the recording: its file in an export"),
            "recordings": RecordedColumn(type="number", about="how often it was recorded"),
            "first_sound_ms": make_time_column("from the scene's onset to the start of the first recording"),
            "edits": RecordedColumn(type="number", about="changes to the text, deletions included"),
            "first_key_ms": make_time_column("from the scene's onset to the first key"),
        },
        times={"combined_ms": make_time_column("from the scene's onset to the end"), **CLOCKS},
    )

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """Return a problem with the length limits of a text; None without one."""
        return "shortest is above longest" if settings["shortest"] > settings["longest"] else None

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the scene with the target marked; no other protocol sends the target."""
        scene, labels = show_scene(stimulus.trial, settings, rng)
        parameters = {
            **get_language(stimulus.trial),
            **({"spoken": True, "longest_s": settings["longest_s"]} if is_spoken(settings) else {}),
            **{name: settings[name] for name in ("shortest", "longest", "prompt")},
            **scene,
            **mark_targets(stimulus.trial, labels),
        }
        return Shown(parameters=parameters, labels=labels)

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the answer is a text of the requested length, or a recording."""
        check_recorded(answer, self.info)
        text = answer.answer.get("text")
        if is_spoken(settings):
            get_recording(answer.answer)
            if text is None:
                return
        elif any(answer.answer.get(name) is not None for name in ("sound", "recordings", "first_sound_ms")):
            raise make_field_error("answer.sound", "nothing is recorded in this study")
        if text is None:
            raise make_field_error("answer.text", "the description is missing")
        # Blanks do not help to reach the shortest length, and count towards the longest, as in the field of the page.
        if not settings["shortest"] <= len(text.strip()) or len(text) > settings["longest"]:
            raise make_field_error(
                "answer.text", f"should have {settings['shortest']} to {settings['longest']} characters"
            )

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return a reference of the corpus, or else the target's attributes in order."""
        if is_spoken(settings):
            first = THINKING_MS * (0.5 + rng.random())
            times = {"combined_ms": first + THINKING_MS, "t_onset": 0.0, "t_response": first + THINKING_MS}
            return GivenAnswer(answer={"sound": SILENCE, "recordings": 1, "first_sound_ms": first}, times=times)
        text_of_corpus = next((d.text for d in stimulus.trial.references if d.text), None)
        target = stimulus.trial.scene.entity(stimulus.trial.targets[0])
        text = (text_of_corpus or " ".join(p.value for p in target.attributes) or "that one")[: settings["longest"]]
        text = text.ljust(settings["shortest"], ".")
        first = THINKING_MS * (0.5 + rng.random())
        end = first + TYPING_MS * len(text) * (0.5 + rng.random())
        times = {"combined_ms": end, "t_onset": 0.0, "t_response": end}
        return GivenAnswer(answer={"text": text, "edits": len(text), "first_key_ms": first}, times=times)


def is_spoken(settings: Mapping[str, Any]) -> bool:
    """Return whether descriptions are recorded as sound."""
    return settings.get("answer") == "spoken"


def get_recording(answer: Mapping[str, Any]) -> tuple[bytes, str]:
    """Return the recording in an answer and the extension of its file. Raises InputError without one."""
    match = SOUND.fullmatch(str(answer.get("sound") or ""))
    try:
        content = base64.b64decode(match[2], validate=True) if match else b""
    except binascii.Error:
        content = b""
    if match is None or not 0 < len(content) <= MOST_BYTES:
        raise make_field_error("answer.sound", f"should be a recording of at most {MOST_BYTES // 1000} kB")
    return content, ENDINGS[match[1]]
