"""One self-contained page that opens offline: tables, figures (Vega-Lite, its library inlined once) and the item browser.

Nothing is fetched at view time, and a content security policy forbids it; scripts run only if their hash is the one written at the head of the page.
Every text that comes from a run is escaped here or becomes a text node in the browser.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from string import Template
from typing import Any

from referee import __version__
from referee.show.pages import chart_library, page_asset, page_script
from referee.show.reports.report_figures import FORMATS, Figure, vega_lite
from referee.show.reports.section import Section
from referee.show.reports.sheets import Sheet, sheet_as_html

__all__ = ["Part", "as_page", "named_apart"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The chapters about one set of trials (or the audit)."""

    title: str
    sections: tuple[Section, ...]
    synthetic: bool = False


def named_apart(parts: Sequence[Part]) -> list[Part]:
    """Chapters, tables and figures of several sets of trials numbered by part, for files and anchors go by their names."""
    seen = Counter(s.name for p in parts for s in p.sections)
    return [
        replace(p, sections=tuple(_prefixed(s, f"{i}-") if seen[s.name] > 1 else s for s in p.sections))
        for i, p in enumerate(parts, 1)
    ]


def _prefixed(section: Section, prefix: str) -> Section:
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
    """The whole page. `watched` goes to a page that a server keeps up to date (`referee view`); without `data` there are no files beside it to link to."""
    library, script = chart_library(vega_lite()), page_script("report")
    sections = [s for p in parts for s in p.sections]
    embedded = {"figures": _figures(sections), "browsers": _browsers(sections)}
    return Template(page_asset("report/page.html")).substitute(
        policy=_policy(library, script, asks=watched is not None),
        generator=f"Referee {__version__}",
        title=escape(title),
        made=escape(made),
        banner=_banner(parts),
        style=page_asset("report/page.css") + page_asset("scene.css"),
        navigation=_navigation(parts),
        body="\n".join(_part(p, i if len(parts) > 1 else None, data) for i, p in enumerate(parts, 1)),
        data=_embedded(embedded | ({"watched": watched} if watched is not None else {})),
        library=library,
        script=script,
    )


def _policy(*scripts: str, asks: bool = False) -> str:
    """Nothing is loaded from anywhere; a page that a server keeps up to date may ask that server."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    connect = "; connect-src 'self'" if asks else ""
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'{connect}"


def _embedded(value: Any) -> str:
    """JSON that no browser can take for markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _banner(parts: Sequence[Part]) -> str:
    """A report on generated data says so before anything else."""
    made_up = [p.title for p in parts if p.synthetic]
    if not made_up:
        return ""
    which = "SYNTHETIC corpus" if all(p.synthetic for p in parts) else ", ".join(made_up)
    said = "generated, not human data. The numbers test the machinery and say nothing about people."
    return f'<p class="banner" role="note">{escape(which)}: {said}</p>'


def _navigation(parts: Sequence[Part]) -> str:
    links = []
    for i, part in enumerate(parts, 1):
        if len(parts) > 1:
            links.append(f'<li><a class="part" href="#part-{i}">{escape(part.title)}</a></li>')
        links += [f'<li><a href="#{escape(s.name)}">{escape(s.title)}</a></li>' for s in part.sections]
    return f"<ul>{''.join(links)}</ul>"


def _part(part: Part, number: int | None, data: bool) -> str:
    head = f'<h2 class="part" id="part-{number}">{escape(part.title)}</h2>' if number is not None else ""
    return head + "\n".join(_section(section, data) for section in part.sections)


def _section(section: Section, data: bool) -> str:
    """A chapter: open, or closed until somebody wants it; one that only says why it is empty says so in its line."""
    name, head = escape(section.name), f'<h2 id="{escape(section.name)}-title">{escape(section.title)}</h2>'
    texts = "".join(f"<p>{escape(text)}</p>" for text in section.texts)
    start = f'<section id="{name}" aria-labelledby="{name}-title"'
    if section.open:
        return f"{start}>{head}{texts}{_open_content(section, data)}</section>"
    content = _content(section, data)
    if not content:
        return f'{start} class="brief">{head}{texts}</section>'
    return f'{start}><details class="chapter"><summary>{head} <span class="holds">{_holds(section)}</span></summary>{texts}{content}</details></section>'


def _holds(section: Section) -> str:
    """What is to be found in a closed chapter."""
    counted = ((len(section.sheets), "table"), (len(section.figures), "figure"))
    return ", ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counted if n)


def _content(section: Section, data: bool) -> str:
    parts = [_figure(figure, data) for figure in section.figures]
    parts.append(section.html)
    parts += [_sheet(sheet, data) for sheet in section.sheets]
    return "\n".join([*parts, _data_links(section, data), _browser(section)]).strip()


def _open_content(section: Section, data: bool) -> str:
    """The first table, or the figures where there is none; what else there is comes in closed parts."""
    first, *others = section.sheets or (None,)
    if first is None:
        return _content(section, data)
    closed = [_closed(f.title, _figure(f, data)) for f in section.figures]
    closed += [_closed(s.title, _sheet(s, data)) for s in others if s is not None]
    return "\n".join([_sheet(first, data), section.html, *closed, _data_links(section, data), _browser(section)])


def _closed(title: str, content: str) -> str:
    return f'<details class="more"><summary>{escape(title)}</summary>{content}</details>'


def _browser(section: Section) -> str:
    if section.browser is None:
        return ""
    name = escape(section.name)
    return f'<div class="gallery" id="{name}-gallery"></div><div class="browser" id="{name}-browser"></div>'


def _sheet(sheet: Sheet, data: bool) -> str:
    return sheet_as_html(sheet) + (_files(sheet) if data else "")


def _figure(figure: Figure, data: bool) -> str:
    name = escape(figure.name)
    links = " ".join(f'<a href="figures/{name}.{form}">{form.upper()}</a>' for form in FORMATS if data)
    # Focus and label let keyboards and screen readers reach a drawing; what it shows is in the tables beside it.
    drawing = (
        f'<div class="drawing" id="figure-{name}" tabindex="0" role="img" aria-label="{escape(figure.title)}"></div>'
    )
    return f'<figure>{drawing}<figcaption class="files">{links}</figcaption></figure>'


def _files(sheet: Sheet) -> str:
    name = escape(sheet.name)
    return f'<p class="files"><a href="tables/{name}.csv">CSV</a> <a href="tables/{name}.tex">LaTeX</a></p>'


def _data_links(section: Section, data: bool) -> str:
    if not data:
        return ""
    links = " ".join(
        f'<a href="tables/{escape(n)}.csv">{escape(n)}.csv</a>' for n, rows in section.data.items() if rows
    )
    return f'<p class="files">In full: {links}</p>' if links else ""


def _figures(sections: Sequence[Section]) -> list[dict[str, Any]]:
    return [{"id": f"figure-{f.name}", "cell": f.cell, "spec": f.spec} for s in sections for f in s.figures]


def _browsers(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """The items themselves, or whom to ask for them."""
    return [
        {"id": f"{s.name}-browser", "served" if "items" not in s.browser else "content": s.browser}
        for s in sections
        if s.browser is not None
    ]
