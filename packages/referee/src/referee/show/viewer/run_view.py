"""A run on a local page while it grows.

The report so far, and every item by page (`referee view RUN`).
"""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from referee.errors import RefereeError
from referee.jobs.folder import write_manifest
from referee.show.reports.best_system import choose_lead
from referee.show.reports.item_browser import lead_measure
from referee.show.reports.page import Part, as_page
from referee.show.reports.report_sources import gather, gather_hearing, gather_scores, summon_court
from referee.show.reports.section import Section
from referee.show.reports.sections import build_scores_section, build_sections
from referee.show.viewer.local_server import Answering, ServedPage, as_json
from referee.show.viewer.run_files import RunFiles, find_run
from referee.show.viewer.run_index import RunIndex
from referee.show.viewer.run_items import PAGE, ItemQuery, RunItems

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
# Beyond this the items are not compared one by one while a request waits: the scoreboard as scored, and the items by page.
LARGE = 150_000_000
LOOK_AGAIN_S = 1.0
FIRST_ITEMS_S = 1.5


class RunView:
    """Keeps index and report of a run up to date in the background, and answers requests from them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = find_run(path)
        self.index = RunIndex()
        self.composed: RunReport | None = None
        self.trouble = ""
        self.reading = True
        self._state: str | None = None
        self._made_of = ""
        self._snapshot_items: Path | None = None
        self._items: RunItems | None = None
        self._stop, self._first = threading.Event(), threading.Event()
        self._lock, self._waiting = threading.Lock(), 0
        # Held while the index is asked and while another takes its place: an index in use is not closed.
        self._at_index = threading.Lock()
        self._place = tempfile.TemporaryDirectory(prefix="referee-view-", ignore_cleanup_errors=True)
        self._worker = threading.Thread(target=self._watch_run, daemon=True)
        self._worker.start()

    def close(self) -> None:
        """Stop the worker and delete temporary files."""
        self._stop.set()
        self._worker.join(10)
        with self._at_index:
            self.index.close()
        self._place.cleanup()

    def routes(self) -> dict[str, Answering]:
        """Return the routes of the page."""
        return {
            "GET /": lambda asked: ServedPage(self._answer_first(self.page).encode(), "text/html"),
            "GET /items": lambda asked: as_json(self._answer_first(lambda: self.items(asked.query))),
            "GET /state": lambda asked: as_json(self.state()),
        }

    def _answer_first(self, answer: Callable[[], T]) -> T:
        """Answer a request for a page before background reading goes on."""
        with self._lock:
            self._waiting += 1
        try:
            return answer()
        finally:
            with self._lock:
                self._waiting -= 1

    def _must_pause(self) -> bool:
        """Return whether reading must stop; while a request waits, pause for a limited time."""
        for _ in range(300):
            if not self._waiting or self.index.trials < PAGE or self._stop.is_set():
                break
            self._stop.wait(0.01)
        return self._stop.is_set()

    # -- behind the scenes -------------------------------------------------------------------------------------------------------

    def _watch_run(self) -> None:
        """Watch the run, extend the index, and renew the report until closed."""
        previous = ""
        while not self._stop.is_set():
            try:
                files = find_run(self.path)
                state = files.state
                if state != previous:
                    self._read_new_lines(files, state)
                    previous = state
            # A run that is being renamed, or replaced, is there again in a moment.
            except (RefereeError, OSError) as error:
                self.trouble = str(error)
            self._stop.wait(LOOK_AGAIN_S)

    def _read_new_lines(self, files: RunFiles, state: str) -> None:
        """Read new lines of the run; a changed finished run is indexed again."""
        with self._at_index:
            # Parts of an unfinished run are only ever added; whatever else changed is read anew.
            if files.folder != self.files.folder or (files.finished and not self.reading):
                old, self.index, self._items = self.index, RunIndex(), None
                old.close()
            # In this order: new lines were never read.
            self.reading, self.trouble = True, ""
            self.files, self._state = files, state
        threading.Timer(0.05, self._first.set).start()
        large = files.size > LARGE
        if large and files.finished:
            self._make_report(files, state)
        self.index.read_on(files, self._must_pause)
        self.reading = False
        if not self._stop.is_set() and not (large and files.finished):
            self._make_report(files, state)

    def _make_report(self, files: RunFiles, state: str) -> None:
        """Make the report of the present state."""
        try:
            folder = files.folder if files.finished else self._make_snapshot(files)
            if folder is None:
                return
            composed = report_on(folder, files.size > LARGE)
            self._snapshot_items = self._store_values(composed)
            with self._at_index:
                self.composed, self._made_of, self._items, self.trouble = composed, state, None, ""
        except RefereeError as error:
            self.trouble = str(error)

    def _make_snapshot(self, files: RunFiles) -> Path | None:
        """Return the finished parts of an unfinished run as a run folder; None if there are none."""
        if not files.outputs:
            return None
        folder = Path(self._place.name) / self.path.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copyfile(files.trials, folder / "trials.jsonl")
        with (folder / "outputs.jsonl").open("wb") as target:
            for part in files.outputs:
                # The first line of a part holds its counts.
                target.writelines(part.read_bytes().splitlines(keepends=True)[1:])
        plan = json.loads((files.folder / "plan.json").read_text("utf-8"))
        write_manifest(
            folder,
            kind="run",
            corpus=plan.get("corpus") if isinstance(plan.get("corpus"), dict) else {"name": "corpus"},
        )
        return folder

    def _store_values(self, composed: RunReport) -> Path | None:
        """Store values that were measured now, for pages of items."""
        if composed.items is None:
            return None
        path = Path(self._place.name) / "items.parquet"
        composed.items.write_parquet(path)
        return path

    # -- answers -----------------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the inputs of the report, the status of the run, and whether the report is complete."""
        # Not before the report on all of it: a page that was made of less asks no more once this is so.
        done = self.files.finished and not self.reading and self._is_reported()
        return {"made": self._made_of, "said": self._format_status(), "done": done}

    def _is_reported(self) -> bool:
        """Return whether the files have a report as they are, or a known reason for none."""
        return bool(self.trouble) or self._made_of == self._state

    def _format_status(self) -> str:
        """Return the status line: running, being read, or complete."""
        seen = f"{self.index.trials:,} trials"
        if not self.files.finished:
            parts = len(self.files.outputs)
            status = f"This run is under way: {parts} part{'s' * (parts != 1)} of its systems done, {seen}."
        elif self.reading:
            status = f"The run is being read: {seen} so far."
        elif self._is_reported():
            status = f"{seen}."
        else:
            status = f"{seen}; the report is being made."
        return f"{status} {self.trouble}".strip()

    def page(self) -> str:
        """Return the page with the present report."""
        self._wait_for_person()
        composed = self.composed or RunReport(
            title=f"Run {self.path.name}", parts=[Part(title=self.path.name, sections=())]
        )
        parts = [replace(p, sections=tuple(self._build_chapters(p, composed))) for p in composed.parts]
        made = f"From {self.path.name}, as it is now"
        return as_page(parts, title=composed.title, made=made, watched={"made": self._made_of}, data=False)

    def _build_chapters(self, part: Part, composed: RunReport) -> list[Section]:
        """Return the chapters; until there is a report, the items only."""
        items = Section(
            name="items",
            title="Items",
            texts=("Every item of the run.",),
            browser=self._get_browser_settings(composed),
            open=True,
        )
        names = [s.name for s in part.sections]
        if "items" not in names:
            return [*part.sections, items]
        return [items if s.name == "items" else s for s in part.sections]

    def _get_browser_settings(self, composed: RunReport) -> dict[str, Any]:
        """Return the settings of the item browser."""
        with self._at_index:
            return {
                "systems": list(composed.systems or self.index.systems),
                "measures": [[m, composed.directions.get(m, "none")] for m in composed.measures],
                "lead": composed.lead,
                "domains": self.index.levels("domain"),
                "conditions": self.index.levels("condition"),
            }

    def items(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return one page of items for a query."""
        self._wait_for_person()
        page = query.get("page", "0")
        asked = {k: query.get(k, "") for k in ("words", "measure", "system", "order", "domain", "condition")}
        item_query = ItemQuery(page=int(page) if page.isdigit() and len(page) < 9 else 0, **asked)
        reading = self.reading
        with self._at_index:
            answer = self._get_items().answer(item_query, quick=reading)
        return {**answer, "unsure": "still being read: in the order of the run, without scores"} if reading else answer

    def _get_items(self) -> RunItems:
        """Return the items, with the present report's settings."""
        composed = self.composed
        if self._items is None or composed is None:
            files = replace(self.files, items=self._snapshot_items or self.files.items)
            self._items = RunItems(
                files=files,
                index=self.index,
                systems=list((composed.systems if composed else ()) or self.index.systems),
                measures=list(composed.measures if composed else ()),
                directions=composed.directions if composed else {},
            )
        return self._items

    def _wait_for_person(self) -> None:
        """Wait until the first items are read, for a limited time."""
        self._first.wait(FIRST_ITEMS_S)
        deadline = threading.Event()
        for _ in range(30):
            if self.index.trials >= PAGE or not self.reading:
                return
            deadline.wait(FIRST_ITEMS_S / 30)


# -- the report of a run ---------------------------------------------------------------------------------------------------


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
        sections = [build_scores_section(material)] if material else []
    else:
        (material,) = gather([folder])
        # The items come by page.
        sections = build_sections(material, items=1, hearing=gather_hearing(material), court=summon_court(material))
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
