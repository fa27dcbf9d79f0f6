"""A bot in an active room, so that one person can try the game alone.

The bot sees the view of its role and answers with human delays. As the operator it carries out the chat lines that it
understands. As the solver it gives the next instruction after the person has acted or spoken, or after a silence. Hands
are inexact: the first piece that the person lays fixes the position of the figure, and later pieces may stay when they
are near enough.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, cast

from referee_lab.rooms.any_room import BOT, PLAYING, RoomLine
from referee_lab.rooms.room_state import Room
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.instructions import Hand, interpret, split_clauses
from referee_lab.tangram.game.operator_bot import Act, perform_command
from referee_lab.tangram.game.rules import Game
from referee_lab.tangram.game.solver_bot import Mind, clarify, instruct, is_in_place
from referee_lab.tangram.tiers.dialogue import OPERATOR

if TYPE_CHECKING:
    from referee_lab.rooms.hall import Hall, Live, Watcher


KEY_SECONDS = 0.04
SETTLE_SECONDS, PATIENCE_SECONDS = 1.6, 25.0
REACHES = (28.0, 9.0, 2.0)
SETTLING = ("release", "rotate", "flip")
_log = logging.getLogger("referee.studies")


def create_partner(hall: Hall, live: Live) -> Watcher:
    """Create the partner that plays the bot's seat of a room: a bot, several bots, or a language model."""
    if "bots" in live.room.settings:
        from referee_lab.rooms.reference_bots import ReferenceBots

        return ReferenceBots(hall, live)
    written = live.room.settings.get("player", "bot")
    if written == "bot":
        return Partner(hall, live)
    from referee_lab.rooms.model_partner import ModelPartner

    return ModelPartner(hall, live, written)


class RoomBot:
    """A program that plays in a room, with the delays of a person. `pace` is how much faster than a person it is."""

    def __init__(self, hall: Hall, live: Live, pace: float = 1.0) -> None:
        self.hall, self.live, self.pace = hall, live, pace
        self.rng = Random(live.room.seed)
        self.heard: asyncio.Queue[RoomLine] = asyncio.Queue()
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        """Play until the room is over."""
        try:
            await self._play()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # A failure must not leave people waiting without a message.
            _log.error("a bot stopped: %s", type(error).__name__, exc_info=error)

    async def _play(self) -> None:
        raise NotImplementedError

    def _is_running(self, number: int) -> bool:
        """Return whether a puzzle or round is being played."""
        return self.live.room.phase == PLAYING and self.live.room.puzzle == number

    async def _sleep_seconds(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.pace)

    async def _type_text(self, text: str, number: int, actor: str = BOT, **more: Any) -> None:
        """Show typing for as long as a person would need, then send the text."""
        start = self.hall.now_ms()
        if not self._is_running(number) or not self.live.room.settings.get("chat", True):
            return
        self.hall.act_for_bot(self.live, "typing", {"typing": True}, actor)
        await self._sleep_seconds(0.4 + KEY_SECONDS * len(text))
        if self._is_running(number):
            times = {"typing_start_ms": start, "typing_end_ms": self.hall.now_ms(), "keystrokes": len(text)}
            self.hall.act_for_bot(self.live, "say", {"text": text, **times, **more}, actor)


class Partner(RoomBot):
    """One bot in one room."""

    def notice(self, lines: Sequence[RoomLine]) -> None:
        """React to lines that were stored and broadcast; the bot answers only some kinds."""
        for line in lines:
            if line.actor != BOT and line.kind in ("say", "start", *SETTLING):
                self.heard.put_nowait(line)

    @property
    def game(self) -> Game | None:
        """The running game; None between puzzles."""
        room = cast(Room, self.live.room)
        return room.game if room.phase == PLAYING else None

    async def _play(self) -> None:
        """Play one puzzle after the other, in the bot's role in each; a restored room continues its puzzle."""
        while True:
            while self.game is None:
                await self.heard.get()
            puzzle = self.live.room.puzzle
            if self.live.room.get_seat(BOT).role == OPERATOR:
                await self._operate_board(puzzle)
            else:
                await self._instruct_operator(puzzle)

    def _get_board_of(self, puzzle: int) -> Board | None:
        """Return the board while a puzzle is running; None before or after it."""
        game = self.game
        return game.board if game is not None and self.live.room.puzzle == puzzle else None

    # -- operator ------------------------------------------------------------------------------------------------------

    async def _operate_board(self, puzzle: int) -> None:
        """Operate the board through one puzzle: carry out each clause of the solver's chat lines."""
        hand = Hand()
        while self._get_board_of(puzzle) is not None:
            line = await self.heard.get()
            if line.kind != "say":
                continue
            for clause in split_clauses(str(line.data["text"])):
                hand = await self._carry_out_clause(clause, hand, puzzle)
                if hand.asked:
                    break

    async def _carry_out_clause(self, clause: str, hand: Hand, puzzle: int) -> Hand:
        """Carry out one clause, or ask for a clarification; return the hand after it."""
        board = self._get_board_of(puzzle)
        if board is None:
            return hand
        command = interpret(clause, board, hand, self.rng)
        hand = replace(hand, asked=command if command.kind == "ask" else None)
        if command.kind == "ask":
            await self._type_text(command.question, puzzle)
        if command.kind in ("ask", "none"):
            return hand
        await self._sleep_seconds(self.rng.uniform(0.35, 0.9))
        acts, hand = perform_command(command, board, hand, 0.0, self.rng)
        await self._perform_acts(acts, puzzle)
        return hand

    async def _perform_acts(self, acts: Sequence[Act], puzzle: int) -> None:
        """Perform acts in real time: send cursor points in small batches and changes at their times."""
        began, points = 0.0, []
        for act in acts:
            if act.t_ms - began >= 33 or act.change:
                await self._sleep_seconds((act.t_ms - began) / 1000)
                began = act.t_ms
            if self._get_board_of(puzzle) is None:
                return
            points.append([0.0, round(act.x, 2), round(act.y, 2)])
            if began == act.t_ms:
                self.hall.act_for_bot(self.live, "cursor", {"points": points[-1:]})
                points = []
            if act.change:
                data = {n: getattr(act.change, n) for n in ("piece", "x", "y", "rotation", "flipped")}
                self.hall.act_for_bot(self.live, act.change.kind, data)

    # -- solver --------------------------------------------------------------------------------------------------------

    async def _instruct_operator(self, puzzle: int) -> None:
        """Instruct the operator through one puzzle, one piece at a time."""
        game = self.game
        assert game is not None
        mind, settled, handled, round_ = Mind.of(game.goal), set[str](), None, 0
        await self._sleep_seconds(1.5)
        while (board := self._get_board_of(puzzle)) is not None:
            mind, settled = accept_placement(mind, board, settled, REACHES[round_])
            instruction, mind = instruct(mind, board, handled, self.rng)
            if instruction is None:
                round_ = min(round_ + 1, len(REACHES) - 1)
                mind, settled = Mind.of(game.goal) if round_ == len(REACHES) - 1 else mind, set[str]()
                await self._type_text("nearly: let us make it more exact", puzzle)
                await self._wait_for_person(puzzle)
                continue
            await self._type_text(instruction.text, puzzle, expressions=[dict(e) for e in instruction.expressions])
            handled_since, spoken = await self._wait_for_person(puzzle)
            handled = handled_since or handled
            while spoken and handled_since is None and (board := self._get_board_of(puzzle)) is not None:
                # Clauses without an action: a question, or an expression of doubt.
                answer = clarify(mind, board, handled, self.rng)
                await self._type_text(answer.text, puzzle, expressions=[dict(e) for e in answer.expressions])
                handled_since, spoken = await self._wait_for_person(puzzle)
                handled = handled_since or handled

    async def _wait_for_person(self, puzzle: int) -> tuple[str | None, bool]:
        """Wait until the person has acted or spoken and has then been quiet for a moment.

        Returns the piece that they handled last, and whether they wrote something.
        """
        handled, spoken, patience = None, False, PATIENCE_SECONDS
        while self._get_board_of(puzzle) is not None:
            try:
                line = await asyncio.wait_for(self.heard.get(), patience / self.pace)
            except TimeoutError:
                break
            if line.kind in SETTLING:
                handled, patience = str(line.data["piece"]), SETTLE_SECONDS
            elif line.kind == "say":
                spoken, patience = True, SETTLE_SECONDS
        return handled, spoken


def accept_placement(mind: Mind, board: Board, settled: set[str], reach: float) -> tuple[Mind, set[str]]:
    """Return the solver's plan after the person has moved pieces, and the pieces that are settled.

    A piece near its goal position may stay; the first such piece moves the whole goal figure with it.
    """
    focus = mind.focus
    if focus is None or focus in settled:
        return mind, settled
    now, goal_placement = board.placements[focus], mind.goal_placements[focus]
    aside = goal_placement._replace(x=now.x, y=now.y)
    dx, dy = now.x - goal_placement.x, now.y - goal_placement.y
    shifted = replace(mind, goal_placements={**mind.goal_placements, focus: aside})
    if max(abs(dx), abs(dy)) > reach or not is_in_place(shifted, board, focus):
        return mind, settled
    if settled:
        return shifted, settled | {focus}
    moved = {piece: place._replace(x=place.x + dx, y=place.y + dy) for piece, place in mind.goal_placements.items()}
    return replace(mind, goal_placements=moved), {focus}
