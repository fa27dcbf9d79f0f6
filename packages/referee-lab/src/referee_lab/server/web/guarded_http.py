"""HTTP with two limits that uvicorn lacks, for studies without a proxy.

The head of a request has a deadline, and one client address has a maximal number of connections.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from referee_lab.server.web.middleware import is_local

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class GuardedHttp(HttpToolsProtocol):
    """uvicorn's own protocol, with a clock on every head.

    Addresses are counted in memory while they are connected, and forgotten then.
    """

    # A head is a few hundred bytes: slower clients only hold a connection (slowloris).
    HEAD_SECONDS: ClassVar[float] = 20.0
    # A class of forty behind one address has six connections each at most.
    MOST_OF_ONE: ClassVar[int] = 400
    _connected: ClassVar[Counter[str]] = Counter()
    _clock: asyncio.TimerHandle | None = None
    _address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of a new connection, and add one to the count of its client address."""
        super().connection_made(transport)
        self._start_clock()
        address = self.client[0] if self.client else ""
        if self._is_counted(address):
            self._address = address
            self._connected[address] += 1
            if self._connected[address] > self.MOST_OF_ONE:
                transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline and the count of a closed connection."""
        self._stop_clock()
        if self._address is not None:
            self._connected[self._address] -= 1
            if not self._connected[self._address]:
                del self._connected[self._address]
            self._address = None
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._start_clock()

    def on_headers_complete(self) -> None:
        self._stop_clock()
        super().on_headers_complete()

    def _is_counted(self, address: str) -> bool:
        """Return whether an address is counted: not the machine's own or a proxy's, which many clients share."""
        trusted: Any = self.config.forwarded_allow_ips or ()
        named = trusted.split(",") if isinstance(trusted, str) else list(trusted)
        return not is_local(address) and "*" not in named and address not in [proxy.strip() for proxy in named]

    def _start_clock(self) -> None:
        """Start the time limit for the head of a request, unless it is running."""
        # Once for a head: a byte now and then does not set it back.
        if self._clock is None:
            self._clock = self.loop.call_later(self.HEAD_SECONDS, self._give_up)

    def _stop_clock(self) -> None:
        """Cancel the deadline of the request's head."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        """Close a connection whose head did not arrive in time."""
        self._clock = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()
