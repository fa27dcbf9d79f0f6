"""A score signs itself: the signature is derived from constructor parameters, so no switch can be forgotten (after sacrebleu and scikit-learn)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

from referee import __version__

__all__ = ["digest", "parameters", "signature"]


def parameters(thing: object) -> dict[str, Any]:
    """The constructor parameters of an object with the values it stores under the same names."""
    names = [
        p.name
        for p in inspect.signature(type(thing)).parameters.values()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    return {name: getattr(thing, name) for name in names}


def _written(value: object) -> str:
    """A parameter value as signature text: yes/no for booleans, short hashes for tables."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, float):
        return format(value, "g")
    if isinstance(value, Mapping):
        return digest(repr(sorted(value.items(), key=repr)))[:8] if value else "none"
    if isinstance(value, (tuple, list, set, frozenset)):
        return "+".join(_written(v) for v in value) or "none"
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        # a part of its own: told by its parameters, for an address in memory says nothing
        inside = ",".join(f"{key}={_written(part)}" for key, part in parameters(value).items())
        return f"{type(value).__name__}({inside})"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return str(value).replace("|", "/")


def signature(name: str, thing: object, **more: object) -> str:
    """``name|parameter:value|…|version:x`` for any object whose constructor stores its parameters."""
    items = {**parameters(thing), **more}
    written = "".join(f"|{key}:{_written(value)}" for key, value in items.items())
    return f"{name}{written}|version:{__version__}"


def digest(text: str) -> str:
    """A stable hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
