"""What hearers are given to read: words, or properties that do not tell the outcome by being there."""

from __future__ import annotations

import pytest

from referee.errors import InputError
from referee.hearers.passports.people import HumanAnswer, People
from referee.hearers.passports.reading import choose_reading, drop_annotation
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

RED = (Property("colour", "red"),)
SCENE = Scene(entities=(Entity(id="t", attributes=RED), Entity(id="a")))


def people(*said: tuple[Description, bool], scene: Scene = SCENE) -> People:
    answers = []
    for i, (description, right) in enumerate(said):
        trial = Trial(id=f"x{i}", scene=scene, targets=("t",), references=(description,))
        response = Response(trial=trial.id, hearer="p", outcome=Outcome.ENTITY, entity="t" if right else "a")
        answers.append(HumanAnswer(trial=trial, description=description, response=response))
    return People(name="made", trials=tuple(a.trial for a in answers), answers=tuple(answers), left_out={})


CODED, PLAIN = Description(text="the red one", properties=RED), Description(text="the red one")


def test_words_are_read_also_in_training() -> None:
    found = choose_reading(people((CODED, True), (CODED, False)), "words")
    assert {a.description for a in found.people.answers} == {PLAIN}
    assert {said for t in found.people.trials for said in t.references} == {PLAIN}
    assert found.read == {"words": 2, "properties": 0}


def test_properties_are_read_if_they_tell_nothing_by_being_there() -> None:
    found = choose_reading(people((CODED, True), (CODED, False)), "properties")
    assert {a.description for a in found.people.answers} == {CODED}
    assert found.read == {"words": 0, "properties": 2}


def test_properties_that_exist_only_for_successes_are_refused_with_the_reason() -> None:
    leaking = people((CODED, True), (CODED, True), (PLAIN, True), (PLAIN, False))
    with pytest.raises(
        InputError, match=r"0 of 2 wrong where there, 1 of 2 wrong where missing; AUC 0.833 by that alone"
    ):
        choose_reading(leaking, "properties")
    assert choose_reading(leaking, "words").read == {"words": 4, "properties": 0}


def test_descriptions_in_refused_properties_alone_are_left_out() -> None:
    bare = Description(properties=RED)
    found = choose_reading(people((bare, True), (bare, True), (PLAIN, True), (PLAIN, False)), "words")
    assert found.people.left_out == {"has only properties, which may not be read": 2}
    assert found.read == {"words": 2, "properties": 0}


def test_what_was_never_put_into_words_stays_as_it_is() -> None:
    bare = Description(properties=RED)
    assert drop_annotation(bare) == bare
    assert choose_reading(people((bare, True), (bare, False)), "words").read == {"words": 0, "properties": 2}


def test_targets_that_are_described_only_where_people_succeed_are_refused() -> None:
    empty = Scene(entities=(Entity(id="t"), Entity(id="a")))
    seen, unseen = people((PLAIN, True), (PLAIN, True)), people((PLAIN, False), (PLAIN, False), scene=empty)
    renamed = tuple(
        HumanAnswer(
            trial=Trial(id=f"y{i}", scene=empty, targets=("t",), references=(PLAIN,)),
            description=PLAIN,
            response=Response(trial=f"y{i}", hearer="p", outcome=Outcome.ENTITY, entity="a"),
        )
        for i, _ in enumerate(unseen.answers)
    )
    both = People(
        name="made",
        trials=(*seen.trials, *(a.trial for a in renamed)),
        answers=(*seen.answers, *renamed),
        left_out={},
    )
    with pytest.raises(InputError, match=r"attributes of the target present.*whether people succeeded"):
        choose_reading(both, "words")
