"""Middleware for every request and reply.

Limits of size and rate, security headers, and errors as JSON with the next step.

Sizes and rates are limited without client addresses: bodies have a maximal size, sessions and public routes a maximal
rate. Only seats are counted by address, as a hash in memory, so that one client cannot take them all.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee_lab.server.sessions.refusals import Problem
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.own_plugin import OWN
from referee_lab.study.protocols.production import is_spoken

_log = logging.getLogger("referee.studies")
_TURK = "https://www.mturk.com https://workersandbox.mturk.com"
# Rarely used rate limits are dropped when many others have been used since: memory is bounded under any load.
KEYS_KEPT = 20_000
# Above this number of simultaneous requests, new ones are told to retry: a short refusal for some is better than a long
# wait for all.
MOST_AT_ONCE = 512
COME_AGAIN_SECONDS = 3
# A body that stalls for this long is dropped: slow clients must not hold resources of others.
SLOWEST_SECONDS = 30.0
# And the whole body must arrive within this time, however steadily single bytes arrive.
WHOLE_BODY_SECONDS = 120.0


# -- headers -----------------------------------------------------------------------------------------------------------------


def build_security_headers(*, mturk: bool = False, voice: bool = False, own: bool = False) -> list[tuple[bytes, bytes]]:
    """Return the security headers: no foreign or inline content, no framing.

    Studies on Mechanical Turk may be shown in its frame and send it their form. Only a study that records voices may
    ask for the microphone. Plug-ins of jsPsych write style attributes: a study with its own plug-in may have them.
    """
    frames = f"{_TURK} https://*.mturk.com" if mturk else "'none'"
    forms = f"'self' {_TURK}" if mturk else "'self'"
    styles = "'self'; style-src-attr 'unsafe-inline'" if own else "'self'"
    policy = (
        f"default-src 'none'; script-src 'self'; style-src {styles}; img-src 'self' data:; connect-src 'self'; "
        f"font-src 'self'; media-src 'self' data: blob:; base-uri 'none'; form-action {forms}; frame-ancestors {frames}"
    )
    headers = {
        "content-security-policy": policy,
        # These two isolate the page, for which browsers give clocks of 5 µs instead of 100.
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": f"camera=(), geolocation=(), microphone=({'self' if voice else ''}), payment=(), usb=()",
    }
    # It can name no foreign frame; on Mechanical Turk frame-ancestors says all of it.
    if not mturk:
        headers["x-frame-options"] = "DENY"
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def study_headers(study: Study) -> list[tuple[bytes, bytes]]:
    """Return the security headers of the pages of a study."""
    return build_security_headers(
        mturk=study.recruitment.platform == "mturk",
        voice=bool(study.settings.get("voice")) or is_spoken(study.settings),
        own=study.kind.info.plugin == OWN,
    )


class SecureReplies:
    """Adds security headers to every reply; an exception becomes a reply without internal details."""

    def __init__(self, app: ASGIApp, studies: Iterable[Study] = ()) -> None:
        self.app = app
        self._plain = build_security_headers()
        self._study_headers = {study.id: study_headers(study) for study in studies}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Web sockets have no reply that headers could be added to.
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        extra = self._study_headers.get(_study_of(scope["path"]), self._plain)
        begun = False

        async def add_security_headers(message: Message) -> None:
            """Send a message, with security headers if it begins the response."""
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*_forbid_caching(message.get("headers", [])), *extra]
            await send(message)

        try:
            await self.app(scope, receive, add_security_headers)
        except Problem as problem:
            await send_problem(add_security_headers, problem)
        except Exception as error:
            _log.error("a request failed: %s", type(error).__name__, exc_info=error)
            # Half a reply is out: only breaking the connection tells the page that it is not whole.
            if begun:
                raise
            await send_problem(
                add_security_headers,
                Problem(500, "server-error", "Something went wrong here. Your answers are kept; try again."),
            )


def _forbid_caching(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Add a no-store header to replies without a cache header."""
    has = any(name.lower() == b"cache-control" for name, _ in headers)
    return list(headers) if has else [*headers, (b"cache-control", b"no-store")]


def _study_of(path: str) -> str:
    parts = path.split("/", 3)
    return parts[2] if len(parts) > 2 and parts[1] == "s" else ""


async def send_problem(send: Send, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
    """Send a refusal as a whole reply, outside the routes."""
    body = json.dumps(problem.body()).encode()
    more = [(k.encode(), v.encode()) for k, v in (headers or {}).items()]
    start: dict[str, Any] = {"type": "http.response.start", "status": problem.status}
    start["headers"] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    await send(start)
    await send({"type": "http.response.body", "body": body})


# -- sizes and rates ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rate:
    """A bucket per key: `burst` at once, `each_second` in the long run."""

    each_second: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)

    def take(self, key: str, count: int = 1) -> None:
        """Count requests for this key. Raises Problem if its bucket does not hold as many."""
        now = self.clock()
        # Removed and inserted again, so that the first key is the least recently used. Without a lock: all callers are
        # on the event loop.
        left, then = self._buckets.pop(key, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.each_second)
        # A refused request costs nothing: who keeps knocking gets in as soon as the time is over.
        self._buckets[key] = (left - count if left >= count else left, now)
        if len(self._buckets) > KEYS_KEPT:
            self._buckets.popitem(last=False)
        if left < count:
            wait = str(max(1, round((count - left) / self.each_second)))
            raise Problem(429, "too-often", f"Too many requests; try again in {wait} s.", retry_after=int(wait))


@dataclass(frozen=True)
class Limits:
    """`body` in bytes; `session` for everything a signed token does, `doors` for entering, `guesses` for codes and organisers' tokens that were wrong."""

    # An answer with its times has some kilobytes; a piece of sound has to fit as well.
    body: int = 256 * 1024
    _salt: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)
    session: Rate = field(default_factory=lambda: Rate(each_second=20, burst=100))
    doors: Rate = field(default_factory=lambda: Rate(each_second=50, burst=2000))
    guesses: Rate = field(default_factory=lambda: Rate(each_second=0.5, burst=20))
    # Requests that are being answered at one moment.
    at_once: int = MOST_AT_ONCE
    # One address: a class of forty at once, and one more every two minutes.
    places: Rate = field(default_factory=lambda: Rate(each_second=1 / 120, burst=40))

    def take_place(self, address: str) -> None:
        """Count a seat for a client address, kept in memory as a hash.

        The machine's own address is not counted, because clients behind a proxy share it.
        """
        if address and not is_local(address):
            self.places.take(hashlib.sha256(self._salt + address.encode()).hexdigest())


class Crowd:
    """Limits the number of simultaneous requests; further ones get an immediate 503 with a time to retry."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most, self.now = app, most, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.now >= self.most:
            crowded = Problem(
                503,
                "busy",
                "Very many people are here just now. Your answers are kept and will be sent again; please wait.",
            )
            await send_problem(send, crowded, {"retry-after": str(COME_AGAIN_SECONDS)})
            return
        self.now += 1

        async def wait_for_turn() -> Message:
            """Return the next message of the client, and count the request as idle meanwhile."""
            # Waiting for a slow client's body does not block other requests.
            self.now -= 1
            try:
                return await receive()
            finally:
                self.now += 1

        try:
            await self.app(scope, wait_for_turn, send)
        finally:
            self.now -= 1


def is_local(address: str) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return ip_address(address).is_loopback
    except ValueError:  # a test, or a socket without an address
        return True


class _TooLarge(HTTPException):
    """The one kind of exception that the reading of a body lets through."""


class _TooSlow(HTTPException):
    """Raised when a request's body stops arriving."""


class BodyLimit:
    """Refuses bodies over the limit, by the announced and by the received size."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _get_announced_length(scope) > self.limit:
            await send_problem(send, self._refuse_large_body())
            return
        seen = 0
        end = time.monotonic() + WHOLE_BODY_SECONDS

        async def count_bytes() -> Message:
            """Return the next part of a body. Raises an error for slow or large bodies."""
            nonlocal seen
            try:
                left = min(SLOWEST_SECONDS, max(end - time.monotonic(), 0.0))
                message = await asyncio.wait_for(receive(), left)
            except TimeoutError:
                raise _TooSlow(408) from None
            seen += len(message.get("body", b""))
            if seen > self.limit:
                raise _TooLarge(413)
            return message

        await self.app(scope, count_bytes, send)

    def _refuse_large_body(self) -> Problem:
        return Problem(413, "too-large", f"At most {self.limit // 1024} kB can be sent at once.")


def _get_announced_length(scope: Scope) -> int:
    """Return the announced length of a body; 0 without one."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            # A wrong length does no harm: received bytes are counted anyway.
            return int(value) if value.isdigit() else 0
    return 0
