"""The rules of the court.

They map arrays of agreements to one finding per pair of measures, for real and for permuted tables.

An association is shown if linear and rank agreement both have p ≤ .05 among all pairs of the table. It holds only if it
would still be significant without any one unit, at the same number of units (or has changed by less than `STEP`), if it
is not explained by two groups of units, and if the noise of the answers cannot reverse its sign. An association is
hidden if leaving one unit out changes r by `SWAY` or more, to a significant value.
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
"""From the strongest to the weakest; `decide` returns positions in this list."""
Words = npt.NDArray[np.int64]


class TriedPair(NamedTuple):
    """A table as the rules see it, by automatic and hearer measure.

    Agreements, chances of the linear and of the rank coefficients, the sign that good measures would have (0: none),
    and where the noise of answers alone might turn the sign.
    """

    agreements: Agreements
    linear: Chances
    rank: Chances
    sign: IntArray
    noisy: BoolArray


def decide(tried: TriedPair) -> Words:
    """Return the finding of every pair as an index into `WORDS`."""
    a = tried.agreements
    shown_r, shown_rho = tried.linear.alone <= LEVEL, tried.rank.alone <= LEVEL
    gone = (shown_r & _is_lost(a.r, a.without_r, a.n)) | (shown_rho & _is_lost(a.rho, a.without_rho, a.n))
    among_all = np.maximum(tried.linear.adjusted, tried.rank.adjusted) <= LEVEL
    agreed = shown_r & shown_rho & (a.r * a.rho > 0)
    conditions = {
        "untried": ~is_testable(a),
        "carried": gone,
        "split": (shown_r | shown_rho) & is_split(a),
        "doubtful": agreed & (~among_all | tried.noisy),
        "related": agreed & (tried.sign == 0),
        "predicts": agreed & (tried.sign * a.r > 0),
        "reversed": agreed,
        "disputed": shown_r | shown_rho,
        "unsettled": _is_sign_unsettled(a),
        "hidden": _is_hidden(a),
        "open": np.ones_like(agreed),
    }
    return np.select(list(conditions.values()), [WORDS.index(word) for word in conditions])


def is_testable(a: Agreements) -> BoolArray:
    """Return whether a pair can be judged: at least four units, and both measures vary, also without any one unit."""
    able: BoolArray = (a.n >= FEWEST) & ~np.isnan(a.r) & ~np.isnan(a.rho) & ~np.isnan(a.without_r).all(axis=0)
    return able


def is_split(a: Agreements) -> BoolArray:
    """Return whether two groups of units explain the correlation, so that it would not be significant within them at
    the same number of units.
    """
    split: BoolArray = (a.between >= BETWEEN) & (np.abs(a.within_r) < compute_critical_values(a.n))
    return split


def compute_critical_values(n: IntArray) -> FloatArray:
    """Return the smallest |r| that is significant with n units; 1 where none is."""
    sizes, place = np.unique(n, return_inverse=True)
    needed: FloatArray = np.array([critical_r(int(k)) or 1.0 for k in sizes], dtype=float)[place].reshape(n.shape)
    return needed


def _is_lost(whole: FloatArray, without: FloatArray, n: IntArray) -> BoolArray:
    """Return whether the association is no longer significant without one unit, at the same number of units.

    Fewer units alone do not count, nor do the steps of ranks over few units.
    """
    weakest = _find_minimum(without * np.sign(whole))
    return (weakest < compute_critical_values(n)) & (np.abs(whole) - weakest >= STEP)


def _find_minimum(values: FloatArray) -> FloatArray:
    """Return the smallest value over units, ignoring NaN."""
    lowest: FloatArray = np.where(np.isnan(values), np.inf, values).min(axis=0, initial=np.inf)
    return lowest


def _is_sign_unsettled(a: Agreements) -> BoolArray:
    """Return whether leaving one unit out can make r positive or negative, with changes of at least `SWAY`."""
    low, high = _find_minimum(a.without_r), -_find_minimum(-a.without_r)
    moved: BoolArray = (low < 0) & (high > 0) & (np.abs(low - a.r) >= SWAY) & (np.abs(high - a.r) >= SWAY)
    return moved


def _is_hidden(a: Agreements) -> BoolArray:
    """Return whether leaving one unit out makes r significant, with a change of at least `SWAY`."""
    low, high = _find_minimum(a.without_r), -_find_minimum(-a.without_r)
    far = np.where(np.abs(low - a.r) > np.abs(high - a.r), low, high)
    return (np.abs(far) >= compute_critical_values(a.n - 1)) & (np.abs(far - a.r) >= SWAY)
