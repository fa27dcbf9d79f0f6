"""Which piece is next, and what becomes of one whose worker died."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from referee.engines.pieces import Failed, WorkPiece
from referee.errors import InputError

__all__ = ["Queue"]

TRIES = 3
MOST_DEATHS = 12  # one after another, with nothing done in between: then it is not single items


class Queue:
    """Pieces that wait, group by group.

    A piece whose worker died is tried again; when that happens twice it is halved, so that an item which kills whoever touches it is found in a few steps;
    a single item that did so three times is given up.
    """

    def __init__(self, pieces: Iterable[WorkPiece]) -> None:
        self._waiting: dict[str, deque[WorkPiece]] = {}
        self._deaths: Counter[WorkPiece] = Counter()
        self._in_a_row = 0
        for piece in pieces:
            self._waiting.setdefault(piece.group, deque()).append(piece)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def take(self, group: str | None, taken: Iterable[str | None] = ()) -> WorkPiece | None:
        """The next piece for a worker that is prepared for `group`: one of that group, else of a group that nobody is at, else any."""
        busy = set(taken)
        free = (name for name in self._waiting if name not in busy)
        name = group if group in self._waiting else next(free, next(iter(self._waiting), None))
        if name is None:
            return None
        piece = self._waiting[name].popleft()
        if not self._waiting[name]:
            del self._waiting[name]
        return piece

    def done(self) -> None:
        """Somebody finished something."""
        self._in_a_row = 0

    def died(self, piece: WorkPiece, why: str) -> Failed | None:
        """Put the piece of a worker that died back, or give it up; InputError where workers do nothing but die."""
        self._deaths[piece] += 1
        self._in_a_row += 1
        if self._in_a_row > MOST_DEATHS:
            raise InputError(
                f"one worker after another dies, the last at {piece}: {why}",
                remedy="what is done is kept: give the same command again, with more memory or fewer --jobs",
            )
        if len(piece.items) > 1:
            back = piece.halves() if self._deaths[piece] > 1 else (piece,)
        elif self._deaths[piece] < TRIES:
            back = (piece,)
        else:
            return Failed(piece, why)
        # at the end of its group: if one piece is deadly, the others are through before it is tried again
        self._waiting.setdefault(piece.group, deque()).extend(back)
        return None
