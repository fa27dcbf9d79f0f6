"""`referee score`: outputs in, a signed table out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.api.options import ScoreOptions
from referee.cli import is_watched, results, told
from referee.cli.options import examples, new_app
from referee.cli.progress import counting, waiting
from referee.options import FORMATS, apply, command, option

if TYPE_CHECKING:
    from referee.api.score import Scores
    from referee.jobs.open import Opened

app = new_app()

EPILOG = examples("""
  referee score --demo                                                     two toy speakers on the shipped corpus

  referee score a.jsonl b.jsonl --corpus tuna --reading challenge --by domain --baseline a

  referee score a.jsonl --corpus my-corpus.jsonl --metrics set,string/edit --format latex

  referee score a.jsonl --corpus tuna --metrics "string/bleu.4|brevity:shortest|case:keep"

  referee score human-101.jsonl --corpus tuna --split speaker=101 --references others

  referee score RUN --items hard.txt --metrics string/edit                 only the trials that a file lists, one id a line

  referee score RUN --by domain --humans                                   a run folder scores itself

  referee score recorded:rec-eval --corpus rec-eval --reading RefCOCO --metrics ground/accuracy,ground/iou      boxes that models gave

An outputs file has one JSON object a line: {"trial": ID, "system": NAME, "properties": [["colour", "red"], …], "text": "the red chair"};
CSV and Parquet files with these columns and the challenges' peer-output XML work too.
""")


@dataclass
class ScoreCommand(ScoreOptions):
    """Options of `referee score`: those of `referee.score`, and those of the command alone."""

    form: str = option("table", ", ".join(FORMATS), "--format", "-f", choices=FORMATS)


@command(app, ScoreCommand, EPILOG)
def score(options: ScoreCommand) -> int:
    """Measure what systems said against what people said: one row a system, n and interval with every value, signatures below."""

    # Imported here: `referee score --help` needs neither measures nor drawings.
    from referee.api.score import score as score_outputs

    options.progress = counting if is_watched() else None
    out, options.out = options.out, None
    found = apply(score_outputs, options)
    # Measures that were named are shown even where nothing could be measured.
    rows = found.measured if options.metrics == "default" else found.rows
    if out is not None:
        # Before printing: a pipe that is closed early must not cost the run folder.
        with waiting("writing the run folder"):
            found.save(out, options.overwrite)
    _print(rows, options.form, found, out)
    return 0


def _print(rows: list[dict[str, Any]], form: str, found: Scores, out: str | Path | None) -> None:
    from referee.show.reports import score_tables

    about = found.table.about_clusters()
    if form == "json":
        more = {"warnings": found.table.warnings} if found.table.outcomes else {}
        print(score_tables.as_json(rows, intervals=about, **more))
    elif form == "csv":
        print(score_tables.as_csv(rows))
    elif form == "latex":
        print(score_tables.as_latex(rows, found.test, about))
    elif form == "markdown":
        print(score_tables.as_markdown(rows, found.test, about))
    else:
        _print_table(rows, found.test, found.opened, about)
    # Notes must not get into a table that is read by a program.
    for name, labels in found.table.groups.items():
        if not any(labels):
            told(f"check: the trials name no {name}, so there are no groups by it", "yellow")
    for warning in found.table.warnings:
        told(f"check: {warning}", "yellow")
    for note in found.table.notes:
        told(f"kept going: {note}", "yellow")
    if out is not None:
        told(f"run folder: {out}")


def _print_table(rows: list[dict[str, Any]], test: str, opened: Opened, about: str) -> None:
    from referee import catalogue
    from referee.show.reports import score_tables

    console = results()
    directions = {
        name: catalogue.configure("metric", name).direction for name in dict.fromkeys(r["metric"] for r in rows)
    }
    if opened.card is not None and opened.card.synthetic:
        console.print("[bold yellow]SYNTHETIC corpus: generated, not human data[/bold yellow]")
    for part in score_tables.as_rich(rows, directions, test, about=about, width=console.width):
        console.print(part)
