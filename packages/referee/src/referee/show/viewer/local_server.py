"""A small server for one user on the same machine: pages and JSON by path, errors as sentences.

It listens on this machine only, answers only to its own host name (pages from other sites must not reach it through
another one), and serves no files by path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from referee.errors import InputError, RefereeError, name_missing_extra

HOST = "127.0.0.1"
OWN_NAMES = ("127.0.0.1", "localhost")
LARGEST_BODY = 2_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """A request: the query behind the path, and its body."""

    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None


@dataclass(frozen=True, slots=True)
class ServedPage:
    content: bytes
    kind: str = "application/json"
    policy: str = ""


Answering = Callable[[Question], ServedPage]


def as_json(value: Any) -> ServedPage:
    return ServedPage(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())


class LocalServer(ThreadingHTTPServer):
    """A server; `routes` are handlers by method and path (``GET /items``)."""

    daemon_threads = True

    def __init__(self, routes: Mapping[str, Answering], port: int) -> None:
        self.routes = routes
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"cannot listen on port {port}: {reason}", remedy="take another one with --port") from None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"


class _Handler(BaseHTTPRequestHandler):
    server: LocalServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer_request("GET")

    def do_POST(self) -> None:
        self._answer_request("POST")

    def _answer_request(self, method: str) -> None:
        """Answer a request by its route, with errors as JSON."""
        address = urlsplit(self.path)
        answering = self.server.routes.get(f"{method} {address.path}")
        if not self._is_local_request():
            return self._refuse_request(403, "This server answers to 127.0.0.1 and localhost only.")
        if answering is None:
            return self._refuse_request(404, "There is nothing here. Check the link.")
        try:
            asked = Question(dict(parse_qsl(address.query)), self._read_body() if method == "POST" else None)
            answer = answering(asked)
        except ModuleNotFoundError as error:
            return self._refuse_request(400, str(name_missing_extra(error)))
        except RefereeError as error:
            return self._refuse_request(400, str(error))
        self._send_page(200, answer)
        return None

    def _is_local_request(self) -> bool:
        """Return whether host and origin are this machine."""
        host = (self.headers.get("host") or "").rpartition(":")[0]
        origin = self.headers.get("origin")
        return host in OWN_NAMES and (origin is None or urlsplit(origin).hostname in OWN_NAMES)

    def _read_body(self) -> Any:
        """Return the JSON body of a request. Raises InputError for an invalid or too large one."""
        length = int(self.headers.get("content-length") or 0)
        if length > LARGEST_BODY:
            raise InputError("the request is too large", remedy="take a smaller scene")
        try:
            return json.loads(self.rfile.read(length))
        except ValueError:
            raise InputError("the request is not JSON", remedy="reload the page") from None

    def _refuse_request(self, status: int, message: str) -> None:
        self._send_page(status, as_json({"message": message}))

    def _send_page(self, status: int, answer: ServedPage) -> None:
        """Send a page with its headers."""
        self.send_response(status)
        self.send_header("content-type", f"{answer.kind}; charset=utf-8")
        self.send_header("content-length", str(len(answer.content)))
        self.send_header("x-content-type-options", "nosniff")
        self.send_header("cache-control", "no-store")
        if answer.policy:
            self.send_header("content-security-policy", answer.policy)
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the only user sees the page itself."""
