"""How often the audit finds one changed digit, and names the cell.

One digit of one number of a shipped table is changed, by lot. A change is detectable if it makes a number fail that followed before; the findings on
such numbers are those of the change. "Named": one of them has the cell among at most three. "Vague": it names several cells although only the changed
one has a digit whose change makes all new failures follow. The last line counts single findings in the same way.

    python benchmarks/misprints.py --count 1000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

from referee.auditing.audit import Audit, Finding, audit
from referee.auditing.checks.table import expand
from referee.auditing.claims import AuditVerdict, PrintedClaim
from referee.auditing.explain.printed_case import change_number
from referee.auditing.paper import Paper, list_shipped_papers, read_shipped_paper
from referee.auditing.printed import CellPlace, Number, compute_half_width

NUMBER = re.compile(r"[-−+]?\d*\.?\d+\**%?")
WRONG = AuditVerdict.DOES_NOT_FOLLOW


@cache
def unchanged(name: str) -> Audit:
    """Return the audit of a paper as printed."""
    return audit(read_shipped_paper(name))


def draw_changes(seed: int, count: int) -> list[tuple[str, str, int, str, str]]:
    """Paper, table, row, column and new text of changed cells, by lot."""
    rng = random.Random(seed)
    cells = [
        (name, table_id, i, column, row[column])
        for name in list_shipped_papers()
        for table_id, table in read_shipped_paper(name).tables.items()
        for i, row in enumerate(table.cells)
        for column in table.columns
        if NUMBER.fullmatch(row[column].strip())
    ]
    changes = []
    for name, table_id, i, column, text in rng.choices(cells, k=count):
        at = rng.choice([k for k, c in enumerate(text) if c.isdigit()])
        digit = rng.choice([d for d in "0123456789" if d != text[at]])
        changes.append((name, table_id, i, column, f"{text[:at]}{digit}{text[at + 1 :]}"))
    return changes


def change_cell(paper: Paper, table_id: str, row: int, column: str, text: str) -> Paper:
    """Return the paper with another text in one cell."""
    printed = paper.tables[table_id]
    rows = list(printed.cells)
    rows[row] = {**rows[row], column: text}
    return replace(paper, tables={**paper.tables, table_id: replace(printed, cells=tuple(rows))})


def digit_values(number: Number) -> Iterator[float]:
    """Yield the values that one other digit gives."""
    text = number.text.rstrip("*%").replace("−", "-")
    for i, c in enumerate(text):
        if c.isdigit():
            for digit in "0123456789":
                if digit != c:
                    yield float(text[:i] + digit + text[i + 1 :])


def is_possible(claims: list[PrintedClaim], failures: list[int], held: set[int], number: Number) -> bool:
    """Return whether another digit in a cell makes all failures follow and keeps what holds."""
    touching = [i for i, c in enumerate(claims) if any(n.place == number.place for n in c.touches)]
    for value in digit_values(number):
        change = partial(change_number, move={number.place: number.replace_value(value, compute_half_width(number))})
        if all(claims[i].changed(change).fits() for i in failures) and all(
            claims[i].changed(change).fits() for i in touching if i in held
        ):
            return True
    return False


def try_change(name: str, table_id: str, row: int, column: str, text: str) -> dict[str, Any]:
    """Audit a paper with one changed cell, and say how the audit did."""
    paper = read_shipped_paper(name)
    table = paper.tables[table_id]
    place = CellPlace(table.name, table.labels[row], column, table_id)
    record: dict[str, Any] = {
        "change": [name, table_id, row, column, text],
        "printed": table.cells[row][column],
        "place": str(place),
    }
    changed = change_cell(paper, table_id, row, column, text)
    try:
        result = audit(changed)
    except Exception:
        return {**record, "outcome": "exception", "trace": traceback.format_exc()[-600:]}
    claims = list(expand(changed))
    # The same item may be checked twice.
    before = Counter((r.source, r.item) for r in unchanged(name).rows if r.verdict is WRONG)
    failing = [i for i, r in enumerate(result.rows) if r.verdict is WRONG]
    after = Counter((result.rows[i].source, result.rows[i].item) for i in failing)
    failing = [i for i in failing if after[key := (result.rows[i].source, result.rows[i].item)] > before[key]]
    touching = [i for i, c in enumerate(claims) if any(n.place == place for n in c.touches) or c.text_place == place]
    record["failing"] = len(failing)
    record["touching"] = len(touching)
    if not failing:
        return {**record, "outcome": "within rounding" if touching else "in no equation"}
    findings: list[Finding] = [f for f in result.findings if set(failing) & set(f.rows)]
    record["sentences"] = [f.sentence for f in findings]
    record["cells"] = [[str(c) for c in f.cells] for f in findings]
    if not findings:
        return {**record, "outcome": "not detected"}
    naming = [f for f in findings if place in f.cells]
    record["findings"], record["naming"] = len(findings), len(naming)
    if not naming or any(len(f.cells) > 3 for f in findings):
        return {**record, "outcome": "not named"}
    if min(len(f.cells) for f in naming) > 1:
        held = {i for i, r in enumerate(result.rows) if r.verdict is not WRONG}
        common = set.intersection(*({n.place for n in claims[i].touches} for i in failing))
        numbers = {n.place: n for i in failing for n in claims[i].touches if n.place in common}
        possible = [p for p, n in numbers.items() if n.text and is_possible(claims, failing, held, n)]
        record["possible"] = [str(p) for p in possible]
        if possible == [place]:
            return {**record, "naming": 0, "outcome": "vague"}
    return {**record, "outcome": "named"}


def main() -> None:
    """Print the table; details as lines of JSON with `--details`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", nargs="*", default=list(list_shipped_papers()), help="of the drawn changes, those in these papers"
    )
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    finding_counts: Counter[str] = Counter()
    changes = [c for c in draw_changes(options.seed, options.count) if c[0] in options.only]
    for change in changes:
        start = time.process_time()
        record = try_change(*change)
        outcomes[record["outcome"]] += 1
        finding_counts.update({key: record.get(key, 0) for key in ("findings", "naming")})
        if options.details:
            print(json.dumps({**record, "seconds": round(time.process_time() - start, 2)}), flush=True)
    detectable = sum(outcomes[o] for o in ("named", "not named", "vague", "not detected"))
    detected = detectable - outcomes["not detected"]
    summary = f"{len(changes)} changes: {outcomes['exception']} exceptions; {detectable} detectable, {detected} detected, {outcomes['named']} named"
    summary += f"; of {finding_counts['findings']} findings {finding_counts['naming']} name the cell"
    print(f"{summary} ({dict(outcomes)})", file=sys.stderr if options.details else sys.stdout)


if __name__ == "__main__":
    main()
