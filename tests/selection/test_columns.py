"""Scenes over columns behave as scenes over records."""

from __future__ import annotations

import numpy as np
import pytest
from contexts import random_table, view

from referee.errors import InputError
from referee.records import Entity, Property, Scene
from referee.selection.columns import ValueColumn, as_bits, as_places, scene_of_columns
from referee.selection.full_brevity import FullBrevity
from referee.selection.graph import GraphSearch
from referee.selection.greedy import Greedy
from referee.selection.incremental import Incremental

TABLE = {"type": ["cup", "jug", "cup"], "lid": [True, False, None], "litres": [0.5, 3.0, float("nan")]}
RECORDS = Scene(
    entities=(
        Entity(id="0", attributes=(Property("type", "cup"), Property("lid", "1"), Property("litres", "0.5"))),
        Entity(id="1", attributes=(Property("type", "jug"), Property("lid", "0"), Property("litres", "3"))),
        Entity(id="2", attributes=(Property("type", "cup"),)),
    )
)


def test_entities_extensions_and_members_are_those_of_records():
    columns = scene_of_columns(TABLE)
    assert tuple(columns.entities) == RECORDS.entities
    assert dict(columns.extensions) == RECORDS.extensions
    assert columns.everything == RECORDS.everything
    assert list(columns.members(0b101)) == list(RECORDS.members(0b101))
    assert columns.denotation([Property("type", "cup"), Property("lid", "1")]) == 0b001
    assert columns.extension(Property("type", "pan")) == columns.extension(Property("colour", "red")) == 0


def test_ids_are_numbers_unless_given():
    assert scene_of_columns(TABLE).index("2") == 2
    named = scene_of_columns(TABLE, ids=["x", "y", "z"])
    assert named.index("y") == 1
    assert named.entity("y").id == "y"
    for where, wrong in ((named, "2"), (scene_of_columns(TABLE), "3"), (scene_of_columns(TABLE), "x")):
        with pytest.raises(InputError, match="not in the scene"):
            Greedy().select(view(where, wrong))


def test_columns_of_different_length_are_refused():
    with pytest.raises(InputError, match=r"different lengths: \[1, 2\]"):
        scene_of_columns({"a": ["x"], "b": ["x", "y"]})


@pytest.mark.parametrize(
    "numbers", [np.array([5, -3, 5]), np.array([10**12, 0, 10**12]), np.array([True, False, True])]
)
def test_numbers_are_encoded_by_value(numbers):
    column = ValueColumn.of(numbers)
    assert [column.value(i) for i in range(3)] == [str(int(n)) for n in numbers]


def test_bits_and_places_are_inverse():
    assert as_bits(np.array([True, False, True])) == 0b101
    assert as_places(0b1000000000101, 20).tolist() == [0, 2, 12]


@pytest.mark.parametrize(
    "selector", [Incremental(), Greedy(), FullBrevity(), GraphSearch()], ids=lambda s: type(s).__name__
)
def test_selectors_choose_the_same_from_columns_and_from_records(selector):
    columns = scene_of_columns(random_table(40, 6, seed=1))
    records = Scene(entities=tuple(columns.entities))
    for target in ("0", "7", "39"):
        assert selector.select(view(columns, target)) == selector.select(view(records, target))


def test_contrasts_of_large_scenes_are_not_kept():
    large = scene_of_columns(random_table(5000, 3, seed=1))
    Greedy().select(view(large, "0"))
    assert not any(large._notes.values())
