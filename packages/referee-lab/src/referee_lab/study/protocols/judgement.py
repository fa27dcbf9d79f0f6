"""Judgements of adequacy and fluency on scales or sliders, as in the human evaluation of TUNA-REG 2009 (Gatt, Belz & Kow 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee.records import Trial
from referee_lab.study.protocols.checked_answers import (
    CLOCKS,
    NothingIdentified,
    check_recorded,
    make_field_error,
    make_time_column,
)
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.scene import (
    SCENE,
    get_language,
    mark_targets,
    show_context,
    show_scene,
)
from referee_lab.study.protocols.spoken import (
    HEARD,
    HEARD_TIMES,
    check_heard,
    show_words,
    simulate_heard,
)

SLIDER_TOP = 100
FEWEST_POINTS, MOST_POINTS = 2, 11
DECIDING_MS = 4000.0
JUDGED = {
    "combined_ms": make_time_column("from the onset of description and scene to the end"),
    **CLOCKS,
}
MARKED = {"mark_target": Parameter(default=True, about="Mark the object that is described."), **SCENE}


class Judgement(NothingIdentified):
    """How good is this description of the marked object? scales or sliders.

    The scene with its target marked, one description, and one or more scales; a slider runs from 0 to 100.
    """

    info = Info(
        name="judgement",
        title="Judge a description",
        source="adequacy and fluency as in Gatt, Belz & Kow (2009), TUNA-REG 2009",
        plugin="judge",
        parameters={
            "scales": Parameter(
                default=["adequacy", "fluency"], about="Names of the scales, in the order in which they are shown."
            ),
            "questions": Parameter(
                default=["How clear is it which object is meant?", "How well is it worded?"],
                about="Question of each scale.",
            ),
            "low": Parameter(
                default=["not at all clear", "very badly"], about="The word at the low end of each scale."
            ),
            "high": Parameter(default=["completely clear", "very well"], about="The word at the high end."),
            "kind": Parameter(
                default="likert",
                about="likert (points to choose from) or slider (0 to 100).",
                values=("likert", "slider"),
            ),
            "points": Parameter(default=7, about="Points of a Likert scale.", low=FEWEST_POINTS, high=MOST_POINTS),
            **HEARD,
            **MARKED,
        },
        answer={
            "ratings": RecordedColumn(type="ratings", about="the rating on each scale, by its name"),
            "repeats": RecordedColumn(type="number", about="how often the description was played again"),
        },
        times={**JUDGED, **HEARD_TIMES},
    )

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """Return a problem with the scales: each needs a unique name, a question and labels for its ends."""
        names = settings["scales"]
        if not names or len(set(names)) < len(names):
            return "scales need names of their own, at least one"
        if any(len(settings[part]) != len(names) for part in ("questions", "low", "high")):
            return f"questions, low and high need one entry for each of the {len(names)} scales"
        return None

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the scene, the description, and the scales."""
        scene, labels = show_marked_scene(stimulus.trial, settings, rng)
        return Shown(
            parameters={**show_words(stimulus, settings), "scales": _list_scales(settings), **scene}, labels=labels
        )

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless every scale has a rating within its limits."""
        check_recorded(answer, self.info)
        check_heard(answer, shown)
        ratings = answer.answer.get("ratings")
        names = {scale["name"]: scale for scale in shown.parameters["scales"]}
        if not isinstance(ratings, Mapping) or set(ratings) != set(names):
            raise make_field_error("answer.ratings", f"one rating for each of {', '.join(names)}")
        for name, value in ratings.items():
            low, high = _get_limits(names[name])
            whole = names[name]["kind"] == "slider" or isinstance(value, int)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not (low <= value <= high and whole):
                raise make_field_error(f"answer.ratings.{name}", f"should be from {low} to {high}")

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return high ratings if the hearer chooses the target and low ones if not, with some noise."""
        response = hearer.resolve(stimulus.description, stimulus.trial.for_hearer(rng))
        liked = 0.8 if response.entity in stimulus.trial.targets else 0.3
        ratings = {}
        for scale in shown.parameters["scales"]:
            low, high = _get_limits(scale)
            ratings[scale["name"]] = round(low + (high - low) * min(max(rng.gauss(liked, 0.15), 0.0), 1.0))
        times = draw_decision_times(rng)
        return GivenAnswer(
            answer={"ratings": ratings}, times={**times, **simulate_heard(stimulus, shown, times["t_onset"], rng)}
        )


class AskedOnce(NothingIdentified):
    """A judgement of several descriptions of a marked object, with one question."""

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """Return a problem with an empty question; None without one."""
        return None if settings["question"].strip() else "the question is empty"


def show_marked_scene(trial: Trial, settings: Mapping[str, Any], rng: Random) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the scene with its target marked, its language and context, and the labels of its objects."""
    scene, labels = show_scene(trial, settings, rng)
    marked = mark_targets(trial, labels) if settings["mark_target"] else {}
    return {**get_language(trial), **scene, **marked, **show_context(trial)}, labels


def draw_decision_times(rng: Random) -> dict[str, float]:
    """Return the times at which a simulated person decides."""
    took = DECIDING_MS * (0.5 + rng.random())
    return {"combined_ms": took, "t_onset": 0.0, "t_response": took}


def _list_scales(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the scales with their questions, points and end labels."""
    named = zip(settings["scales"], settings["questions"], settings["low"], settings["high"], strict=True)
    # A slider has 0 to 100, both ends included.
    points = settings["points"] if settings["kind"] == "likert" else SLIDER_TOP + 1
    return [
        {"name": name, "question": question, "kind": settings["kind"], "points": points, "low": low, "high": high}
        for name, question, low, high in named
    ]


def _get_limits(scale: Mapping[str, Any]) -> tuple[int, int]:
    return (1, scale["points"]) if scale["kind"] == "likert" else (0, SLIDER_TOP)
