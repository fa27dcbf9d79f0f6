"""Recordings in a study's clips: files in the study's folder under neutral names, and their addresses for the pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.files import FOR_OWNER, write_bytes
from referee_lab.tangram.game.sound_files import SOUND_KINDS

FOLDER = "sounds"


def keep_clip_sounds(folder: Path, sounds: Mapping[str, bytes]) -> None:
    """Write the sounds of a study's clips into its folder."""
    for name, content in sounds.items():
        (folder / FOLDER).mkdir(exist_ok=True)
        write_bytes(folder / FOLDER / name, [content], FOR_OWNER)


def clip_sound_file(folder: Path, name: str) -> tuple[Path, str] | None:
    """The file of a sound and its kind, for the server; None where the study has none of that name."""
    path = folder / FOLDER / name
    kind = SOUND_KINDS.get(path.suffix)
    return (path, kind) if kind is not None and path.is_file() else None


def with_addresses(film: Mapping[str, Any], base_url: str) -> dict[str, Any]:
    """A clip whose sounds have the addresses at which the server has them."""
    if "sounds" not in film:
        return dict(film)
    return {**film, "sounds": [{**sound, "src": f"{base_url}/sounds/{sound['src']}"} for sound in film["sounds"]]}
