"""`referee score`: outputs in, a signed table out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.api.options import ScoreOptions
from referee.cli import has_terminal, make_results_console, print_note
from referee.cli.options import examples, make_app
from referee.cli.progress import show_clock, show_progress
from referee.options import FORMATS, apply, command, option

if TYPE_CHECKING:
    from referee.api.score import Scores

app = make_app()

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
    """Options of `referee score`: those of `referee.score`, and those of the command only."""

    signatures: bool = option(False, "Print every signature in full under the table, not one line.")
    form: str = option("table", ", ".join(FORMATS), "--format", "-f", choices=FORMATS)


@command(app, ScoreCommand, EPILOG)
def score(options: ScoreCommand) -> int:
    """Measure systems' outputs against people's descriptions: finding, table with intervals, signature."""

    # Imported here: `referee score --help` needs neither measures nor drawings.
    from referee.api.score import score as score_outputs

    options.progress = show_progress if has_terminal() else None
    out, options.out = options.out, None
    scores = apply(score_outputs, options)
    # Measures that were named are shown even where nothing could be measured.
    rows = scores.measured if options.metrics == "default" else scores.rows
    if out is not None:
        # Before printing: a pipe that is closed early must not cost the run folder.
        with show_clock("writing the run folder"):
            scores.save(out, options.overwrite)
    _print_scores(rows, options, scores)
    _print_notes(scores, out)
    return 0


def _print_scores(rows: list[dict[str, Any]], options: ScoreCommand, scores: Scores) -> None:
    """Print the scores in the chosen format."""
    from referee.show.reports import score_tables

    about = scores.table.describe_clusters()
    if options.form == "json":
        more = {"warnings": scores.table.warnings} if scores.table.outcomes else {}
        print(score_tables.as_json(rows, intervals=about, **more))
    elif options.form == "csv":
        print(score_tables.as_csv(rows))
    elif options.form == "latex":
        print(score_tables.as_latex(rows, scores.test, about))
    elif options.form == "markdown":
        print(score_tables.as_markdown(rows, scores.test, about))
    else:
        _print_table(rows, scores, about, options.signatures)


def _print_notes(scores: Scores, out: str | Path | None) -> None:
    """Print notes to standard error: they must not get into a table that a program reads."""
    for name, labels in scores.table.groups.items():
        if not any(labels):
            print_note(f"check: the trials have no {name}, so there are no groups by it", "yellow")
    for warning in scores.table.warnings:
        print_note(f"check: {warning}", "yellow")
    for note in scores.table.notes:
        print_note(f"kept going: {note}", "yellow")
    if out is not None:
        print_note(f"run folder: {out}")


def _print_table(rows: list[dict[str, Any]], scores: Scores, about: str, all_signatures: bool) -> None:
    """Print the finding, the tables, and the signatures."""
    from referee import catalogue
    from referee.show.reports import score_tables

    console = make_results_console()
    directions = {
        name: catalogue.configure("metric", name).direction for name in dict.fromkeys(r["metric"] for r in rows)
    }
    console.print(" ".join(describe_scores(rows, directions, scores)), markup=False)
    card = scores.opened.card
    if card is not None and card.synthetic:
        console.print("[bold yellow]SYNTHETIC corpus: generated, not human data[/bold yellow]")
    console.print()
    for part in score_tables.as_rich(
        rows, directions, scores.test, about=about, width=console.width, all_signatures=all_signatures
    ):
        console.print(part)


def describe_scores(rows: list[dict[str, Any]], directions: dict[str, str], scores: Scores) -> list[str]:
    """Return the sentences before the table: best system, how sure its lead is, outputs not parsed."""
    from referee.show.reports import best_system

    measured = best_system.ScoredRows(rows, directions)
    table, confidence = scores.table, scores.table.settings.confidence
    p_values = best_system.compare_pairs(table, best_system.choose_lead(measured), scores.test)
    test = best_system.describe_test(table, scores.test)
    return [
        *best_system.describe_best(measured, p_values, test, confidence),
        *best_system.count_outputs(table, rows),
    ]
