"""Features of the situation when a reference begins.

Dialogue history, action history, current operation (Spanger et al. 2013; Iida et al. 2010).

The paper gives its twelve features by category only (five, five, two); those here have descriptive names and follow the
most likely reading. The 22 yes/no features of the resolution study (Iida, Kobayashi & Tokunaga 2010) are fully
specified; see `candidates`. Times fall into the three bins of that work: at most 10 s, 10 to 20 s, more than 20 s. One
pass over a dialogue serves all its references.

Typed text is a mention from the moment it was shown (`find_known_time`), speech from the moment it was spoken; within one
message the words before an expression are known with it. An ambiguous expression is a mention of no piece. Hands,
cursors and actions may overlap: all that are going on at a moment count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.records import Event
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, MOUSE, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.reference_forms import is_pronoun

NEAR_MS, FAR_MS = 10_000.0, 20_000.0
DONE = "done"
BINS = ("10s", "20s", "older", "never")
DIALOGUE_HISTORY, ACTION_HISTORY, CURRENT_OPERATION = "dialogue history", "action history", "current operation"
CATEGORIES = (DIALOGUE_HISTORY, ACTION_HISTORY, CURRENT_OPERATION)


class Standing(NamedTuple):
    """The state of one piece when an expression begins.

    Milliseconds since the last event of each kind (None: never; 0: still going on).

    Action history covers finished actions; one that is going on belongs to the current operation (`handled_now`,
    `since_handled`, `handled_latest`).
    """

    since_mention: float | None = None
    mention_was_pronoun: bool | None = None
    mentioned_last: bool = False
    others_mentioned_since: int = 0
    since_other_mention: float | None = None
    since_action: float | None = None
    last_action: str | None = None
    handled_last: bool = False
    others_handled_since: int = 0
    since_other_action: float | None = None
    handled_now: bool = False
    since_handled: float | None = None
    handled_latest: bool = False
    cursor_over: bool = False
    since_cursor: float | None = None
    cursor_last: bool = False
    mention: Event | None = None
    action: Event | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One reference to a single piece, and the state of every piece when it began."""

    id: str
    dialogue: str
    pair: str
    expression: Event
    utterance: Event | None
    target: str
    pronoun: bool
    pieces: Mapping[str, Mapping[str, str]]
    standings: Mapping[str, Standing]
    language: str = "en"
    synthetic: bool = False
    # Whether the dialogue has a recorded cursor or hand, and recorded actions.
    has_pointer: bool = True
    has_actions: bool = True

    @property
    def onset_ms(self) -> float:
        return self.expression.start_ms or 0.0

    @property
    def text(self) -> str:
        return self.expression.text or ""

    @property
    def standing(self) -> Standing:
        """The state of the target."""
        return self.standings[self.target]


# -- one pass ------------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Trace:
    """The last event of one kind for every piece, in order of that event (the piece of the latest one comes last)."""

    last: dict[str, Event] = field(default_factory=dict)

    def note(self, event: Event) -> None:
        """Record an event as the last one of its pieces."""
        for piece in event.entities:
            # Taken out first, because a key that is set again keeps its old place.
            before = self.last.pop(piece, None)
            # Two hands on one piece: the one that stays longer is still there when the later one has gone.
            stays = before is not None and event.kind != EXPRESSION and _get_end(before) > _get_end(event)
            self.last[piece] = before if before is not None and stays else event

    def find_latest(self) -> Event | None:
        return self.last[next(reversed(self.last))] if self.last else None

    def ranks(self) -> dict[str, int]:
        """Return how many other pieces came after each piece."""
        return {piece: after for after, piece in enumerate(reversed(self.last))}

    def other(self, piece: str) -> Event | None:
        """Return the latest event of another piece: the last one, or the one before it."""
        return next((event for name, event in reversed(self.last.items()) if name != piece), None)


def iterate_situations(dialogue: Dialogue, first: int = 1) -> Iterator[Situation]:
    """Yield every expression that surely refers to exactly one piece, from the `first` on, with its situation; time linear in the number of events."""
    utterances = dialogue.select_tier(UTTERANCE)
    recorded = {"has_pointer": bool(dialogue.select_tier(MOUSE)), "has_actions": bool(dialogue.select_tier(ACTION))}
    traces = {kind: _Trace() for kind in (EXPRESSION, ACTION, MOUSE, DONE)}
    under_way: list[Event] = []
    unsent: list[Event] = []
    number = 0
    # Events before an expression of the same start.
    for event in sorted(dialogue.events, key=lambda e: (e.start_ms or 0.0, e.kind == EXPRESSION)):
        if event.kind not in traces:
            continue
        if event.kind != EXPRESSION:
            under_way += [event] if event.kind == ACTION else []
            traces[event.kind].note(event)
            continue
        number += 1
        # Only now, and by their ends: an action that began earlier may be over later.
        finished = [action for action in under_way if not _is_going_on(action, event.start_ms or 0.0)]
        for action in sorted(finished, key=_get_end):
            traces[DONE].note(action)
        under_way = [action for action in under_way if _is_going_on(action, event.start_ms or 0.0)]
        unsent = _record_mentions(unsent, event, traces[EXPRESSION])
        if number >= first and _is_single(event, dialogue):
            yield _make_situation(dialogue, number, event, utterances, traces, recorded)
        if not event.data.get("uncertain"):
            unsent.append(event)


def find_known_time(event: Event) -> float:
    """Return when both partners knew an expression: typed ones when shown, spoken ones when they began."""
    shown = event.data.get("shown_ms")
    return float(shown) if isinstance(shown, int | float) else event.start_ms or 0.0


def _record_mentions(unsent: Iterable[Event], now: Event, trace: _Trace) -> list[Event]:
    """Record the mentions that are known by now, or earlier in the same utterance, in the order of becoming known;
    return the unsent rest.
    """
    waiting, here = [], now.data.get("utterance")
    for event in sorted(unsent, key=lambda e: (find_known_time(e), e.start_ms or 0.0)):
        same = here is not None and event.data.get("utterance") == here
        if same or find_known_time(event) <= (now.start_ms or 0.0):
            trace.note(event)
        else:
            waiting.append(event)
    return waiting


def list_situations(dialogues: Iterable[Dialogue]) -> list[Situation]:
    """Return the situations of many dialogues."""
    return [situation for dialogue in dialogues for situation in iterate_situations(dialogue)]


def _is_single(event: Event, dialogue: Dialogue) -> bool:
    return len(event.entities) == 1 and event.entities[0] in dialogue.pieces and not event.data.get("uncertain")


def _make_situation(
    dialogue: Dialogue,
    number: int,
    event: Event,
    utterances: tuple[Event, ...],
    traces: Mapping[str, _Trace],
    recorded: Mapping[str, bool],
) -> Situation:
    """Return the situation of an expression: its target and the state of every piece."""
    place = event.data.get("utterance")
    return Situation(
        id=f"{dialogue.id}-{number}",
        dialogue=dialogue.id,
        pair=dialogue.pair,
        expression=event,
        utterance=utterances[place] if isinstance(place, int) and 0 <= place < len(utterances) else None,
        target=event.entities[0],
        pronoun=is_pronoun(event, dialogue.language),
        pieces=dialogue.pieces,
        standings=_compute_standings(event.start_ms or 0.0, dialogue.pieces, traces, dialogue.language),
        language=dialogue.language,
        synthetic=dialogue.synthetic,
        **recorded,
    )


def _compute_standings(
    now: float, pieces: Iterable[str], traces: Mapping[str, _Trace], language: str
) -> dict[str, Standing]:
    """Return the state of every piece at a time."""
    mentions, done, started, under = traces[EXPRESSION], traces[DONE], traces[ACTION], traces[MOUSE]
    mention_ranks, done_ranks = mentions.ranks(), done.ranks()
    last_mention, last_done, last_started, last_under = (t.find_latest() for t in (mentions, done, started, under))
    standings = {}
    for piece in pieces:
        mention, past, cursor = mentions.last.get(piece), done.last.get(piece), under.last.get(piece)
        action = started.last.get(piece)
        standings[piece] = Standing(
            since_mention=_measure_time_since(mention, now),
            mention_was_pronoun=None if mention is None else is_pronoun(mention, language),
            mentioned_last=_select_events_about(last_mention, piece),
            # Never mentioned: all pieces mentioned so far stand before it.
            others_mentioned_since=mention_ranks.get(piece, len(mention_ranks)),
            since_other_mention=_measure_time_since(mentions.other(piece), now),
            since_action=_measure_time_since(past, now),
            last_action=None if past is None else str(past.data.get("action", "")),
            handled_last=_select_events_about(last_done, piece),
            others_handled_since=done_ranks.get(piece, len(done_ranks)),
            since_other_action=_measure_time_since(done.other(piece), now),
            handled_now=_is_going_on(action, now),
            since_handled=_measure_time_since(action, now),
            handled_latest=_select_events_about(last_started, piece),
            cursor_over=_is_going_on(cursor, now),
            since_cursor=_measure_time_since(cursor, now),
            cursor_last=_select_events_about(last_under, piece),
            mention=mention,
            action=action,
        )
    return standings


def _select_events_about(event: Event | None, piece: str) -> bool:
    return event is not None and piece in event.entities


def _get_end(event: Event) -> float:
    """Return the end of an event; without one, its start."""
    return (event.start_ms if event.end_ms is None else event.end_ms) or 0.0


def _measure_time_since(event: Event | None, now: float) -> float | None:
    return None if event is None else max(0.0, now - max(_get_end(event), find_known_time(event)))


def _is_going_on(event: Event | None, now: float) -> bool:
    return event is not None and event.end_ms is not None and event.end_ms > now


# -- features of the target ----------------------------------------------------------------------------------------------------


def find_bin(since: float | None) -> str:
    """Return the time bin of the resolution study: at most 10 s, at most 20 s, older, or never."""
    if since is None:
        return "never"
    return "10s" if since <= NEAR_MS else "20s" if since <= FAR_MS else "older"


def _encode_bin(name: str, since: float | None) -> dict[str, float]:
    bin_label = find_bin(since)
    return {f"{name} {label}": float(label == bin_label) for label in BINS}


def _encode_count(name: str, count: int) -> dict[str, float]:
    return {f"{name} {label}": float(hit) for label, hit in (("0", count == 0), ("1", count == 1), ("2+", count > 1))}


def _encode_dialogue_history(s: Standing) -> dict[str, float]:
    """Return the features of the dialogue history."""
    return {
        **_encode_bin("target mentioned", s.since_mention),
        "target's last mention a pronoun": float(s.mention_was_pronoun is True),
        "target's last mention no pronoun": float(s.mention_was_pronoun is False),
        **_encode_count("other pieces mentioned since:", s.others_mentioned_since),
        **_encode_bin("another piece mentioned", s.since_other_mention),
        "target mentioned last": float(s.mentioned_last),
    }


def _encode_action_history(s: Standing) -> dict[str, float]:
    """Return the features of the action history."""
    return {
        **_encode_bin("target handled", s.since_action),
        **{f"target's last action {kind}": float(s.last_action == kind) for kind in ("move", "rotate", "flip")},
        **_encode_count("other pieces handled since:", s.others_handled_since),
        **_encode_bin("another piece handled", s.since_other_action),
        "target handled last": float(s.handled_last),
    }


def _encode_current_operation(s: Standing) -> dict[str, float]:
    return {"target being handled": float(s.handled_now), "cursor over target": float(s.cursor_over)}


_TARGET = {
    DIALOGUE_HISTORY: _encode_dialogue_history,
    ACTION_HISTORY: _encode_action_history,
    CURRENT_OPERATION: _encode_current_operation,
}


def encode_target(situation: Situation, categories: Iterable[str] = CATEGORIES) -> dict[str, float]:
    """Return the features of the target by name, for some or all categories; all are 0 or 1."""
    return {name: value for category in categories for name, value in _TARGET[category](situation.standing).items()}
