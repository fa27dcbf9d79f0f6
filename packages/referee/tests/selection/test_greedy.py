"""The Greedy Heuristic."""

from __future__ import annotations

from statistics import mean

import pytest
from contexts import DOMAINS, dice, props, random_scenes, remaining, scene, tuna, view
from hypothesis import given

from referee.selection.greedy import Greedy


def test_greed_can_be_longer_than_necessary():
    # "big" rules out three and then needs two more; "red" and "round" together do it alone.
    where = scene(
        t="size:big colour:red shape:round",
        **dict.fromkeys("ab", "size:small colour:red shape:square"),
        **dict.fromkeys("cd", "size:small colour:blue shape:round"),
        e="size:big colour:blue shape:round",
        f="size:big colour:red shape:square",
    )
    assert Greedy(head="none").select(view(where, "t")) == props("size:big colour:red shape:round")
    assert remaining(where, props("colour:red shape:round")) == set()


@given(random_scenes())
def test_each_step_is_the_first_that_rules_out_most(where):
    chosen = Greedy(head="none").select(view(where, "t"))
    own = where.entity("t").attributes
    for i, prop in enumerate(chosen):
        left = {p: len(remaining(where, (*chosen[:i], p))) for p in own}
        assert prop == min(own, key=left.__getitem__)
    assert remaining(where, chosen) == remaining(where, own)


@pytest.mark.parametrize(("where", "minimal"), DOMAINS)
def test_greed_finds_the_minimal_descriptions_of_tuna_furniture(where, minimal):
    chosen = Greedy(attributes=("colour", "size", "orientation"), head="none").select(view(where, "t"))
    assert {p.name for p in chosen} == set(minimal.split())


@pytest.mark.data
def test_tuna_furniture(data_folder):
    # Dice .6765, perfect 25.48 %: recomputed independently (tuna_furniture_classic_algorithms_recomputed.csv, GR(+type)).
    selector = Greedy(attributes=("colour", "orientation", "size"))
    pairs = [
        ({p.name for p in selector.select(t.for_speaker())}, {p.name for p in t.references[0].properties})
        for t in tuna(data_folder, "furniture")
    ]
    assert mean(dice(*pair) for pair in pairs) == pytest.approx(0.6765, abs=6e-5)
    assert 100 * mean(a == b for a, b in pairs) == pytest.approx(25.48, abs=6e-3)
