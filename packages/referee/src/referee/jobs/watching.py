"""Work that somebody may watch: whoever does long work shows its pieces to an onlooker, who gives them back one by one and may draw a bar meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, Protocol, TypeVar

__all__ = ["CountedWork", "ShowsProgress", "looking_on", "unwatched", "watched"]

T = TypeVar("T")


class ShowsProgress(Protocol):
    """An onlooker: is given pieces of work and what to call them, and gives the same pieces back."""

    def __call__(self, pieces: Iterable[T], label: str, /) -> Iterable[T]: ...


def unwatched(pieces: Iterable[T], label: str, /) -> Iterable[T]:
    """Where nobody looks on."""
    return pieces


_onlooker: ContextVar[ShowsProgress] = ContextVar("onlooker", default=unwatched)


@contextmanager
def looking_on(onlooker: ShowsProgress) -> Iterator[None]:
    """Whatever is `watched` inside is shown to this onlooker, however deep it lies."""
    before = _onlooker.set(onlooker)
    try:
        yield
    finally:
        _onlooker.reset(before)


def watched(pieces: Iterable[T], label: str) -> Iterable[T]:
    """The pieces, shown to whoever looks on; for work too deep to be handed an onlooker."""
    return _onlooker.get()(pieces, label)


class CountedWork(Generic[T]):
    """Pieces that are made when they are asked for, with their number known before: enough for a bar that says how long it will take."""

    def __init__(self, pieces: Iterable[T], number: int) -> None:
        self.pieces, self.number = pieces, number

    def __iter__(self) -> Iterator[T]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return self.number
