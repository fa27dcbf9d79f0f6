"""Referee's own form: what comes back equals what went in, and every mistake names file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.corpora.jsonl import (
    JsonlCorpus,
    read_responses,
    read_trials,
    response_to_json,
    trial_from_json,
    trial_schema,
    trial_to_json,
    trials_to_json,
    write_json_line,
)
from referee.errors import DuplicateTrial, InputError, MalformedInput, RefereeError
from referee.records import Description, Entity, Event, Outcome, Property, Relation, Response, Scene, Span, Trial

TEN_MINUTES = {
    "id": "t1",
    "target": "a",
    "entities": [
        {"id": "a", "attributes": {"colour": "red", "new": True}},
        {"id": "b", "attributes": {"colour": "blue", "size": 2}},
    ],
    "references": [{"text": "the red one", "properties": [["colour", "red"]]}],
}


def rich_trial(number: int, after: Trial | None) -> Trial:
    """A trial that uses every field there is."""
    return Trial(
        id=f"g{number}",
        scene=Scene(
            id="s1",
            entities=(
                Entity(
                    id="a",
                    attributes=(Property("colour", "red"), Property("colour", "dark")),
                    image="a.png",
                    position=(1, 2.5),
                ),
                Entity(id="b", attributes=(), relations=(Relation("left-of", "a"),)),
            ),
        ),
        targets=("a", "b"),
        domain="things",
        condition="+LOC",
        speaker="7",
        language="pt",
        history=() if after is None else after.history + after.episode,
        episode=(
            Event(
                kind="message",
                by="speaker",
                text="o vermelho",
                entities=("a",),
                start_ms=1.5,
                end_ms=2.0,
                data={"k": [1]},
            ),
        ),
        after=None if after is None else after.id,
        references=(
            Description(properties=(), text=""),
            Description(
                properties=(Property("colour", "red"), Property("colour", "red")),
                text="red, red",
                distribution=((frozenset({Property("colour", "red")}), 0.75), (frozenset(), 0.25)),
                spans=(Span("red", (Property("colour", "red"),), (Span("r"),)),),
                speaker="7",
            ),
        ),
        meta={"round": number, "nested": {"a": [1, None]}},
    )


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_reading_gives_back_what_was_written(tmp_path: Path) -> None:
    trials: list[Trial] = []
    for number in range(4):
        trials.append(rich_trial(number, trials[-1] if trials else None))
    path = write(tmp_path / "game.jsonl", *map(write_json_line, trials_to_json(trials)))
    assert list(read_trials(path)) == trials
    assert "history" not in path.read_text("utf-8"), "a game's history is put together again, not repeated"


def test_a_history_without_its_game_is_kept(tmp_path: Path) -> None:
    second = rich_trial(1, rich_trial(0, None))
    path = write(tmp_path / "part.jsonl", *map(write_json_line, trials_to_json([second])))
    assert list(read_trials(path)) == [second]


def test_responses_come_back_too(tmp_path: Path) -> None:
    responses = [
        Response(
            trial="t1",
            hearer="h",
            outcome=Outcome.ENTITY,
            entity="a",
            probabilities=(("a", 0.9), ("b", 0.1)),
            reading_ms=1.25,
            flags=("late",),
        ),
        Response(
            trial="t1", hearer="h", outcome=Outcome.TIMEOUT, system="s", description=Description(text="x"), repeats=2
        ),
    ]
    path = write(tmp_path / "responses.jsonl", *(write_json_line(response_to_json(r)) for r in responses))
    assert list(read_responses(path)) == responses


def test_what_a_user_writes_in_ten_minutes_is_enough() -> None:
    trial = trial_from_json(TEN_MINUTES)
    assert trial.targets == ("a",)
    assert trial.scene.entity("a").value("new") == "1"
    assert trial.scene.entity("b").value("size") == "2"


def test_everything_written_and_the_users_form_obey_the_published_schema() -> None:
    schema = json.loads(json.dumps(trial_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    for form in (TEN_MINUTES, trial_to_json(rich_trial(1, rich_trial(0, None)))):
        jsonschema.validate(json.loads(write_json_line(form)), schema)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"id": "x"}', "'entities' is missing"),
        ('{"id": 3, "target": "a", "entities": [{"id": "a"}]}', "should be text"),
        ('{"id": "x", "entities": [{"id": "a"}]}', "'target' is missing"),
        ('{"id": "\\ud800", "target": "a", "entities": [{"id": "a"}]}', "half a character"),
        ('{"id": "x", "target": "a", "entities": [{"id": "a", "position": [1e400]}]}', "1e400 is not a value"),
        (
            '{"id": "x", "target": "a", "entities": [{"id": "a", "position": [' + "9" * 5000 + "]}]}",
            "not a usable number",
        ),
        ('{"id": "x", "target": "z", "entities": [{"id": "a"}]}', "not among the entities"),
        ('{"id": "x", "targets": [], "entities": [{"id": "a"}]}', "not among the entities"),
        ('{"id": "x", "target": "a", "entities": [{"id": "a"}, {"id": "a"}]}', "same id"),
        ('{"id": "x", "target": "a", "entities": [{"id": "a", "attributes": {"size": NaN}}]}', "NaN is not a value"),
        ('{"id": "x", "target": "a", "entities": [{"id": "a", "attributes": [["size"]]}]}', "not a pair"),
        (
            '{"id": "x", "target": "a", "entities": [{"id": "a", "attributes": {"size": null}}]}',
            "attributes.size' should be",
        ),
    ],
)
def test_a_bad_line_is_named_with_file_and_place(tmp_path: Path, line: str, complaint: str) -> None:
    path = write(tmp_path / "bad.jsonl", json.dumps(TEN_MINUTES), "", line)
    with pytest.raises(MalformedInput, match=complaint) as caught:
        list(read_trials(path))
    assert str(caught.value).startswith(f"{path}:3: ")
    assert "→" in str(caught.value)


def test_the_same_id_twice_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "twice.jsonl", json.dumps(TEN_MINUTES), json.dumps(TEN_MINUTES))
    with pytest.raises(DuplicateTrial, match=":2: trial 't1' occurs twice"):
        list(read_trials(path))


def test_wrong_encoding_truncated_archives_directories_and_absence_are_told_apart(tmp_path: Path) -> None:
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes('{"id": "é"}'.encode("latin-1"))
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps(TEN_MINUTES).encode() * 50)[:-20])
    for path, complaint in [
        (latin, "not UTF-8"),
        (cut, "reading failed"),
        (tmp_path, "a directory"),
        (tmp_path / "no.jsonl", "no such file"),
    ]:
        with pytest.raises(InputError, match=complaint):
            list(read_trials(path))


def test_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "windows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(TEN_MINUTES).encode() + b"\r\n\r\n")
    assert [t.id for t in JsonlCorpus(path).trials()] == ["t1"]


@given(st.binary(max_size=60), st.integers(0, 300))
def test_damaged_files_only_ever_raise_our_own_errors(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int
) -> None:
    text = json.dumps(TEN_MINUTES).encode()
    path = tmp_path_factory.mktemp("fuzz") / "noise.jsonl"
    path.write_bytes(text[:place] + noise + text[place + len(noise) :])
    try:
        list(read_trials(path))
    except RefereeError as error:
        assert str(path) in str(error)
