"""Simulated participants of a study with Tangram rooms.

The game's bots play every puzzle, and it is stored as active rooms store it.

A session takes a fraction of a second, so times are those of the bots' game, starting when the room was made.
Participants without a partner wait until the time limit, and are paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from referee_lab.bots.played_rooms import Party, PlayedRoom, play_in_rooms
from referee_lab.rooms import room_state
from referee_lab.rooms.any_room import BOT, OVER, SERVER, RoomLine, Seat
from referee_lab.rooms.room_state import SOLO, Room
from referee_lab.server.sessions.served_study import Served
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import find_goal
from referee_lab.tangram.game.log import Recording
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

# The events of a recording that only a partner in another seat makes: a person alone neither sends nor receives chat.
_TALK = ("say", "typing", "clock")


def play_rooms(served: Served, sessions: Sequence[str], seed: int) -> dict[str, PlayedRoom]:
    """Play rooms for these sessions, in order, with the study's kind of partner.

    Return the result of each session.
    """
    together = 2 if served.study.settings["partner"] == "person" else 1
    return play_in_rooms(served, sessions, seed, together, _play_room)


def _play_room(party: Party) -> tuple[Room, list[RoomLine], dict[str, PlayedRoom]]:
    """Play one room; return its final state, its lines, and the result of each person."""
    people = list(party.names)
    room = party.create_room(Room, dict(party.settings))
    for actor, name in party.names.items():
        room, _ = room_state.join(room, actor, name, party.now_ms)
    alone = [RoomLine(SERVER, "over", {"outcome": "no-partner", "by": people[0]})]
    story = list(_play_puzzles(room, people)) if len(room.seats) == room.places else alone
    lines = list(_number_lines(room, people, story, party.now_ms))
    played, solved = (sum(line.kind == kind for line in lines) for kind in ("start", "solved"))
    outcome = "completed" if played else "no-partner"
    over = replace(room, phase=OVER, outcome=outcome, puzzle=max(played - 1, 0), game=None)
    played_room = PlayedRoom(
        room=room.id, outcome=outcome, counts={"puzzles": played, "solved": solved}, ms=story[-1].t_server
    )
    return over, lines, dict.fromkeys(people, played_room)


def _play_puzzles(room: Room, people: Sequence[str]) -> Iterator[RoomLine]:
    """Yield the lines of all puzzles in order, with the roles that the room assigns.

    They have no numbers yet, and their times count from the making of the room.
    """
    begins = 0.0
    for number, name in enumerate(room.settings["puzzles"]):
        here = replace(room, puzzle=number)
        roles = dict(zip((s.actor for s in room.seats), room_state.deal_roles(here), strict=True))
        recording = play_bot_game(
            find_goal(name, room.settings.get("goals", ())),
            room.seed + number,
            room_state.convert_settings(room.settings),
        )
        yield from _convert_to_room(recording, roles, begins)
        begins += recording.entries[-1].t_server_ms + 1000
        if number + 1 < len(room.settings["puzzles"]):
            yield from (RoomLine(actor, "ready", {}, t_server=begins) for actor in people)
    yield RoomLine(SERVER, "over", {"outcome": "completed", "by": SERVER}, t_server=begins)


def _convert_to_room(recording: Recording, roles: Mapping[str, str], begins: float) -> Iterator[RoomLine]:
    """Yield the events of a recording as lines of a room."""
    seat = {role: actor for actor, role in roles.items()}
    alone = seat.get(SOLO)
    named = {OPERATOR: alone or seat.get(OPERATOR, ""), SOLVER: alone or seat.get(SOLVER, "")}
    roles_sent = False
    for entry in recording.entries:
        if alone and entry.kind in _TALK:
            continue
        if entry.kind == "role":
            # Once for all people in the room, and with the room's own role for a person alone.
            if not roles_sent:
                t_ms = begins + entry.t_server_ms
                yield from (RoomLine(actor, "role", {"role": role}, t_server=t_ms) for actor, role in roles.items())
            roles_sent = True
            continue
        # A clock's reading inside the data is on the server's clock, which did not begin with the puzzle.
        data = {**entry.data, "server_ms": begins + entry.data["server_ms"]} if entry.kind == "clock" else entry.data
        actor, t_ms = named.get(entry.actor, SERVER), begins + entry.t_server_ms
        yield RoomLine(actor, entry.kind, data, t_client=entry.t_client_ms, t_server=t_ms)


def _number_lines(room: Room, people: Sequence[str], story: Sequence[RoomLine], base: float) -> Iterator[RoomLine]:
    """Yield lines with numbers: one sequence for the room, and one for each person in it."""
    seats: dict[str, Seat] = {seat.actor: seat for seat in room.seats}
    joined = [RoomLine(actor, "join", {"name": seats[actor].name}) for actor in people]
    client_seqs = dict.fromkeys(people, 0)
    for seq, line in enumerate([*joined, *story]):
        actor, data, number, t_client = line.actor, line.data, None, None
        if actor in client_seqs and line.kind not in ("join", "role"):
            client_seqs[actor] += 1
            number, t_client = client_seqs[actor], line.t_client
        if line.kind == "clock":
            data = {**data, "server_ms": base + data["server_ms"]}
        sender = actor if actor in client_seqs or actor == BOT else SERVER
        yield RoomLine(sender, line.kind, data, number, t_client, seq, round(base + line.t_server, 3))
