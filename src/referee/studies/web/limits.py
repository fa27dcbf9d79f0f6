"""How much may be sent and how often, without looking at anyone's address: bodies have a size, sessions and open doors have a rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.studies.sessions.refusals import Problem
from referee.studies.web.headers import send_problem

__all__ = ["BodyLimit", "Limits", "Rate"]

KEYS_KEPT = 20_000


@dataclass(frozen=True)
class Rate:
    """A bucket per key: `burst` at once, `each_second` in the long run."""

    each_second: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict, repr=False)

    def take(self, key: str, count: int = 1) -> None:
        """One more for this key, or several at once; refused when its bucket does not hold them."""
        now = self.clock()
        left, then = self._buckets.pop(key, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.each_second)
        self._buckets[key] = (left - count if left >= count else left, now)
        if len(self._buckets) > KEYS_KEPT:
            self._buckets.popitem(last=False)
        if left < count:
            wait = str(max(1, round((count - left) / self.each_second)))
            raise Problem(429, "too-often", f"Too many requests; try again in {wait} s.", retry_after=int(wait))


@dataclass(frozen=True)
class Limits:
    """`body` in bytes; `session` for everything a signed token does, `doors` for entering, `guesses` for codes and organisers' tokens that were wrong."""

    body: int = 256 * 1024
    session: Rate = field(default_factory=lambda: Rate(each_second=20, burst=100))
    doors: Rate = field(default_factory=lambda: Rate(each_second=50, burst=2000))
    guesses: Rate = field(default_factory=lambda: Rate(each_second=0.5, burst=20))


class _TooLarge(HTTPException):
    """The one kind of exception that the reading of a body lets through."""


class BodyLimit:
    """Refuses bodies over the limit: by what they announce, and by what really comes."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _announced(scope) > self.limit:
            await send_problem(send, self._too_large())
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.limit:
                raise _TooLarge(413)
            return message

        await self.app(scope, counted, send)

    def _too_large(self) -> Problem:
        return Problem(413, "too-large", f"At most {self.limit // 1024} kB can be sent at once.")


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0
