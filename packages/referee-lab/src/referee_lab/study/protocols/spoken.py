"""Heard descriptions, as sound or film: declarations, display, checks and simulation that protocols share."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee_lab.study.folder.media import get_media
from referee_lab.study.protocols.checked_answers import make_field_error, make_time_column
from referee_lab.study.protocols.contract import GivenAnswer, Parameter, Shown, Stimulus
from referee_lab.study.protocols.scene import join_words

HEARD = {
    "media_text": Parameter(
        default="hidden",
        about="hidden: descriptions are heard only; shown: they are heard and read.",
        values=("hidden", "shown"),
    ),
    "media_repeats": Parameter(default=0, about="How often a sound or film may be played again; 0 for never.", low=0),
}
HEARD_TIMES = {
    "media_onset": make_time_column("when the sound or film began, on the page's clock"),
    "media_onset_error_ms": make_time_column("delay of its start; below 0 if it began earlier"),
    "media_ms": make_time_column("how long it was played until the answer (the first time)"),
}
# A simulated voice: about as fast as people talk, and begun within a frame.
PER_WORD_MS, ERROR_MS, NO_WORDS = 350.0, 4.0, 5


def show_words(stimulus: Stimulus, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words and, for heard descriptions, the sound or film.

    Words are hidden unless both are requested.
    """
    media = get_media(stimulus.description)
    if media is None:
        return {"text": join_words(stimulus.description)}
    text = join_words(stimulus.description) if settings["media_text"] == "shown" else ""
    return {"text": text, "media": media, "media_repeats": settings["media_repeats"]}


def check_heard(answer: GivenAnswer, shown: Shown) -> None:
    """Raise InputError for times of a sound that was not played, or for more repeats than allowed."""
    if "media" not in shown.parameters:
        time_name = next((name for name in HEARD_TIMES if answer.times.get(name) is not None), None)
        if time_name:
            raise make_field_error(f"times.{time_name}", "nothing was heard here")
    elif (answer.answer.get("repeats") or 0) > shown.parameters["media_repeats"]:
        raise make_field_error("answer.repeats", f"it could be played again {shown.parameters['media_repeats']} times")


def estimate_heard_ms(stimulus: Stimulus) -> float:
    """Return the time in ms that a simulated voice takes for the words."""
    return PER_WORD_MS * (len(join_words(stimulus.description).split()) or NO_WORDS)


def simulate_heard(stimulus: Stimulus, shown: Shown, onset: float, rng: Random) -> dict[str, float]:
    """Return the times of a sound that a simulated person hears to its end."""
    if "media" not in shown.parameters:
        return {}
    return {
        "media_onset": onset,
        "media_onset_error_ms": rng.gauss(0.0, ERROR_MS),
        "media_ms": estimate_heard_ms(stimulus),
    }
