"""The order of one person's trials: random, within limits on neighbouring trials.

Limits: a maximal run of one condition; a minimal distance between two showings of one item; no picture is the target in
two successive trials; no two successive items of a family. Random exchanges repair a shuffle and never make it worse.
If the limits cannot all be met, the best order is used and its violations are reported.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from random import Random

# A plan is made while a participant waits for the first page.
TRIES_PER_TRIAL = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """The properties of a trial that the limits compare."""

    item: str
    condition: str
    target: Hashable = None
    family: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderLimits:
    """The limits on neighbouring trials."""

    same_condition_at_most: int = 2
    same_item_apart: int = 10


def arrange(showings: Sequence[Showing], limits: OrderLimits, rng: Random, blocks: Sequence[int] = ()) -> list[int]:
    """Return an order of the showings as indices.

    With `blocks` (sizes, in order), trials stay within their block.
    """
    order: list[int] = []
    for size in blocks or [len(showings)]:
        start = len(order)
        order += rng.sample(range(start, start + size), size)
    block = [number for number, size in enumerate(blocks or [len(showings)]) for _ in range(size)]
    _repair_order(order, showings, limits, rng, block)
    return order


def find_broken_limits(
    order: Sequence[int], showings: Sequence[Showing], limits: OrderLimits, blocked: bool = False
) -> list[int]:
    """Return the indexes at which a limit is broken. A single condition and blocks may repeat freely.

    A single condition, or conditions in blocks, may go on as long as they like.
    """
    conditions = not blocked and len({s.condition for s in showings}) > 1
    # Where every item comes once, as in most designs, there is nothing to keep apart.
    again = len({s.item for s in showings}) < len(showings)
    apart = limits if again else replace(limits, same_item_apart=0)
    return [i for i in range(len(order)) if _is_broken(i, order, showings, apart, conditions)]


def _is_broken(
    i: int, order: Sequence[int], showings: Sequence[Showing], limits: OrderLimits, conditions: bool
) -> bool:
    """Return whether the trial at an index breaks a limit with the trials before it."""
    here = showings[order[i]]
    if i and here.target is not None and showings[order[i - 1]].target == here.target:
        return True
    if i and here.family is not None and showings[order[i - 1]].family == here.family:
        return True
    run = limits.same_condition_at_most
    if conditions and i >= run and all(showings[order[i - j]].condition == here.condition for j in range(1, run + 1)):
        return True
    return any(showings[order[j]].item == here.item for j in range(max(0, i - limits.same_item_apart), i))


def _repair_order(
    order: list[int], showings: Sequence[Showing], limits: OrderLimits, rng: Random, block: Sequence[int]
) -> None:
    """Exchange a trial that breaks a limit with another of its block, unless that makes the order worse."""
    members: dict[int, list[int]] = {}
    for place, number in enumerate(block):
        members.setdefault(number, []).append(place)
    blocked = len(members) > 1
    broken = find_broken_limits(order, showings, limits, blocked)
    for _ in range(TRIES_PER_TRIAL * len(order)):
        if not broken:
            return
        i = rng.choice(broken)
        j = rng.choice(members[block[i]])
        order[i], order[j] = order[j], order[i]
        now = find_broken_limits(order, showings, limits, blocked)
        # Equally good ones are kept, too: they let the search move on where no single exchange helps.
        if len(now) <= len(broken):
            broken = now
        else:
            order[i], order[j] = order[j], order[i]
