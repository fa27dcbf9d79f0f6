"""The selection algorithms as plain code over dictionaries: what the package is held against, for speed and for results.

A scene is a dictionary from entity id to a dictionary from attribute to value; relations are pairs of relation and entity id under the key "relations".
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import exp, log

Things = dict[str, dict[str, str]]
Said = dict[str, str]


def others(things: Things, target: str) -> list[dict[str, str]]:
    return [e for i, e in things.items() if i != target]


def incremental(things: Things, target: str, order: list[str]) -> Said:
    want, left, said = things[target], others(things, target), {}
    for name in order:
        if not left:
            break
        if name in want:
            kept = [e for e in left if e.get(name) == want[name]]
            if len(kept) < len(left):
                said[name], left = want[name], kept
    if "type" in want:
        said.setdefault("type", want["type"])
    return said


def incremental_by_frequency(things: Things, target: str, counts: Counter[str]) -> Said:
    """Type first, then by falling count: Kelleher's selector."""
    want, left = things[target], others(things, target)
    said = {"type": want["type"]}
    left = [e for e in left if e.get("type") == want["type"]]
    for name in sorted(want, key=lambda name: -counts[name]):
        kept = [e for e in left if e.get(name) == want[name]]
        if len(kept) < len(left):
            said[name], left = want[name], kept
    return said


def greedy(things: Things, target: str) -> Said:
    want, left, said = things[target], others(things, target), {}
    while left:
        best, kept = None, left
        for name, value in want.items():
            stays = [e for e in left if e.get(name) == value]
            if len(stays) < len(kept):
                best, kept = name, stays
        if best is None:
            break
        said[best], left = want[best], kept
    if "type" in want:
        said.setdefault("type", want["type"])
    return said


def full_brevity(things: Things, target: str) -> Said:
    want, rest = things[target], others(things, target)
    for size in range(1, len(want) + 1):
        for chosen in combinations(want.items(), size):
            if not any(all(e.get(name) == value for name, value in chosen) for e in rest):
                return dict(chosen)
    return {}


def cheapest(things: Things, target: str, costs: dict[str, float]) -> Said:
    """Branch and bound as in the graph-based algorithm, properties only."""
    want = list(things[target].items())
    best: tuple[float, Said] = (float("inf"), {})

    def extend(start: int, left: list[dict[str, str]], said: Said, cost: float) -> None:
        nonlocal best
        if cost >= best[0]:
            return
        if not left:
            best = (cost, said)
            return
        for i in range(start, len(want)):
            name, value = want[i]
            extend(i + 1, [e for e in left if e.get(name) == value], {**said, name: value}, cost + costs[name])

    extend(0, others(things, target), {}, 0.0)
    return best[1]


def rational(things: Things, target: str, longest: int) -> Said:
    """S1 of the rational speech act model, without costs."""
    want = things[target]
    messages = [dict(m) for size in range(longest + 1) for m in combinations(want.items(), size)]
    true = {
        i: [all(e.get(name) == value for name, value in m.items()) for m in messages] for i, e in things.items()
    }
    heard = []
    for k in range(len(messages)):
        literal = {i: (1.0 / sum(row) if row[k] else 0.0) for i, row in true.items()}
        heard.append(literal[target] / sum(literal.values()))
    weights = [exp(log(h)) for h in heard]
    total = sum(weights)
    chances = [w / total for w in weights]
    return messages[max(range(len(messages)), key=lambda k: (round(chances[k], 12), -k))]


def overspecification(
    things: Things, target: str, preferences: dict[str, float], eagerness: float
) -> dict[frozenset[str], float]:
    """The distribution of PRO over sets of attribute names (type is always said)."""
    want = {name: value for name, value in things[target].items() if name != "type"}
    start = [e for e in others(things, target) if e.get("type") == things[target].get("type")]
    result: dict[frozenset[str], float] = {}

    def add(core: frozenset[str], chance: float) -> None:
        rest = [name for name in want if name not in core]
        for size in range(len(rest) + 1):
            for more in combinations(rest, size):
                p = chance
                for name in rest:
                    q = eagerness * preferences[name]
                    p *= q if name in more else 1 - q
                said = core | set(more)
                result[said] = result.get(said, 0.0) + p

    def draw(core: frozenset[str], left: list[dict[str, str]], chance: float) -> None:
        kept = {n: [e for e in left if e.get(n) == v] for n, v in want.items()}
        able = [n for n in want if not kept[n]] or [n for n in want if len(kept[n]) < len(left)]
        if not left or not able:
            add(core, chance)
            return
        total = sum(preferences[n] for n in able)
        for n in able:
            draw(core | {n}, kept[n], chance * preferences[n] / total)

    draw(frozenset(), start, 1.0)
    return result


def boolean(things: Things, targets: set[str], longest: int) -> list[tuple[tuple[str, str, bool], ...]]:
    """Van Deemter's algorithm: literals, then unions of two, three, …"""
    atoms = list(dict.fromkeys(pair for e in things.values() for pair in e.items()))
    names = list(dict.fromkeys(name for name, _ in atoms))
    atoms = [a for name in names for a in atoms if a[0] == name]
    literals = [(n, v, False) for n, v in atoms] + [(n, v, True) for n, v in atoms]
    left, formula = set(things), []
    for size in range(1, longest + 1):
        for clause in combinations(literals, size):
            if left == targets:
                return formula
            if len({(n, v) for n, v, _ in clause}) < size:
                continue
            union = {i for i, e in things.items() if any((e.get(n) == v) != negated for n, v, negated in clause)}
            if targets <= union and not left <= union:
                formula.append(clause)
                left &= union
    return formula
