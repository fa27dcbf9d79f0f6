"""The queue of pieces: the next piece, and retries of pieces whose worker died."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import chain

from referee.engines.pieces import Failed, Say, WorkPiece, print_to_stderr
from referee.errors import InputError

OUT_OF_MEMORY = "its worker ran out of memory"
KEPT = "finished work is stored: repeat the command, with more memory or fewer --jobs"
TRIES = 3
MOST_DEATHS = 12  # one after another, with nothing done in between: then it is not single items


class Queue:
    """Waiting pieces, by group.

    A piece whose worker died is tried again; when that happens twice it is halved, so that an item that kills its
    worker is isolated in a few steps; a single item that did so three times fails. Each time a note names the piece.
    """

    def __init__(self, pieces: Iterable[WorkPiece], say: Say = print_to_stderr) -> None:
        self._say = say
        self._waiting: dict[str, deque[WorkPiece]] = {}
        self._deaths: Counter[WorkPiece] = Counter()
        self._in_a_row = 0
        for piece in pieces:
            self._waiting.setdefault(piece.group, deque()).append(piece)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def take(self, group: str | None, taken: Iterable[str | None] = ()) -> WorkPiece | None:
        """Return the next piece, of the group that the worker is prepared for if there is one."""
        busy = set(taken)
        free = (name for name in self._waiting if name not in busy)
        name = group if group in self._waiting else next(free, next(iter(self._waiting), None))
        if name is None:
            return None
        piece = self._waiting[name].popleft()
        if not self._waiting[name]:
            del self._waiting[name]
        return piece

    def list_waiting(self) -> Iterator[WorkPiece]:
        """Return all waiting pieces, without taking them."""
        return chain.from_iterable(self._waiting.values())

    def rest(self) -> Iterator[WorkPiece]:
        """Return and remove all waiting pieces, by group."""
        while (piece := self.take(None)) is not None:
            yield piece

    def done(self) -> None:
        """Record that a worker finished a piece."""
        self._in_a_row = 0

    def record_death(self, piece: WorkPiece, why: str) -> Failed | None:
        """Put the piece of a dead worker back, or return it as failed; raise InputError if workers only die."""
        self._deaths[piece] += 1
        self._count_death(f", the last at {piece}: {why}")
        if len(piece.items) > 1 and self._deaths[piece] > 1:
            self.put_back(*piece.split_in_halves())
            self._say(f"{piece}: {why}; tried again in two halves")
        elif len(piece.items) > 1 or self._deaths[piece] < TRIES:
            self.put_back(piece)
            self._say(f"{piece}: {why}; tried again")
        else:
            self._say(f"{piece}: {why}; given up after {TRIES} tries")
            return Failed(piece, why)
        return None

    def requeue_lost(self, piece: WorkPiece, why: str) -> None:
        """Put back a piece that did not cause its worker's end."""
        self._count_death(f", the last at {piece}: {why}")
        self.put_back(piece)
        self._say(f"{piece}: {why}; done elsewhere")

    def record_lost_worker(self, why: str) -> None:
        """Record that a worker ended before it had a piece."""
        self._count_death(f": {why}")

    def _count_death(self, last: str) -> None:
        """Count a death. Raises InputError after too many in a row."""
        self._in_a_row += 1
        if self._in_a_row > MOST_DEATHS:
            raise InputError(f"worker processes ended repeatedly{last}", remedy=KEPT)

    def put_back(self, *pieces: WorkPiece) -> None:
        """Put back pieces that no worker has."""
        # at the end of their group: if one piece is deadly, the others are through before it is tried again
        self._waiting.setdefault(pieces[0].group, deque()).extend(pieces)
