"""The base class of records: frozen msgspec Structs on which `dataclasses.replace`, `fields` and `asdict` work."""

from __future__ import annotations

from dataclasses import Field, field, fields, make_dataclass
from functools import cache, partial
from typing import Any, ClassVar

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo
from msgspec.structs import fields as struct_fields


def default_of(declared: FieldInfo) -> Any:
    """Return the default of a field; `msgspec.NODEFAULT` where the field is required."""
    return declared.default if declared.default_factory is NODEFAULT else declared.default_factory()


class _DataclassFields:
    """A descriptor that gives a record class the fields that the module `dataclasses` asks for."""

    def __get__(self, record: object, kind: type[Struct]) -> dict[str, Field[Any]]:
        return _dataclass_fields(kind)


@cache
def _dataclass_fields(kind: type[Struct]) -> dict[str, Field[Any]]:
    """Return the fields of a record as dataclass fields."""
    # Defaults are given as factories, because dataclasses refuse defaults that have no hash.
    declared: list[tuple[str, Any, Any]] = [
        (f.name, f.type, field() if f.required else field(default_factory=partial(default_of, f)))
        for f in struct_fields(kind)
    ]
    return {f.name: f for f in fields(make_dataclass(kind.__name__, declared, kw_only=True))}


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all records: frozen, keyword-only, with the protocol of a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]] = _DataclassFields()  # type: ignore[assignment]
