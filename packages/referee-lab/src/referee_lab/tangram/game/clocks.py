"""Synchronises the players' clocks with the server's by pings (after the open issue of KTH Tangrams).

A server sees when a message arrived, not when a hand moved. Each ping estimates the offset of a player's clock,
accurate to half its round trip; for each connection the quickest ping is used. Without pings, the time of arrival is
used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee_lab.tangram.game.log import LogEntry, Recording


def iterate_timeline(recording: Recording) -> Iterator[tuple[float, LogEntry]]:
    """Yield the entries in order, each with its time in milliseconds since the start of the game."""
    start = next((e.t_server_ms for e in recording.entries if e.kind == "start"), 0.0)
    offsets = _estimate_offsets(recording.entries)
    connection: dict[str, int] = {}
    for entry in recording.entries:
        # A new connection may be a page that was loaded again, whose clock starts anew.
        if entry.kind == "reconnect":
            connection[entry.actor] = connection.get(entry.actor, 0) + 1
        offset = offsets.get((entry.actor, connection.get(entry.actor, 0)))
        yield _compute_time(entry, offset) - start, entry


def _compute_time(entry: LogEntry, offset: float | None) -> float:
    """Return the time of an entry on the server's clock, at most its time of arrival."""
    if entry.t_client_ms is None or offset is None:
        return entry.t_server_ms
    # An estimate may overshoot; nothing happens after it has arrived.
    return min(entry.t_client_ms + offset, entry.t_server_ms)


def _estimate_offsets(entries: tuple[LogEntry, ...]) -> dict[tuple[str, int], float]:
    """Return the server's clock minus the player's, for each connection, from its quickest ping."""
    connection: dict[str, int] = {}
    best: dict[tuple[str, int], tuple[float, float]] = {}
    for entry in entries:
        if entry.kind == "reconnect":
            connection[entry.actor] = connection.get(entry.actor, 0) + 1
        elif entry.kind == "clock":
            sent, received, server = (entry.data[name] for name in ("sent_ms", "received_ms", "server_ms"))
            key = (entry.actor, connection.get(entry.actor, 0))
            # Both ways are taken to last equally long; the error is at most half the round trip.
            ping = (received - sent, server - (sent + received) / 2)
            best[key] = min(best.get(key, ping), ping)
    return {key: offset for key, (_, offset) in best.items()}
