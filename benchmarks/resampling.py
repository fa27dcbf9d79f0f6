"""Paired bootstrap of 14 systems x 112 items, BLEU included, 10,000 resamples: ours beside sacrebleu's PairedTest (at least 20 x is the promise)."""

from __future__ import annotations

import argparse
import logging
import random
import time
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from referee import catalogue
from referee.contracts import Batch
from referee.records import Description, Entity, Scene, Trial
from referee.statistics.resampling import compare

WORDS = (
    "the",
    "a",
    "small",
    "large",
    "red",
    "blue",
    "grey",
    "chair",
    "sofa",
    "desk",
    "fan",
    "facing",
    "left",
    "right",
    "in",
    "top",
    "row",
)


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(3, 10)))


def corrupted(text: str, rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) if rng.random() < 0.3 else word for word in text.split())


def ours(systems: list[list[str]], references: list[list[str]], resamples: int, randomise: bool) -> list[float]:
    """From strings to p values: encoding, statistics and one or both tests."""
    metric = catalogue.create("metric", "string/bleu.4", case="keep", tokens="words")
    scene = Scene(entities=(Entity(id="a"),))
    trials = [
        Trial(id=str(i), scene=scene, targets=("a",), references=tuple(Description(text=t) for t in refs))
        for i, refs in enumerate(references)
    ]
    rows = [metric.statistics(Batch.of([Description(text=t) for t in texts], trials)) for texts in systems]
    found = compare(
        [(r, rows[0]) for r in rows[1:]], [metric.finish] * (len(rows) - 1), resamples, seed=1, randomise=randomise
    )
    return [c.p_bootstrap for c in found if c is not None]


def theirs(systems: list[list[str]], references: list[list[str]], resamples: int) -> list[float]:
    streams = [list(stream) for stream in zip(*references, strict=True)]
    named = [(f"s{i}", texts) for i, texts in enumerate(systems)]
    metrics = {"BLEU": BLEU(tokenize="none", force=True)}
    _, scores = PairedTest(named, metrics, references=streams, test_type="bs", n_samples=resamples, n_jobs=1)()
    return [result.p_value for result in scores["BLEU"][1:]]


def timed(function, *arguments, times: int) -> float:  # type: ignore[no-untyped-def]
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function(*arguments)
        taken.append(time.perf_counter() - start)
    return median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resamples", type=int, default=10_000)
    resamples = parser.parse_args().resamples
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    rng = random.Random(1)
    references = [[sentence(rng), sentence(rng)] for _ in range(112)]
    systems = [[corrupted(refs[0], rng) for refs in references] for _ in range(14)]
    own = timed(ours, systems, references, resamples, False, times=5)
    both = timed(ours, systems, references, resamples, True, times=5)
    peer = timed(theirs, systems, references, resamples, times=3)
    table = Table(
        "what", "seconds", "ratio", title=f"paired bootstrap, 14 systems x 112 items, {resamples:,} resamples"
    )
    table.add_row("sacrebleu PairedTest (bootstrap)", f"{peer:.3f}", "1")
    table.add_row("referee (bootstrap)", f"{own:.3f}", f"{peer / own:.0f}")
    table.add_row("referee (bootstrap and randomisation)", f"{both:.3f}", f"{peer / both:.0f}")
    Console().print(table)
    p, q = np.array(ours(systems, references, resamples, False)), np.array(theirs(systems, references, resamples))
    Console().print(f"p values, ours two-sided / sacrebleu's: {np.round(p[:4], 3)} / {np.round(q[:4], 3)}")


if __name__ == "__main__":
    main()
