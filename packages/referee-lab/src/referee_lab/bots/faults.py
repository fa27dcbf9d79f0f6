"""Simulated network faults.

Requests that never arrive, replies that never come back, packets twice or late, pages reloaded, clocks that are wrong.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import httpx

from referee.catalogue import check_choice

FAULTS = {
    "loss": "a request or its reply is lost: the server may or may not have received it",
    "delay": "a request is delayed",
    "duplicate": "a request arrives twice",
    "reload": "the page is reloaded in the middle of a trial, in a new window",
    "skew": "the device's clock is wrong and drifts",
}
LONGEST_DELAY_S = 0.02
# More than an hour: no time in the data may depend on where a clock began.
FURTHEST_SKEW_MS = 5e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """The kinds of faults, and the share of requests or trials that they affect."""

    kinds: frozenset[str] = frozenset()
    share: float = 0.1

    @classmethod
    def named(cls, names: Iterable[str], share: float = 0.1) -> Faults:
        """Return faults of the named kinds. Raises InputError for an unknown name."""
        chosen = frozenset(names)
        for name in sorted(chosen):
            check_choice("--faults", name, FAULTS)
        return cls(kinds=chosen, share=share)

    def draw_fault(self, kind: str, rng: Random, tally: Counter[str]) -> bool:
        """Return whether this fault happens now, and count it if it does."""
        struck = kind in self.kinds and rng.random() < self.share
        tally[kind] += struck
        return struck

    def draw_clock_skew(self, rng: Random, tally: Counter[str]) -> float:
        """Return the offset of a participant's clock in milliseconds; it counts as one fault."""
        if "skew" not in self.kinds:
            return 0.0
        tally["skew"] += 1
        return rng.uniform(0.0, FURTHEST_SKEW_MS)


class Unreliable(httpx.AsyncBaseTransport):
    """A transport that injects faults into another one; lost requests raise connection errors."""

    def __init__(self, inner: httpx.AsyncBaseTransport, faults: Faults, rng: Random, tally: Counter[str]) -> None:
        self.inner = inner
        self.faults = faults
        self.rng = rng
        self.tally = tally

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request with random delays, losses and repeats."""
        if self.faults.draw_fault("delay", self.rng, self.tally):
            await asyncio.sleep(self.rng.random() * LONGEST_DELAY_S)
        if self.faults.draw_fault("loss", self.rng, self.tally):
            # A lost request and a lost reply look alike to the page, but only after a lost reply the server has acted:
            # idempotence is tested by this.
            if self.rng.random() < 0.5:
                raise httpx.ConnectError("lost on the way to the server", request=request)
            await self._send_copy(request)
            raise httpx.ReadError("the reply was lost", request=request)
        if self.faults.draw_fault("duplicate", self.rng, self.tally):
            await self._send_copy(request)
        return await self._send_copy(request)

    async def _send_copy(self, request: httpx.Request) -> httpx.Response:
        """Send one copy of the request, and return the reply with its whole content."""
        # A request object can be sent once; a repeat needs a second one.
        copy = httpx.Request(request.method, request.url, headers=request.headers, content=request.content)
        reply = await self.inner.handle_async_request(copy)
        await reply.aread()
        return reply
