"""The accuracy with which people predict other people.

The most that a hearer can be expected to reach, where several people answered the same description.

*AUC*: how often the others found the target foretells the success of the one left out. A few others are a noisy forecast, so this is rather too low.
*Kappa*: two different people's choices, as a hearer's and a person's are compared on the card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.hearers.passports.areas import Truths, compute_auc
from referee.statistics.frames import IntArray

LEAST_QUESTIONS = 20
METHOD = "leave one person out"
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """People against people.

    Area of the others for the one left out, kappa of two people, and the descriptions and answers behind it.

    `chi2`, `df` and `p` are of the test that people identify the target equally often by every description; None where they always or never do.
    """

    auc: float | None
    kappa: float | None
    questions: int
    n: int
    method: str
    chi2: float | None = None
    df: int | None = None
    p: float | None = None

    @property
    def has_differences(self) -> bool:
        """Return whether descriptions differ in how often people identify the target, so that a hearer can rank them."""
        return self.p is None or self.p <= LEVEL


def find_ceiling(questions: IntArray, right: Truths, choices: Sequence[str]) -> Ceiling | None:
    """Return the ceiling over descriptions with two answers or more; None with fewer than twenty of them."""
    _, codes, sizes = np.unique(questions, return_inverse=True, return_counts=True)
    repeated = sizes[codes] > 1
    if int((sizes > 1).sum()) < LEAST_QUESTIONS:
        return None
    codes = np.unique(codes[repeated], return_inverse=True)[1].astype(np.int64)
    taken = np.unique(np.array(choices)[repeated], return_inverse=True)[1].astype(np.int64)
    chi2, p = _test_differences(codes, right[repeated])
    return Ceiling(
        chi2=chi2,
        df=None if chi2 is None else int(codes.max()),
        p=p,
        auc=compute_auc(_average_other_people(codes, right[repeated]), right[repeated]),
        kappa=_compute_kappa(codes, taken),
        questions=int(codes.max()) + 1,
        n=int(repeated.sum()),
        method=METHOD,
    )


def _test_differences(codes: IntArray, right: Truths) -> tuple[float | None, float | None]:
    """Return Pearson's chi-square of successes and failures by description, and its p.

    None if all or no answers are correct.
    """
    from scipy.special import chdtrc

    successes, people = np.bincount(codes, right), np.bincount(codes)
    rate = float(successes.sum() / people.sum())
    if rate in (0.0, 1.0):
        return None, None
    chi2 = float((np.square(successes - people * rate) / (people * rate * (1 - rate))).sum())
    return chi2, float(chdtrc(int(codes.max()), chi2))


def _average_other_people(codes: IntArray, right: Truths) -> FloatArray:
    """Return, for every answer, the proportion of the other people who found the target by the same description."""
    successes, people = np.bincount(codes, right), np.bincount(codes)
    share: FloatArray = (successes[codes] - right) / (people[codes] - 1)
    return share


def _compute_kappa(codes: IntArray, taken: IntArray) -> float | None:
    """Return the agreement of two people on one description beyond that of their overall habits.

    Every answer counts once.
    """
    counts = np.zeros((int(codes.max()) + 1, int(taken.max()) + 1))
    np.add.at(counts, (codes, taken), 1.0)
    sizes = counts.sum(axis=1)
    agreed = float(((counts * (counts - 1)).sum(axis=1) / (sizes - 1)).sum() / sizes.sum())
    shares = counts.sum(axis=0) / sizes.sum()
    expected = float(shares @ shares)
    return (agreed - expected) / (1 - expected) if expected < 1 else None
