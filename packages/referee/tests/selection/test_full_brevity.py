"""Full Brevity: as short as can be, and proven so."""

from __future__ import annotations

from statistics import mean

import pytest
from contexts import DOMAINS, dice, props, random_scenes, remaining, scene, subsets, tuna, view
from hypothesis import given

from referee.selection.contrast import get_contrast
from referee.selection.full_brevity import FullBrevity, iterate_distinguishing_sets


@given(random_scenes())
def test_no_shorter_set_rules_out_as_many_and_the_first_of_equals_wins(where):
    found = FullBrevity(head="none").search(view(where, "t"))
    fewest = min(len(remaining(where, chosen)) for chosen in subsets(where))
    expected = next(chosen for chosen in subsets(where) if len(remaining(where, chosen)) == fewest)
    assert found.properties == expected
    assert found.distinguishing is (fewest == 0)
    assert found.proven


@given(random_scenes())
def test_distinguishing_sets_are_all_of_them_shortest_first(where):
    found = list(iterate_distinguishing_sets(get_contrast(view(where, "t"))))
    assert found == [chosen for chosen in subsets(where) if not remaining(where, chosen)]


@pytest.mark.parametrize(("where", "minimal"), DOMAINS)
def test_minimal_descriptions_of_tuna_furniture(where, minimal):
    chosen = FullBrevity(attributes=("colour", "size", "orientation"), head="none").select(view(where, "t"))
    assert {p.name for p in chosen} == set(minimal.split())


def test_a_type_said_first_is_free_and_narrows_down_the_rest():
    where = scene(t="type:cup colour:red size:big", a="type:jug colour:red size:big", b="type:cup colour:blue size:big")
    assert FullBrevity(head="first").search(view(where, "t")).properties == props("type:cup colour:red")
    assert FullBrevity(head="first").search(view(where, "t")).cost == 1


def test_a_type_added_last_was_no_help():
    where, _ = DOMAINS[0]
    assert FullBrevity(head="last").select(view(where, "t")) == props("colour:grey type:desk")


@pytest.mark.data
@pytest.mark.parametrize(
    ("selector", "expected", "perfect"),
    # tuna_furniture_classic_algorithms_recomputed.csv: FB(+type) and FB(type as simple attr), subset "all".
    [
        (FullBrevity(attributes=("colour", "orientation", "size")), 0.6765, 25.48),
        (FullBrevity(attributes=("type", "colour", "orientation", "size"), head="none"), 0.4177, 0.95),
    ],
)
def test_tuna_furniture(data_folder, selector, expected, perfect):
    pairs = [
        ({p.name for p in selector.select(t.for_speaker())}, {p.name for p in t.references[0].properties})
        for t in tuna(data_folder, "furniture")
    ]
    assert mean(dice(*pair) for pair in pairs) == pytest.approx(expected, abs=6e-5)
    assert 100 * mean(a == b for a, b in pairs) == pytest.approx(perfect, abs=6e-3)
