"""`referee.court`: which measures predict the results of hearers?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee import catalogue
from referee.api import charts
from referee.api.options import CourtOptions
from referee.api.results import COURT, Result, make_frame
from referee.courtroom.heard_evidence import TrialSettings, try_heard, try_runs
from referee.courtroom.heard_runs import HeardCorpus
from referee.courtroom.printed_evidence import list_published_papers as published_names
from referee.courtroom.printed_evidence import read_csv_sheets, read_published_sheets
from referee.courtroom.proceedings import Proceedings, hold_court, hold_published_court, make_json
from referee.engines.choice import make_process_engine
from referee.errors import InputError
from referee.jobs.folder import is_run
from referee.options import accept_options
from referee.show.reports.court_figure import build_court_figure
from referee.show.reports.court_page import format_court_page

if TYPE_CHECKING:
    import altair as alt

    from referee.courtroom.evidence import Evidence


CORPUS_NOTE = (
    "the texts describe pictures without attributes: measures of sets, scenes and places cannot be tested; references are captions of the other "
    "systems, because no person described the items"
)


class CourtResult(Result):
    """The results of a court: one row per measure and hearer measure, and a verdict per measure.

    Args:
        proceedings: the complete results.

    >>> import referee
    >>> referee.court(published="belz-gatt-2008")
    CourtResult on belz-gatt-2008: 9 measures, 45 pairs
    """

    def __init__(self, proceedings: Proceedings) -> None:
        self.proceedings = proceedings
        ways = {"printed": proceedings} | ({"corrected": proceedings.corrected} if proceedings.corrected else {})
        super().__init__(make_frame([row for way, p in ways.items() for row in _list_rows(way, p)], COURT))

    @property
    def verdicts(self) -> dict[str, str]:
        """Return one or two sentences per measure, computed from the corrected numbers of the paper."""
        return dict(self.proceedings.best.verdicts)

    @cached_property
    def data(self) -> dict[str, Any]:
        """Return everything as JSON values: the output of `referee court --format json`."""
        return make_json(self.proceedings)

    def page(self, width: int = 160) -> str:
        """Return the text that `referee court` prints, `width` columns wide."""
        return "\n".join(format_court_page(self.proceedings, width))

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart of every correlation with its interval and its range when one system is left out."""
        best = self.proceedings.best
        return charts.draw_specification(build_court_figure(best.evidence, f"The court on {self.proceedings.source}"))

    def _format_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the headings and text cells of the table of correlations over all domains."""
        import polars as pl

        best = "corrected" if self.proceedings.corrected else "printed"
        shown = self.frame.filter((pl.col("as") == best) & pl.col("domain").is_null()).drop("as", "domain")
        return Result(shown)._format_table()

    def _get_title(self) -> str:
        cases = len(self.proceedings.best.cases)
        return f"CourtResult on {self.proceedings.source}: {len(self.verdicts)} measures, {cases} pairs"

    def _list_notes(self) -> Sequence[str]:
        return [*self.verdicts.values()]


def _list_rows(way: str, proceedings: Proceedings) -> list[dict[str, Any]]:
    findings = {(c.domain, c.automatic, c.hearer): c.finding for c in proceedings.cases}
    return [_make_row(way, e, findings.get((e.domain, e.automatic, e.hearer))) for e in proceedings.evidence]


def _make_row(way: str, e: Evidence, finding: str | None) -> dict[str, Any]:
    """Return the evidence on one pair of an automatic and a hearer measure as a row of the frame."""
    low, high = (e.noise.interval_low, e.noise.interval_high) if e.noise else (e.pearson.low, e.pearson.high)
    return {
        "as": way,
        "domain": e.domain,
        "rows": e.rows,
        "metric": e.automatic,
        "hearer": e.hearer,
        "n": e.n,
        "r": e.pearson.r,
        "r_low": low,
        "r_high": high,
        "rho": e.spearman.r,
        "rho_low": e.spearman.low,
        "rho_high": e.spearman.high,
        "families": e.families.n if e.families else None,
        "p": e.families.p_adjusted if e.families else None,
        "without_low": e.lowest.r if e.lowest else None,
        "without_high": e.highest.r if e.highest else None,
        "finding": finding,
    }


@accept_options(CourtOptions)
def court(options: CourtOptions) -> CourtResult:
    """Test every automatic measure as a predictor of every hearer measure (`referee court`).

    Returns:
        A `CourtResult`; ``.verdicts`` has the results in sentences.

    Raises:
        InputError: if there is no source, or one is neither a run nor a CSV file.

    >>> import referee
    >>> "BLEU-4" in referee.court(published="refoi-2025").verdicts
    True
    """
    settings = TrialSettings(
        resamples=options.resamples,
        permutations=options.permutations,
        cluster=options.cluster,
        seed=options.seed,
        progress=options.progress,
        engine=make_process_engine(options.engine, options.jobs, options.address),
        shard=options.shard,
    )
    paths = [Path(options.sources)] if isinstance(options.sources, (str, Path)) else list(map(Path, options.sources))
    return CourtResult(_load_results(paths, options.published, settings))


def _load_results(sources: Sequence[Path], paper: str | None, settings: TrialSettings) -> Proceedings:
    """Return the results that the court judges: a printed table, run folders, or a CSV file."""
    if (paper is None) == (not sources):
        raise InputError(
            "there is nothing to judge"
            if paper is None
            else "give either a printed table or your own sources, not both",
            remedy=f"name run folders, a CSV file, or --published with one of {', '.join(published_names())}",
        )
    if paper is not None:
        return hold_published_court(
            paper, read_published_sheets(paper), settings.seed, settings.progress, settings.engine
        )
    hold = partial(hold_court, seed=settings.seed, progress=settings.progress, engine=settings.engine)
    named = [str(s) for s in sources if not s.exists() and str(s) in catalogue.names("corpus")]
    if named:
        if len(sources) > 1:
            raise InputError(
                "a corpus cannot be combined with other sources",
                where=named[0],
                remedy="name one corpus, or run folders only",
            )
        return hold(named[0], (heard := try_heard([HeardCorpus(named[0])], settings)).sheets, heard, [CORPUS_NOTE])
    if all(map(is_run, sources)):
        from referee.hearers.passports.cards import read_run_cards
        from referee.hearers.passports.quoting import warn_elsewhere

        hearings = try_runs(sources, settings, read_run_cards, warn_elsewhere)
        return hold(", ".join(map(str, sources)), hearings.sheets, hearings)
    if len(sources) > 1 or sources[0].is_dir():
        wrong = next(s for s in sources if not is_run(s))
        raise InputError("this is not a run folder", where=wrong, remedy="name run folders only, or one CSV file")
    if not sources[0].exists():
        raise InputError(
            "there is no such run folder or file", where=sources[0], remedy="name run folders, or one CSV file"
        )
    return hold(str(sources[0]), read_csv_sheets(sources[0]))
