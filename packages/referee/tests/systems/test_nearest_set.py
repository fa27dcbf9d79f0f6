"""The nearest set: pools, likeness and tie-breaks on a room with a man and two others."""

from __future__ import annotations

import numpy as np
import pytest
from rooms import room, trial, written

from referee.errors import NotTrained
from referee.records import Trial
from referee.systems.nearest_set import NearestSet, _compute_likeness

ROOM = room(
    "type:person hasBeard:1 hasGlasses:0 hairColour:dark x-dimension:1",
    "type:person hasBeard:0 hasGlasses:1 hairColour:dark x-dimension:2",
    "type:person hasBeard:0 hasGlasses:1 hairColour:light x-dimension:3",
)
"""Alone enough: hasBeard, hasGlasses, x-dimension."""
GLASSES = room("type:person hasBeard:0 hasGlasses:1 hairColour:dark x-dimension:1", "type:person hasGlasses:0")


def people(scene_said: dict[str, list[tuple[int, str]]]) -> list[Trial]:
    scenes = (ROOM, GLASSES)
    return [
        trial(scenes[which], said, domain="people", speaker=speaker)
        for speaker, sets in scene_said.items()
        for which, said in sets
    ]


def choose(selector: NearestSet, speaker: str) -> str:
    return written(selector.select(trial(ROOM, domain="people", speaker=speaker).for_speaker()))


def test_a_speaker_is_imitated_attribute_by_attribute() -> None:
    selector = NearestSet(then=()).fit(people({"a": [(0, "type hasBeard")], "b": [(0, "type x-dimension")]}))
    assert choose(selector, "a") == "type:person hasBeard:1"
    assert choose(selector, "b") == "type:person x-dimension:1"


def test_having_glasses_is_not_the_same_as_having_none() -> None:
    """The speaker named the glasses of somebody who wears some. By name that calls for "no glasses" here; as marks or pairs it does not."""
    habit = people({"a": [(1, "type hasGlasses")]})
    assert choose(NearestSet(match="names", then=()).fit(habit), "a") == "type:person hasGlasses:0"
    for match in ("marks", "pairs"):
        selector = NearestSet(match=match, then=("shortest",)).fit(habit)  # type: ignore[arg-type]
        assert choose(selector, "a") == "type:person hasBeard:1"


def test_names_carry_over_to_other_values_and_pairs_do_not() -> None:
    """Said of another target: hair is dark there as here, the place is 1 in both rooms; type and beard make the difference."""
    elsewhere = room(
        "type:person hasBeard:1 hairColour:light x-dimension:5", "type:person hasBeard:1 hairColour:light x-dimension:4"
    )
    habit = [trial(elsewhere, "x-dimension type", domain="people", speaker="a")]
    assert choose(NearestSet(then=()).fit(habit), "a") == "type:person x-dimension:1"
    by_pairs = NearestSet(match="pairs", then=("shortest",)).fit(habit)
    assert choose(by_pairs, "a") == "type:person hasBeard:1"


def test_a_similar_speaker_lends_his_sets() -> None:
    """a and b agree on one set (mean Dice to b (1 + 0) / 2), a and c share only the type (2/5)."""
    training = people(
        {
            "a": [(1, "type hasGlasses")],
            "b": [(1, "type hasGlasses"), (0, "hasBeard hairColour")],
            "c": [(0, "type x-dimension hairColour")],
        }
    )
    alone, with_friend = NearestSet(then=()), NearestSet(similar=1, then=())
    assert len(alone.fit(training).pool(trial(ROOM, domain="people", speaker="a").for_speaker())) == 1
    assert choose(with_friend.fit(training), "a") == "hasBeard:1 hairColour:dark"


def test_likeness_is_the_mean_dice_over_all_pairs_of_sets() -> None:
    """By hand: {x} with {x, y} 2/3, with {z} 0: mean 1/3; {x, y} with itself 1, with {z} 0, {z} with itself 1: mean 2/4."""
    expected = [[1.0, 1 / 3], [1 / 3, 0.5]]
    assert np.allclose(_compute_likeness([[["x"]], [["x", "y"], ["z"]]]), expected)


def test_a_stranger_is_taken_for_the_speaker_most_like_everybody_else() -> None:
    training = people(
        {
            "odd": [(0, "x-dimension")],
            "b": [(0, "type hasBeard")],
            "c": [(0, "type hasBeard hairColour")],
            "d": [(0, "type hasBeard")],
        }
    )
    assert choose(NearestSet(then=()).fit(training), "a stranger") == "type:person hasBeard:1"


def test_ties_go_to_the_shortest_then_the_most_typical_then_the_most_frequent() -> None:
    """Nobody has ever said anything true here: all sets tie. Of the three sets of size one the most frequent attribute wins."""
    elsewhere = room("hairColour:light x-dimension:5", "hairColour:light x-dimension:4")
    training = [
        trial(elsewhere, "hairColour", domain="people", speaker="a"),
        trial(elsewhere, "x-dimension", domain="people", speaker="b"),
    ]
    by_pairs = NearestSet(match="pairs", then=("shortest", "typical", "frequent")).fit(training)
    assert choose(by_pairs, "a") == "x-dimension:1"
    without_counts = NearestSet(match="pairs", then=("shortest", "typical")).fit(training)
    assert choose(without_counts, "a") == "hasBeard:1"


def test_typical_is_what_is_most_like_the_other_sets_that_tie() -> None:
    selector = NearestSet(match="pairs", then=("typical",)).fit(people({"a": [(1, "hasGlasses")]}))
    chosen = choose(selector, "a").split()
    assert {"hasBeard:1", "hasGlasses:0", "x-dimension:1"} <= set(chosen)


def test_mean_similarity_looks_at_the_whole_pool() -> None:
    """Pool {type, beard}, {type, x}. Highest: either set reaches 1. Mean: either has (1 + 1/2) / 2, {type, beard, x} has (4/5 + 4/5) / 2."""
    training = people({"a": [(0, "type hasBeard"), (0, "type x-dimension")]})
    assert choose(NearestSet(then=()).fit(training), "a") == "type:person hasBeard:1"
    mean = NearestSet(nearest="mean", then=()).fit(training)
    assert choose(mean, "a") == "type:person hasBeard:1 x-dimension:1"


def test_random_ties_depend_on_seed_and_trial_only() -> None:
    training = people({"a": [(0, "type hasBeard"), (0, "type x-dimension")]})
    views = [trial(ROOM, id=f"t{i}", domain="people", speaker="a").for_speaker() for i in range(30)]
    drawn = [written(NearestSet(seed=3).fit(training).select(v)) for v in views]
    assert set(drawn) == {"type:person hasBeard:1", "type:person x-dimension:1"}
    assert drawn == [written(NearestSet(seed=3).fit(training).select(v)) for v in views]


def test_in_a_domain_nobody_talked_about_the_tie_breaks_decide() -> None:
    selector = NearestSet(then=("shortest",)).fit(people({"a": [(0, "type")]}))
    view = trial(ROOM, domain="tangrams", speaker="a").for_speaker()
    assert written(selector.select(view)) == "hasBeard:1"


def test_speakers_must_be_heard_first() -> None:
    with pytest.raises(NotTrained):
        choose(NearestSet(), "a")
