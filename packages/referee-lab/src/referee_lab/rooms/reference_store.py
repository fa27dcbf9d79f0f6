"""Reference games in the store.

How a room comes back after a crash, its rounds as `referee play` knows them, and its whole log; people go by their
aliases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from referee import __version__
from referee_lab.rooms.any_room import OVER, RoomLine, Seat
from referee_lab.rooms.reference_state import LISTENER, SPEAKER, SPEAKER_LEFT, ReferenceRoom, replay_lines
from referee_lab.rooms.room_store import (
    convert_to_entry,
    has_simulated,
    load_lines_after,
    load_stored_room,
    restore_room,
)
from referee_lab.tangram.game.log import format_entry
from referee_lab.tangram.players.reference_game import COMPLETED, SAID, PlayedChoice, PlayedGame, PlayedRound, SaidLine
from referee_lab.tangram.tiers.reference_forms import count_words

# The outcomes of games that are not completed, and of speakers and listeners who gave no answer.
LEFT, RUNNING = "left", "running"
SILENT, ENTITY, TIMED_OUT = "silent", "entity", "timeout"


def load_reference_room(connection: Connection, row: Any) -> tuple[ReferenceRoom, int]:
    """Return a room as stored after its last line, and the number of that line."""
    room, last = restore_room(ReferenceRoom, connection, row)
    return replay_lines(room, load_lines_after(connection, row.id, -1)), last


def load_game(connection: Connection, room: str) -> PlayedGame:
    """Return a room's rounds up to now as a played game.

    Raises InputError if one of its people has withdrawn, or if lines are missing.
    """
    row, seats, lines = load_stored_room(connection, room)
    names = [seat.name for seat in seats]
    played = PlayedGame(
        game=row.id, rounds=collect_rounds(lines, {s.actor: s for s in seats}, row.data["settings"]["labels"])
    )
    played.simulated = has_simulated(connection, seats)
    if row.state != OVER:
        played.outcome = RUNNING
    elif row.data["outcome"] != COMPLETED:
        gone = [seat.name for seat in seats if seat.gone]
        played.outcome, played.by, played.why = LEFT, " ".join(gone or names), str(row.data["outcome"])
    return played


def iterate_log(connection: Connection, room: str) -> Iterator[str]:
    """Yield the log of a room as JSON lines: a header, then every event.

    Times are milliseconds from the first line.
    """
    row, seats, lines = load_stored_room(connection, room)
    settings = {**row.data["settings"], "study": row.study, "mode": row.mode}
    people = [{"seat": n, "name": seat.name} for n, seat in enumerate(seats)]
    yield json.dumps(
        {"room": row.id, "seats": people, "settings": settings, "seed": row.data["seed"], "code": __version__}
    )
    names, zero = {seat.actor: seat.name for seat in seats}, lines[0].t_server if lines else 0.0
    for line in lines:
        yield format_entry(convert_to_entry(line.seq, line, names, zero)).rstrip("\n")


def collect_rounds(
    lines: Sequence[RoomLine], seats: Mapping[str, Seat], labels: Mapping[str, str]
) -> list[PlayedRound]:
    """Return the completed rounds of a log; a round that the end of the room cut short is left out."""
    rounds: list[PlayedRound] = []
    part: list[RoomLine] = []
    for line in lines:
        if line.kind == "round":
            part = []
        part.append(line)
        if line.kind == "feedback":
            rounds.append(_read_round(part, seats, labels))
    return rounds


def _read_round(part: Sequence[RoomLine], seats: Mapping[str, Seat], labels: Mapping[str, str]) -> PlayedRound:
    """Return one round from its lines: the chat, the description and the choices."""
    begin, end = part[0], part[-1]
    people = list(seats.values())
    speaker = people[begin.data["speaker"]]
    talk = tuple(
        SaidLine(
            by=seats[line.actor].name,
            role=SPEAKER if line.actor == speaker.actor else LISTENER,
            text=line.data["text"],
            seconds=_compute_seconds(begin, line),
        )
        for line in part
        if line.kind == "say"
    )
    text = " ".join(line.text for line in talk if line.role == SPEAKER)
    lost = end.data["ended"] == SPEAKER_LEFT
    listeners = [people[int(n)] for n in begin.data["orders"] if people[int(n)].actor != speaker.actor]
    chose = {line.actor: line for line in part if line.kind == "choose"}
    gone = {line.actor for line in part if line.kind == "gone"}
    heard = None if lost or not text else LEFT
    made = [
        _read_choice(s, chose.get(s.actor), begin, labels, heard if s.actor in gone else heard and TIMED_OUT)
        for s in listeners
    ]
    first, *others = made or [PlayedChoice()]
    return PlayedRound(
        repetition=begin.data["repetition"],
        target=labels[begin.data["target"]],
        text=text,
        # An interrupted message is no description.
        words=0 if lost else count_words(text),
        spoken=LEFT if lost else SAID if text else SILENT,
        **{name: getattr(first, name) for name in ("heard", "chosen", "right", "hearer", "seconds")},
        others=tuple(others),
        speaker=speaker.name,
        talk=talk,
    )


def _read_choice(
    seat: Seat, line: RoomLine | None, begin: RoomLine, labels: Mapping[str, str], otherwise: str | None
) -> PlayedChoice:
    """Return a listener's choice, or the outcome that replaces it.

    In an unfinished round a choice does not count.
    """
    if line is None or otherwise is None:
        return PlayedChoice(heard=otherwise, hearer=seat.name)
    chosen = line.data["object"]
    return PlayedChoice(
        heard=ENTITY,
        chosen=labels[chosen],
        right=chosen == begin.data["target"],
        hearer=seat.name,
        seconds=_compute_seconds(begin, line),
    )


def _compute_seconds(begin: RoomLine, line: RoomLine) -> float:
    return round((line.t_server - begin.t_server) / 1000, 3)
