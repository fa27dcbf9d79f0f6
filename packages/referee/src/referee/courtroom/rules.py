"""The rules of the court: arrays of agreements in, one word for every pair of measures out. The same rules read real tables and tables made by chance.

Something counts as shown where both linear and rank agreement have p ≤ .05 among all pairs of the table, and as holding only where what is left without any
one unit would still count with the same number of units (or has moved by less than `STEP`), where two groups of units are not all there is to see, and where
the noise of the answers leaves its sign alone. Something is hidden where leaving one out moves r by `SWAY` or more, to where it counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.courtroom.agreement import BETWEEN, Agreements, BoolArray
from referee.courtroom.multiplicity import Chances
from referee.statistics.correlation import critical_r
from referee.statistics.frames import IntArray

__all__ = ["FEWEST", "STEP", "SWAY", "WORDS", "TriedPair", "decide"]

SWAY = 0.2
STEP = 0.1
LEVEL = 0.05
FEWEST = 4
WORDS = (
    "predicts",
    "reversed",
    "related",
    "split",
    "carried",
    "disputed",
    "doubtful",
    "hidden",
    "unsettled",
    "open",
    "untried",
)
"""From the strongest to the weakest; `decide` gives places in this list."""
Words = npt.NDArray[np.int64]


class TriedPair(NamedTuple):
    """A table as the rules see it, by automatic and hearer measure: agreements, chances of the linear and of the rank coefficients, the sign that good measures
    would have (0: none), and where the noise of answers alone might turn the sign."""

    agreements: Agreements
    linear: Chances
    rank: Chances
    sign: IntArray
    noisy: BoolArray


def decide(tried: TriedPair) -> Words:
    """The word for every pair, as its place in `WORDS`."""
    a = tried.agreements
    shown_r, shown_rho = tried.linear.alone <= LEVEL, tried.rank.alone <= LEVEL
    gone = (shown_r & _gone(a.r, a.without_r, a.n)) | (shown_rho & _gone(a.rho, a.without_rho, a.n))
    among_all = np.maximum(tried.linear.adjusted, tried.rank.adjusted) <= LEVEL
    agreed = shown_r & shown_rho & (a.r * a.rho > 0)
    conditions = {
        "untried": ~is_tried(a),
        "carried": gone,
        "split": (shown_r | shown_rho) & is_split(a),
        "doubtful": agreed & (~among_all | tried.noisy),
        "related": agreed & (tried.sign == 0),
        "predicts": agreed & (tried.sign * a.r > 0),
        "reversed": agreed,
        "disputed": shown_r | shown_rho,
        "unsettled": _unsettled(a),
        "hidden": _hidden(a),
        "open": np.ones_like(agreed),
    }
    return np.select(list(conditions.values()), [WORDS.index(word) for word in conditions])


def is_tried(a: Agreements) -> BoolArray:
    """Whether there is anything to judge: four units, and both measures vary over them, also without one of them."""
    able: BoolArray = (a.n >= FEWEST) & ~np.isnan(a.r) & ~np.isnan(a.rho) & ~np.isnan(a.without_r).all(axis=0)
    return able


def is_split(a: Agreements) -> BoolArray:
    """Whether two groups of units make the correlation, and what is left within them would not count with as many units as before."""
    split: BoolArray = (a.between >= BETWEEN) & (np.abs(a.within_r) < critical_values(a.n))
    return split


def critical_values(n: IntArray) -> FloatArray:
    """The smallest |r| that counts with n units; 1 where none does."""
    sizes, place = np.unique(n, return_inverse=True)
    needed: FloatArray = np.array([critical_r(int(k)) or 1.0 for k in sizes], dtype=float)[place].reshape(n.shape)
    return needed


def _gone(whole: FloatArray, without: FloatArray, n: IntArray) -> BoolArray:
    """Whether what is left would not count even with as many units as before: fewer units alone are no reason, nor are steps that few ranks make."""
    weakest = _least(without * np.sign(whole))
    return (weakest < critical_values(n)) & (np.abs(whole) - weakest >= STEP)


def _least(values: FloatArray) -> FloatArray:
    """The smallest over units, those without a value left out."""
    lowest: FloatArray = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return lowest


def _unsettled(a: Agreements) -> BoolArray:
    low, high = _least(a.without_r), -_least(-a.without_r)
    moved: BoolArray = (low < 0) & (high > 0) & (np.abs(low - a.r) >= SWAY) & (np.abs(high - a.r) >= SWAY)
    return moved


def _hidden(a: Agreements) -> BoolArray:
    low, high = _least(a.without_r), -_least(-a.without_r)
    far = np.where(np.abs(low - a.r) > np.abs(high - a.r), low, high)
    return (np.abs(far) >= critical_values(a.n - 1)) & (np.abs(far - a.r) >= SWAY)
