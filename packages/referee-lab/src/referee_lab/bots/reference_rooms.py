"""Simulated participants of a reference game: programs speak and choose by the rules of the room, on a simulated clock.

Games are stored as active rooms store them. In an incomplete group people wait until the time limit, and are paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from referee.records import Description, Outcome
from referee_lab.bots.played_rooms import Party, PlayedRoom, play_in_rooms
from referee_lab.rooms import reference_state
from referee_lab.rooms.any_room import BETWEEN, PLAYING, RoomLine, is_person, number_lines
from referee_lab.rooms.reference_bots import get_label
from referee_lab.rooms.reference_state import ReferenceRoom
from referee_lab.rooms.reference_store import collect_rounds
from referee_lab.server.sessions.served_study import Served
from referee_lab.tangram.players.reference_game import select_known_rounds
from referee_lab.tangram.players.roster import make_partner
from referee_lab.tangram.tiers.reference_forms import get_description_text

KEY_MS, READ_MS, FIND_MS = 180.0, 1500.0, 4000.0


def play_reference_rooms(served: Served, sessions: Sequence[str], seed: int) -> dict[str, PlayedRoom]:
    """Play rooms for these sessions, in order, with the study's group size.

    Return the result of each session.
    """
    settings = served.study.settings
    return play_in_rooms(served, sessions, seed, settings["group"] - settings["bots"], _play_room)


def _play_room(party: Party) -> tuple[ReferenceRoom, list[RoomLine], dict[str, PlayedRoom]]:
    """Play one room; return its final state, its lines, and the result of each person."""
    game = _Game(party)
    for actor, name in party.names.items():
        game.apply_step(reference_state.join, actor, name)
    game.play(list(party.names))
    room, ms = game.room, game.t_ms - party.now_ms
    rounds = sum(line.kind == "feedback" for line in game.lines)
    counts = {actor: {"rounds": rounds, "right": room.right.get(actor, 0)} for actor in party.names}
    played = {w: PlayedRoom(room=room.id, outcome=str(room.outcome), counts=c, ms=ms) for w, c in counts.items()}
    return room, game.lines, played


class _Game:
    """A room on a simulated clock."""

    def __init__(self, party: Party) -> None:
        step = party.step
        assert step.stimulus is not None
        self.trial, self.rng, self.t_ms = step.stimulus.trial, party.rng, party.now_ms
        settings = {**party.settings, "trial": self.trial.id, "labels": dict(step.shown.labels)}
        self.room = party.create_room(ReferenceRoom, settings)
        self.lines: list[RoomLine] = []
        self.client_seqs: dict[str, int] = {}
        self.speaker = make_partner(settings["bot_speaker"], "system", self.room.seed)
        self.listener = make_partner(settings["bot_listener"], "hearer", self.room.seed)

    def apply_step(self, step: Any, *what: Any) -> None:
        """Apply one step of the room, and number its lines as the room manager numbers them."""
        self.room, lines = step(self.room, *what, self.t_ms)
        sent = None
        if step is reference_state.act and is_person(what[0]):
            self.client_seqs[what[0]] = self.client_seqs.get(what[0], 0) + 1
            actor, kind, data = what
            sent = RoomLine(actor, kind, data, client_seq=self.client_seqs[actor], t_client=self.t_ms)
        self.lines += number_lines(lines, len(self.lines), round(self.t_ms, 3), sent)

    def play(self, people: Sequence[str]) -> None:
        """Play until the room is over; an incomplete group waits and leaves."""
        if len(people) < self.room.people:
            self.t_ms += 60_000 * self.room.settings["wait_minutes"]
            self.apply_step(reference_state.quit_room, people[0])
            return
        while self.room.phase in (PLAYING, BETWEEN):
            if self.room.phase == PLAYING:
                self._play_round()
            self.t_ms += 1000 * max(self.room.settings["feedback_seconds"], 1.0)
            self.apply_step(reference_state.pass_time)

    def _play_round(self) -> None:
        """Play one round: describe the target, then let every hearer choose."""
        room = self.room
        labels = room.settings["labels"]
        before = collect_rounds(self.lines, {seat.actor: seat for seat in room.seats}, labels)
        here = replace(self.trial, id=f"{room.id}-{room.puzzle}", targets=(labels[room.target],))
        description = self.speaker.describe(replace(here, history=select_known_rounds(before)).for_speaker())
        text = get_description_text(description)
        self.t_ms += READ_MS + KEY_MS * len(text)
        self._type_text(str(room.speaker), text or "…")
        for seat in room.listeners:
            view = replace(here, history=select_known_rounds(before, seat.name)).for_hearer(self.rng)
            response = self.listener.resolve(Description(text=text, properties=description.properties), view)
            self.t_ms += READ_MS + FIND_MS * self.rng.random()
            if response.outcome is Outcome.ENTITY:
                label = get_label(room, response.entity)
                self.apply_step(reference_state.act, seat.actor, "choose", {"object": label, "round": room.puzzle})
        if self.room.phase == PLAYING:
            self.t_ms = self.room.began_ms + 1000 * room.settings["limit_seconds"]
            self.apply_step(reference_state.pass_time)

    def _type_text(self, actor: str, text: str) -> None:
        """Write a text in the chat, with typing times."""
        times = {"typing_start_ms": self.t_ms - KEY_MS * len(text), "typing_end_ms": self.t_ms}
        self.apply_step(reference_state.act, actor, "say", {"text": text, **times, "keystrokes": len(text)})
