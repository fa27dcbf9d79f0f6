"""One HTTP exchange over a connection that stays open: every read is bounded by one deadline for the whole exchange, redirects are not followed.

The standard library's `http.client` opens connections (proxies and encryption are its business) and nothing retries, logs or redirects behind our back
(docs/models.md compares this with the SDKs). Answers are read here, because it knows no deadline for a whole answer.
"""

from __future__ import annotations

import base64
import http.client
import ssl
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from referee.switchboard import READ, WRITE, Switchboard, here

__all__ = ["Answer", "Connections", "TooLarge"]

# A chat answer has some kilobytes; a body without end must not fill the memory.
LARGEST_BYTES = 1 << 22
LONGEST_HEAD = 1 << 16


class Answer(NamedTuple):
    """Status, headers and body of an HTTP answer; an answer that says 200 and came in one piece has its headers left out, since nobody reads them."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TooLarge(OSError):
    """A body without end."""


class _Reader:
    """What comes over a socket until a deadline: the socket's own timeout would start anew with every packet."""

    def __init__(self, receive: Callable[[float], bytes], deadline: float, come: bytes) -> None:
        self._receive, self._deadline = receive, deadline
        self._come = bytearray(come)

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
        except http.client.IncompleteRead:
            return bytes(self._come)
        raise TooLarge(f"the answer is larger than {LARGEST_BYTES} bytes")

    def _more(self) -> None:
        part = self._receive(self._deadline)
        if not part:
            raise http.client.IncompleteRead(bytes(self._come))
        self._come += part


def _whole(come: bytes) -> Answer | None:
    """The usual answer, come in one piece over a connection that stays; None is for all others, which are read with care."""
    end = come.find(b"\r\n\r\n")
    if end < 0 or not come.startswith(b"HTTP/1.1 200"):
        return None
    head = come[: end + 2].lower()
    _, found, rest = head.partition(b"\r\ncontent-length:")
    length = rest.partition(b"\r\n")[0].strip()
    if not found or not length.isdigit() or len(come) - end - 4 != int(length):
        return None
    unusual = b"\r\ntransfer-encoding:" in head or b"\r\nconnection:" in head
    return None if unusual else Answer(200, {}, come[end + 4 :])


def _read_answer(reader: _Reader) -> tuple[Answer, bool]:
    """An answer, and whether the connection can be used again."""
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


class _Line:
    """An open connection, over which one waits as the place demands: on a switchboard others go on meanwhile, elsewhere the thread waits."""

    def __init__(self, connection: Any) -> None:
        self._connection, self._sock = connection, connection.sock
        self._encrypted = isinstance(self._sock, ssl.SSLSocket)

    def exchange(self, question: bytes, deadline: float) -> tuple[Answer, bool]:
        """The answer, and whether the connection can be used again."""
        board = here()
        if board is None:
            self._sock.settimeout(max(0.001, deadline - time.monotonic()))
            self._sock.sendall(question)
            receive = self._receive
        else:
            self._send(board, question, deadline)
            receive = partial(self._receive_on, board)
        come = receive(deadline)
        if not come:
            raise http.client.RemoteDisconnected("closed")
        answer = _whole(come)
        return (answer, True) if answer is not None else _read_answer(_Reader(receive, deadline, come))

    def _receive(self, deadline: float) -> bytes:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out in the middle of the answer")
        self._sock.settimeout(left)
        come: bytes = self._sock.recv(1 << 16)
        return come

    def _send(self, board: Switchboard, question: bytes, deadline: float) -> None:
        if self._sock.gettimeout() != 0:
            self._sock.setblocking(False)
        sent = 0
        while sent < len(question):
            try:
                sent += self._sock.send(memoryview(question)[sent:] if sent else question)
            except (BlockingIOError, ssl.SSLWantWriteError):
                board.wait(self._sock, WRITE, deadline)
            except ssl.SSLWantReadError:
                board.wait(self._sock, READ, deadline)

    def _receive_on(self, board: Switchboard, deadline: float) -> bytes:
        # What came encrypted may lie opened in the line already; otherwise nothing comes as soon as one has asked.
        if not self._encrypted:
            board.wait(self._sock, READ, deadline)
        while True:
            try:
                come: bytes = self._sock.recv(1 << 16)
                return come
            except (BlockingIOError, ssl.SSLWantReadError):
                board.wait(self._sock, READ, deadline)
            except ssl.SSLWantWriteError:
                board.wait(self._sock, WRITE, deadline)

    def close(self) -> None:
        board = here()
        if board is not None:
            board.forget(self._sock)
        self._connection.close()


class Connections:
    """Connections to one address: as many as there are questions at once, kept for the next."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._idle: deque[_Line] = deque()
        self._proxy = _proxy_for(self._parts)
        self._head_of: tuple[str, Mapping[str, str], bytes] = ("", {}, b"")

    def post(self, url: str, body: bytes, headers: Mapping[str, str], timeout_s: float) -> Answer:
        """The answer; OSError (or `http.client.HTTPException`) where there is none in time."""
        deadline = time.monotonic() + timeout_s
        # Head and body in one piece: two packets would cost both sides a turn more.
        question = b"%sContent-Length: %d\r\n\r\n%s" % (self._head(url, headers), len(body), body)
        while self._idle:
            try:
                return self._exchange(self._idle.pop(), question, deadline)
            except IndexError:
                break  # another thread took it
            # The server closed a connection that was idle, before it read the question: nobody has answered it.
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                continue
        return self._exchange(self._open(timeout_s), question, deadline)

    def _exchange(self, line: _Line, question: bytes, deadline: float) -> Answer:
        try:
            answer, stays = line.exchange(question, deadline)
        except BaseException:
            line.close()
            raise
        if stays:
            self._idle.append(line)
        else:
            line.close()
        return answer

    def _head(self, url: str, headers: Mapping[str, str]) -> bytes:
        """All before the length, which is the same question after question."""
        known_url, known_headers, head = self._head_of
        if known_url != url or known_headers != headers:
            parts = urlsplit(url)
            query = f"?{parts.query}" if parts.query else ""
            path = url if self._proxy and parts.scheme == "http" else f"{parts.path or '/'}{query}"
            fields = {"Host": parts.netloc, **headers, **self._proxy_key(parts)}
            lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            head = f"POST {path} HTTP/1.1\r\n{lines}".encode("latin-1")
            self._head_of = (url, headers, head)
        return head

    def _open(self, timeout_s: float) -> _Line:
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
        # Finding the address and shaking hands wait for others, too.
        board = here()
        if board is None:
            connection.connect()
        else:
            board.elsewhere(connection.connect)
        return _Line(connection)

    def _proxy_key(self, parts: SplitResult) -> dict[str, str]:
        return _key_of(self._proxy) if self._proxy and parts.scheme == "http" else {}

    def __del__(self) -> None:
        for line in getattr(self, "_idle", ()):
            line.close()


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
