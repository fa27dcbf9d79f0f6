"""How fast boxes are compared: a million at once, beside one vectorised numpy expression, and a plain loop with one call an item; and `ground/iou` over trials
and responses, with all that a measure checks before it compares.

    python benchmarks/ground_speed.py [N]

Seconds of the processor, so that other work on the machine does not count. With pycocotools installed its `iou` is the call of the loop; without it, an IoU in
plain Python, which is quicker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from referee.contracts import Batch
from referee.geometry import Box, ScenePicture, Size
from referee.grounding.overlap import iou
from referee.metrics.grounding import BoxAccuracy, Distance, EntityFound, Iou, PointInside
from referee.records import Description, Entity, Outcome, Response, Scene, Trial

OTHER = Entity(id="o", region=Box((0.0, 0.0, 100.0, 100.0)))
PICTURE = ScenePicture(path="p.png", size=Size(1000, 1000))


def boxes(n: int, seed: int) -> np.ndarray:
    found = np.random.default_rng(seed).uniform(0, 500, (n, 4))
    found[:, 2:] += found[:, :2]
    return found


def vectorised(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    shared = np.clip(np.minimum(one[:, 2:], other[:, 2:]) - np.maximum(one[:, :2], other[:, :2]), 0, None).prod(axis=1)
    return shared / ((one[:, 2:] - one[:, :2]).prod(axis=1) + (other[:, 2:] - other[:, :2]).prod(axis=1) - shared)


def looped(one: np.ndarray, other: np.ndarray) -> list[float]:
    call = single_call()
    return [call(a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True)]


def single_call() -> Callable[[list[float], list[float]], float]:
    try:
        from pycocotools import mask
    except ModuleNotFoundError:
        return plain
    return lambda a, b: float(
        mask.iou([[a[0], a[1], a[2] - a[0], a[3] - a[1]]], [[b[0], b[1], b[2] - b[0], b[3] - b[1]]], [0])[0, 0]
    )


def plain(a: list[float], b: list[float]) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(0.0, width) * max(0.0, height)
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


def as_records(one: np.ndarray, other: np.ndarray) -> Batch:
    answers = [
        Response(trial=str(i), hearer="x", outcome=Outcome.BOX, places=(Box(tuple(b)),))
        for i, b in enumerate(one.tolist())
    ]
    trials = [
        Trial(
            id=str(i),
            scene=Scene(entities=(Entity(id="g", region=Box(tuple(b))), OTHER), picture=PICTURE),
            targets=("g",),
        )
        for i, b in enumerate(other.tolist())
    ]
    return Batch([Description()] * len(trials), trials, [()] * len(trials), answers=answers)


def seconds(work: Callable[[np.ndarray, np.ndarray], Any], one: np.ndarray, other: np.ndarray, times: int) -> float:
    taken = []
    for _ in range(times):
        start = process_time()
        work(one, other)
        taken.append(process_time() - start)
    return min(taken)


def main(n: int) -> None:
    one, other = boxes(n, 1), boxes(n, 2)
    assert np.allclose(iou(one, other), vectorised(one, other))
    ours = seconds(iou, one, other, 3)
    theirs = seconds(vectorised, one, other, 3)
    part = max(1, n // 20)
    loop = seconds(looped, one[:part], other[:part], 1) * n / part
    print(
        f"{n:,} pairs of boxes: {ours:.3f} s; one numpy expression {theirs:.3f} s ({theirs / ours:.1f} x); a loop {loop:.1f} s ({loop / ours:.0f} x)"
    )
    for measure in (Iou(), BoxAccuracy(), PointInside(), Distance(), EntityFound()):
        batch = as_records(one[:part], other[:part])
        start = process_time()
        measure.statistics(batch)
        print(f"{measure.name} over records: {(process_time() - start) * n / part:.2f} s for {n:,} (from {part:,})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
