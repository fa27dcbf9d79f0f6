"""The training data of a hearer that is tested on other data.

Another corpus, or a part of one, never a game of the test.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee import catalogue
from referee.errors import InputError
from referee.hearers.passports.people import People, find_unit
from referee.jobs.open import open_corpus
from referee.records import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """Trials to learn from, with the name of the corpus (or part of one) that they are."""

    name: str
    corpus: str
    trials: tuple[Trial, ...]


def open_lessons(written: str, data: str | Path | None, seed: int = 1) -> Lessons:
    """Return training data: ``CORPUS``, a file of trials, or a part as ``CORPUS:SPLIT`` (``tuna:speaker-80/20:train``)."""
    name, split = _split_name(written)
    folder = data if data is not None and Path(data).is_dir() and not (Path(data) / "trials.jsonl").exists() else None
    opened = open_corpus(name, folder, split=split, seed=seed)
    trials = tuple(opened.trials())
    if not any(t.references for t in trials):
        raise InputError(f"{written} has no descriptions to learn from", remedy="name a corpus with descriptions")
    return Lessons(name=written if split else opened.name, corpus=opened.name, trials=trials)


def _split_name(written: str) -> tuple[str, str | None]:
    """Return corpus and split from their text."""
    if written in catalogue.names("corpus") or Path(written).exists():
        return written, None
    name, _, split = written.partition(":")
    return name, split or None


def ask_others(people: People, lessons: Lessons) -> People:
    """Return people's answers without trials of the hearer's training data, and without their games."""
    if lessons.corpus != people.name:
        return people
    trials, games = {t.id for t in lessons.trials}, {find_unit(t, "game") for t in lessons.trials}
    overlap = (a for a in people.answers if a.trial.id in trials or find_unit(a.trial, "game") in games)
    rest = people.without((a, "of games that it learned from") for a in overlap)
    if not rest.answers:
        raise InputError(
            f"every answer in {people.name} is of a game that the hearer would learn from",
            remedy="train on a part that leaves games to ask about, or leave --train out: then games are cut into folds",
        )
    return rest
