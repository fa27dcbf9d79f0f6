"""Events and states of rooms, through the same writer as everything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter, WebSocket
from study_server import Clock, Person, Site, study_folder

from referee.studies.callers import find_study, participant_of
from referee.studies.events import events_after, keep_snapshot, last_snapshot, open_room, record_event, set_room
from referee.studies.problems import Problem
from referee.studies.served import open_served

rooms = APIRouter()


@rooms.websocket("/s/{study}/rooms/{room}")
async def room_socket(socket: WebSocket, study: str, room: str) -> None:
    """What a room has to do: know who is there, record, acknowledge."""
    await socket.accept()
    served = find_study(socket.app.state.studies, study)
    first = await socket.receive_json()
    try:
        caller = participant_of(served, socket.app.state.limits, first["token"], first["tab"])
    except Problem as problem:
        await socket.send_json(problem.body())
        await socket.close()
        return
    message = await socket.receive_json()
    happened = await served.store.awrite(
        lambda c: record_event(
            c,
            served,
            message["kind"],
            message["data"],
            session=caller.session,
            room=room,
            client_seq=message["seq"],
            t_client=message["t"],
        )
    )
    await socket.send_json({"ack": message["seq"], "server_seq": happened.seq, "t_server": happened.t_server})
    await socket.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Site]:
    opened = Site(open_served(study_folder(tmp_path), clock=Clock()), routers=[rooms])
    yield opened
    opened.close()


def talk(server: Site, path: str, *messages: Any) -> list[Any]:
    """A web socket conversation with the application itself."""
    import json

    inbox = [{"type": "websocket.connect"}, *({"type": "websocket.receive", "text": json.dumps(m)} for m in messages)]
    said: list[Any] = []

    async def receive() -> dict[str, Any]:
        return inbox.pop(0)

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            said.append(json.loads(message["text"]))

    scope = {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "subprotocols": [],
        "root_path": "",
        "scheme": "ws",
        "app": server.app,
    }
    server.loop.run_until_complete(server.app(scope, receive, send))
    return said


def test_a_router_of_rooms_records_through_the_same_writer(server: Site) -> None:
    person = Person(server).begin()
    server.served.store.write(lambda c: open_room(c, server.served, "r1", "debug", {"roles": ["director", "matcher"]}))
    hello = {"token": person.token, "tab": person.tab}
    event = {"kind": "word", "data": {"text": "the red one"}, "seq": 1, "t": 12.5}
    first = talk(server, "/s/demo/rooms/r1", hello, event)
    again = talk(server, "/s/demo/rooms/r1", hello, event)
    assert first == again == [{"ack": 1, "server_seq": 1, "t_server": server.served.clock()}]
    assert server.rows("SELECT count(*) FROM event") == [(1,)]
    assert talk(server, "/s/demo/rooms/r1", {**hello, "token": "forged"})[0]["problem"] == "no-token"


def test_events_have_the_servers_order_and_states_can_be_found_again(server: Site) -> None:
    served = server.served
    one, other = Person(server).begin().session, Person(server).begin().session

    def play(connection: Any) -> list[int]:
        open_room(connection, served, "r1", "debug", {})
        numbers = [
            record_event(connection, served, "move", {"x": n}, session=who, room="r1", client_seq=n).seq
            for n, who in enumerate((one, other, other, one))
        ]
        keep_snapshot(connection, served, "r1", 2, "v1", {"board": [1]})
        keep_snapshot(connection, served, "r1", 4, "v1", {"board": [2]})
        set_room(connection, served, "r1", "closed")
        return numbers

    assert served.store.write(play) == [1, 2, 3, 4]
    alone = served.store.write(lambda c: record_event(c, served, "blur", {}, session=one))
    assert alone.seq == 1
    with served.store.read() as connection:
        assert [row.data["x"] for row in events_after(connection, "r1", 2)] == [2, 3]
        newest, earlier = last_snapshot(connection, "r1"), last_snapshot(connection, "r1", 3)
    assert newest is not None
    assert earlier is not None
    assert (newest.state, earlier.state) == ({"board": [2]}, {"board": [1]})
    for sql in ("UPDATE event SET kind = 'x'", "DELETE FROM snapshot", "DELETE FROM event"):
        with pytest.raises(Problem, match="storage"):
            served.store.write(lambda connection, sql=sql: connection.exec_driver_sql(sql))
