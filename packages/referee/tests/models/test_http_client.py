"""Responses over a socket, as servers send them: whole, in chunks, packed, encrypted, through proxies, and broken."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import InputError
from referee.models.http_client import ConnectionFailed, HttpResponse, find_proxy, post, run_on_loop

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@contextmanager
def raw(*responses: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Serve these bytes, one connection each, whatever the request is."""
    server = socket.create_server(("127.0.0.1", 0))
    requests: list[bytes] = []

    def serve() -> None:
        for response in responses:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                requests.append(connection.recv(1 << 16))
                connection.sendall(response)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1", requests
    finally:
        server.close()
        thread.join(5)


def fetch(response: bytes, timeout_s: float = 10.0) -> HttpResponse:
    with raw(response) as (url, _):
        return run_on_loop(post(f"{url}/x", b"{}", {}, timeout_s))


PACKED = gzip.compress(b"hello")


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(PACKED), PACKED),
    ],
    ids=["length", "to the end", "chunks", "trailer", "continue", "gzip"],
)
def test_a_body_comes_in_many_ways(response: bytes) -> None:
    assert fetch(response).body == b"hello"


def test_status_and_headers_are_read() -> None:
    found = fetch(b"HTTP/1.1 429 Too Many\r\nRetry-After:  3 \r\nX: a:b\r\nContent-Length: 0\r\n\r\n")
    assert (found.status, found.headers["retry-after"], found.headers["x"], found.body) == (429, "3", "a:b", b"")


def test_redirects_are_not_followed() -> None:
    assert fetch(b"HTTP/1.1 302 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n").status == 302


BOMB = gzip.compress(b"\0" * (1 << 25))


@pytest.mark.parametrize(
    "response",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * (1 << 17),
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(BOMB), BOMB),
    ],
    ids=["status", "cut", "empty", "chunk", "long", "closed", "header", "not gzip", "bomb"],
)
def test_a_broken_response_is_an_error(response: bytes) -> None:
    with pytest.raises(ConnectionFailed):
        fetch(response)


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as (proxy, requests):
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1").replace("http://", "http://me:secret@"))
        run_on_loop(post("http://model.example/v1/x", b"", {}, 5))
    assert requests[0].startswith(b"POST http://model.example/v1/x HTTP/1.1\r\nHost: model.example\r\n")
    # echo -n me:secret | base64
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in requests[0]


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, ""),
        ({"HTTP_PROXY": "http://one:1"}, ""),
        ({"HTTPS_PROXY": "http://one:1"}, "http://one:1"),
        ({"HTTPS_PROXY": "one:1"}, "http://one:1"),
        ({"ALL_PROXY": "socks5://two:2"}, "socks5://two:2"),
        ({"HTTPS_PROXY": "http://one:1", "ALL_PROXY": "socks5://two:2"}, "http://one:1"),
        ({"ALL_PROXY": "socks5://two:2", "NO_PROXY": "model.example"}, ""),
        ({"ALL_PROXY": "socks5://two:2", "NO_PROXY": "*"}, ""),
    ],
    ids=str,
)
def test_which_proxy_is_used(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], proxy: str) -> None:
    for name, address in environment.items():
        monkeypatch.setenv(name.lower(), address)
    assert find_proxy("https://model.example/v1") == proxy


def test_a_proxy_of_an_unknown_kind_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "quic://one:1")
    with pytest.raises(InputError, match="quic://"):
        find_proxy("https://model.example/v1")


def test_a_socks_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 1928: greeting without authentication, then CONNECT to the host by name; what follows is the request itself."""
    server, heard = socket.create_server(("127.0.0.1", 0)), []

    def serve() -> None:
        with server.accept()[0] as line:
            heard.append(line.recv(100))
            line.sendall(b"\x05\x00")
            heard.append(line.recv(100))
            line.sendall(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50")
            heard.append(line.recv(1 << 16))
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    monkeypatch.setenv("all_proxy", f"socks5://127.0.0.1:{server.getsockname()[1]}")
    assert run_on_loop(post("http://model.example/v1/x", b"{}", {}, 10)).body == b"hello"
    thread.join(5)
    server.close()
    assert b"\x0dmodel.example\x00\x50" in heard[1]
    assert heard[2].startswith(b"POST /v1/x HTTP/1.1\r\n")


def test_a_socks_proxy_that_is_not_there_is_a_failed_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("all_proxy", f"socks5://127.0.0.1:{port}")
    with pytest.raises(ConnectionFailed):
        run_on_loop(post("http://model.example/v1/x", b"{}", {}, 10))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of this test")
def test_an_encrypted_response_is_read_to_its_end(tmp_path: Path) -> None:
    """In a process of its own, since the library reads SSL_CERT_FILE once."""
    pem = tmp_path / "cert.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*made.split(), "-keyout", pem, "-out", tmp_path / "cert"], check=True, capture_output=True)
    pem.write_bytes(pem.read_bytes() + (tmp_path / "cert").read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with context.wrap_socket(server.accept()[0], server_side=True) as line:
                line.recv(1 << 16)
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200_000)

        threading.Thread(target=serve, daemon=True).start()
        script = (
            "from referee.models.http_client import post, run_on_loop\n"
            f"print(len(run_on_loop(post('https://127.0.0.1:{server.getsockname()[1]}/v1', b'', {{}}, 30)).body))"
        )
        environment = {"SSL_CERT_FILE": str(tmp_path / "cert"), "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("200000\n", "")


def test_it_works_where_another_loop_runs_in_this_thread() -> None:
    """As in a notebook kernel, whose main thread runs a loop."""
    import asyncio

    async def cell() -> bytes:
        return fetch(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").body

    assert asyncio.run(cell()) == b"hello"


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork on this platform")
def test_a_forked_child_starts_a_loop_of_its_own() -> None:
    script = (
        "import os, sys\n"
        "from referee.models.http_client import run_on_loop\n"
        "async def one(): return 1\n"
        "assert run_on_loop(one()) == 1\n"
        "pid = os.fork()\n"
        "if not pid: os._exit(0 if run_on_loop(one()) == 1 else 3)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=60, env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0


def test_without_the_library_the_error_names_the_extra() -> None:
    script = (
        "import sys; sys.modules['aiohttp'] = None\n"
        "import referee\n"
        "from referee.errors import MissingExtra\n"
        "from referee.models.model_client import ModelClient\n"
        "try:\n"
        "    ModelClient(model='x').ask([{'role': 'user', 'content': '?'}], 't')\n"
        "except MissingExtra as error:\n"
        "    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert "referee[models]" in done.stdout, done.stderr
