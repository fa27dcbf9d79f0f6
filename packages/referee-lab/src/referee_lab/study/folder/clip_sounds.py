"""Recordings in a study's clips: files in the study's folder under neutral names, and their addresses for the pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.files import FOR_OWNER, write_bytes
from referee_lab.tangram.game.sound_files import SOUND_KINDS

FOLDER = "sounds"


def write_clip_sounds(folder: Path, sounds: Mapping[str, bytes]) -> None:
    """Write the sounds of a study's clips into its folder."""
    for name, content in sounds.items():
        (folder / FOLDER).mkdir(exist_ok=True)
        write_bytes(folder / FOLDER / name, [content], FOR_OWNER)


def find_clip_sound(folder: Path, name: str) -> tuple[Path, str] | None:
    """Return the file of a sound and its media type; None if the study has no sound of that name."""
    path = folder / FOLDER / name
    kind = SOUND_KINDS.get(path.suffix)
    return (path, kind) if kind is not None and path.is_file() else None


def add_addresses(film: Mapping[str, Any], base_url: str) -> dict[str, Any]:
    """Return a clip with the server's addresses of its sounds."""
    if "sounds" not in film:
        return dict(film)
    return {**film, "sounds": [{**sound, "src": f"{base_url}/sounds/{sound['src']}"} for sound in film["sounds"]]}
