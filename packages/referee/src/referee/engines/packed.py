"""Records, tasks and pieces as bytes for other processes and machines."""

from __future__ import annotations

import pickle
from io import BytesIO
from types import FunctionType, MappingProxyType
from typing import Any


class DefinedInScript(Exception):
    """An object is defined in the running script or notebook, which no other process can import."""


def _read_only(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


class _Pickler(pickle.Pickler):
    """A pickler that also handles read-only mappings, which records hold."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, MappingProxyType):
            return (_read_only, (dict(thing),))
        # By name: the other process would have to run the script again to find it.
        if isinstance(thing, (type, FunctionType)) and thing.__module__ == "__main__":
            raise DefinedInScript(thing.__qualname__)
        return NotImplemented


def pickled(thing: object) -> bytes:
    """Return an object as bytes for another process.

    Raises:
        DefinedInScript: where a class or function of the running script is in it.
    """
    file = BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(thing)
    return file.getvalue()
