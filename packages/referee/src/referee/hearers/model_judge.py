"""A model as judge.

Ratings of adequacy and fluency as in TUNA-REG 2009, or a preference between two descriptions; its passport limits its
use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from referee.errors import InputError
from referee.models.answers.calls import OUTCOMES
from referee.models.model_client import ModelClient
from referee.records import Trial
from referee.systems.object_lists import format_objects


class RatingScale(NamedTuple):
    """The question of a rating scale, and the labels of its ends."""

    question: str
    low: int
    high: int
    worst: str
    best: str


SCALES = {
    # Gatt, Belz & Kow 2009 had people judge adequacy and fluency with sliders, of which they print means from 0 to 100 (Table 6). The two criteria and the
    # range are theirs; the questions and the words at the ends are ours.
    "adequacy": RatingScale(
        "How clear is this description? Try to imagine someone who could see the same objects, but did not know which of them is the target. "
        "How easily would they be able to find it, based on the phrase given?",
        0,
        100,
        "not at all clear",
        "completely clear",
    ),
    "fluency": RatingScale(
        "How fluent is this description? Judge how well the phrase reads. Is it good, clear English?",
        0,
        100,
        "very bad",
        "very good",
    ),
    # Castro Ferreira et al. 2018: points from 1 to 7
    "fluency7": RatingScale("Does the text flow in a natural, easy to read manner?", 1, 7, "very bad", "very good"),
    "grammar7": RatingScale(
        "Is the text grammatical (no spelling or grammatical errors)?", 1, 7, "very bad", "very good"
    ),
    "clarity7": RatingScale("Does the text clearly express the data?", 1, 7, "very bad", "very good"),
}
FIRST, SECOND, TIE = "first", "second", "tie"


class GivenRating(NamedTuple):
    """A rating (None where there is none), and why there is none: refused, unparsable, cut off or failed."""

    rating: float | None
    outcome: str


@dataclass(eq=False, repr=False, kw_only=True)
class ModelJudge(ModelClient):
    """Asks a model to rate a description, or to prefer one of two; options as for `ModelClient`.

    A preference is requested in both orders; contradictory answers count as no preference.

    Args:
        contract: the version of the form in which it is asked to answer (`ModelClient.ask_by_contract`). 3: by a JSON schema where the endpoint supports one,
            otherwise with a final line ``ANSWER: …``, and once more if the answer is unparsable; 2: without the repetition; 1: as free text.
    """

    keeps_failures: ClassVar[bool] = False
    offline_remedy: ClassVar[str] = "judge online"

    contract: int = 3

    def rate(self, text: str, scale: str, trial: Trial | None = None) -> GivenRating:
        """Return a rating on one of `SCALES`; with a trial the model is shown its objects and the target."""
        asked = _find_scale(scale)
        words = (
            f"{_describe_scene(trial)}The {'description' if trial else 'text'}: {text!r}\n\n{asked.question}\n"
            f"Answer with one whole number from {asked.low} ({asked.worst}) to {asked.high} ({asked.best}) alone."
        )
        numbers = [str(number) for number in range(asked.low, asked.high + 1)]
        self._check_options()
        name = trial.id if trial else text[:40]
        _, parsed = self.ask_and_parse(words, name, "rating", numbers, scale=(asked.low, asked.high))
        return GivenRating(parsed.value, OUTCOMES[parsed.outcome])

    def prefer(self, first: str, second: str, trial: Trial | None = None) -> str:
        """Return ``first``, ``second`` or ``tie``, or the reason for no answer: unparsable, refused, cut off or failed."""
        if first == second:
            return TIE
        preferences: list[int | str] = []
        for a, b in ((first, second), (second, first)):
            words = (
                f"{_describe_scene(trial)}Two descriptions of the target:\n1. {a!r}\n2. {b!r}\n\nWhich of them is better: easier for a listener "
                "to find the target by, and better worded? Answer with 1 or 2 alone, or with several if they are equally good."
            )
            self._check_options()
            name = trial.id if trial else a[:40]
            _, parsed = self.ask_and_parse(words, name, "choice", ["1", "2", "several"], options=2)
            if parsed.value is None:
                return OUTCOMES[parsed.outcome]
            preferences.append(parsed.value)
        return _combine_preferences(preferences[0], preferences[1])

    def _check_options(self) -> None:
        """Raise InputError if no model is named."""
        if not self.model:
            raise InputError("no model is named", remedy='say which: --judge "model:NAME|endpoint:URL"')


def _find_scale(name: str) -> RatingScale:
    """Return a rating scale by name. Raises InputError for an unknown one."""
    if name not in SCALES:
        raise InputError(f"there is no scale {name!r}", remedy=f"one of {', '.join(SCALES)}")
    return SCALES[name]


def _describe_scene(trial: Trial | None) -> str:
    """Return the scene and the target as part of the question; empty without a trial."""
    if trial is None:
        return ""
    lines = "\n".join(f"{i}. {line}" for i, line in enumerate(format_objects(trial.scene.entities), 1))
    numbers = {e.id: i for i, e in enumerate(trial.scene.entities, 1)}
    target = " and ".join(f"object {numbers[t]}" for t in trial.targets)
    return f"A listener sees these objects, in another order and without numbers:\n{lines}\n\nThe target is {target}. "


def _combine_preferences(forth: int | str, back: int | str) -> str:
    """Return the text preferred in both orders, or none if the preferences differ."""
    if {"none", "unknown"} & {forth, back}:
        return "unparsable"
    if (forth, back) == (1, 2):
        return FIRST
    return SECOND if (forth, back) == (2, 1) else TIE
