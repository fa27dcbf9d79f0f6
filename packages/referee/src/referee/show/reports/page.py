"""One self-contained page that opens offline: tables, Vega-Lite figures and the item browser.

A content security policy forbids network access; scripts run only if the page's head has their hash. The templates
escape all text from runs, or scripts insert it as text nodes.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee import __version__
from referee.show.pages import build_chart_library, build_page_script, read_page_asset, render
from referee.show.reports.report_figures import FORMATS, get_vega_lite_version
from referee.show.reports.section import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The chapters about one set of trials (or the audit)."""

    title: str
    sections: tuple[Section, ...]
    synthetic: bool = False


def number_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with numbered chapters, tables and figures, so that names and anchors are unique."""
    seen = Counter(s.name for p in parts for s in p.sections)
    return [
        replace(p, sections=tuple(_prefix_names(s, f"{i}-") if seen[s.name] > 1 else s for s in p.sections))
        for i, p in enumerate(parts, 1)
    ]


def _prefix_names(section: Section, prefix: str) -> Section:
    """Return a section with prefixed names."""
    return replace(
        section,
        name=prefix + section.name,
        figures=tuple(replace(f, name=prefix + f.name) for f in section.figures),
        sheets=tuple(replace(s, name=prefix + s.name) for s in section.sheets),
        data={prefix + name: rows for name, rows in section.data.items()},
    )


def as_page(
    parts: Sequence[Part], *, title: str, made: str, watched: Mapping[str, Any] | None = None, data: bool = True
) -> str:
    """Return the whole page.

    `watched` is for a page that a server keeps up to date (`referee view`); without `data` the page links to no files.
    """
    library, script = build_chart_library(get_vega_lite_version()), build_page_script("report")
    sections = [s for p in parts for s in p.sections]
    embedded = {"figures": _collect_figures(sections), "browsers": _collect_item_browsers(sections)}
    return render(
        "report/page.html",
        policy=_build_security_policy(library, script, asks=watched is not None),
        generator=f"Referee {__version__}",
        title=title,
        made=made,
        generated=_describe_generated_data(parts),
        style=read_page_asset("report/page.css") + read_page_asset("scene.css"),
        parts=parts,
        has_files=data,
        formats=FORMATS,
        data=embedded | ({"watched": watched} if watched is not None else {}),
        library=library,
        script=script,
    )


def _build_security_policy(*scripts: str, asks: bool = False) -> str:
    """Return the content security policy: no loading.

    Only a live page may request data from its own server.
    """
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    connect = "; connect-src 'self'" if asks else ""
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'{connect}"


def _describe_generated_data(parts: Sequence[Part]) -> str:
    """Return which parts use generated data, which a report mentions first."""
    titles = [p.title for p in parts if p.synthetic]
    return "SYNTHETIC corpus" if titles and len(titles) == len(parts) else ", ".join(titles)


def _collect_figures(sections: Sequence[Section]) -> list[dict[str, Any]]:
    return [{"id": f"figure-{f.name}", "cell": f.cell, "spec": f.spec} for s in sections for f in s.figures]


def _collect_item_browsers(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Return the items, or the address to ask for them."""
    return [
        {"id": f"{s.name}-browser", "served" if "items" not in s.browser else "content": s.browser}
        for s in sections
        if s.browser is not None
    ]
