"""Plain lines are read at once; whatever is odd is read with care. Which of the two it was can never be told from what comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.corpora.jsonl import read_trials
from referee.corpora.outputs import read_outputs
from referee.corpora.reading import lines
from referee.errors import InputError
from referee.records import Property


@pytest.fixture(autouse=True)
def however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files, too, take the quick way here."""
    monkeypatch.setattr(lines, "LARGE", 0)


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
    bom, ends = st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n", "\n\n"])
    many = st.lists(st.one_of(written, written, ODD), max_size=6)
    latin = st.sampled_from([b"", b'{"trial": "t", "text": "caf\xe9"}\n'])
    return st.builds(
        lambda b, e, rows, last, raw: (b + e.join(rows) + last).encode() + raw, bom, ends, many, ends, latin
    )


def told(read: Any, path: Path) -> Any:
    """Everything that reading a file comes to: records, or the error in words; with outputs also what is told on the way."""
    problems: list[str] = []
    remarks: list[str] = []
    try:
        found = (
            list(read_outputs(path, lambda error: problems.append(str(error)), remarks.append))
            if read is read_outputs
            else list(read_trials(path))
        )
    except InputError as error:
        return str(error)
    return found, list(map(repr, found)), problems, remarks


@pytest.mark.parametrize(("read", "record"), [(read_outputs, OUTPUT), (read_trials, TRIAL)])
def test_odd_files_read_alike_with_and_without_the_quick_way(
    read: Any, record: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("msgspec")
    path = tmp_path / "some.jsonl"

    @QUIET
    @given(lines_of(record))
    def alike(content: bytes) -> None:
        path.write_bytes(content)
        quick = told(read, path)
        with monkeypatch.context() as without:
            without.setattr(lines, "LARGE", 1 << 60)
            assert told(read, path) == quick

    alike()


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
    pytest.importorskip("msgspec")
    path = tmp_path / "c.jsonl"
    line = '{"id": "%s", "target": "a", "entities": [{"id": "a", "attributes": [["colour", "red"]]}], "meta": {"n": 1}}'
    path.write_text("\n".join(line % name for name in ("t1", "t2")) + "\n")
    one, two = read_trials(path)
    assert one.scene is two.scene
    assert one.scene.extension(Property("colour", "red")) == 1
    assert one.meta == two.meta
    assert one.meta is not two.meta


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("msgspec")
    from referee.corpora import plain_lines

    monkeypatch.setattr(plain_lines, "ROOM", 2000)
    rows = [json.dumps({"trial": f"t{i}", "text": f"the chair number {i % 50}"}) + "\n" for i in range(300)]
    reader = plain_lines.OutputLines("s", "here")
    read = reader.read([row.encode() for row in rows], 1)
    assert read is not None
    assert [o.description.text for o in read] == [json.loads(row)["text"] for row in rows]
    assert len(reader._descriptions) < 12


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
        quick, _, problems, _ = told(read_outputs, path)
        found[name] = (
            [(o.trial, o.system.replace(name, "own"), o.description, o.line) for o in quick],
            [problem.replace(name, "own") for problem in problems],
        )
    assert found["plain"][0] == found["noted"][0]
    assert [problem.splitlines()[0] for problem in found["plain"][1]] == [p.splitlines()[0] for p in found["noted"][1]]
    assert [o[0] for o in found["plain"][0]] == ["t1", "t2", "t3", "t4", "t5"]
