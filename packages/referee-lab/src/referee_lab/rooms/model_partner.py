"""A language model as a person's partner in an active room; failures never end the game.

The model sees the view of its role and is called in its own thread. After an answer without a parsable move it asks for
other words. After an error or a timeout of the endpoint it says so in the chat. Both appear in the log, so the log of a
game shows their number.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee_lab.rooms.bot_partners import Partner
from referee_lab.tangram.game.instructions import Hand
from referee_lab.tangram.game.operator_bot import perform_command
from referee_lab.tangram.players.contract import SAY, WAIT, PlayerMove, Seen, TangramPlayer, Unreadable, is_refused
from referee_lab.tangram.players.matches import choose_command
from referee_lab.tangram.players.roster import make_player
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

if TYPE_CHECKING:
    from referee_lab.rooms.hall import Hall, Live


ANSWER_SECONDS = 60.0
UNREAD = "sorry, I did not get that: could you say it in other words?"
SILENT = "(no answer just now: please say it again in a moment)"
_log = logging.getLogger("referee.studies")


class ModelPartner(Partner):
    """A language model that plays one seat of a room, as solver or operator."""

    def __init__(self, hall: Hall, live: Live, written: str, pace: float = 1.0) -> None:
        self.written = written
        self.hand = Hand()
        super().__init__(hall, live, pace)

    async def _operate_board(self, puzzle: int) -> None:
        """Operate the board through one puzzle: ask the model for one turn after each chat line."""
        player = self._get_player(OPERATOR)
        self.hand = Hand()
        while self._get_board_of(puzzle) is not None:
            line = await self.heard.get()
            if line.kind == "say":
                await self._take_turn(player, OPERATOR, puzzle)

    async def _instruct_operator(self, puzzle: int) -> None:
        """Instruct through one puzzle: ask the model for a turn, then wait for the person."""
        player = self._get_player(SOLVER)
        await self._sleep_seconds(1.5)
        while self._get_board_of(puzzle) is not None:
            await self._take_turn(player, SOLVER, puzzle)
            await self._wait_for_person(puzzle)

    def _get_player(self, role: str) -> TangramPlayer:
        """Return the model as a player of a role, for the goal of this game."""
        game = self.game
        assert game is not None
        return make_player(self.written, role, game.goal, self.live.room.seed)

    async def _take_turn(self, player: TangramPlayer, role: str, puzzle: int) -> None:
        """Ask the model for moves and carry them out; errors are reported in the chat."""
        seen = self._build_view(role)
        if seen is None:
            return
        try:
            # A thread of its own: the hall goes on while the model thinks.
            moves: Sequence[PlayerMove] = await asyncio.wait_for(asyncio.to_thread(player.act, seen), ANSWER_SECONDS)
        except Unreadable:
            moves = [PlayerMove(kind=SAY, text=UNREAD)]
        except asyncio.CancelledError:
            raise
        except Exception as error:  # the person is informed and can continue
            _log.error("a model gave no answer: %s", type(error).__name__)
            moves = [PlayerMove(kind=SAY, text=SILENT)]
        for move in moves:
            await self._carry_out_move(move, role, puzzle)

    def _build_view(self, role: str) -> Seen | None:
        """Return what the model sees in its role; None when no game is running."""
        room, game = self.live.room, self.game
        if game is None:
            return None
        # The view has all lines so far: none of them is a reason for another turn.
        while not self.heard.empty():
            self.heard.get_nowait()
        talk = tuple((room.seats[line["seat"]].role, str(line["text"])) for line in self.live.chat if line["seat"] >= 0)
        return Seen(
            role=role,
            board=game.board,
            t_ms=self.hall.now_ms() - room.began_ms,
            limit_ms=game.settings["limit_ms"],
            talk=talk,
            goal=game.goal if role == SOLVER else None,
            handled=game.board.order[-1],
        )

    async def _carry_out_move(self, move: PlayerMove, role: str, puzzle: int) -> None:
        """Carry out one move of the model: write in the chat, or act on the board."""
        board = self._get_board_of(puzzle)
        if board is None or move.kind == WAIT:
            return
        if move.kind == SAY:
            await self._type_text(move.text, puzzle)
        elif not is_refused(move, role, board):
            acts, self.hand = perform_command(choose_command(move), board, self.hand, 0.0, self.rng)
            await self._perform_acts(acts, puzzle)
