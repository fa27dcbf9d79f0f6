"""One HTTP exchange over a connection that stays open: every read is bounded by one deadline for the whole exchange, redirects are not followed.

The standard library's `http.client` and nothing else: the one dependency that cannot retry, log or redirect behind our back, and the quickest to start
(docs/models.md compares it with the SDKs). Each thread has connections of its own.
"""

from __future__ import annotations

import base64
import http.client
import io
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


class Answer(NamedTuple):
    """Status, headers and body of an HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class TooLarge(OSError):
    """A body without end."""


class _Clocked(io.RawIOBase):
    """A socket to read from until a deadline: its own timeout would start anew with every packet."""

    def __init__(self, sock: Any, deadline: float) -> None:
        self._sock, self._deadline = sock, deadline
        # Holds the socket open: `http.client` lets go of it as soon as it knows that the server will close.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out in the middle of the answer")
        self._sock.settimeout(left)
        got: int | None = self._raw.readinto(buffer)
        return got

    def close(self) -> None:
        self._raw.close()
        super().close()


class _ClockedSocket:
    """What `http.client` needs of a socket to read an answer."""

    def __init__(self, sock: Any, deadline: float) -> None:
        self._sock, self._deadline = sock, deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Clocked(self._sock, self._deadline))


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
            response = http.client.HTTPResponse(_ClockedSocket(connection.sock, deadline), method="POST")  # type: ignore[arg-type]
            response.begin()
            content = self._whole(response)
        except BaseException:
            self._close()
            raise
        if response.will_close:
            self._close()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, content)

    def _head(self, url: str, length: int, headers: Mapping[str, str]) -> bytes:
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        path = url if self._proxy and parts.scheme == "http" else f"{parts.path or '/'}{query}"
        fields = {"Host": parts.netloc, **headers, **self._proxy_key(parts), "Content-Length": str(length)}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1")

    @staticmethod
    def _whole(response: http.client.HTTPResponse) -> bytes:
        """The body to its end; in one read where its length is known, which also tells one that was cut off."""
        known = response.length is not None and response.length <= LARGEST_BYTES
        content = response.read() if known else response.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise TooLarge(f"the answer is larger than {LARGEST_BYTES} bytes")
        return content

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
