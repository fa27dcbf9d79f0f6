"""Rows of the challenge tables: tasks, and hearers' times and errors (Gatt et al. 2008, Table 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.records import Outcome
from referee.show.reports.material import Material
from referee.show.reports.sheets import Cell, Sheet

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Extrinsic", "extrinsic", "task_of"]


def task_of(material: Material, system: str) -> frozenset[str]:
    """Return AS for systems with properties, REG for systems with words, or the task in the catalogue."""
    tagged = material.tags(system).get("task")
    if tagged in ("AS", "R", "REG"):
        # A whole system selects as well: where its sets were scored it stands in the tables of both tasks.
        return frozenset({tagged, "AS"} if tagged == "REG" and _measured(material, system, "set/") else {tagged})
    return frozenset(
        task for task, family in (("AS", "set/"), ("REG", "string/")) if _measured(material, system, family)
    )


def _measured(material: Material, system: str, family: str) -> bool:
    return any(m.startswith(family) and material.value(system, m) is not None for m in material.measures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extrinsic:
    """Table 11, and the times behind it for the subsets of Table 12 (system, domain, value)."""

    descriptives: Sheet
    reading: pl.DataFrame
    identification: pl.DataFrame


def extrinsic(material: Material) -> Extrinsic | None:
    """Times and errors by system and domain; None when no hearer answered any system."""
    import polars as pl

    rows = [r for r in material.responses if r.system is not None]
    if not rows:
        return None
    timeouts = sum(r.outcome is Outcome.TIMEOUT for r in rows)
    other = sum(r.outcome not in (Outcome.ENTITY, Outcome.TIMEOUT) for r in rows)
    schema = {"trial": pl.String, "system": pl.String, "rt": pl.Float64, "it": pl.Float64, "error": pl.Float64}
    answered = [
        # With several targets, choosing any one of them is correct.
        (r.trial, r.system, r.reading_ms, r.identification_ms, float(r.entity not in material.targets.get(r.trial, ())))
        for r in rows
        if r.outcome is Outcome.ENTITY
    ]
    frame = pl.DataFrame(answered, schema=schema, orient="row").join(
        material.trials.select("trial", "domain"), on="trial", how="left"
    )
    notes = [f"{len(answered):,} identifications. RT and IT in milliseconds; ER: per cent wrong."]
    if timeouts or other:
        notes.append(f"Left out: {timeouts:,} timeouts, {other:,} answers that named no single entity.")
    return Extrinsic(
        descriptives=_table11(material, frame, notes),
        reading=_times(frame, "rt"),
        identification=_times(frame, "it"),
    )


def _times(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the times of one column by system and domain, without missing ones."""
    import polars as pl

    return frame.select("system", "domain", pl.col(column).alias("value")).drop_nulls("value")


def _table11(material: Material, frame: pl.DataFrame, notes: Sequence[str]) -> Sheet:
    """Return Table 11: means and standard deviations of times by system and domain."""
    import polars as pl

    domains = material.levels("domain")
    # With one domain "all" and the domain would be the same column twice.
    parts = [*domains, None] if len(domains) > 1 else [None]
    heads = [d if d is not None else ("Both" if len(domains) == 2 else "All") for d in parts]
    lines = [
        (s, _times_and_errors(frame.filter(pl.col("system") == s), parts)) for s in frame["system"].unique().sort()
    ]
    # From slow to fast by the first column, as Table 11 is printed.
    lines.sort(key=lambda line: -(line[1][0] or 0))
    return Sheet(
        name="tuna2008-table11",
        corpus=material.label,
        title=f"Table 11 ({material.label}): reading time, identification time, error rate",
        spans=(("", 1), ("RT", len(heads) + 1), ("IT", len(heads) + 1), ("ER", len(heads))),
        header=("system", *heads, "SD", *heads, "SD", *heads),
        rows=tuple((Cell(s), *map(_milli, cells)) for s, cells in lines),
        notes=tuple(notes),
    )


def _times_and_errors(answers: pl.DataFrame, parts: Sequence[str | None]) -> list[float | None]:
    """One system's line: means by domain and over all, with standard deviations of the times."""
    cells: list[float | None] = []
    for measure, scale in (("rt", 1.0), ("it", 1.0), ("error", 100.0)):
        cells += [_number(_part(answers, d)[measure].mean(), scale) for d in parts]
        # Standard deviations over both domains only, as printed; error rates have none.
        cells += [_number(answers[measure].std())] if measure != "error" else []
    return cells


def _part(frame: pl.DataFrame, domain: str | None) -> pl.DataFrame:
    """Return the rows of a domain; all without one."""
    import polars as pl

    return frame if domain is None else frame.filter(pl.col("domain") == domain)


def _number(value: object, scale: float = 1.0) -> float | None:
    return value * scale if isinstance(value, float) else None


def _milli(value: float | None) -> Cell:
    return Cell("–") if value is None else Cell(f"{value:.3f}", order=value)
