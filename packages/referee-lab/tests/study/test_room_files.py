"""People's games can be got out: listed, exported room by room or all, part of the study's export, and read by every situated command."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from study_server import Person as Visitor
from study_server import Site

from referee.cli import main
from referee_lab.bots.simulation import simulate
from referee_lab.rooms.any_room import RoomLine
from referee_lab.rooms.hall import Hall, Live, Person
from referee_lab.rooms.room_files import list_rooms
from referee_lab.rooms.room_store import read_recordings
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.sessions.served_study import open_served
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.goals import find_goal, lay_out_goal
from referee_lab.tangram.game.log import parse_recording


class QuietLink:
    """A person's end of the line, with nobody there."""

    def __init__(self, who: str) -> None:
        self.actor = who

    def put(self, events: Sequence[Any], **more: Any) -> None:
        pass

    def cut(self, problem: str, message: str) -> None:
        raise AssertionError(problem)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    make_tangram_study(tmp_path / "pairs", id="pairs", puzzles=["house"], language="pt")
    opened = Site(open_served(tmp_path / "pairs"))
    yield opened
    opened.close()


async def play(hall: Hall, people: Sequence[Person]) -> Live:
    """Two people talk of the square, and the figure is laid."""
    hall.open()
    for person in people:
        live = await hall.enter(person, QuietLink(person.session), -1)
    seq = dict.fromkeys((p.session for p in people), 0)

    def send(who: str, kind: str, **data: Any) -> None:
        seq[who] += 1
        hall.take(live, who, [RoomLine(who, kind, data, seq[who], 1000.0)])

    operator = str(live.room.handler)
    solver = next(p.session for p in people if p.session != operator)
    times = {"typing_start_ms": 200.0, "typing_end_ms": 900.0, "keystrokes": 15}
    send(solver, "say", text="pega o quadrado", **times)
    send(operator, "grab", piece="6")
    send(operator, "release", piece="6")
    send(solver, "say", text="sim, esse", **times)
    for piece, place in _placements().items():
        send(operator, "flip", piece=piece, **place._asdict())
    # What is not stored when the hall closes was never acknowledged, and is lost.
    while not live.stored or live.stored[0] != "over":
        await asyncio.sleep(0.01)
    await hall.close()
    return live


def _placements() -> Any:
    goal: Board = lay_out_goal(find_goal("house"))
    return goal.placements


def played(site: Site) -> tuple[Live, list[Visitor]]:
    visitors = [Visitor(site).begin() for _ in range(2)]
    people = [Person(v.session, f"P-000{n}", "debug", 3) for n, v in enumerate(visitors, 1)]
    return site.loop.run_until_complete(asyncio.wait_for(play(Hall(site.served), people), 60)), visitors


def told(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str]:
    code = main([str(a) for a in args])
    out, err = capsys.readouterr()
    return code, out + err


def test_rooms_are_listed_exported_and_read_by_every_command(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, _ = played(site)
    study, out = tmp_path / "pairs", tmp_path / "sessions"
    code, text = told(capsys, "tangram", "export", study)
    assert code == 0
    assert live.room.id in text
    assert "P-0001 P-0002" in text
    assert "solved" in text
    assert told(capsys, "tangram", "export", study, "--room", live.room.id, "--as", "jsonl", "--out", out)[0] == 0
    (file,) = out.glob("*.jsonl")
    recording = parse_recording(file.read_bytes())
    assert (recording.header.language, recording.header.pair) == ("pt", live.room.id)
    assert sorted(recording.header.players) == ["P-0001", "P-0002"]
    assert [e.data["text"] for e in recording.entries if e.kind == "say"] == ["pega o quadrado", "sim, esse"]
    assert told(capsys, "tangram", "export", study, "--all", "--as", "eaf", "--out", out)[0] == 0
    assert len(list(out.glob("*.eaf"))) == 1
    page = tmp_path / "replay.html"
    assert told(capsys, "tangram", "replay", file, "--out", page)[0] == 0
    code, text = told(capsys, "tangram", "classify", "--recordings", out, "--folds", 2, "--format", "json")
    assert (code, json.loads(text)["references"]) == (0, 2)
    assert told(capsys, "tangram", "preannotate", file)[0] == 0


def test_rooms_are_part_of_the_export_and_of_the_organisers_page(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, _ = played(site)
    name = f"rooms/{live.room.id}-1.jsonl"
    code, text = told(capsys, "study", "export", tmp_path / "pairs", "--out", tmp_path / "out")
    assert code == 0
    assert "1 recorded puzzles" in text
    assert parse_recording((tmp_path / "out" / name).read_bytes()).header.goal == "house"
    assert name in (tmp_path / "out" / "SHA256SUMS").read_text()
    (row,) = csv.DictReader(io.StringIO((tmp_path / "out" / "rooms" / "rooms.csv").read_text()))
    assert (row["goal"], row["result"], row["utterances"], row["file"]) == ("house", "solved", "2", Path(name).name)
    archive = zipfile.ZipFile(io.BytesIO(site.organise("GET", "export.zip").content))
    assert f"pairs/{name}" in archive.namelist()
    (room,) = site.organise("GET", "rooms").json()["rooms"]
    assert (room["people"], room["puzzles"][0]["result"]) == (["P-0001", "P-0002"], "solved")
    reply = site.organise("GET", f"rooms/{room['puzzles'][0]['file']}")
    assert parse_recording(reply.content).header.session == f"{live.room.id}-1"
    assert site.organise("GET", "rooms/nothing-1.jsonl").status_code == 404
    assert site.organise("GET", f"rooms/{room['puzzles'][0]['file']}", token=site.served.keys.view).status_code == 403


def test_a_room_with_somebody_who_withdrew_is_named_and_not_given_out(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, visitors = played(site)
    assert visitors[0].ask("POST", "withdraw", json={}).status_code == 200
    _, text = told(capsys, "tangram", "export", tmp_path / "pairs")
    assert "has withdrawn" in text
    code, text = told(capsys, "tangram", "export", tmp_path / "pairs", "--room", live.room.id, "--as", "jsonl")
    assert (code, "withdrawn" in text) == (2, True)
    code, text = told(capsys, "tangram", "export", tmp_path / "pairs", "--all", "--as", "jsonl")
    assert (code, "no room to export" in text) == (2, True)
    assert told(capsys, "study", "export", tmp_path / "pairs", "--out", tmp_path / "out")[0] == 0
    assert [p.name for p in (tmp_path / "out" / "rooms").iterdir()] == ["rooms.csv"]


def test_an_unknown_room_and_a_study_without_rooms_say_what_to_do(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, _ = played(site)
    code, text = told(capsys, "tangram", "export", tmp_path / "pairs", "--room", "nowhere", "--as", "jsonl")
    assert code == 2
    assert live.room.id in text
    assert told(capsys, "tangram", "export", tmp_path / "pairs", "--all", "--as", "gif")[0] == 2


def test_games_of_simulated_participants_are_never_taken_for_peoples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_tangram_study(tmp_path / "rehearsed", id="rehearsed", puzzles=["house"])
    simulate(tmp_path / "rehearsed", participants=2)
    assert (
        told(capsys, "tangram", "export", tmp_path / "rehearsed", "--all", "--as", "jsonl", "--out", tmp_path / "out")[
            0
        ]
        == 0
    )
    assert told(capsys, "tangram", "statistics", "--recordings", tmp_path / "out")[1].startswith("SYNTHETIC")


def test_pieces_of_sound_that_come_after_the_end_belong_to_the_game_and_do_not_make_it_longer(site: Site) -> None:
    live, visitors = played(site)
    with site.served.store.read() as connection:
        before = list_rooms(connection, site.served.study)[0].puzzles[0]["seconds"]
    sessions = [visitor.session for visitor in visitors]

    async def late() -> None:
        hall = Hall(site.served)
        room = live.room.id
        assert hall.find_room_of_session(room, "somebody else") is None
        pieces = [{"chunk": n, "part": 0, "puzzle": 0, "start_ms": 0.0, "end_ms": 9.0, "name": ""} for n in range(2)]
        # Both at once, and a third when they are stored.
        await asyncio.gather(*(hall.note(hall.find_room_of_session(room, s), s, "voice", pieces[0]) for s in sessions))
        await hall.note(hall.find_room_of_session(room, sessions[0]), sessions[0], "voice", pieces[1])
        assert hall.rooms == {}
        await hall.close()

    site.loop.run_until_complete(asyncio.wait_for(late(), 60))
    with site.served.store.read() as connection:
        (recording,) = read_recordings(connection, live.room.id)
        (room,) = list_rooms(connection, site.served.study)
    assert sum(entry.kind == "voice" for entry in recording.entries) == 3
    assert room.puzzles[0]["seconds"] == before
