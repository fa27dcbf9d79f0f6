"""Rate limits of model calls.

Requests and tokens per minute, simultaneous requests (fewer while the server is busy), and pauses with jitter.

Everything runs on the event loop of `http_client`, so no lock is needed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

# Complaints within this time after the limit was halved are the same complaint.
ONE_COMPLAINT_S = 1.0
# Answers here are short; the tokens that were really used are settled afterwards.
ANSWER_TOKENS = 100


class Stopped(Exception):
    """The work was stopped while a question waited for its turn."""


@dataclass
class RateLimit:
    """Turns to ask: `per_minute` questions and `tokens_per_minute` tokens (0: no limit), evenly spread."""

    per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    stopped: asyncio.Event = field(default_factory=asyncio.Event, init=False, repr=False)
    _next_question: float = field(default=0.0, init=False, repr=False)
    _next_tokens: float = field(default=0.0, init=False, repr=False)

    async def wait_for_turn(self, tokens: int) -> None:
        """Book the next free turn and wait for it."""
        if self.per_minute <= 0 and self.tokens_per_minute <= 0:
            return
        now = time.monotonic()
        turn = max(now, self._next_question, self._next_tokens)
        if self.per_minute > 0:
            self._next_question = turn + 60.0 / self.per_minute
        if self.tokens_per_minute > 0:
            self._next_tokens = turn + 60.0 * tokens / self.tokens_per_minute
        await self.pause(turn - now)

    def settle(self, estimate: int, used: int) -> None:
        """Replace the estimated tokens of a question by the actual ones."""
        if self.tokens_per_minute > 0 and used:
            self._next_tokens += 60.0 * (used - estimate) / self.tokens_per_minute

    async def pause(self, seconds: float) -> None:
        """Sleep; raises Stopped if the work is stopped meanwhile."""
        if seconds <= 0:
            return
        try:
            await asyncio.wait_for(self.stopped.wait(), seconds)
        except TimeoutError:
            return
        raise Stopped


@dataclass
class ConcurrencyLimit:
    """At most `most` questions at once.

    Half as many when the server complains, and slowly more again when it answers.
    """

    most: int
    _limit: float = field(default=0.0, init=False, repr=False)
    _active: int = field(default=0, init=False, repr=False)
    _complained: float = field(default=float("-inf"), init=False, repr=False)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition, init=False, repr=False)

    def __post_init__(self) -> None:
        self._limit = float(max(1, self.most))

    @property
    def limit(self) -> int:
        return max(1, int(self._limit))

    async def __aenter__(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._active < self.limit)
            self._active += 1

    async def __aexit__(self, *error: object) -> None:
        async with self._changed:
            self._active -= 1
            self._changed.notify_all()

    def lower(self) -> None:
        """Halve the limit, once for all complaints within one moment."""
        if time.monotonic() - self._complained > ONE_COMPLAINT_S:
            self._complained = time.monotonic()
            self._limit = max(1.0, self._limit / 2)

    def raise_again(self) -> None:
        """Let the limit grow by one after as many answers as it allows at once."""
        self._limit = min(float(self.most), self._limit + 1 / self._limit)


def add_jitter(seconds: float, random: Random) -> float:
    """Return a pause between half and one and a half of it, so that clients that failed together retry at different
    times.
    """
    return seconds * (0.5 + random.random())


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the pause that a server asks for: Retry-After as seconds or date, or retry-after-ms.

    None where it is absent or malformed.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        when = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def estimate_tokens(body: bytes) -> int:
    """Estimate the tokens of a question: four bytes each, pictures aside, and a short answer."""
    return min(len(body), 40_000) // 4 + ANSWER_TOKENS
