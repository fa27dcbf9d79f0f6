"""Sound recordings of people in a room, as files beside the store.

Each chunk is on disk before it is acknowledged, is written once, and is deleted with its person's data.
"""

from __future__ import annotations

from pathlib import Path

from referee.files import FOR_OWNER, write_bytes
from referee_lab.server.sessions.refusals import Problem
from referee_lab.tangram.game.log import LogEntry, Recording
from referee_lab.tangram.game.sound_files import index_sound, make_sound_name


def get_sound_path(folder: Path, room: str, alias: str, chunk: int) -> Path:
    return folder / "data" / "voice" / room / f"{alias}-{chunk:05d}.webm"


def store_sound(path: Path, content: bytes) -> bool:
    """Store a chunk of sound; return False for a repeat. Raises an error if another chunk has its number."""
    if path.exists():
        if path.read_bytes() != content:
            raise Problem(409, "already-there", "Another part of the sound has this number; the first one is kept.")
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written to disk before the acknowledgement, like every answer, and readable only by the server.
    write_bytes(path, [content], FOR_OWNER)
    return True


def join_sounds(folder: Path, recording: Recording) -> dict[str, bytes]:
    """Return the sound files of one puzzle by name: the chunks of each person's recorder, joined in order.

    The files have a length and an index, so every player can open and seek them. A page that was reloaded began a new
    file (`part`). A file with a missing chunk is left out.
    """
    pieces: dict[tuple[str, int], list[LogEntry]] = {}
    for entry in recording.entries:
        if entry.kind == "voice" and "part" in entry.data:
            pieces.setdefault((entry.actor, entry.data["part"]), []).append(entry)
    files = {}
    for (alias, part), entries in sorted(pieces.items()):
        entries.sort(key=lambda e: e.data["chunk"])
        numbers = [e.data["chunk"] for e in entries]
        paths = [get_sound_path(folder, recording.header.pair, alias, n) for n in numbers]
        if numbers == list(range(part, part + len(numbers))) and all(path.exists() for path in paths):
            files[make_sound_name(recording, alias, part)] = index_sound(b"".join(path.read_bytes() for path in paths))
    return files


def delete_sound(folder: Path, alias: str) -> int:
    """Delete all sound of a person; return the number of deleted chunks."""
    # Aliases hold hyphens, so the last one is the one before the number.
    paths = [path for path in (folder / "data" / "voice").glob("*/*") if path.name.rpartition("-")[0] == alias]
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)
