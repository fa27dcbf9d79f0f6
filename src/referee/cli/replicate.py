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
from referee.runs.open import open_corpus
from referee.runs.replicate import BOTH, TASKS, replicate, summarise, task_named

app = options.new_app()

EPILOG = options.examples("""
  referee replicate tuna2008-as                                  fourteen systems of 2008, Dice, MASI, accuracy, minimality

  referee replicate asgre2007 --format json

  referee replicate tunareg2009 --out RUN                        keep what the systems said, for referee score and referee report

Needs the TUNA corpus (--data or REFEREE_DATA). low and high are the lowest and highest value of a fold.
""")


@app.command(epilog=EPILOG)
def replicate_task(
    task: Annotated[str, typer.Argument(help=f"One of {', '.join(TASKS)}.")],
    data: options.Data = None,
    folds: Annotated[int, typer.Option(help="Parts the corpus is cut into.", min=2)] = 5,
    seed: options.Seed = 1,
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
    opened = open_corpus("tuna", data=data, reading="challenge")
    # Made in any case: without --out the run is only a means.
    with tempfile.TemporaryDirectory(prefix="referee-") as place, advancing(f"systems of {task}") as watch:
        rows = replicate(
            task,
            opened,
            out or Path(place) / "run",
            folds=folds,
            seed=seed,
            jobs=jobs or available_cores(),
            watch=watch,
            overwrite=overwrite,
            command=sys.argv[1:],
        )
    summary = summarise(task, rows)
    if form == "json":
        print(as_json(rows, summary=summary, reasons=list(TASKS[task].reasons)))
    elif form == "csv":
        print(as_csv(rows))
    else:
        _print(task, rows, summary)
    return 0


def _print(task: str, rows: Sequence[dict[str, Any]], summary: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=max(130, console.width))
    for measure in TASKS[task].measures:
        console.print(_table(measure.metric, [r for r in rows if r["metric"] == measure.metric]))
    for column in summary["columns"]:
        console.print(_agreement(column), highlight=False)
    console.print("\nWhy ours can differ from print:", style="bold")
    for reason in TASKS[task].reasons:
        console.print(f"- {reason}", highlight=False)


def _table(metric: str, rows: Iterable[dict[str, Any]]) -> Any:
    """One line a system, the best in print first: ours, print and difference for every domain that print has, and the spread over folds."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    by_system: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_system.setdefault(row["system"], {})[row["domain"]] = row
    domains = list(dict.fromkeys(d for found in by_system.values() for d in found))
    table = Table(title=metric, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("system", no_wrap=True)
    for domain in domains:
        for head in (domain, "print", "diff"):
            table.add_column(head, justify="right", no_wrap=True)
    table.add_column("folds", justify="right", no_wrap=True)
    table.add_column("evidence", no_wrap=True)
    sign = -1 if catalogue.configure("metric", metric).direction == "higher" else 1
    for system, found in sorted(by_system.items(), key=lambda item: sign * (item[1][BOTH]["published"] or 0)):
        both = found[BOTH]
        spread = "–" if both["low"] is None else f"{both['low']:.2f} to {both['high']:.2f}"
        cells = [cell for domain in domains for cell in _cells(found[domain])]
        table.add_row(system, *cells, spread, both["evidence"] or "")
    return table


def _cells(row: dict[str, Any]) -> tuple[str, str, str]:
    difference = "–" if row["difference"] is None else f"{row['difference']:+.3f}"
    return number(row["ours"]), number(row["published"]), difference


def _agreement(column: dict[str, Any]) -> str:
    return (
        f"{column['metric']}, {column['domain']}: Spearman's rho {number(column['spearman'])}, mean absolute difference "
        f"{number(column['mean_absolute_difference'])} (faithful only: {number(column['mean_absolute_difference_faithful'])}), "
        f"n = {column['n']}"
    )
