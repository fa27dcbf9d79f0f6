"""Dialogues to watch, annotate or cut clips from, and recordings as films for a page.

A recording of a game with its tiers, or a dialogue of a corpus, which has tiers only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from referee.errors import InputError
from referee.records import Event
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.dialogue_film import make_dialogue_film
from referee_lab.tangram.game.log import (
    Moment,
    Recording,
    is_recording_header,
    iterate_moments,
    iterate_timeline,
    parse_recording,
    track_positions,
)
from referee_lab.tangram.game.sound_files import embed_sounds
from referee_lab.tangram.json_lines import decode_text
from referee_lab.tangram.tiers import dialogue_form
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.expressions import Positions
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue, list_utterances

# In the first line of a dialogue the form may stand behind the objects.
HEADER_BYTES = 65_536


class DialogueSession(NamedTuple):
    """A dialogue, its recording of the board if there is one, and the folder with its sounds."""

    recording: Recording | None
    dialogue: Dialogue
    sounds: Path | None = None

    def build_film(self) -> dict[str, Any]:
        """Return the film of the session with its voices, from stored states or from events."""
        if self.recording is None:
            end = max((e.end_ms or e.start_ms or 0.0 for e in self.dialogue.events), default=0.0)
            # An event at the very end is part of it.
            return make_dialogue_film(self.dialogue, 0.0, end + 1.0)
        film = make_film(self.recording)
        return film if self.sounds is None else film | {"sounds": embed_sounds(self.recording, self.sounds)}

    def positions(self) -> Positions | None:
        """Return a function from a time to the positions of the pieces; None if positions are unknown."""
        return None if self.recording is None else track_positions(self.recording)


def is_dialogue(path: Path) -> bool:
    """Return whether a file declares itself a dialogue of events, and not the log of a board game."""
    return not is_recording(path) and f'"{dialogue_form.FORMAT}"' in _read_beginning(path)


def is_recording(path: Path) -> bool:
    """Return whether a file declares itself a recording: the log of a board game."""
    try:
        return is_recording_header(json.loads(_read_beginning(path).partition("\n")[0]))
    except ValueError:
        return False


def _read_beginning(path: Path) -> str:
    """Return the beginning of a file; of one JSON object, whose fields are in any order, the whole."""
    with path.open("rb") as file:
        content = file.read(None if path.suffix == ".json" else HEADER_BYTES)
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return content.decode(encoding, "ignore")


def read_session(path: Path) -> DialogueSession:
    """Return a session from the file of a recording or of a dialogue's tiers (.jsonl)."""
    try:
        if is_dialogue(path):
            text = decode_text(path.read_bytes(), str(path))
            return DialogueSession(None, dialogue_form.read_dialogue(text, str(path)))
        recording = parse_recording(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path, remedy="name a recording (.jsonl)") from None
    return DialogueSession(recording, convert_to_dialogue(recording), path.parent)


def make_film(recording: Recording, start_ms: float = 0.0, end_ms: float | None = None) -> dict[str, Any]:
    """Return the events between two times, as JSON values."""
    moments = list(iterate_moments(recording))
    if not moments:
        raise InputError(
            "the recording shows no board", where=recording.header.session, remedy="record a session with a start entry"
        )
    end = max(t for t, _ in iterate_timeline(recording)) if end_ms is None else end_ms
    until = inf if end_ms is None else end
    before = [m for m in moments if m.t_ms <= start_ms]
    first = before[-1] if before else moments[0]._replace(cursor=None)
    shown = [m for m in moments if start_ms < m.t_ms <= end]
    return {
        "start_ms": start_ms,
        "end_ms": end,
        "state": first.board.to_data(),
        "cursor": None if first.cursor is None else list(first.cursor),
        "marks": list(_make_marks(first, shown)),
        # An event at the very end of a clip is the clip's continuation, not part of it. In the order of display: the
        # first to begin typing may send last.
        "said": [
            {"by": u.by, "text": u.text, "start_ms": u.start_ms, "end_ms": u.end_ms, "shown_ms": _get_display_time(u)}
            for u in sorted(list_utterances(recording), key=_get_display_time)
            if start_ms <= _get_display_time(u) < until
        ],
        "hints": [
            {"t_ms": t, **{name: e.data[name] for name in ("number", "piece", "x", "y", "rotation", "flipped")}}
            for t, e in iterate_timeline(recording)
            if e.kind == "hint" and start_ms <= t <= end
        ],
    }


def _get_display_time(utterance: Event) -> float:
    """Return the time at which a message was displayed, or speech began."""
    return float(utterance.data.get("shown_ms", utterance.start_ms or 0.0))


def _make_marks(first: Moment, shown: Sequence[Moment]) -> Iterator[list[Any]]:
    """Yield the changes from moment to moment; a snapshot that repeats the state adds none."""
    last = first
    for moment in shown:
        if moment.cursor is not None and moment.cursor != last.cursor:
            yield [moment.t_ms, *moment.cursor]
        # Replaying keeps the very object where only the cursor moved.
        if moment.board is not last.board:
            yield from _make_mark(moment.t_ms, last.board, moment.board)
        last = moment


def _make_mark(t_ms: float, before: Board, after: Board) -> Iterator[list[Any]]:
    """Yield the mark that turns one board into another."""
    state = after.format_canonically()
    if before.format_canonically() == state:
        return
    top = after.order[-1]
    placed = after.placements[top]
    # Nearly always one piece went to the top; any other change is a whole board.
    is_single_piece = before.put(top, placed).format_canonically() == state
    yield [t_ms, top, *placed] if is_single_piece else [t_ms, after.to_data()]
