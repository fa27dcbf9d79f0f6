"""`referee score`: outputs in, a signed table out."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from referee import catalogue
from referee.cli import options
from referee.cli.progress import counting
from referee.errors import InputError
from referee.records import Trial
from referee.reports import score_tables
from referee.runs.folder import Run, is_run
from referee.runs.open import Answers, Opened, open_corpus, open_outputs
from referee.runs.score import score_trials
from referee.runs.score_table import CLUSTERINGS, DEFAULT_METRICS, GROUPINGS, ScoreTable, Settings, metric_names

app = options.new_app()
TESTS = {"t": "p", "randomisation": "p_randomisation"}

EPILOG = options.examples("""
  referee score --demo                                                     two toy speakers on the shipped corpus

  referee score a.jsonl b.jsonl --corpus tuna --reading challenge --by domain --baseline a

  referee score a.jsonl --corpus my-corpus.jsonl --metrics set,string/edit --format latex

  referee score a.jsonl --corpus tuna --metrics "string/bleu.4|brevity:shortest|case:keep"

  referee score human-101.jsonl --corpus tuna --split speaker=101 --references others

  referee score RUN --by domain --humans                                   a run folder scores itself

An outputs file has one JSON object a line: {"trial": ID, "system": NAME, "properties": [["colour", "red"], …], "text": "the red chair"};
the challenges' peer-output XML works too.
""")


@app.command(epilog=EPILOG)
def score(
    outputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files of outputs (JSONL or challenge XML), - for standard input, or a run folder.", show_default=False
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
    lenient: Annotated[
        bool,
        typer.Option("--lenient", help="Keep going over bad lines, missing or unknown trials; count them in columns."),
    ] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Score the shipped toy speakers on the shipped synthetic corpus.")
    ] = False,
) -> int:
    """Measure what systems said against what people said: one row a system, n and interval with every value, signatures below."""
    if demo:
        from referee.corpora.demo import outputs_files

        outputs, corpus = [*(outputs or []), *map(str, outputs_files())], corpus or "synthetic"
    _one_of("--format", form, score_tables.FORMATS)
    _one_of("--test", test, tuple(TESTS))
    _one_of("--cluster", cluster, CLUSTERINGS)
    _one_of("--references", references, ("own", "others"))
    if not outputs:
        raise InputError("no outputs were named", remedy="name a file of outputs, or try: referee score --demo")
    # Not said is not the same as --no-humans: a run that had people keeps them.
    humans = _remembered(outputs) if humans is None else humans
    settings = Settings(
        metrics=_present(metric_names(_listed(metrics))),
        by=_groupings(by),
        # A person held against their own words would always win.
        references="others" if humans else references,
        humans=humans,
        baseline=baseline,
        cluster=cluster,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        lenient=lenient,
    )
    opened = open_corpus(corpus or _corpus_of(outputs), data=data, reading=reading, split=split, seed=seed)
    answers = open_outputs(outputs, lenient)
    table = _measure(answers, opened, settings)
    if baseline is not None and test == "randomisation" and len(table.clusters.names) == 2:
        raise InputError(
            f"clusters cannot be swapped where {' and '.join(table.clusters.names)} are crossed",
            remedy=f"use --test t, or --cluster {table.clusters.names[0]} to swap by one of them",
        )
    rows = _shown(table, metrics)
    if out is not None:
        from referee.runs.scored_run import save_scored

        # Before printing: a pipe that is closed early must not cost the run folder.
        save_scored(out, answers, opened, table, rows, command=sys.argv[1:], overwrite=overwrite)
    _print(rows, form, TESTS[test], opened, table, out)
    return 0


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{option} cannot be {value!r}", remedy=f"{option} is one of {', '.join(allowed)}")


def _listed(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _present(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise InputError("no metric was named", remedy="see `referee list metrics`")
    return names


def _groupings(by: str) -> tuple[str, ...]:
    names = tuple(_listed(by))
    for name in names:
        if name not in GROUPINGS:
            raise InputError(f"cannot group by {name!r}", remedy=f"--by takes {', '.join(GROUPINGS)}")
    return names


def _corpus_of(outputs: list[str]) -> str:
    """The run folder itself when one was named; otherwise the user has to say."""
    runs = [o for o in outputs if is_run(o)]
    # Before the question for the corpus: a mistyped file name is the likelier mistake.
    missing = [o for o in outputs if o != "-" and not Path(o).exists()]
    if missing:
        raise InputError(
            f"there is no file or run folder {missing[0]!r}", remedy="name a file with outputs, or the folder of a run"
        )
    if len(runs) != 1:
        raise InputError(
            "no corpus was named", remedy="say which: --corpus NAME (referee list corpora) or --corpus FILE.jsonl"
        )
    return runs[0]


def _remembered(outputs: list[str]) -> bool:
    """Whether the run folder that is scored again had people as a row."""
    return any(bool(Run(o).manifest.get("settings", {}).get("humans")) for o in outputs if is_run(o))


def _measure(answers: Answers, opened: Opened, settings: Settings) -> ScoreTable:
    """Measured while a counter runs, where somebody can see it: in a pipe it would only cost the import of its drawing."""

    def watched() -> Iterable[Trial]:
        return counting(opened.trials(), f"{opened.name}: trials") if sys.stderr.isatty() else opened.trials()

    return score_trials(answers, watched, settings, opened.everyone, opened.source)


def _shown(table: ScoreTable, asked: str) -> list[dict[str, Any]]:
    """All rows; but with the default panel, measures that nobody's outputs allow are left out rather than shown as n = 0."""
    if not table.trials:
        raise InputError("there is nothing to score: no trial matches", remedy="check --split and --corpus")
    rows = table.scores()
    # What was asked for by name is shown even where nothing could be measured.
    if asked != "default":
        return rows
    measurable = {r["metric"] for r in rows if r["n"]} or set(DEFAULT_METRICS)
    return [r for r in rows if r["metric"] in measurable]


def _print(
    rows: list[dict[str, Any]], form: str, test: str, opened: Opened, table: ScoreTable, out: Path | None
) -> None:
    if form == "json":
        print(score_tables.as_json(rows, intervals=table.about_clusters()))
    elif form == "csv":
        print(score_tables.as_csv(rows))
    elif form == "latex":
        print(score_tables.as_latex(rows, test, table.about_clusters()))
    elif form == "markdown":
        print(score_tables.as_markdown(rows, test, table.about_clusters()))
    else:
        _print_table(rows, test, opened, table.about_clusters())
    from rich.console import Console

    # Notes must not get into a table that is read by a program.
    errors = Console(stderr=True)
    for note in table.notes:
        errors.print(f"[yellow]kept going:[/yellow] {note}", highlight=False, soft_wrap=True)
    if out is not None:
        errors.print(f"run folder: {out}", highlight=False)


def _print_table(rows: list[dict[str, Any]], test: str, opened: Opened, about: str) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        # In a pipe rich takes 80 columns and would cut numbers.
        console = Console(width=max(160, console.width))
    directions = {
        name: catalogue.configure("metric", name).direction for name in dict.fromkeys(r["metric"] for r in rows)
    }
    label = "SYNTHETIC corpus: generated, not human data" if opened.card is not None and opened.card.synthetic else ""
    if label:
        console.print(f"[bold yellow]{label}[/bold yellow]")
    for part in score_tables.as_rich(rows, directions, test, about=about):
        console.print(part)
