"""`referee replicate`: the systems of a challenge run again, ours beside print."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from referee import catalogue
from referee.cli import options
from referee.cli.progress import advancing
from referee.cli.run import available_cores
from referee.errors import InputError
from referee.reports.score_tables import as_csv, as_json, number
from referee.runs.challenge_tasks import BOTH, TASKS, task_named
from referee.runs.open import open_corpus
from referee.runs.replicate import replicate, summarise

app = options.new_app()

EPILOG = options.examples("""
  referee replicate tuna2008-as                                  fourteen systems of 2008, Dice, MASI, accuracy, minimality

  referee replicate asgre2007 --format json

  referee replicate tunareg2009 --out RUN                        keep what the systems said, for referee score and referee report

  referee replicate tuna2008-as.dev --seeds 5                    the teams' own development tables; the corpus cut five times

Needs the TUNA corpus (--data or REFEREE_DATA). low and high are the lowest and highest value of a fold. Words are compared as the algorithms make them,
and once more mended.
""")


@app.command(epilog=EPILOG)
def replicate_task(
    task: Annotated[str, typer.Argument(help=f"One of {', '.join(TASKS)}.")],
    data: options.Data = None,
    folds: Annotated[int, typer.Option(help="Parts the corpus is cut into.", min=2)] = 5,
    seed: options.Seed = 1,
    seeds: Annotated[int, typer.Option(help="Cut the corpus so many times, for the range of rho.", min=1)] = 1,
    reading: Annotated[str, typer.Option(help="How TUNA's attribute sets are read (docs/corpora.md).")] = "challenge",
    least_words: Annotated[int, typer.Option(help="Score only trials whose reference has so many words.", min=0)] = 0,
    jobs: options.Jobs = None,
    out: Annotated[Path | None, typer.Option(help="Keep the run folder here.")] = None,
    overwrite: options.OverwriteRun = False,
    form: Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")] = "table",
) -> int:
    """Run the systems of a challenge and set our scores beside the printed ones."""
    if form not in ("table", "json", "csv"):
        raise InputError(f"cannot write as {form!r}", remedy="--format is table, json or csv")
    # A wrong name is told before the corpus is read.
    task_named(task)
    opened = open_corpus("tuna", data=data, reading=reading)
    # Made in any case: without --out the run is only a means.
    with tempfile.TemporaryDirectory(prefix="referee-") as place:
        cuts = []
        for number_of_cut in range(seeds):
            # Only the first cut is kept: the others are there for the range.
            kept = out if out is not None and not number_of_cut else Path(place) / f"run{number_of_cut}"
            with advancing(f"systems of {task}" + (f", cut {number_of_cut + 1}" if seeds > 1 else "")) as watch:
                cuts.append(
                    replicate(
                        task,
                        opened,
                        kept,
                        folds=folds,
                        seed=seed + number_of_cut,
                        jobs=jobs or available_cores(),
                        least_words=least_words,
                        watch=watch,
                        overwrite=overwrite,
                        command=sys.argv[1:],
                    )
                )
    rows = cuts[0]
    summary = summarise(task, rows, cuts[1:])
    if form == "json":
        print(as_json(rows, summary=summary, reasons=list(TASKS[task].reasons)))
    elif form == "csv":
        print(as_csv([{k: v for k, v in row.items() if k not in ("folds", "fitted")} for row in rows]))
    else:
        _print(task, rows, summary)
    return 0


def _print(task: str, rows: Sequence[dict[str, Any]], summary: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=max(170, console.width))
    for measure in TASKS[task].measures:
        console.print(_table(measure.metric, [r for r in rows if r["metric"] == measure.metric]))
    console.print(_agreement(summary["columns"]))
    console.print("\nWhy ours can differ from print:", style="bold")
    for reason in TASKS[task].reasons:
        console.print(f"- {reason}", highlight=False)


def _table(metric: str, rows: Iterable[dict[str, Any]]) -> Any:
    """One line a system, the best in print first: ours, print and difference for every domain that print has, and the spread over folds."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    by_system: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_system.setdefault(row["system"] + (", mended" if row["mended"] else ""), {})[row["domain"]] = row
    domains = list(dict.fromkeys(d for found in by_system.values() for d in found))
    table = Table(title=metric, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("system", no_wrap=True)
    for domain in domains:
        for head in (domain, "print", "diff"):
            table.add_column(head, justify="right", no_wrap=True)
    table.add_column("folds", justify="right", no_wrap=True)
    table.add_column("evidence", no_wrap=True)
    table.add_column("fitted", no_wrap=True)
    sign = -1 if catalogue.configure("metric", metric).direction == "higher" else 1
    for system, found in sorted(by_system.items(), key=lambda item: sign * (item[1][BOTH]["published"] or 0)):
        both = found[BOTH]
        spread = "–" if both["low"] is None else f"{both['low']:.2f} to {both['high']:.2f}"
        cells = [cell for domain in domains for cell in _cells(found[domain])]
        table.add_row(system, *cells, spread, both["evidence"] or "people", "yes" if both["fitted"] else "no")
    return table


def _cells(row: dict[str, Any]) -> tuple[str, str, str]:
    difference = "–" if row["difference"] is None else f"{row['difference']:+.3f}"
    return number(row["ours"]), number(row["published"]), difference


KINDS = {
    "spearman": "all",
    "spearman_without_floor": "without floor",
    "spearman_unfitted": "unfitted",
    "spearman_unfitted_without_floor": "unfitted, no floor",
}


def _agreement(columns: Iterable[dict[str, Any]]) -> Any:
    """Spearman's rho over four choices of systems, each with its range and how many systems it is of, and the mean absolute difference."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title = "Spearman's rho with print (lowest to highest fold, or cut where there are several) and how many systems"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in ("measure", "domain", "mended", *KINDS.values(), "mean |diff|", "faithful"):
        table.add_column(head, no_wrap=True)
    for column in columns:
        apart = (number(column[f"mean_absolute_difference{which}"]) for which in ("", "_faithful"))
        words = "yes" if column["mended"] else "no"
        table.add_row(column["metric"], column["domain"], words, *(_rho(column, key) for key in KINDS), *apart)
    return table


def _rho(column: dict[str, Any], key: str) -> str:
    spread = column[f"{key}_seeds"] or column[f"{key}_folds"]
    between = f" ({spread[0]:.2f} to {spread[1]:.2f})" if spread else ""
    return f"{number(column[key])}{between} {column[f'{key}_n']}"
