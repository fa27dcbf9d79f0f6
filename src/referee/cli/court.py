"""`referee court`: which measures can be trusted to say what hearers do?"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.courtroom.heard_evidence import TrialSettings, try_runs
from referee.courtroom.printed_evidence import published, published_sheets, sheets_of_csv
from referee.courtroom.proceedings import Proceedings, as_json, hold_court, hold_published_court
from referee.errors import InputError
from referee.files import make_folder, write_atomically
from referee.reports.court_page import court_page
from referee.runs.folder import is_run
from referee.runs.score_table import CLUSTERINGS

app = options.new_app()

EPILOG = options.examples(f"""
  referee court --published belz-gatt-2008                one system carries the table

  referee court --published refoi-2025 --out court/       the same seventeen years later, with a figure

  referee court MY.csv                                    columns system, automatic:NAME, hearer:NAME[:lower], and domain, human, family if wanted

  referee score out.jsonl --corpus synthetic --by domain --out RUN && referee listen RUN --hearer noisy && referee court RUN

Printed tables: {", ".join(published())}. What the columns mean, and the form of MY.csv: docs/court.md.
""")


@app.command(epilog=EPILOG)
def court(
    sources: Annotated[
        list[Path] | None, typer.Argument(help="Run folders with scores and responses, or one CSV file.")
    ] = None,
    paper: Annotated[str | None, typer.Option("--published", help="A printed table by name.")] = None,
    form: options.TextOrJson = "text",
    out: Annotated[Path | None, typer.Option(help="A folder for court.json, court.txt and court.svg.")] = None,
    resamples: Annotated[
        int, typer.Option(help="Draws of other answers, for noise and for evidence over items.", min=0)
    ] = 500,
    permutations: Annotated[
        int, typer.Option(help="Permutations between two measures, for their ranks.", min=20)
    ] = 200,
    cluster: Annotated[
        str,
        typer.Option(help=f"What answers of runs are drawn by: {', '.join(CLUSTERINGS)} (design: what was sampled)."),
    ] = "design",
    seed: options.Seed = 1,
) -> int:
    """Try every automatic measure against every hearer measure, and say which ones hold.

    Linear and rank agreement over families of systems, tested among all pairs of the table, without any one family, with and without human rows, per domain;
    where there are items also soft pairwise accuracy, accuracy with ties, AUC and rank correlation; one verdict per measure.
    """
    options.check_form(form)
    if cluster not in CLUSTERINGS:
        raise InputError(f"--cluster {cluster} is not known", remedy=f"one of {', '.join(CLUSTERINGS)}")
    settings = TrialSettings(resamples=resamples, permutations=permutations, cluster=cluster, seed=seed)
    proceedings = _summon(sources or [], paper, settings)
    for warning in proceedings.warnings if form == "json" else ():  # the page has them
        print(f"warning: {warning}", file=sys.stderr)
    text = court_page(proceedings)
    data = json.dumps(as_json(proceedings), ensure_ascii=False, indent=1)
    if out is not None:
        _save(proceedings, text, data, out)
    print(data if form == "json" else "\n".join(text))
    return 0


def _summon(sources: Sequence[Path], paper: str | None, settings: TrialSettings) -> Proceedings:
    if (paper is None) == (not sources):
        raise InputError(
            "nothing to try" if paper is None else "either a printed table or sources of one's own, not both",
            remedy=f"name run folders, a CSV file, or --published with one of {', '.join(published())}",
        )
    if paper is not None:
        return hold_published_court(paper, published_sheets(paper), settings.seed)
    if all(map(is_run, sources)):
        from referee.hearers.passports.cards import cards_of
        from referee.hearers.passports.quoting import warn_elsewhere

        hearings = try_runs(sources, settings, cards_of, warn_elsewhere)
        return hold_court(", ".join(map(str, sources)), hearings.sheets, hearings, seed=settings.seed)
    if len(sources) > 1 or sources[0].is_dir():
        wrong = next(s for s in sources if not is_run(s))
        raise InputError("this is not a run folder", where=wrong, remedy="name run folders only, or one CSV file")
    return hold_court(str(sources[0]), sheets_of_csv(sources[0]), seed=settings.seed)


def _save(proceedings: Proceedings, text: Sequence[str], data: str, out: Path) -> None:
    from referee.reports.court_figure import court_figure, save_court_figure
    from referee.reports.report_figures import NO_FILES, can_save

    make_folder(out)
    write_atomically(out / "court.json", [data])
    write_atomically(out / "court.txt", text)
    if not can_save():
        print(f"{out}: {NO_FILES}", file=sys.stderr)
        return
    save_court_figure(court_figure(proceedings.best.evidence, f"The court on {proceedings.source}"), out / "court.svg")
