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
    true = {i: [all(e.get(name) == value for name, value in m.items()) for m in messages] for i, e in things.items()}
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


def partitioned(things: Things, targets: list[str], order: list[str]) -> list[tuple[list[str], list[tuple[str, str]]]]:
    """Gatt and van Deemter's partitions, without the rule for parallel wording."""
    rest = {i for i in things if i not in targets}
    kinds: dict[str, list[str]] = {}
    for r in targets:
        kinds.setdefault(things[r]["type"], []).append(r)
    parts = [(members, [("type", kind)]) for kind, members in kinds.items()]
    left = {r: {i for i in rest if things[i].get("type") == things[r]["type"]} for r in targets}
    for name in order:
        values = list(dict.fromkeys(things[r][name] for r in targets))
        open_ = set().union(*left.values())

        def power(value: str, name: str = name, open_: set[str] = open_) -> float:
            true = {i for i, e in things.items() if e.get(name) == value}
            return (len(true & set(targets)) + len(open_ - true)) / len(true)

        for value in sorted(values, key=power, reverse=True):
            if not any(left.values()):
                return parts
            having = [r for r in targets if things[r].get(name) == value]
            if any(things[i].get(name) != value for r in having for i in left[r]):
                grown = []
                for members, said in parts:
                    inside = [r for r in members if r in having]
                    outside = [r for r in members if r not in having]
                    grown += [(inside, [*said, (name, value)])] if inside else []
                    grown += [(outside, said)] if outside else []
                parts = grown
                for r in having:
                    left[r] = {i for i in left[r] if things[i].get(name) == value}
    return parts


Links = dict[str, list[tuple[str, str]]]


def relational(things: Things, links: Links, target: str) -> list[tuple[int, str, str]]:
    """Dale and Haddock's algorithm; facts said, each with its distance from the target."""
    contexts: list[set[str]] = [set(things)]
    network: list[tuple[str, int, int]] = []
    variables, stack, said = {target: 0}, [(target, 0)], []
    facts: dict[str, list[tuple[str, str, bool]]] = {}

    def facts_of(name: str) -> list[tuple[str, str, bool]]:
        return [*((a, v, False) for a, v in things[name].items()), *((r, to, True) for r, to in links.get(name, ()))]

    def consequences(
        fact: tuple[str, str, bool], variable: int, other: int
    ) -> tuple[list[set[str]], list[tuple[str, int, int]]]:
        new, net = [set(c) for c in contexts], list(network)
        if fact[2]:
            if other == len(new):
                new.append(set(things))
            net.append((fact[0], variable, other))
        else:
            new[variable] = {i for i in new[variable] if things[i].get(fact[0]) == fact[1]}
        before = None
        while before != new:
            before = [set(c) for c in new]
            for relation, a, b in net:
                pairs = [(i, j) for i in new[a] for r, j in links.get(i, ()) if r == relation and j in new[b]]
                new[a], new[b] = {i for i, _ in pairs}, {j for _, j in pairs}
        return new, net

    facts[target] = facts_of(target)
    while stack:
        name, depth = stack[-1]
        variable = variables[name]
        if len(contexts[variable]) == 1 or not facts[name]:
            stack.pop()
            continue
        options = [f for f in facts[name] if f[0] == "type"] or facts[name]
        tried = [(f, consequences(f, variable, variables.get(f[1], len(contexts)))) for f in options]
        fact, (new, network) = min(tried, key=lambda t: len(t[1][0][variable]))
        facts[name].remove(fact)
        fresh = fact[2] and fact[1] not in variables
        changed = new[variable] != contexts[variable]
        contexts = new
        if not changed and not fresh and fact[0] != "type":
            continue
        said.append((depth, fact[0], fact[1]))
        if fresh:
            variables[fact[1]] = len(contexts) - 1
            facts[fact[1]] = facts_of(fact[1])
            stack.append((fact[1], depth + 1))
    return said


def cheapest_with_landmark(
    things: Things, links: Links, target: str, costs: dict[str, float]
) -> tuple[float, list[str]]:
    """Branch and bound over descriptions with at most one landmark: cost and names said (empty if nothing singles out the target)."""
    rest = [i for i in things if i != target]
    own = [("own", a, v) for a, v in things[target].items()]
    best: tuple[float, list[str]] = (float("inf"), [])

    def fits(i: str, said: list[tuple[str, str, str]]) -> bool:
        if any(k == "own" and things[i].get(a) != v for k, a, v in said):
            return False
        relations = {a for k, a, _ in said if k == "relation"}
        told = [(a, v) for k, a, v in said if k == "landmark"]
        if not relations:
            return True
        held = {r for r, to in links.get(i, ()) if all(things[to].get(a) == v for a, v in told)}
        return relations <= held

    def extend(
        parts: list[tuple[str, str, str]], start: int, said: list[tuple[str, str, str]], left: list[str], cost: float
    ) -> None:
        nonlocal best
        if cost >= best[0]:
            return
        left = [i for i in left if fits(i, said)]
        if not left:
            best = (cost, [a for _, a, _ in said])
            return
        for j in range(start, len(parts)):
            extend(parts, j + 1, [*said, parts[j]], left, cost + costs.get(parts[j][1], 1.0))

    extend(own, 0, [], rest, 0.0)
    for landmark in dict.fromkeys(to for _, to in links.get(target, ())):
        told = [("landmark", a, v) for a, v in things[landmark].items()]
        for r, to in links[target]:
            if to == landmark:
                extend([*own, *told], 0, [("relation", r, to)], rest, costs.get(r, 1.0))
    return best
