"""Whatever is wrong in a file of trials, outputs or responses is told with its place and what to do: never a traceback, never lost in silence."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import referee
from referee.cli import main
from referee.corpora.jsonl import JsonlCorpus, read_responses, read_trials
from referee.corpora.outputs import read_outputs
from referee.errors import DataNotFound, InputError, RefereeError

TRIAL: dict[str, Any] = {
    "id": "t1",
    "target": "a",
    "scene": "s1",
    "domain": "things",
    "condition": "+LOC",
    "speaker": "7",
    "language": "en",
    "complete": True,
    "entities": [
        {"id": "a", "attributes": {"type": "chair", "colour": "red"}, "position": [1, 2.5], "image": "a.png"},
        {"id": "b", "attributes": [["type", "chair"], ["colour", "blue"]], "relations": [["left-of", "a"]]},
    ],
    "references": [
        {"text": "the red one", "properties": [["colour", "red"]], "speaker": "7", "spans": [{"text": "red"}]},
    ],
    "history": [{"kind": "click", "entities": ["a"], "start_ms": 10, "end_ms": 20, "by": "x", "data": {}}],
    "episode": [{"kind": "utterance", "text": "that"}],
    "meta": {"game": "g"},
}
OUTPUT: dict[str, Any] = {
    "trial": "t1",
    "system": "mine",
    "text": "the red chair",
    "properties": [["colour", "red"]],
    "distribution": [[[["colour", "red"]], 0.75], [[["type", "chair"]], 0.25]],
}
RESPONSE: dict[str, Any] = {
    "trial": "t1",
    "hearer": "p1",
    "outcome": "entity",
    "entity": "a",
    "system": "mine",
    "description": {"text": "the red one"},
    "probabilities": {"a": 0.9, "b": 0.1},
    "reading_ms": 100,
    "identification_ms": 200.5,
    "repeats": 1,
    "flags": ["slow"],
}


def written(folder: Path, *records: Any, name: str = "file.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    return path


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**deepcopy(record), **fields}


@pytest.mark.parametrize(
    ("trial", "complaint", "remedy"),
    [
        (changed(TRIAL, refrences=[]), "a trial has no field 'refrences'", "did you mean 'references'?"),
        (changed(TRIAL, domian="x"), "a trial has no field 'domian'", "did you mean 'domain'?"),
        (changed(TRIAL, Speaker="x"), "a trial has no field 'Speaker'", "did you mean 'speaker'?"),
        (changed(TRIAL, weather="x"), "a trial has no field 'weather'", 'anything else goes into "meta"'),
        (changed(TRIAL, references=[None]), "'references[0]' should be text or an object, not None", '"the red one"'),
        (changed(TRIAL, references=[3]), "'references[0]' should be text or an object, not 3", '"the red one"'),
        (changed(TRIAL, references=[{"txt": "x"}]), "a reference has no field 'txt'", "did you mean 'text'?"),
        (changed(TRIAL, targets=["b"]), "'target' is 'a', but 'targets' is ['b']", "one of the two"),
        (changed(TRIAL, targets=["a", "a"], target=None), "names an entity twice", "every target once"),
        (changed(TRIAL, entities=[{"id": "a", "attributes": {"not": "x"}}]), "attribute 'not'", "another name"),
        (changed(TRIAL, entities=[{"id": "a", "relations": [["", "a"]]}]), "has no name", '["on", "b"]'),
        (changed(TRIAL, targets="ab", target=None), "'targets' should be a list", '"targets": ["a", "b"]'),
        (
            changed(TRIAL, entities=[{"id": "a", "relations": [{"name": "left-of", "entity": "a"}]}]),
            "'entities[0].relations[0]' should be a list",
            '[["left-of", "b"]]',
        ),
        (
            changed(TRIAL, entities=[{"id": "a", "relations": {"left-of": "a"}}]),
            "'entities[0].relations' should be a list",
            "left-of",
        ),
        (changed(TRIAL, entities=[{"id": "a", "atributes": {}}]), "an entity has no field 'atributes'", "'attributes'"),
        (
            changed(TRIAL, entities=[{"id": "a", "attributes": [5]}]),
            "'entities[0].attributes[0]' should be a list, not 5",
            '["colour", "red"]',
        ),
        (changed(TRIAL, entities=[{"id": "a", "position": [10**400]}]), "position", "position"),
        (
            changed(TRIAL, history=[{"kind": "click", "entities": "abc"}]),
            "'history[0].entities' should be a list",
            '["e1"]',
        ),
        (
            changed(TRIAL, history=[{"kind": "click", "start_ms": "soon"}]),
            "'history[0].start_ms' should be a number",
            "docs",
        ),
    ],
)
def test_a_trial_that_is_not_as_it_should_be(
    tmp_path: Path, trial: dict[str, Any], complaint: str, remedy: str
) -> None:
    path = written(tmp_path, TRIAL, {**trial, "id": "t2"})
    with pytest.raises(InputError) as told:
        list(read_trials(path))
    assert complaint in told.value.problem
    assert remedy in told.value.remedy
    assert (told.value.where, told.value.line) == (str(path), 2)


def test_an_output_that_is_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"trial": "t1", "meaning": ' + '["and", ' * 40_000 + "0" + "]" * 40_000 + "}\n", "utf-8")
    with pytest.raises(InputError, match=r"outputs\.jsonl:1: .*nested"):
        referee.score(path, corpus=written(tmp_path, TRIAL), metrics="set/dice")


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "t", "id": "u", "target": "a", "entities": [{"id": "a"}]}',
        '{"id": "t", "target": "a", "entities": [{"id": "a", "attributes": {"colour": "red", "colour": "blue"}}]}',
        '{"id": "t", "target": "a", "entities": [{"id": "a"}], "references": [{"text": "x", "text": "y"}]}',
        '{"id": "t", "target": "a", "entities": [{"id": "a"}], "meta": {"game": {"n": 1, "n": 2}}}',
    ],
)
def test_a_key_that_occurs_twice_is_named(tmp_path: Path, line: str) -> None:
    """A decoder would take the last one: half of what the file says would be lost in silence."""
    path = tmp_path / "twice.jsonl"
    path.write_text(line + "\n", "utf-8")
    with pytest.raises(InputError, match=r"twice\.jsonl:1: the field '(id|colour|text|n)' occurs twice"):
        list(read_trials(path))


def test_fields_that_are_null_are_not_given(tmp_path: Path) -> None:
    """Tables of other programs write all columns of a row."""
    event = {"kind": "say", "by": None, "text": None, "entities": None, "start_ms": None, "data": None}
    reference = {"text": "red", "properties": None, "spans": None, "speaker": None}
    nulls = dict.fromkeys(("scene", "domain", "language", "complete", "picture", "after", "history", "meta"))
    entity = {"id": "a", "image": None, "position": None, "region": None}
    written_out = {
        "id": "t",
        "target": "a",
        "entities": [entity],
        **nulls,
        "episode": [event],
        "references": [reference],
    }
    short = {"id": "t", "target": "a", "entities": [{"id": "a"}], "episode": [{"kind": "say"}], "references": ["red"]}
    assert list(read_trials(written(tmp_path, written_out))) == list(read_trials(written(tmp_path, short)))


def test_references_may_be_plain_texts(tmp_path: Path) -> None:
    (trial,) = read_trials(written(tmp_path, changed(TRIAL, references=["the red one", {"text": "red"}])))
    assert [r.text for r in trial.references] == ["the red one", "red"]


@pytest.mark.parametrize(
    ("output", "complaint"),
    [
        ({"system": "mine", "text": "x"}, "the field 'trial' is missing"),
        ({"trial": "t1", "text": 3}, "the field 'text' should be text"),
        (changed(OUTPUT, distribution=[[[["a", "b"]], "0.5"]]), "'distribution[0][1]' should be a number"),
        (changed(OUTPUT, distribution=["half"]), "'distribution[0]' should be a list"),
        (
            changed(OUTPUT, distribution=[[[["a", "b"]], -1]]),
            "'distribution[0][1]' should be a number, 0 or more, not -1",
        ),
        (changed(OUTPUT, properties=[None]), "'properties[0]' should be a list"),
        (changed(OUTPUT, properties="red"), "'properties' should be an object or a list, not 'red'"),
    ],
)
def test_wrong_outputs_are_told_by_the_form_of_outputs(tmp_path: Path, output: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=r"file\.jsonl:1") as told:
        list(read_outputs(written(tmp_path, output)))
    assert complaint in str(told.value)
    assert "corpora.md" not in str(told.value), "that page is about trials"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (["color", "red"], "colour:red"),
        (["TYPE", "chair"], "type:chair"),
        (["colour", "Red"], "colour:red"),
        (["colour", "rad"], "colour:red"),
    ],
)
def test_a_property_of_near_spelling_gets_a_suggestion(tmp_path: Path, said: list[str], meant: str) -> None:
    trials = list(read_trials(written(tmp_path, TRIAL)))
    with pytest.raises(InputError, match=f"did you mean {meant}"):
        referee.score([{"trial": "t1", "properties": [said]}], trials, metrics="set/dice")


def test_a_reference_under_a_near_name_is_refused_with_the_name_of_the_scene(tmp_path: Path) -> None:
    """Scored as it is, it would agree with nobody: Dice 0, and not a word about it."""
    for said, meant in ((["color", "red"], "colour:red"), (["TYPE", "chair"], "type:chair")):
        path = written(tmp_path, changed(TRIAL, references=[{"properties": [said]}]))
        with pytest.raises(InputError, match=f"did you mean {meant}"):
            referee.score([OUTPUT], path, metrics="set/dice")
    other = written(tmp_path, changed(TRIAL, references=[{"properties": [["shade", "red"], ["colour", "green"]]}]))
    assert len(list(JsonlCorpus(other).trials())) == 1, "other words, and what people got wrong, are theirs to say"


def test_describe_suggests_the_names_that_speakers_have_words_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = {"entities": [{"id": x, "attributes": {"TYPE": "chair", "color": x}} for x in ("red", "blue")]}
    assert main(["describe", str(written(tmp_path, scene, name="scene.json")), "--target", "red"]) == 0
    told = capsys.readouterr().err
    assert "did you mean type?" in told
    assert "did you mean colour?" in told


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    empty, corpus, outputs = tmp_path / "empty.jsonl", written(tmp_path, TRIAL), tmp_path / "good.jsonl"
    empty.write_text(content, "utf-8")
    written(tmp_path, OUTPUT, name="good.jsonl")
    for args in (["score", empty, "--corpus", corpus], ["score", outputs, "--corpus", empty], ["describe", empty]):
        assert main([str(a) for a in args]) == 2
        assert "empty.jsonl: " in capsys.readouterr().err


def test_a_corpus_that_is_missing_is_installed_under_the_name_that_users_know(tmp_path: Path) -> None:
    for name in ("colors", "gre3d7", "stars2"):
        with pytest.raises(DataNotFound, match=f"referee corpus add {name} PATH"):
            list(referee.open_corpus(name, data=tmp_path).trials())


def test_overwrite_is_proposed_only_where_it_would_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, outputs = written(tmp_path, TRIAL), written(tmp_path, OUTPUT, name="mine.jsonl")
    (tmp_path / "precious").mkdir()
    command = ["score", str(outputs), "--corpus", str(corpus), "--metrics", "set/dice", "--out"]
    assert main([*command, str(tmp_path / "precious")]) == 2
    assert "--overwrite" not in capsys.readouterr().err, "it would not replace what is no run"
    assert main([*command, str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main([*command, str(tmp_path / "run")]) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_the_line_that_is_cited_is_the_first_one_in_the_file(tmp_path: Path) -> None:
    strange = [changed(OUTPUT, trial=f"x{i}") for i in range(40)]
    path = written(tmp_path, OUTPUT, *strange, name="mine.jsonl")
    with pytest.raises(InputError, match=r"mine\.jsonl:2: mine answers trial 'x0'"):
        referee.score(path, written(tmp_path, TRIAL), metrics="set/dice")


# -- tables ----------------------------------------------------------------------------------------------------------------

TABLE = 'trial,system,text,properties\nt1,csv,"the red chair, please","colour:red; type:chair"\n'


def values(path: Path, tmp_path: Path) -> list[Any]:
    corpus = written(tmp_path, TRIAL, name="corpus.jsonl")
    frame = referee.score(path, corpus, metrics="set/dice,string/edit").frame
    return [frame["system"][0], *frame["value"]]


def test_csv_tsv_and_parquet_outputs_score_as_lines_of_json_do(tmp_path: Path) -> None:
    """Dice of {colour, type} and {colour}: 2·1/(2+1); "the red chair , please" and "the red one": one substitution at cost 2 and two insertions."""
    said = {"trial": "t1", "text": "the red chair, please", "properties": [["colour", "red"], ["type", "chair"]]}
    expected = pytest.approx([2 / 3, 4.0])
    assert values(written(tmp_path, {**said, "system": "lines"}), tmp_path)[1:] == expected
    table = tmp_path / "table.csv"
    table.write_text(TABLE, "utf-8")
    assert values(table, tmp_path) == ["csv", *expected.expected]
    tabs = tmp_path / "tabs.tsv"
    tabs.write_text(
        'trial\ttext\tproperties\nt1\tthe red chair, please\t[["colour", "red"], ["type", "chair"]]\n', "utf-8"
    )
    assert values(tabs, tmp_path) == ["tabs", *expected.expected], "the file's name is the system"
    for name, properties in {
        "lists": [["colour", "red"], ["type", "chair"]],
        "records": [{"name": "colour", "value": "red"}, {"name": "type", "value": "chair"}],
        "texts": "colour:red; type:chair",
    }.items():
        path = tmp_path / f"{name}.parquet"
        pl.DataFrame([{**said, "properties": properties}], strict=False).write_parquet(path)
        assert values(path, tmp_path)[1:] == expected, name


def test_an_empty_cell_is_not_given(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("trial,system,text,properties\nt1,x,the red one,\n", "utf-8")
    (output,) = read_outputs(path)
    assert output.description.properties is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("trial,text\nt1\n", "table.csv:2: 1 cells under 2 column names"),
        ('trial,text\nt1,"open\n', "cannot be read further"),
        ("trial,properties\nt1,red\n", "table.csv:2: the cell 'properties' cannot be read"),
        ("trial,properties\nt1,[[\n", "is not JSON"),
        ("trial,trial\nt1,t1\n", "two columns have the same name"),
        ("name,text\nt1,red\n", "the field 'trial' is missing"),
        ("trial,system\nt1,x\n", "neither properties nor text are given"),
        ("trial,text\n", "there are no outputs in this file"),
    ],
)
def test_a_broken_table_is_told_with_its_line(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as told:
        referee.score(path, written(tmp_path, TRIAL), metrics="set/dice")
    assert complaint in str(told.value)


def test_what_is_no_parquet_is_said(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 this is not one")
    with pytest.raises(InputError, match=r"not a .*Parquet file"):
        list(read_outputs(path))


# -- one mutation of a valid file ------------------------------------------------------------------------------------------

JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.lists(
        st.one_of(st.none(), st.integers(), st.text(max_size=2), st.lists(st.text(max_size=1), max_size=3)), max_size=3
    ),
    st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.integers(), st.text(max_size=2)), max_size=2),
)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, the inner ones too."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [*([path] if path else []), *(p for key, value in inside for p in places(value, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, record: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """A record with one value replaced, taken out, or put under a misspelt name; and what was done."""
    made = deepcopy(record)
    *way, last = draw(st.sampled_from(places(record)))
    inner: Any = made
    for key in way:
        inner = inner[key]
    what = draw(st.sampled_from(["replaced", "taken out", *(["misspelt"] if isinstance(inner, dict) else [])]))
    if what == "replaced":
        inner[last] = draw(JUNK)
    elif what == "misspelt":
        inner[f"{last}x"] = inner.pop(last)
    else:
        del inner[last]
    return made, f"{what} {way} {last}"


# Whatever may be called anything: names in these are data, not fields.
OPEN = ("meta", "data", "attributes", "probabilities")


@given(mutated(TRIAL))
def test_no_mutation_of_a_trial_is_a_traceback_or_lost(tmp_path_factory: pytest.TempPathFactory, made: Any) -> None:
    record, what = made
    path = written(tmp_path_factory.mktemp("trials"), record)
    try:
        (trial,) = read_trials(path)
    except InputError as told:
        assert told.where == str(path)
        assert told.remedy
        return
    assert not what.startswith("misspelt") or any(f"'{name}'" in what for name in OPEN), what
    assert referee.score([{"trial": trial.id, "text": "x"}], [trial], metrics="string/edit").frame.height == 1


@given(mutated(OUTPUT))
def test_no_mutation_of_an_output_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, made: Any) -> None:
    record, what = made
    remarks: list[str] = []
    path = written(tmp_path_factory.mktemp("outputs"), record)
    try:
        list(read_outputs(path, on_remark=remarks.append))
    except InputError as told:
        assert told.where == str(path)
        assert told.remedy
        return
    assert not what.startswith("misspelt") or remarks, "a field that is not read is remarked on"


@given(mutated(RESPONSE))
def test_no_mutation_of_a_response_is_a_traceback_or_lost(tmp_path_factory: pytest.TempPathFactory, made: Any) -> None:
    record, what = made
    path = written(tmp_path_factory.mktemp("responses"), record)
    try:
        list(read_responses(path))
    except InputError as told:
        assert told.where == str(path)
        assert told.remedy
        return
    assert not what.startswith("misspelt") or any(f"'{name}'" in what for name in OPEN), what


@given(
    st.binary(max_size=80), st.sampled_from(["x.jsonl", "x.csv", "x.tsv", "x.parquet", "x.xml", "x.zip", "x.jsonl.gz"])
)
def test_no_bytes_are_a_traceback(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(content)
    for read in (read_outputs, read_trials, read_responses):
        try:
            list(read(path))
        except RefereeError as told:
            assert str(told)
