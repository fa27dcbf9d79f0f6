"""Tangrams named again and again by pairs (Hawkins, Frank & Goodman 2020), and read by strangers afterwards (Boyce and colleagues 2025)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from referee.contracts import Card
from referee.corpora.games import (
    Games,
    Message,
    Round,
    drop_repeated,
    join_messages,
    list_events,
    make_response,
    record_click,
)
from referee.corpora.reading.lines import get_field, get_optional_field
from referee.corpora.reading.packed import check_member, collect_unused_fields, find_files, read_rows
from referee.records import Description, Entity, Property, Scene, Trial

LETTERS = "ABCDEFGHIJKL"
FIGURES = Scene(id="tangrams", entities=tuple(Entity(id=a, attributes=(Property("name", a),)) for a in LETTERS))
WHO = {"d": "speaker", "m": "listener"}
RATED = "matcher_trials.jsonl.gz"
CUED = "tangrams_cued.jsonl.gz"


class HawkinsTangrams(Games):
    """5,976 rounds: 83 pairs name twelve figures six times.

    The director is the speaker, the matcher the listener.
    """

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

    def _read_rounds(self) -> Iterator[Round]:
        (path,) = find_files(self.data, "tangrams-hawkins", CUED)
        return read_rows(path, _make_round)


def _make_round(row: dict[str, Any]) -> Round:
    """Return one round of a game."""
    game, clicked = get_field(row, "game", str), check_member(FIGURES, get_field(row, "clicked", str))
    messages = [Message(WHO[by], text, time).checked() for by, text, time in get_field(row, "messages", list)]
    trial = Trial(
        id=f"tangrams-{game}-{get_field(row, 'trial', int)}",
        scene=FIGURES,
        targets=(check_member(FIGURES, get_field(row, "target", str)),),
        domain="tangrams",
        condition=f"repetition-{get_field(row, 'repetition', int)}",
        speaker=game,
        episode=list_events(messages, record_click(clicked, correct=get_field(row, "correct", bool))),
        references=join_messages(messages, speaker=game),
        meta=collect_unused_fields(row, "target", "clicked", "messages"),
    )
    simple = ("simple",) if row["simple"] else ()
    return Round(trial, (make_response(trial, game, clicked, get_optional_field(row, "rt_ms", int), simple),))


class NaiveMatchers(Games):
    """11,344 guesses by 181 readers of 3,383 overheard descriptions.

    A trial for every description, a response for every guess.
    """

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

    def trials(self) -> Iterator[Trial]:
        return (guess.trial for guess in drop_repeated(self._read_rounds()))

    def _read_rounds(self) -> Iterator[Round]:
        """Yield the guesses of naive readers as rounds."""
        (path,) = find_files(self.data, "tg-matcher", RATED)
        trial_ids: dict[tuple[str, str], str] = {}
        texts: Counter[str] = Counter()

        def guess(row: dict[str, Any]) -> Round:
            """Return a guess as a round; guesses about the same messages share a trial."""
            place = _get_position(row)
            key = (place, json.dumps(row["messages"]))
            if key not in trial_ids:
                # The same figure of the same game can have been shown with two different texts.
                texts[place] += 1
                trial_ids[key] = place if texts[place] == 1 else f"{place}-{texts[place]}"
            return _make_round_of_guess(row, trial_ids[key])

        return read_rows(path, guess)


def _get_position(row: dict[str, Any]) -> str:
    """Return the trial id of a row without a running number: experiment, condition, game and target."""
    parts = (
        get_field(row, "experiment", str),
        get_optional_field(row, "condition", str),
        get_field(row, "game", str),
        row["target"],
    )
    return "-".join(("tg", *(part for part in parts if part)))


def _make_round_of_guess(row: dict[str, Any], trial_id: str) -> Round:
    """Return one guess as a round."""
    messages = [Message(by, text, None).checked() for by, text in get_field(row, "messages", list)]
    trial = Trial(
        id=trial_id,
        scene=FIGURES,
        targets=(check_member(FIGURES, get_field(row, "target", str)),),
        domain="tangrams",
        condition=get_optional_field(row, "condition", str),
        speaker=row["game"],
        episode=list_events(messages),
        references=join_messages(messages, speaker=row["game"]),
        meta={"experiment": row["experiment"], "game": row["game"]},
    )
    reader, selected = str(get_field(row, "participant", int)), check_member(FIGURES, get_field(row, "selected", str))
    guess = make_response(trial, reader, selected, get_optional_field(row, "rt_ms", float), (row["experiment"],))
    return Round(trial, (replace(guess, description=join_as_overheard(messages, row["game"])),))


def join_as_overheard(messages: Sequence[Message], speaker: str) -> Description:
    """Return all messages of both players as one description, as an overhearer reads them."""
    return Description(text=" ".join(m.text for m in messages), speaker=speaker)
