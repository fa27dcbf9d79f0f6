"""From a raw log to the tiers of REX-J (Tokunaga et al. 2010).

Actions with their targets, the piece under the cursor, utterances, gold references.

* *action*: a sequence of changes of one kind (move, rotate, flip) to one piece in one hand. The first run of a hold begins with the grab and a
  move that ends the hold ends with the release; changes without a hold (keys, wheel) join where less than `JOIN` ms lie between them. A grab that
  changes nothing is no action. Actions never overlap: one hand does one thing at a time.
* *mouse*: the time the operator's cursor was over one piece, the top-most.
* *utterance*: of chat, from the first key to the sending (`data["shown_ms"]` = when the partner saw it).
* *expression*: gold references in the log (bots), timed within their utterance in proportion to the characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from math import floor
from typing import Any, NamedTuple

from referee.records import Event
from referee_lab.tangram.game.board import Placement, read_placement
from referee_lab.tangram.game.log import (
    HANDLING,
    STATES,
    LogEntry,
    Recording,
    apply_entry,
    get_pieces,
    iterate_moments,
    iterate_timeline,
    track_positions,
)
from referee_lab.tangram.tiers.dialogue import (
    ACTION,
    EXPRESSION,
    MOUSE,
    OPERATOR,
    POSITION,
    UTTERANCE,
    Dialogue,
    interpolate_span_times,
)

# REX-J logged pieces and mouse every 10 ms.
GRID = 10
JOIN = 500


def convert_to_dialogue(recording: Recording) -> Dialogue:
    """Return all tiers of a recording, with times rounded to 10 ms."""
    header = recording.header
    spoken = list_utterances(recording)
    events = [*spoken, *list_expressions(recording, spoken), *list_actions(recording), *list_mouse_spans(recording)]
    dialogue = Dialogue(
        id=header.session,
        pair=header.pair,
        pieces=get_pieces(recording),
        events=_sort_events(events),
        language=header.language,
        synthetic=header.synthetic,
        meta={"goal": header.goal, "solved": any(e.kind == "solved" for e in recording.entries)},
    )
    return round_dialogue_times(dialogue)


def add_positions(dialogue: Dialogue, recording: Recording) -> Dialogue:
    """Return the dialogue with the positions of its pieces: the initial ones, and those after each action."""
    if not any(entry.kind in STATES for entry in recording.entries):
        return dialogue
    at = track_positions(recording)
    marks = [(0.0, piece) for piece in at(0.0)]
    marks += [(e.end_ms, piece) for e in dialogue.select_tier(ACTION) for piece in e.entities if e.end_ms is not None]
    moves = []
    for t_ms, piece in marks:
        x, y = at(t_ms)[piece]
        moves.append(Event(kind=POSITION, entities=(piece,), start_ms=t_ms, data={"x": round(x, 1), "y": round(y, 1)}))
    return replace(dialogue, events=_sort_events([*dialogue.events, *moves]))


class _Step(NamedTuple):
    """One change: its time, kind, piece and hold (None: without a hold)."""

    t_ms: float
    kind: str
    piece: str
    hold: int | None


def list_actions(recording: Recording) -> tuple[Event, ...]:
    """Return the actions on pieces."""
    steps, holds = _list_steps(recording)
    runs = [list(run) for _, run in groupby(_number_runs(steps), key=lambda pair: pair[0])]
    spans = [_Span(run[0][1].t_ms, run[-1][1].t_ms, *run[0][1][1:]) for run in runs]
    return tuple(_separate_spans(_extend_to_holds(spans, holds)))


def _list_steps(recording: Recording) -> tuple[list[_Step], dict[int, tuple[float, float]]]:
    """Return every visible change, and every hold as its grab and release."""
    steps: list[_Step] = []
    holds: dict[int, tuple[float, float]] = {}
    board, hold = None, None
    for t_ms, entry in iterate_timeline(recording):
        before, board = board, apply_entry(board, entry)
        if entry.kind in HANDLING and before is not None:
            piece = str(entry.data["piece"])
            if entry.kind == "grab":
                hold = entry.seq
                holds[hold] = (t_ms, t_ms)
            if hold is not None:
                holds[hold] = (holds[hold][0], t_ms)
            steps += [
                _Step(t_ms, k, piece, hold) for k in _list_changes(before.placements[piece], read_placement(entry.data))
            ]
            hold = None if entry.kind == "release" else hold
        elif entry.kind in ("start", "disconnect", "end"):
            hold = None
    return steps, holds


def _list_changes(before: Placement, after: Placement) -> list[str]:
    moved = before[:2] != after[:2], before.rotation != after.rotation, before.flipped != after.flipped
    return [kind for kind, yes in zip(("move", "rotate", "flip"), moved, strict=True) if yes]


def _number_runs(steps: Iterable[_Step]) -> Iterator[tuple[int, _Step]]:
    """Return each step with the number of the run that it belongs to."""
    number, last = 0, None
    for step in steps:
        if last is None or step[1:] != last[1:] or (step.hold is None and step.t_ms - last.t_ms > JOIN):
            number += 1
        yield number, step
        last = step


class _Span(NamedTuple):
    start: float
    end: float
    kind: str
    piece: str
    hold: int | None


def _extend_to_holds(spans: list[_Span], holds: Mapping[int, tuple[float, float]]) -> Iterator[_Span]:
    """Extend spans to the grab and the release of their hold."""
    for i, span in enumerate(spans):
        if span.hold is None:
            yield span
            continue
        grab, release = holds[span.hold]
        first = i == 0 or spans[i - 1].hold != span.hold
        last = i + 1 == len(spans) or spans[i + 1].hold != span.hold
        yield span._replace(
            start=grab if first and span.kind == "move" else span.start,
            end=release if last and span.kind == "move" else span.end,
        )


def _separate_spans(spans: Iterable[_Span]) -> Iterator[Event]:
    """Return spans of at least one grid step, each beginning after the one before has ended."""
    free = 0.0
    for span in spans:
        start = max(span.start, free)
        free = max(span.end, start + GRID)
        data = {"action": span.kind}
        yield Event(kind=ACTION, by=OPERATOR, entities=(span.piece,), start_ms=start, end_ms=free, data=data)


def list_mouse_spans(recording: Recording) -> tuple[Event, ...]:
    """Return the pieces under the operator's cursor, one span for each stay."""
    seen = [(m.t_ms, m.board.find_piece_at(*m.cursor)) for m in iterate_moments(recording) if m.cursor is not None]
    if not seen:
        return ()
    turns = [next(group) for _, group in groupby(seen, key=lambda pair: pair[1])]
    ends = [t for t, _ in turns[1:]] + [max(seen[-1][0], _get_end(recording))]
    return tuple(
        Event(kind=MOUSE, by=OPERATOR, entities=(piece,), start_ms=start, end_ms=end)
        for (start, piece), end in zip(turns, ends, strict=True)
        if piece is not None and end - start >= GRID
    )


def _get_end(recording: Recording) -> float:
    # Pieces of sound arrive after the end.
    return max((t for t, entry in iterate_timeline(recording) if entry.kind != "voice"), default=0.0)


def list_utterances(recording: Recording) -> tuple[Event, ...]:
    """Return the utterances of the game, in order of their start.

    Chat before the start belongs to the waiting room.
    """
    timeline = sorted(iterate_timeline(recording), key=lambda pair: pair[1].kind == "speech")
    return _sort_events(
        _make_utterance(t, e, recording) for t, e in timeline if e.kind == "speech" or (e.kind == "say" and t >= 0)
    )


def _make_utterance(t_ms: float, entry: LogEntry, recording: Recording) -> Event:
    """Return a chat message as an utterance, from its first key to its arrival; or what was said, from a transcript.

    Speech has no display time, because it was heard directly.
    """
    data: dict[str, Any] = {"seq": entry.seq}
    if entry.kind == "speech":
        start, end = float(entry.data["start_ms"]), float(entry.data["end_ms"])
    else:
        began = entry.data.get("typing_start_ms")
        # Both times are on the sender's clock, so the difference needs no offset.
        typed = 0.0 if began is None or entry.t_client_ms is None else max(entry.t_client_ms - began, 0.0)
        start, end = max(t_ms - typed, 0.0), t_ms
        data = {"shown_ms": t_ms, "keystrokes": entry.data.get("keystrokes"), **data}
    by = recording.header.players.get(entry.actor, entry.actor)
    return Event(kind=UTTERANCE, by=by, text=str(entry.data["text"]), start_ms=start, end_ms=end, data=data)


def list_expressions(recording: Recording, utterances: Iterable[Event]) -> tuple[Event, ...]:
    """Return the references that the log itself knows: `[{start, end, referents, attributes, uncertain?}]` in characters of the text."""
    marks_by_seq = {e.seq: e.data.get("expressions") or () for e in recording.entries if e.kind == "say"}
    expressions = []
    for index, utterance in enumerate(utterances):
        for mark in marks_by_seq.get(utterance.data["seq"], ()):
            span, is_uncertain = (int(mark["start"]), int(mark["end"])), bool(mark.get("uncertain"))
            about = {"referents": tuple(map(str, mark["referents"])), "attributes": tuple(mark.get("attributes", ()))}
            expressions.append(mark_expression(utterance, index, span, **about, uncertain=is_uncertain))
    return tuple(expressions)


def mark_expression(
    utterance: Event,
    index: int,
    span: tuple[int, int],
    *,
    referents: tuple[str, ...],
    attributes: tuple[str, ...],
    uncertain: bool = False,
) -> Event:
    """Return an expression inside the utterance with number `index`, timed in proportion to its characters."""
    start, end = interpolate_span_times(utterance, span)
    data: dict[str, Any] = {"attributes": attributes, "utterance": index, "span": span, "uncertain": uncertain}
    # When the partner saw a message; speech has no such time.
    if (shown_ms := utterance.data.get("shown_ms")) is not None:
        data["shown_ms"] = shown_ms
    return Event(
        kind=EXPRESSION,
        by=utterance.by,
        text=(utterance.text or "")[slice(*span)],
        entities=referents,
        start_ms=start,
        end_ms=end,
        data=data,
    )


def round_dialogue_times(dialogue: Dialogue) -> Dialogue:
    """Return the dialogue with all times on a grid and spans of at least one step."""
    return replace(dialogue, events=_sort_events(map(_round_event, dialogue.events)))


def _round_event(event: Event) -> Event:
    """Return an event with times rounded to a grid."""
    if event.start_ms is None:
        return event
    start = GRID * floor(event.start_ms / GRID + 0.5)
    end = None if event.end_ms is None else max(GRID * floor(event.end_ms / GRID + 0.5), start + GRID)
    return replace(event, start_ms=start, end_ms=end)


def _sort_events(events: Iterable[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=lambda e: e.start_ms or 0.0))
