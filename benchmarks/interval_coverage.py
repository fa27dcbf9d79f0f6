"""Coverage of nominal 95 % intervals and type I error of paired tests at 5 %, by simulation, for few and many clusters of equal and unequal sizes.

Trials have random effects of scenes and speakers with the intraclass correlations of TUNA's Dice (`--icc`). One factor: clusters of 5 to 15 trials, of
log-normal or Pareto sizes, or one that has half of all trials. Crossed: every scene by every speaker, a tenth of the cells missing. Values are normal,
bounded (many best values and a tail, like Dice), 0/1, 0/1 with few errors (true proportions .90 to .999), log-normal, zero-inflated, or a ratio of sums
(like corpus-level measures). `--only "13 x 13"` tries one layout. `--worst` tries exponential clusters whose trials are all alike.

    python benchmarks/interval_coverage.py --runs 2000
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from referee.statistics.dependent_trials import Clusters, average_rows, compare_clustered, has_few_carriers, spread

COUNTS = (8, 13, 20, 57)
CROSSED = ((8, 8), (8, 57), (13, 13), (13, 57), (20, 20), (57, 57))
KINDS = ("normal", "bounded", "0/1", "few errors", "skewed", "zeros", "ratio")
SIZES = ("even", "log-normal", "Pareto", "one large")
WORST = "worst"
PROPORTIONS = (0.90, 0.95, 0.98, 0.99, 0.995, 0.999)


@dataclass(frozen=True)
class World:
    """Random effects on a latent scale; the value is what the kind makes of it."""

    kind: str
    parts: tuple[float, ...]  # of the variance: that of each factor
    cut: float = 0.8  # zero-inflated values are zero below it: about 79 %


def draw(world: World, codes: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Latent values with variance 1: effects of clusters and of single trials."""
    if world.kind == WORST:
        return np.asarray(rng.exponential(size=int(codes[0].max()) + 1)[codes[0]])
    latent = rng.normal(size=len(codes[0])) * np.sqrt(1 - sum(world.parts))
    for part, code in zip(world.parts, codes, strict=True):
        latent += np.sqrt(part) * rng.normal(size=int(code.max()) + 1)[code]
    return latent


def values_of(
    kind: str, latent: np.ndarray, proportion: float, rng: np.random.Generator, cut: float = 0.8
) -> np.ndarray:
    """One row of statistics a trial; zero-inflated values are zero below the cut."""
    from scipy.special import ndtri

    if kind in ("0/1", "few errors"):
        values = (latent > -ndtri(proportion)).astype(float)
    elif kind == "bounded":
        values = np.clip(latent, -1.5, 0.5)
    elif kind == "skewed":
        values = np.exp(0.8 * latent)
    elif kind == "zeros":
        values = np.where(latent > cut, np.exp(0.5 * latent), 0.0)
    elif kind == "ratio":
        words = rng.integers(2, 9, size=len(latent)).astype(float)
        return np.column_stack([words * (3 + latent), words])
    else:
        values = latent
    return values[:, None]


def expected(kind: str, proportion: float, cut: float = 0.8) -> float:
    """The value in the population (bounded: E max(a, min(b, Z)) = b - ∫ Φ from a to b)."""
    from scipy.stats import norm

    def area(x: float) -> float:  # the integral of Φ up to x
        return x * norm.cdf(x) + norm.pdf(x)

    bounded = 0.5 - (area(0.5) - area(-1.5))
    zeros = np.exp(0.125) * norm.cdf(0.5 - cut)
    means = {"normal": 0.0, "bounded": bounded, "skewed": np.exp(0.32), "zeros": zeros, "ratio": 3.0, WORST: 1.0}
    return float(means.get(kind, proportion))


def ratio(totals: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.asarray(totals[..., 0] / totals[..., 1])


def one_factor(clusters: int, sizes: str, rng: np.random.Generator) -> list[np.ndarray]:
    if sizes == "even":
        trials = rng.integers(5, 16, size=clusters)
    elif sizes == "log-normal":
        trials = np.maximum(1, np.round(10 * np.exp(rng.normal(size=clusters)))).astype(int)
    elif sizes == "Pareto":
        trials = np.minimum(np.maximum(1, np.round(4 * (1 + rng.pareto(1.2, size=clusters)))), 2000).astype(int)
    else:
        trials = np.append(np.full(clusters - 1, 10), 10 * (clusters - 1))
    return [np.repeat(np.arange(clusters), trials)]


def crossed(first: int, second: int, rng: np.random.Generator) -> list[np.ndarray]:
    a, b = (x.ravel() for x in np.meshgrid(np.arange(first), np.arange(second), indexing="ij"))
    present = rng.random(len(a)) > 0.1
    return [a[present], b[present]]


def try_once(world: World, codes: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Whether the interval covers, its width, and whether the test of no difference rejects."""
    clusters = Clusters(("a", "b")[: len(codes)], tuple(codes))
    binary = world.kind in ("0/1", "few errors")
    proportion = float(rng.choice(PROPORTIONS)) if world.kind == "few errors" else 0.79
    finish = ratio if world.kind == "ratio" else average_rows
    # two systems on the same trials, each with its own effects of clusters, and the same mean
    rows, base = (values_of(world.kind, draw(world, codes, rng), proportion, rng, world.cut) for _ in range(2))
    true = expected(world.kind, proportion, world.cut)
    limits = (0.0, 1.0) if binary else (None, None)
    interval = spread(rows, finish, clusters, limits=limits)
    gap = compare_clustered(rows, base, finish, clusters, resamples=0)
    assert gap is not None
    covers, is_warned = interval.low <= true <= interval.high, has_few_carriers(rows[:, 0], clusters, limits)
    return np.array([covers, interval.high - interval.low, gap.p <= 0.05, is_warned], dtype=float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--icc", type=float, nargs=2, default=(0.10, 0.20), help="variance of scenes and of speakers")
    parser.add_argument("--worst", action="store_true", help="only exponential clusters whose trials are all alike")
    parser.add_argument("--only", metavar="LAYOUT", help='one layout, such as 13 or "13 x 13"')
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=SIZES)
    parser.add_argument(
        "--cut", type=float, default=0.8, help="zero-inflated values are zero below it (1: 84 %% zeros)"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'clusters':>10}  {'sizes':<10} {'values':<10} {'coverage':>8} {'width':>7} {'alarms':>7} {'warned':>7}")
    for kind in (WORST,) if options.worst else options.kinds:
        one, two = World(kind, (options.icc[1],), options.cut), World(kind, tuple(options.icc), options.cut)
        for sizes in ("even",) if options.worst else options.sizes:
            for count in COUNTS:
                report(str(count), sizes, one, lambda r, n=count, s=sizes: one_factor(n, s, r), options)
        for pair in () if options.worst else CROSSED:
            report(f"{pair[0]} x {pair[1]}", "crossed", two, lambda r, p=pair: crossed(*p, r), options)


def report(
    label: str,
    sizes: str,
    world: World,
    layout: Callable[[np.random.Generator], list[np.ndarray]],
    options: argparse.Namespace,
) -> None:
    if options.only not in (None, label):
        return
    rng = np.random.default_rng(options.seed)
    tries = (try_once(world, layout(rng), rng) for _ in range(options.runs))
    covered, width, alarms, warned = np.mean(list(tries), axis=0)
    print(
        f"{label:>10}  {sizes:<10} {world.kind:<10} {covered:8.3f} {width:7.3f} {alarms:7.3f} {warned:7.3f}", flush=True
    )


if __name__ == "__main__":
    main()
