"""`referee audit`: checks printed numbers against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.api.audit import audit
from referee.api.options import AuditOptions
from referee.auditing.audit import Audit, summarise
from referee.auditing.claims import AuditRow, AuditVerdict
from referee.auditing.corrections import format_toml
from referee.auditing.explain.wording import format_value
from referee.auditing.formats import format_allowed_interval, format_csv, format_json, format_markdown
from referee.auditing.paper import list_shipped_papers, read_shipped_paper
from referee.cli import find_page_width, make_results_console
from referee.cli.options import examples, make_app
from referee.cli.progress import show_progress
from referee.options import command, option

app = make_app()

FORMATS = ("table", "json", "csv", "markdown")
STYLES = {
    AuditVerdict.FOLLOWS: "green",
    AuditVerdict.ROUNDING: "cyan",
    AuditVerdict.DOES_NOT_FOLLOW: "bold red",
    AuditVerdict.UNDETERMINED: "yellow",
}
EPILOG = examples("""
  referee audit                                   nine papers, no data needed

  referee audit --paper tuna-2008 --all           every number of one paper

  referee audit --paper tuna-2008 --explain       with the assumptions of every check

  referee audit --corrections                     the register of corrections, as the court reads it

  referee audit my-paper/ --strict                your own tables (a folder of CSVs and a paper.toml); exit code 1 if something does not follow

  referee audit --format markdown > audit.md      a page for a report

How to describe a paper: `referee docs audit` and examples/audit-my-paper.
""")


@dataclass
class AuditCommand(AuditOptions):
    """Options of `referee audit`: those of `referee.audit`, and those of the command only."""

    paper: list[str] | None = option(None, "Name of a shipped paper to audit.", "--paper", "-p")
    every: bool = option(False, "Print every row, not only the findings.", "--all")
    names: bool = option(False, "List the shipped papers.", "--list")
    explain: bool = option(False, "Print the assumptions of every check.")
    register: bool = option(False, "Print only the register of corrections (TOML).", "--corrections")
    strict: bool = option(False, "Exit code 1 if something does not follow.")
    form: str = option("table", f"Format of the output: {', '.join(FORMATS)}.", "--format", "-f", choices=FORMATS)


@command(app, AuditCommand, EPILOG)
def run_audit(options: AuditCommand) -> int:
    """Check printed numbers against each other, and report those that do not follow.

    Correlations from scores, overall from parts, F values, chi-squares and subset letters from means, SDs and counts,
    shares from whole counts, ranges, sums. A printed number represents every value that rounds to it, so only
    differences that rounding cannot explain are reported.
    """
    if options.names:
        _print_papers()
        return 0
    # By --paper always a shipped one, even where a folder has the same name.
    audits = audit([*options.papers, *map(read_shipped_paper, options.paper or ())], progress=show_progress).audits
    if options.register:
        print(format_toml(c for a in audits for c in a.corrections), end="")
    elif options.form == "table":
        _print_audits(audits, every=options.every, explain=options.explain)
    elif options.form == "markdown":
        print(format_markdown(audits, every=options.every))
    else:
        print({"json": format_json, "csv": format_csv}[options.form](audits))
    # Findings are results and no failure, unless a script asks for it.
    return int(options.strict and any(a.verdicts[AuditVerdict.DOES_NOT_FOLLOW] for a in audits))


def _print_papers() -> None:
    """Print the list of papers whose printed tables ship with the package."""
    papers = [read_shipped_paper(name) for name in list_shipped_papers()]
    width = max(len(p.name) for p in papers)
    for p in papers:
        print(f"{p.name:<{width}}  {p.citation}")


def _print_audits(audits: Sequence[Audit], *, every: bool, explain: bool) -> None:
    """Print a summary and the failed checks of each paper; optionally all checks and their assumptions."""
    from rich.markup import escape
    from rich.padding import Padding

    console = make_results_console()
    console.print(
        f"[bold]{escape(summarise(audits))}.[/bold]", soft_wrap=find_page_width() is None
    )  # one line in a pipe
    for a in audits:
        console.print()
        count = len(a.findings)
        count_text = "all checked numbers follow" if not count else f"{count} finding{'s' * (count > 1)}"
        console.print(
            f"[bold]{escape(a.paper)}[/bold]  {escape(a.citation)}  [dim]{len(a.rows)} numbers, {count_text}[/dim]"
        )
        for finding in a.findings:
            console.print(Padding(f"[red]✗[/red] {escape(finding.sentence)}", (0, 0, 0, 2)))
        if explain:
            for line in _list_assumptions(a):
                console.print(Padding(f"[dim]{escape(line)}[/dim]", (0, 0, 0, 4)))
        if every:
            console.print(_make_table(a.rows))
    console.print()
    more = "" if every else "--all prints every row; "
    console.print(f"[dim]{more}referee audit FOLDER checks your own tables (`referee docs audit`)[/dim]")


def _list_assumptions(a: Audit) -> list[str]:
    """Return a line per check with its assumptions; checks with equal assumptions share a line."""
    alike: dict[tuple[str, str, str], list[int]] = {}
    for assumption in a.assumptions:
        alike.setdefault((assumption.kind, assumption.assumes, assumption.admitted), []).append(assumption.check)
    lines = []
    for (kind, assumes, admitted), numbers in alike.items():
        which = f"check{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
        lines.append(f"{kind} ({which}) assumes: {assumes}" + (f". But: {admitted}" if admitted else ""))
    return lines


def _make_table(rows: Sequence[AuditRow]) -> object:
    """Return the table of audit rows."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    for name in ("source", "item"):
        table.add_column(name, overflow="fold", min_width=8)
    for name in ("printed", "recomputed", "allowed"):
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("verdict", overflow="fold")
    for row in rows:
        cells = (
            row.source.partition(", ")[2],
            row.item,
            format_value(row.printed),
            format_value(row.recomputed),
            format_allowed_interval(row),
        )
        style = STYLES[row.verdict]
        table.add_row(*map(escape, cells), f"[{style}]{row.verdict.value}[/{style}]")
    return table
