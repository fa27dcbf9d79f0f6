"""Progress callbacks: long work passes its pieces through a callback, which may draw a bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class ProgressCallback(Protocol):
    """A progress callback: takes pieces of work and a label, and yields the same pieces."""

    def __call__(self, pieces: Iterable[T], label: str, /) -> Iterable[T]: ...


def iterate_silently(pieces: Iterable[T], label: str, /) -> Iterable[T]:
    """Return the pieces without showing progress."""
    return pieces


_callback: ContextVar[ProgressCallback] = ContextVar("callback", default=iterate_silently)


@contextmanager
def set_progress_callback(callback: ProgressCallback) -> Iterator[None]:
    """Pass all `report_progress` pieces inside the block through this progress callback."""
    before = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(before)


def report_progress(pieces: Iterable[T], label: str) -> Iterable[T]:
    """Pass pieces through the current progress callback, for work that is not handed one."""
    return _callback.get()(pieces, label)


class CountedWork(Generic[T]):
    """An iterable of pieces with a known length, so that a bar can show the remaining time."""

    def __init__(self, pieces: Iterable[T], number: int) -> None:
        self.pieces, self.number = pieces, number

    def __iter__(self) -> Iterator[T]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return self.number
