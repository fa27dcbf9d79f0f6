"""The annotator's desk: every mark is on disk before it is acknowledged, and nobody touches another's file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from referee.errors import InputError
from referee.records import Event
from referee_lab.tangram.desk.annotation_desk import Desk, create_desk_app
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import format_recording
from referee_lab.tangram.tiers.annotations import format_header, make_annotation_path
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.dialogue_form import write_dialogue

TOKEN = "only-for-this-test"
ASK = {"Authorization": f"Bearer {TOKEN}"}
MARK = {"start": 5, "end": 8, "referents": ["1"], "attributes": ["typ"], "uncertain": False}


class Client:
    """Somebody with the page of a desk, inside the test."""

    def __init__(self, desk: Desk) -> None:
        self.app = create_desk_app(desk, TOKEN)

    def __call__(self, method: str, path: str, **more: Any) -> httpx.Response:
        return asyncio.run(self._ask(method, path, **more))

    async def _ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self.app), base_url="http://desk.test"
        ) as client:
            return await client.request(method, path, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self("GET", path, **more)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self("POST", path, **more)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_text(format_recording(play_bot_game(GOALS["boat"], 4)), encoding="utf-8")
    return path


def _client(recording: Path, annotator: str = "ann") -> Client:
    return Client(Desk.open_for_annotation([recording], annotator))


def _save(client: Client, utterance: int = 0, marks: Any = (MARK,), done: bool = False) -> Any:
    body = {"utterance": utterance, "expressions": list(marks), "done": done}
    return client.post("/api/recordings/0/marks", json=body, headers=ASK)


def test_without_the_token_nothing_can_be_read_or_marked(recording: Path) -> None:
    client = _client(recording)
    for reply in (
        client.get("/api/desk"),
        client.get("/api/recordings/0", headers={"Authorization": "Bearer guess"}),
        client.post("/api/recordings/0/marks", json={"utterance": 0, "expressions": [], "done": True}),
    ):
        assert (reply.status_code, reply.json()["problem"]) == (401, "no-token")
    assert not make_annotation_path(recording, "ann").exists()


def test_a_mark_is_one_more_line_and_the_lines_before_it_stay(recording: Path) -> None:
    client = _client(recording)
    assert _save(client).json() == {"saved": True}
    before = make_annotation_path(recording, "ann").read_bytes()
    assert _save(client, marks=[], done=True).status_code == 200
    after = make_annotation_path(recording, "ann").read_bytes()
    assert after.startswith(before)
    rows = [json.loads(line) for line in after.decode().splitlines()]
    assert [len(row["expressions"]) for row in rows[1:]] == [1, 0]
    content = client.get("/api/recordings/0", headers=ASK).json()["utterances"][0]
    assert (content["marks"], content["done"]) == ([], True)


def test_what_a_crash_left_of_a_line_is_cut_off_before_the_next_one(recording: Path) -> None:
    path = make_annotation_path(recording, "ann")
    path.write_text(format_header("ann", "bots-boat-4") + '{"at":"torn')
    assert _save(_client(recording)).status_code == 200
    assert len(path.read_text().splitlines()) == 2
    assert "torn" not in path.read_text()


def test_two_annotators_write_two_files_and_see_nothing_of_each_other(recording: Path) -> None:
    first, second = _client(recording, "ann"), _client(recording, "bob")
    _save(first)
    _save(second, marks=[{**MARK, "referents": ["2"]}])
    assert make_annotation_path(recording, "ann").read_text().count('"referents":["2"]') == 0
    assert first.get("/api/recordings/0", headers=ASK).json()["utterances"][0]["others"] is None


@pytest.mark.parametrize(
    ("utterance", "marks", "word"),
    [
        (999, [], "no utterance"),
        (0, [{**MARK, "end": 999}], "not in the utterance"),
        (0, [{**MARK, "referents": ["9"]}], "no piece"),
        (0, [{**MARK, "attributes": ["nice"]}], "no attribute"),
    ],
)
def test_what_cannot_be_marked_is_refused_in_words(recording: Path, utterance: int, marks: Any, word: str) -> None:
    reply = _save(_client(recording), utterance, marks)
    assert reply.status_code == 422
    assert word in reply.json()["message"]
    assert not make_annotation_path(recording, "ann").exists()


def test_the_program_proposes_and_does_not_tell_what_the_bots_meant(recording: Path) -> None:
    rows = _client(recording).get("/api/recordings/0", headers=ASK).json()["utterances"]
    assert sum(len(row["proposed"]) for row in rows) > 20
    assert all(row["marks"] is None for row in rows)
    plain = Client(Desk.open_for_annotation([recording], "ann", offer=False))
    assert all(row["proposed"] is None for row in plain.get("/api/recordings/0", headers=ASK).json()["utterances"])


def test_adjudication_takes_over_what_is_alike_and_asks_about_the_rest(recording: Path) -> None:
    for name, referent in (("ann", "1"), ("bob", "2")):
        client = _client(recording, name)
        _save(client, 0, done=True)
        _save(client, 1, [{**MARK, "referents": [referent]}], done=True)
        _save(client, 2, done=name == "ann")
    desk = Desk.adjudicate([recording], ("ann", "bob"))
    (progress,) = desk.progress()["recordings"]
    assert (progress["utterances"], progress["done"]) == (2, 1)
    client = Client(desk)
    rows = client.get("/api/recordings/0", headers=ASK).json()["utterances"]
    assert [row["asked"] for row in rows[:3]] == [True, True, False]
    assert {name: marks[0]["referents"] for name, marks in rows[1]["others"].items()} == {"ann": ["1"], "bob": ["2"]}
    assert _save(client, 1, rows[1]["others"]["bob"], done=True).status_code == 200
    again = Desk.adjudicate([recording], ("ann", "bob")).sheets[0].annotation()
    assert (again.annotator, again.marks[1][0].referents) == ("adjudicated", ("2",))
    assert len(make_annotation_path(recording, "adjudicated").read_text().splitlines()) == 3


def test_nobody_can_annotate_as_the_adjudicator(recording: Path) -> None:
    with pytest.raises(InputError, match="not a person"):
        Desk.open_for_annotation([recording], "adjudicated")
    with pytest.raises(InputError, match="both"):
        Desk.adjudicate([recording], ("ann", "bob"))


def test_an_utterance_is_done_only_when_every_expression_has_a_referent_or_is_unclear(recording: Path) -> None:
    client = _client(recording)
    bare = {**MARK, "referents": []}
    refused = _save(client, marks=[bare], done=True)
    assert refused.status_code == 422
    assert "no referent yet" in refused.text
    assert _save(client, marks=[bare], done=False).status_code == 200
    assert _save(client, marks=[{**bare, "uncertain": True}], done=True).status_code == 200


def test_a_dialogue_without_a_recording_lies_on_the_desk_too(tmp_path: Path) -> None:
    said = Event(kind="utterance", by="solver", text="nimm das rote Kreuz", start_ms=100.0, end_ms=900.0)
    pieces = {"X": {"shape": "X", "colour": "red"}, "U": {"shape": "U", "colour": "yellow"}}
    path = tmp_path / "talk-1.jsonl"
    path.write_text(
        write_dialogue(Dialogue(id="talk-1", pair="p", pieces=pieces, events=(said,), language="de")), "utf-8"
    )
    sheet = Desk.open_for_annotation([path], "ann").sheets[0]
    content = sheet.content()
    assert content["film"]["state"]["own"]["X"]["name"] == "red X"
    (row,) = content["utterances"]
    assert [(mark["start"], mark["end"], mark["referents"]) for mark in row["proposed"]] == [(5, 19, ["X"])]
    sheet.save(0, row["proposed"], done=True)
    assert sheet.progress()["done"] == 1
