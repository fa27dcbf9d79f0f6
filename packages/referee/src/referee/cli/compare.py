"""`referee compare`: systems on the same items, for people and for continuous integration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from rich.markup import escape
from rich.table import Table

from referee.api.options import CompareOptions
from referee.cli import format_recognised, make_results_console, print_note
from referee.cli.options import examples, make_app
from referee.errors import InputError
from referee.files import write_atomically
from referee.options import apply, command, option

if TYPE_CHECKING:
    from referee.api.compare import Compared
    from referee.jobs.compare import Pair

app = make_app()

EPILOG = examples("""
  referee compare RUN                                                  every pair of the systems of a run

  referee compare old.txt new.txt --references ref.txt                 two systems, the first is the baseline

  referee compare answers.csv --systems a,b                            answers of listeners (metric ir)

  referee compare old.txt new.txt --references ref.txt --metric string/chrf --fail-if-worse             exit code 1 if new is worse

  referee compare old.txt new.txt --references ref.txt --metric string/chrf --fail-if-worse --by 0.02   non-inferiority with margin .02
""")


@dataclass
class CompareCommand(CompareOptions):
    """Options of `referee compare`: those of `referee.compare`, and those of the command only."""

    fail_if_worse: bool = option(
        False, "Exit code 1 if a system is worse than the first (its interval excludes 0).", "--fail-if-worse"
    )
    by: float | None = option(
        None, "With --fail-if-worse: exit code 1 unless the interval excludes a loss of this size.", minimum=0
    )
    junit: Path | None = option(None, "Also write a JUnit XML file, one test case a pair.")
    markdown: Path | None = option(None, "Also write a summary in Markdown (GITHUB_STEP_SUMMARY).")
    format: str = option("text", "text, json or markdown", "--format", "-f", choices=("text", "json", "markdown"))


@command(app, CompareCommand, EPILOG)
def compare(options: CompareCommand) -> int:
    """Compare systems, models, hearers or runs on the items that they share: difference, interval, test, ranks."""
    from referee.api.compare import compare as compare_files

    if options.by is not None and not options.fail_if_worse:
        raise InputError("--by has an effect only with --fail-if-worse", remedy="write --fail-if-worse --by 0.02")
    compared = apply(compare_files, options)
    if options.fail_if_worse:
        _check_decidable(compared, options.by)
    failures = compared.comparisons.failures(options.by) if options.fail_if_worse else []
    if options.junit is not None:
        write_atomically(options.junit, [format_junit(compared, failures)])
    if options.markdown is not None:
        write_atomically(options.markdown, [format_markdown(compared)])
    if options.format == "json":
        print(json.dumps(compared.data, ensure_ascii=False, indent=1, allow_nan=False))
    elif options.format == "markdown":
        print(format_markdown(compared))
    else:
        _print_findings(compared)
    for pair in failures:
        margin = "" if options.by is None else f" (a loss of {options.by:g} is not excluded)"
        print_note(f"worse: {pair.sentence(compared.comparisons.confidence)}{margin}", "red")
    return 1 if failures else 0


def _check_decidable(compared: Compared, margin: float | None) -> None:
    """Raise InputError if it is unknown whether a system is worse than the first.

    It is unknown if coordinates are misread, a measure has no direction, or a pair has no interval.
    With a margin, a missing interval counts as a possible loss and is no error.
    """
    compared_systems = {name for p in compared.comparisons.pairs for name in (p.a, p.b)}
    if misread := [name for name in compared.comparisons.misread if name in compared_systems]:
        doubts = [
            note for note in compared.comparisons.notes if note.startswith(tuple(f"{m}: read as" for m in misread))
        ]
        raise InputError(
            f"coordinates of {', '.join(misread)} fit another convention than the one they are read in",
            remedy=f"declare the right one with --convention ({'; '.join(doubts)})",
        )
    pairs = [p for p in compared.comparisons.pairs if p.a == compared.comparisons.pairs[0].a]
    if all(p.direction == "none" for p in pairs):
        raise InputError(
            f"neither higher nor lower values of {pairs[0].metric} are better",
            remedy="choose another --metric for --fail-if-worse",
        )
    untested = next((p for p in pairs if p.low is None and p.direction != "none"), None)
    if untested is not None and margin is None:
        raise InputError(
            f"{untested.b} cannot be compared with {untested.a} by {untested.metric}: {untested.items:,} common items, "
            f"{untested.clusters:,} sampling units",
            remedy="give both systems the same items, or choose another --metric or --cluster",
        )


def _print_findings(compared: Compared) -> None:
    """Print the first measure in sentences and all others as a table with one row per pair."""
    make_results_console().print(format_recognised(compared.recognised), markup=False)
    first = compared.comparisons.pairs[0].metric
    sentences = [p.sentence(compared.comparisons.confidence) for p in compared.comparisons.pairs if p.metric == first]
    power = compared.comparisons.power_sentence()
    for sentence in [*sentences, *([] if power is None else [power]), *compared.comparisons.notes]:
        make_results_console().print(sentence, markup=False)
    for metric, ranks in compared.ranks.items():
        if metric == first:
            shown = ", ".join(f"{rank} {system}" for system, rank in sorted(ranks.items(), key=lambda part: part[1]))
            make_results_console().print(
                f"Ranks by {metric}: {shown} (1 plus the number of significantly better systems).", markup=False
            )
    others = [p for p in compared.comparisons.pairs if p.metric != first]
    if others:
        n = len(compared.comparisons.pairs)
        make_results_console().print(
            f"All p values are corrected for {n:,} comparisons; --metric asks about one measure.", markup=False
        )
        make_results_console().print(make_pair_table(others))


def make_pair_table(pairs: Sequence[Pair]) -> Table:
    """Return pairs of systems as a table: difference with its interval, corrected p, the better system."""
    from referee.jobs.compare import format_p

    table = Table(box=None, header_style="bold", pad_edge=False)
    for head in ("measure", "b - a", "difference", "p (Holm)", "better"):
        table.add_column(head, justify="right" if head in ("difference", "p (Holm)") else "left", overflow="fold")
    for p in pairs:
        has_values = p.difference is not None and p.low is not None and p.high is not None
        difference = f"{p.difference:+.3f} [{p.low:+.3f}, {p.high:+.3f}]" if has_values else "no common items"
        corrected = "" if p.p_corrected is None else format_p(p.p_corrected)
        cells = (p.metric, f"{p.b} - {p.a}", difference, corrected, p.better or "")
        table.add_row(*map(escape, cells))
    return table


def format_markdown(compared: Compared) -> str:
    """Return a summary in Markdown: one row per pair, then ranks and notes."""
    heads = ("baseline", "system", "measure", "difference", "interval", "p (corrected)", "items", "better")
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for p in compared.comparisons.pairs:
        interval = "–" if p.low is None or p.high is None else f"{p.low:+.3f} to {p.high:+.3f}"
        difference = "–" if p.difference is None else f"{p.difference:+.3f}"
        corrected = "–" if p.p_corrected is None else f"{p.p_corrected:.3g}"
        cells = (
            p.a,
            p.b,
            p.metric,
            difference,
            interval,
            corrected,
            f"{p.items:,}",
            p.better or "not told apart",
        )
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join([*lines, "", *compared.comparisons.notes])


def format_junit(compared: Compared, failures: list[Pair]) -> str:
    """Return JUnit XML: one test case per pair with the first system, failed if the other system is worse."""
    first = compared.comparisons.pairs[0].a
    pairs = [p for p in compared.comparisons.pairs if p.a == first]
    cases = []
    for pair in pairs:
        name = quoteattr(f"{pair.b} against {pair.a} by {pair.metric}")
        sentence = quoteattr(pair.sentence(compared.comparisons.confidence))
        failure = f"<failure message={sentence}/>" if pair in failures else ""
        cases.append(f'  <testcase classname="referee.compare" name={name}>{failure}</testcase>')
    head = f'<testsuite name="referee compare" tests="{len(pairs)}" failures="{len(failures)}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"])
