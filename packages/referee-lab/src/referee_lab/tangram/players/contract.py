"""The contract of a player of the Tangram game: its view, its moves, and the time limit of an answer.

A player is asked for moves in its turn: it sees its own side of the game (`Seen`: only the solver has the goal) and
returns a few moves. For an unparsable answer it raises `Unreadable`, which is counted separately from moves. Any other
exception counts as a crash.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from referee.errors import InputError, RefereeError
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.goals import Goal, get_outline
from referee_lab.tangram.game.instructions import Command
from referee_lab.tangram.game.piece_sets import ALL_PIECES
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

SAY, GRAB, MOVE, TURN, FLIP, WAIT = "say", "grab", "move", "turn", "flip", "wait"
KINDS = (SAY, GRAB, MOVE, TURN, FLIP, WAIT)
# How a player ends a game.
CRASHED, STALLED, NONSENSE, UNANSWERED = "crashed", "stalled", "nonsense", "unanswered"


class Unreadable(Exception):
    """An answer without a parsable move; `said` is the answer."""

    def __init__(self, said: str) -> None:
        super().__init__(f"no move in {said!r:.80}")
        self.said = said


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMove:
    """One move: say a `text`; grab, move (to `x`, `y`), turn (by `degrees`) or flip a `piece`; wait.

    `expressions` are references with referents that the player gives (see `log`); `command` is a bot's command behind
    the move.
    """

    kind: str
    text: str = ""
    piece: str | None = None
    x: float = 0.0
    y: float = 0.0
    degrees: int = 0
    expressions: tuple[Any, ...] = ()
    command: Command | None = None


def is_refused(move: PlayerMove, role: str, board: Board) -> bool:
    """Return whether the rules refuse a move: one by the solver's hand, of a missing piece, or to a position outside
    the table.
    """
    if role != OPERATOR or move.kind not in (GRAB, MOVE, TURN, FLIP) or move.piece not in board.placements:
        return True
    if move.command is not None:
        return False
    if move.kind == MOVE:
        width, height = board.area
        # Not a number lies nowhere.
        return not (0 <= move.x <= width and 0 <= move.y <= height)
    return move.kind == TURN and round(move.degrees / board.step) == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One player's side of the game at its turn: the board for both, the goal for the solver, the talk so far, the clock."""

    role: str
    board: Board
    t_ms: float
    limit_ms: float
    talk: tuple[tuple[str, str], ...] = ()
    goal: Goal | None = None
    handled: str | None = None

    def format_text(self) -> str:
        """Return the view as text: the positions of pieces, and for the solver the corners of the figure."""
        lines = [f"{self._describe_table()} The pieces:"]
        for piece, placed in self.board.placements.items():
            turned, kind = ", turned over" if placed.flipped else "", ALL_PIECES[piece]
            looks = " ".join(word for word in (kind.get("colour"), kind["size"], kind["shape"]) if word)
            corners = " ".join(f"({x:.0f},{y:.0f})" for x, y in self.board.corners(piece))
            lines.append(
                f"{piece}: {looks} at ({placed.x:.0f},{placed.y:.0f}), rotation {placed.rotation}{turned}, corners {corners}"
            )
        if self.handled is not None:
            lines.append(f"The piece handled last is {self.handled}.")
        if self.goal is not None:
            corners = " ".join(f"({x:.0f},{y:.0f})" for x, y in get_outline(self.goal).exterior.coords[:-1])
            lines.append(
                f"The figure to be laid, anywhere on the table, has this outline about its own middle: {corners}"
            )
        return "\n".join([*lines, self._format_clock()])

    def format_picture_text(self) -> str:
        """Return the text that accompanies pictures: the coordinate system, the pictures' labels, and the time."""
        lines = [self._describe_table(), "The first picture shows the whole of it, with the numbers of the pieces."]
        if self.goal is not None and self.role == SOLVER:
            lines.append("The second picture shows the figure to be laid, anywhere on the table.")
        return "\n".join([*lines, self._format_clock()])

    def _describe_table(self) -> str:
        width, height = self.board.area
        return f"The table is {width:g} wide and {height:g} high; x grows to the right, y downwards."

    def _format_clock(self) -> str:
        return f"{self.t_ms / 1000:.0f} of {self.limit_ms / 1000:.0f} seconds are over."

    def pictures(self) -> list[bytes]:
        """Return the table, and for the solver the figure, as PNG."""
        import io

        from referee_lab.tangram.game.board_pictures import paint_board
        from referee_lab.tangram.game.goals import lay_out_goal

        images = [paint_board(self.board, numbers=True)]
        if self.goal is not None and self.role == SOLVER:
            images.append(_draw_silhouette(lay_out_goal(self.goal)))
        files = [io.BytesIO() for _ in images]
        for image, file in zip(images, files, strict=True):
            image.save(file, "PNG")
        return [file.getvalue() for file in files]


def _draw_silhouette(board: Board) -> Any:
    """Return a figure in one colour, without the edges of its pieces."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (600, 400), "#ffffff")
    brush = ImageDraw.Draw(image)
    for piece in board.order:
        brush.polygon([(x / 2, y / 2) for x, y in board.corners(piece)], fill="#202830", outline="#202830", width=2)
    return image


@runtime_checkable
class TangramPlayer(Protocol):
    """Plays one role: `name` identifies it in scores, `act` returns the moves of a turn."""

    @property
    def name(self) -> str: ...

    def act(self, seen: Seen) -> Sequence[PlayerMove]: ...


Answer = TypeVar("Answer")


class Unanswered(InputError):
    """The endpoint of a player gave no answer."""


class GameEnded(Exception):
    """A game cannot go on: its outcome, the player who ended it, and why."""

    def __init__(self, outcome: str, by: str, why: str = "") -> None:
        super().__init__(outcome)
        self.outcome, self.by, self.why = outcome, by, why


def ask_player(player: str, seconds: float, ask: Callable[[], Answer]) -> Answer:
    """Return the answer of a player within the time limit.

    Raises GameEnded if it crashes, stalls or cannot be reached; Unreadable and mistakes of the caller are passed on.
    """
    answers: list[Answer] = []
    raised: list[BaseException] = []

    def answer() -> None:
        """Store the answer, or the exception that was raised instead."""
        try:
            answers.append(ask())
        except BaseException as error:  # passed on to the caller, whatever it is
            raised.append(error)

    # A daemon thread: the program can exit although a call never returns.
    thread = threading.Thread(target=answer, daemon=True, name="player")
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise GameEnded(STALLED, player, f"no answer within {seconds:g} s")
    if not raised:
        return answers[0]
    error = raised[0]
    if isinstance(error, Unanswered):
        raise GameEnded(UNANSWERED, player, error.problem) from None
    # A refused key or a wrong address is an error for the user who started the game, not an outcome.
    if isinstance(error, (Unreadable, RefereeError)) or not isinstance(error, Exception):
        raise error
    raise GameEnded(CRASHED, player, f"{type(error).__name__}: {error}"[:200]) from error
