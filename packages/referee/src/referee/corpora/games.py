"""Rounds of a reference game.

People chat, one of them clicks, and both remember it in later rounds (after Clark & Wilkes-Gibbs 1986).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Self

from referee.corpora.reading.lines import WrongShape
from referee.records import NOTHING, Description, Event, Outcome, Response, Trial


class Message(NamedTuple):
    """One chat message; a negative time means that it was sent after the click, None that its time is not known."""

    by: str
    text: str
    ms_before_click: float | None

    @property
    def in_time(self) -> bool:
        # Where no times were logged, everything counts as said before the click.
        return self.ms_before_click is None or self.ms_before_click >= 0

    def checked(self) -> Message:
        """Return the message. Raises WrongShape if its text is no text or its time no number."""
        if not isinstance(self.text, str) or not isinstance(self.ms_before_click, (int, float, type(None))):
            raise WrongShape(f"{list(self)!r:.60} is not a message", "a message has a sender, a text and milliseconds")
        return self


class Round(NamedTuple):
    """A round of a game: its trial, and its listeners' answers."""

    trial: Trial
    responses: tuple[Response, ...]


class Games:
    """A corpus of reference games: subclasses yield rounds, which become trials with histories, and responses."""

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        return add_history(r.trial for r in self._read_rounds())

    def responses(self) -> Iterator[Response]:
        return chain.from_iterable(r.responses for r in self._read_rounds())

    def read_once(self) -> Self:
        """Return the same games with cached rounds, for callers that need trials and responses, which otherwise read
        the file twice.
        """
        twin, cached = copy(self), list[Round]()

        def iterate_rounds() -> Iterator[Round]:
            """Return the rounds, which are read only once."""
            if not cached:
                cached.extend(self._read_rounds())
            return iter(cached)

        # A walk that is kept in place of the reader's own.
        twin.__dict__["_read_rounds"] = iterate_rounds
        return twin

    def _read_rounds(self) -> Iterator[Round]:
        raise NotImplementedError(f"{type(self).__name__} must define _read_rounds()")


def record_click(entity: str, **data: object) -> Event:
    """Return a listener's click with further fields."""
    return Event(kind="click", by="listener", entities=(entity,), data=data)


def make_response(
    trial: Trial, hearer: str, chosen: str | None, ms: float | None = None, flags: tuple[str, ...] = ()
) -> Response:
    """Return a listener's choice as a response to the trial's words; None if the round ended without a choice."""
    return Response(
        trial=trial.id,
        hearer=hearer,
        outcome=Outcome.TIMEOUT if chosen is None else Outcome.ENTITY,
        entity=chosen,
        description=next(iter(trial.references), None),
        identification_ms=ms,
        flags=flags,
    )


def list_events(messages: Sequence[Message], *clicks: Event) -> tuple[Event, ...]:
    """Return the events of a round in order: messages before the click, the clicks, messages after it.
    after it.
    """
    before = tuple(_make_event(m) for m in messages if m.in_time)
    after = tuple(_make_event(m) for m in messages if not m.in_time)
    return (*before, *clicks, *after)


def _make_event(message: Message) -> Event:
    """Return a message as an event."""
    time = message.ms_before_click
    data = NOTHING if time is None else {"ms_before_click": time}
    return Event(kind="message", by=message.by, text=message.text, data=data)


def join_messages(messages: Sequence[Message], speaker: str | None, by: str = "speaker") -> tuple[Description, ...]:
    """Return a speaker's messages up to the click as one description; None if there are none."""
    texts = [m.text for m in messages if m.by == by and m.in_time]
    return (Description(text=" ".join(texts), speaker=speaker),) if texts else ()


def measure_delay(messages: Sequence[Message], by: str = "speaker") -> float | None:
    """Return the milliseconds between the speaker's last message before the click and the click.

    None where there was none, or a time is not known.
    """
    times = [m.ms_before_click for m in messages if m.by == by and m.in_time]
    recorded = [time for time in times if time is not None]
    # One unknown time might be that of the last message.
    return min(recorded) if recorded and len(recorded) == len(times) else None


def is_simple(messages: Sequence[Message], by: str = "speaker") -> bool:
    """Return whether the speaker wrote one message and no other player wrote."""
    return len(messages) == 1 and messages[0].by == by and messages[0].in_time


def add_history(trials: Iterable[Trial], unit: str = "game") -> Iterator[Trial]:
    """Yield the trials of games with the events of all earlier trials of the same game, and the id of the previous one."""
    last: dict[str, Trial] = {}
    for trial in trials:
        before = last.get(trial.meta[unit])
        if before is not None:
            trial = replace(trial, after=before.id, history=before.history + before.episode)
        last[trial.meta[unit]] = trial
        yield trial


def drop_repeated(rounds: Iterable[Round]) -> Iterator[Round]:
    """Yield the rounds whose trial did not occur in an earlier round."""
    seen: set[str] = set()
    for played in rounds:
        if played.trial.id not in seen:
            seen.add(played.trial.id)
            yield played
