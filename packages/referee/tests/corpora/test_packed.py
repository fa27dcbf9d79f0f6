"""Packed files: found packed or unpacked, and every mistake in them named by file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.b5 import B5Ref
from referee.corpora.reading.packed import collect_unused_fields, find_files, read_document, read_rows, read_table
from referee.errors import DataNotFound, InputError, MalformedInput


def test_an_unpacked_file_is_as_good_as_a_packed_one(tmp_path: Path) -> None:
    packed = write(tmp_path / "packed", TINY["b5-ref"])
    plain = write(tmp_path / "plain", {name.removesuffix(".gz"): rows for name, rows in TINY["b5-ref"].items()})
    assert list(B5Ref(plain).trials()) == list(B5Ref(packed).trials()) != []


def test_a_missing_corpus_is_reported_by_its_packed_name(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"b5ref\.jsonl\.gz"):
        list(B5Ref(tmp_path).trials())


def test_the_files_may_lie_in_the_data_folder_itself(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}")
    assert find_files(tmp_path, "anything", "a.jsonl.gz") == (tmp_path / "a.jsonl",)


def place_of(error: pytest.ExceptionInfo[MalformedInput]) -> tuple[str, int | None]:
    assert error.value.remedy
    return Path(error.value.where).name, error.value.line


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"a": 1}\n{"a": \n', 2),
        (b'{"a": 1}\n\n{"b": 1}\n', 3),
        (b'{"a": 1}\n["a"]\n', 2),
        (b'{"a": 1}\n{"a": "\xe9"}\n', 2),
    ],
    ids=["broken JSON", "missing key", "not an object", "not UTF-8"],
)
def test_a_broken_line_is_named_with_its_number(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(MalformedInput) as error:
        list(read_rows(path, lambda row: row["a"]))
    assert place_of(error) == ("rows.jsonl.gz", line)


def test_a_truncated_archive_gives_what_it_can_and_then_says_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    whole = gzip.compress(b"".join(b'{"a": %d}\n' % n for n in range(5000)))
    path.write_bytes(whole[: len(whole) // 2])
    rows: list[dict[str, int]] = []
    with pytest.raises(MalformedInput) as error:
        list(read_rows(path, rows.append))
    assert rows[0] == {"a": 0}
    assert place_of(error) == ("rows.jsonl.gz", len(rows) + 1)


def test_something_else_under_the_name_of_an_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(b'{"a": 1}\n')
    with pytest.raises(MalformedInput, match="copy the file again"):
        list(read_rows(path, dict))


def test_a_table_row_must_have_as_many_cells_as_there_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "codes.tsv"
    path.write_text("game\ttrial\na\t1\nb\t2\t3\n")
    rows = read_table(path)
    assert next(rows) == {"game": "a", "trial": "1"}
    with pytest.raises(MalformedInput, match="3 cells under 2") as error:
        next(rows)
    assert error.value.line == 3


def test_a_document_is_one_object(tmp_path: Path) -> None:
    path = tmp_path / "scenes.json"
    path.write_text('{\n "a": {"b": 1}\n}\n')
    assert read_document(path, dict) == {"a": {"b": 1}}
    with pytest.raises(MalformedInput, match="'z' is missing"):
        read_document(path, lambda d: d["z"])
    path.write_text("[1]")
    with pytest.raises(InputError):
        read_document(path, dict)


def test_the_remainder_is_what_no_other_field_took() -> None:
    assert collect_unused_fields({"a": 1, "b": 2, "c": 3}, "a", "c") == {"b": 2}
