"""Designs are those that were printed, and balanced."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import InputError
from referee.statistics.latin_square import (
    check_latin_squares,
    choose_group_count,
    lay_squares,
    make_cyclic_square,
    make_williams_squares,
)
from referee_lab.study.design.balance import count_carry_over
from referee_lab.study.design.designs import DESIGNS, DesignLayout, Request, lay_out


def _request(items: int, conditions: int, participants: int, seed: int = 1, **more: object) -> Request:
    half = items // 2
    strata = ("furniture",) * half + ("people",) * (items - half)
    names = tuple(f"i{n}" for n in range(items))
    systems = tuple(f"s{n}" for n in range(conditions))
    return Request(items=names, conditions=systems, participants=participants, seed=seed, strata=strata, **more)  # type: ignore[arg-type]


def _domain(item: str, items: int) -> str:
    return "furniture" if int(item[1:]) < items // 2 else "people"


def _pairs(layout: DesignLayout) -> Counter[tuple[str, str]]:
    return Counter(pair for one in layout.lists for pair in one.trials)


# Gatt, Belz & Kow (2008), section on the design of the experiment: 12 levels of SYSTEM, 112 test set items, "8 randomly selected items (4 furniture and
# 4 people) were duplicated, yielding 120 items and 10 12 x 12 latin squares. The items were divided into two sets of 60"; 24 participants.
# Belz & Gatt (2008): "a Repeated Latin Squares design, and involved 30 participants and 2,250 individual trials", 15 systems; 148 test items (Belz & Gatt
# 2007), so 2 duplicates, 10 squares of 15 x 15 and 75 trials each.
PRINTED = [
    pytest.param(12, 112, 24, 8, 2, 60, 1440, id="TUNA 2008"),
    pytest.param(15, 148, 30, 2, 2, 75, 2250, id="ASGRE 2007"),
]


@pytest.mark.parametrize(("systems", "items", "people", "duplicates", "groups", "each", "trials"), PRINTED)
def test_the_printed_designs_come_out(
    systems: int, items: int, people: int, duplicates: int, groups: int, each: int, trials: int
) -> None:
    layout = lay_out("latin", _request(items, systems, people))
    assert len(layout.duplicates) == duplicates
    assert layout.groups == groups
    assert len(layout.lists) == people
    assert {len(one.trials) for one in layout.lists} == {each}
    assert sum(len(one.trials) for one in layout.lists) == trials
    assert (items + duplicates) // systems == 10


@pytest.mark.parametrize(("systems", "items", "people", "duplicates", "groups", "each", "trials"), PRINTED)
def test_each_combination_of_system_and_item_is_allocated_one_trial(
    systems: int, items: int, people: int, duplicates: int, groups: int, each: int, trials: int
) -> None:
    layout = lay_out("latin", _request(items, systems, people))
    twice = set(layout.duplicates)
    assert all(n == (2 if item in twice else 1) for (item, _), n in _pairs(layout).items())
    assert len(_pairs(layout)) == items * systems


def test_of_the_eight_duplicates_of_2008_four_are_furniture_and_four_are_people() -> None:
    for seed in range(5):
        layout = lay_out("latin", _request(112, 12, 24, seed))
        assert Counter(_domain(item, 112) for item in layout.duplicates) == {"furniture": 4, "people": 4}


def test_both_halves_of_2008_have_sixty_items_half_of_each_domain_and_nobody_meets_one_twice() -> None:
    layout = lay_out("latin", _request(112, 12, 24))
    halves = {one.group: {item for item, _ in one.trials} for one in layout.lists}
    assert {g: len(items) for g, items in halves.items()} == {1: 60, 2: 60}
    for items in halves.values():
        assert Counter(_domain(i, 112) for i in items) == {"furniture": 30, "people": 30}
    assert halves[1] & halves[2] == set(layout.duplicates)


def test_without_duplicates_the_lists_pass_the_checks_of_the_statistics() -> None:
    import polars as pl

    layout = lay_out("latin", _request(60, 6, 12))
    rows = [(one.id, item, system) for one in layout.lists for item, system in one.trials]
    frame = pl.DataFrame(rows, schema=["participant", "item", "system"], orient="row")
    assert check_latin_squares(frame) == []


def test_every_square_of_twelve_columns_has_every_system_once_per_row_and_column() -> None:
    layout = lay_out("latin", _request(112, 12, 24))
    for group in (1, 2):
        rows = [one.trials for one in layout.lists if one.group == group]
        for start in range(0, 60, 12):
            square = [row[start : start + 12] for row in rows]
            assert all(len({system for _, system in row}) == 12 for row in square)
            for column in zip(*square, strict=True):
                assert len({item for item, _ in column}) == 1
                assert len({system for _, system in column}) == 12


def test_more_people_than_rows_fill_the_lists_several_times() -> None:
    layout = lay_out("latin", _request(120, 12, 48))
    assert len(layout.lists) == 24, "48 people make four groups, but ten squares share out to two"


def test_with_one_group_a_duplicate_cannot_be_avoided_but_is_in_another_square() -> None:
    squares = lay_squares(3, [None] * 7, 3, Random(1))
    (columns,) = squares.columns
    assert len(squares.duplicates) == 2
    assert all(len(set(columns[n : n + 3])) == 3 for n in (0, 3, 6))


@settings(max_examples=60, deadline=None)
@given(k=st.integers(2, 7), items=st.integers(7, 40), teams=st.integers(1, 4), seed=st.integers(0, 999))
def test_whatever_the_numbers_every_pair_is_seen_equally_often(k: int, items: int, teams: int, seed: int) -> None:
    layout = lay_out("latin", _request(items, k, k * teams, seed))
    twice = set(layout.duplicates)
    assert all(n == (2 if item in twice else 1) for (item, _), n in _pairs(layout).items())
    assert len(_pairs(layout)) == items * k
    assert teams * k % len(layout.lists) == 0
    for one in layout.lists:
        assert len(set(Counter(system for _, system in one.trials).values())) == 1
        if layout.groups > 1:
            assert len({item for item, _ in one.trials}) == len(one.trials)


def test_the_seed_decides_everything() -> None:
    one, same, other = (lay_out("latin", _request(30, 3, 6, seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("k", "people", "words"),
    [(12, 20, "12 or 24"), (3, 2, "3 or 6")],
)
def test_a_wrong_number_of_participants_is_answered_with_right_ones(k: int, people: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        choose_group_count(k, 10, people)


def test_too_few_items_for_one_square_are_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        lay_out("latin", _request(2, 5, 5))


def test_a_cyclic_square_is_latin() -> None:
    for k in (2, 5, 12):
        rng = Random(k)
        square = make_cyclic_square(*(rng.sample(range(k), k) for _ in range(3))).tolist()
        assert all(sorted(line) == list(range(k)) for line in [*square, *zip(*square, strict=True)])


# Williams (1949): for four treatments the rows 1 2 4 3, 2 3 1 4, 3 4 2 1, 4 1 3 2 are balanced for first-order carry-over.
def test_the_square_for_four_is_williams_own() -> None:
    assert make_williams_squares(4) == [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]


@pytest.mark.parametrize("k", range(2, 13))
def test_every_condition_follows_every_other_equally_often(k: int) -> None:
    rows = make_williams_squares(k)
    assert len(rows) == (k if k % 2 == 0 else 2 * k)
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert set(follows.values()) == {len(rows) // k}
    assert len(follows) == k * (k - 1)
    for column in zip(*rows, strict=True):
        assert set(Counter(column).values()) == {len(rows) // k}


@pytest.mark.parametrize(("k", "chunks"), [(2, 4), (3, 3), (3, 5), (4, 4), (5, 5), (6, 6)])
def test_a_williams_design_is_balanced_in_its_trials_and_at_its_seams(k: int, chunks: int) -> None:
    lists = len(make_williams_squares(k))
    layout = lay_out("williams", _request(k * chunks, k, lists))
    follows = count_carry_over(layout.lists)
    assert (chunks - 1) % (k - 1) == 0, "so that all seams can be balanced"
    assert len(set(follows.values())) == 1
    assert len(follows) == k * (k - 1), "no condition follows itself"
    assert set(_pairs(layout).values()) == {lists // k}


def test_seams_that_cannot_be_balanced_differ_by_one_square() -> None:
    layout = lay_out("williams", _request(8, 4, 4))
    follows = count_carry_over(layout.lists)
    assert max(follows.values()) - min(follows.values()) == 1


def test_balanced_lists_show_every_item_once_and_every_pair_once() -> None:
    layout = lay_out("balanced", _request(10, 3, 6))
    assert len(layout.lists) == 3
    assert set(_pairs(layout).values()) == {1}
    for one in layout.lists:
        counts = Counter(system for _, system in one.trials)
        assert max(counts.values()) - min(counts.values()) == 1
        by_domain = Counter((_domain(i, 10), s) for i, s in one.trials)
        assert max(by_domain.values()) - min(by_domain.values()) <= 1


def test_blocks_follow_williams_and_hold_one_condition_each() -> None:
    layout = lay_out("blocked", _request(12, 4, 8))
    assert layout.order == "blocks"
    for one, row in zip(layout.lists, make_williams_squares(4), strict=True):
        systems = [system for _, system in one.trials]
        starts = [sum(one.blocks[:n]) for n in range(4)]
        assert [systems[s] for s in starts] == [f"s{c}" for c in row]
        assert all(len(set(systems[s : s + n])) == 1 for s, n in zip(starts, one.blocks, strict=True))
    assert set(_pairs(layout).values()) == {1}


def test_within_shows_everything_to_everybody() -> None:
    layout = lay_out("within", _request(4, 3, 5))
    assert len(layout.lists) == 1
    assert len(set(layout.lists[0].trials)) == 12


@pytest.mark.parametrize("kind", sorted(set(DESIGNS) - {"all", "within"}))
def test_one_system_is_no_comparison(kind: str) -> None:
    with pytest.raises(InputError, match="at least two"):
        lay_out(kind, _request(4, 1, 4))


def test_unknown_designs_and_no_items_are_refused() -> None:
    with pytest.raises(InputError, match="no design"):
        lay_out("greek", _request(4, 2, 2))
    with pytest.raises(InputError, match="no items"):
        lay_out("latin", _request(0, 2, 2))
