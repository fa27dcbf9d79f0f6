"""A score signs itself: the signature is derived from constructor parameters, so no switch can be forgotten (after sacrebleu and scikit-learn)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from referee import __version__
from referee.records import Description, Scene, SceneNotes, Trial

__all__ = [
    "CLOSING",
    "Fingerprint",
    "as_bytes",
    "digest",
    "explain",
    "opening_text",
    "parameters",
    "said_text",
    "scene_text",
    "short",
    "signature",
    "written",
]

_END = "\x1e"
CLOSING = "\x1f\x1d"
_SCENES: SceneNotes[str, str] = SceneNotes("signature.text")


def parameters(thing: object) -> dict[str, Any]:
    """The constructor parameters of an object with the values it stores under the same names."""
    names = [
        p.name
        for p in inspect.signature(type(thing)).parameters.values()
        # `*args` and `**kwargs` have no attribute of their name to be read from.
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    return {name: getattr(thing, name) for name in names}


def _signed(thing: object) -> dict[str, Any]:
    """The parameters that decide what comes out: what only says how fast or how dearly (`unsigned`) is left out."""
    aside: frozenset[str] = getattr(type(thing), "unsigned", frozenset())
    return {name: value for name, value in parameters(thing).items() if name not in aside}


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
    if isinstance(value, (set, frozenset)):
        return "+".join(sorted(map(_written, value))) or "none"  # sets have no order of their own
    if isinstance(value, (tuple, list)):
        return "+".join(_written(v) for v in value) or "none"
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        # a part of its own: told by its parameters, for an address in memory says nothing
        inside = ",".join(f"{key}={_written(part)}" for key, part in _signed(value).items())
        return f"{type(value).__name__}({inside})"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    # A bar would begin the next part.
    return str(value).replace("|", "/")


def signature(name: str, thing: object, **more: object) -> str:
    """``name|parameter:value|…|version:x`` for any object whose constructor stores its parameters."""
    items = {**_signed(thing), **more}
    # Our own version says nothing about code that comes from elsewhere.
    if (package := type(thing).__module__.partition(".")[0]) != "referee":
        items["package"] = f"{package}-{_package_version(package)}"
    written = "".join(f"|{key}:{_written(value)}" for key, value in items.items())
    return f"{name}{written}|version:{__version__}"


@lru_cache(maxsize=64)
def _package_version(package: str) -> str:
    """The version of the distribution that a plug-in's package came with; a file of one's own has none."""
    import sys
    from importlib.metadata import packages_distributions, version

    # looking through all that is installed takes a second, and a module that lies elsewhere would not be found there anyway
    if "site-packages" not in str(getattr(sys.modules.get(package), "__file__", "")):
        return "unversioned"
    found = packages_distributions().get(package)
    return version(found[0]) if found else "unversioned"


def short(text: str) -> str:
    """Eight hexadecimal digits that stand for a signature in a table."""
    return digest(text)[:8]


def explain(text: str) -> dict[str, str]:
    """The parts of a signature: ``measure`` and its name first, then every switch with its value."""
    name, *parts = text.strip().split("|")
    return {"measure": name, **{key: value for key, _, value in (part.partition(":") for part in parts)}}


def scene_text(scene: Scene) -> str:
    """What is in a scene, worked out once for all trials that share it."""
    notes = _SCENES.of(scene)
    if "text" not in notes:
        parts: list[str] = []
        for entity in scene.entities:
            parts += (_END, entity.id, *chain.from_iterable(entity.attributes))
            if entity.relations:
                parts.append(repr(entity.relations))
            if entity.region is not None:
                parts.append(repr(entity.region))
        notes["text"] = "\x1f".join(parts)
    return notes["text"]


def said_text(said: Description) -> str:
    """What somebody said, as it stands in a fingerprint."""
    known = "True" if said.properties is None else "False"
    form = () if said.meaning is None else (str(said.meaning),)
    return "\x1f".join(("", _END, str(said.text), known, *chain.from_iterable(said.properties or ()), *form))


def written(trial: Trial) -> str:
    """What a fingerprint takes of a trial: texts joined rather than objects printed, for every trial passes here; control characters keep them apart."""
    targets = "\x1f".join(trial.targets)
    opening = opening_text(trial.id, targets, trial.domain, trial.condition, trial.speaker, trial.scene.id)
    return "".join((opening, scene_text(trial.scene), *map(said_text, trial.references), CLOSING))


def opening_text(
    id: str, targets: str, domain: str | None, condition: str | None, speaker: str | None, scene: str | None
) -> str:
    """What comes first of a trial, for whoever has the texts that follow already (`scene_text`, `said_text`, `CLOSING`)."""
    return f"{id}\x1f{targets}\x1f{_END}\x1f{domain}\x1f{condition}\x1f{speaker}\x1f{scene}\x1f"


def as_bytes(text: str) -> bytes:
    """A text, or a piece of one, as a fingerprint takes it."""
    return text.encode("utf-8", "surrogatepass")


class Fingerprint:
    """A hash of what was read, trial by trial: ids, targets, scenes and references, so that another reading of a corpus never signs alike."""

    def __init__(self) -> None:
        # Short enough to stand in a signature that people read and compare.
        self._hash = hashlib.blake2b(digest_size=8)
        self.trials = 0

    def add(self, trial: Trial) -> None:
        self.add_written([written(trial)])

    def add_written(self, texts: Sequence[str]) -> None:
        """The same for trials that were written out before (see `written`)."""
        self.add_bytes(as_bytes("".join(texts)), len(texts))

    def add_bytes(self, content: bytes, trials: int) -> None:
        """The same for the texts of some trials one after the other (see `as_bytes`)."""
        self._hash.update(content)
        self.trials += trials

    def __str__(self) -> str:
        return f"{self.trials}-{self._hash.hexdigest()}"


def digest(text: str) -> str:
    """A stable hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
