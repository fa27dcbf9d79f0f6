"""Explanations: every step says what was looked at and what it did."""

from __future__ import annotations

from dataclasses import replace

from contexts import random_scenes, remaining, scene, view
from hypothesis import given

from referee.records import Property, Taxonomy
from referee.selection.full_brevity import FullBrevity
from referee.selection.incremental import Incremental
from referee.selection.reasons import Reason

ROOM = scene(t="type:cup colour:red size:big", a="type:cup colour:blue size:big", b="type:jug colour:red size:big")


def test_the_incremental_algorithm_tells_what_it_took_and_what_it_left():
    steps = Incremental(order=("size", "colour", "type")).explain(view(ROOM, "t"))
    assert [(s.property, s.ruled_out, s.remaining) for s in steps] == [
        (Property("size", "big"), (), 2),
        (Property("colour", "red"), ("a",), 1),
        (Property("type", "cup"), ("b",), 0),
    ]
    assert "left out" in steps[0].reason


def test_an_exhaustive_search_tells_what_each_part_of_its_result_rules_out():
    steps = FullBrevity(head="none").explain(view(ROOM, "t"))
    assert [(s.property, s.ruled_out) for s in steps] == [
        (Property("type", "cup"), ("b",)),
        (Property("colour", "red"), ("a",)),
    ]
    assert all(s.reason == "proven shortest" for s in steps)


def test_a_general_value_is_explained_by_what_lies_below_it():
    dogs = Taxonomy.of({"type": {"poodle": "dog", "beagle": "dog"}}, {"type": ["dog"]})
    where = replace(scene(t="type:poodle", a="type:beagle", b="type:cat"), taxonomy=dogs)
    only_dogs = replace(scene(t="type:poodle", b="type:cat"), taxonomy=dogs)
    selector = Incremental()
    assert selector.explain(view(only_dogs, "t")) == [
        Reason(Property("type", "dog"), "next in the order of preference; rules out a distractor", ("b",), 0)
    ]
    assert selector.explain(view(where, "t"))[0].property == Property("type", "poodle")


@given(random_scenes())
def test_remaining_counts_agree_with_the_scene(where):
    steps = Incremental(head="none").explain(view(where, "t"))
    said = tuple(s.property for s in steps if s.property and s.ruled_out)
    left = len(remaining(where, said))
    assert (steps[-1].remaining if steps else left) == left
