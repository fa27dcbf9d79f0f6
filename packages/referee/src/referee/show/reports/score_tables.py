"""Tables of scores for a terminal, a paper (LaTeX), a page (Markdown) or a program (CSV, JSON).

One row per system, one column per metric, n and interval with every value, stars against the baseline, signatures below.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.signature import explain, short, without_outputs

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Row = Mapping[str, Any]
COUNTS = ("missing", "unparsable", "unknown", "duplicate", "empty", "outside", "refused", "none", "several")
TESTED = {"p": "t over clusters", "p_randomisation": "whole clusters swapped"}


def format_number(value: float | None) -> str:
    """Return a value with three decimals, one if it is large; a dash for None."""
    if value is None:
        return "–"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


def format_stars(row: Row, test: str = "p") -> str:
    """Return ``**`` for p ≤ .01, ``*`` for p ≤ .05 against the baseline."""
    p = row.get(test)
    return "" if p is None else "**" if p <= 0.01 else "*" if p <= 0.05 else ""


def as_json(rows: Iterable[Row], **more: Any) -> str:
    """Return ``{"rows": [...]}``, null for missing values, with hash and parts of each signature."""
    signed = [
        {**row, "signature_hash": short(row["signature"]), "signature_parts": explain(row["signature"])}
        if "signature" in row
        else row
        for row in rows
    ]
    return json.dumps({"rows": signed, **more}, ensure_ascii=False, indent=1, allow_nan=False)


def as_csv(rows: Sequence[Row]) -> str:
    """Return tidy CSV with empty cells for missing values."""
    file = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().rstrip("\n")


def format_signatures(signatures: Iterable[str]) -> list[str]:
    """Return a line ``hash  measure|distinct parts`` per signature, and a last line of shared parts.

    Digests of systems' outputs are left out; the hash is that of the signature without them.
    """
    texts = list(dict.fromkeys(map(without_outputs, signatures)))
    explained = [explain(text) for text in texts]
    common = (
        {k: v for k, v in explained[0].items() if all(t.get(k) == v for t in explained)} if len(explained) > 1 else {}
    )
    lines = []
    for text, parts in zip(texts, explained, strict=True):
        distinct = "|".join(
            [parts["measure"], *(f"{k}:{v}" for k, v in parts.items() if k != "measure" and k not in common)]
        )
        lines.append(f"{short(text)}  {distinct}")
    return [*lines, *(["all: " + "|".join(f"{k}:{v}" for k, v in common.items())] if common else [])]


class _Grid:
    """Rows by system and group, columns by metric."""

    def __init__(self, rows: Sequence[Row], test: str) -> None:
        self.rows, self.test = rows, test
        self.metrics = list(dict.fromkeys(r["metric"] for r in rows))
        self.lines = list(dict.fromkeys((r["system"], r["group"]) for r in rows))
        self.cells = {(r["system"], r["group"], r["metric"]): r for r in rows}
        self.grouped = any(group is not None for _, group in self.lines)
        names = {group.partition("=")[0] for _, group in self.lines if group is not None}
        # With one grouping its name stands over the column once, instead of in every line.
        self.group_head = names.pop() if len(names) == 1 else "group"
        self.starred = any(format_stars(r, test) for r in rows)
        self.counts = [c for c in COUNTS if rows and c in rows[0] and (c in COUNTS[:2] or any(r[c] for r in rows))]

    def families(self) -> dict[str, list[str]]:
        """Return measures by family."""
        families: dict[str, list[str]] = {}
        for name in self.metrics:
            families.setdefault(name.partition("/")[0], []).append(name)
        return families

    def group(self, line: tuple[str, str | None]) -> str:
        """Return the group of a line, without the name that is in the column's head."""
        return "all" if line[1] is None else line[1].removeprefix(f"{self.group_head}=")

    def cell(self, line: tuple[str, str | None], metric: str) -> Row | None:
        return self.cells.get((*line, metric))

    def shared_n(self, line: tuple[str, str | None], metrics: Iterable[str]) -> int | None:
        """Return the n of a line if all its metrics have the same, else None."""
        # Printed once in the column n instead of in every cell.
        sizes = {row["n"] for m in metrics if (row := self.cell(line, m)) is not None}
        return sizes.pop() if len(sizes) == 1 else None

    def count(self, line: tuple[str, str | None], name: str) -> str:
        row = next(r for r in self.rows if (r["system"], r["group"]) == line)
        return str(row[name])

    def signatures(self) -> list[str]:
        """Return the signatures as lines, shared parts last."""
        return format_signatures(r["signature"] for r in self.rows)

    def note(self) -> str:
        """Return the note on stars; empty without a baseline."""
        base = next((r["baseline"] for r in self.rows if r.get("baseline")), None)
        if base is None:
            return ""
        return f"* p ≤ .05, ** p ≤ .01 against {base} ({TESTED[self.test]}, two-sided, not corrected for the number of comparisons)"


def as_rich(
    rows: Sequence[Row],
    directions: Mapping[str, str],
    test: str = "p",
    title: str = "",
    about: str = "",
    width: int = 160,
    all_signatures: bool = True,
) -> list[RenderableType]:
    """Return tables by family of measures, none wider than `width`, then notes and signatures."""
    from rich.text import Text

    grid = _Grid(rows, test)
    result: list[RenderableType] = []
    for family, metrics in grid.families().items():
        for part in _split_measures(grid, metrics, directions, width):
            # Counts are shown once per family.
            counts = grid.counts if part[-1] == metrics[-1] else []
            result += [_build_rich_table(grid, f"{title}{family}", part, counts, directions), Text("")]
    result += [Text(line, style="italic") for line in (about, grid.note()) if line]
    signed = (
        [line for s in grid.signatures() for line in wrap_signature(s, width)]
        if all_signatures
        else [_shorten_signature([r["signature"] for r in rows], width)]
    )
    return [*result, *(Text(line, style="dim", overflow="fold") for line in signed)]


def _shorten_signature(signatures: Sequence[str], width: int) -> str:
    """Return the hash and the first signature on one line, with a count of the others."""
    texts = list(dict.fromkeys(map(without_outputs, signatures)))
    line = f"{short(texts[0])}  {texts[0]}"
    if len(texts) == 1 and len(line) <= width:
        return line
    mention = f"|… (--signatures: {'all of it' if len(texts) == 1 else f'all {len(texts)}'})"
    first, *parts = line.split("|")
    for part in parts:
        if len(first) + len(part) + 1 + len(mention) > width:
            break
        first += f"|{part}"
    return first + mention


def wrap_signature(text: str, width: int) -> list[str]:
    """Return a signature in lines of the page's width, broken before a bar."""
    first, *parts = text.split("|")
    lines = [first]
    for part in parts:
        if len(lines[-1]) + len(part) + 1 > width:
            lines.append(" " * 10 + f"|{part}")
        else:
            lines[-1] += f"|{part}"
    return lines


def _build_rich_table(
    grid: _Grid, title: str, metrics: Sequence[str], counts: Sequence[str], directions: Mapping[str, str]
) -> RenderableType:
    """Return the table for the terminal."""
    from rich.table import Table

    table = Table(
        title=title, title_justify="left", header_style="bold", box=None, pad_edge=False, padding=(0, _GAP, 0, 0)
    )
    # Folded where a name is wider than the page: nothing is ever cut.
    table.add_column("system", overflow="fold")
    if grid.grouped:
        table.add_column(grid.group_head, overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in metrics:
        table.add_column(_format_head(name, directions), justify="right", overflow="fold")
    for name in counts:
        table.add_column(name, justify="right", overflow="fold")
    for line in grid.lines:
        n = grid.shared_n(line, metrics)
        head = [line[0], *([grid.group(line)] if grid.grouped else []), "·" if n is None else str(n)]
        cells = [_build_rich_cell(grid, line, m, n is None) for m in metrics]
        table.add_row(*head, *cells, *(grid.count(line, c) for c in counts))
    return table


_GAP = 2


def _format_head(name: str, directions: Mapping[str, str]) -> str:
    return f"{name.partition('/')[2] or name} {_format_arrow(directions.get(name, 'none'))}".rstrip()


def _split_measures(grid: _Grid, metrics: Sequence[str], directions: Mapping[str, str], width: int) -> list[list[str]]:
    """Return the measures of a family in as few tables as fit the width."""
    columns = [("system", [line[0] for line in grid.lines])]
    if grid.grouped:
        columns.append((grid.group_head, [grid.group(line) for line in grid.lines]))
    columns.append(("n", [str(r["n"]) for r in grid.rows]))
    left = width - sum(max(len(head), *map(len, cells)) + _GAP for head, cells in columns)
    counted = sum(len(c) + _GAP for c in grid.counts)
    parts: list[list[str]] = [[]]
    used = 0
    for name in metrics:
        cells = [_build_rich_cell(grid, line, name, grid.shared_n(line, metrics) is None) for line in grid.lines]
        need = max(len(_format_head(name, directions)), *(len(cell.plain) for cell in cells)) + _GAP
        # The counts stand beside the last measure.
        if parts[-1] and used + need + (counted if name == metrics[-1] else 0) > left + _GAP:
            parts.append([])
            used = 0
        parts[-1].append(name)
        used += need
    return parts


def _format_arrow(direction: str) -> str:
    return {"higher": "↑", "lower": "↓"}.get(direction, "")


def _build_rich_cell(grid: _Grid, line: tuple[str, str | None], metric: str, show_n: bool) -> Text:
    """Return a cell of the terminal's table."""
    from rich.text import Text

    row = grid.cell(line, metric)
    if row is None or row["value"] is None:
        return Text("– (n=0)")
    # Two places for the stars keep the intervals in line.
    marks = f"{format_stars(row, grid.test):<2}" if grid.starred else ""
    cell = Text(format_number(row["value"]), style="bold").append(marks, style="not bold")
    if row["low"] is not None:
        cell.append(f" [{format_number(row['low'])}, {format_number(row['high'])}]", style="not bold dim")
    return cell.append(f" n={row['n']}", style="not bold") if show_n else cell


def _format_plain_cell(row: Row | None, test: str, show_n: bool) -> str:
    """Return a cell of a plain table."""
    if row is None or row["value"] is None:
        return "– (n=0)"
    bounds = f" [{format_number(row['low'])}, {format_number(row['high'])}]" if row["low"] is not None else ""
    return f"{format_number(row['value'])}{format_stars(row, test)}{bounds}" + (f" (n={row['n']})" if show_n else "")


def _build_plain_lines(grid: _Grid, test: str) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a plain table."""
    header = ["system", *(["group"] if grid.grouped else []), "n", *grid.metrics, *grid.counts]
    lines = []
    for line in grid.lines:
        n = grid.shared_n(line, grid.metrics)
        head = [line[0], *([line[1] or "all"] if grid.grouped else []), "" if n is None else str(n)]
        cells = [_format_plain_cell(grid.cell(line, m), test, n is None) for m in grid.metrics]
        lines.append([*head, *cells, *(grid.count(line, c) for c in grid.counts)])
    return header, lines


def as_markdown(rows: Sequence[Row], test: str = "p", about: str = "") -> str:
    """Return a Markdown table with notes and signatures below."""
    grid = _Grid(rows, test)
    header, lines = _build_plain_lines(grid, test)
    text = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    # A bar would begin a new cell, a star emphasis.
    text += ["| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*") for cell in line) + " |" for line in lines]
    notes = [f"{line.replace('*', chr(92) + '*')}  " for line in (about, grid.note()) if line]
    return "\n".join([*text, "", *notes, *(f"`{s}`  " for s in grid.signatures())])


# Used in one pass: replaced one after another, the backslashes of the first would be escaped by the last.
_TEX = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "_": r"\_",
        "#": r"\#",
        "$": r"\$",
        "–": "--",
        "…": r"\dots{}",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"$<$",
        ">": r"$>$",
        "|": r"$|$",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "≤": r"$\leq$",
        "²": r"$^{2}$",
        "±": r"$\pm$",
        "−": "$-$",
    }
)


def escape_tex(text: str) -> str:
    """Return a text for LaTeX, with stars raised."""
    return re.sub(r"\*+", r"$^{\g<0>}$", text.translate(_TEX))


def as_latex(rows: Sequence[Row], test: str = "p", about: str = "") -> str:
    """Return a complete booktabs table; signatures follow as comments."""
    grid = _Grid(rows, test)
    header, lines = _build_plain_lines(grid, test)
    left = 2 if grid.grouped else 1
    text = [r"\begin{tabular}{" + "l" * left + "r" * (len(header) - left) + "}", r"\toprule"]
    text += [" & ".join(map(escape_tex, header)) + r" \\", r"\midrule"]
    text += [" & ".join(map(escape_tex, line)) + r" \\" for line in lines]
    text += [r"\bottomrule", r"\end{tabular}"]
    notes = [f"% {line}" for line in (about, grid.note()) if line]
    return "\n".join([*text, *notes, *(f"% {s}" for s in grid.signatures())])
