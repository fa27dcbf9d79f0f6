"""Small sounds and films, made on the spot: a tone, and a square that turns from red to blue with a tone beside it."""

from __future__ import annotations

import wave
from math import pi, sin
from pathlib import Path

import av
import numpy as np

RATE = 48_000


def tone(seconds: float, hertz: float = 440.0) -> bytes:
    return b"".join(
        int(8000 * sin(2 * pi * hertz * n / RATE)).to_bytes(2, "little", signed=True)
        for n in range(int(seconds * RATE))
    )


def write_sound(path: Path, seconds: float = 0.4) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(tone(seconds))
    return path


def write_film(
    path: Path, seconds: float = 0.6, rate: int = 25, sound: bool = True, size: tuple[int, int] = (64, 48)
) -> Path:
    """WebM with VP8 and (unless without sound) Opus."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as film:
        picture = film.add_stream("libvpx", rate=rate)
        picture.width, picture.height = size
        picture.pix_fmt = "yuv420p"
        voice = film.add_stream("libopus", rate=RATE) if sound else None
        for n in range(int(seconds * rate)):
            colour = np.zeros((size[1], size[0], 3), np.uint8)
            colour[:, :, 0 if n % 2 else 2] = 255
            film.mux(picture.encode(av.VideoFrame.from_ndarray(colour, format="rgb24")))
        film.mux(picture.encode())
        if voice is not None:
            samples = np.frombuffer(tone(seconds), np.int16).reshape(1, -1)
            heard = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            heard.sample_rate = RATE
            film.mux(voice.encode(heard))
            film.mux(voice.encode())
    return path
