"""Checks the balance of a design.

Every claim is counted from lists.json itself; a claim that fails names its first case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from referee_lab.study.folder.study import FILLER, LEVELS, Study, StudyList

COUNTERBALANCED = "counterbalanced"
GIVEN = "given"


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceClaim:
    """A claim about the design: its sentence, whether it holds, the counts, and whether the design promises it.

    `check` names the test and `trials` the items in which it fails, for `referee study check --format json`.
    """

    sentence: str
    holds: bool
    counted: str
    promised: bool = True
    check: str = "balance"
    trials: tuple[str, ...] = ()


def make_claim(
    sentence: str, counted: str, wrong: Sequence[str], *, check: str = "balance", trials: Iterable[str] = ()
) -> BalanceClaim:
    """Return a claim that holds if nothing is wrong; it names the first three problems."""
    problems = f"; not so: {'; '.join(wrong[:3])}{' …' if len(wrong) > 3 else ''}" if wrong else ""
    listed = tuple(dict.fromkeys(trials))
    return BalanceClaim(sentence=sentence, holds=not wrong, counted=counted + problems, check=check, trials=listed)


def prove_balance(study: Study) -> list[BalanceClaim]:
    """Return the claims of a balanced design, each counted.

    Those that this kind of design does not promise are marked.
    """
    lists, kind = study.lists, study.design.kind
    conditions = sorted({condition for entry in lists for _, condition in entry.trials})
    return [
        _prove_equal_lists(lists),
        *(
            _prove_counterbalanced(
                lists, study.design.between, kind, bool(study.design.factors) and not study.is_chained
            )
            if kind in (COUNTERBALANCED, GIVEN)
            else _prove_balanced(lists, conditions, study.design.duplicates)
        ),
        _prove_no_repeats(lists, kind, bool(study.design.duplicates), study.design.groups),
        _prove_no_scene_repeats(study),
        _prove_equal_participants(study),
        _prove_declared_numbers(study, conditions),
        *_prove_order(lists, conditions, kind),
        *_prove_unconfounded(study),
    ]


def _prove_balanced(
    lists: Sequence[StudyList], conditions: Sequence[str], duplicates: Collection[str]
) -> list[BalanceClaim]:
    """Return the claims that items and lists are balanced over conditions."""
    return [_prove_item_balance(lists, conditions, duplicates), _prove_list_balance(lists, conditions)]


def _prove_counterbalanced(
    lists: Sequence[StudyList], between: Sequence[str], kind: str, has_factors: bool
) -> list[BalanceClaim]:
    """Return the claims on groups that see all items in some of the conditions.

    Each claim is an equal number: of lists, or of cells per item.
    """
    seen = Counter(pair for entry in lists for pair in entry.trials)
    items: dict[str, dict[str, int]] = {}
    for (item, condition), often in seen.items():
        items.setdefault(item, {})[condition] = often
    counts = [Counter(condition for _, condition in entry.trials) for entry in lists]
    # Items of two kinds may make up for each other: one kind twice in a condition that the other kind cannot have.
    is_even = all(len(set(count.values())) == 1 for count in counts)
    patterns = {frozenset(cells): cells for cells in items.values()}
    wrong = [
        i
        for i, cells in items.items()
        if FILLER not in cells
        and (
            sum(cells.values()) != len(lists)
            or (
                len(set(cells.values())) > 1
                and not (is_even and len(patterns) > 1 and patterns[frozenset(cells)] == cells)
            )
        )
    ]
    turned = sum(len(conditions) > 1 for conditions in items.values())
    # Where items are no multiple of their conditions, a difference of one cannot be avoided.
    slack = 0 if all(n % len(conditions) == 0 for conditions, n in _count_condition_sets(items).items()) else 1
    # Lists of people who see other levels have other conditions.
    groups = {frozenset(count): [c for c in counts if set(c) == set(count)] for count in counts}
    uneven = [
        x for group in groups.values() for x in group[0] if max(c[x] for c in group) - min(c[x] for c in group) > slack
    ]
    often_text = ", ".join(f"{name} {_format_frequencies([n])}" for name, n in sorted(counts[0].items()))
    return [
        BalanceClaim(
            sentence="every item is on every list, and equally often in each of its conditions",
            holds=not wrong,
            counted=f"{format_count(len(items), 'item')}, {turned} of them in turn in several conditions"
            + (f"; not so: {wrong[0]}" if wrong else ""),
            promised=kind != GIVEN,
            trials=tuple(wrong),
        ),
        BalanceClaim(
            sentence="every list has every condition as often as the other lists"
            + (" of its group" if between else "")
            + (" (plus or minus one: the number of items is no multiple of the conditions)" if slack else ""),
            holds=not uneven and (bool(between) or len(groups) == 1),
            counted=often_text
            + (
                f"; not so: {uneven[0]}"
                if uneven
                else "; other lists have others: --between names such factors"
                if len(groups) > 1
                else ""
            ),
            # Lists of a chain have speakers of their own; factors are compared within people unless they are between.
            promised=kind != GIVEN or has_factors,
        ),
    ]


def _count_condition_sets(items: Mapping[str, Mapping[str, int]]) -> Counter[tuple[str, ...]]:
    """Return the number of items by the set of conditions in which they are shown."""
    return Counter(tuple(sorted(conditions)) for conditions in items.values())


def _prove_unconfounded(study: Study) -> list[BalanceClaim]:
    """Return the claim that no factor determines another one; none for fewer than two factors."""
    factors = study.design.factors
    levels = [tuple(c.split(LEVELS)) for c in study.list_cells()]
    if len(factors) < 2 or any(len(cell) != len(factors) for cell in levels):
        return []
    wrong = []
    for a, b in combinations(range(len(factors)), 2):
        pairs = {(cell[a], cell[b]) for cell in levels}
        if len(pairs) == max(len({x for x, _ in pairs}), len({y for _, y in pairs})) and len(pairs) > 1:
            wrong.append(f"{factors[a]} and {factors[b]}")
    cells = f"{len(levels)} cells of {', '.join(factors)}"
    return [make_claim("no factor is confounded with another", cells, wrong, check="confound")]


def _prove_equal_lists(lists: Sequence[StudyList]) -> BalanceClaim:
    """Return the claim that all lists have the same number of trials."""
    sizes = sorted({len(entry.trials) for entry in lists})
    return BalanceClaim(
        sentence="every list has the same number of trials",
        holds=len(sizes) == 1,
        counted=f"{format_count(len(lists), 'list')} of {' to '.join(map(str, sizes[:: len(sizes) - 1 or 1]))} trials",
    )


def _prove_item_balance(lists: Sequence[StudyList], conditions: Sequence[str], twice: Collection[str]) -> BalanceClaim:
    """Return the claim that over all lists every item occurs equally often in every condition.

    Items in `twice` occur twice as often.
    """
    seen = Counter(pair for entry in lists for pair in entry.trials)
    items = sorted({item for item, _ in seen})
    least = min(seen[i, c] for i in items for c in conditions)
    wrong = [i for i in items if any(seen[i, c] != (2 * least if i in twice else least) for c in conditions)]
    often = sorted({seen[i, c] for i in items if i not in twice for c in conditions})
    also = f", those of {format_count(len(twice), 'duplicate')} {_format_frequencies([2 * least])}" if twice else ""
    first = f"; not so: {format_count(len(wrong), 'item')}, first {wrong[0]}" if wrong else ""
    return BalanceClaim(
        sentence="every item is seen with every condition equally often",
        holds=not wrong,
        counted=f"{len(items)} items x {format_count(len(conditions), 'condition')}, each pair {_format_frequencies(often)} over the lists{also}{first}",
    )


def _prove_list_balance(lists: Sequence[StudyList], conditions: Sequence[str]) -> BalanceClaim:
    """Return the claim that within a list every condition occurs equally often."""
    counts = {entry.id: Counter(condition for _, condition in entry.trials) for entry in lists}
    spread = {name: max(c[x] for x in conditions) - min(c[x] for x in conditions) for name, c in counts.items()}
    most = max(spread.values())
    often = sorted({c[x] for c in counts.values() for x in conditions})
    # where items are no multiple of the conditions, a difference of one cannot be avoided
    slack = 0 if all(len(entry.trials) % len(conditions) == 0 for entry in lists) else 1
    return BalanceClaim(
        sentence="every list has every condition equally often"
        + (" (plus or minus one: the number of items is no multiple of the conditions)" if slack else ""),
        holds=most <= slack,
        counted=f"each condition {_format_frequencies(often)} in a list",
    )


def _prove_no_repeats(lists: Sequence[StudyList], kind: str, filled: bool, groups: int) -> BalanceClaim:
    """Return the claim that no participant sees an item twice.

    A within design plans it, and duplicates without a second group cannot avoid it.
    """
    again = {entry.id: sum(n - 1 for n in Counter(item for item, _ in entry.trials).values()) for entry in lists}
    most = max(again.values())
    return BalanceClaim(
        sentence="no participant sees an item twice",
        holds=most == 0,
        counted=f"at most {most} items again in one list" if most else "no item twice in any list",
        promised=kind != "within" and not (filled and groups == 1),
    )


def _prove_no_scene_repeats(study: Study) -> BalanceClaim:
    """Return the claim that no participant sees a scene twice.

    In corpora such as TUNA many trials share a scene.
    """
    scenes = {s.trial.id: s.trial.scene.id or s.trial.id for s in study.stimuli.values()}
    most = max(max(Counter(scenes[item] for item, _ in entry.trials).values()) for entry in study.lists)
    return BalanceClaim(
        sentence="no participant sees a scene twice, with other positions or another target",
        holds=most == 1,
        counted=f"{len(set(scenes.values()))} scenes, each at most {_format_frequencies([most])} in a list",
        # No design looks at scenes; it is counted because readers of a corpus such as TUNA have to know.
        promised=False,
    )


def _prove_declared_numbers(study: Study, conditions: Sequence[str]) -> BalanceClaim:
    """Return the claim that lists.json has the numbers that study.toml declares."""
    # Counted from the lists and not copied from study.toml, because they are under test.
    counted = {
        "conditions": [c for c in conditions if c and c != FILLER],
        "items": len({item for entry in study.lists for item, _ in entry.trials}),
        "lists": len(study.lists),
        "groups": len({entry.group for entry in study.lists}),
        "trials_each": max(len(entry.trials) for entry in study.lists),
    }
    declared = {name: getattr(study.design, name) for name in counted} | {"conditions": sorted(study.design.conditions)}
    wrong = [f"{name} {declared[name]}, found {value}" for name, value in counted.items() if declared[name] != value]
    return BalanceClaim(
        sentence="[design] in study.toml matches lists.json",
        holds=not wrong,
        counted="; ".join(wrong) or ", ".join(counted),
    )


def _prove_equal_participants(study: Study) -> BalanceClaim:
    """Return the claim that every list has the same number of participants."""
    left = study.participants % len(study.lists)
    return BalanceClaim(
        sentence="every list is filled by equally many participants",
        holds=left == 0,
        counted=f"{study.participants} participants on {format_count(len(study.lists), 'list')}"
        + (f", {left} left over" if left else f", {study.participants // len(study.lists)} each"),
    )


def count_carry_over(lists: Sequence[StudyList]) -> Counter[tuple[str, str]]:
    """Count how often one condition directly follows another, in the order of the lists."""
    return Counter((a[1], b[1]) for entry in lists for a, b in pairwise(entry.trials))


def _prove_order(lists: Sequence[StudyList], conditions: Sequence[str], kind: str) -> Iterator[BalanceClaim]:
    """Yield the claims on order: of trials in a Williams design, of blocks in a blocked one."""
    if kind not in ("williams", "blocked") or len(conditions) < 2:
        return
    follows = count_carry_over(lists) if kind == "williams" else _count_block_carry_over(lists)
    often = [follows[a, b] for a in conditions for b in conditions if a != b]
    # the seams between squares are balanced only when their number is a multiple of the steps between conditions
    seams = len(lists[0].trials) // len(conditions) - 1 if kind == "williams" else 0
    slack = len(lists) // len(conditions) if seams % (len(conditions) - 1) else 0
    yield BalanceClaim(
        sentence=f"every {'trial' if kind == 'williams' else 'block'} of one condition follows every other condition equally often"
        + (" (except where two squares meet)" if slack else ""),
        holds=max(often) - min(often) <= slack,
        counted=f"each of {len(often)} successions {_format_frequencies(sorted(set(often)))}",
    )


def _count_block_carry_over(lists: Sequence[StudyList]) -> Counter[tuple[str, str]]:
    """Count how often a block of one condition follows a block of another."""
    follows: Counter[tuple[str, str]] = Counter()
    for entry in lists:
        starts = [sum(entry.blocks[:n]) for n in range(len(entry.blocks))]
        follows.update(pairwise(entry.trials[start][1] for start in starts))
    return follows


def format_count(number: int, thing: str) -> str:
    """Return a number with its noun: "1 list", "3 lists"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _format_frequencies(often: Sequence[int]) -> str:
    """Return frequencies in words: "once", "3 times", "2 to 3 times"."""
    if len(often) == 1:
        return "once" if often[0] == 1 else f"{often[0]} times"
    return f"{often[0]} to {often[-1]} times"
