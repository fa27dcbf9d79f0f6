"""Whether the presence of an input tells the outcome: made data by hand, and the corpus that started it."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.corpora.colors_mandarin import ColorsMandarin
from referee.corpora.degen import Degen2020
from referee.hearers.passports.leaks import Leak, find_leaks
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

SCENE = Scene(entities=(Entity(id="a", attributes=(Property("type", "cup"),)), Entity(id="b")))
RED = (Property("colour", "red"),)


def made(*rows: tuple[int, bool]) -> dict[str, Leak]:
    """Trials with so many properties (0: not coded), whose listener was right or wrong."""
    trials, responses = [], []
    for n, (coded, right) in enumerate(rows):
        said = Description(text="red", properties=RED * coded if coded else None)
        trials.append(Trial(id=str(n), scene=SCENE, targets=("a",), references=(said,)))
        responses.append(Response(trial=str(n), hearer="h", outcome=Outcome.ENTITY, entity="a" if right else "b"))
    return {leak.field: leak for leak in find_leaks(trials, responses)}


def test_codes_that_exist_only_for_successes_are_refused() -> None:
    # By hand: 4 successes (3 coded), 2 failures (none coded): pairs 8, won 6, tied 2 → (6 + 1) / 8.
    found = made((1, True), (1, True), (1, True), (0, True), (0, False), (0, False))["properties present"]
    assert (found.area, found.n, found.present) == (7 / 8, 6, 3)
    assert (found.right_with, found.right_without) == (1.0, 1 / 3)
    assert found.refused


def test_codes_that_exist_only_for_failures_tell_as_much() -> None:
    found = made((0, True), (0, True), (1, False), (1, False))["properties present"]
    assert (found.area, found.strength, found.refused) == (0.0, 1.0, True)


def test_the_number_of_properties_counts_too() -> None:
    # By hand: successes have 2, 2, 1, failures 1, 1: of 6 pairs 4 won, 2 tied → 5 / 6; all are coded, so presence says nothing.
    found = made((2, True), (2, True), (1, True), (1, False), (1, False))
    assert found["number of properties"].area == pytest.approx(5 / 6)
    assert (found["properties present"].area, found["properties present"].refused) == (0.5, False)


def test_without_failures_nothing_is_known() -> None:
    found = made((1, True), (0, True))["properties present"]
    assert (found.area, found.strength, found.refused) == (None, None, False)
    assert made() == {field: leak for field, leak in made().items() if leak.n == 0 and leak.area is None}


def test_what_people_did_themselves_is_never_refused() -> None:
    trial = Trial(id="t", scene=SCENE, targets=("a",), references=(Description(text="red"),))
    silent = Trial(id="s", scene=SCENE, targets=("a",))
    answers = [
        Response(trial="t", hearer="h", outcome=Outcome.ENTITY, entity="a"),
        Response(trial="s", hearer="h", outcome=Outcome.ENTITY, entity="b"),
    ]
    found = {leak.field: leak for leak in find_leaks([trial, silent], answers)}["message present"]
    assert (found.area, found.predicts, found.refused) == (1.0, True, False)


def test_answers_without_a_choice_are_neither_right_nor_wrong() -> None:
    trial = Trial(id="t", scene=SCENE, targets=("a",))
    assert {leak.n for leak in find_leaks([trial], [Response(trial="t", hearer="h", outcome=Outcome.TIMEOUT)])} == {0}


# Issue 13, section 5: "authors' codes exist only where the listener was right (coded and wrong: 0 of 5,868)".
@pytest.mark.long
@pytest.mark.data
def test_the_codes_of_degen2020_give_the_outcome_away(data_folder: Path) -> None:
    corpus = Degen2020(data_folder)
    found = {leak.field: leak for leak in find_leaks(corpus.trials(), corpus.responses())}
    coded = found["properties present"]
    assert (coded.n, coded.present, coded.right_with) == (6998, 5868, 1.0)
    # By hand: no failure is coded and 5,868 of the successes are, so half of what remains of 1 is tied.
    right = sum(r.entity in t.targets for t, r in zip(corpus.trials(), corpus.responses(), strict=True))
    assert coded.area == pytest.approx(0.5 + 5868 / right / 2)
    assert round(coded.area, 3) == 0.932
    assert coded.refused
    assert found["number of properties"].refused
    assert not any(leak.refused for field, leak in found.items() if "properties" not in field)


# 705 of 4,311 rounds without a message of the speaker, 214 of them right; of the others 3,155 (counted over the tables without the reader).
@pytest.mark.data
def test_a_silent_speaker_is_no_leak(data_folder: Path) -> None:
    corpus = ColorsMandarin(data_folder)
    found = {leak.field: leak for leak in find_leaks(corpus.trials(), corpus.responses())}["message present"]
    assert (found.n, found.present) == (4311, 4311 - 705)
    # By hand: share of successes that had a message, less that of failures, halved and added to .5.
    assert found.area == pytest.approx(0.5 + (3155 / 3369 - (3606 - 3155) / 942) / 2)
    assert (found.predicts, found.refused) == (True, False)
