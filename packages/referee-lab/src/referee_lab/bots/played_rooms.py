"""Plays rooms with simulated participants, grouped as the study requires.

The games are stored as active rooms store them.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from sqlalchemy import Connection, select

from referee_lab.rooms import room_store
from referee_lab.rooms.any_room import AnyRoom, RoomLine, SomeRoom
from referee_lab.server.sessions.plan import PlanStep
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.schema import participant, session


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRoom:
    """A page's report on a finished room; `counts` by name, as the game defines them."""

    room: str
    outcome: str
    counts: Mapping[str, int]
    ms: float

    def answer(self) -> dict[str, Any]:
        return {"room": self.room, "outcome": self.outcome, **self.counts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """The participants of one room: their sessions with aliases, in order of arrival, and its time."""

    names: Mapping[str, str]
    step: PlanStep
    settings: Mapping[str, Any]
    rng: Random
    now_ms: float

    def create_room(self, kind: type[SomeRoom], settings: Mapping[str, Any]) -> SomeRoom:
        key = str(uuid.UUID(int=self.rng.getrandbits(128), version=4))
        return kind(key, settings, self.rng.randrange(10**6))


# The result of a played room: its final state, all of its lines, and the result of each person.
Play = Callable[[Party], tuple[AnyRoom, Sequence[RoomLine], dict[str, PlayedRoom]]]


def play_in_rooms(
    served: Served, sessions: Sequence[str], seed: int, together: int, play: Play
) -> dict[str, PlayedRoom]:
    """Play rooms for these sessions, `together` in each, in order; return the result of each session."""
    rooms: dict[str, PlayedRoom] = {}
    for number, first in enumerate(range(0, len(sessions), together)):
        people = sessions[first : first + together]
        rng = Random(f"{seed}|room|{number}")
        rooms |= served.store.write(partial(_play_and_store, served=served, people=people, rng=rng, play=play))
    return rooms


def _play_and_store(
    connection: Connection, served: Served, people: Sequence[str], rng: Random, play: Play
) -> dict[str, PlayedRoom]:
    """Play one room and store it; return the result of each person."""
    rows = {
        session_id: connection.execute(
            select(session.c.mode, session.c.list, session.c.plan_seed, session.c.study_hash, participant.c.alias)
            .join(participant, participant.c.id == session.c.participant)
            .where(session.c.id == session_id)
        ).one()
        for session_id in people
    }
    some, now = rows[people[0]], served.clock()
    plan = served.outline(some.list, some.plan_seed, some.study_hash).plan
    plugin = served.study.kind.info.plugin
    step = next(s for s in plan.steps if s.plugin == plugin and s.kind == "trial")
    names = {session_id: row.alias for session_id, row in rows.items()}
    settings = served.study.settings
    room, lines, played = play(Party(names=names, step=step, settings=settings, rng=rng, now_ms=1000 * now))
    room_store.store_room(connection, room, served.id, some.mode, step.index, now)
    room_store.store_lines(connection, [(room.id, line) for line in lines])
    return played
