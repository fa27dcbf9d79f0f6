"""The sounds of a recording: files, speakers, and their start times in the game.

Every puzzle has a file per person (more after a reload of the page), named after the session. The log has the start of
each file's first chunk on the speaker's clock; pings convert it to the server's, so that sound and board are
synchronous. Converted files (`.wav` for `.webm`) are found too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from referee_lab.tangram.game.clocks import iterate_timeline
from referee_lab.tangram.game.log import LogEntry, Recording
from referee_lab.tangram.game.sound_files import SOUND_KINDS, cut_sound


class RecordedSound(NamedTuple):
    """A file, whose it is, and where it begins and ends in milliseconds since the start of the game."""

    name: str
    actor: str
    role: str
    start_ms: float
    end_ms: float


class SoundStretch(NamedTuple):
    """A stretch of one speaker's sound: speaker, start and end in the game, content and file type (`.webm`)."""

    by: str
    start_ms: float
    end_ms: float
    content: bytes
    ending: str


def make_sound_name(recording: Recording, actor: str, part: int) -> str:
    return f"{recording.header.session}.{actor}-{part:05d}.webm"


def list_recorded_sounds(recording: Recording) -> list[RecordedSound]:
    """Return the files of a recording in order of their beginnings.

    All chunks of a file have the clock of one page: that of any connection with a ping, else that of their arrival.
    """
    offsets = estimate_clock_offsets(recording)
    chunks_by_file: dict[tuple[str, int], list[tuple[int, float, LogEntry]]] = {}
    for chunk in _number_connections(recording):
        entry = chunk[-1]
        if entry.kind == "voice" and "part" in entry.data:
            chunks_by_file.setdefault((entry.actor, int(entry.data["part"])), []).append(chunk)
    sounds = []
    for (actor, part), chunks in chunks_by_file.items():
        by_ping = (offsets[key] for connection, _, _ in chunks if (key := (actor, connection)) in offsets)
        offset = next(by_ping, min(t_ms - float(entry.data["end_ms"]) for _, t_ms, entry in chunks))
        start, end = (
            pick(float(entry.data[name]) for _, _, entry in chunks) + offset
            for pick, name in ((min, "start_ms"), (max, "end_ms"))
        )
        role = recording.header.players.get(actor, actor)
        sounds.append(
            RecordedSound(make_sound_name(recording, actor, part), actor, role, round(start, 1), round(end, 1))
        )
    return sorted(sounds, key=lambda sound: (sound.start_ms, sound.name))


def find_sounds(recording: Recording, folder: Path) -> list[tuple[RecordedSound, Path]]:
    """Return the sounds of a recording that are in a folder, each with its file."""
    sounds = []
    for sound in list_recorded_sounds(recording):
        places = ((folder / sound.name).with_suffix(ending) for ending in SOUND_KINDS)
        file = next((place for place in places if place.is_file()), None)
        if file is not None:
            sounds.append((sound, file))
    return sounds


def cut_sounds(recording: Recording, folder: Path, start_ms: float, end_ms: float) -> list[SoundStretch]:
    """Return the sound between two times, cut so that nothing later is included."""
    stretches = []
    for sound, file in find_sounds(recording, folder):
        start, end = max(sound.start_ms, start_ms), min(sound.end_ms, end_ms)
        if start < end:
            content = cut_sound(file.read_bytes(), start - sound.start_ms, end - sound.start_ms, str(file))
            stretches.append(SoundStretch(sound.role, round(start, 1), round(end, 1), content, file.suffix))
    return stretches


def embed_sounds(recording: Recording, folder: Path) -> list[dict[str, Any]]:
    """Return the sounds in a folder as data for a self-contained page."""
    return [
        {
            "by": sound.role,
            "start_ms": sound.start_ms,
            "end_ms": sound.end_ms,
            "src": f"data:{SOUND_KINDS[file.suffix]};base64,{b64encode(file.read_bytes()).decode()}",
        }
        for sound, file in find_sounds(recording, folder)
    ]


def _number_connections(recording: Recording) -> Iterator[tuple[int, float, LogEntry]]:
    """Yield entries with their times and connection numbers; a reloaded page has a new clock."""
    number: dict[str, int] = {}
    for t_ms, entry in iterate_timeline(recording):
        if entry.kind == "reconnect":
            number[entry.actor] = number.get(entry.actor, 0) + 1
        yield number.get(entry.actor, 0), t_ms, entry


def estimate_clock_offsets(recording: Recording) -> dict[tuple[str, int], float]:
    """Return game time minus the speaker's clock for each connection, from entries with both times."""
    differences_by_connection: dict[tuple[str, int], list[float]] = {}
    for connection, t_ms, entry in _number_connections(recording):
        if entry.t_client_ms is not None and entry.kind != "voice":
            differences_by_connection.setdefault((entry.actor, connection), []).append(t_ms - entry.t_client_ms)
    return {key: median(differences) for key, differences in differences_by_connection.items()}
