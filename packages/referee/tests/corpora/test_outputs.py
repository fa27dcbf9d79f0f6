"""Outputs files: nothing given is not the same as nothing said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from referee.corpora.outputs import output_to_json, read_outputs
from referee.corpora.place_records import place_from_json
from referee.corpora.reading.lines import WrongShape
from referee.errors import InputError, MalformedInput
from referee.geometry import Box
from referee.records import Description, Property


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_properties_and_text_are_both_optional_but_not_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.jsonl",
        '{"trial": "t1", "text": "red"}\n{"trial": "t2", "system": "s", "properties": [["size", 3]]}\n',
    )
    first, second = read_outputs(path)
    assert (first.system, first.description) == ("mine", Description(text="red"))
    assert (second.system, second.description) == ("s", Description(properties=(Property("size", "3"),)))
    with pytest.raises(MalformedInput, match="neither properties nor text"):
        list(read_outputs(write(tmp_path / "none.jsonl", '{"trial": "t1"}')))


def test_an_empty_set_and_an_empty_text_are_answers(tmp_path: Path) -> None:
    (output,) = read_outputs(write(tmp_path / "empty.jsonl", '{"trial": "t1", "properties": [], "text": ""}'))
    assert output.description == Description(properties=(), text="")


def test_written_outputs_read_back(tmp_path: Path) -> None:
    import json

    description = Description(
        properties=(Property("a", "b"),), text="x", distribution=((frozenset({Property("a", "b")}), 1.0),)
    )
    path = write(tmp_path / "o.jsonl", json.dumps(output_to_json("t1", "s", description)))
    assert next(read_outputs(path)).description == description


def test_problems_can_be_collected_instead_of_raised(tmp_path: Path) -> None:
    path = write(tmp_path / "mixed.jsonl", '{"trial": "t1", "text": "a"}\n{oops\n{"trial": "t3", "text": "c"}\n')
    problems: list[InputError] = []
    assert [o.trial for o in read_outputs(path, problems.append)] == ["t1", "t3"]
    assert [p.line for p in problems] == [2]


def test_nan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedInput, match="NaN is not a value"):
        list(read_outputs(write(tmp_path / "nan.jsonl", '{"trial": "t1", "properties": [["x", NaN]]}')))


def test_a_line_in_another_encoding_is_one_problem_not_the_end(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"trial": "t1", "text": "caf\xe9"}\n{"trial": "t2", "text": "tea"}\n')
    problems: list[InputError] = []
    assert [o.trial for o in read_outputs(path, problems.append)] == ["t2"]
    assert "not UTF-8" in str(problems[0])
    with pytest.raises(MalformedInput, match=":1: byte 29"):
        list(read_outputs(path))


def test_a_misspelt_field_is_named_once_with_what_was_meant(tmp_path: Path) -> None:
    lines = [
        '{"trial": "a", "text": "red", "propertys": []}',
        '{"trial": "b", "text": "red", "propertys": [], "seed": 3}',
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(lines))
    remarks: list[str] = []
    assert len(list(read_outputs(tmp_path / "own.jsonl", on_remark=remarks.append))) == 2
    assert len(remarks) == 2
    assert remarks[0].endswith("own.jsonl:1: the field 'propertys' is not read (did you mean properties?)")
    assert "own.jsonl:2: the field 'seed' is not read (fields are trial, system," in remarks[1]


@pytest.mark.parametrize(
    ("name", "content", "meant"),
    [
        ("a.jsonl", '{"trail": "t1", "text": "red"}\n', "did you mean 'trial', not 'trail'?"),
        ("b.jsonl", '{"trial": "t1", "Text": "red"}\n', "did you mean 'text', not 'Text'?"),
        ("c.csv", "trial,txet\nt1,red\n", "did you mean 'text', not 'txet'?"),
    ],
)
def test_what_is_missing_may_stand_there_misspelt(tmp_path: Path, name: str, content: str, meant: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(MalformedInput) as error:
        list(read_outputs(tmp_path / name))
    assert meant in str(error.value)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_tables_are_read_with_the_separator_of_their_first_line(tmp_path: Path, sign: str) -> None:
    """Spreadsheets in half of Europe write semicolons; a comma within a quoted cell is then text."""
    rows = [("trial", "system", "text"), ("t1", "one", '"red, the large one"')]
    (tmp_path / "o.csv").write_bytes("\ufeff".encode() + "\r\n".join(sign.join(r) for r in rows).encode() + b"\r\n")
    (output,) = read_outputs(tmp_path / "o.csv")
    assert (output.trial, output.system, output.description.text) == ("t1", "one", "red, the large one")


def test_numbers_of_numpy_are_numbers_and_true_is_none() -> None:
    box = place_from_json({"box": list(np.array([1.0, 2.0, 3.5, 4.0])), "in": "pixels xyxy"})
    assert isinstance(box, Box)
    assert box.on(None) == (1, 2, 3.5, 4)
    with pytest.raises(WrongShape, match="not 4 numbers"):
        place_from_json({"box": [1, 2, 3, True], "in": "pixels xyxy"})
