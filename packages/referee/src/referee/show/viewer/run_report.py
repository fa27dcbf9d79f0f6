"""The report on a run as it is now, for a page that shows the items itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from referee.show.reports.best_system import choose_lead
from referee.show.reports.item_browser import lead_measure
from referee.show.reports.page import Part
from referee.show.reports.report_sources import gather, gather_hearing, gather_scores, summon_court
from referee.show.reports.sections import scores_alone, sections_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RunReport", "report_on"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """The sections of a report on a run folder, and the settings of its item browser."""

    title: str
    parts: Sequence[Part]
    systems: Sequence[str] = ()
    measures: Sequence[str] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    lead: str | None = None
    items: pl.DataFrame | None = None


def report_on(folder: Path, large: bool) -> RunReport:
    """Return the report that `referee report` makes; for a large run, the stored scoreboard only."""
    if large:
        material = gather_scores(folder)
        sections = [scores_alone(material)] if material else []
    else:
        (material,) = gather([folder])
        # The items come by page.
        sections = sections_of(material, items=1, hearing=gather_hearing(material), court=summon_court(material))
    if material is None:
        return RunReport(title=f"Run {folder.name}", parts=[Part(title=folder.name, sections=())])
    return RunReport(
        title=f"Report on {material.label}",
        parts=[Part(title=material.label, sections=tuple(sections), synthetic=material.synthetic)],
        systems=material.systems,
        measures=material.measures,
        directions={m: material.direction(m) for m in material.measures},
        lead=choose_lead(material) if large else lead_measure(material),
        items=None if (folder / "items.parquet").is_file() else material.items,
    )
