"""Work that somebody may watch: whoever does long work shows its pieces to an onlooker, who gives them back one by one and may draw a bar meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

__all__ = ["CountedWork", "ShowsProgress", "unwatched"]

T = TypeVar("T")


class ShowsProgress(Protocol):
    """An onlooker: is given pieces of work and what to call them, and gives the same pieces back."""

    def __call__(self, pieces: Iterable[T], label: str, /) -> Iterable[T]: ...


def unwatched(pieces: Iterable[T], label: str, /) -> Iterable[T]:
    """Where nobody looks on."""
    return pieces


class CountedWork(Generic[T]):
    """Pieces that are made when they are asked for, with their number known before: enough for a bar that says how long it will take."""

    def __init__(self, pieces: Iterable[T], number: int) -> None:
        self.pieces, self.number = pieces, number

    def __iter__(self) -> Iterator[T]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return self.number
