"""A sheet of the court: one value per system of automatic and of hearer measures, and the same as means of families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from referee import __version__
from referee.contracts import FloatArray
from referee.courtroom.admissions import Admission
from referee.courtroom.answer_noise import NoiseCeiling
from referee.courtroom.multiplicity import Table
from referee.errors import InputError
from referee.signature import fingerprint, text_digests
from referee.statistics.frames import IntArray, as_numbers

BETTER = {"higher": 1, "lower": -1, "none": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """One value per system (None: not measured) of automatic and of hearer measures, in one domain or overall.

    `better` maps a measure to "higher" or "lower" ("none": neither; default higher). `people` names the rows of human
    speakers. `families` maps a row to its family, which has one vote and is left out as a whole; other rows are their
    own families. For hearer measures with answers: `draws` are values by resample and system (`answer_noise`),
    `ceilings` the highest possible agreement, `admissions` the hearers (people by default).
    """

    systems: tuple[str, ...]
    automatic: Mapping[str, Sequence[float | None]]
    hearer: Mapping[str, Sequence[float | None]]
    better: Mapping[str, str] = field(default_factory=dict)
    people: frozenset[str] = frozenset()
    families: Mapping[str, str] = field(default_factory=dict)
    domain: str | None = None
    draws: Mapping[str, FloatArray] = field(default_factory=dict)
    ceilings: Mapping[str, NoiseCeiling] = field(default_factory=dict)
    admissions: Mapping[str, Admission] = field(default_factory=dict)

    def without_people(self) -> SystemScores:
        """Return the same sheet without the rows of human speakers."""
        indices = [i for i, system in enumerate(self.systems) if system not in self.people]

        def chosen(columns: Mapping[str, Sequence[float | None]]) -> dict[str, list[float | None]]:
            return {name: [values[i] for i in indices] for name, values in columns.items()}

        return SystemScores(
            systems=tuple(self.systems[i] for i in indices),
            automatic=chosen(self.automatic),
            hearer=chosen(self.hearer),
            better=self.better,
            families=self.families,
            domain=self.domain,
            draws={name: drawn[:, indices] for name, drawn in self.draws.items()},
            ceilings=self.ceilings,
            admissions=self.admissions,
        )

    def family_of(self, system: str) -> str:
        """Return the family of a system; a system without one is its own family."""
        return self.families.get(system, system)

    def sign(self, automatic: str, hearer: str) -> int:
        """Return the sign of a correlation with a good measure: +1, -1, or 0 if no direction is better."""
        return BETTER[self.better.get(automatic, "higher")] * BETTER[self.better.get(hearer, "higher")]


def check_sheet(sheet: SystemScores) -> None:
    """Raise InputError unless every column has one value per system and a known better direction.

    An error that names the column where not.
    """
    for name, values in [*sheet.automatic.items(), *sheet.hearer.items()]:
        if len(values) != len(sheet.systems):
            raise InputError(
                f"the measure {name!r} has {len(values)} values for {len(sheet.systems)} systems",
                remedy="give one value per system, and None for a missing value",
            )
        if sheet.better.get(name, "higher") not in BETTER:
            raise InputError(
                f"the direction 'better' of the measure {name!r} is {sheet.better[name]!r}",
                remedy=f"use one of {', '.join(BETTER)}",
            )


def sign_sheets(sheets: Iterable[SystemScores], seed: int) -> str:
    """Return the signature of a court on printed values: a digest of the rows in any order, and the seed."""
    rows = (
        repr((s.domain, system, s.family_of(system), system in s.people, sorted(_list_values(s, i))))
        for s in sheets
        for i, system in enumerate(s.systems)
    )
    return f"court|table:{fingerprint(text_digests(rows))}|seed:{seed}|version:{__version__}"


def _list_values(sheet: SystemScores, row: int) -> Iterable[tuple[str, str, str, str]]:
    """Yield side, name, better direction and value of each measure in a row."""
    for side, columns in (("automatic", sheet.automatic), ("hearer", sheet.hearer)):
        for name, values in columns.items():
            yield side, name, sheet.better.get(name, "higher"), repr(values[row])


def average_families(sheet: SystemScores) -> Table:
    """Return a sheet as means of families: families by automatic and by hearer measures."""
    members = _index_families(sheet)
    return _average_columns(sheet.automatic, members), _average_columns(sheet.hearer, members)


def _index_families(sheet: SystemScores) -> list[list[int]]:
    """Return the system indices of each family."""
    names = dict.fromkeys(map(sheet.family_of, sheet.systems))
    return [[i for i, s in enumerate(sheet.systems) if sheet.family_of(s) == name] for name in names]


def _average_columns(columns: Mapping[str, Sequence[float | None]], members: Sequence[Sequence[int]]) -> FloatArray:
    """Return means of families by measures, over the systems with a value."""
    values = np.array([as_numbers(column, name) for name, column in columns.items()]).reshape(len(columns), -1)
    return np.array([_average_present(values[:, part]) for part in members]).reshape(len(members), len(columns))


def _average_present(values: FloatArray) -> FloatArray:
    """Return row means of the present values; NaN for a row without any."""
    present = ~np.isnan(values)
    totals, counts = np.where(present, values, 0.0).sum(axis=-1), present.sum(axis=-1)
    means: FloatArray = np.divide(totals, counts, out=np.full(np.shape(totals), np.nan), where=counts > 0)
    return means


def average_family_draws(sheet: SystemScores, hearer: str) -> FloatArray:
    """Return bootstrap draws of a hearer measure as means of families: families by draws."""
    drawn, members = sheet.draws[hearer], _index_families(sheet)
    return np.array([_average_present(drawn[:, part]) for part in members]).reshape(len(members), len(drawn))


def list_signs(sheet: SystemScores) -> IntArray:
    """Return the sign that a good measure would have, by automatic and hearer measure."""
    signs = [[sheet.sign(a, h) for h in sheet.hearer] for a in sheet.automatic]
    return np.array(signs, dtype=np.int64).reshape(len(sheet.automatic), len(sheet.hearer))
