"""Sound as browsers record it (Opus in WebM) and as WAV: made whole so that players can jump in it, cut to a stretch, or given silence at its beginning.

A browser writes WebM as it comes, without a length and without an index, and most players then cannot go to a time. Here the frames are only packed anew, and
no sound is decoded. The elements are those of the Matroska specification (RFC 9559).
"""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.errors import InputError

__all__ = ["SOUND_KINDS", "cut_sound", "delay_sound", "whole_sound"]

SOUND_KINDS = {
    ".webm": "audio/webm",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".mp3": "audio/mpeg",
    ".mp4": "audio/mp4",
}
_EBML, _SEGMENT, _INFO, _TRACKS, _CLUSTER = 0x1A45DFA3, 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675
_TIME, _SIMPLE, _GROUP, _BLOCK = 0xE7, 0xA3, 0xA0, 0xA1
_SCALE, _DURATION, _MUXER, _WRITER = 0x2AD7B1, 0x4489, 0x4D80, 0x5741
_CUES, _POINT, _CUE_TIME, _CUE_PLACE, _CUE_TRACK, _CUE_CLUSTER = 0x1C53BB6B, 0xBB, 0xB3, 0xB7, 0xF7, 0xF1
# A frame of Opus that holds 20 ms of silence: its first byte says so (RFC 6716, 3.1), the rest is a silent frame.
_SILENCE, _SILENCE_MS = b"\x00\xf8\xff\xfe", 20
_CLUSTER_MS, _FRAME_MS = 5_000, 60


class _Frame(NamedTuple):
    """A piece of sound: when it begins in milliseconds, its track, and what it holds after a byte that says how it is laced."""

    t_ms: int
    track: int
    content: bytes


class _Webm(NamedTuple):
    header: bytes
    tracks: bytes
    frames: list[_Frame]


def whole_sound(content: bytes) -> bytes:
    """A recording of a browser with its length and an index; anything that is not WebM stays as it is."""
    found = _parse(content)
    return content if found is None else _pack(found, found.frames)


def cut_sound(content: bytes, start_ms: float, end_ms: float, where: str) -> bytes:
    """The stretch between two times, as a file of its own that begins at 0."""
    if content[:4] == b"RIFF":
        return _cut_wav(content, start_ms, end_ms)
    found = _parse(content)
    if found is None:
        raise InputError("a stretch can be cut from WebM and WAV only", where=where, remedy="convert the sound to WAV")
    kept = [f._replace(t_ms=round(f.t_ms - start_ms)) for f in found.frames if start_ms <= f.t_ms < end_ms]
    return _pack(found, kept)


def delay_sound(content: bytes, by_ms: float, where: str) -> bytes:
    """The sound with so much silence before it."""
    if content[:4] == b"RIFF":
        return _delay_wav(content, by_ms)
    found = _parse(content)
    if found is None or not found.frames:
        raise InputError("silence can be put before WebM and WAV only", where=where, remedy="convert the sound to WAV")
    track = found.frames[0].track
    silence = [_Frame(t, track, _SILENCE) for t in range(0, round(by_ms), _SILENCE_MS)]
    return _pack(found, [*silence, *(f._replace(t_ms=f.t_ms + round(by_ms)) for f in found.frames)])


# -- WAV -------------------------------------------------------------------------------------------------------------------


def _cut_wav(content: bytes, start_ms: float, end_ms: float) -> bytes:
    with wave.open(io.BytesIO(content)) as file:
        first, last = (min(round(t * file.getframerate() / 1000), file.getnframes()) for t in (start_ms, end_ms))
        file.setpos(first)
        return _wav(file, file.readframes(max(last - first, 0)))


def _delay_wav(content: bytes, by_ms: float) -> bytes:
    with wave.open(io.BytesIO(content)) as file:
        silence = bytes(round(by_ms * file.getframerate() / 1000) * file.getnchannels() * file.getsampwidth())
        return _wav(file, silence + file.readframes(file.getnframes()))


def _wav(like: wave.Wave_read, frames: bytes) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((like.getnchannels(), like.getsampwidth(), like.getframerate(), 0, "NONE", ""))
        file.writeframes(frames)
    return out.getvalue()


# -- reading WebM ----------------------------------------------------------------------------------------------------------


def _parse(content: bytes) -> _Webm | None:
    """What is in a WebM file, as far as it goes: a last element that is torn is left out. None for anything else."""
    if content[:4] != b"\x1a\x45\xdf\xa3":
        return None
    header, tracks, frames, scale, cluster = b"", b"", list[_Frame](), 1_000_000, 0
    for kind, start, end, place in _elements(content):
        if kind == _EBML:
            header = content[place:end]
        elif kind == _TRACKS:
            tracks = content[place:end]
        elif kind == _SCALE:
            scale = int.from_bytes(content[start:end])
        elif kind == _TIME:
            cluster = int.from_bytes(content[start:end])
        elif kind in (_SIMPLE, _BLOCK):
            track, start = _number(content, start)
            (after,) = struct.unpack(">h", content[start : start + 2])
            frames.append(
                _Frame(
                    round((cluster + after) * scale / 1e6),
                    track,
                    bytes([content[start + 2] & 0x06]) + content[start + 3 : end],
                )
            )
    return _Webm(header, tracks, frames) if header and tracks else None


def _elements(content: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Kind, start and end of the content, and the place of every element; into segments, clusters and what holds frames it goes down."""
    place = 0
    while place < len(content):
        try:
            kind, after = _number(content, place, marked=True)
            size, start = _number(content, after)
        except IndexError:
            return
        unknown = size == (1 << 7 * (start - after)) - 1
        if kind in (_SEGMENT, _CLUSTER, _GROUP, _INFO):
            # Whatever they hold follows; where they end is seen by what comes next.
            place = start
            continue
        if unknown or start + size > len(content):
            return
        yield kind, start, start + size, place
        place = start + size


def _number(content: bytes, place: int, marked: bool = False) -> tuple[int, int]:
    """A number of variable length, and what follows it; `marked` keeps the bit that tells the length, as kinds of elements do."""
    first = content[place]
    length = 9 - first.bit_length()
    if length > 8:
        raise IndexError
    value = int.from_bytes(content[place : place + length])
    if place + length > len(content):
        raise IndexError
    return (value if marked else value & ((1 << 7 * length) - 1)), place + length


# -- writing WebM ----------------------------------------------------------------------------------------------------------


def _pack(source: _Webm, frames: Sequence[_Frame]) -> bytes:
    """A file with its length first, then an index, then the frames in clusters."""
    length = float(frames[-1].t_ms + _FRAME_MS) if frames else 0.0
    info = _element(
        _INFO,
        _whole(_SCALE, 1_000_000),
        _element(_DURATION, struct.pack(">d", length)),
        _element(_MUXER, b"referee"),
        _element(_WRITER, b"referee"),
    )
    clusters = [_cluster(group) for group in _groups(frames)]
    times = [group[0].t_ms for group in _groups(frames)]
    track = frames[0].track if frames else 1
    # All numbers of the index have the same length, so that it is as long before its places are known as after.
    places, place = [], len(info) + len(source.tracks) + len(_cues(times, [0] * len(times), track))
    for cluster in clusters:
        places.append(place)
        place += len(cluster)
    return source.header + _element(_SEGMENT, info, source.tracks, _cues(times, places, track), *clusters)


def _groups(frames: Sequence[_Frame]) -> list[list[_Frame]]:
    found: list[list[_Frame]] = []
    for frame in frames:
        if not found or frame.t_ms - found[-1][0].t_ms >= _CLUSTER_MS:
            found.append([])
        found[-1].append(frame)
    return found


def _cluster(group: Sequence[_Frame]) -> bytes:
    first = group[0].t_ms
    blocks = (
        _element(
            _SIMPLE, bytes([0x80 | f.track]), struct.pack(">hB", f.t_ms - first, 0x80 | f.content[0]), f.content[1:]
        )
        for f in group
    )
    return _element(_CLUSTER, _whole(_TIME, first), *blocks)


def _cues(times: Sequence[int], places: Sequence[int], track: int) -> bytes:
    if not times:
        return b""
    points = (
        _element(
            _POINT,
            _whole(_CUE_TIME, time),
            _element(_CUE_PLACE, _whole(_CUE_TRACK, track), _whole(_CUE_CLUSTER, place)),
        )
        for time, place in zip(times, places, strict=True)
    )
    return _element(_CUES, *points)


def _whole(kind: int, value: int) -> bytes:
    return _element(kind, max(value, 0).to_bytes(8))


def _element(kind: int, *content: bytes) -> bytes:
    held = b"".join(content)
    size = (len(held) | 1 << 56).to_bytes(8)
    return kind.to_bytes((kind.bit_length() + 7) // 8) + size + held
