"""Smallest sets and remembered sets; the list of all descriptions is held against another program's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooms import props, room, trial, written

from referee.errors import InputError, NotTrained
from referee.selection.contrast import get_contrast
from referee.selection.full_brevity import iterate_distinguishing_sets
from referee.systems.brevity_by_example import RememberedSet, SmallestSet, find_distinguishing_masks, spell

ROOM = room(
    "colour:red type:chair size:large x-dimension:1",
    "colour:blue type:chair size:large x-dimension:2",
    "colour:blue type:desk size:small x-dimension:3",
)
VIEW = trial(ROOM).for_speaker()
"""Smallest sets: colour; x-dimension."""

VALUES = st.lists(st.sampled_from("ab"), min_size=5, max_size=5)


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=8))
def test_all_distinguishing_sets_are_listed_smallest_first_in_the_order_of_properties(rows: list[list[str]]) -> None:
    """`selection.full_brevity` lists them by another method, which gives nothing where the target has a double."""
    scene = room(*(" ".join(f"p{i}:{value}" for i, value in enumerate(row)) for row in rows))
    contrast = get_contrast(trial(scene).for_speaker())
    ours = [spell(int(mask), contrast) for mask in find_distinguishing_masks(contrast)]
    theirs = list(iterate_distinguishing_sets(contrast))
    if theirs:
        assert ours == theirs
    else:
        doubles = rows[1:].count(rows[0])
        assert all(contrast.remaining(said).bit_count() == doubles for said in ours)


def test_missing_values_differ() -> None:
    scene = room("type:fan hasBeard:1", "type:fan")
    assert written(SmallestSet().select(trial(scene).for_speaker())) == "hasBeard:1"


def test_there_may_be_more_entities_than_bits_in_a_word() -> None:
    scene = room("type:fan size:large", *(f"type:fan size:s{i}" for i in range(200)))
    assert written(SmallestSet().select(trial(scene).for_speaker())) == "size:large"


def test_a_target_with_too_many_properties_is_refused_not_searched_forever() -> None:
    scene = room(" ".join(f"p{i}:a" for i in range(21)), "p0:b")
    with pytest.raises(InputError, match="21 properties"):
        SmallestSet().select(trial(scene).for_speaker())


def test_the_type_is_not_said_unless_it_is_needed() -> None:
    assert written(SmallestSet().select(VIEW)) == "colour:red"
    assert written(SmallestSet("last").select(VIEW)) == "x-dimension:1"


def test_a_random_smallest_set_depends_on_seed_and_trial_only() -> None:
    views = [trial(ROOM, id=f"t{i}").for_speaker() for i in range(40)]
    drawn = [written(SmallestSet("random", seed=1).select(v)) for v in views]
    assert set(drawn) == {"colour:red", "x-dimension:1"}
    assert drawn == [written(SmallestSet("random", seed=1).select(v)) for v in views]
    assert drawn != [written(SmallestSet("random", seed=2).select(v)) for v in views]


def test_the_submitted_bug_adds_an_attribute_unless_it_was_there_anyway() -> None:
    assert written(SmallestSet(extra=True).select(VIEW)) == "colour:red"
    assert written(SmallestSet("last", extra=True).select(VIEW)) == "x-dimension:1 colour:red"


PAST = [
    trial(ROOM, "type colour", speaker="a"),
    trial(ROOM, "colour size", speaker="a"),
    trial(ROOM, "type colour", speaker="a"),
    trial(ROOM, "x-dimension size", speaker="a"),
    *[trial(ROOM, "type x-dimension", speaker="b") for _ in range(3)],
    *[trial(ROOM, "type", speaker="b") for _ in range(9)],
]


@pytest.mark.parametrize(
    ("memory", "speaker", "expected"),
    [
        (("all",), "a", "type:chair x-dimension:1"),
        (("own", "all"), "a", "colour:red type:chair"),
        (("recent", "own", "all"), "a", "size:large x-dimension:1"),
        (("recent", "own", "all"), "b", "type:chair x-dimension:1"),
        (("own", "all"), "a stranger", "type:chair x-dimension:1"),
    ],
)
def test_sets_are_remembered_by_frequency_or_by_time_and_must_be_distinguishing(
    memory: tuple[str, ...], speaker: str, expected: str
) -> None:
    selector = RememberedSet(memory).fit(PAST)  # type: ignore[arg-type]
    assert written(selector.select(trial(ROOM, speaker=speaker).for_speaker())) == expected


def test_sets_are_remembered_with_their_values() -> None:
    other = room("colour:green type:chair size:large x-dimension:1", "colour:blue type:chair size:large x-dimension:1")
    chosen = RememberedSet(("all",)).fit(PAST).select(trial(other, speaker="a").for_speaker())
    assert chosen == props("colour:green")


@pytest.mark.parametrize(("pick", "expected"), [("first", "colour:red"), ("last", "x-dimension:1")])
def test_as_submitted_a_stranger_gets_a_smallest_set(pick: str, expected: str) -> None:
    selector = RememberedSet(("own", "all"), known_only=True, pick=pick).fit(PAST)  # type: ignore[arg-type]
    assert written(selector.select(trial(ROOM, speaker="a stranger").for_speaker())) == expected
    assert written(selector.select(trial(ROOM, speaker="a").for_speaker())) == "colour:red type:chair"


def test_memories_must_be_made_first() -> None:
    with pytest.raises(NotTrained):
        RememberedSet().select(VIEW)
