"""Records as bytes that travel to another process or machine."""

from __future__ import annotations

import pickle
from io import BytesIO
from types import MappingProxyType
from typing import Any

__all__ = ["pickled"]


def _read_only(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


class _Pickler(pickle.Pickler):
    """Knows read-only mappings, which records hold and Python does not pickle by itself."""

    def reducer_override(self, thing: Any) -> Any:
        return (_read_only, (dict(thing),)) if isinstance(thing, MappingProxyType) else NotImplemented


def pickled(thing: object) -> bytes:
    """Records as bytes for another process."""
    file = BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(thing)
    return file.getvalue()
