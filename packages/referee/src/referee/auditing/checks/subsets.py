"""Checks of letters of homogeneous subsets from means, standard deviations and counts (Tukey's HSD as SPSS prints it).

Letters are compared by their meaning: two systems without a common letter differ, two with one do not. Each pair is
decided by whether its difference can be on either side of the critical difference when all inputs move within their
rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from referee.auditing.checks.variances import CellMeans, read_cells
from referee.auditing.claims import AuditRow, AuditVerdict, CannotTell, Change, PrintedClaim, Unknown
from referee.auditing.intervals import find_extremes
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import CellPlace, Number
from referee.auditing.value_claims import list_values
from referee.statistics.homogeneous_subsets import Subsets, find_studentised_range, homogeneous_subsets


@dataclass(frozen=True, kw_only=True)
class _Tukey:
    """The comparison of all systems of one measure."""

    cells: CellMeans
    letters: tuple[str, ...]
    descending: bool
    alpha: float

    @cached_property
    def _middle(self) -> np.ndarray:
        """Return the printed means as one row."""
        return list_values(self.cells.inputs)[None, :]

    @cached_property
    def means(self) -> np.ndarray:
        return np.asarray(self.cells.system_means(self._middle)[0])

    @cached_property
    def slack(self) -> np.ndarray:
        """Return how far the mean of every system may lie from the computed one."""
        halves = np.array([n.half for n in self.cells.means]).reshape(self.cells.counts.shape)
        return np.asarray((halves * self.cells.counts).sum(axis=1) / self.cells.counts.sum(axis=1))

    @cached_property
    def critical(self) -> tuple[float, float]:
        """The smallest and largest critical difference that rounding allows."""
        halves = np.array([n.half for n in self.cells.inputs])
        sizes = self.cells.counts.sum(axis=1)
        # Counts are unequal where trials timed out; SPSS then takes their harmonic mean.
        n = len(sizes) / (1 / sizes).sum()
        q = find_studentised_range(len(sizes), self.cells.error_df, self.alpha)
        # Errors and means move as if they were independent: too wide rather than too narrow.
        low, high = find_extremes(self.cells.error_ms, self._middle[0], halves)
        return q * np.sqrt(low / n), q * np.sqrt(high / n)

    @cached_property
    def is_defined(self) -> bool:
        """Whether the means and standard deviations leave an error variance to compare with."""
        error = float(self.cells.error_ms(self._middle)[0])
        return np.isfinite(error) and error > 0 and not any(map(np.isnan, self.critical))

    @cached_property
    def found(self) -> Subsets:
        """Return the recomputed subsets."""
        error = float(self.cells.error_ms(self._middle)[0])
        means = dict(zip(self.cells.labels, map(float, self.means), strict=True))
        counts = dict(zip(self.cells.labels, map(float, self.cells.counts.sum(axis=1)), strict=True))
        return homogeneous_subsets(
            means,
            error_ms=error,
            error_df=self.cells.error_df,
            counts=counts,
            alpha=self.alpha,
            descending=self.descending,
        )

    def find_disputes(self, at: int) -> tuple[list[str], list[str]]:
        """Return the systems against which the printed letters of one system are wrong as computed, and wrong for any
        rounding.
        """
        wrong, surely = [], []
        low, high = self.critical
        for other in range(len(self.letters)):
            if other == at:
                continue
            tied = bool(set(self.letters[at]) & set(self.letters[other]))
            gap, slack = abs(self.means[at] - self.means[other]), self.slack[at] + self.slack[other]
            if tied != (gap <= self.found.hsd):
                wrong.append(self.cells.labels[other])
                if gap - slack > high if tied else gap + slack <= low:
                    surely.append(self.cells.labels[other])
        return wrong, surely


@dataclass(frozen=True, kw_only=True)
class LettersClaim(PrintedClaim):
    """The letters of one system."""

    tukey: _Tukey
    at: int
    place: CellPlace

    @property
    def text_place(self) -> CellPlace:
        return self.place

    @property
    def cells(self) -> tuple[Number, ...]:
        return self.tukey.cells.inputs

    def changed(self, change: Change) -> Self:
        """Return the claim with changed numbers."""
        old = self.tukey.cells
        cells = replace(old, means=tuple(map(change, old.means)), sds=tuple(map(change, old.sds)))
        return replace(self, tukey=replace(self.tukey, cells=cells))

    def judge(self) -> AuditRow:
        """Compare the printed letters with the recomputed ones."""
        if not self.tukey.is_defined:
            reason = f"{self.because}: the printed standard deviations leave no error variance"
            return self.row(AuditVerdict.UNDETERMINED, reason, printed=self.tukey.letters[self.at])
        wrong, surely = self.tukey.find_disputes(self.at)
        verdict = AuditVerdict.DOES_NOT_FOLLOW if surely else AuditVerdict.ROUNDING if wrong else AuditVerdict.FOLLOWS
        against = f"{self.because}; disagrees against {', '.join(surely or wrong)}" if wrong else ""
        recomputed_letters = self.tukey.found.letters_of(self.tukey.cells.labels[self.at])
        return self.row(verdict, against, printed=self.tukey.letters[self.at], recomputed=recomputed_letters)


def check_subsets(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return one claim per system of a letter table."""
    table = paper.table(section.get_required("printed", str), section)
    column, label = section.get("letters", "letters", str), section.get("label", None, str)
    labels = {(table.text(row, label) if label else row): row for row in table.labels}
    rows = {name: table.text(row, column) for name, row in labels.items()}
    alpha, descending = float(section.get("alpha", 0.05, float)), section.get("descending", False, bool)
    subjects = {row: section.subject(paper, table, f"letters of {row}") for row in rows}
    try:
        cells = _get_comparable_cells(read_cells(paper, section))
    except CannotTell as lack:
        return [Unknown(subject=subject, because=str(lack)) for subject in subjects.values()]
    missing = [row for row in cells.labels if row not in rows]
    if missing:
        raise section.make_mistake(
            f"table {table.name} gives no subset letters (A, B, …) for {', '.join(missing)}",
            "give every system its letters, or list it under `without`",
        )
    letters = tuple("".join(rows[row].split()) for row in cells.labels)
    tukey = _Tukey(cells=cells, letters=letters, descending=descending, alpha=alpha)
    because = f"Tukey HSD, k = {len(letters)}, df = {cells.error_df}"
    order = [cells.labels.index(row) for row in rows if row in cells.labels]
    places = {name: table.place(row, column) for name, row in labels.items()}
    return [
        LettersClaim(subject=subjects[name], because=because, tukey=tukey, at=i, place=places[name])
        for i, name in ((i, cells.labels[i]) for i in order)
    ]


def _get_comparable_cells(cells: CellMeans) -> CellMeans:
    """Return the cells if they can be compared. Raises CannotTell otherwise."""
    if not cells.sds:
        raise CannotTell("no standard deviations are printed")
    if cells.error_df < 1:
        raise CannotTell("one observation per cell leaves no error")
    return cells
