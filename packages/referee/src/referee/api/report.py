"""`referee.report`: run folders in, one page and its tables and figures out."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from referee.api import charts
from referee.api.options import ReportOptions
from referee.api.results import REPORT, Result, make_frame
from referee.errors import InputError
from referee.options import accept_options
from referee.show.pages import render
from referee.show.reports.material import Material
from referee.show.reports.page import Part, number_parts
from referee.show.reports.report_sources import gather, gather_hearing, summon_court
from referee.show.reports.sections import build_sections
from referee.show.reports.speaker_picture import build_speakers_section

if TYPE_CHECKING:
    import altair as alt

# Findings, scores and items come first.
AFTER_ITEMS = 3


class WrittenReport(Result):
    """A written report folder: `page` is its main page, and the frame lists its files.

    Args:
        folder: its path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     WrittenReport(Path(place))
    WrittenReport: 0 files in ...
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.page = folder, folder / "index.html"
        files = sorted(p for p in folder.rglob("*") if p.is_file())
        rows = [
            {"kind": f.suffix.removeprefix("."), "file": f.relative_to(folder).as_posix(), "bytes": f.stat().st_size}
            for f in files
        ]
        super().__init__(make_frame(rows, REPORT))

    def plot(self) -> alt.TopLevelMixin:
        """Return the files of the folder by size."""
        return charts.draw_bars(self.frame.to_dicts(), "files of the report, bytes", x="bytes", y="file")

    def _get_title(self) -> str:
        return f"WrittenReport: {len(self.frame)} files in {self.folder}"

    def _repr_html_(self) -> str:
        return render("notebook/report.html", title=self._get_title(), address=self.page.as_posix(), page=self.page)


@accept_options(ReportOptions)
def report(options: ReportOptions) -> WrittenReport:
    """Make one page from run folders (`referee report`), with its tables and figures beside it.

    Returns:
        A `WrittenReport`; ``.page`` is its main page.

    Raises:
        InputError: if no run is named, or `out` exists.

    >>> import referee
    >>> referee.report()
    Traceback (most recent call last):
    ...
    referee.errors.InputError: no run was named...
    """
    folders = [Path(options.runs)] if isinstance(options.runs, (str, Path)) else list(map(Path, options.runs))
    if not folders and not options.audit:
        raise InputError("no run was named", remedy="make one with `referee score … --out RUN`, or ask for --audit")
    place = Path(options.out)
    # Asked again when it is written; here it saves the wait.
    if place.exists() and not options.overwrite:
        raise InputError(
            "a file or folder with this name exists already",
            where=place,
            remedy="choose another --out, or --overwrite a report",
        )
    from referee.show.reports.report_folder import publish

    materials = gather(folders, options.progress)
    watched = materials if options.progress is None else options.progress(materials, "tables, items, court")
    parts = [_make_part(m, options.style, options.items, options.court) for m in watched]
    beside = _add_place_pages(parts, materials, options.pictures)
    if options.audit:
        parts.append(_make_audit_part())
    names = [s.name for m in materials for s in m.scored]
    shown = options.title or _compose_title(materials)
    publish(
        number_parts(parts),
        place,
        title=shown,
        made=_describe_origin(names),
        runs=names,
        overwrite=options.overwrite,
        watch=options.progress,
        beside=beside,
    )
    return WrittenReport(place)


def _make_part(material: Material, style: str | None, items: int, court: bool) -> Part:
    """Return the chapters of the report about one table of scores."""
    hearing, held = gather_hearing(material), summon_court(material, always=court)
    sections = build_sections(material, style=style, items=items, hearing=hearing, court=held)
    speakers = build_speakers_section(material)
    # After the sections on hearers, before the tables by group.
    sections[5:5] = [speakers] if speakers is not None else []
    return Part(title=material.label, sections=tuple(sections), synthetic=material.synthetic)


def _add_place_pages(
    parts: list[Part], materials: Sequence[Material], pictures: str | Path | None
) -> dict[str, Callable[[Path], object]]:
    """Insert, after the items, a chapter for every run whose answers are boxes or points.

    Return the folders of their pages.
    """
    from referee.show.reports.place_pages import build_places_section, has_places, write_place_pages

    beside: dict[str, Callable[[Path], object]] = {}
    for i, material in enumerate(materials):
        chapters = []
        for scored in material.scored:
            if has_places(scored.run, material.heard_in(scored)):
                folder = f"places-{len(beside) + 1}" if beside else "places"
                beside[folder] = partial(write_place_pages, run=scored.run, pictures=pictures)
                section = build_places_section(scored.name, scored.run, f"{folder}/index.html", pictures is not None)
                chapters.append(replace(section, name=folder))
        sections = parts[i].sections
        parts[i] = replace(parts[i], sections=(*sections[:AFTER_ITEMS], *chapters, *sections[AFTER_ITEMS:]))
    return beside


def _make_audit_part() -> Part:
    """Return the chapter of the report that audits the printed tables of the shipped papers."""
    from referee.auditing.audit import audit
    from referee.auditing.paper import list_shipped_papers, read_shipped_paper
    from referee.show.reports.audit_section import audit_section

    return Part(
        title="Audit", sections=(audit_section([audit(read_shipped_paper(name)) for name in list_shipped_papers()]),)
    )


def _compose_title(materials: list[Material]) -> str:
    """Return the title of the report."""
    if not materials:
        return "Audit of printed tables"
    return "Report on " + " and ".join(dict.fromkeys(m.label for m in materials))


def _describe_origin(names: list[str]) -> str:
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"Made {day} from {', '.join(names)}" if names else f"Made {day}"
