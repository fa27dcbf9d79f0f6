"""How often nominal 95 % intervals cover and paired tests at 5 % raise a false alarm, by simulation, for few and many clusters.

Trials have random effects of scenes and speakers with the intraclass correlations that TUNA's Dice has (`--icc`), unequal cluster sizes, and values either
normal, skewed, or 0/1. One factor: clusters of 5 to 15 trials. Crossed: every scene by every speaker, a tenth of the cells missing. Beside each method of
`referee.statistics.dependent_trials` stands Student's interval alone, without what skewness adds. `--only "13 x 13"` tries one layout. `--worst` tries
clusters that are exponential and all there is: trials of a cluster are alike.

    python benchmarks/interval_coverage.py --runs 2000
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from referee.metrics.sets import Dice
from referee.statistics.dependent_trials import Clusters, compare_clustered, spread

SIZES = (8, 13, 20, 57)
CROSSED = ((8, 8), (8, 57), (13, 13), (13, 57), (20, 20), (57, 57))
KINDS = ("normal", "bounded", "0/1", "skewed")
WORST = "worst"
FINISH = Dice().finish


@dataclass(frozen=True)
class World:
    """Random effects on a latent scale; the value is what the kind makes of it."""

    kind: str
    shares: tuple[float, ...]  # of the variance: each factor's, and (crossed) that of their cells
    truth: float = 0.0


def draw(world: World, codes: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Latent values with variance 1: clusters' effects and what is a trial's own."""
    if world.kind == WORST:
        return np.asarray(rng.exponential(size=int(codes[0].max()) + 1)[codes[0]])
    latent = rng.normal(size=len(codes[0])) * np.sqrt(1 - sum(world.shares))
    for share, code in zip(world.shares, codes, strict=True):
        latent += np.sqrt(share) * rng.normal(size=int(code.max()) + 1)[code]
    return latent


def values_of(kind: str, latent: np.ndarray) -> np.ndarray:
    if kind == "0/1":
        return (latent > -0.8).astype(float)  # about 79 % successes
    if kind == "bounded":
        return np.clip(latent, -1.5, 0.5)  # as Dice is: a heap of best values, and a tail
    return np.exp(0.8 * latent) if kind == "skewed" else latent


def expected(kind: str) -> float:
    """The mean in the population (bounded: E max(a, min(b, Z)) = b - ∫ Φ from a to b)."""
    from scipy.stats import norm

    def area(x: float) -> float:  # the integral of Φ up to x
        return x * norm.cdf(x) + norm.pdf(x)

    bounded = 0.5 - (area(0.5) - area(-1.5))
    return float({"normal": 0.0, "bounded": bounded, "skewed": np.exp(0.32), WORST: 1.0, "0/1": norm.cdf(0.8)}[kind])


def one_factor(clusters: int, rng: np.random.Generator) -> list[np.ndarray]:
    sizes = rng.integers(5, 16, size=clusters)
    return [np.repeat(np.arange(clusters), sizes)]


def crossed(first: int, second: int, rng: np.random.Generator) -> list[np.ndarray]:
    a, b = (x.ravel() for x in np.meshgrid(np.arange(first), np.arange(second), indexing="ij"))
    kept = rng.random(len(a)) > 0.1
    return [a[kept], b[kept]]


def try_once(world: World, codes: list[np.ndarray], rng: np.random.Generator, swaps: int) -> np.ndarray:
    """Covered, covered by Student's interval alone, false alarm."""
    clusters = Clusters(("a", "b")[: len(codes)], tuple(codes))
    limits = (0.0, 1.0) if world.kind == "0/1" else (None, None)
    # two systems that share scenes and speakers, each with its own reaction to them: no difference in the mean
    rows, base = (values_of(world.kind, draw(world, codes, rng))[:, None] for _ in range(2))
    true = expected(world.kind)
    found = spread(rows, FINISH, clusters, limits=limits)
    gap = compare_clustered(rows, base, FINISH, clusters, swaps)
    assert gap is not None
    student = abs(found.value - true) <= stdtrit(found.df, 0.975) * found.error
    return np.array([found.low <= true <= found.high, student, gap.p <= 0.05], dtype=float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--swaps", type=int, default=500)
    parser.add_argument(
        "--icc", type=float, nargs=2, default=(0.10, 0.20), help="shares of variance of scenes and speakers"
    )
    parser.add_argument("--worst", action="store_true", help="only exponential clusters without anything within them")
    parser.add_argument("--only", metavar="LAYOUT", help='one layout, such as 13 or "13 x 13"')
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'clusters':>10}  {'values':<8} {'coverage':>8} {'t alone':>8} {'alarms':>7}")
    for kind in (WORST,) if options.worst else KINDS:
        one, two = World(kind, (options.icc[1],)), World(kind, tuple(options.icc))
        for size in SIZES:
            report(str(size), one, lambda r, n=size: one_factor(n, r), options)
        for pair in () if options.worst else CROSSED:
            report(f"{pair[0]} x {pair[1]}", two, lambda r, p=pair: crossed(*p, r), options)


def report(
    label: str, world: World, layout: Callable[[np.random.Generator], list[np.ndarray]], options: argparse.Namespace
) -> None:
    if options.only not in (None, label):
        return
    rng = np.random.default_rng(options.seed)
    tries = (try_once(world, layout(rng), rng, options.swaps) for _ in range(options.runs))
    covered, student, alarms = np.mean(list(tries), axis=0)
    print(f"{label:>10}  {world.kind:<8} {covered:8.3f} {student:8.3f} {alarms:7.3f}", flush=True)


if __name__ == "__main__":
    main()
