"""The classic algorithms by name: a scene on which they part company."""

from __future__ import annotations

import pytest
from rooms import room, trial

from referee import catalogue
from referee.records import Property
from referee.systems import classics

LAMPS = room(
    "type:lamp colour:red size:large shape:round place:top",
    "type:lamp colour:red size:large shape:square place:top",
    "type:lamp colour:red size:small shape:square place:low",
    "type:lamp colour:blue size:large shape:square place:low",
    "type:lamp colour:blue size:small shape:round place:low",
    "type:lamp colour:green size:small shape:round place:low",
)
"""Ruled out: colour 3 (lamps 3, 4, 5), size 3 (2, 4, 5), shape 3 (1, 2, 3), place 4 (2, 3, 4, 5). Colour and shape together do it, and so do
size and shape, and shape and place."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("full-brevity", "colour shape type"),
        ("greedy", "place shape type"),
        ("incremental", "colour shape size type"),
    ],
)
def test_each_classic_has_its_own_idea_of_a_good_description(name: str, expected: str) -> None:
    """Full Brevity: the first smallest set. Greedy: place first, it rules out most. Incremental: colour, then size helps before shape."""
    said = classics.system(name).describe(trial(LAMPS).for_speaker()).properties or ()
    assert sorted(p.name for p in said) == sorted(expected.split())


def test_learned_frequency_changes_the_order_of_the_incremental_algorithm() -> None:
    training = [trial(LAMPS, "shape place"), trial(LAMPS, "place")]
    said = classics.system("incremental.frequency").fit(training).describe(trial(LAMPS).for_speaker()).properties or ()
    assert [p.name for p in said] == ["place", "shape", "type"]


def test_probabilities_come_on_request_and_sum_to_one() -> None:
    training = [
        trial(LAMPS, "type shape colour"),
        trial(LAMPS, "type shape place colour"),
        trial(LAMPS, "type shape size"),
    ]
    speaker = catalogue.create("system", "classic/pro", distribution=True).fit(training)
    description = speaker.describe(trial(LAMPS).for_speaker())
    assert sum(p for _, p in description.distribution) == pytest.approx(1)
    assert all(Property("type", "lamp") in said for said, _ in description.distribution)
    assert max(description.distribution, key=lambda pair: pair[1])[0] == set(description.properties)
