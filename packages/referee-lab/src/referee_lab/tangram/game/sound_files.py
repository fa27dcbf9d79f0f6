"""The sounds of a recording, as WebM (Opus) or WAV: made seekable, cut to an interval, or preceded by silence.

A browser writes WebM as it comes, without a duration and without an index, and most players then cannot seek in it. PyAV copies the packets into a new file;
no sound is decoded.
"""

from __future__ import annotations

import io
import wave
from base64 import b64encode
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from referee.errors import InputError
from referee_lab.tangram.game.log import LogEntry, Recording, iterate_timeline, number_connections

SOUND_KINDS = {
    ".webm": "audio/webm",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".mp3": "audio/mpeg",
    ".mp4": "audio/mp4",
}
WEBM, WAV = b"\x1a\x45\xdf\xa3", b"RIFF"
# A packet of Opus that holds 20 ms of silence (RFC 6716, 3.1).
SILENCE, SILENCE_MS = b"\xf8\xff\xfe", 20
MILLISECOND = Fraction(1, 1000)  # the unit of time of WebM, unless a file says otherwise
FORM = {"fflags": "+bitexact"}  # no random identifiers: the same packets are the same bytes


def index_sound(content: bytes) -> bytes:
    """Return a browser's recording with its duration and an index.

    Anything that is not sound in WebM is returned unchanged.
    """
    import av

    if content[:4] != WEBM:
        return content
    try:
        return _copy_packets(content)
    except (av.FFmpegError, IndexError):  # nothing that PyAV can read, or no sound in it
        return content


def cut_sound(content: bytes, start_ms: float, end_ms: float, where: str) -> bytes:
    """Return the sound between two times as a file that begins at 0."""
    if content[:4] == WAV:
        return _cut_wav(content, start_ms, end_ms)
    _require_webm(content, "a stretch can be cut from WebM and WAV only", where)
    return _copy_packets(content, start_ms=start_ms, end_ms=end_ms)


def delay_sound(content: bytes, by_ms: float, where: str) -> bytes:
    """Return the sound with so much silence before it."""
    if content[:4] == WAV:
        return _delay_wav(content, by_ms)
    _require_webm(content, "silence can be put before WebM and WAV only", where)
    return _copy_packets(content, silence_ms=by_ms)


def _require_webm(content: bytes, problem: str, where: str) -> None:
    if content[:4] != WEBM:
        raise InputError(problem, where=where, remedy="convert the sound to WAV")


# -- WAV -------------------------------------------------------------------------------------------------------------------


def _cut_wav(content: bytes, start_ms: float, end_ms: float) -> bytes:
    """Return part of a WAV file."""
    with wave.open(io.BytesIO(content)) as file:
        first, last = (min(round(t * file.getframerate() / 1000), file.getnframes()) for t in (start_ms, end_ms))
        file.setpos(first)
        return _format_wav(file, file.readframes(max(last - first, 0)))


def _delay_wav(content: bytes, by_ms: float) -> bytes:
    """Return a WAV file with silence before it."""
    with wave.open(io.BytesIO(content)) as file:
        silence = bytes(round(by_ms * file.getframerate() / 1000) * file.getnchannels() * file.getsampwidth())
        return _format_wav(file, silence + file.readframes(file.getnframes()))


def _format_wav(like: wave.Wave_read, frames: bytes) -> bytes:
    """Return frames as a WAV file with the format of another."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((like.getnchannels(), like.getsampwidth(), like.getframerate(), 0, "NONE", ""))
        file.writeframes(frames)
    return out.getvalue()


# -- WebM ------------------------------------------------------------------------------------------------------------------


def _copy_packets(content: bytes, start_ms: float = 0.0, end_ms: float = inf, silence_ms: float = 0.0) -> bytes:
    """Return a WebM file with the packets between two times, after the given silence."""
    import av

    out = io.BytesIO()
    with av.open(io.BytesIO(content), "r") as source, av.open(out, "w", format="webm", options=FORM) as target:
        sound = source.streams.audio[0]
        copy = target.add_stream_from_template(sound)
        tick_ms = 1000 * float(sound.time_base or MILLISECOND)
        for t_ms in range(0, round(silence_ms), SILENCE_MS):
            silent = av.Packet(SILENCE)
            silent.pts = silent.dts = round(t_ms / tick_ms)
            silent.time_base, silent.stream = sound.time_base or MILLISECOND, copy
            target.mux(silent)
        for packet in source.demux(sound):
            # The last one is empty. An encoder's delay puts the first packet before 0.
            if packet.pts is not None and start_ms <= max(packet.pts * tick_ms, 0.0) < end_ms:
                packet.pts = packet.dts = packet.pts + round((silence_ms - start_ms) / tick_ms)
                packet.stream = copy
                target.mux(packet)
    return out.getvalue()


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
    for connection, t_ms, entry in _iterate_timed_entries(recording):
        if entry.kind == "voice" and "part" in entry.data:
            key = (entry.actor, int(entry.data["part"]))
            chunks_by_file.setdefault(key, []).append((connection, t_ms, entry))
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


def _iterate_timed_entries(recording: Recording) -> Iterator[tuple[int, float, LogEntry]]:
    """Yield entries with their connection numbers and times."""
    timeline = zip(number_connections(recording.entries), iterate_timeline(recording), strict=True)
    return ((connection, t_ms, entry) for (connection, entry), (t_ms, _) in timeline)


def estimate_clock_offsets(recording: Recording) -> dict[tuple[str, int], float]:
    """Return game time minus the speaker's clock for each connection, from entries with both times."""
    differences_by_connection: dict[tuple[str, int], list[float]] = {}
    for connection, t_ms, entry in _iterate_timed_entries(recording):
        if entry.t_client_ms is not None and entry.kind != "voice":
            differences_by_connection.setdefault((entry.actor, connection), []).append(t_ms - entry.t_client_ms)
    return {key: median(differences) for key, differences in differences_by_connection.items()}
