"""The report folder: the page, every table as CSV and LaTeX, every figure as SVG, PNG and PDF."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from referee.files import write_atomically
from referee.jobs.folder import write_manifest, writing_run
from referee.jobs.progress import ProgressCallback
from referee.show.reports.page import Part, as_page
from referee.show.reports.report_figures import save_figure
from referee.show.reports.score_tables import as_csv
from referee.show.reports.sheets import format_csv, format_latex


def publish(
    parts: Sequence[Part],
    out: Path,
    *,
    title: str,
    made: str,
    runs: Sequence[str],
    overwrite: bool = False,
    watch: ProgressCallback | None = None,
    beside: Mapping[str, Callable[[Path], object]] = MappingProxyType({}),
) -> None:
    """Write the folder `out`; an existing report is replaced only with `overwrite`.

    `watch` is the progress callback of the chapters, `beside` writes folders in it.
    """
    with writing_run(out, overwrite) as folder:
        tables, figures = folder / "tables", folder / "figures"
        tables.mkdir()
        figures.mkdir()
        sections = [s for p in parts for s in p.sections]
        for section in sections if watch is None else watch(sections, "files of tables and figures"):
            for sheet in section.sheets:
                write_atomically(tables / f"{sheet.name}.csv", [format_csv(sheet)])
                write_atomically(tables / f"{sheet.name}.tex", [format_latex(sheet)])
            for name, rows in section.data.items():
                if rows:
                    write_atomically(tables / f"{name}.csv", [as_csv(rows)])
            for figure in section.figures:
                save_figure(figure, figures)
        for name, write in beside.items():
            write(folder / name)
        write_atomically(folder / "index.html", [as_page(parts, title=title, made=made)])
        write_manifest(folder, kind="report", runs=list(runs))
