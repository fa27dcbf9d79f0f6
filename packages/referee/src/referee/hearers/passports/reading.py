"""The input of a hearer.

People's words, unless properties are requested and their presence does not reveal the outcome.

In Degen et al. (2020) the authors coded descriptions only where the listener was right, so the presence of codes
reveals the answer. The check runs on every corpus (see `leaks`); no hearer reads the refused fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.errors import InputError
from referee.hearers.passports.leaks import LIMIT, Leak, find_leaks
from referee.hearers.passports.people import HumanAnswer, People
from referee.records import Description, Trial

CODED = ("properties present", "number of properties")
SEEN = ("attributes of the target present", "picture of the target present")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """People's answers with descriptions in the hearer's input format, the numbers of words and properties, and the
    results of the check.
    """

    people: People
    read: dict[str, int]
    leaks: tuple[Leak, ...]


def choose_reading(people: People, reads: str) -> Reading:
    """Return descriptions and training trials in the format that `reads` names.

    Raises InputError for properties that reveal the outcome.
    """
    all_leaks = find_leaks(people.trials, [replace(a.response, description=a.description) for a in people.answers])
    refused = {leak.field: leak for leak in all_leaks if leak.refused}
    _refuse_leaks(refused, SEEN, "do not evaluate hearers on these data")
    if reads == "properties":
        _refuse_leaks(refused, CODED, "let the hearer read words (--reads words)")
        return Reading(people=people, read=_count(people.answers), leaks=all_leaks)
    if refused.keys() & set(CODED):
        people = people.without(
            (a, "has only properties, which may not be read") for a in people.answers if a.description.text is None
        )
        if not people.answers:
            _refuse_leaks(refused, CODED, "there are no words to read instead")
    trials = tuple(add_words(t) for t in people.trials)
    answers = tuple(replace(a, description=drop_annotation(a.description)) for a in people.answers)
    return Reading(people=replace(people, trials=trials, answers=answers), read=_count(answers), leaks=all_leaks)


def drop_annotation(description: Description) -> Description:
    """Return the words of a description without its annotation.

    A description without words stays as it is.
    """
    plain = description.properties is None and not description.spans and description.distribution is None
    return (
        description
        if plain or description.text is None
        else Description(text=description.text, speaker=description.speaker)
    )


def add_words(trial: Trial) -> Trial:
    """Return a trial to learn from, whose references are words."""
    references = tuple(drop_annotation(reference) for reference in trial.references)
    return trial if references == trial.references else replace(trial, references=references)


def _count(answers: Sequence[HumanAnswer]) -> dict[str, int]:
    """Return the numbers of answers to words and to annotated properties."""
    coded = sum(a.description.properties is not None for a in answers)
    return {"words": len(answers) - coded, "properties": coded}


def _refuse_leaks(refused: dict[str, Leak], fields: Sequence[str], remedy: str) -> None:
    """Raise InputError for a field that reveals the outcome."""
    for field in fields:
        if field in refused:
            raise InputError(
                f"{field}: this field reveals whether people succeeded ({_format_reason(refused[field])})",
                remedy=remedy,
            )


def _format_reason(leak: Leak) -> str:
    """Return the numbers that show that a field reveals the outcome."""
    present, missing = leak.present, leak.n - leak.present
    shares = [
        f"{round((1 - share) * n):,} of {n:,} wrong where {where}"
        for share, n, where in ((leak.right_with, present, "there"), (leak.right_without, missing, "missing"))
        if share is not None
    ]
    return f"{', '.join(shares)}; AUC {leak.strength:.3f} by that alone, {LIMIT} is the limit"
