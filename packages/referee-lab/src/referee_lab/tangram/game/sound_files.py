"""Sound as browsers record it (Opus in WebM) and as WAV: made seekable, cut to an interval, or preceded by silence.

A browser writes WebM as it comes, without a duration and without an index, and most players then cannot seek in it. PyAV copies the packets into a new file;
no sound is decoded.
"""

from __future__ import annotations

import io
import wave
from fractions import Fraction
from math import inf

from referee.errors import InputError

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
