"""Orders keep their limits where they can, and say where they cannot."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from referee_lab.study.design.sequence import OrderLimits, Showing, arrange, find_broken_limits


def _showings(items: int, conditions: int, targets: int) -> list[Showing]:
    return [Showing(item=f"i{n}", condition=f"s{n % conditions}", target=n % targets) for n in range(items)]


def test_limits_are_kept_for_many_seeds() -> None:
    showings = _showings(60, 3, 7)
    for seed in range(20):
        order = arrange(showings, OrderLimits(), Random(seed))
        assert sorted(order) == list(range(60))
        targets = [showings[i].target for i in order]
        assert all(a != b for a, b in pairwise(targets))
        systems = [showings[i].condition for i in order]
        assert all(len(set(systems[n : n + 3])) > 1 for n in range(58))


def test_an_item_that_comes_twice_comes_far_apart() -> None:
    showings = [Showing(item=f"i{n % 30}", condition=f"s{n % 4}") for n in range(60)]
    for seed in range(5):
        order = arrange(showings, OrderLimits(same_item_apart=10), Random(seed))
        places: dict[str, int] = {}
        for place, i in enumerate(order):
            item = showings[i].item
            assert place - places.get(item, -100) > 10
            places[item] = place


def test_blocks_stay_blocks() -> None:
    showings = _showings(12, 3, 5)
    order = arrange(showings, OrderLimits(), Random(1), blocks=[4, 4, 4])
    assert [sorted(order[n : n + 4]) for n in (0, 4, 8)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_what_cannot_be_kept_is_counted() -> None:
    same = [Showing(item=f"i{n}", condition="a", target="x") for n in range(4)] + [Showing(item="j", condition="b")]
    order = arrange(same, OrderLimits(), Random(1))
    assert find_broken_limits(order, same, OrderLimits())


def test_a_single_condition_is_no_reason_to_complain() -> None:
    showings = [Showing(item=f"i{n}", condition="") for n in range(6)]
    assert find_broken_limits(range(6), showings, OrderLimits(same_condition_at_most=1)) == []


def test_orders_differ_between_seeds_and_not_within_one() -> None:
    showings = _showings(20, 2, 20)
    assert arrange(showings, OrderLimits(), Random(1)) == arrange(showings, OrderLimits(), Random(1))
    assert arrange(showings, OrderLimits(), Random(1)) != arrange(showings, OrderLimits(), Random(2))
