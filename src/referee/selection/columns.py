"""Scenes too large for one record per entity: attributes as columns, extensions built on demand, behind the interface of `Scene`.

A column keeps one small number per entity and the list of values it stands for. Whatever a selector asks of a scene (an index, the properties of a
target, the extension of a property) is answered from there, so every selector runs on a million entities unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from referee.errors import InputError
from referee.records import Entity, Property, Scene, as_value

__all__ = ["ColumnScene", "PackedBits", "ValueColumn", "as_bits", "as_places", "scene_of_columns"]

MISSING = -1


def as_bits(true: npt.NDArray[np.bool_]) -> int:
    """Truth values, one per entity, as a bit set."""
    # Little ends first on both sides, so that bit i of the integer is entity i.
    return int.from_bytes(np.packbits(true, bitorder="little").tobytes(), "little")


def as_places(bits: int, entities: int) -> npt.NDArray[np.int64]:
    """The places of the entities of a bit set."""
    packed = np.frombuffer(bits.to_bytes((entities + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, count=entities, bitorder="little"))


class PackedBits:
    """A bit set in 64-bit words: for the few operations that counting needs, five times faster than a million-bit integer."""

    __slots__ = ("words",)

    def __init__(self, words: npt.NDArray[np.uint64]) -> None:
        self.words = words

    @classmethod
    def of(cls, packed: bytes, entities: int) -> PackedBits:
        # Padded to whole words; bits beyond the last entity are never set.
        return cls(np.frombuffer(packed.ljust((entities + 63) // 64 * 8, b"\0"), dtype=np.uint64))

    def __and__(self, other: PackedBits) -> PackedBits:
        return PackedBits(self.words & other.words)

    def __bool__(self) -> bool:
        return bool(self.words.any())

    def bit_count(self) -> int:
        return int(np.bitwise_count(self.words).sum(dtype=np.int64))


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """One attribute of all entities: a code per entity (-1 where there is no value) and the value of each code."""

    codes: npt.NDArray[np.int32]
    values: tuple[str, ...]

    @classmethod
    def of(cls, given: Sequence[object] | npt.NDArray[Any]) -> ValueColumn:
        """Encode values of any kind; None and NaN are no value."""
        array = np.asarray(given)
        if array.dtype.kind in "biu":
            return cls._of_numbers(array)
        table: dict[str, int] = {}
        codes = np.fromiter((_code(v, table) for v in array.tolist()), dtype=np.int32, count=len(array))
        return cls(codes, tuple(table))

    @classmethod
    def _of_numbers(cls, array: npt.NDArray[Any]) -> ValueColumn:
        """Whole numbers and truth values: by table where their range is small, by sorting otherwise."""
        low, high = (int(array.min()), int(array.max())) if len(array) else (0, 0)
        # Up to here a table of counts is quicker than sorting and takes half a megabyte.
        if high - low < 65_536:
            shifted = array.astype(np.int64) - low
            found = np.flatnonzero(np.bincount(shifted))
            places = np.zeros(high - low + 1, dtype=np.int32)
            places[found] = np.arange(len(found))
            codes, found = places[shifted], (found + low).astype(array.dtype)
        else:
            found, inverse = np.unique(array, return_inverse=True)
            codes = inverse.astype(np.int32)
        return cls(codes, tuple(as_value(value.item()) for value in found))

    def value(self, place: int) -> str | None:
        code = int(self.codes[place])
        return None if code == MISSING else self.values[code]


def _code(value: object, table: dict[str, int]) -> int:
    # NaN is what differs from itself.
    if value is None or value != value:
        return MISSING
    return table.setdefault(value if type(value) is str else as_value(value), len(table))


class _EntitiesOnDemand(Sequence[Entity]):
    """Entities, made when they are looked at."""

    def __init__(self, columns: Mapping[str, ValueColumn], ids: Sequence[str] | None, size: int) -> None:
        self.columns, self.ids, self.size = columns, ids, size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Entity: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Entity, ...]: ...
    def __getitem__(self, place: int | slice) -> Entity | tuple[Entity, ...]:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(self.size)))
        # A range takes negative places and refuses those outside, as a sequence has to.
        place = range(self.size)[place]
        has = ((name, column.value(place)) for name, column in self.columns.items())
        attributes = tuple(Property(name, value) for name, value in has if value is not None)
        return Entity(id=self.ids[place] if self.ids else str(place), attributes=attributes)


class _Extensions(Mapping[Property, int]):
    """Extensions, packed into bits when they are first asked for."""

    def __init__(self, columns: Mapping[str, ValueColumn]) -> None:
        self.columns = columns
        self.built: dict[Property, int] = {}
        self.packed: dict[Property, PackedBits] = {}

    def __getitem__(self, prop: Property) -> int:
        found = self.built.get(prop)
        if found is None:
            name, value = prop
            column = self.columns[name]
            if value not in column.values:
                raise KeyError(prop)
            # Both forms at once: selectors intersect integers, counting runs over words.
            true = np.packbits(column.codes == column.values.index(value), bitorder="little").tobytes()
            found = self.built[prop] = int.from_bytes(true, "little")
            self.packed[prop] = PackedBits.of(true, len(column.codes))
        return found

    def __iter__(self) -> Iterator[Property]:
        return (Property(name, value) for name, column in self.columns.items() for value in column.values)

    def __len__(self) -> int:
        return sum(len(column.values) for column in self.columns.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnScene(Scene):
    """A scene over columns, for speakers; build one with `scene_of_columns`. Entities are made when looked at."""

    columns: Mapping[str, ValueColumn] = field(repr=False, compare=False)
    lazy_extensions: _Extensions = field(repr=False, compare=False)
    ids: Sequence[str] | None = field(default=None, repr=False, compare=False)

    @property
    def extensions(self) -> Mapping[Property, int]:
        return self.lazy_extensions

    def index(self, entity_id: str) -> int:
        """The place of an entity; KeyError when the scene has no such entity."""
        if self.ids is None:
            if entity_id.isdecimal() and int(entity_id) < len(self.entities):
                return int(entity_id)
            raise KeyError(entity_id)
        if not self._index:
            self._index.update((name, i) for i, name in enumerate(self.ids))
        return self._index[entity_id]

    def members(self, mask: int) -> Iterator[Entity]:
        """The entities of a bit set, in order."""
        return (self.entities[int(i)] for i in as_places(mask, len(self.entities)))

    def countable(self, bits: int, properties: Iterable[Property]) -> tuple[PackedBits, list[PackedBits]]:
        """A set and some extensions in the form that is fastest to count."""
        size = len(self.entities)
        self.prepare(properties := list(properties))
        packed = PackedBits.of(bits.to_bytes((size + 7) // 8, "little"), size)
        return packed, [self.lazy_extensions.packed[p] for p in properties]

    def prepare(self, properties: Iterable[Property] | None = None) -> None:
        """Build extensions now rather than on first use; all of them if none are named."""
        for prop in self.extensions if properties is None else properties:
            self.extensions[prop]


def scene_of_columns(
    table: Mapping[str, Sequence[object] | npt.NDArray[Any]], ids: Sequence[str] | None = None
) -> ColumnScene:
    """A scene from a table: one sequence of values per attribute; entities are called "0", "1", … unless `ids` are given."""
    columns = {name: ValueColumn.of(given) for name, given in table.items()}
    sizes = {len(column.codes) for column in columns.values()} | ({len(ids)} if ids is not None else set())
    if len(sizes) > 1:
        raise InputError(
            f"the columns have different lengths: {sorted(sizes)}", remedy="give every attribute one value per entity"
        )
    rows: Any = _EntitiesOnDemand(columns, ids, sizes.pop() if sizes else 0)
    return ColumnScene(entities=rows, columns=columns, lazy_extensions=_Extensions(columns), ids=ids)
