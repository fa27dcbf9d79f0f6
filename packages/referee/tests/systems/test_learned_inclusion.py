"""Learned decisions on what belongs into a description."""

from __future__ import annotations

import pickle

import pytest
from rooms import room, trial, written

from referee.errors import NotTrained
from referee.systems.learned_inclusion import LearnedInclusion

ROOM = room("type:chair colour:red size:large x-dimension:1", "type:chair colour:red size:small x-dimension:2")


def test_an_attribute_that_rules_out_nobody_is_said_if_people_say_it_and_what_is_needed_is_added() -> None:
    """Everybody says type and colour, which tell nothing here; size and place are said by a few only, size more often."""
    said = 8 * ["type colour"] + 3 * ["type colour size"] + ["type colour x-dimension"]
    selector = LearnedInclusion(leaf=5).fit([trial(ROOM, words) for words in said])
    assert written(selector.select(trial(ROOM).for_speaker())) == "type:chair colour:red size:large"


def test_a_decision_can_depend_on_the_condition() -> None:
    training = [trial(ROOM, "type x-dimension", condition="+LOC") for _ in range(6)]
    training += [trial(ROOM, "type size", condition="-LOC") for _ in range(6)]
    selector = LearnedInclusion(leaf=2).fit(training)
    assert written(selector.select(trial(ROOM, condition="+LOC").for_speaker())) == "type:chair x-dimension:1"
    assert written(selector.select(trial(ROOM, condition="-LOC").for_speaker())) == "type:chair size:large"


def test_a_decision_can_depend_on_the_value() -> None:
    small = room("type:chair colour:red size:small x-dimension:1", "type:chair colour:blue size:small x-dimension:1")
    large = room("type:chair colour:red size:large x-dimension:1", "type:chair colour:blue size:large x-dimension:1")
    training = [trial(small, "colour size") for _ in range(6)] + [trial(large, "colour") for _ in range(6)]
    selector = LearnedInclusion(leaf=2).fit(training)
    assert written(selector.select(trial(small).for_speaker())) == "colour:red size:small"
    assert written(selector.select(trial(large).for_speaker())) == "colour:red"


def test_what_was_learned_can_be_sent_to_another_process() -> None:
    training = [trial(ROOM, "type size") for _ in range(4)] + [trial(ROOM, "size") for _ in range(4)]
    selector = LearnedInclusion(leaf=1).fit(training)
    view = trial(ROOM).for_speaker()
    assert pickle.loads(pickle.dumps(selector)).select(view) == selector.select(view)


def test_an_unknown_domain_gets_what_is_needed() -> None:
    selector = LearnedInclusion().fit([trial(ROOM, "type colour")])
    assert written(selector.select(trial(ROOM, domain="people").for_speaker())) == "size:large"


def test_decisions_must_be_learned_first() -> None:
    with pytest.raises(NotTrained):
        LearnedInclusion().select(trial(ROOM).for_speaker())
