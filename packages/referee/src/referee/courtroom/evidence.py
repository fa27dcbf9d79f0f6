"""Tests of measures.

Does an automatic measure predict the results of hearers? (Belz & Gatt 2008; van Deemter & Gatt 2007.).

Over systems: Pearson and Spearman with intervals, pairwise ranking accuracy, and the range of every coefficient when
any one system (or family of systems) is left out, because one system can determine a whole table. The same over
families, with one vote each and p values among all pairs: the rules (`rules`) decide on these. Over items:
`item_evidence`, `ranking_evidence`. `verdicts` puts the results into words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.admissions import OF_PEOPLE, Admission
from referee.courtroom.agreement import BETWEEN, agree, correlate_subsets, divide_into_two_groups
from referee.courtroom.answer_noise import NoiseCeiling
from referee.courtroom.multiplicity import Table, rank_table, step_down
from referee.courtroom.noise_of_r import AnswerNoise, estimate_noise
from referee.courtroom.rules import WORDS, TriedPair, decide
from referee.courtroom.sheet import SystemScores, average_families, average_family_draws, check_sheet, list_signs
from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.statistics.correlation import Correlation, pearson, spearman
from referee.statistics.frames import as_numbers

__all__ = [
    "ALL",
    "PEOPLE",
    "Division",
    "Evidence",
    "FamilyEvidence",
    "SystemScores",
    "Withdrawal",
    "judge_sheet",
    "pairwise_accuracy",
    "try_sheet",
]

ALL, PEOPLE = "systems", "systems and people"
NEARLY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A coefficient without one family of systems."""

    who: str
    found: Correlation

    @property
    def r(self) -> float:
        """The coefficient (0 if it is undefined)."""
        return 0.0 if self.found.r is None else self.found.r


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyEvidence:
    """Agreement over families with one vote each (the mean of its systems): the basis of the verdict.

    `p_linear` and `p_rank` are permutation p values of the single pair; `p_adjusted` is the larger of both, adjusted
    for all pairs. None where undefined.
    """

    n: int
    pearson: Correlation
    spearman: Correlation
    lowest: Withdrawal | None
    highest: Withdrawal | None
    rank_lowest: Withdrawal | None
    rank_highest: Withdrawal | None
    p_linear: float | None
    p_rank: float | None
    p_adjusted: float | None
    noise: AnswerNoise | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """Two groups of systems that make a correlation.

    The smaller one by name, the size of the other, the share of variance between them (in whichever measure has less
    of it), and r within them.
    """

    group: tuple[str, ...]
    others: int
    between: float
    within: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One automatic measure against one hearer measure over one set of rows.

    `lowest` and `highest` are the extremes over leaving out one family at a time; `accuracy` is the share of `pairs` of
    systems that the measure orders as hearers do. None where undefined (a constant column, too few systems). `word` is
    the finding of the rules over families (empty with people among the rows), `division` two groups of systems that
    explain the correlation, `noise` the effect of the answers' noise (None: the error of the means is unknown),
    `ceiling` the highest possible agreement.
    """

    automatic: str
    hearer: str
    domain: str | None
    rows: str
    n: int
    sign: int
    pearson: Correlation
    spearman: Correlation
    lowest: Withdrawal | None
    highest: Withdrawal | None
    rank_lowest: Withdrawal | None
    rank_highest: Withdrawal | None
    accuracy: float | None
    pairs: int
    families: FamilyEvidence | None = None
    word: str = ""
    division: Division | None = None
    noise: AnswerNoise | None = None
    ceiling: NoiseCeiling | None = None
    admission: Admission = OF_PEOPLE


def try_sheet(sheet: SystemScores, seed: int = 1, progress: ProgressCallback = iterate_silently) -> list[Evidence]:
    """Test every automatic measure of a sheet against every hearer measure.

    Over systems, and over systems and people where both are there.
    """
    check_sheet(sheet)
    alone = sheet.without_people()
    judged = _judge_families(alone, seed, progress)
    evidence = [_weigh_pair(alone, a, h, ALL, judged[a, h]) for h in alone.hearer for a in alone.automatic]
    if len(alone.systems) < len(sheet.systems):
        evidence += [_weigh_pair(sheet, a, h, PEOPLE, None) for h in sheet.hearer for a in sheet.automatic]
    return evidence


def judge_sheet(sheet: SystemScores, seed: int = 1) -> dict[tuple[str, str], str]:
    """Return only the finding of every pair of measures over systems."""
    check_sheet(sheet)
    return {
        pair: judged.word for pair, judged in _judge_families(sheet.without_people(), seed, iterate_silently).items()
    }


# -- over families -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """The results over families for one pair."""

    word: str
    p_linear: float
    p_rank: float
    p_adjusted: float
    noise: AnswerNoise | None


def _judge_families(sheet: SystemScores, seed: int, progress: ProgressCallback) -> dict[tuple[str, str], _Judged]:
    """Compute the p values, agreement and finding of every pair of measures over families."""
    table = average_families(sheet)
    linear, rank = (step_down(t, seed, progress=progress) for t in (table, rank_table(table)))
    agreements = agree(*table)
    noise = _estimate_family_noise(sheet, table)
    turned = {key: n.low <= 0 <= n.high for key, n in noise.items()}
    noisy = np.array([[turned.get((a, h), False) for h in sheet.hearer] for a in sheet.automatic], dtype=bool)
    shape = agreements.r.shape
    words = decide(TriedPair(agreements, linear, rank, list_signs(sheet), noisy.reshape(shape)))
    return {
        (a, h): _Judged(
            word=WORDS[words[i, j]],
            p_linear=float(linear.alone[i, j]),
            p_rank=float(rank.alone[i, j]),
            p_adjusted=float(max(linear.adjusted[i, j], rank.adjusted[i, j])),
            noise=noise.get((a, h)),
        )
        for i, a in enumerate(sheet.automatic)
        for j, h in enumerate(sheet.hearer)
    }


def _estimate_family_noise(sheet: SystemScores, table: Table) -> dict[tuple[str, str], AnswerNoise]:
    """Estimate the noise of every coefficient over families, for hearer measures with answers."""
    noises = {}
    for j, hearer in enumerate(sheet.hearer):
        if hearer not in sheet.draws:
            continue
        drawn = average_family_draws(sheet, hearer)
        for i, automatic in enumerate(sheet.automatic):
            if (noise := estimate_noise(table[0][:, i], table[1][:, j], drawn)) is not None:
                noises[automatic, hearer] = noise
    return noises


def _weigh_pair(sheet: SystemScores, automatic: str, hearer: str, rows: str, judged: _Judged | None) -> Evidence:
    """Collect the evidence for one pair of measures, over systems and over families."""
    x, y = as_numbers(sheet.automatic[automatic], automatic), as_numbers(sheet.hearer[hearer], hearer)
    complete = ~(np.isnan(x) | np.isnan(y))
    x, y = x[complete], y[complete]
    systems = [s for s, has_both in zip(sheet.systems, complete, strict=True) if has_both]
    families = [sheet.family_of(s) for s in systems]
    sign = sheet.sign(automatic, hearer)
    accuracy, pairs = pairwise_accuracy(x, y, sign)
    moved = _correlate_without_each_family(x, y, families)
    return Evidence(
        automatic=automatic,
        hearer=hearer,
        domain=sheet.domain,
        rows=rows,
        n=len(x),
        sign=sign,
        **moved,
        accuracy=accuracy,
        pairs=pairs,
        families=None if judged is None else _weigh_families(x, y, families, judged, moved),
        word="" if judged is None else judged.word,
        division=_find_division(x, y, systems),
        noise=estimate_noise(x, y, drawn[:, complete].T) if (drawn := sheet.draws.get(hearer)) is not None else None,
        ceiling=sheet.ceilings.get(hearer),
        admission=sheet.admissions.get(hearer, OF_PEOPLE),
    )


def _correlate_without_each_family(x: FloatArray, y: FloatArray, families: Sequence[str]) -> dict[str, Any]:
    """Return both coefficients, and their lowest and highest values when one family is left out."""
    names = list(dict.fromkeys(families))
    left = np.array([[f != family for f in families] for family in names], dtype=bool).reshape(len(names), len(x))
    r, rho = correlate_subsets(x, y, left)

    def withdraw(index: int, method: Callable[..., Correlation]) -> Withdrawal:
        return Withdrawal(who=names[index], found=_correlate(x[left[index]], y[left[index]], method))

    return {
        "pearson": _correlate(x, y, pearson),
        "spearman": _correlate(x, y, spearman),
        "lowest": None if np.isnan(r).all() else withdraw(int(np.nanargmin(r)), pearson),
        "highest": None if np.isnan(r).all() else withdraw(int(np.nanargmax(r)), pearson),
        "rank_lowest": None if np.isnan(rho).all() else withdraw(int(np.nanargmin(rho)), spearman),
        "rank_highest": None if np.isnan(rho).all() else withdraw(int(np.nanargmax(rho)), spearman),
    }


def _weigh_families(
    x: FloatArray, y: FloatArray, families: Sequence[str], judged: _Judged, moved: dict[str, Any]
) -> FamilyEvidence:
    """Collect the evidence over the means of families, for systems with both values.

    `moved` are the leave-one-out results over systems, which apply if every system is its own family.
    """
    names = list(dict.fromkeys(families))
    if len(names) < len(families):
        codes = np.array([names.index(f) for f in families], dtype=np.int64)
        counts = np.bincount(codes)
        moved = _correlate_without_each_family(np.bincount(codes, x) / counts, np.bincount(codes, y) / counts, names)
    tried = judged.word != "untried"
    return FamilyEvidence(
        n=len(names),
        **moved,
        p_linear=judged.p_linear if tried else None,
        p_rank=judged.p_rank if tried else None,
        p_adjusted=judged.p_adjusted if tried else None,
        noise=judged.noise,
    )


def _find_division(x: FloatArray, y: FloatArray, systems: Sequence[str]) -> Division | None:
    """Find two groups of systems that explain most of the variance of both measures; None if there are none."""
    if len(x) < 4:
        return None
    between, within, upper = divide_into_two_groups(
        x[:, None, None], y[:, None, None], np.ones((len(x), 1, 1), dtype=bool)
    )
    if not between[0, 0] >= BETWEEN:
        return None
    above = [s for s, up in zip(systems, upper[:, 0, 0], strict=True) if up]
    below = [s for s in systems if s not in above]
    group = min(above, below, key=len)
    return Division(
        group=tuple(group), others=len(systems) - len(group), between=float(between[0, 0]), within=float(within[0, 0])
    )


def _correlate(x: FloatArray, y: FloatArray, method: Callable[..., Correlation]) -> Correlation:
    """Apply a correlation to at least three systems; with two the coefficient is undefined."""
    return method(x, y) if len(x) > 2 else Correlation(r=None, n=len(x))


def pairwise_accuracy(x: Iterable[float], y: Iterable[float], sign: int = 1) -> tuple[float | None, int]:
    """Return the proportion of pairs of systems that x orders as y does, and the number of pairs that differ in y. A tie in x counts half."""
    pairs = [
        (x1 - x2, y1 - y2) for (x1, y1), (x2, y2) in combinations(zip(x, y, strict=True), 2) if abs(y1 - y2) > NEARLY
    ]
    if not pairs or not sign or not any(abs(a) > NEARLY for a, _ in pairs):
        return None, len(pairs)
    right = sum(0.5 if abs(a) <= NEARLY else float(a * b * sign > 0) for a, b in pairs)
    return right / len(pairs), len(pairs)
