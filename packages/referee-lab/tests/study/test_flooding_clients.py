"""Clients that are slow, many or greedy, over raw sockets and without a proxy before the server: they are shown the door, and others are served."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import uvicorn
from study_server import Clock, Person, site, study_folder

from referee_lab.server.sessions.served_study import open_served
from referee_lab.server.web import guarded_http, middleware
from referee_lab.server.web.guarded_http import GuardedHttp
from referee_lab.server.web.middleware import Limits
from referee_lab.server.web.server import create_app

HELLO = b"GET /health HTTP/1.1\r\nHost: study\r\n\r\n"


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """A real server as `referee study serve` runs it; its port."""
    config = uvicorn.Config(create_app([open_served(folder)]), port=0, log_level="error", http=GuardedHttp)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not (server.started and server.servers):
        time.sleep(0.02)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study_folder(tmp_path_factory.mktemp("flood"))


def connect(port: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=20)
    made.settimeout(20)
    return made


def until_closed(client: socket.socket) -> bytes:
    """Everything that comes until the server hangs up."""
    said = b""
    while piece := client.recv(4096):
        said += piece
    return said


def ask(port: int) -> bytes:
    with connect(port) as client:
        client.sendall(HELLO)
        return client.recv(4096)


def is_served(port: int) -> bool:
    """Whether a newcomer is answered; one who is hung up on gets a reset or nothing."""
    try:
        return ask(port).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def drip(client: socket.socket) -> None:
    for _ in range(600):
        client.sendall(b"X-A: b\r\n")
        time.sleep(0.05)


def test_who_never_ends_a_head_is_hung_up_on_and_others_are_served(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GuardedHttp, "HEAD_SECONDS", 2.0)
    with serving(folder) as port, ExitStack() as stack:
        slow = [stack.enter_context(connect(port)) for _ in range(30)]
        for client in slow:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: study\r\nX-A: b")
        assert is_served(port)
        for client in slow:
            assert until_closed(client).startswith(b"HTTP/1.1 408")


def test_a_byte_now_and_then_does_not_set_the_clock_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GuardedHttp, "HEAD_SECONDS", 2.0)
    with serving(folder) as port, connect(port) as client:
        client.sendall(HELLO)
        assert client.recv(4096).startswith(b"HTTP/1.1 200")
        # The second request of a connection that was well-behaved so far.
        client.sendall(b"GET / HTTP/1.1\r\n")
        # Until there is a reset or a broken pipe, as it comes.
        with pytest.raises(OSError):
            drip(client)


def test_who_says_nothing_at_all_is_hung_up_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GuardedHttp, "HEAD_SECONDS", 0.3)
    with serving(folder) as port, connect(port) as client:
        assert until_closed(client).startswith(b"HTTP/1.1 408")


def test_a_body_that_drips_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "WHOLE_BODY_SECONDS", 0.4)
    with serving(folder) as port, connect(port) as client:
        client.sendall(b"POST /s/demo/api/enter HTTP/1.1\r\nHost: s\r\nContent-Type: application/json\r\n")
        client.sendall(b"Content-Length: 1000\r\n\r\n{")
        assert client.recv(4096).startswith(b"HTTP/1.1 408")


def test_one_address_has_so_many_connections_and_others_come_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_http, "is_local", lambda address: False)
    monkeypatch.setattr(GuardedHttp, "MOST_OF_ONE", 5)
    monkeypatch.setattr(GuardedHttp, "_is_counted", lambda self, address: True)
    with serving(folder) as port, ExitStack() as stack:
        held = [stack.enter_context(connect(port)) for _ in range(5)]
        for client in held:
            client.sendall(HELLO)
            assert client.recv(4096).startswith(b"HTTP/1.1 200")
        assert not is_served(port)
        held.pop().close()
        end = time.monotonic() + 30
        while not is_served(port):
            assert time.monotonic() < end, "a place was not given back"
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("trusted", "address", "counted"),
    [
        ("127.0.0.1", "192.0.2.7", True),
        ("127.0.0.1", "127.0.0.1", False),
        ("192.0.2.7, 192.0.2.8", "192.0.2.8", False),
        ("*", "192.0.2.7", False),
    ],
)
def test_proxies_and_this_machine_are_not_counted(trusted: str, address: str, counted: bool) -> None:
    class Config:
        forwarded_allow_ips = trusted

    guard = GuardedHttp.__new__(GuardedHttp)
    guard.config = Config()  # type: ignore[assignment]
    assert guard._is_counted(address) is counted


def test_beyond_saturation_people_are_told_and_nothing_acknowledged_is_lost(folder: Path) -> None:
    import asyncio

    with site(folder, Clock(), limits=Limits(at_once=3)) as opened:
        people = [Person(opened).begin() for _ in range(6)]
        release = threading.Event()
        held = opened.served.store.writer.submit(lambda connection: release.wait(30))
        names = [f"00000000-0000-4000-8000-00000000001{n}" for n in range(6)]
        bodies = [person.body(person.saved_steps[0]) for person in people]

        async def send(n: int) -> int:
            headers = {"X-Referee-Tab": people[n].tab, "Authorization": f"Bearer {people[n].token}"}
            address = f"/s/{opened.served.id}/api/trials/{names[n]}"
            reply = await opened.client.put(address, headers=headers, json=bodies[n])
            if reply.status_code == 503:
                assert reply.json()["problem"] == "busy"
                assert int(reply.headers["retry-after"]) >= 1
            return reply.status_code

        async def all_at_once() -> list[int]:
            sent = [asyncio.create_task(send(n)) for n in range(6)]
            # Those who are not let in are told while the others still wait.
            while sum(task.done() for task in sent) < 3:
                await asyncio.sleep(0.01)
            release.set()
            return list(await asyncio.gather(*sent))

        statuses = opened.loop.run_until_complete(all_at_once())
        held.result(30)
        assert sorted(statuses) == [201, 201, 201, 503, 503, 503]
        stored = {row[0] for row in opened.rows("SELECT uuid FROM trial")}
        assert stored == {name for name, status in zip(names, statuses, strict=True) if status == 201}
        # They come again, as pages do, and are stored once.
        for n in range(6):
            again = people[n].put(people[n].saved_steps[0], id=names[n], body=bodies[n])
            assert again.status_code == (200 if statuses[n] == 201 else 201)
        assert opened.rows("SELECT count(*) FROM trial") == [(6,)]
