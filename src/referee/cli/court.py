"""`referee court`: which measures can be trusted to say what hearers do?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.api.court import court as hold
from referee.catalogue import one_of
from referee.cli import options, page_width, told, warned
from referee.cli.progress import counting
from referee.courtroom.printed_evidence import published
from referee.courtroom.proceedings import Proceedings
from referee.files import make_folder, write_atomically
from referee.reports.court_page import court_page
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
    jobs: options.OneJob = None,
    engine: options.EngineName = "local",
    shard: Annotated[
        int, typer.Option(help="Parts of the work (a measure, a sheet) at a time; changes nothing but speed.", min=1)
    ] = 1,
    address: options.Address = None,
) -> int:
    """Try every automatic measure against every hearer measure, and say which ones hold.

    Linear and rank agreement over families of systems, tested among all pairs of the table, without any one family, with and without human rows, per domain;
    where there are items also soft pairwise accuracy, accuracy with ties, AUC and rank correlation; one verdict per measure.
    """
    one_of("--format", form, options.FORMS)
    found = hold(
        sources or (),
        published=paper,
        resamples=resamples,
        permutations=permutations,
        cluster=cluster,
        seed=seed,
        jobs=jobs,
        engine=engine,
        shard=shard,
        address=address,
        progress=counting,
    )
    for warning in found.proceedings.warnings if form == "json" else ():  # the page has them
        warned(f"warning: {warning}")
    data = json.dumps(found.data, ensure_ascii=False, indent=1)
    if out is not None:
        _save(found.proceedings, court_page(found.proceedings), data, out)
    print(data if form == "json" else "\n".join(court_page(found.proceedings, page_width())))
    return 0


def _save(proceedings: Proceedings, text: Sequence[str], data: str, out: Path) -> None:
    from referee.reports.court_figure import court_figure, save_court_figure
    from referee.reports.report_figures import NO_FILES, can_save

    make_folder(out)
    write_atomically(out / "court.json", [data])
    write_atomically(out / "court.txt", text)
    if not can_save():
        told(f"{out}: {NO_FILES}")
        return
    save_court_figure(court_figure(proceedings.best.evidence, f"The court on {proceedings.source}"), out / "court.svg")
