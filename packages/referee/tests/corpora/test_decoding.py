"""A line is decoded at once, and looked at again where it does not fit: both looks give the same record, or the same error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.corpora.jsonl import TrialReader, read_trials, record_to_json, trial_from_json
from referee.corpora.outputs import _OutputReader, read_outputs
from referee.corpora.reading.lines import WrongShape, parse_object
from referee.errors import InputError
from referee.records import Property

QUIET = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
TEXTS = st.sampled_from(
    ["a", "the red chair", "", "  ", "\u00e9t\u00e9 \u2603", 'with "quotes" \\ and /', "tab\there", "\U0001f600", "0"]
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    TEXTS, st.booleans(), st.sampled_from([0, -0.0, 1.0, 2.5, 3, 1e300, 10**30, None, [], {}])
)
PAIRS = st.lists(st.one_of(st.tuples(TEXTS, VALUES).map(list), st.just(["colour", "red"]), TEXTS), max_size=3)
OUTPUT = st.fixed_dictionaries(
    {},
    optional={
        "trial": st.one_of(TEXTS, st.sampled_from([1, None])),
        "system": st.one_of(TEXTS, st.none()),
        "properties": st.one_of(PAIRS, st.none(), st.just({"colour": "red"})),
        "text": st.one_of(TEXTS, st.none(), st.just(3)),
        "speaker": TEXTS,
        "note": VALUES,
        "distribution": st.sampled_from([None, [[[["colour", "red"]], 0.5]], [1]]),
    },
)
ENTITY = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "c"])},
    optional={
        "attributes": st.one_of(PAIRS, st.just({"colour": "red"})),
        "position": st.sampled_from([[1, 2.5], [-0.0, -0, 0], [], None, ["x"], [10**400], [True]]),
        "relations": st.sampled_from([[["left-of", "b"]], [], None, {"left-of": "b"}]),
        "image": st.one_of(TEXTS, st.none()),
        "colour": TEXTS,
    },
)
REFERENCE = st.one_of(
    TEXTS,
    st.fixed_dictionaries(
        {},
        optional={
            "text": st.one_of(TEXTS, st.none()),
            "properties": st.one_of(PAIRS, st.none()),
            "spans": st.sampled_from([None, [], [{"text": "red", "inside": [{"text": "r"}]}], [{"words": "red"}], {}]),
            "speaker": st.one_of(TEXTS, st.none()),
            "media": st.sampled_from([None, "a.wav", 3]),
        },
    ),
)
TIMES = st.sampled_from([None, 0, 1.5, -0.0, 10**30, 10**400, True, "1"])
EVENT = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["say", "say", "say", None]),
        "by": st.sampled_from(["speaker", None, 1]),
        "text": st.one_of(TEXTS, st.none()),
        "entities": st.sampled_from([None, [], ["a"], "a", [1]]),
        "start_ms": TIMES,
        "end_ms": TIMES,
        "data": st.sampled_from([None, {}, {"n": [1, 2.0]}, [], "x", 0]),
        "note": TEXTS,
    },
)
TRIAL = st.fixed_dictionaries(
    {"id": st.sampled_from(["t1", "t2", "t3"]), "entities": st.lists(ENTITY, max_size=3)},
    optional={
        "target": st.sampled_from(["a", "b", None]),
        "targets": st.sampled_from([["a"], ["a", "b"], [], "a"]),
        "references": st.one_of(st.none(), st.lists(REFERENCE, max_size=2)),
        "scene": st.one_of(TEXTS, st.none()),
        "speaker": st.one_of(TEXTS, st.none()),
        "language": st.sampled_from(["de", "", None]),
        "complete": st.sampled_from([True, False, None, 1]),
        "meta": st.sampled_from([{}, {"game": "g", "n": [1, 2.0]}, None, []]),
        "after": st.sampled_from(["t1", None]),
        "history": st.one_of(st.none(), st.lists(EVENT, max_size=2), st.just([{"kind": "say"}])),
        "episode": st.one_of(st.none(), st.lists(EVENT, max_size=2)),
        "picture": st.sampled_from(
            [None, {"path": "a.png"}, {"path": "a.png", "size": [640, 480], "sha256": "0a"}, {"size": [1, 2]}, "a.png"]
        ),
    },
)
# What may stand around a line, or in its place.
ODD = st.sampled_from(
    [
        *("", "   ", "{", "nonsense", "[]", "{}{}", '{"trial": "x"', '"text": "y"}', "\ufeff", "\u00a0{}\u00a0"),
        *(
            '{"trial": "u", "text": "\\ud83d"}',
            '{"trial": "u", "text": "\\ud83d\\ude00"}',
            '{"trial": "v", "text": "\\u00e9"}',
        ),
        *(
            '{"trial": "w", "text": "a", "text": "b"}',
            '{"tri\\u0061l": "x", "text": "a"}',
            '{"trial": "n", "properties": [["x", NaN]]}',
        ),
        *(
            '{"trial": "c", "text": "a\x01b"}',
            '{"trial": "d", "text": "a\x7fb"}',
            '{"trial": "e", "properties": [["x", 1e999]]}',
        ),
        *('{"trial": "f", "text": "a"} {"trial": "g", "text": "b"}', "\x1c{}", '{"trial":"h","text":"b"}\r'),
    ]
)


def lines_of(record: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[bytes]:
    written = st.builds(lambda data, ascii: json.dumps(data, ensure_ascii=ascii), record, st.booleans())
    latin = st.just(b'{"trial": "t", "text": "caf\xe9"}')
    return st.one_of(written.map(str.encode), written.map(str.encode), ODD.map(str.encode), latin)


def outcome(read: Callable[[], Any]) -> str:
    """The record as text, for 1 and 1.0 are equal; or the error."""
    try:
        return repr(record_to_json(read()))
    except WrongShape as wrong:
        return f"{wrong} → {wrong.remedy}"


@QUIET
@given(lines_of(TRIAL))
def test_a_trial_is_the_same_at_the_first_and_at_the_second_look(line: bytes) -> None:
    first = outcome(lambda: TrialReader().decode(line))
    assert first == outcome(lambda: trial_from_json(parse_object(line)))


@QUIET
@given(lines_of(OUTPUT))
def test_an_output_is_the_same_at_the_first_and_at_the_second_look(line: bytes) -> None:
    remarks: tuple[list[str], list[str]] = [], []
    quick, careful = (_OutputReader("o.jsonl", remark.append, "") for remark in remarks)
    first = outcome(lambda: quick.decode(line, 1))
    assert first == outcome(lambda: careful._read(parse_object(line), 1))
    assert remarks[0] == remarks[1]


def told(path: Path) -> tuple[list[Any], list[str]]:
    problems: list[str] = []
    return list(read_outputs(path, lambda error: problems.append(str(error)))), problems


def test_values_keep_their_kind(tmp_path: Path) -> None:
    """1 and 1.0 are equal in Python; what a position was written as is seen again when it is printed."""
    path = tmp_path / "c.jsonl"
    path.write_text('{"id": "t", "target": "a", "entities": [{"id": "a", "position": [1, 1.0, -0]}]}\n')
    (trial,) = read_trials(path)
    assert repr(trial.scene.entities[0].position) == "(1, 1.0, 0)"


def test_a_line_with_two_objects_does_not_make_up_for_a_torn_one(tmp_path: Path) -> None:
    """Three lines with three objects, none of which is where it should be."""
    path = tmp_path / "o.jsonl"
    path.write_text('{"trial": "a",\n"text": "x"}\n{"trial": "b", "text": "y"}{"trial": "c", "text": "z"}\n')
    problems: list[InputError] = []
    assert list(read_outputs(path, problems.append)) == []
    assert [problem.line for problem in problems] == [1, 2, 3]


def test_trials_of_one_scene_share_it_and_what_is_noted_of_one_is_not_noted_of_others(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    line = '{"id": "%s", "target": "a", "entities": [{"id": "a", "attributes": [["colour", "red"]]}], "meta": {"n": 1}}'
    path.write_text("\n".join(line % name for name in ("t1", "t2")) + "\n")
    one, two = read_trials(path)
    assert one.scene is two.scene
    assert one.scene.extension(Property("colour", "red")) == 1
    assert one.meta == two.meta
    assert one.meta is not two.meta


def test_a_field_that_is_not_read_is_remarked_on_once_and_then_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    rows = [{"trial": f"t{i}", "text": "x", "my note": i, **({"txt": "y"} if i > 5 else {})} for i in range(10)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    remarks: list[str] = []
    assert len(list(read_outputs(path, on_remark=remarks.append))) == 10
    assert [remark.split(": the field ")[0] for remark in remarks] == [f"{path}:1", f"{path}:7"]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_parquet_table_reads_as_the_same_lines_do(tmp_path: Path, as_text: bool) -> None:
    """Rows that say the same share a description; an empty cell, no answer and a misspelt one are told as in a table that is read with care."""
    import polars as pl

    said = [[["colour", "red"]], [], None, [["size", "3"], ["colour", "red"]], [["colour", "red"]], None, [["", "x"]]]
    texts = ["the red one", "", "no set", None, "the red one", None, "bad"]
    systems = ["a", None, "a", "", "a", "b", "b"]
    rows = pl.DataFrame(
        {
            "trial": ["t1", "t2", "t3", "t4", "t5", "t6", None],
            "system": systems,
            "text": texts,
            "properties": [None if p is None else json.dumps(p) for p in said] if as_text else said,
        },
        schema_overrides={} if as_text else {"properties": pl.List(pl.List(pl.String))},
    )
    rows.write_parquet(tmp_path / "plain.parquet")
    # A column that nobody reads sends all rows the careful way.
    rows.with_columns(note=pl.lit(1)).write_parquet(tmp_path / "noted.parquet")
    found = {}
    for name in ("plain", "noted"):
        path = tmp_path / f"{name}.parquet"
        quick, problems = told(path)
        found[name] = (
            [(o.trial, o.system.replace(name, "own"), o.description, o.line) for o in quick],
            [problem.replace(name, "own") for problem in problems],
        )
    assert found["plain"][0] == found["noted"][0]
    assert [problem.splitlines()[0] for problem in found["plain"][1]] == [p.splitlines()[0] for p in found["noted"][1]]
    assert [o[0] for o in found["plain"][0]] == ["t1", "t2", "t3", "t4", "t5"]
