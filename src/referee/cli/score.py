"""`referee score`: outputs in, a signed table out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from referee import catalogue
from referee.api.score import Scores
from referee.api.score import score as score_outputs
from referee.catalogue import one_of
from referee.cli import is_watched, options, results, told
from referee.cli.progress import counting, waiting
from referee.reports import score_tables
from referee.runs.open import Opened
from referee.runs.score_table import CLUSTERINGS, GROUPINGS

app = options.new_app()

EPILOG = options.examples("""
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


@app.command(epilog=EPILOG)
def score(
    outputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files of outputs (JSONL, CSV, Parquet or challenge XML), - for standard input, or a run folder.",
            show_default=False,
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", "-c", help="A corpus by name (referee list corpora) or a JSONL file of trials."),
    ] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    split: Annotated[
        str | None,
        typer.Option(help="A part: speaker=101, domain=furniture, challenge-80/20:test, speaker-fold-1/5:test."),
    ] = None,
    items: Annotated[Path | None, typer.Option(help="Only these trials: a file with one id on each line.")] = None,
    by: Annotated[str, typer.Option(help=f"Also score groups, comma-separated: {', '.join(GROUPINGS)}.")] = "",
    metrics: Annotated[
        str,
        typer.Option(
            help="Names, families (set, scene, meaning, string, distribution), default or all; comma-separated. Switches as in a signature: name|switch:value."
        ),
    ] = "default",
    references: Annotated[
        str, typer.Option(help="own: the trial's references; others: other speakers' of the same scene.")
    ] = "own",
    humans: Annotated[
        bool | None,
        typer.Option(
            "--humans/--no-humans",
            help="Add people as a row: each speaker against the others (implies --references others). A run remembers it.",
            show_default=False,
        ),
    ] = None,
    baseline: Annotated[str | None, typer.Option(help="Mark differences from this system.")] = None,
    cluster: Annotated[
        str,
        typer.Option(
            help=f"What was sampled, so that trials of one cluster count as one: {', '.join(CLUSTERINGS)} (design: what the corpus' card says)."
        ),
    ] = "design",
    test: Annotated[
        str,
        typer.Option(
            help="Which test puts the stars: t, or randomisation (whole clusters swapped; not where two are crossed)."
        ),
    ] = "t",
    resamples: Annotated[
        int, typer.Option(help="Random swaps where there are too many clusters to try them all.", min=0)
    ] = 1000,
    confidence: options.Confidence = 0.95,
    seed: options.SeedFromZero = 1,
    form: Annotated[str, typer.Option("--format", "-f", help=", ".join(score_tables.FORMATS))] = "table",
    out: Annotated[
        Path | None, typer.Option(help="Also write a run folder (manifest, trials, outputs, scores).")
    ] = None,
    overwrite: options.OverwriteRun = False,
    jobs: Annotated[int, typer.Option(help="Processes that measure.", min=1)] = 1,
    engine: options.EngineName = "local",
    shard: Annotated[
        int | None, typer.Option(help="Trials measured at a time; changes nothing but memory and speed.", min=1)
    ] = None,
    address: options.Address = None,
    convention: Annotated[
        list[str] | None,
        typer.Option(
            help='Answers with places: what a system\'s numbers mean, as SYSTEM=CONVENTION ("qwen25vl=pixels xyxy sent:qwen28"); docs/sight.md.',
            show_default=False,
        ),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option("--lenient", help="Keep going over bad lines, missing or unknown trials; count them in columns."),
    ] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Score the shipped toy speakers on the shipped synthetic corpus.")
    ] = False,
) -> int:
    """Measure what systems said against what people said: one row a system, n and interval with every value, signatures below."""
    one_of("--format", form, score_tables.FORMATS)
    found = score_outputs(
        outputs,
        corpus,
        metrics=metrics,
        by=by,
        references=references,
        humans=humans,
        baseline=baseline,
        cluster=cluster,
        test=test,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        lenient=lenient,
        data=data,
        reading=reading,
        split=split,
        ids=items,
        convention=convention or (),
        jobs=jobs,
        engine=engine,
        shard=shard,
        address=address,
        demo=demo,
        progress=counting if is_watched() else None,
    )
    # What was asked for by name is shown even where nothing could be measured.
    rows = found.measured if metrics == "default" else found.rows
    if out is not None:
        # Before printing: a pipe that is closed early must not cost the run folder.
        with waiting("writing the run folder"):
            found.save(out, overwrite)
    _print(rows, form, found, out)
    return 0


def _print(rows: list[dict[str, Any]], form: str, found: Scores, out: Path | None) -> None:
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
    console = results()
    directions = {
        name: catalogue.configure("metric", name).direction for name in dict.fromkeys(r["metric"] for r in rows)
    }
    if opened.card is not None and opened.card.synthetic:
        console.print("[bold yellow]SYNTHETIC corpus: generated, not human data[/bold yellow]")
    for part in score_tables.as_rich(rows, directions, test, about=about, width=console.width):
        console.print(part)
