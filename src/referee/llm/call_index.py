"""Numbers by the key of a call, in arrays: a hundred thousand of them take three to five megabytes, where a dictionary takes sixteen."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator

__all__ = ["CallIndex", "number_of"]


def number_of(key: str) -> int:
    """A key as a number of 64 bits: that two of a million calls share one has a chance of 1 in 37 million, and the call that is read there says whose it is."""
    try:
        return int(key[:16], 16) if len(key) == 64 else _hashed(key)
    except ValueError:
        return _hashed(key)


def _hashed(key: str) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


class CallIndex:
    """A table with open places: a key stands in the first free place from its own onwards. Several may read while one writes."""

    def __init__(self) -> None:
        self._count = 0
        # One pair, replaced whole when it grows: who reads sees the old or the new one.
        self._table = _empty(1 << 6)

    def __len__(self) -> int:
        return self._count

    def get(self, key: int) -> int | None:
        keys, values = self._table
        return values[place] - 1 if values[place := _place(keys, values, key)] else None

    def put(self, key: int, value: int) -> None:
        """Note a number from 0 on; an earlier one of the key is replaced."""
        keys, values = self._table
        place = _place(keys, values, key)
        if not values[place]:
            self._count += 1
        # The value last, since it is what makes the place taken.
        keys[place] = key
        values[place] = value + 1
        if self._count * 3 > len(keys) * 2:
            self._grow()

    def _grow(self) -> None:
        old = zip(*self._table, strict=True)
        keys, values = _empty(2 * len(self._table[0]))
        for key, value in old:
            if value:
                place = _place(keys, values, key)
                keys[place], values[place] = key, value
        self._table = keys, values

    def items(self) -> Iterator[tuple[int, int]]:
        """Keys and numbers, by key."""
        keys, values = self._table
        for place in sorted((n for n, value in enumerate(values) if value), key=keys.__getitem__):
            yield keys[place], values[place] - 1


def _empty(size: int) -> tuple[array[int], array[int]]:
    return array("Q", bytes(8 * size)), array("Q", bytes(8 * size))


def _place(keys: array[int], values: array[int], key: int) -> int:
    last = len(keys) - 1
    place = key & last
    while values[place] and keys[place] != key:
        place = (place + 1) & last
    return place
