"""Printed numbers as intervals, and what is said about files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.auditing.printed import PrintedTable, count_decimals, read_table, snap
from referee.errors import MalformedInput


def table(tmp_path: Path, text: str, key: tuple[str, ...] = ("system",), **options: object) -> PrintedTable:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(path, id="t", name="Table 1", key=key, **options)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0.50", 0.495, 0.505),
        ("0.5", 0.45, 0.55),
        ("-.30", -0.305, -0.295),
        ("148", 147.5, 148.5),
        ("−2", -2.5, -1.5),
        ("12%", 11.5, 12.5),
    ],
)
def test_a_printed_number_stands_for_everything_that_rounds_to_it(
    tmp_path: Path, text: str, low: float, high: float
) -> None:
    number = table(tmp_path, f"system,x\na,{text}\n").number("a", "x")
    assert number is not None
    assert (number.low, number.high) == pytest.approx((low, high), abs=1e-12)


def test_dropped_zeros_lend_a_cell_the_digits_of_its_column(tmp_path: Path) -> None:
    text = "system,x\na,.65\nb,.647\n"
    assert table(tmp_path, text).number("a", "x").half == pytest.approx(0.005)
    assert table(tmp_path, text, zeros="dropped").number("a", "x").half == pytest.approx(0.0005)


def test_stars_are_read_from_the_cell(tmp_path: Path) -> None:
    number = table(tmp_path, "system,x\na,-.81**\n").number("a", "x")
    assert (number.value, number.stars) == (-0.81, 2)


@pytest.mark.parametrize("text", ["", "-", "NaN", "n/a", "—"])
def test_nothing_printed_is_nothing_and_not_zero(tmp_path: Path, text: str) -> None:
    assert table(tmp_path, f"system,x\na,{text}\nb,1\n").number("a", "x") is None


def test_a_share_of_few_items_is_known_exactly() -> None:
    # 0.07 of 56 can only be 4 of 56: 3/56 = .0536, 4/56 = .0714, 5/56 = .0893
    assert snap(0.065, 0.075, 56, 1.0) == 4
    # 43.33% of 60 is 26 of 60; 0.5 of 112 could be many counts; 0.51 of 10 none
    assert snap(43.325, 43.335, 60, 100.0) == 26
    assert snap(0.45, 0.55, 112, 1.0) is None
    assert snap(0.505, 0.515, 10, 1.0) is None


def test_a_share_enters_the_audit_as_its_count(tmp_path: Path) -> None:
    number = table(tmp_path, "system,x\na,0.07\n", shares={"x": 56}).number("a", "x")
    assert (number.value, number.half) == (4 / 56, 0.0)


def test_a_word_in_a_number_column_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match=r"t\.csv:3: 'abc' in column 'x' is not a number\n  → "):
        table(tmp_path, "system,x\na,1\nb,abc\n").number("b", "x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system,x\na,1,2\n", r"t\.csv:2: 3 cells under 2 columns"),
        ("system,x\n", r"t\.csv: no rows"),
        ("", r"t\.csv: no rows"),
        ("system,x,x\na,1,2\n", r"t\.csv:1: two columns are called 'x'"),
        ("system,x\na,1\na,2\n", r"t\.csv:3: a second row is labelled 'a'"),
        ('system,x\na,"1\n', r"t\.csv:2: broken CSV"),
        ("name,x\na,1\n", r"t\.csv:1: no column is called 'system'"),
    ],
)
def test_a_broken_table_is_refused_with_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(MalformedInput, match=said):
        table(tmp_path, text)


def test_a_table_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("system,x\nmüde,1\n".encode("latin-1"))
    with pytest.raises(MalformedInput, match="not UTF-8"):
        read_table(path, id="t", name="t", key=["system"])


def test_decimals_counts_digits_behind_the_point() -> None:
    assert [count_decimals(t) for t in ("3", "3.0", "-.250", "1e-3")] == [0, 1, 3, 3]
    with pytest.raises(ValueError):
        count_decimals("inf")
