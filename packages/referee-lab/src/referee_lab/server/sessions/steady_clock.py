"""The server's clock.

Starts with the machine's time and then follows its monotonic clock, so that setting the machine's clock ends no
session.
"""

from __future__ import annotations

import time
from collections.abc import Callable

# A store that is ahead by more than this was written by a clock that was wrong then.
LEAP_SECONDS = 86_400.0


def read_clock() -> float:
    """Return monotonic seconds; on Linux they include the time that the machine sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class SteadyClock:
    """Seconds since 1970. `newest` is the latest time in the store.

    If it is ahead of the machine's clock, time continues from there.
    """

    def __init__(
        self, newest: float = 0.0, wall: Callable[[], float] = time.time, tick: Callable[[], float] = read_clock
    ) -> None:
        now = wall()
        self._begin = newest if now < newest < now + LEAP_SECONDS else now
        self._tick = tick
        self._first = tick()

    def __call__(self) -> float:
        return self._begin + (self._tick() - self._first)
