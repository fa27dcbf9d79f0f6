"""Pay in rooms is decided from what is stored, not from what a page says (rule 17)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update
from study_server import Person, site

from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.store import schema

CLAIM = {"answer": {"room": "r", "outcome": "completed", "puzzles": 1, "solved": 1}, "times": {}}


def _claims_to_have_played(person: Person) -> Any:
    person.begin()
    for index in person.saved_steps:
        told = CLAIM if person.step(index).plugin == "tangram" else {"answer": {"fields": {}}, "times": {}}
        body = {"index": index, "attempt": 1, "state": "done", "flags": [], **told}
        assert person.put(index, body=body).status_code == 201
    return person.ask("POST", "finish")


@pytest.mark.parametrize(("mode", "status"), [("pilot", 409), ("debug", 200)])
def test_who_never_was_in_a_room_gets_no_code_for_it(tmp_path: Path, mode: str, status: int) -> None:
    folder = tmp_path / "tangram"
    make_tangram_study(folder, puzzles=["house"], participants=2, mode=mode, practice=False)
    with site(folder) as server:
        reply = _claims_to_have_played(Person(server))
    assert reply.status_code == status, reply.text
    assert status == 200 or reply.json()["problem"] == "room-open"


def test_who_was_in_a_room_until_its_end_gets_the_code(tmp_path: Path) -> None:
    folder = tmp_path / "tangram"
    make_tangram_study(folder, puzzles=["house"], participants=2, mode="pilot", practice=False)
    with site(folder) as server:
        person = Person(server)
        assert _claims_to_have_played(person).status_code == 409
        step = next(i for i in person.saved_steps if person.step(i).plugin == "tangram")

        def play(connection: Any) -> None:
            room = {"id": "r", "study": "tangram", "mode": "pilot", "state": "playing", "data": {"step": step}}
            joined = {"session": person.session, "room": "r", "seq": 0, "kind": "join", "data": {}}
            connection.execute(insert(schema.room).values(**room, created=0, updated=0))
            connection.execute(insert(schema.event).values(**joined, t_server=0))

        server.served.store.write(play)
        assert person.ask("POST", "finish").json()["problem"] == "room-open"
        server.served.store.write(lambda connection: connection.execute(update(schema.room).values(state="over")))
        assert person.ask("POST", "finish").json()["outcome"] == "completed"
