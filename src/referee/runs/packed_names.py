"""The ids of very many trials, of which hardly anybody asks for one: bytes one after the other instead of a text each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

__all__ = ["PackedNames"]

TOGETHER = 1000


class PackedNames(Sequence[str]):
    """Names in their order, packed by the thousand.

    >>> names = PackedNames(["s1t1", "s1t2"])
    >>> names.add(["s2t1"])
    >>> list(names), names[-1], len(names)
    (['s1t1', 's1t2', 's2t1'], 's2t1', 3)
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._packed: list[tuple[bytes, array[int]]] = []
        self._last: list[str] = []
        self.add(names)

    def add(self, names: Sequence[str]) -> None:
        """More of them, after those that are there."""
        self._last += names
        while len(self._last) >= TOGETHER:
            some, self._last = self._last[:TOGETHER], self._last[TOGETHER:]
            encoded = [name.encode("utf-8", "surrogatepass") for name in some]
            self._packed.append((b"".join(encoded), array("I", map(len, encoded))))

    def _unpacked(self, number: int) -> list[str]:
        if number == len(self._packed):
            return self._last
        content, lengths = self._packed[number]
        names, start = [], 0
        for length in lengths:
            names.append(content[start : start + length].decode("utf-8", "surrogatepass"))
            start += length
        return names

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return list(self)[place]
        number, within = divmod(range(len(self))[place], TOGETHER)
        return self._unpacked(number)[within]

    def __iter__(self) -> Iterator[str]:
        for number in range(len(self._packed) + 1):
            yield from self._unpacked(number)

    def __len__(self) -> int:
        return TOGETHER * len(self._packed) + len(self._last)
