"""Descriptions per second of every selector beside plain dictionary code, and exact search on scenes larger than people describe.

``python benchmarks/selection.py [--scenes N]`` (default 300). Both sides must say the same.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import log
from random import Random
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import plain_selection as plain
from referee.records import Description, Entity, Property, Relation, Scene, SpeakerView, Trial
from referee.selection.contrast import get_contrast
from referee.selection.costs import Costs
from referee.selection.full_brevity import FullBrevity
from referee.selection.graph import GraphSearch
from referee.selection.greedy import Greedy
from referee.selection.incremental import Incremental
from referee.selection.learned_rational import LearnedRationalSpeaker
from referee.selection.overspecification import Overspecification
from referee.selection.plural import BooleanDescriptions, Partitioned
from referee.selection.rational import RationalSpeaker
from referee.selection.relational import Relational

VALUES = {
    "type": ("chair", "sofa", "desk", "fan"),
    "colour": ("blue", "red", "green", "grey"),
    "orientation": ("front", "back", "left", "right"),
    "size": ("large", "small"),
    "x-dimension": ("1", "2", "3", "4", "5"),
    "y-dimension": ("1", "2", "3"),
}
NAMES = tuple(VALUES)
PREFERENCES = {"colour": 1.0, "orientation": 0.3, "size": 0.3, "x-dimension": 0.2, "y-dimension": 0.3}
PRICES = {"type": 0.0, "colour": 0.0, "size": 1.0, "orientation": 1.0, "x-dimension": 2.0, "y-dimension": 2.0}


class Prices(Costs):
    """Three levels of price, as the GRAPH systems have them; attributes of made-up scenes have odd prices."""

    def cost(self, prop: Property, view: SpeakerView) -> float:
        return PRICES[prop.name] if prop.name in PRICES else 1.0 + int(prop.name[1:]) * 7 % 5


def random_trial(rng: Random, number: int) -> Trial:
    """Seven entities of the furniture kind, each beside the next, and a description of the first."""
    entities = tuple(
        Entity(
            id=str(i),
            attributes=tuple(Property(n, rng.choice(v)) for n, v in VALUES.items()),
            relations=(Relation("left-of", str(i + 1)),) if i < 6 else (),
        )
        for i in range(7)
    )
    said = tuple(p for p in entities[0].attributes if rng.random() < (0.9 if p.name in ("type", "colour") else 0.3))
    return Trial(
        id=str(number), scene=Scene(entities=entities), targets=("0",), references=(Description(properties=said),)
    )


def pairs(properties: Sequence[Property]) -> dict[str, str]:
    return {p.name: p.value for p in properties}


def rates(works: Sequence[Callable[[Any], object]], items: Sequence[Any], seconds: float = 1.0) -> list[float]:
    """Items per second of processor time, the best of several passes; the works take turns, so that both meet the same weather."""
    best, end = [float("inf")] * len(works), process_time() + seconds
    while process_time() < end:
        for i, work in enumerate(works):
            start = process_time()
            for item in items:
                work(item)
            best[i] = min(best[i], process_time() - start)
    return [len(items) / seconds for seconds in best]


def small(console: Console, scenes: int) -> None:
    """Seven entities: every selector beside plain code."""
    rng = Random(1)
    trials = [random_trial(rng, i) for i in range(scenes)]
    items = []
    for t in trials:
        things = {e.id: pairs(e.attributes) for e in t.scene.entities}
        links = {e.id: [tuple(r) for r in e.relations] for e in t.scene.entities}
        two = SpeakerView(id=t.id, scene=t.scene, targets=("0", "1"))
        items.append((t.for_speaker(), two, things, links))
    counts = Counter(p.name for t in trials for p in t.references[0].properties or ())
    learned = LearnedRationalSpeaker(iterations=20).fit(trials)
    names = list(NAMES)
    frequency = Incremental("frequency", head="first").fit(trials)
    pro = Overspecification(PREFERENCES, 0.5)
    relational, boolean, parts = Relational(landmarks=9), BooleanDescriptions(), Partitioned(shares={})
    graph, landmarks, brevity = GraphSearch(Prices()), GraphSearch(landmarks=1), FullBrevity(head="none")
    incremental, greedy, rational = Incremental(NAMES), Greedy(), RationalSpeaker(longest=4)

    rows: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], Callable[[Any, Any], bool]]] = [
        ("Incremental", lambda i: incremental.select(i[0]), lambda i: plain.incremental(i[2], "0", names), same_pairs),
        (
            "by frequency",
            lambda i: frequency.select(i[0]),
            lambda i: plain.incremental_by_frequency(i[2], "0", counts),
            same_pairs,
        ),
        ("Greedy", lambda i: greedy.select(i[0]), lambda i: plain.greedy(i[2], "0"), same_pairs),
        ("Full Brevity", lambda i: brevity.select(i[0]), lambda i: plain.full_brevity(i[2], "0"), same_pairs),
        ("graph", lambda i: graph.select(i[0]), lambda i: plain.cheapest(i[2], "0", PRICES), same_pairs),
        (
            "graph, landmarks",
            lambda i: landmarks.search(i[0]),
            lambda i: plain.cheapest_with_landmark(i[2], i[3], "0", {}),
            same_cost,
        ),
        ("Dale & Haddock", lambda i: relational.select(i[0]), lambda i: plain.relational(i[2], i[3], "0"), same_facts),
        ("Boolean", lambda i: boolean.formula(i[1]), lambda i: plain.boolean(i[2], {"0", "1"}, 3), same_formula),
        (
            "partitioned",
            lambda i: parts.fragments(i[1]),
            lambda i: plain.partitioned(i[2], ["0", "1"], list(parts.order)),
            same_parts,
        ),
        (
            "PRO",
            lambda i: pro.distribution(i[0]),
            lambda i: plain.overspecification(i[2], "0", PREFERENCES, 0.5),
            same_chances,
        ),
        ("RSA S1", lambda i: rational.select(i[0]), lambda i: plain.rational(i[2], "0", 4), same_pairs),
        (
            "learned RSA S1",
            lambda i: learned.select(i[0]),
            lambda i: learned_in_plain_code(learned, i[0]),
            lambda a, b: set(a) == set(b),
        ),
    ]
    table = Table("selector", "descriptions/s", "plain code", "times", title="Seven entities, six attributes, one core")
    for name, ours, theirs, same in rows:
        differing = sum(not same(ours(i), theirs(i)) for i in items)
        assert not differing, f"{name}: {differing} of {len(items)} differ from plain code"
        fast, slow = rates([ours, theirs], items)
        table.add_row(name, f"{fast:,.0f}", f"{slow:,.0f}", f"{fast / slow:.1f}")
    console.print(table)
    index, dictionaries = (1e6 / rate for rate in rates([index_afresh, dictionaries_afresh], trials))
    console.print(
        f"Before the first description of a scene: {index:.1f} µs to index it, {dictionaries:.1f} µs to make dictionaries"
    )


def index_afresh(trial: Trial) -> object:
    return get_contrast(replace(trial, scene=replace(trial.scene)).for_speaker())


def dictionaries_afresh(trial: Trial) -> object:
    view = replace(trial, scene=replace(trial.scene)).for_speaker()
    return {e.id: pairs(e.attributes) for e in view.scene.entities}


def same_pairs(ours: Sequence[Property], theirs: dict[str, str]) -> bool:
    return pairs(ours) == theirs


def same_cost(ours: Any, theirs: tuple[float, list[str]]) -> bool:
    return theirs[0] == (ours.cost if ours.distinguishing else float("inf"))


def same_facts(ours: Sequence[Property], theirs: list[tuple[int, str, str]]) -> bool:
    return [(p.name.count("landmark."), p.name.replace("landmark.", ""), p.value) for p in ours] == theirs


def same_formula(ours: Any, theirs: list[Any]) -> bool:
    return [[(*part.property, part.negated) for part in clause] for clause in ours.clauses] == [list(c) for c in theirs]


def same_parts(ours: Any, theirs: list[Any]) -> bool:
    return [(list(f.referents), [tuple(p) for p in f.properties]) for f in ours] == theirs


def same_chances(distribution: Any, theirs: dict[frozenset[str], float]) -> bool:
    ours = {frozenset(p.name for p in said if p.name != "type"): chance for said, chance in distribution}
    return ours.keys() == theirs.keys() and all(abs(ours[k] - theirs[k]) < 1e-9 for k in ours)


def learned_in_plain_code(speaker: LearnedRationalSpeaker, view: SpeakerView) -> list[Property]:
    """S1 from the learned weights, with dictionaries and loops."""
    space, weights = next(iter(speaker.models_.values()))
    width = len(space.places)
    target = view.scene.entity(view.targets[0])
    own = [next(p for p in target.attributes if p.name == n) for n in space.names]
    literal: dict[str, list[float]] = {}
    looks = space.looks.tolist()
    flat = weights.tolist()
    for entity in view.scene.entities:
        scores = []
        for row, look in zip(space.messages.tolist(), looks, strict=True):
            said = [p for p, told in zip(own, row, strict=True) if told]
            score = sum(flat[space.places[u] * width + space.places[v]] for u in entity.attributes for v in said)
            if all(p in entity.attributes for p in said):
                score += sum(f * w for f, w in zip(look, flat[width * width :], strict=True) if f)
            scores.append(score)
        total = log(sum(np.exp(scores)))
        literal[entity.id] = [s - total for s in scores]
    heard = [row - log(sum(np.exp([literal[e][k] for e in literal]))) for k, row in enumerate(literal[target.id])]
    best = max(range(len(heard)), key=lambda k: (round(heard[k], 10), -k))
    return [p for p, told in zip(own, space.messages[best].tolist(), strict=True) if told]


def random_scene(entities: int, attributes: int, seed: int) -> Scene:
    """Independent attributes of two to four values each: harder than scenes people describe."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, rng.integers(2, 5), entities) for _ in range(attributes)]
    rows = zip(*columns, strict=True)
    said = [tuple(Property(f"a{j}", str(value)) for j, value in enumerate(row)) for row in rows]
    return Scene(entities=tuple(Entity(id=str(i), attributes=row) for i, row in enumerate(said)))


def timed(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Seconds of processor time (the best of some) and the result."""
    times, result = [], None
    for _ in range(repeats):
        start = process_time()
        result = work()
        times.append(process_time() - start)
    return min(times), result


def at(scene: Scene, target: str) -> SpeakerView:
    return SpeakerView(id=target, scene=scene, targets=(target,))


def exact(console: Console) -> None:
    """Exact search on large scenes."""
    table = Table(
        "entities x attributes",
        "search",
        "median ms",
        "slowest",
        "size or cost",
        "proven",
        title="Exact search, five random scenes each",
    )
    for n, m in ((60, 30), (100, 60), (1000, 30)):
        scenes = [random_scene(n, m, seed) for seed in range(5)]
        for name, selector in (
            ("Full Brevity", FullBrevity(head="none")),
            ("graph, odd prices", GraphSearch(Prices())),
        ):
            runs = [timed(partial(selector.search, at(scene, "0")), repeats=1) for scene in scenes]
            times = [1e3 * t for t, _ in runs]
            found = [f for _, f in runs]
            table.add_row(
                *(f"{n:,} x {m}", name, f"{median(times):.1f}", f"{max(times):.1f}"),
                *(", ".join(f"{f.cost:g}" for f in found), "yes" if all(f.proven for f in found) else "no"),
            )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scenes", type=int, default=300, help="scenes of seven entities")
    options = parser.parse_args()
    console = Console(width=120)
    small(console, options.scenes)
    exact(console)


if __name__ == "__main__":
    main()
