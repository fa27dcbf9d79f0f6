"""The small server: its own machine, its own name, sentences instead of tracebacks."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest

from referee.errors import InputError
from referee.show.viewer.local_server import LocalServer, Question, as_json


def fails(asked: Question) -> Any:
    raise InputError("that is wrong", remedy="do this")


@pytest.fixture
def server() -> Iterator[LocalServer]:
    routes = {
        "GET /hello": lambda asked: as_json(dict(asked.query)),
        "POST /echo": lambda asked: as_json(asked.body),
        "GET /fails": fails,
    }
    with LocalServer(routes, 0) as found:
        thread = threading.Thread(target=found.serve_forever, daemon=True)
        thread.start()
        yield found
        found.shutdown()


def call(server: LocalServer, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any]:
    request = urllib.request.Request(server.address + path, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, json.loads(reply.read())
    except HTTPError as error:
        return error.code, json.loads(error.read())


def test_questions_are_answered_by_path(server: LocalServer) -> None:
    assert call(server, "hello?a=1&b=%C3%A4") == (200, {"a": "1", "b": "ä"})
    assert call(server, "echo", b'{"x": [1]}') == (200, {"x": [1]})


def test_mistakes_come_back_as_sentences(server: LocalServer) -> None:
    assert call(server, "fails") == (400, {"message": "that is wrong\n  → do this"})
    assert call(server, "nowhere")[0] == 404
    assert call(server, "../../etc/passwd")[0] == 404
    assert call(server, "echo", b"{")[0] == 400


def test_pages_from_elsewhere_do_not_reach_it(server: LocalServer) -> None:
    """A name that somebody else points at this machine (DNS rebinding), and a request from another page."""
    assert call(server, "hello", Host="evil.example:80")[0] == 403
    assert call(server, "hello", Origin="https://evil.example")[0] == 403


def test_a_taken_port_is_told(server: LocalServer) -> None:
    with pytest.raises(InputError, match="cannot listen on port"):
        LocalServer({}, server.server_address[1])
