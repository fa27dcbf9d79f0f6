"""What properties cost."""

from __future__ import annotations

from itertools import combinations
from math import inf

import pytest
from contexts import scene, trial, tuna, view
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import NotTrained
from referee.records import Property
from referee.selection.costs import FrequencyCosts, KMeansCosts, LevelCosts, StochasticCosts, UnitCosts, find_clusters

ROOM = scene(t="type:cup colour:red size:big", a="type:jug colour:blue size:small")
TRIALS = [trial(ROOM, said) for said in ("type:cup colour:red", "type:cup", "type:cup colour:red size:big", "type:cup")]
HERE = view(ROOM, "t")


def test_unit_costs_are_one():
    assert UnitCosts().cost(Property("colour", "red"), HERE) == 1


def test_a_pair_goes_before_its_attribute_and_the_rest_costs_one():
    people = view(ROOM, "t", domain="people")
    costs = {
        text: LevelCosts().cost(Property(*text.split(":")), people)
        for text in ("hasBeard:1", "hasBeard:0", "hasTie:1", "age:old")
    }
    assert costs == {"hasBeard:1": 0, "hasBeard:0": 1, "hasTie:1": 2, "age:old": 1}


def test_stochastic_costs_are_rounded_surprise_times_ten_and_capped():
    costs = StochasticCosts(cap=50).fit(TRIALS)
    assert costs.cost(Property("type", "cup"), HERE) == 0
    assert costs.cost(Property("colour", "red"), HERE) == 10
    assert costs.cost(Property("size", "big"), HERE) == 20
    assert costs.cost(Property("size", "small"), HERE) == 50
    assert StochasticCosts(free=("size:big",)).fit(TRIALS).cost(Property("size", "big"), HERE) == 0


def test_frequency_costs_look_at_the_name_only():
    costs = FrequencyCosts(cap=7).fit(TRIALS)
    assert costs.cost(Property("colour", "green"), HERE) == 1
    assert costs.cost(Property("shape", "round"), HERE) == 7


def test_k_means_costs_put_frequent_properties_at_zero_and_unseen_ones_at_one():
    costs = KMeansCosts(k=3).fit(TRIALS)
    assert [costs.cost(Property(*p.split(":")), HERE) for p in ("type:cup", "colour:red", "size:big")] == [0, 1, 2]
    assert costs.cost(Property("shape", "round"), HERE) == 1


@pytest.mark.parametrize("costs", [FrequencyCosts(), StochasticCosts(), KMeansCosts()], ids=lambda c: type(c).__name__)
def test_learned_costs_need_training(costs):
    with pytest.raises(NotTrained):
        costs.cost(Property("colour", "red"), HERE)


def spread(numbers: list[float]) -> float:
    return sum((x - sum(numbers) / len(numbers)) ** 2 for x in numbers)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 4))
def test_clusters_minimise_the_spread(numbers, k):
    ordered = sorted(numbers, reverse=True)
    found = find_clusters(ordered, k)
    k = min(k, len(set(ordered)))
    assert found == sorted(found)
    assert set(found) == set(range(k))
    least = inf
    for cuts in combinations(range(1, len(ordered)), k - 1):
        parts = [ordered[i:j] for i, j in zip((0, *cuts), (*cuts, len(ordered)), strict=True)]
        least = min(least, sum(map(spread, parts)))
    assert sum(spread([x for x, c in zip(ordered, found, strict=True) if c == i]) for i in range(k)) == pytest.approx(
        least
    )


@pytest.mark.data
def test_stochastic_costs_of_the_released_corpus(data_folder):
    # 10 · round(-log2 prior, 1) of the public release, computed independently from the learned-RSA logs.
    furniture = tuna(data_folder, "furniture")
    costs = StochasticCosts().fit(furniture)
    expected = {
        "colour:blue": 2,
        "colour:grey": 3,
        "orientation:back": 12,
        "orientation:left": 23,
        "size:small": 14,
        "size:large": 18,
    }
    assert {p: round(costs.cost(Property(*p.split(":")), furniture[0].for_speaker()), 6) for p in expected} == expected


@pytest.mark.data
def test_two_clusters_make_the_hand_picked_properties_of_furniture_free(data_folder):
    # Type and colour are the properties that Krahmer et al. (2008) made free by hand.
    costs = KMeansCosts().fit(tuna(data_folder, "furniture"))
    assert {p.name for p, level in costs.levels_[("furniture",)].items() if level == 0} == {"type", "colour"}
