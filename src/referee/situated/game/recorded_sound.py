"""The sound of a recording: which files there are, whose voice is in them, and when in the game they begin.

Every puzzle has a file for each person (more where a page was loaded again), named after the session. The log says when the first piece of a file was begun by
the speaker's own clock; pings lay that clock on the server's, so that sound and board run together.
"""

from __future__ import annotations

from typing import NamedTuple

from referee.situated.game.clocks import timeline
from referee.situated.game.log import Recording

__all__ = ["RecordedSound", "recorded_sounds", "sound_name"]


class RecordedSound(NamedTuple):
    """A file, whose it is, and where it begins and ends in milliseconds since the start of the game."""

    name: str
    actor: str
    role: str
    start_ms: float
    end_ms: float


def sound_name(recording: Recording, actor: str, part: int) -> str:
    return f"{recording.header.session}.{actor}-{part:05d}.webm"


def recorded_sounds(recording: Recording) -> list[RecordedSound]:
    """The files of a recording in order of their beginnings."""
    offsets = _offsets(recording)
    found: dict[tuple[str, int], tuple[float, float]] = {}
    for entry in recording.entries:
        if entry.kind != "voice" or "part" not in entry.data:
            continue
        key = (entry.actor, int(entry.data["part"]))
        offset = offsets.get(entry.actor, 0.0)
        begin, end = float(entry.data["start_ms"]) + offset, float(entry.data["end_ms"]) + offset
        before = found.get(key, (begin, end))
        found[key] = (min(before[0], begin), max(before[1], end))
    roles = recording.header.players
    sounds = [
        RecordedSound(
            sound_name(recording, actor, part), actor, roles.get(actor, actor), round(start, 1), round(end, 1)
        )
        for (actor, part), (start, end) in found.items()
    ]
    return sorted(sounds, key=lambda sound: (sound.start_ms, sound.name))


def _offsets(recording: Recording) -> dict[str, float]:
    """Time in the game minus the speaker's own clock, from any entry that has both."""
    found = {}
    for t_ms, entry in timeline(recording):
        if entry.t_client_ms is not None and entry.kind != "voice":
            found[entry.actor] = t_ms - entry.t_client_ms
    return found
