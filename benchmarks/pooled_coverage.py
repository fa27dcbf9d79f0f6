"""Coverage of the 95 % intervals of a meta-analysis with few experiments, by simulation: of the mean, of the true effect of a new experiment, and of its
estimate.

Standard errors of the experiments are log-normal around 1 (`--spread`) and known with 15 degrees of freedom; true effects are normal, or Student's with
four degrees of freedom (`--tails`). Beside the intervals of `statistics.meta_analysis` stand those of Hartung and Knapp at one estimate of the variance
(DerSimonian and Laird; Paule and Mandel), with the prediction interval of Higgins, Thompson and Spiegelhalter.

    python benchmarks/pooled_coverage.py --runs 1000
"""

from __future__ import annotations

import argparse
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from referee.statistics.meta_analysis import find_between_variances, pool

COUNTS = (3, 5, 9)
SPREADS = (0.0, 0.5, 1.5, 5.0)
KNOWN = 15
NEW_ERROR = 1.0


def moments(y: np.ndarray, variances: np.ndarray) -> float:
    """The variance between experiments by DerSimonian and Laird."""
    w = 1 / variances
    q = w @ (y - w @ y / w.sum()) ** 2
    return max(0.0, float((q - (len(y) - 1)) / (w.sum() - w @ w / w.sum())))


def hartung_knapp(y: np.ndarray, variances: np.ndarray, tau2: float) -> tuple[float, float, float]:
    """The mean, and how far the interval of the mean and the prediction interval reach, with k - 2 degrees of freedom for the latter."""
    w, k = 1 / (variances + tau2), len(y)
    mean = float(w @ y / w.sum())
    variance = float(w @ (y - mean) ** 2 / ((k - 1) * w.sum()))
    return mean, float(stdtrit(k - 1, 0.975)) * sqrt(variance), float(stdtrit(k - 2, 0.975)) * sqrt(variance + tau2)


def try_once(k: int, tau: float, spread: float, tails: bool, rng: np.random.Generator) -> list[bool]:
    """Whether the intervals cover: ours (mean, new effect, new estimate), then those at one estimate (mean, new effect)."""

    def true(size: int) -> np.ndarray:
        return np.asarray(tau * (rng.standard_t(4, size) / sqrt(2) if tails else rng.normal(size=size)))

    errors = np.exp(spread * rng.normal(size=k))
    y = true(k) + errors * rng.normal(size=k)
    estimated = errors * np.sqrt(rng.chisquare(KNOWN, k) / KNOWN)
    new = float(true(1)[0])
    new_estimate = new + NEW_ERROR * rng.normal()
    effect, estimate = pool(y, estimated), pool(y, estimated, new_error=NEW_ERROR)
    covered = [_holds(effect.low, 0.0, effect.high), _holds(effect.new_low, new, effect.new_high)]
    covered.append(_holds(estimate.new_low, new_estimate, estimate.new_high))
    for tau2 in (moments(y, estimated**2), float(find_between_variances(y, estimated**2, np.array([k - 1]))[0])):
        mean, reach, ahead = hartung_knapp(y, estimated**2, tau2)
        covered += [abs(mean) <= reach, abs(new - mean) <= ahead]
    return covered


def _holds(low: float | None, value: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= value <= high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument(
        "--spread", type=float, default=0.8, help="standard deviation of the logarithms of standard errors"
    )
    parser.add_argument("--tails", action="store_true", help="true effects with heavy tails")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        "| experiments | spread / error | mean | new effect | new estimate | DL, HK: mean, new effect | PM, HK: mean, new effect |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for k in COUNTS:
        for tau in SPREADS:
            rng = np.random.default_rng(options.seed)
            tries = [try_once(k, tau, options.spread, options.tails, rng) for _ in range(options.runs)]
            ours, theirs = np.split(np.mean(tries, axis=0), [3])
            cells = [f"{x:.3f}" for x in ours] + [f"{a:.3f}, {b:.3f}" for a, b in theirs.reshape(2, 2)]
            print(f"| {k} | {tau} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
