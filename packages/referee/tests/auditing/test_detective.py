"""Misprints planted into clean tables are found and named; clean tables raise no alarm, whatever they were rounded to."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import draw, paper, with_cell, with_cells, write

from referee.auditing.audit import Audit, audit
from referee.auditing.checks.table import expand
from referee.auditing.claims import AuditVerdict
from referee.auditing.explain.slips import SlipKind, find_slip
from referee.auditing.paper import Paper, read_paper

SYSTEMS = [f"S{i}" for i in range(8)]


@cache
def clean() -> Paper:
    return paper(Path(mkdtemp()), seed=7, edit=3, time=2, r=3, f=3)


def failures(found: Audit) -> list[str]:
    return [r.item for r in found.rows if r.verdict is AuditVerdict.DOES_NOT_FOLLOW]


def said(found: Audit) -> str:
    return "\n".join(f.sentence for f in found.findings)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    digits=st.fixed_dictionaries(
        {k: st.integers(0, 4) for k in ("edit", "time")} | {k: st.integers(1, 4) for k in ("r", "f")}
    ),
    accuracy=st.integers(2, 4),
)
def test_clean_tables_raise_no_alarm(
    tmp_path_factory: pytest.TempPathFactory, seed: int, digits: dict[str, int], accuracy: int
) -> None:
    folder = write(tmp_path_factory.mktemp("clean"), draw(seed), {**digits, "accuracy": accuracy})
    found = audit(read_paper(folder))
    assert failures(found) == []
    assert found.findings == ()


def test_most_numbers_of_a_clean_paper_follow_to_the_last_digit() -> None:
    counts = audit(clean()).verdicts
    assert counts[AuditVerdict.UNDETERMINED] == 0
    assert counts[AuditVerdict.FOLLOWS] > 10 * counts[AuditVerdict.ROUNDING]


@pytest.mark.parametrize("row", SYSTEMS)
@pytest.mark.parametrize("column", ["edit_both", "time_both"])
def test_a_wrong_cell_is_named_and_solved_for(row: str, column: str) -> None:
    right = clean().tables["scores"].number(row, column)
    assert right is not None
    spread = np.std([n.value for _, n in clean().tables["scores"].column(column) if n is not None])
    found = audit(with_cell(clean(), "scores", row, column, f"{right.value + 2 * spread:.3f}"))
    assert len(found.findings) == 1
    assert f"Table 1, {row}, {column}: " in said(found)
    wanted = re.findall(r"consistent values? (?:is|are) ([\d.-]+?)(?:–([\d.-]+))?;", said(found))[0]
    wanted = [w for w in wanted if w]
    assert float(wanted[0]) - right.half <= right.value <= float(wanted[-1]) + right.half


@pytest.mark.parametrize(("a", "b"), [("edit_both", "time_both"), ("time_a", "time_b")])
def test_exchanged_columns_are_recognised(a: str, b: str) -> None:
    table = clean().tables["scores"]
    texts = {(row, x): table.text(row, y) for row in SYSTEMS for x, y in ((a, b), (b, a))}
    found = audit(with_cells(clean(), "scores", texts))
    if (a, b) == ("time_a", "time_b"):
        # with equal counts the two halves of a sum may change places: nothing can be seen, and nothing is said
        assert found.findings == ()
    else:
        assert f"Table 1: the columns {a} and {b} are exchanged" in said(found)


def test_exchanged_rows_are_recognised() -> None:
    table = clean().tables["scores"]
    texts = {("S2", "edit_both"): table.text("S5", "edit_both"), ("S5", "edit_both"): table.text("S2", "edit_both")}
    assert "edit_both of S2 and S5 are exchanged" in said(audit(with_cells(clean(), "scores", texts)))


def test_a_column_shifted_by_a_row_is_recognised() -> None:
    table = clean().tables["scores"]
    texts = {(row, "edit_both"): table.text(SYSTEMS[(i + 1) % 8], "edit_both") for i, row in enumerate(SYSTEMS)}
    assert "the column edit_both is shifted by one row" in said(audit(with_cells(clean(), "scores", texts)))


def test_a_cell_copied_from_its_neighbour_is_pointed_out() -> None:
    copy = clean().tables["scores"].text("S3", "time_a")
    assert "repeats time_a of the same row" in said(audit(with_cell(clean(), "scores", "S3", "time_both", copy)))


def flipped(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (flipped, "the sign is wrong"),
        (lambda t: t.replace("0.", "0.0", 1), "the decimal point is too far to the left"),
        (lambda t: t[:-2] + t[-1] + t[-2], "two digits are swapped"),
        (lambda t: t[:-2] + str((int(t[-2]) + 5) % 10) + t[-1], "one digit differs from"),
    ],
)
def test_slips_of_the_pen_are_named(change, words: str) -> None:  # type: ignore[no-untyped-def]
    right = clean().tables["pairs"].text("edit time", "r")
    assert right[-1] != right[-2]
    found = audit(with_cell(clean(), "pairs", "edit time", "r", change(right)))
    assert failures(found) == ["r(edit, time)"]
    assert words in said(found)


def test_missing_stars_are_found() -> None:
    found = audit(with_cell(clean(), "pairs", "edit time", "stars", "0"))
    assert failures(found) == ["stars of r(edit, time)"]


def test_a_wrong_f_is_found_with_the_value_that_follows() -> None:
    right = clean().tables["text"].number("interaction", "value")
    assert right is not None
    found = audit(with_cell(clean(), "text", "interaction", "value", f"{right.value + 0.5:.3f}"))
    row = next(r for r in found.rows if r.item == "interaction")
    assert row.verdict is AuditVerdict.DOES_NOT_FOLLOW
    assert row.recomputed == pytest.approx(right.value, abs=0.01)


def test_a_share_that_is_no_count_is_found() -> None:
    found = audit(with_cell(clean(), "scores", "S1", "accuracy_a", "0.51"))  # 20/40 = .50, 21/40 = .525
    assert "S1, accuracy_a" in failures(found)


def test_two_unrelated_misprints_are_two_findings() -> None:
    both = with_cell(with_cell(clean(), "pairs", "edit time", "stars", "0"), "text", "domain", "value", "99.000")
    assert len(audit(both).findings) == 2


def test_an_empty_score_table_cell_leaves_numbers_open_instead_of_failing() -> None:
    found = audit(with_cell(clean(), "scores", "S1", "time_a", ""))
    assert {r.verdict for r in found.rows if r.item == "S1, time_both"} == {AuditVerdict.UNDETERMINED}
    assert not any(r.item == "S1, time_both" for r in found.rows if r.verdict is AuditVerdict.DOES_NOT_FOLLOW)


def test_a_slip_is_a_kind_with_words_and_the_point_is_where_the_words_say(tmp_path: Path) -> None:
    # 4 / 94 = .043: printed ten times too large, the point stands one place too far to the right; 40 / 94 = .426 printed .043
    paper_of_priors = tmp_path / "priors"
    paper_of_priors.mkdir()
    (paper_of_priors / "t.csv").write_text("value,k,n,prior\na,4,94,0.43\nb,40,94,0.0426\n")
    (paper_of_priors / "paper.toml").write_text(
        '[tables.t]\nfile = "t.csv"\nexact = ["k", "n"]\n'
        '[[checks]]\nkind = "formula"\ntable = "t"\ntarget = "prior"\nformula = "k / n"\n'
    )
    slips = [find_slip(claim) for claim in expand(read_paper(paper_of_priors))]
    assert [slip.kind for slip in slips] == [SlipKind.POINT, SlipKind.POINT]
    assert [slip.words.split()[-1] for slip in slips] == ["right", "left"]


def test_what_other_numbers_confirm_is_not_called_the_mistake(tmp_path: Path) -> None:
    # the sum is 9, 10 is printed, and 10 / 5 = 2 is printed, too: the sum is confirmed, so a part must be wrong
    (tmp_path / "t.csv").write_text("item,a,b,sum,n,mean\nx,4,5,10,5,2.0\n")
    check = '[[checks]]\nkind = "formula"\ntable = "t"\ntarget = "{}"\nformula = "{}"\n'
    (tmp_path / "paper.toml").write_text(
        '[tables.t]\nfile = "t.csv"\nexact = ["a", "b", "sum", "n"]\n'
        + check.format("sum", "a + b")
        + check.format("mean", "sum / n")
    )
    found = audit(read_paper(tmp_path))
    assert "10 is confirmed by x, mean, so another number must be wrong" in said(found)
