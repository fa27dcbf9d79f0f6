"""Is the design balanced? Every claim is counted from lists.json itself, whatever made it; what does not hold is said with the first case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from referee.studies.folder import Study, StudyList

__all__ = ["Claim", "carry_over", "count_of", "prove_balance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence about the design, whether it holds, what was counted, and whether the design promises it."""

    sentence: str
    holds: bool
    counted: str
    promised: bool = True


def prove_balance(study: Study) -> list[Claim]:
    """The claims a balanced design makes, each counted; those that this kind of design does not promise are marked so."""
    lists, kind = study.lists, study.design["kind"]
    conditions = sorted({condition for one in lists for _, condition in one.trials})
    return [
        _equal_lists(lists),
        *_each_item(lists, conditions),
        *_within_lists(lists, conditions),
        _nobody_twice(lists, kind, bool(study.design["duplicates"]), study.design["groups"]),
        _whole_participants(study),
        *_order(lists, conditions, kind),
    ]


def _equal_lists(lists: Sequence[StudyList]) -> Claim:
    sizes = sorted({len(one.trials) for one in lists})
    return Claim(
        sentence="every list has the same number of trials",
        holds=len(sizes) == 1,
        counted=f"{count_of(len(lists), 'list')} of {' to '.join(map(str, sizes[:: len(sizes) - 1 or 1]))} trials",
    )


def _each_item(lists: Sequence[StudyList], conditions: Sequence[str]) -> Iterator[Claim]:
    """Over all lists, an item is seen with every condition equally often."""
    seen = Counter(pair for one in lists for pair in one.trials)
    items = sorted({item for item, _ in seen})
    uneven = [i for i in items if len({seen[i, c] for c in conditions}) > 1]
    often = sorted({seen[i, c] for i in items for c in conditions})
    first = f"; first: {uneven[0]}" if uneven else ""
    yield Claim(
        sentence="every item is seen with every condition equally often",
        holds=not uneven,
        counted=f"{len(items)} items x {len(conditions)} conditions, each pair {_numbers(often)} over the lists{first}",
    )


def _within_lists(lists: Sequence[StudyList], conditions: Sequence[str]) -> Iterator[Claim]:
    counts = {one.id: Counter(condition for _, condition in one.trials) for one in lists}
    spread = {name: max(c[x] for x in conditions) - min(c[x] for x in conditions) for name, c in counts.items()}
    most = max(spread.values())
    often = sorted({c[x] for c in counts.values() for x in conditions})
    # where items are no multiple of the conditions, a difference of one cannot be avoided
    slack = 0 if all(len(one.trials) % len(conditions) == 0 for one in lists) else 1
    yield Claim(
        sentence="every list has every condition equally often"
        + (" (give or take one: items are no multiple of conditions)" if slack else ""),
        holds=most <= slack,
        counted=f"each condition {_numbers(often)} in a list",
    )


def _nobody_twice(lists: Sequence[StudyList], kind: str, filled: bool, groups: int) -> Claim:
    """Seeing an item twice is the plan in a within design, and cannot be avoided where duplicates find no second group."""
    again = {one.id: sum(n - 1 for n in Counter(item for item, _ in one.trials).values()) for one in lists}
    most = max(again.values())
    return Claim(
        sentence="nobody meets an item twice",
        holds=most == 0,
        counted=f"at most {most} items again in one list" if most else "no item twice in any list",
        promised=kind != "within" and not (filled and groups == 1),
    )


def _whole_participants(study: Study) -> Claim:
    left = study.participants % len(study.lists)
    return Claim(
        sentence="every list is filled by equally many participants",
        holds=left == 0,
        counted=f"{study.participants} participants on {count_of(len(study.lists), 'list')}"
        + (f", {left} left over" if left else f", {study.participants // len(study.lists)} each"),
    )


def carry_over(lists: Sequence[StudyList]) -> Counter[tuple[str, str]]:
    """How often one condition directly follows another, in the order of the lists."""
    return Counter((a[1], b[1]) for one in lists for a, b in pairwise(one.trials))


def _order(lists: Sequence[StudyList], conditions: Sequence[str], kind: str) -> Iterator[Claim]:
    """What follows what: of trials in a Williams design, of blocks in a blocked one."""
    if kind not in ("williams", "blocked") or len(conditions) < 2:
        return
    follows = carry_over(lists) if kind == "williams" else _block_carry_over(lists)
    often = [follows[a, b] for a in conditions for b in conditions if a != b]
    # the seams between squares are balanced only when their number is a multiple of the steps between conditions
    seams = len(lists[0].trials) // len(conditions) - 1 if kind == "williams" else 0
    slack = len(lists) // len(conditions) if seams % (len(conditions) - 1) else 0
    yield Claim(
        sentence=f"every {'trial' if kind == 'williams' else 'block'} of one condition follows every other condition equally often"
        + (" (but for the seams between squares)" if slack else ""),
        holds=max(often) - min(often) <= slack,
        counted=f"each of {len(often)} successions {_numbers(sorted(set(often)))}",
    )


def _block_carry_over(lists: Sequence[StudyList]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for one in lists:
        starts = [sum(one.blocks[:n]) for n in range(len(one.blocks))]
        found.update(pairwise(one.trials[start][1] for start in starts))
    return found


def count_of(number: int, thing: str) -> str:
    """A number of things in words."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _numbers(often: Sequence[int]) -> str:
    """How often, in words: "once", "3 times", "2 to 3 times"."""
    if len(often) == 1:
        return "once" if often[0] == 1 else f"{often[0]} times"
    return f"{often[0]} to {often[-1]} times"
