"""`referee court`: which measures can be trusted to say what hearers do?"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from referee.auditing.corrections import Correction
from referee.cli import options
from referee.courtroom.corrected_verdicts import VerdictChange
from referee.courtroom.evidence import ALL, Evidence, Withdrawal
from referee.courtroom.heard_evidence import try_runs
from referee.courtroom.printed_evidence import published, published_sheets, sheets_of_csv
from referee.courtroom.proceedings import Proceedings, as_json, hold_court, hold_published_court
from referee.courtroom.verdicts import Case, signed
from referee.errors import InputError
from referee.files import make_folder, write_atomically
from referee.runs.folder import is_run

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
    resamples: Annotated[int, typer.Option(help="Cluster resamples for evidence over items.", min=0)] = 500,
    seed: options.Seed = 1,
) -> int:
    """Try every automatic measure against every hearer measure, and say which ones hold.

    Pearson and Spearman over systems with intervals, the range when any one system is left out, with and without human rows, per domain,
    pairwise ranking accuracy; AUC and rank correlation over items where there are items; one verdict per measure.
    """
    options.check_form(form)
    proceedings = _summon(sources or [], paper, resamples, seed)
    text = list(_lines(proceedings))
    data = json.dumps(as_json(proceedings), ensure_ascii=False, indent=1)
    if out is not None:
        _save(proceedings, text, data, out)
    print(data if form == "json" else "\n".join(text))
    return 0


def _summon(sources: Sequence[Path], paper: str | None, resamples: int, seed: int) -> Proceedings:
    if (paper is None) == (not sources):
        raise InputError(
            "nothing to try" if paper is None else "either a printed table or sources of one's own, not both",
            remedy=f"name run folders, a CSV file, or --published with one of {', '.join(published())}",
        )
    if paper is not None:
        return hold_published_court(paper, published_sheets(paper))
    if all(map(is_run, sources)):
        sheets, items = try_runs(sources, resamples, seed)
        return hold_court(", ".join(map(str, sources)), sheets, items)
    if len(sources) > 1 or sources[0].is_dir():
        wrong = next(s for s in sources if not is_run(s))
        raise InputError("this is not a run folder", where=wrong, remedy="name run folders only, or one CSV file")
    return hold_court(str(sources[0]), sheets_of_csv(sources[0]))


def _save(proceedings: Proceedings, text: Sequence[str], data: str, out: Path) -> None:
    from referee.reports.court_figure import court_figure, save_court_figure
    from referee.reports.report_figures import NO_FILES, can_save

    make_folder(out)
    write_atomically(out / "court.json", [data])
    write_atomically(out / "court.txt", text)
    if not can_save():
        print(f"{out}: {NO_FILES}", file=sys.stderr)
        return
    save_court_figure(court_figure(proceedings.best.evidence, f"The court on {proceedings.source}"), out / "court.svg")


# -- the page ------------------------------------------------------------------------------------------------------------------


def _lines(p: Proceedings) -> list[str]:
    """Verdicts, what corrections change, tables by domain and rows, items, cases, notes."""
    best, as_corrected = p.best, " (as corrected)" if p.corrections else ""
    lines = [f"The court on {p.source}", "", f"Verdicts{as_corrected}", *(f"  {v}" for v in best.verdicts.values())]
    lines += [*_change_lines(p), *_tables(best, as_corrected), *_item_lines(best)]
    lines += ["", f"Case by case{as_corrected}", *_case_lines(best)]
    tried = sum(e.pearson.p is not None for e in best.evidence if e.rows == ALL)
    lines += [
        "",
        f"{tried} pairs were tried over systems alone; with no relation anywhere about {tried / 20:.1f} of them would still reach p ≤ .05.",
        "r Pearson, rho Spearman, 95% intervals (* p ≤ .05, ** p ≤ .01, each pair by itself); without one: lowest and highest r when one system",
        "(or family) is left out; ranking: share of pairs of systems in the hearers' order; – not defined (a column does not vary, or too few).",
        *(f"Note: {note}." for note in best.notes),
    ]
    return lines


def _tables(p: Proceedings, as_corrected: str) -> list[str]:
    lines: list[str] = []
    for domain, rows in dict.fromkeys((e.domain, e.rows) for e in p.evidence):
        chosen = [e for e in p.evidence if (e.domain, e.rows) == (domain, rows)]
        if rows != ALL and [e.n for e in chosen] == [e.n for e in p.evidence if (e.domain, e.rows) == (domain, ALL)]:
            continue  # people were not answered, so their rows change nothing
        lines += ["", f"{domain or 'all domains'}, {rows}{as_corrected}", *_table(chosen)]
    return lines


def _change_lines(p: Proceedings) -> list[str]:
    """The corrections, finding by finding, and every coefficient they move."""
    if p.corrected is None:
        return []
    if not p.corrections:
        return ["", "No correction of the register touches these columns: as printed and as corrected are the same."]
    findings: dict[str, list[Correction]] = {}
    for correction in p.corrections:
        findings.setdefault(correction.why, []).append(correction)
    said = [f"  {why}{_used(cells)} (found by {cells[0].check})." for why, cells in findings.items()]
    head = ("measure", "hearer measure", "", "as printed", "", "as corrected", "")
    return ["", "What the corrections change", *said, *_aligned([head, *map(_change, p.changes)]), f"  {_turned(p)}"]


def _used(corrections: Sequence[Correction]) -> str:
    """Which value of an interval is used; nothing where the correction is a value."""
    used = [f"{c.between():.10g}" for c in corrections if not c.exact]
    return f"; the midpoint {', '.join(used)} is used" if used else ""


def _change(change: VerdictChange) -> tuple[str, ...]:
    before, after = (signed(r) for r in (change.r_printed, change.r_corrected))
    domain = change.domain or ""
    return (change.automatic, change.hearer, domain, before, change.finding_printed, after, change.finding_corrected)


def _turned(p: Proceedings) -> str:
    """How many verdicts change, and whether the new ones hold over all of the intervals."""
    turned = sum(change.turned for change in p.changes)
    said = f"{turned} of {len(p.changes)} verdicts on these pairs change, {len(p.cases) - len(p.changes)} pairs are not touched."
    if all(c.exact for c in p.corrections):
        return said
    unsure = [f"{c.automatic} → {c.hearer}" for c in p.changes if not c.holds]
    if unsure:
        return f"{said} Over the whole interval of the corrections not all hold: {', '.join(unsure)}."
    return f"{said} They are the same over the whole interval of the corrections."


def _case_lines(p: Proceedings) -> list[str]:
    """One sentence a pair; pairs that cannot be tried for the same reason share one."""
    alike: dict[str, list[Case]] = {}
    for case in p.cases:
        alike.setdefault(case.reason or case.sentence, []).append(case)
    return [f"  {_shared_sentence(cases)}" for cases in alike.values()]


def _shared_sentence(cases: Sequence[Case]) -> str:
    if len(cases) == 1:
        return cases[0].sentence
    measures = ", ".join(dict.fromkeys(c.automatic for c in cases))
    return f"{len(cases)} pairs cannot be tried: {cases[0].reason}: {measures}."


def _table(evidence: Sequence[Evidence]) -> list[str]:
    """Measures without a value for any system are named in one line, and so is a table in which nothing is defined."""
    tried = [e for e in evidence if e.pearson.r is not None or e.accuracy is not None]
    if not tried:
        most = max(e.n for e in evidence)
        return [
            f"  none of {len(evidence)} pairs can be tried ({most} system{'s' * (most != 1)} with both values at most)"
        ]
    left_out = dict.fromkeys(e.automatic for e in evidence if not e.n)
    shown = [e for e in evidence if e.n]
    return _aligned(_rows(shown)) + ([f"  no values: {', '.join(left_out)}"] if left_out else [])


def _rows(evidence: Sequence[Evidence]) -> list[tuple[str, ...]]:
    head = ("measure", "hearer measure", "n", "r", "interval", "rho", "interval", "without one", "", "ranking")
    return [head, *map(_row, evidence)]


def _row(e: Evidence) -> tuple[str, ...]:
    return (
        e.automatic,
        e.hearer,
        str(e.n),
        signed(e.pearson.r) + e.pearson.stars,
        _interval(e.pearson.low, e.pearson.high),
        signed(e.spearman.r) + e.spearman.stars,
        _interval(e.spearman.low, e.spearman.high),
        _left(e.lowest),
        _left(e.highest),
        "–" if e.accuracy is None else f"{e.accuracy:.0%} of {e.pairs}",
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{signed(low)}, {signed(high)}]"


def _left(withdrawal: Withdrawal | None) -> str:
    return "–" if withdrawal is None else f"{signed(withdrawal.r)} ({withdrawal.who})"


def _item_lines(p: Proceedings) -> list[str]:
    if not p.items:
        return []
    head = ("measure", "hearer measure", "n", "trials", "what", "value", "interval")
    rows = [head]
    left_out = dict.fromkeys(i.automatic for i in p.items if not i.found.n)
    for item in p.items:
        found = item.found
        if not found.n:
            continue
        value = "–" if found.value is None else f"{found.value:.2f}" if item.kind == "auc" else signed(found.value)
        bounds = "–" if found.low is None or found.high is None else f"[{found.low:.2f}, {found.high:.2f}]"
        what = "AUC" if item.kind == "auc" else "rho"
        rows.append((item.automatic, item.hearer, str(found.n), str(found.clusters), what, value, bounds))
    told = "AUC above .5: what was found scores better (a measure where less is better is turned round first); whole trials are resampled"
    missing = [f"  no values: {', '.join(left_out)}"] if left_out else []
    return ["", "over items, all systems together", *_aligned(rows), *missing, f"  {told}"]
