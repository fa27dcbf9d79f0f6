"""`referee report`: run folders in, one page and its tables and figures out."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.cli.report_sources import gather, gather_hearing, summon_court
from referee.errors import InputError, UnknownName
from referee.reports.material import Material
from referee.reports.page import Part, named_apart
from referee.reports.sections import ITEMS, sections_of

app = options.new_app()

STYLES = ("tuna2008",)
EPILOG = options.examples("""
  referee score --demo --by domain,condition --out demo-run && referee report demo-run --out report

  referee report RUN --out report --style tuna2008        with Tables 3 to 12 of the challenge overview in their printed shape

  referee report RUN-A RUN-B --out report                 runs over the same trials share their tables, others get parts of their own

  referee report RUN --audit --out report                 with the audit of printed tables

Open report/index.html: it needs no network. Tables lie beside it as CSV and LaTeX, figures as SVG, PNG and PDF.
""")


@app.command(epilog=EPILOG)
def report(
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders, scored or not.", show_default=False)] = None,
    out: Annotated[Path, typer.Option(help="The folder to write.")] = Path("report"),
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    style: Annotated[str | None, typer.Option(help="Also tables in the shape of a paper: tuna2008.")] = None,
    audit: Annotated[bool, typer.Option("--audit", help="Also the audit of printed tables.")] = False,
    court: Annotated[
        bool, typer.Option("--court", help="Hold the court also over very many answers, which takes minutes.")
    ] = False,
    items: Annotated[int, typer.Option(help="Items in the browser at most, the worst first.", min=1)] = ITEMS,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing report.")] = False,
) -> int:
    """One page with everything a paper and its readers need: scores, panels, spread, agreement of measures, every item, methods and data."""
    if style is not None and style not in STYLES:
        raise UnknownName("style", style, STYLES, hint=f"one of {', '.join(STYLES)}")
    if not runs and not audit:
        raise InputError("no run was named", remedy="make one with `referee score … --out RUN`, or ask for --audit")
    # Asked again when it is written; here it saves the wait.
    if out.exists() and not overwrite:
        raise InputError(
            "something is there already", where=out, remedy="choose another --out, or --overwrite a report"
        )
    materials = gather(runs or [])
    parts = [_part(m, style, items, court) for m in materials]
    if audit:
        parts.append(_audit())
    from referee.reports.report_figures import NO_FILES, can_save
    from referee.reports.report_folder import publish

    names = [s.name for m in materials for s in m.scored]
    publish(
        named_apart(parts), out, title=title or _title(materials), made=_made(names), runs=names, overwrite=overwrite
    )
    if not can_save():
        print(f"{out}: {NO_FILES}", file=sys.stderr)
    print(f"{out / 'index.html'}")
    return 0


def _part(material: Material, style: str | None, items: int, court: bool) -> Part:
    hearing, held = gather_hearing(material), summon_court(material, always=court)
    sections = sections_of(material, style=style, items=items, hearing=hearing, court=held)
    return Part(title=material.label, sections=tuple(sections), synthetic=material.synthetic)


def _audit() -> Part:
    from referee.auditing.audit import audit
    from referee.auditing.paper import shipped, shipped_paper
    from referee.reports.audit_section import audit_section

    return Part(title="Audit", sections=(audit_section([audit(shipped_paper(name)) for name in shipped()]),))


def _title(materials: list[Material]) -> str:
    if not materials:
        return "Audit of printed tables"
    return "Report on " + " and ".join(dict.fromkeys(m.label for m in materials))


def _made(names: list[str]) -> str:
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"Made {day} from {', '.join(names)}" if names else f"Made {day}"
