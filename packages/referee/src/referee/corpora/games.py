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
    """A corpus of games: `_rounds` yields its rounds, which become trials with histories, and responses."""

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        return with_history(r.trial for r in self._rounds())

    def responses(self) -> Iterator[Response]:
        return chain.from_iterable(r.responses for r in self._rounds())

    def read_once(self) -> Self:
        """Return the same games with cached rounds, for callers that need trials and responses, which otherwise read
        the file twice.
        """
        twin, cached = copy(self), list[Round]()

        def rounds() -> Iterator[Round]:
            if not cached:
                cached.extend(self._rounds())
            return iter(cached)

        # A walk that is kept in place of the reader's own.
        twin.__dict__["_rounds"] = rounds
        return twin

    def _rounds(self) -> Iterator[Round]:
        raise NotImplementedError(f"{type(self).__name__} must say how its rounds are read")


def click(entity: str, **data: object) -> Event:
    """Return a listener's click with further fields."""
    return Event(kind="click", by="listener", entities=(entity,), data=data)


def answer(
    trial: Trial, hearer: str, chosen: str | None, ms: float | None = None, flags: tuple[str, ...] = ()
) -> Response:
    """Return a hearer's choice after the trial's words; None if the round ended without a choice."""
    return Response(
        trial=trial.id,
        hearer=hearer,
        outcome=Outcome.TIMEOUT if chosen is None else Outcome.ENTITY,
        entity=chosen,
        description=next(iter(trial.references), None),
        identification_ms=ms,
        flags=flags,
    )


def play(messages: Sequence[Message], *clicks: Event) -> tuple[Event, ...]:
    """Return the events of a round: messages before the click (or the clicks of several listeners), the click, messages
    after it.
    """
    before = tuple(_event(m) for m in messages if m.in_time)
    after = tuple(_event(m) for m in messages if not m.in_time)
    return (*before, *clicks, *after)


def _event(message: Message) -> Event:
    """Return a message as an event."""
    time = message.ms_before_click
    data = NOTHING if time is None else {"ms_before_click": time}
    return Event(kind="message", by=message.by, text=message.text, data=data)


def said(messages: Sequence[Message], speaker: str | None, by: str = "speaker") -> tuple[Description, ...]:
    """The speaker's words up to the click as one description; none where the click came first."""
    texts = [m.text for m in messages if m.by == by and m.in_time]
    return (Description(text=" ".join(texts), speaker=speaker),) if texts else ()


def waited(messages: Sequence[Message], by: str = "speaker") -> float | None:
    """Milliseconds from the speaker's last message before the click to the click.

    None where there was none, or a time is not known.
    """
    times = [m.ms_before_click for m in messages if m.by == by and m.in_time]
    recorded = [time for time in times if time is not None]
    # One unknown time might be that of the last message.
    return min(recorded) if recorded and len(recorded) == len(times) else None


def is_simple(messages: Sequence[Message], by: str = "speaker") -> bool:
    """Return whether the speaker wrote one message and no other player wrote."""
    return len(messages) == 1 and messages[0].by == by and messages[0].in_time


def with_history(trials: Iterable[Trial], unit: str = "game") -> Iterator[Trial]:
    """Each trial with all that happened before it in the same game (``meta["game"]``, or another unit) and the id of the trial before."""
    last: dict[str, Trial] = {}
    for trial in trials:
        before = last.get(trial.meta[unit])
        if before is not None:
            trial = replace(trial, after=before.id, history=before.history + before.episode)
        last[trial.meta[unit]] = trial
        yield trial


def first_of_each(rounds: Iterable[Round]) -> Iterator[Round]:
    """The rounds whose trial has not been met before."""
    seen: set[str] = set()
    for played in rounds:
        if played.trial.id not in seen:
            seen.add(played.trial.id)
            yield played
