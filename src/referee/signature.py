"""A score signs itself: the signature is derived from constructor parameters, so no switch can be forgotten (after sacrebleu and scikit-learn)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from referee import __version__
from referee.records import Description, Trial

__all__ = ["Fingerprint", "digest", "explain", "parameters", "short", "signature"]


def parameters(thing: object) -> dict[str, Any]:
    """The constructor parameters of an object with the values it stores under the same names."""
    names = [
        p.name
        for p in inspect.signature(type(thing)).parameters.values()
        # `*args` and `**kwargs` have no attribute of their name to be read from.
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
        # As people write it: 0.5, not 0.50000; `catalogue` reads the same text back.
        return format(value, "g")
    if isinstance(value, Mapping):
        # Tables are too long to write out; sorted, since two that were filled in another order are the same table.
        return digest(repr(sorted(value.items(), key=repr)))[:8] if value else "none"
    if isinstance(value, (tuple, list, set, frozenset)):
        return "+".join(_written(v) for v in value) or "none"
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        # a part of its own: told by its parameters, for an address in memory says nothing
        inside = ",".join(f"{key}={_written(part)}" for key, part in parameters(value).items())
        return f"{type(value).__name__}({inside})"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    # A bar would begin the next part.
    return str(value).replace("|", "/")


def signature(name: str, thing: object, **more: object) -> str:
    """``name|parameter:value|…|version:x`` for any object whose constructor stores its parameters."""
    items = {**parameters(thing), **more}
    # Our own version says nothing about code that comes from elsewhere.
    if (package := type(thing).__module__.partition(".")[0]) != "referee":
        items["package"] = f"{package}-{_package_version(package)}"
    written = "".join(f"|{key}:{_written(value)}" for key, value in items.items())
    return f"{name}{written}|version:{__version__}"


@lru_cache(maxsize=64)
def _package_version(package: str) -> str:
    """The version of the distribution that a plug-in's package came with; a file of one's own has none."""
    from importlib.metadata import packages_distributions, version

    found = packages_distributions().get(package)
    return version(found[0]) if found else "unversioned"


def short(text: str) -> str:
    """Eight hexadecimal digits that stand for a signature in a table."""
    return digest(text)[:8]


def explain(text: str) -> dict[str, str]:
    """The parts of a signature: ``measure`` and its name first, then every switch with its value."""
    name, *parts = text.strip().split("|")
    return {"measure": name, **{key: value for key, _, value in (part.partition(":") for part in parts)}}


class Fingerprint:
    """A hash of what was read, trial by trial: ids, targets, scenes and references, so that another reading of a corpus never signs alike."""

    def __init__(self) -> None:
        # Short enough to stand in a signature that people read and compare.
        self._hash = hashlib.blake2b(digest_size=8)
        self.trials = 0

    def add(self, trial: Trial) -> None:
        entities = ";".join(f"{e.id}{e.attributes!r}{e.relations!r}" for e in trial.scene.entities)
        said = ";".join(map(_said, trial.references))
        fields = (trial.id, trial.targets, trial.domain, trial.condition, trial.speaker, trial.scene.id)
        # Separators that no corpus has in its text, so that nothing can wander from one field or trial into the next
        # unnoticed; `surrogatepass`, since a corpus with broken characters has a fingerprint too.
        self._hash.update(f"{fields!r}{entities}\x1e{said}\x1d".encode("utf-8", "surrogatepass"))
        self.trials += 1

    def __str__(self) -> str:
        return f"{self.trials}-{self._hash.hexdigest()}"


def _said(description: Description) -> str:
    return f"{description.properties!r}{description.text!r}"


def digest(text: str) -> str:
    """A stable hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
