"""Sound of the people in a room, as files beside the store: each piece written once, all of somebody's deleted when their data are (rules 1 and 11)."""

from __future__ import annotations

import os
from pathlib import Path

from referee.studies.sessions.refusals import Problem

__all__ = ["forget_sound", "keep_sound", "sound_path"]


def sound_path(folder: Path, room: str, alias: str, chunk: int) -> Path:
    return folder / "data" / "voice" / room / f"{alias}-{chunk:05d}.webm"


def keep_sound(path: Path, content: bytes) -> bool:
    """True when the piece is new; refused when another one has its number."""
    if path.exists():
        if path.read_bytes() != content:
            raise Problem(409, "already-there", "Another piece of sound has this number; the first stays.")
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        # On the disk before it is acknowledged, like every answer.
        os.fsync(file.fileno())
    unfinished.replace(path)
    return True


def forget_sound(folder: Path, alias: str) -> int:
    """Delete everything that was recorded of somebody; how many pieces it was."""
    # Aliases hold hyphens, so the last one is the one before the number.
    found = [path for path in (folder / "data" / "voice").glob("*/*") if path.name.rpartition("-")[0] == alias]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)
