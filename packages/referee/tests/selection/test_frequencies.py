"""Counting what speakers mention."""

from __future__ import annotations

import pytest
from contexts import scene, trial, tuna, view

from referee.records import Property
from referee.selection.frequencies import count, count_by_group

ROOM = scene(t="type:cup colour:red size:big", a="type:jug colour:red size:small")
TRIALS = [
    trial(ROOM, "type:cup colour:red", domain="home", condition="+"),
    trial(ROOM, "colour:red", domain="home", condition="-"),
    trial(ROOM, "colour:blue size:small size:small", domain="home", condition="-"),
    trial(ROOM, "size:small", target="a", domain="work", condition="+"),
]


def test_a_name_counts_once_per_description_whatever_its_value():
    seen = count(TRIALS)
    assert seen.descriptions == 4
    assert seen.mentions == {"type": 1, "colour": 3, "size": 2}
    assert seen.share("colour") == 0.75


def test_a_prior_is_mentions_where_the_pair_was_true():
    seen = count(TRIALS)
    assert seen.prior(Property("colour", "red")) == 2 / 4
    assert seen.prior(Property("size", "small")) == 1 / 1, "said of a big cup it does not count"
    assert seen.prior(Property("colour", "green")) is None


def test_order_is_by_falling_count_and_first_encounter():
    assert count(TRIALS[:2]).order == ("colour", "type", "size")


def test_no_descriptions_give_no_share_rather_than_zero():
    assert count([]).share("colour") is None
    assert count([]).order == ()


def test_a_group_never_seen_falls_back_on_wider_ones():
    grouped = count_by_group(TRIALS, ("domain", "condition"))
    assert grouped.of(TRIALS[0]).descriptions == 1
    assert grouped.of(view(ROOM, "t", domain="home")).descriptions == 3, "no such condition: the domain"
    assert grouped.of(view(ROOM, "t", domain="moon")).descriptions == 4, "no such domain: everything"
    assert grouped.overall.descriptions == 4


@pytest.mark.data
@pytest.mark.parametrize(
    ("domain", "name", "share"),
    # Shares of the 420 + 360 singular descriptions of the public release that mention an attribute truly; computed
    # independently from the predictions logged by the learned-RSA project.
    [
        *(("furniture", "type", 0.924), ("furniture", "colour", 0.850), ("furniture", "y-dimension", 0.336)),
        *(("furniture", "size", 0.324), ("furniture", "orientation", 0.274), ("furniture", "x-dimension", 0.260)),
        *(("people", "type", 0.831), ("people", "hasBeard", 0.419), ("people", "hasGlasses", 0.397)),
        *(("people", "hairColour", 0.294), ("people", "hasHair", 0.136)),
    ],
)
def test_shares_in_the_released_corpus(data_folder, domain, name, share):
    assert count(tuna(data_folder, domain)).share(name) == pytest.approx(share, abs=0.0006)


@pytest.mark.data
def test_priors_in_the_released_corpus(data_folder):
    # The same source: prior of pairs in the public release.
    seen = count(tuna(data_folder, "furniture"))
    expected = {
        "type:fan": 0.967,
        "colour:blue": 0.892,
        "colour:grey": 0.800,
        "orientation:back": 0.433,
        "size:small": 0.383,
    }
    assert {p: round(seen.prior(Property(*p.split(":"))), 3) for p in expected} == expected
