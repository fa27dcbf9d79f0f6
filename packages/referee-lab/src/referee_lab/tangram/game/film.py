"""A recording as a film for a page.

Stored states and cursor points between two times, shown without recomputation (situated.md, section 8).

`marks` are in order of time: `[t, x, y]` moves the cursor, `[t, piece, x, y, rotation, flipped]` puts a piece on top,
`[t, state]` is a whole board. Applying all marks up to a time to `state` gives the result of `find_state` for it. Times
are milliseconds since the start of the recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from referee.errors import InputError
from referee.records import Event
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.clocks import iterate_timeline
from referee_lab.tangram.game.log import Moment, Recording, iterate_moments
from referee_lab.tangram.tiers.rex_tiers import list_utterances


def make_film(recording: Recording, start_ms: float = 0.0, end_ms: float | None = None) -> dict[str, Any]:
    """Return the events between two times, as JSON values."""
    moments = list(iterate_moments(recording))
    if not moments:
        raise InputError(
            "the recording shows no board", where=recording.header.session, remedy="record a session with a start entry"
        )
    end = _find_end(recording) if end_ms is None else end_ms
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
            _export_utterance(u)
            for u in sorted(list_utterances(recording), key=_get_display_time)
            if start_ms <= _get_display_time(u) < until
        ],
        "hints": [
            _make_hint_mark(t, e.data)
            for t, e in iterate_timeline(recording)
            if e.kind == "hint" and start_ms <= t <= end
        ],
    }


def _get_display_time(utterance: Event) -> float:
    """Return the time at which a message was displayed, or speech began."""
    return float(utterance.data.get("shown_ms", utterance.start_ms or 0.0))


def _find_end(recording: Recording) -> float:
    return max(t for t, _ in iterate_timeline(recording))


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


def _export_utterance(utterance: Event) -> dict[str, Any]:
    """Return an utterance with its times and words as a JSON object."""
    shown = _get_display_time(utterance)
    return {
        "by": utterance.by,
        "text": utterance.text,
        "start_ms": utterance.start_ms,
        "end_ms": utterance.end_ms,
        "shown_ms": shown,
    }


def _make_hint_mark(t_ms: float, data: Any) -> dict[str, Any]:
    return {"t_ms": t_ms, **{name: data[name] for name in ("number", "piece", "x", "y", "rotation", "flipped")}}
