"""Tangrams named again and again by pairs (Hawkins, Frank & Goodman 2020), and read by strangers afterwards (Boyce and colleagues 2025)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Message, play, said, with_history
from referee.corpora.lines import expect, optional
from referee.corpora.packed import find, member, read_rows, remainder
from referee.records import Description, Entity, Event, Outcome, Property, Response, Scene, Trial

__all__ = ["HawkinsTangrams", "NaiveMatchers"]

LETTERS = "ABCDEFGHIJKL"
FIGURES = Scene(id="tangrams", entities=tuple(Entity(id=a, attributes=(Property("name", a),)) for a in LETTERS))
WHO = {"d": "speaker", "m": "listener"}
RATED = "matcher_trials.jsonl.gz"
CUED = "tangrams_cued.jsonl.gz"


class HawkinsTangrams:
    """5,976 rounds: 83 pairs name twelve figures six times; the director is the speaker, the matcher the listener."""

    card = Card(
        name="tangrams-hawkins",
        title="Repeated tangram reference game, cued version",
        source="hawkrobe/tangrams on GitHub, commit a617ddd, data/tangrams.csv",
        licence="none stated",
        languages=("en",),
        citation="Hawkins, Frank & Goodman 2020",
        sampled=("game",),
        faults=(
            "the figures have no attributes, only their letters",
            "in 17 rounds there is no time, or no director's message before the click",
        ),
        files=(f"tangrams-hawkins/{CUED}",),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        return with_history(trial for trial, _ in self._rounds())

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._rounds())

    def _rounds(self) -> Iterator[tuple[Trial, Response]]:
        (path,) = find(self.data, "tangrams-hawkins", CUED)
        return read_rows(path, _round)


def _round(row: dict[str, Any]) -> tuple[Trial, Response]:
    game, clicked = expect(row, "game", str), member(FIGURES, expect(row, "clicked", str))
    messages = [Message(WHO[by], text, time).checked() for by, text, time in expect(row, "messages", list)]
    click = Event(kind="click", by="listener", entities=(clicked,), data={"correct": expect(row, "correct", bool)})
    trial = Trial(
        id=f"tangrams-{game}-{expect(row, 'trial', int)}",
        scene=FIGURES,
        targets=(member(FIGURES, expect(row, "target", str)),),
        domain="tangrams",
        condition=f"repetition-{expect(row, 'repetition', int)}",
        speaker=game,
        episode=play(messages, click),
        references=said(messages, speaker=game),
        meta=remainder(row, "target", "clicked", "messages"),
    )
    return trial, Response(
        trial=trial.id,
        hearer=game,
        outcome=Outcome.ENTITY,
        entity=clicked,
        description=next(iter(trial.references), None),
        identification_ms=optional(row, "rt_ms", int),
        flags=("simple",) if row["simple"] else (),
    )


class NaiveMatchers:
    """11,344 guesses by 181 readers of 3,383 overheard descriptions: a trial for every description, a response for every guess."""

    card = Card(
        name="tg-matcher",
        title="Naive matchers for tangram descriptions",
        source="vboyce/tg-matcher on GitHub, commit 88c0384, folder data",
        licence="GPL-3.0",
        languages=("en",),
        citation="Boyce and colleagues, CogSci 2025",
        sampled=("game", "participant"),
        overlaps=("vlm-tangram",),
        faults=(
            "the figures have no attributes, only their letters",
            "the yoked experiment is not included",
            "readers saw the whole exchange, so a response's description holds both sides, a trial's reference the speaker's",
        ),
        files=(f"tg-matcher/{RATED}",),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        seen: set[str] = set()
        for trial, _ in self._guesses():
            if trial.id not in seen:
                seen.add(trial.id)
                yield trial

    def responses(self) -> Iterator[Response]:
        return (response for _, response in self._guesses())

    def _guesses(self) -> Iterator[tuple[Trial, Response]]:
        (path,) = find(self.data, "tg-matcher", RATED)
        known: dict[tuple[str, str], str] = {}
        texts: Counter[str] = Counter()

        def guess(row: dict[str, Any]) -> tuple[Trial, Response]:
            place = _place(row)
            key = (place, json.dumps(row["messages"]))
            if key not in known:
                # The same figure of the same game can have been shown with two different texts.
                texts[place] += 1
                known[key] = place if texts[place] == 1 else f"{place}-{texts[place]}"
            return _guess(row, known[key])

        return read_rows(path, guess)


def _place(row: dict[str, Any]) -> str:
    parts = (expect(row, "experiment", str), optional(row, "condition", str), expect(row, "game", str), row["target"])
    return "-".join(("tg", *(part for part in parts if part)))


def _guess(row: dict[str, Any], trial_id: str) -> tuple[Trial, Response]:
    messages = [Message(by, text, None).checked() for by, text in expect(row, "messages", list)]
    trial = Trial(
        id=trial_id,
        scene=FIGURES,
        targets=(member(FIGURES, expect(row, "target", str)),),
        domain="tangrams",
        condition=optional(row, "condition", str),
        speaker=row["game"],
        episode=tuple(Event(kind="message", by=m.by, text=m.text) for m in messages),
        references=said(messages, speaker=row["game"]),
        meta={"experiment": row["experiment"], "game": row["game"]},
    )
    return trial, Response(
        trial=trial_id,
        hearer=str(expect(row, "participant", int)),
        outcome=Outcome.ENTITY,
        entity=member(FIGURES, expect(row, "selected", str)),
        description=Description(text=" ".join(m.text for m in messages), speaker=row["game"]),
        identification_ms=optional(row, "rt_ms", float),
        flags=(row["experiment"],),
    )
