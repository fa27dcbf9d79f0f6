"""`referee replicate`: run the systems of a challenge again and compare our scores with the printed ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from referee import catalogue
from referee.api.options import ReplicateOptions
from referee.api.replicate import replicate
from referee.cli import make_results_console
from referee.cli.help_page import fit_table
from referee.cli.options import examples, make_app
from referee.cli.progress import show_steps
from referee.jobs.challenge_tasks import BOTH, TASKS
from referee.options import apply, command, option
from referee.show.reports.score_tables import as_csv, as_json, format_number

FORMATS = ("table", "json", "csv")
app = make_app()

EPILOG = examples("""
  referee replicate tuna2008-as                                  fourteen systems of 2008, Dice, MASI, accuracy, minimality

  referee replicate asgre2007 --format json

  referee replicate tunareg2009 --out RUN                        keep the outputs, for referee score and referee report

  referee replicate tuna2008-as.dev --seeds 5                    the teams' own development tables; the corpus cut five times

  referee replicate tuna2008-as --train train.xml --test test/ --peer GRAPH-4+B=graph.xml      the challenge's own files, and a peer's outputs

Needs the TUNA corpus (--data or REFEREE_DATA), or the challenge's own files. low and high are the lowest and highest value of a fold. Words are compared
as the algorithms make them, and again after correction.
""")


@dataclass
class ReplicateCommand(ReplicateOptions):
    """Options of `referee replicate`: those of `referee.replicate`, and those of the command only."""

    form: str = option("table", "table, json or csv.", "--format", "-f", choices=FORMATS)


@command(app, ReplicateCommand, EPILOG)
def replicate_task(options: ReplicateCommand) -> int:
    """Run the systems of a challenge and set our scores beside the printed ones."""
    with show_steps(f"systems of {options.task}") as options.progress:
        replication = apply(replicate, options)
    if options.form == "json":
        print(as_json(replication.rows, summary=replication.summary, reasons=list(replication.reasons)))
    elif options.form == "csv":
        print(as_csv([{k: v for k, v in row.items() if k not in ("folds", "fitted")} for row in replication.rows]))
    else:
        _print_replication(options.task, replication.rows, replication.summary, replication.reasons)
    return 0


def _print_replication(
    task: str, rows: Sequence[dict[str, Any]], summary: dict[str, Any], reasons: Sequence[str]
) -> None:
    """Print the tables of a replication and the reasons for differences."""
    console = make_results_console()
    for measure in TASKS[task].measures:
        for table in _make_tables(measure.metric, [r for r in rows if r["metric"] == measure.metric], console.width):
            console.print(table)
    for table in _make_agreement_table(summary["columns"], console.width):
        console.print(table)
    console.print("\nWhy our scores can differ from the printed ones:", style="bold")
    for reason in reasons:
        console.print(f"- {reason}", highlight=False)


def _make_tables(metric: str, rows: Iterable[dict[str, Any]], width: int) -> list[Any]:
    """Return tables of a measure: a row per system with our score, the printed score and the difference by domain."""
    by_system: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_system.setdefault(row["system"] + (", mended" if row["mended"] else ""), {})[row["domain"]] = row
    domains = list(dict.fromkeys(d for by_domain in by_system.values() for d in by_domain))
    has_protocol = any(
        both.get("protocol") is not None for by_domain in by_system.values() for both in by_domain.values()
    )
    heads = [
        "system",
        *(head for domain in domains for head in (domain, "print", "diff")),
        "folds",
        *(["two references", "print in range"] if has_protocol else []),
        "evidence",
        "fitted",
    ]
    sign = -1 if catalogue.configure("metric", metric).direction == "higher" else 1
    body = []
    for system, by_domain in sorted(by_system.items(), key=lambda item: sign * (item[1][BOTH]["published"] or 0)):
        both = by_domain[BOTH]
        spread = "–" if both["low"] is None else f"{both['low']:.2f} to {both['high']:.2f}"
        cells = [cell for domain in domains for cell in _format_cells(by_domain[domain])]
        protocol = _format_draws(both) if has_protocol else []
        label = both["evidence"] or "people"
        body.append([system, *cells, spread, *protocol, label, "yes" if both["fitted"] else "no"])
    return fit_table(heads, body, width, title=metric)


def _format_draws(row: dict[str, Any]) -> list[str]:
    """Return mean and range of the scores over random draws of the printed protocol, marked if the range includes the printed score."""
    if row.get("protocol") is None:
        return ["–", "–"]
    text = f"{format_number(row['protocol'])} ({row['protocol_low']:.2f} to {row['protocol_high']:.2f})"
    return [text, {True: "yes", False: "no", None: "–"}[row["published_in_range"]]]


def _format_cells(row: dict[str, Any]) -> tuple[str, str, str]:
    difference = "–" if row["difference"] is None else f"{row['difference']:+.3f}"
    return format_number(row["ours"]), format_number(row["published"]), difference


KINDS = {
    "spearman": "all",
    "spearman_without_floor": "without floor",
    "spearman_unfitted": "unfitted",
    "spearman_unfitted_without_floor": "unfitted, no floor",
}


def _make_agreement_table(columns: Iterable[dict[str, Any]], width: int) -> list[Any]:
    """Return the table of Spearman's rho between our scores and print, for four choices of systems."""
    heads = ["measure", "domain", "mended", *KINDS.values(), "mean |diff|", "faithful"]
    body = []
    for column in columns:
        apart = (format_number(column[f"mean_absolute_difference{which}"]) for which in ("", "_faithful"))
        words = "yes" if column["mended"] else "no"
        body.append([column["metric"], column["domain"], words, *(_format_rho(column, key) for key in KINDS), *apart])
    title = "Spearman's rho with print (lowest to highest fold, or cut where there are several) and how many systems"
    return fit_table(heads, body, width, fixed=3, title=title, left=3)


def _format_rho(column: dict[str, Any], key: str) -> str:
    """Return Spearman's rho with its range and number of systems."""
    spread = column[f"{key}_seeds"] or column[f"{key}_folds"]
    between = f" ({spread[0]:.2f} to {spread[1]:.2f})" if spread else ""
    return f"{format_number(column[key])}{between} {column[f'{key}_n']}"
