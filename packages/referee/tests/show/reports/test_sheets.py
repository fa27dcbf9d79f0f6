"""One table, three forms: nothing gets lost, nothing is taken for markup."""

from __future__ import annotations

import csv
import io
import re

from referee.show.pages import render
from referee.show.reports.sheets import Cell, Sheet, format_csv, format_latex

HOSTILE = r'<script>alert("x")</script> & 50% of $x_1^2$ {a} \input ~*'
SHEET = Sheet(
    name="example",
    corpus="tuna",
    title="An example",
    spans=(("", 1), ("Dice", 2)),
    header=("system", "a", "b"),
    rows=(
        (Cell(HOSTILE, badge="reconstructed"), Cell("0.333", small="0.1, 0.5", letters="AB", order=1 / 3), Cell("–")),
        (Cell("[other]"), Cell("0.500**", best=True, order=0.5), Cell("1", order=1.0)),
    ),
    notes=("n = 3 % of all",),
)


def test_csv_has_full_precision_and_heads_that_differ() -> None:
    rows = list(csv.DictReader(io.StringIO(format_csv(SHEET))))
    assert rows[0] == {"corpus": "tuna", "system": HOSTILE, "Dice a": "0.3333333333", "Dice b": "–"}


def test_csv_of_an_empty_table_is_its_heads() -> None:
    empty = Sheet(name="e", corpus="tuna", title="", header=("system", "a"), rows=())
    assert format_csv(empty) == "corpus,system,a"


def test_html_escapes_everything_and_keeps_what_sorts() -> None:
    html = render("report/sheet.html", sheet=SHEET)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert 'data-order="0.3333333333"' in html
    assert "<strong>0.500**</strong>" in html
    assert "<sup>AB</sup>" in html
    assert '<th colspan="2" scope="colgroup">Dice</th>' in html


def test_latex_has_no_bare_special_character_and_as_many_cells_as_heads() -> None:
    latex = format_latex(SHEET)
    body = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body] == [1, 2, 2, 2], (
        "the line of spans covers three columns"
    )
    system = body[2].partition(" & ")[0]
    assert r"\textbackslash{}input" in system
    assert r"\& 50\% of \$x\_1\textasciicircum{}2\$ \{a\}" in system
    assert r"$^{**}$" in body[3]
    assert body[3].startswith("{}["), "a bracket at the start of a line is no option of the line before"
    assert latex.splitlines()[-1] == "% n = 3 % of all"
    assert r"\cmidrule(lr){2-3}" in latex
    assert r"$^{\mathrm{AB}}$" in latex
