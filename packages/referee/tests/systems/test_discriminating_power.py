"""Quotients of contrast and weighted power, worked out by hand."""

from __future__ import annotations

import pytest
from rooms import room, trial, written

from referee.errors import NotTrained
from referee.systems.discriminating_power import ContrastQuotient, WeightedPower

ROOM = room(
    "type:chair colour:red size:large orientation:left",
    "type:chair colour:blue size:small orientation:left",
    "type:chair colour:blue size:small orientation:left",
    "type:chair colour:red size:large orientation:right",
)
VIEW = trial(ROOM).for_speaker()


def test_the_list_is_walked_even_over_what_no_longer_tells_anything() -> None:
    """Quotients 4 · (2 · ruled out - 3): colour 4, size 4, orientation -4."""
    assert written(ContrastQuotient().select(VIEW)) == "type:chair colour:red size:large orientation:left"


def test_updated_quotients_skip_what_rules_out_nobody_who_is_left() -> None:
    assert written(ContrastQuotient(updated=True).select(VIEW)) == "type:chair colour:red orientation:left"


def test_taste_settles_ties_and_can_overrule_a_quotient() -> None:
    assert written(ContrastQuotient({"size": 1}).select(VIEW)).startswith("type:chair size:large colour:red")
    liked = ContrastQuotient({"orientation": 9})  # -4 + 9 > 4
    assert written(liked.select(VIEW)) == "type:chair orientation:left colour:red"
    by_value = ContrastQuotient({"orientation:left": 9, "orientation": 0})
    assert written(by_value.select(VIEW)) == "type:chair orientation:left colour:red"


def test_learned_preference_is_the_share_of_mentions_on_the_scale_of_the_quotients() -> None:
    """Shares: orientation 1, size .5. With scale 1 the highest quotient is 4 · 3 = 12: orientation -4 + 12, size 4 + 6, colour 4."""
    training = [trial(ROOM, "orientation size"), trial(ROOM, "orientation")]
    assert written(ContrastQuotient(scale=1.0).fit(training).select(VIEW)) == "type:chair size:large orientation:left"
    assert written(ContrastQuotient(scale=2.0).fit(training).select(VIEW)) == "type:chair orientation:left size:large"


SHARES = [trial(ROOM, said) for said in ("orientation", "orientation", "orientation colour", "size", "type")]


def test_power_is_weighed_by_mention() -> None:
    """Ruled out · share: colour 2 · 1/5, size 2 · 1/5, orientation 1 · 3/5. Orientation first, then colour (before size in the room)."""
    chosen = WeightedPower().fit(SHARES).select(VIEW)
    assert written(chosen) == "type:chair orientation:left colour:red"


def test_relative_weight_counts_only_rooms_where_the_attribute_would_have_helped() -> None:
    """A room where orientation is all alike adds to its mentions, not to its chances: 1 · 4/5 against size 2 · 3/6 (colour 2 · 1/5)."""
    alike = room(
        "type:chair colour:red size:large orientation:left", "type:chair colour:red size:small orientation:left"
    )
    training = [*SHARES, trial(alike, "orientation size")]
    scores = WeightedPower("relative").fit(training)
    assert scores.chances_["furniture", "orientation"] == 5
    assert scores.chances_["furniture", "size"] == 6
    assert written(scores.select(VIEW)) == "type:chair orientation:left size:large"
    absolute = WeightedPower("absolute").fit(
        training
    )  # orientation 1 · 4/6, size 2 · 2/6, a tie: size comes first in the room
    assert written(absolute.select(VIEW)) == "type:chair size:large orientation:left"


def test_redundancy_says_one_attribute_more_than_needed() -> None:
    chosen = WeightedPower(plus="redundancy").fit(SHARES).select(VIEW)
    assert written(chosen) == "type:chair orientation:left colour:red size:large"


def test_attributes_that_are_said_together_attract_each_other() -> None:
    """Eleven trials. Scores: orientation 9/11, colour 2 · 4/11, size 2 · 3/11.

    Once orientation is said, colour counts (2/11) / (9/11 · 4/11) = 22/36 as much, and size (3/11) / (9/11 · 3/11) = 11/9.
    """
    said = 3 * ["orientation size"] + 2 * ["orientation colour"] + 4 * ["orientation"] + 2 * ["colour"]
    training = [trial(ROOM, words) for words in said]
    assert written(WeightedPower().fit(training).select(VIEW)) == "type:chair orientation:left colour:red"
    attracted = WeightedPower(plus="dependency").fit(training)
    assert attracted._compute_dependency("colour", "orientation", VIEW) == pytest.approx(22 / 36)
    assert attracted._compute_dependency("size", "orientation", VIEW) == pytest.approx(11 / 9)
    assert written(attracted.select(VIEW)) == "type:chair orientation:left size:large"


@pytest.mark.parametrize("selector", [ContrastQuotient(scale=1.0), WeightedPower()])
def test_what_is_learned_must_be_learned_first(selector: WeightedPower) -> None:
    with pytest.raises(NotTrained):
        selector.select(VIEW)
