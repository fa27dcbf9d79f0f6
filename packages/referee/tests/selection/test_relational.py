"""Dale and Haddock's relational descriptions."""

from __future__ import annotations

from contexts import props, scene, view

from referee.records import Property
from referee.selection.relational import Network, Relational

# After Dale & Haddock (1991): two cups and two bowls, and only one cup is in a bowl.
ROOM = scene(
    c1="type:cup >in:b1",
    c2="type:cup",
    b1="type:bowl >on:floor",
    b2="type:bowl >on:table",
    table="type:table",
    floor="type:floor",
)


def test_the_cup_in_the_bowl_needs_no_more_than_the_relation():
    # "the bowl" and "the cup" are both ambiguous, "the cup in the bowl" is not: each narrows down the other.
    assert Relational().select(view(ROOM, "c1")) == (Property("type", "cup"), Property("in", "b1"))


def test_a_landmark_is_described_until_it_is_known():
    room = scene(t="type:bowl >on:t1", a="type:bowl >on:t2", t1="type:table colour:white", t2="type:table colour:black")
    found = Relational().select(view(room, "t"))
    assert found == props("type:bowl on:t1 landmark.type:table landmark.colour:white")
    assert room.denotation(found) == room.mask(["t"])


def test_properties_come_before_relations_that_leave_more():
    room = scene(t="type:ball colour:red >by:c", a="type:ball colour:blue >by:c", c="type:cube")
    assert Relational().select(view(room, "t")) == props("type:ball colour:red")


def test_a_circle_of_relations_ends():
    room = scene(t="type:ball >left-of:a", a="type:ball >right-of:t >left-of:b", b="type:ball >right-of:a")
    found = Relational().select(view(room, "t"))
    assert len(found) == len(set(found))


def test_propagation_works_in_both_directions():
    network = Network(ROOM)
    cup, bowl = network.introduce(), network.introduce()
    network = network.narrowed(Property("type", "cup"), cup, None)
    network = network.narrowed(Property("in", "b1"), cup, bowl)
    assert network.contexts == [ROOM.mask(["c1"]), ROOM.mask(["b1"])]


def test_without_landmarks_only_properties_are_said():
    assert Relational(landmarks=0).select(view(ROOM, "c1")) == props("type:cup")
