"""Programs as players of an active reference game: a system speaks, hearers choose, so that one person can play alone.

Programs see all earlier rounds. A listener without a clear best object asks one question per round. After the next
words, or `REPLY_SECONDS` without any, it chooses its most probable object, with ties broken at random. A program that
fails or times out says so in the chat, and the round ends at its time limit.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from referee.records import Description, Outcome, Response, Trial
from referee_lab.rooms.any_room import PLAYING, RoomLine, is_bot
from referee_lab.rooms.bot_partners import RoomBot
from referee_lab.rooms.reference_state import ReferenceRoom
from referee_lab.rooms.reference_store import collect_rounds
from referee_lab.rooms.room_store import load_lines_after
from referee_lab.tangram.players.reference_game import PlayedRound, select_known_rounds
from referee_lab.tangram.players.roster import make_partner
from referee_lab.tangram.tiers.reference_forms import get_description_text

if TYPE_CHECKING:
    from referee_lab.rooms.hall import Hall, Live


ANSWER_SECONDS = 60.0
UNSURE = "Which one do you mean?"
FAILED = "(I cannot answer just now.)"
# A moment to read.
READ_SECONDS = 1.2
# How long a listener that has asked waits for an answer.
REPLY_SECONDS = 20.0
_log = logging.getLogger("referee.studies")


class ReferenceBots(RoomBot):
    """All programs of one room."""

    def __init__(self, hall: Hall, live: Live, pace: float = 1.0) -> None:
        super().__init__(hall, live, pace)
        self.trial = find_trial(hall, self.room)
        with hall.served.store.read() as connection:
            self.lines = load_lines_after(connection, self.room.id, -1)
        self.players: dict[tuple[str, str], Any] = {}
        self._answered: dict[str, tuple[int, str]] = {}
        # The round in which each listener has asked which object is meant.
        self._questions: dict[str, int] = {}

    @property
    def room(self) -> ReferenceRoom:
        return cast(ReferenceRoom, self.live.room)

    def notice(self, lines: Sequence[RoomLine]) -> None:
        """React to lines that were stored and broadcast."""
        last_seq = self.lines[-1].seq if self.lines else -1
        self.lines += [line for line in lines if line.seq > last_seq]
        if any(line.kind in ("round", "say") for line in lines):
            self.heard.put_nowait(lines[-1])

    async def _play(self) -> None:
        """Take turns and wait for lines until the game ends."""
        while True:
            await self._take_turn()
            await self._wait_for_line()

    async def _wait_for_line(self) -> None:
        """Wait for the next line; a listener whose question got no answer for too long chooses with the words it has."""
        open_questions = [actor for actor, number in self._questions.items() if self._must_choose(actor, number)]
        try:
            await asyncio.wait_for(self.heard.get(), REPLY_SECONDS / self.pace if open_questions else None)
        except TimeoutError:
            for actor in open_questions:
                self._answered.pop(actor, None)

    def _must_choose(self, actor: str, number: int) -> bool:
        """Return whether a listener has not yet chosen in a round."""
        return self._is_running(number) and actor not in self.room.chosen

    async def _take_turn(self) -> None:
        """Let programs take their next action: describe the target, or choose an object."""
        room = self.room
        # A room advances before its lines are stored and broadcast: until then `chat` has the words of the previous
        # round.
        if room.phase != PLAYING or self._find_announced_round() != room.puzzle:
            return
        number = room.puzzle
        speaker = str(room.speaker)
        if is_bot(speaker) and not room.spoken and self._answered.get(speaker) != (number, ""):
            self._answered[speaker] = (number, "")
            await self._describe_target(speaker, number)
        for seat in room.listeners:
            text = self._join_speaker_text()
            if (
                is_bot(seat.actor)
                and self._must_choose(seat.actor, number)
                and text
                and self._answered.get(seat.actor) != (number, text)
            ):
                self._answered[seat.actor] = (number, text)
                await self._choose_object(seat.actor, text, number)

    def _find_announced_round(self) -> int | None:
        """Return the number of the last round whose start was sent to the players; None before the first."""
        return next((line.data["round"] for line in reversed(self.lines) if line.kind == "round"), None)

    def _join_speaker_text(self) -> str:
        """Return the words that the speaker wrote in this round, joined."""
        begins = max((n for n, line in enumerate(self.lines) if line.kind == "round"), default=0)
        messages = [line for line in self.lines[begins:] if line.kind == "say" and line.actor == self.room.speaker]
        return " ".join(str(line.data["text"]) for line in messages)

    def _list_rounds(self) -> list[PlayedRound]:
        return collect_rounds(self.lines, {seat.actor: seat for seat in self.room.seats}, self.room.settings["labels"])

    def _list_revealed_rounds(self, name: str) -> list[PlayedRound]:
        """Return the rounds whose target a listener has seen.

        With full feedback these are all rounds, otherwise those that they spoke in or answered correctly.
        """
        full = self.room.settings["feedback"] == "full"
        rounds = ((done, [c for c in done.choices if c.hearer == name]) for done in self._list_rounds())
        return [done for done, choices in rounds if full or not choices or choices[0].right]

    # -- speaking and choosing -----------------------------------------------------------------------------------------

    async def _describe_target(self, actor: str, number: int) -> None:
        """Describe the target of a round in the chat."""
        room = self.room
        target = room.settings["labels"][room.target]
        trial = replace(
            self.trial, id=f"{room.id}-{number}", targets=(target,), history=select_known_rounds(self._list_rounds())
        )
        description = await self._ask_program(lambda: self._get_program(actor, "system").describe(trial.for_speaker()))
        text = get_description_text(description) if isinstance(description, Description) else ""
        await self._type_text(text or FAILED, number, actor)

    async def _choose_object(self, actor: str, text: str, number: int) -> None:
        """Let a listener resolve the description: choose an object, or ask a question."""
        room = self.room
        history = select_known_rounds(self._list_revealed_rounds(room.get_seat(actor).name), room.get_seat(actor).name)
        trial = replace(self.trial, id=f"{room.id}-{number}.{actor}", history=history)
        view = trial.for_hearer(self.rng)
        await self._sleep_seconds(READ_SECONDS + self.rng.random())
        response = await self._ask_program(
            lambda: self._get_program(actor, "hearer").resolve(Description(text=text), view)
        )
        if response is None:
            await self._type_text(FAILED, number, actor)
        elif response.outcome is not Outcome.ENTITY and self._questions.get(actor) != number:
            self._questions[actor] = number
            await self._type_text(UNSURE, number, actor)
        elif self._is_running(number):
            is_guess = response.outcome is not Outcome.ENTITY
            label = get_label(room, self._pick_most_probable(response) if is_guess else response.entity)
            choice = {"object": label, "round": number, **({"guess": True} if is_guess else {})}
            self.hall.act_for_bot(self.live, "choose", choice, actor)

    def _pick_most_probable(self, response: Response) -> str:
        """Return the object with the highest probability; ties and empty answers are broken at random."""
        objects: list[str] = sorted(self.room.settings["labels"].values())
        probabilities = dict(response.probabilities or ())
        beliefs = {entity: probabilities.get(entity, 0.0) for entity in objects}
        return self.rng.choice([entity for entity in objects if beliefs[entity] == max(beliefs.values())])

    async def _ask_program(self, ask: Any) -> Any:
        """Return the program's answer, computed in a thread; None if it fails or takes too long."""
        try:
            return await asyncio.wait_for(asyncio.to_thread(ask), ANSWER_SECONDS)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # people are informed and can continue
            _log.error("a program gave no answer: %s: %s", type(error).__name__, error)
            return None

    def _get_program(self, actor: str, kind: str) -> Any:
        """Return the system or hearer of a bot, created on first use with its own seed."""
        if (actor, kind) not in self.players:
            written = self.room.settings["bot_speaker" if kind == "system" else "bot_listener"]
            # Each bot has its own seed; with one seed all would make the same random choices.
            seed = self.room.seed + [seat.actor for seat in self.room.seats].index(actor)
            self.players[actor, kind] = make_partner(written, kind, seed)
        return self.players[actor, kind]


def find_trial(hall: Hall, room: ReferenceRoom) -> Trial:
    """Return the trial with the scene that a room plays."""
    return next(s.trial for s in hall.served.study.iterate_stimuli() if s.trial.id == room.settings["trial"])


def get_label(room: ReferenceRoom, entity: str | None) -> str:
    """Return the public label of an object; for None, None as text."""
    labels: dict[str, str] = room.settings["labels"]
    return next(label for label, behind in labels.items() if behind == entity)
