"""The court tries measures: does a number that needs no hearer say what hearers do? (Belz & Gatt 2008; van Deemter & Gatt 2007.)

Over systems: Pearson and Spearman with intervals, pairwise ranking accuracy, and how far every coefficient moves when any one
system (or family of systems) is left out, for one system can carry a whole table. Over items: `item_evidence`. `verdicts` says in words what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from operator import attrgetter

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.correlation import Correlation, pearson, spearman
from referee.statistics.frames import as_numbers

__all__ = [
    "ALL",
    "PEOPLE",
    "Evidence",
    "SystemScores",
    "Withdrawal",
    "pairwise_accuracy",
    "try_sheet",
]

ALL, PEOPLE = "systems", "systems and people"
BETTER = {"higher": 1, "lower": -1, "none": 0}
NEARLY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """One value per system (None: not measured) of automatic and of hearer measures, in one domain or overall.

    `better` says of every measure whether "higher" or "lower" is better ("none": neither; default higher). `people` names the rows that
    are human speakers. `families` maps a row to the family that is left out as a whole; a row without one is its own family.
    """

    systems: tuple[str, ...]
    automatic: Mapping[str, Sequence[float | None]]
    hearer: Mapping[str, Sequence[float | None]]
    better: Mapping[str, str] = field(default_factory=dict)
    people: frozenset[str] = frozenset()
    families: Mapping[str, str] = field(default_factory=dict)
    domain: str | None = None

    def without_people(self) -> SystemScores:
        """The same sheet without the rows of human speakers."""
        kept = [i for i, system in enumerate(self.systems) if system not in self.people]

        def chosen(columns: Mapping[str, Sequence[float | None]]) -> dict[str, list[float | None]]:
            return {name: [values[i] for i in kept] for name, values in columns.items()}

        return SystemScores(
            systems=tuple(self.systems[i] for i in kept),
            automatic=chosen(self.automatic),
            hearer=chosen(self.hearer),
            better=self.better,
            families=self.families,
            domain=self.domain,
        )

    def sign(self, automatic: str, hearer: str) -> int:
        """+1 where a good measure correlates positively, -1 where negatively, 0 where nobody said which way is better."""
        return BETTER[self.better.get(automatic, "higher")] * BETTER[self.better.get(hearer, "higher")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """What is left of a coefficient when one family of systems is left out."""

    who: str
    found: Correlation

    @property
    def r(self) -> float:
        """The coefficient; withdrawals that leave none are not kept."""
        return 0.0 if self.found.r is None else self.found.r


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One automatic measure against one hearer measure over one set of rows.

    `lowest` and `highest` are the extremes over leaving out one family at a time; `accuracy` is the share of `pairs` of systems that
    the measure puts in the order in which hearers put them. None where a thing is not defined (a constant column, too few systems).
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


def try_sheet(sheet: SystemScores) -> list[Evidence]:
    """Every automatic measure against every hearer measure; over systems, and over systems and people where both are there."""
    _check(sheet)
    apart = sheet.without_people()
    settings = [(ALL, apart)] + ([(PEOPLE, sheet)] if len(apart.systems) < len(sheet.systems) else [])
    return [_weigh(s, a, h, rows) for rows, s in settings for h in s.hearer for a in s.automatic]


def _check(sheet: SystemScores) -> None:
    for name, values in [*sheet.automatic.items(), *sheet.hearer.items()]:
        if len(values) != len(sheet.systems):
            raise InputError(
                f"{name} has {len(values)} values for {len(sheet.systems)} systems",
                remedy="give one value per system, None where there is none",
            )
        if sheet.better.get(name, "higher") not in BETTER:
            raise InputError(f"better of {name} is {sheet.better[name]!r}", remedy=f"one of {', '.join(BETTER)}")


def _weigh(sheet: SystemScores, automatic: str, hearer: str, rows: str) -> Evidence:
    x, y = as_numbers(sheet.automatic[automatic], automatic), as_numbers(sheet.hearer[hearer], hearer)
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = x[there], y[there]
    systems = [s for s, known in zip(sheet.systems, there, strict=True) if known]
    families = [sheet.families.get(s, s) for s in systems]
    sign = sheet.sign(automatic, hearer)
    accuracy, pairs = pairwise_accuracy(x, y, sign)
    moved, ranked = _withdraw(x, y, families, pearson), _withdraw(x, y, families, spearman)
    return Evidence(
        automatic=automatic,
        hearer=hearer,
        domain=sheet.domain,
        rows=rows,
        n=len(x),
        sign=sign,
        pearson=_correlate(x, y, pearson),
        spearman=_correlate(x, y, spearman),
        lowest=min(moved, key=attrgetter("r"), default=None),
        highest=max(moved, key=attrgetter("r"), default=None),
        rank_lowest=min(ranked, key=attrgetter("r"), default=None),
        rank_highest=max(ranked, key=attrgetter("r"), default=None),
        accuracy=accuracy,
        pairs=pairs,
    )


def _correlate(x: FloatArray, y: FloatArray, method: Callable[..., Correlation]) -> Correlation:
    """A coefficient of at least three systems: two always lie on a line."""
    return method(x, y) if len(x) > 2 else Correlation(r=None, n=len(x))


def _withdraw(
    x: FloatArray, y: FloatArray, families: Sequence[str], method: Callable[..., Correlation]
) -> list[Withdrawal]:
    """The coefficient without each family in turn, where it is still defined."""
    names = np.array(families, dtype=object)
    left = {who: names != who for who in dict.fromkeys(families)}
    found = [Withdrawal(who=who, found=_correlate(x[kept], y[kept], method)) for who, kept in left.items()]
    return [w for w in found if w.found.r is not None]


def pairwise_accuracy(x: Iterable[float], y: Iterable[float], sign: int = 1) -> tuple[float | None, int]:
    """Share of pairs of systems that x orders as y does (a tie in x is half right), and the pairs: those that y tells apart."""
    pairs = [
        (x1 - x2, y1 - y2) for (x1, y1), (x2, y2) in combinations(zip(x, y, strict=True), 2) if abs(y1 - y2) > NEARLY
    ]
    if not pairs or not sign or not any(abs(a) > NEARLY for a, _ in pairs):
        return None, len(pairs)
    right = sum(0.5 if abs(a) <= NEARLY else float(a * b * sign > 0) for a, b in pairs)
    return right / len(pairs), len(pairs)
