"""Answers over a socket, as servers send them: whole, in chunks, to the end of the connection, after a "continue", and broken."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.capabilities import in_parallel
from referee.llm.connection import Answer, Connections, TooLarge
from referee.switchboard import rest


@contextmanager
def raw(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that says these bytes, one connection each, whatever it is asked."""
    server = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []

    def serve() -> None:
        for answer in answers:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                heard.append(connection.recv(1 << 16))
                connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1", heard
    finally:
        server.close()
        thread.join(5)


@dataclass
class Together:
    """Waits on a switchboard."""

    parallel: int = 2
    waits_together: bool = True


@pytest.fixture(params=["thread", "board"])
def post(request: pytest.FixtureRequest) -> Callable[[bytes], Answer]:
    """One exchange, in a thread that waits and on a switchboard."""

    def posted(answer: bytes, timeout_s: float = 10.0) -> Answer:
        with raw(answer) as (url, _):

            def ask(_: int) -> Answer:
                return Connections(url).post(f"{url}/x", b"{}", {}, timeout_s)

            return ask(0) if request.param == "thread" else next(in_parallel(Together(), ask, [0]))

    return posted


Post = Callable[[bytes], Answer]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello",
    ],
)
def test_a_body_comes_in_many_ways(post: Post, answer: bytes) -> None:
    assert post(answer).body == b"hello"


def test_status_and_headers_are_read(post: Post) -> None:
    found = post(b"HTTP/1.1 429 Too Many\r\nRetry-After:  3 \r\nX: a:b\r\nContent-Length: 0\r\n\r\n")
    assert (found.status, found.headers["retry-after"], found.headers["x"], found.body) == (429, "3", "a:b", b"")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"nonsense\r\n\r\n", http.client.BadStatusLine),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", http.client.IncompleteRead),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", http.client.IncompleteRead),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", http.client.IncompleteRead),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", TooLarge),
        (b"", http.client.RemoteDisconnected),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * (1 << 17), http.client.LineTooLong),
    ],
)
def test_what_is_broken_is_an_error_and_no_answer(post: Post, answer: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        post(answer)


def test_the_question_is_sent_whole_and_in_one_piece() -> None:
    with raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (url, heard):
        Connections(url).post(f"{url}/chat?a=1", b'{"q": 1}', {"X": "y"}, 5)
        host = url.removeprefix("http://").removesuffix("/v1")
        expected = f'POST /v1/chat?a=1 HTTP/1.1\r\nHost: {host}\r\nX: y\r\nContent-Length: 8\r\n\r\n{{"q": 1}}'
        assert heard[0] == expected.encode()


def test_a_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (proxy, heard):
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1").replace("http://", "http://me:secret@"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        Connections("http://model.example/v1").post("http://model.example/v1/x", b"", {}, 5)
    # echo -n me:secret | base64
    assert heard[0].startswith(b"POST http://model.example/v1/x HTTP/1.1\r\nHost: model.example\r\n")
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in heard[0]


@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of this test")
def test_an_encrypted_line_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parallel: int) -> None:
    """A body of several records: what the line has opened already is read before anybody waits for more."""
    pem = tmp_path / "cert.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*made.split(), "-keyout", pem, "-out", tmp_path / "cert"], check=True, capture_output=True)
    pem.write_bytes(pem.read_bytes() + (tmp_path / "cert").read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    body = b"x" * 200_000
    with socket.create_server(("127.0.0.1", 0)) as server:

        def talk(connection: socket.socket) -> None:
            with context.wrap_socket(connection, server_side=True) as line:
                while asked := line.recv(1 << 16):
                    assert asked.startswith(b"POST /v1/x ")
                    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        def serve() -> None:
            for _ in range(parallel):
                threading.Thread(target=talk, args=(server.accept()[0],), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{server.getsockname()[1]}/v1"
        lines = Connections(url)
        meeting: set[int] = set()

        def ask(n: int) -> bytes:
            # Each opens a line of its own, since all ask at once.
            meeting.add(n)
            while len(meeting) < parallel:
                rest(0.001)
            return lines.post(f"{url}/x", b"{}", {}, 30).body

        assert list(in_parallel(Together(parallel), ask, range(3 * parallel))) == [body] * 3 * parallel
        thread.join(10)
        assert len(lines._idle) == parallel, "lines are kept"
