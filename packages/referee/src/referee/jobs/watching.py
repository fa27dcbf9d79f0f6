"""Progress callbacks: long work passes its pieces through a callback, which may draw a bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, Protocol, TypeVar

__all__ = ["CountedWork", "ShowsProgress", "looking_on", "unwatched", "watched"]

T = TypeVar("T")


class ShowsProgress(Protocol):
    """A progress callback: takes pieces of work and a label, and yields the same pieces."""

    def __call__(self, pieces: Iterable[T], label: str, /) -> Iterable[T]: ...


def unwatched(pieces: Iterable[T], label: str, /) -> Iterable[T]:
    """Return the pieces without showing progress."""
    return pieces


_onlooker: ContextVar[ShowsProgress] = ContextVar("onlooker", default=unwatched)


@contextmanager
def looking_on(onlooker: ShowsProgress) -> Iterator[None]:
    """Pass all `watched` pieces inside the block through this progress callback."""
    before = _onlooker.set(onlooker)
    try:
        yield
    finally:
        _onlooker.reset(before)


def watched(pieces: Iterable[T], label: str) -> Iterable[T]:
    """Pass pieces through the current progress callback, for work that is not handed one."""
    return _onlooker.get()(pieces, label)


class CountedWork(Generic[T]):
    """An iterable of pieces with a known length, so that a bar can show the remaining time."""

    def __init__(self, pieces: Iterable[T], number: int) -> None:
        self.pieces, self.number = pieces, number

    def __iter__(self) -> Iterator[T]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return self.number
