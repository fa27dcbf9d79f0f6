"""CABB: face-to-face reference games in Dutch.

Sixteen novel objects named six times, the director changing every trial (CABB; Ghaleb and colleagues 2024).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.contracts import Card
from referee.corpora.games import Games, Message, Round, join_messages, list_events, make_response, record_click
from referee.corpora.reading.lines import get_field, get_optional_field
from referee.corpora.reading.packed import check_member, find_files, read_rows
from referee.records import Entity, Outcome, Property, Response, Scene, Trial

FILE = "trials.jsonl.gz"
WHO = {"d": "speaker", "m": "listener"}
FRIBBLES = Scene(
    id="fribbles",
    entities=tuple(Entity(id=f"{n:02}", attributes=(Property("name", f"{n:02}"),)) for n in range(1, 17)),
)


class CabbDutch(Games):
    """1,824 trials of 19 pairs with 10,745 turns.

    A reference is what the director said, without fillers, repairs and noises; events have all of it.
    """

    card = Card(
        name="cabb-dutch",
        title="Fribbles named in Dutch, face to face",
        source="vboyce/shared-ling-conv on GitHub, commit 6d2b661",
        licence="none stated; the corpus itself is given out by its makers on request",
        languages=("nl",),
        citation="Rasenberg and colleagues (CABB); Ghaleb and colleagues 2024, CogSci",
        sampled=("game",),
        faults=(
            "1,813 of 1,824 answers are right: of use for words and roles, not for accuracy",
            "speech only: the gestures that people also used, and times, are missing",
            "which wrong figure was chosen is recovered from other trials of the board, and is not known in three trials",
            "the figures have no attributes, only their numbers",
        ),
        files=(f"cabb-dutch/{FILE}",),
    )

    def _read_rounds(self) -> Iterator[Round]:
        (path,) = find_files(self.data, "cabb-dutch", FILE)
        return read_rows(path, _make_round)


def _make_round(row: dict[str, Any]) -> Round:
    """Return a row as a round: the trial and its matcher's answer."""
    pair, number, director = get_field(row, "pair", str), get_field(row, "round", int), get_field(row, "director", str)
    target, speaker = check_member(FRIBBLES, get_field(row, "target", str)), f"{pair}-{director}"
    turns = get_field(row, "turns", list)
    messages, clean = (
        [Message(WHO[get_field(turn, "by", str)], get_field(turn, form, str), None) for turn in turns]
        for form in ("text", "clean")
    )
    chosen = None if get_optional_field(row, "chosen", str) is None else check_member(FRIBBLES, row["chosen"])
    clicks = () if chosen is None else (record_click(chosen, correct=chosen == target),)
    trial = Trial(
        id=f"cabb-{pair}-{number}-{get_field(row, 'trial', int)}",
        scene=FRIBBLES,
        targets=(target,),
        domain="fribbles",
        condition=f"round-{number}",
        speaker=speaker,
        language="nl",
        episode=list_events(messages, *clicks),
        references=join_messages([m for m in clean if m.text.strip()], speaker=speaker),
        meta={"game": pair, "repetition": number},
    )
    return Round(trial, (_make_response(row, trial, chosen, f"{pair}-{'B' if director == 'A' else 'A'}"),))


def _make_response(row: dict[str, Any], trial: Trial, chosen: str | None, matcher: str) -> Response:
    """Return the matcher's answer; unparsable with a flag if it is unknown which wrong figure was chosen."""
    if chosen is not None or get_optional_field(row, "given_label", str) is None:
        return make_response(trial, matcher, chosen)
    description = next(iter(trial.references), None)
    flags = ("wrong figure, not known which",)
    return Response(trial=trial.id, hearer=matcher, outcome=Outcome.UNPARSABLE, description=description, flags=flags)
