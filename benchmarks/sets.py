"""Set and scene measures beside NLTK and beside plain Python: ``python benchmarks/sets.py [--n OUTPUTS]`` (default 1,000,000).

Promised: Dice + MASI at least 20 x NLTK's masi_distance on encoded sets, the whole panel at least 5 x plain Python with encoding included.
Both sides see the same outputs and must find the same means. Scenes have seven entities, each is described a hundred times, in chunks.
Times are processor time, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import resource
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from math import log, log2
from random import Random
from time import process_time

import numpy as np
from nltk.metrics import masi_distance
from rich.console import Console
from rich.table import Table

from referee import catalogue
from referee.contracts import Batch
from referee.metrics.properties import PropertyEncoding, encode
from referee.records import Description, Entity, Property, Scene, Trial

CHUNK = 100_000
VALUES = {
    "type": ("chair", "sofa", "desk", "fan"),
    "colour": ("blue", "red", "green", "grey"),
    "orientation": ("front", "back", "left", "right"),
    "size": ("large", "small"),
    "x-dimension": ("1", "2", "3", "4", "5"),
    "y-dimension": ("1", "2", "3"),
}
PANEL = [
    *("set/dice", "set/dice.multiset", "set/masi", "set/jaccard", "set/exact", "set/edit"),
    *("scene/unique", "scene/minimal", "scene/minimal.no-type", "scene/remaining", "scene/bits", "scene/surplus"),
    *("scene/deficit", "scene/dice.specificity"),
]
Set = frozenset[Property]


def random_trial(rng: Random, number: int) -> Trial:
    entities = tuple(
        Entity(id=str(i), attributes=tuple(Property(n, rng.choice(v)) for n, v in VALUES.items())) for i in range(7)
    )
    said = tuple(Description(properties=some_of(entities[0], rng)) for _ in range(2))
    return Trial(id=str(number), scene=Scene(entities=entities), targets=("0",), references=said)


def some_of(target: Entity, rng: Random) -> tuple[Property, ...]:
    """Two to four properties of the target, now and then with a wrong value."""
    chosen = rng.sample(target.attributes, rng.randint(2, 4))
    return tuple(Property(p.name, rng.choice(VALUES[p.name])) if rng.random() < 0.05 else p for p in chosen)


def chunks(n: int, seed: int = 1) -> Iterator[Batch]:
    """n outputs, a hundred for each scene, chunk by chunk."""
    rng = Random(seed)
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        trials = [random_trial(rng, start + i) for i in range(max(1, size // 100))]
        asked = rng.choices(trials, k=size)
        outputs = [Description(properties=some_of(t.scene.entities[0], rng)) for t in asked]
        yield Batch.of(outputs, asked)


def plain_pair(a: Set, b: Set) -> tuple[float, float, float, float, float]:
    shared, union = len(a & b), len(a | b)
    weight = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3
    added, omitted = a - b, b - a
    ours, theirs = Counter(p.name for p in added), Counter(p.name for p in omitted)
    exchanged = sum(min(count, theirs[name]) for name, count in ours.items())
    cost = len(added) + len(omitted) - exchanged
    return 2 * shared / (len(a) + len(b)), weight * shared / union, shared / union, float(a == b), 1 - cost / len(b)


class PlainTrial:
    """What a plain program would keep per trial: entities and references as sets, the smallest sizes."""

    def __init__(self, trial: Trial) -> None:
        self.target, *self.others = (frozenset(e.attributes) for e in trial.scene.entities)
        self.bags = [r.properties or () for r in trial.references]
        self.references = [frozenset(bag) for bag in self.bags]
        self.left = [self.remaining(r) for r in self.references]
        kind = frozenset(p for p in self.target if p.name == "type")
        self.smallest, self.smallest_beside_type = self.to_add(frozenset()), self.to_add(kind)

    def remaining(self, said: Set) -> int:
        return sum(1 for other in self.others if said <= other)

    def to_add(self, said: Set) -> int | None:
        if not said <= self.target:
            return None
        rest = [p for p in self.target if p not in said]
        for size in range(len(rest) + 1):
            for more in combinations(rest, size):
                if self.remaining(said.union(more)) == 0:
                    return size
        return None

    def surplus(self, said: Set, left: int) -> int:
        for size in range(len(said)):
            for part in combinations(said, size):
                if self.remaining(frozenset(part)) == left:
                    return len(said) - size
        return 0


def plain_item(bag: tuple[Property, ...], trial: PlainTrial) -> list[float]:
    """All measures of the panel for one output."""
    said = frozenset(bag)
    left = trial.remaining(said)
    unique = left == 0 and said <= trial.target
    pairs = [plain_pair(said, r) for r in trial.references]
    dice, masi, jaccard, exact, edit = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    counted = Counter(bag)
    multiset = [2 * (counted & Counter(b)).total() / (len(bag) + len(b)) for b in trial.bags]
    far = sum(p[0] - abs(left - r) / len(trial.others) for p, r in zip(pairs, trial.left, strict=True)) / len(pairs)
    untyped = sum(1 for p in said if p.name != "type")
    deficit = 0 if unique else trial.to_add(said)
    scene = (
        float(unique),
        float(unique and len(said) == trial.smallest),
        float(unique and untyped == trial.smallest_beside_type),
        left,
        log2(1 + left),
        trial.surplus(said, left),
        np.nan if deficit is None else deficit,
    )
    return [dice, sum(multiset) / len(multiset), masi, jaccard, exact, edit, *scene, far]


def plain_panel(batch: Batch) -> np.ndarray:
    known: dict[str, PlainTrial] = {}
    rows = []
    for output, trial in zip(batch.outputs, batch.trials, strict=True):
        if trial.id not in known:
            known[trial.id] = PlainTrial(trial)
        rows.append(plain_item(output.properties, known[trial.id]))  # type: ignore[union-attr,arg-type]
    return np.array(rows)


def our_panel(batch: Batch) -> np.ndarray:
    return np.hstack([catalogue.create("metric", name).statistics(batch) for name in PANEL])


def run(panel: Callable[[Batch], np.ndarray], n: int) -> tuple[float, np.ndarray]:
    """Seconds of processor time for n outputs, their making left out, and the mean of every measure."""
    taken, totals, counts = 0.0, 0.0, 0.0
    for batch in chunks(n):
        start = process_time()
        rows = panel(batch)
        taken += process_time() - start
        totals, counts = totals + np.nansum(rows, axis=0), counts + (~np.isnan(rows)).sum(axis=0)
    return taken, totals / counts


def seconds(task: Callable[[], object], times: int = 11) -> float:
    taken = []
    for _ in range(times):
        start = process_time()
        task()
        taken.append(process_time() - start)
    return float(np.median(taken))


def against_nltk(table: Table) -> None:
    """Dice and MASI of 100,000 pairs beside NLTK's MASI: from masks and ready-made sets, and from records."""
    (batch,) = chunks(100_000)
    first = {t.id: t.references[:1] for t in batch.trials}
    references = [first[t.id] for t in batch.trials]
    records = [(o.properties or (), r[0].properties or ()) for o, r in zip(batch.outputs, references, strict=True) if o]
    pairs = [(set(a), set(b)) for a, b in records]
    metrics = [catalogue.create("metric", name) for name in ("set/dice", "set/masi")]
    encoded = encode(Batch.of(batch.outputs, batch.trials, references))
    parts = {name: getattr(encoded, name) for name in PropertyEncoding.__dataclass_fields__}

    def measure(sets: bool) -> None:
        """Both measures; everything but the masks is worked out again each time."""
        fresh = Batch.of(batch.outputs, batch.trials, references)
        if sets:
            fresh.cache[PropertyEncoding] = again = PropertyEncoding(**parts)
            again.__dict__["sets"] = encoded.sets
        for metric in metrics:
            metric.statistics(fresh)

    measure(sets=True)
    rows = {
        "encoded sets": (lambda: [masi_distance(a, b) for a, b in pairs], lambda: measure(sets=True)),
        "from records": (lambda: [masi_distance(set(a), set(b)) for a, b in records], lambda: measure(sets=False)),
    }
    for name, (theirs, ours) in rows.items():
        one, other = seconds(theirs), seconds(ours)
        label = f"nltk masi_distance / Dice + MASI, {name}"
        table.add_row(label, "100,000", f"{one:.3f}", f"{other:.4f}", f"{one / other:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000, help="outputs for the panel")
    n = parser.parse_args().n
    table = Table(
        "plain or peer / ours", "n", "theirs s", "ours s", "ratio", title="set and scene measures (processor time)"
    )
    sizes = [m for m in (10_000, 100_000) if m < n] + [n]
    ours = {m: run(our_panel, m) for m in sizes}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    theirs, means = run(plain_panel, n)
    np.testing.assert_allclose(ours[n][1], means, atol=1e-9)
    row = (f"plain Python / {len(PANEL)} measures, with encoding", f"{n:,}", f"{theirs:.1f}", f"{ours[n][0]:.2f}")
    table.add_row(*row, f"{theirs / ours[n][0]:.1f}")
    against_nltk(table)
    Console().print(table)
    for small, large in pairwise(sizes):
        exponent = log(ours[large][0] / ours[small][0]) / log(large / small)
        print(f"growth {small:,} → {large:,}: {ours[small][0]:.3f} s → {ours[large][0]:.2f} s, exponent {exponent:.2f}")
    print(f"peak memory of the streamed panel, inputs included: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
