"""One chapter of a report, and which parts of it are open at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from referee.show.reports.material import Row
from referee.show.reports.report_figures import Figure
from referee.show.reports.sheets import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section. `data` are tables for the CSV folder only; `html` is a rendered template.

    `browser` is the data of the item browser. `open` is whether the section is initially expanded.
    """

    name: str
    title: str
    texts: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    html: Markup = field(default_factory=Markup)
    data: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    browser: Mapping[str, Any] | None = None
    open: bool = False
