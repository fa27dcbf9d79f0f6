"""How fast a model is asked: so many questions and tokens a minute, so many at once, fewer when the server is busy, and pauses that do not fall together."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

from referee.switchboard import rest

__all__ = ["Gate", "Pace", "Stopped", "pause_asked_for", "tokens_guessed"]

# Where a halving is under way, further complaints of the same moment say nothing new.
ONE_COMPLAINT_S = 1.0
# People's and models' answers here are short; what was really used is settled afterwards.
ANSWER_TOKENS = 100
# Pauses are short naps, so that whoever is told to stop hears it; and who waits for a turn looks so often.
NAP_S, TURN_S = 0.05, 0.02


class Stopped(Exception):
    """The work was ended while a question waited for its turn."""


@dataclass
class Pace:
    """Turns to ask: `per_minute` questions and `tokens_per_minute` tokens (0: no limit), evenly spread."""

    per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _next_question: float = field(default=0.0, init=False, repr=False)
    _next_tokens: float = field(default=0.0, init=False, repr=False)

    def wait_for_turn(self, tokens: int) -> None:
        """Take the next free turn and wait for it; only the booking is locked, so others book theirs meanwhile."""
        if self.per_minute <= 0 and self.tokens_per_minute <= 0:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_question, self._next_tokens)
            if self.per_minute > 0:
                self._next_question = turn + 60.0 / self.per_minute
            if self.tokens_per_minute > 0:
                self._next_tokens = turn + 60.0 * tokens / self.tokens_per_minute
        self.pause(turn - now)

    def settle(self, guessed: int, used: int) -> None:
        """What a question really took, in place of what was guessed."""
        if self.tokens_per_minute > 0 and used:
            with self._lock:
                self._next_tokens += 60.0 * (used - guessed) / self.tokens_per_minute

    def pause(self, seconds: float) -> None:
        """Sleep, unless the work is stopped meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.stop.is_set():
                raise Stopped
            rest(min(left, NAP_S))


@dataclass
class Gate:
    """At most `most` questions at once; half as many when the server complains, and slowly more again when it answers."""

    most: int
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _limit: float = field(default=0.0, init=False, repr=False)
    _busy: int = field(default=0, init=False, repr=False)
    _complained: float = field(default=float("-inf"), init=False, repr=False)

    def __post_init__(self) -> None:
        self._limit = float(max(1, self.most))

    @property
    def limit(self) -> int:
        return max(1, int(self._limit))

    def __enter__(self) -> None:
        while True:
            with self._lock:
                if self._busy < self.limit:
                    self._busy += 1
                    return
            rest(TURN_S)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._busy -= 1

    def complain(self) -> None:
        with self._lock:
            if time.monotonic() - self._complained > ONE_COMPLAINT_S:
                self._complained = time.monotonic()
                self._limit = max(1.0, self._limit / 2)

    def praise(self) -> None:
        # Read without the lock: most of the time nothing was ever halved.
        if self._limit < self.most:
            with self._lock:
                self._limit = min(float(self.most), self._limit + 1 / self._limit)


def spread_out(seconds: float, lots: Random) -> float:
    """A pause between half and one and a half of it: askers that failed together should not come back together."""
    return seconds * (0.5 + lots.random())


def pause_asked_for(headers: Mapping[str, str]) -> float | None:
    """The pause that a server asks for: Retry-After as seconds or as a date, or retry-after-ms; nonsense is ignored."""
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


def tokens_guessed(body: bytes) -> int:
    """A rough number of tokens before anybody has counted them: four bytes each, pictures aside, and a short answer."""
    return min(len(body), 40_000) // 4 + ANSWER_TOKENS
