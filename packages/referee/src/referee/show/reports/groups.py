"""Scores by domain and by condition.

From the run if it was scored by groups, else averaged from its items.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from referee.contracts import FloatArray
from referee.show.reports.material import Material, Row
from referee.show.reports.scoreboard import arrow, families, score_cell, short, system_cell
from referee.show.reports.sheets import Sheet

__all__ = ["MOST", "group_rows", "group_sheets", "why_not"]

MOST = 12


def why_not(material: Material, group: str) -> str:
    """Return why there is no panel for a grouping; empty if there is one."""
    levels = material.levels(group)
    if not levels:
        return f"The trials name no {group}."
    if len(levels) == 1:
        return f"All trials have the same {group} ({levels[0]})."
    if len(levels) > MOST:
        return f"{len(levels)} different values of {group} are too many for a panel (at most {MOST}); scores.csv has what the run was scored by."
    return ""


def group_rows(material: Material, group: str) -> list[Row]:
    """Return scores by level of a grouping, as tidy rows with `level`.

    Corpus-level measures only from the run.
    """
    scored = [{**r, "level": r["group"].partition("=")[2]} for r in material.scores if _is_of(r, group)]
    present = {r["metric"] for r in scored}
    # BLEU and NIST of a part cannot be made from items; they are there only if the run was scored by groups.
    missing = [m for m in material.measures if m not in present and m in material.averages]
    return [*scored, *(row for m in missing for row in _averaged(material, group, m))]


def _is_of(row: Row, group: str) -> bool:
    return isinstance(row.get("group"), str) and row["group"].startswith(f"{group}=")


def _averaged(material: Material, group: str, measure: str) -> list[Row]:
    """Means of items with intervals over the run's own clusters."""
    labelled = material.values(measure).join(material.trials.select("trial", group), on="trial", how="inner")
    rows: list[Row] = []
    # Polars gives groups in no order of their own.
    for (system, level), part in sorted(labelled.drop_nulls().group_by("system", group)):
        # Sums, and so the last digits of an interval, depend on the order.
        part = part.sort("trial")
        values = part["value"].to_numpy()
        low, high = _interval(values, part["trial"].to_list(), material, measure)
        labels = {"system": system, "group": f"{group}={level}", "level": level, "metric": measure}
        rows.append({**labels, "value": float(values.mean()), "n": len(values), "low": low, "high": high})
    return rows


def _interval(
    values: FloatArray, trials: list[str], material: Material, measure: str
) -> tuple[float | None, float | None]:
    """Return the interval of values over clusters."""
    from referee.statistics.dependent_trials import mean_of_rows, spread

    confidence = float(material.scored[0].settings.get("confidence", 0.95))
    limits = material.facts.ranges.get(measure, (None, None))
    interval = spread(values[:, None], mean_of_rows, material.clusters(trials), confidence, limits)
    return (None, None) if isnan(interval.low) else (interval.low, interval.high)


def group_sheets(material: Material, group: str, rows: Sequence[Row], order: Sequence[str]) -> list[Sheet]:
    """Return one table per family of measures: a row a system, and under each measure a column a level."""
    levels = material.levels(group)
    cells = {(r["system"], r["metric"], r["level"]): r for r in rows}
    measured = [m for m in material.measures if any(r["metric"] == m for r in rows)]
    absent = [short(m) for m in material.measures if m not in measured]
    sheets = []
    for family, names in families(measured).items():
        lines = [
            (
                system_cell(material, s),
                *(score_cell(cells.get((s, m, level)), shared=0) for m in names for level in levels),
            )
            for s in order
        ]
        sheets.append(
            Sheet(
                name=f"{group}-{family}",
                corpus=material.label,
                title=f"{material.label}: {family} measures by {group}",
                spans=(("", 1), *((f"{short(m)}{arrow(material.direction(m))}", len(levels)) for m in names)),
                header=("system", *(level for _ in names for level in levels)),
                rows=tuple(lines),
                notes=_notes(material, group, levels, absent),
                tidy=tuple(r for r in rows if r["metric"] in names),
            )
        )
    return sheets


def _notes(material: Material, group: str, levels: Sequence[str], absent: Sequence[str]) -> tuple[str, ...]:
    """Return notes on group sizes and on measures that groups lack."""
    counts = dict(material.trials[group].value_counts().iter_rows())
    notes = ["Trials: " + ", ".join(f"{level} {counts[level]:,}" for level in levels) + "."]
    if absent:
        notes.append(
            f"Not an average of items, so only known for groups when scored by them (--by {group}): {', '.join(absent)}."
        )
    return tuple(notes)
