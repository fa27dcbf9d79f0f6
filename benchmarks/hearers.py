"""Literal and noisy hearers beside plain Python: ``python benchmarks/hearers.py [--n RESPONSES] [--per-scene DESCRIPTIONS]`` (default 200,000 and 20).

Promised: 1,000,000 responses a minute on two cores. Two processes answer half of the descriptions each; showing every scene in an order of its own is part
of the work, making the scenes is not. Plain Python gives the same responses, each worked out by itself, and both sides must have the same probabilities.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from math import exp
from random import Random
from time import process_time

from rich.console import Console
from rich.table import Table

from referee.hearers.answering import Listener
from referee.hearers.literal import Literal
from referee.hearers.noisy import PLACES, SIZES, Noisy
from referee.records import Description, Entity, HearerView, Outcome, Property, Response, Scene, Trial

VALUES = {
    "type": ("chair", "sofa", "desk", "fan"),
    "colour": ("blue", "red", "green", "grey"),
    "orientation": ("front", "back", "left", "right"),
    "size": ("large", "small"),
    "x-dimension": ("1", "2", "3", "4", "5"),
    "y-dimension": ("1", "2", "3"),
}
HEARERS: dict[str, Callable[[], Listener]] = {"literal": Literal, "noisy": Noisy}
Work = tuple[str, int, int, int]
Belief = dict[str, float]


def scenes(n: int, per_scene: int, seed: int) -> Iterator[tuple[Trial, list[Description]]]:
    rng = Random(seed)
    for number in range(max(1, n // per_scene)):
        entities = tuple(
            Entity(id=str(i), attributes=tuple(Property(k, rng.choice(v)) for k, v in VALUES.items())) for i in range(7)
        )
        trial = Trial(id=f"{seed}-{number}", scene=Scene(entities=entities), targets=("0",))
        said = [
            Description(properties=tuple(rng.sample(entities[0].attributes, rng.randint(2, 4))))
            for _ in range(per_scene)
        ]
        yield trial, said


def ours(work: Work) -> tuple[float, float]:
    """Processor seconds, and a sum of beliefs that the other side must reach too."""
    name, n, per_scene, seed = work
    made = list(scenes(n, per_scene, seed))
    hearer = HEARERS[name]()
    start, checksum = process_time(), 0.0
    for trial, said in made:
        view = trial.for_hearer(Random(trial.id))
        for response in hearer.resolve_many([(d, view) for d in said]):
            checksum += (response.probabilities or ())[0][1]
    return process_time() - start, checksum


def plain(work: Work) -> tuple[float, float]:
    name, n, per_scene, seed = work
    made = list(scenes(n, per_scene, seed))
    answer = {"literal": plain_literal, "noisy": plain_noisy}[name]
    start, checksum = process_time(), 0.0
    for trial, said in made:
        view = trial.for_hearer(Random(trial.id))
        for description in said:
            checksum += (plain_response(answer(description, view), view).probabilities or ())[0][1]
    return process_time() - start, checksum


def plain_response(belief: Belief, view: HearerView) -> Response:
    first = [name for name, share in belief.items() if share >= max(belief.values()) * (1 - 1e-9)]
    outcome = (
        Outcome(first[0]) if first[0] in ("several", "none") else Outcome.ENTITY if len(first) == 1 else Outcome.SEVERAL
    )
    entity = first[0] if outcome == Outcome.ENTITY else None
    probabilities = tuple(belief.items())
    return Response(trial=view.id, hearer="plain", outcome=outcome, entity=entity, probabilities=probabilities)


def plain_literal(description: Description, view: HearerView) -> Belief:
    fits = [e.id for e in view.scene.entities if all(p in e.attributes for p in description.properties or ())]
    shares = {e.id: 1 / len(fits) if e.id in fits else 0.0 for e in view.scene.entities}
    return shares if fits else {**shares, "none": 1.0}


def plain_noisy(description: Description, view: HearerView, spread: float = 0.15, guess: float = 0.5) -> Belief:
    entities = view.scene.entities
    fits = {}
    for e in entities:
        fits[e.id] = 1.0
        for p in description.properties or ():
            fits[e.id] *= plain_fit(p, e, entities, spread)
    none = 1.0
    for fit in fits.values():
        none *= 1 - fit
    alone = {i: fit / (1 - fit) * none for i, fit in fits.items()}
    several = 1 - none - sum(alone.values())
    weights = {e.id: fits[e.id] * plain_weight(e, entities) for e in entities}
    left = guess * (several + none) / sum(weights.values())
    return {i: alone[i] + left * weights[i] for i in fits} | {"several": guess * several, "none": guess * none}


def plain_fit(said: Property, entity: Entity, entities: tuple[Entity, ...], spread: float) -> float:
    value = entity.value(said.name)
    if said.name not in SIZES and said.name not in PLACES:
        return 0.95 if value == said.value else 0.05
    degree = {"small": 1.0, "large": 3.0}
    numbers = [degree.get(e.value(said.name) or "") or float(e.value(said.name) or 0) for e in entities]
    wanted = degree.get(said.value) or float(said.value)
    own = degree.get(value or "") or float(value or 0)
    reach = (max(*numbers, wanted) - min(*numbers, wanted)) * spread or 1.0
    return 0.1 + 0.8 * exp(-(((own - wanted) / reach) ** 2) / 2)


def plain_weight(entity: Entity, entities: tuple[Entity, ...]) -> float:
    lacking = [sum(p not in other.attributes for other in entities) for p in entity.attributes]
    return exp(0.5 * sum(lacking) / (len(lacking) * (len(entities) - 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200_000, help="responses for each hearer")
    parser.add_argument("--per-scene", type=int, default=20, help="descriptions of each scene (systems in a run)")
    args = parser.parse_args()
    table = Table(
        "hearer", "responses", "ours a second", "a minute, two cores", "plain a second", "ratio", title="hearers"
    )
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        for name in HEARERS:
            shares: list[Work] = [(name, args.n // 2, args.per_scene, seed) for seed in (1, 2)]
            mine, theirs = list(pool.map(ours, shares)), list(pool.map(plain, shares))
            for (_, one), (_, other) in zip(mine, theirs, strict=True):
                assert abs(one - other) < 1e-6 * args.n, f"{name}: {one} beside {other}"
            rate, slow = (args.n / max(seconds for seconds, _ in side) for side in (mine, theirs))
            table.add_row(
                name, f"{args.n:,}", f"{rate:,.0f}", f"{60 * rate:,.0f}", f"{slow:,.0f}", f"{rate / slow:.1f}"
            )
    Console().print(table)


if __name__ == "__main__":
    main()
