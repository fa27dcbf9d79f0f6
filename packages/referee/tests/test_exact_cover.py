"""Exact search over small problems, against enumeration; time limits; the switch to the compiled search."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import exact_cover
from referee.exact_cover import (
    count_smallest_cover,
    find_cheapest_cover,
    find_greedy_cover,
    find_smallest_cover,
    find_uncoverable,
    iterate_covers,
)

KEEPS = st.lists(st.integers(0, 255), max_size=7)


def left_after(keeps: list[int], chosen: tuple[int, ...], left: int) -> int:
    return find_uncoverable([keeps[i] for i in chosen], left)


def every_choice(keeps: list[int]) -> list[tuple[int, ...]]:
    return [c for size in range(len(keeps) + 1) for c in combinations(range(len(keeps)), size)]


@given(KEEPS, st.integers(0, 255))
def test_the_smallest_cover_is_the_first_of_the_smallest(keeps, left):
    found = find_smallest_cover(keeps, left)
    goal = find_uncoverable(keeps, left)
    assert found.chosen == next(c for c in every_choice(keeps) if left_after(keeps, c, left) == goal)
    assert found.cost == len(found.chosen)
    assert found.proven


@given(
    KEEPS.flatmap(
        lambda keeps: st.tuples(st.just(keeps), st.lists(st.integers(0, 3), min_size=len(keeps), max_size=len(keeps)))
    ),
    st.integers(0, 255),
)
def test_the_cheapest_cover_is_as_cheap_as_enumeration_finds(problem, left):
    keeps, costs = problem
    found = find_cheapest_cover(keeps, costs, left)
    goal = find_uncoverable(keeps, left)
    least = min(sum(costs[i] for i in c) for c in every_choice(keeps) if left_after(keeps, c, left) == goal)
    assert found.cost == least == sum(costs[i] for i in found.chosen)
    assert left_after(keeps, found.chosen, left) == goal


def test_free_sets_that_come_first_are_kept_even_if_they_are_idle():
    idle, enough = 0b11, 0b00
    assert find_cheapest_cover([idle, enough], [0.0, 1.0], 0b11).chosen == (0, 1)
    assert find_cheapest_cover([enough, idle], [1.0, 0.0], 0b11).chosen == (0,)


@pytest.mark.parametrize("cost", [-1.0, float("inf"), float("nan")])
def test_costs_that_are_negative_or_not_finite_are_refused(cost):
    with pytest.raises(ValueError, match="finite and not negative"):
        find_cheapest_cover([0], [cost], 1)


@given(KEEPS, st.integers(0, 255))
def test_greed_covers_all_that_can_be_covered(keeps, left):
    assert left_after(keeps, find_greedy_cover(keeps, [1.0] * len(keeps), left), left) == find_uncoverable(keeps, left)


@given(st.lists(st.integers(0, 15), max_size=5), st.integers(0, 15))
def test_all_covers_are_exactly_those_that_leave_nothing(keeps, left):
    assert list(iterate_covers(keeps, left)) == [c for c in every_choice(keeps) if not left_after(keeps, c, left)]


@given(st.lists(st.integers(0, 31), max_size=6), st.integers(0, 31))
def test_fewest_is_what_enumeration_finds(keeps: list[int], left: int) -> None:
    def leaves_nobody(part: tuple[int, ...]) -> bool:
        return not any(left >> i & 1 and all(e >> i & 1 for e in part) for i in range(5))

    sizes = (k for k in range(len(keeps) + 1) for part in combinations(keeps, k) if leaves_nobody(part))
    assert count_smallest_cover(keeps, left) == next(sizes, None)


def hard_problem() -> tuple[list[int], int]:
    """Thirty random sets over 600 distractors: too much for an instant."""
    rng = Random(5)
    return [sum(1 << i for i in range(600) if rng.random() < 0.5) for _ in range(30)], (1 << 600) - 1


@pytest.mark.parametrize("costs", [None, [1.0 + i % 3 for i in range(30)]])
def test_out_of_time_the_best_found_comes_back_unproven(monkeypatch, costs):
    monkeypatch.setattr(exact_cover, "LARGE", 10**9)
    keeps, left = hard_problem()
    found = (
        find_smallest_cover(keeps, left, seconds=0.0)
        if costs is None
        else find_cheapest_cover(keeps, costs, left, seconds=0.0)
    )
    assert not found.proven
    assert left_after(keeps, found.chosen, left) == 0


def test_large_problems_are_searched_size_after_size(monkeypatch):
    keeps, left = hard_problem()
    keeps, left = [k & (1 << 300) - 1 for k in keeps[:12]], left & (1 << 300) - 1
    monkeypatch.setattr(exact_cover, "LARGE", 0)
    found = find_smallest_cover(keeps, left)
    assert found.proven
    assert left_after(keeps, found.chosen, left) == find_uncoverable(keeps, left)
