"""One HTTP exchange over a connection that stays open: every read is bounded by one deadline for the whole exchange, redirects are not followed.

The standard library's `http.client` opens connections (proxies and encryption are its business) and nothing retries, logs or redirects behind our back
(docs/models.md compares this with the SDKs). Answers are read here, because it knows no deadline for a whole answer. Each thread has connections of its own.
"""

from __future__ import annotations

import base64
import http.client
import ssl
import threading
import time
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

__all__ = ["Answer", "Connections", "TooLarge"]

# A chat answer has some kilobytes; a body without end must not fill the memory.
LARGEST_BYTES = 1 << 22
LONGEST_HEAD = 1 << 16


class Answer(NamedTuple):
    """Status, headers and body of an HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TooLarge(OSError):
    """A body without end."""


class _Reader:
    """What comes over a socket until a deadline: the socket's own timeout would start anew with every packet."""

    def __init__(self, sock: Any, deadline: float) -> None:
        self._sock, self._deadline = sock, deadline
        self._come = bytearray()

    def until(self, mark: bytes) -> bytes:
        """All before a mark, which is left out."""
        while (end := self._come.find(mark)) < 0:
            if len(self._come) > LONGEST_HEAD:
                raise http.client.LineTooLong("header")
            self._more()
        found = bytes(self._come[:end])
        del self._come[: end + len(mark)]
        return found

    def exactly(self, size: int) -> bytes:
        if size > LARGEST_BYTES:
            raise TooLarge(f"the answer is larger than {LARGEST_BYTES} bytes")
        while len(self._come) < size:
            self._more()
        found = bytes(self._come[:size])
        del self._come[:size]
        return found

    def to_the_end(self) -> bytes:
        try:
            while len(self._come) <= LARGEST_BYTES:
                self._more()
        except (http.client.IncompleteRead, http.client.RemoteDisconnected):
            return bytes(self._come)
        raise TooLarge(f"the answer is larger than {LARGEST_BYTES} bytes")

    def _more(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out in the middle of the answer")
        self._sock.settimeout(left)
        part = self._sock.recv(1 << 16)
        if not part:
            raise http.client.IncompleteRead(b"") if self._come else http.client.RemoteDisconnected("closed")
        self._come += part


def _read_answer(sock: Any, deadline: float) -> tuple[Answer, bool]:
    """An answer, and whether the connection can be used again."""
    reader = _Reader(sock, deadline)
    status = 100
    # "Continue" and its like are no answers yet.
    while 100 <= status < 200:
        first, *lines = reader.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
            raise http.client.BadStatusLine(first[:100])
        status = int(rest[:3])
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length, stays = headers.get("content-length", ""), version != "HTTP/1.0"
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _chunks(reader)
    elif length.isdigit():
        body = reader.exactly(int(length))
    else:
        body, stays = b"" if status in (204, 304) else reader.to_the_end(), False
    return Answer(status, headers, body), stays and headers.get("connection", "").lower() != "close"


def _chunks(reader: _Reader) -> bytes:
    body = bytearray()
    while True:
        try:
            size = int(reader.until(b"\r\n").partition(b";")[0], 16)
        except ValueError:
            raise http.client.IncompleteRead(bytes(body)) from None
        if not size:
            # What may follow the last chunk ends with an empty line.
            while reader.until(b"\r\n"):
                pass
            return bytes(body)
        if len(body) + size > LARGEST_BYTES:
            raise TooLarge(f"the answer is larger than {LARGEST_BYTES} bytes")
        body += reader.exactly(size + 2)[:-2]


class Connections:
    """Connections of each thread to one address."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._own = threading.local()
        # All threads' connections: those of a thread that has ended are closed with the rest.
        self._all: set[Any] = set()
        self._proxy = _proxy_for(self._parts)

    def post(self, url: str, body: bytes, headers: Mapping[str, str], timeout_s: float) -> Answer:
        """The answer; OSError (or `http.client.HTTPException`) where there is none in time."""
        deadline = time.monotonic() + timeout_s
        kept = getattr(self._own, "connection", None)
        if kept is not None:
            try:
                return self._exchange(kept, url, body, headers, deadline)
            # The server closed a connection that was idle, before it read the question: nobody has answered it.
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self._close()
        return self._exchange(self._open(timeout_s), url, body, headers, deadline)

    def _exchange(self, connection: Any, url: str, body: bytes, headers: Mapping[str, str], deadline: float) -> Answer:
        try:
            connection.timeout = max(0.001, deadline - time.monotonic())
            if connection.sock is None:
                connection.connect()
            else:
                connection.sock.settimeout(connection.timeout)
            # Head and body in one piece: two packets would cost both sides a turn more.
            connection.sock.sendall(self._head(url, len(body), headers) + body)
            answer, stays = _read_answer(connection.sock, deadline)
        except BaseException:
            self._close()
            raise
        if not stays:
            self._close()
        return answer

    def _head(self, url: str, length: int, headers: Mapping[str, str]) -> bytes:
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        path = url if self._proxy and parts.scheme == "http" else f"{parts.path or '/'}{query}"
        fields = {"Host": parts.netloc, **headers, **self._proxy_key(parts), "Content-Length": str(length)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")

    def _open(self, timeout_s: float) -> Any:
        secure = self._parts.scheme == "https"
        host, port = self._parts.hostname or "", self._parts.port
        kind: Any = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        more = {"context": ssl.create_default_context()} if secure else {}
        if self._proxy is None:
            connection = kind(host, port, timeout=timeout_s, **more)
        else:
            connection = kind(self._proxy.hostname, self._proxy.port or 8080, timeout=timeout_s, **more)
            if secure:
                connection.set_tunnel(host, port or 443, _key_of(self._proxy))
        self._own.connection = connection
        self._all.add(connection)
        return connection

    def _proxy_key(self, parts: SplitResult) -> dict[str, str]:
        return _key_of(self._proxy) if self._proxy and parts.scheme == "http" else {}

    def _close(self) -> None:
        connection = getattr(self._own, "connection", None)
        self._own.connection = None
        if connection is not None:
            self._all.discard(connection)
            connection.close()

    def __del__(self) -> None:
        for connection in list(getattr(self, "_all", ())):
            connection.close()


def _proxy_for(parts: SplitResult) -> SplitResult | None:
    """The proxy that the environment names for an address, if any."""
    named = urllib.request.getproxies().get(parts.scheme)
    if not named or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urlsplit(named if "//" in named else f"http://{named}")


def _key_of(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    who = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(who.encode()).decode()}"}
