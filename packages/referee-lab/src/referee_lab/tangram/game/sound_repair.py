"""Repairs sounds that were stored with the wrong puzzle.

One file has the speech of a whole session, and later puzzles have none.

Pages of earlier versions gave every chunk the number of the first puzzle. Each recording has entries with both clocks,
the speaker's and the server's, so the start of the file is known in the time of every puzzle of the session; the file
is cut at the logged start and end of each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from referee.errors import InputError
from referee_lab.tangram.game.log import LogEntry, Recording, iterate_timeline
from referee_lab.tangram.game.sound_files import (
    RecordedSound,
    cut_sound,
    estimate_clock_offsets,
    find_sounds,
    list_recorded_sounds,
    make_sound_name,
)

# Estimated clocks of two puzzles may differ by so much.
SLACK_MS = 1000.0


class RepairedPuzzle(NamedTuple):
    """A recording with its own sounds: its new sound files by name, and the names of the files that they replace."""

    recording: Recording
    sounds: dict[str, bytes]
    replaced: tuple[str, ...]


def repair_voices(puzzles: Sequence[Recording], folder: Path) -> list[RepairedPuzzle]:
    """Return the puzzles of one session, in the order in which they were played, that change when voices are cut at the logged times."""
    repaired: dict[int, RepairedPuzzle] = {}
    for number, source in enumerate(puzzles):
        for sound, file in find_sounds(source, folder):
            later = list(_iterate_later_puzzles(puzzles, number, sound))
            if not later:
                continue
            content = file.read_bytes()
            for target, start_ms in [(number, sound.start_ms), *later]:
                length = sound.end_ms - sound.start_ms
                first, last = max(-start_ms, 0.0), min(length, _end_ms(puzzles[target]) - start_ms)
                if last <= first:
                    continue
                piece = cut_sound(content, first, last, str(file))
                before = repaired.get(target, RepairedPuzzle(puzzles[target], {}, ()))
                span = (first + start_ms, last + start_ms)
                repaired[target] = _replace_voice(before, sound, target, span, piece, file.suffix)
    return [repaired[number] for number in sorted(repaired)]


def _iterate_later_puzzles(
    puzzles: Sequence[Recording], number: int, sound: RecordedSound
) -> Iterator[tuple[int, float]]:
    """Yield the later puzzles that a file also covers and that have no sound of the speaker, each with the file's start
    in its time.
    """
    source = puzzles[number]
    offsets = _find_clock_offsets(source, sound.actor)
    # A file that goes on after the puzzle is of the last page that was loaded in it.
    source_offset = offsets[max(offsets)] if offsets else None
    for target in range(number + 1, len(puzzles)):
        if any(other.actor == sound.actor for other in list_recorded_sounds(puzzles[target])):
            return
        target_offsets = _find_clock_offsets(puzzles[target], sound.actor)
        # A lost line may leave the first connection without a ping; the page and its clock stay.
        offset = target_offsets[min(target_offsets)] if target_offsets else None
        if source_offset is None or offset is None:
            raise InputError(
                f"the clock of {sound.actor} was not logged, so that the voice cannot be placed",
                where=puzzles[target].header.session,
                remedy="cut the file by hand",
            )
        start_ms = sound.start_ms - source_offset + offset
        if source_offset - offset < _end_ms(source) - SLACK_MS:
            raise InputError(
                f"the page of {sound.actor} was loaded again between two puzzles, so that the voice cannot be placed",
                where=puzzles[target].header.session,
                remedy="cut the file by hand",
            )
        if start_ms + sound.end_ms - sound.start_ms <= 0:
            return
        yield target, start_ms


def _find_clock_offsets(recording: Recording, actor: str) -> dict[int, float]:
    """Return the offsets of a speaker's clock by connection."""
    return {connection: offset for (by, connection), offset in estimate_clock_offsets(recording).items() if by == actor}


def _replace_voice(
    puzzle: RepairedPuzzle, sound: RecordedSound, number: int, span: tuple[float, float], content: bytes, suffix: str
) -> RepairedPuzzle:
    """Return the puzzle with one file of the speaker in place of the earlier ones."""
    recording = puzzle.recording
    earlier = [s.name for s in list_recorded_sounds(recording) if s.name == sound.name]
    part = int(sound.name.removesuffix(".webm").rpartition("-")[2])
    name = make_sound_name(recording, sound.actor, part)
    offsets = _find_clock_offsets(recording, sound.actor)
    start_ms, end_ms = (t - offsets[max(offsets)] for t in span)
    other_entries = [
        e
        for e in recording.entries
        if not (e.kind == "voice" and e.actor == sound.actor and e.data.get("part") == part)
    ]
    data = {
        "chunk": part,
        "name": name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "start_ms": round(start_ms, 3),
        "end_ms": round(end_ms, 3),
        "part": part,
        "puzzle": number,
    }
    last = max(e.t_server_ms for e in other_entries)
    entries = [*other_entries, LogEntry(0, last, None, sound.actor, "voice", data)]
    numbered = tuple(replace(entry, seq=seq) for seq, entry in enumerate(entries, recording.entries[0].seq))
    sounds = {**puzzle.sounds, str(Path(name).with_suffix(suffix)): content}
    return RepairedPuzzle(replace(recording, entries=numbered), sounds, (*puzzle.replaced, *earlier))


def _end_ms(recording: Recording) -> float:
    """Return the time of the last entry that is no sound, in milliseconds since the start of the puzzle."""
    return max(t_ms for t_ms, entry in iterate_timeline(recording) if entry.kind != "voice")
