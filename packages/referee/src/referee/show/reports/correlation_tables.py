"""Tables of correlations between measures.

Correlations over systems, each with how far any single system moves it (as Belz & Gatt 2008 would have needed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.show.reports.material import HUMAN, Material
from referee.show.reports.scoreboard import group_by_family, shorten_measure
from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.correlation import correlation_table

if TYPE_CHECKING:
    import polars as pl

# Two points always lie on a line.
FEWEST = 3


def format_correlation(r: float | None, stars: str = "") -> str:
    """Return r without a zero before the point (``-.58*``), or a dash where r is not defined."""
    if r is None:
        return "–"
    # From here on two decimals would print 1.00.
    text = f"{r:.2f}".replace("0.", ".", 1) if abs(r) < 0.995 else f"{r:.0f}"
    # -.00 and .00 would say more about a sign than the number does.
    return ("0" if text in ("-.00", ".00") else text) + stars


def correlate_measures(material: Material, systems: Sequence[str], measures: Sequence[str]) -> list[dict[str, Any]]:
    """Return r, n, p and interval of every pair of measures, over one value per system.

    Each row also has the range of r when any one system is left out.
    """
    import polars as pl

    columns = {m: [material.value(s, m) for s in systems] for m in measures}
    if len(systems) < FEWEST or len(measures) < 2:
        return []
    # Every column is a float even where all values are missing, which Polars could not tell by itself.
    frame: pl.DataFrame = pl.DataFrame(columns, schema=dict.fromkeys(measures, pl.Float64))
    return correlation_table(frame, measures).to_dicts()


def index_correlations(pairs: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the pairs by their two names, in both orders."""
    pairs_by_names = {(p["measure_a"], p["measure_b"]): p for p in pairs}
    return pairs_by_names | {(b, a): p for (a, b), p in pairs_by_names.items()}


def build_correlation_sheets(material: Material) -> list[Sheet]:
    """Return the correlations over systems, and with people as a further system where the run has people."""
    automatic = [s for s in material.systems if s != HUMAN]
    sheets = [_build_sheet(material, automatic, "correlations", f"over {len(automatic)} systems")]
    if HUMAN in material.systems:
        sheets.append(
            _build_sheet(
                material, material.systems, "correlations-with-people", f"over {len(automatic)} systems and people"
            )
        )
    return [s for s in sheets if s is not None]


def _build_sheet(material: Material, systems: Sequence[str], name: str, over: str) -> Sheet | None:
    """Return the table of correlations over systems; None without pairs."""
    pairs = correlate_measures(material, systems, material.measures)
    if not pairs:
        return None
    matrix, by_family = index_correlations(pairs), group_by_family(material.measures)
    ordered = [m for names in by_family.values() for m in names]
    rows = [(Cell(a), *(_format_cell(matrix.get((a, b)), a == b) for b in ordered)) for a in ordered]
    return Sheet(
        name=name,
        corpus=material.label,
        title=f"{material.label}: correlation of measures (Pearson, {over})",
        spans=(("", 1), *((family, len(names)) for family, names in by_family.items())),
        header=("", *map(shorten_measure, ordered)),
        rows=tuple(rows),
        notes=(
            "Small print: smallest and largest r when one system is left out. * p ≤ .05, ** p ≤ .01 (two-sided, not corrected for the "
            f"{len(pairs)} pairs). – where a measure does not vary over the systems.",
        ),
        tidy=tuple(pairs),
    )


def _format_cell(pair: Mapping[str, Any] | None, same: bool) -> Cell:
    """Return a correlation with its range over leaving one system out."""
    if same or pair is None:
        return Cell("")
    low, high = pair["without_one_low"], pair["without_one_high"]
    small = f"({format_correlation(low)} … {format_correlation(high)})" if low is not None else ""
    return Cell(format_correlation(pair["r"], pair["stars"] or ""), small=small, order=pair["r"])
