"""Small sounds and films, made on the spot: a tone, and a square that turns from red to blue with a tone beside it."""

from __future__ import annotations

import json
import wave
from dataclasses import replace
from math import pi, sin
from pathlib import Path
from typing import Any

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


def run_with_media(folder: Path, ending: str, **more: Any) -> Path:
    """A run of four trials whose one system is heard, or watched where the ending is that of a film; its files are in the folder's `media`."""
    from referee.cli import main
    from referee.corpora.jsonl import trial_to_json, write_json_line
    from referee.corpora.synthetic.corpus import Synthetic

    trials = [replace(t, **more) for t in list(Synthetic(seed=1, speakers=1, scenes=4).trials())[:4]]
    folder.mkdir(exist_ok=True)
    corpus, outputs, run = folder / "corpus.jsonl", folder / "v.jsonl", folder / "run"
    corpus.write_text("\n".join(write_json_line(trial_to_json(t)) for t in trials), "utf-8")
    lines = [{"trial": t.id, "system": "v", "text": "the one", "media": f"{n}{ending}"} for n, t in enumerate(trials)]
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    for line in lines:
        (write_film if ending == ".webm" else write_sound)(folder / "media" / line["media"], 0.3)
    assert main(["score", str(outputs), "--corpus", str(corpus), "--metrics", "string/edit", "--out", str(run)]) == 0
    return run
