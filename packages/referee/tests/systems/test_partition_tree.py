"""The partition tree: what its paper says it equals, and the lists it is given."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from rooms import room, trial, written

from referee.selection.incremental import Incremental
from referee.systems.partition_tree import PartitionTree

VALUES = st.lists(st.sampled_from("ab"), min_size=4, max_size=4)


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=7), st.permutations(["p0", "p1", "p2", "p3"]))
def test_without_overlapping_values_the_tree_is_the_incremental_algorithm(
    rows: list[list[str]], order: list[str]
) -> None:
    scene = room(*(" ".join(f"p{i}:{value}" for i, value in enumerate(row)) for row in rows))
    view = trial(scene).for_speaker()
    tree = PartitionTree({"furniture": tuple(order)}, always=())
    assert tree.select(view) == Incremental(tuple(order), head="none").select(view)


ROOM = room(
    "type:person hasBeard:0 hasGlasses:1 x-dimension:1",
    "type:person hasBeard:1 hasGlasses:1 x-dimension:2",
    "type:person hasBeard:0 hasGlasses:0 x-dimension:1",
)


def test_the_type_is_said_though_its_branch_is_as_large_as_the_root() -> None:
    view = trial(ROOM).for_speaker()
    order = {"furniture": ("type", "x-dimension", "hasGlasses")}
    assert written(PartitionTree(order).select(view)) == "type:person x-dimension:1 hasGlasses:1"
    assert written(PartitionTree(order, always=()).select(view)) == "x-dimension:1 hasGlasses:1"


def test_a_preference_can_be_for_a_value() -> None:
    """The target has no beard: hasBeard:1 is not about it, and what is not listed comes last, in the order of the room."""
    view = trial(ROOM).for_speaker()
    order = {"furniture": ("hasBeard:1", "hasGlasses:1")}
    assert written(PartitionTree(order, always=()).select(view)) == "hasGlasses:1 hasBeard:0"


def test_a_list_for_domain_and_condition_goes_before_one_for_the_domain() -> None:
    order = {"furniture": ("hasBeard", "hasGlasses"), "furniture +LOC": ("x-dimension", "hasGlasses")}
    tree = PartitionTree(order, always=())
    assert written(tree.select(trial(ROOM, condition="-LOC").for_speaker())) == "hasBeard:0 hasGlasses:1"
    assert written(tree.select(trial(ROOM, condition="+LOC").for_speaker())) == "x-dimension:1 hasGlasses:1"
