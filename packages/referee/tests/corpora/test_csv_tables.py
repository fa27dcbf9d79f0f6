"""Comma-separated tables: what is read, and what is refused with file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from referee.corpora.reading.csv_tables import get_text, parse_list, parse_number, read_csv
from referee.corpora.reading.lines import WrongShape
from referee.errors import MalformedInput


def table(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_rows_are_cells_by_column(tmp_path: Path) -> None:
    path = table(tmp_path, gzip.compress('\ufeffa,b\n1,"x, y"\n"two\nlines",\n'.encode()), "t.csv.gz")
    assert list(read_csv(path, dict)) == [{"a": "1", "b": "x, y"}, {"a": "two\nlines", "b": ""}]


def test_an_empty_table_has_no_rows(tmp_path: Path) -> None:
    assert list(read_csv(table(tmp_path, b""), dict)) == []


def test_a_loose_end_takes_the_rest_of_the_line(tmp_path: Path) -> None:
    path = table(tmp_path, b"a,b\n1,x,y\n2,z\n")
    assert [row["b"] for row in read_csv(path, dict, loose_end=True)] == ["x,y", "z"]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"a,b\n1,2\n1,2,3\n", 3, "3 cells under 2 column names"),
        (b"a,b\n1,2\n1\n", 3, "1 cells under 2 column names"),
        (b'a,b\n"1"x,2\n', 2, "the table cannot be read further"),
        (b"a,b\n1,2\n1,\xff\n", 3, "byte 3 of this line is not UTF-8"),
    ],
)
def test_a_broken_row_is_told_with_its_line(content: bytes, line: int, problem: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match=rf"t.csv:{line}: {problem}"):
        list(read_csv(table(tmp_path, content), dict))


def test_a_torn_archive_is_told(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    with pytest.raises(MalformedInput, match="cannot be read further"):
        list(read_csv(table(tmp_path, whole[:-20], "t.csv.gz"), dict))


def test_a_wrong_cell_is_told_with_the_line_its_row_ends_in(tmp_path: Path) -> None:
    path = table(tmp_path, b'a,b\n"x\ny",1\n"x\ny",z\n')
    with pytest.raises(MalformedInput, match=r"t.csv:5: "):
        list(read_csv(path, lambda row: int(row["b"])))


def test_what_stands_for_nothing() -> None:
    assert [get_text({"a": text}, "a") for text in ("", " ", "NA", "nan", "no", "0")] == [
        None,
        None,
        None,
        None,
        "no",
        "0",
    ]
    assert [parse_number({"a": text}, "a") for text in ("NA", "1.5")] == [None, 1.5]
    with pytest.raises(WrongShape, match="is not a number"):
        parse_number({"a": "inf"}, "a")


def test_a_list_in_a_cell_is_read_and_never_run() -> None:
    assert parse_list("['a', \"b's\"]") == ["a", "b's"]
    for text in ("('a',)", "[open('x')]", "[", "'a'"):
        with pytest.raises(WrongShape, match="is not a list"):
            parse_list(text)
