"""Signatures of scores, derived from constructor parameters and digests of the inputs, so that no setting can be
missing.

After sacrebleu and scikit-learn. All settings that can change a number change its signature, and no others do: not the
order of trials, the name of a file, or an unused seed.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from pathlib import Path
from types import ModuleType
from typing import Any

from referee import __version__
from referee.records import Description, Entity, Property, Response, Scene, SceneNotes, Span, Trial

__all__ = [
    "Fingerprint",
    "difference",
    "digest",
    "explain",
    "fingerprint",
    "output_digests",
    "parameters",
    "short",
    "signature",
    "text_digests",
    "trial_digests",
    "with_labels",
    "without_outputs",
]

_END = "\x1e"
_WHOLE = re.compile(r"(?<=\d)\.0(?!\d)")
_DIGEST = 8
OF_OUTPUTS = ("outputs", "baseline")
"""Parts of a signature that belong to one system's outputs."""
_SCENES: SceneNotes[str, str] = SceneNotes("signature.text")


def parameters(thing: object) -> dict[str, Any]:
    """Return the constructor parameters of an object with the values it stores under the same names."""
    names = [
        p.name
        for p in inspect.signature(type(thing)).parameters.values()
        # `*args` and `**kwargs` have no attribute of their name to be read from.
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    return {name: getattr(thing, name) for name in names}


def _select_signed(thing: object) -> dict[str, Any]:
    """Return the parameters that determine results, without those for speed or cost (`unsigned`)."""
    aside: frozenset[str] = getattr(type(thing), "unsigned", frozenset())
    return {name: value for name, value in parameters(thing).items() if name not in aside}


def _format_parameter(value: object) -> str:
    """Return a parameter value as signature text: yes/no for booleans, short hashes for tables."""
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
        return "+".join(sorted(map(_format_parameter, value))) or "none"  # sets have no order of their own
    if isinstance(value, (tuple, list)):
        return "+".join(_format_parameter(v) for v in value) or "none"
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        # identified by its parameters, because a memory address is meaningless
        inside = ",".join(f"{key}={_format_parameter(part)}" for key, part in _select_signed(value).items())
        return f"{type(value).__name__}({inside})"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    # A bar would begin the next part.
    return str(value).replace("|", "/")


def signature(name: str, thing: object, **more: object) -> str:
    """Return ``name|parameter:value|…|version:x`` for any object whose constructor stores its parameters."""
    items = {**_select_signed(thing), **more}
    # Our own version says nothing about code that comes from elsewhere.
    if (package := type(thing).__module__.partition(".")[0]) != "referee":
        items["package"] = f"{package}-{_find_package_version(package)}"
    written = "".join(f"|{key}:{_format_parameter(value)}" for key, value in items.items())
    return f"{name}{written}|version:{__version__}"


@lru_cache(maxsize=64)
def _find_package_version(package: str) -> str:
    """Return the version of a plug-in's distribution, or a digest of its code for an unreleased package."""
    import sys
    from importlib.metadata import packages_distributions, version

    module = sys.modules.get(package)
    # looking through all that is installed takes a second, and a module that lies elsewhere would not be found there anyway
    if "site-packages" not in str(getattr(module, "__file__", "")):
        return _hash_code(module)
    names = packages_distributions().get(package)
    return version(names[0]) if names else _hash_code(module)


def _hash_code(module: ModuleType | None) -> str:
    """Return a digest of the source files of a module, with those of its package and of modules beside it that it uses."""
    files: set[Path] = set()
    _collect_sources(module, files)
    if not files:
        return "unversioned"
    contents = hashlib.sha256()
    for source in sorted(files):
        contents.update(source.read_bytes())
    return f"code-{contents.hexdigest()[:12]}"


def _collect_sources(module: ModuleType | None, files: set[Path]) -> None:
    """Add the source files of a module, of its package, and of modules in its folder that it imports."""
    import sys

    file = getattr(module, "__file__", None)
    # The file of `python -` is "<stdin>".
    if file is None or Path(file) in files or not Path(file).is_file():
        return
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    files |= {Path(file), *(source for folder in folders for source in folder.rglob("*.py"))}
    for used in list(vars(module).values()):
        other = used if isinstance(used, ModuleType) else sys.modules.get(getattr(used, "__module__", None) or "")
        place = Path(getattr(other, "__file__", None) or "/")
        # An environment may lie in the same folder; what is installed or ours has a version.
        is_released = "site-packages" in place.parts or getattr(other, "__name__", "").startswith("referee")
        if place.is_relative_to(Path(file).parent) and not is_released:
            _collect_sources(other, files)


def short(text: str) -> str:
    """Return the eight hexadecimal digits of a signature in tables."""
    return digest(text)[:8]


def explain(text: str) -> dict[str, str]:
    """Return the parts of a signature: ``measure`` and its name first, then every switch with its value."""
    name, *parts = text.strip().split("|")
    return {"measure": name, **{key: value for key, _, value in (part.partition(":") for part in parts)}}


def without_outputs(text: str) -> str:
    """Return a signature without its system-specific parts, as shared by all rows of a measure."""
    return "|".join(part for part in text.split("|") if part.partition(":")[0] not in OF_OUTPUTS)


def difference(first: str, second: str) -> dict[str, tuple[str | None, str | None]]:
    """Return the parts in which two signatures differ, with the values of both (None: not there).

    >>> difference("set/dice|seed:1|version:1", "set/dice|seed:2|version:1")
    {'seed': ('1', '2')}
    """
    a, b = explain(first), explain(second)
    return {key: (a.get(key), b.get(key)) for key in dict.fromkeys((*a, *b)) if a.get(key) != b.get(key)}


def _format_scene(scene: Scene) -> str:
    """Return all of a scene that measures may use, made once for all trials that share it."""
    notes = _SCENES.of(scene)
    if "text" not in notes:
        picture = None if scene.picture is None else (scene.picture.size, scene.picture.sha256)
        parts: list[str] = [repr((scene.id, scene.complete, picture))]
        parts += [] if scene.taxonomy is None else [repr(tuple(map(sorted, scene.taxonomy)))]
        notes["text"] = "\x1f".join(parts + sorted(map(_format_entity, scene.entities)))
    return notes["text"]


def _format_entity(entity: Entity) -> str:
    """Return all of an entity that measures may use."""
    parts = [_END, entity.id, *_format_properties(entity.attributes)]
    details = (tuple(sorted(entity.relations)), entity.region, entity.position)
    if any(detail is not None and detail != () for detail in details):
        parts += [repr(details[0]), _number_text(details[1:])]
    return "\x1f".join(parts)


def _number_text(numbers: object) -> str:
    """Return the `repr` of numbers and places, in which 5.0 is written as 5."""
    return _WHOLE.sub("", repr(numbers))


def _format_description(description: Description | None) -> str:
    """Return all of a description that measures may use."""
    if description is None:
        return f"\x1f{_END}none"
    has_properties = "False" if description.properties is None else "True"
    distribution, meaning, spans = description.distribution, description.meaning, description.spans
    is_plain = distribution is None and meaning is None and not spans
    details = "" if is_plain else f"({distribution!r}, {meaning!r}, {_format_spans(spans)})"
    properties = _format_properties(description.properties or ())
    return "\x1f".join(("", _END, repr(description.text), has_properties, details, *properties))


def _format_properties(properties: Iterable[Property]) -> Iterable[str]:
    """Return the names and values of properties, sorted by name: their order does not change a signature."""
    by_name: list[Property] = sorted(properties, key=lambda p: p.name)
    return chain.from_iterable(by_name)


def _format_spans(spans: tuple[Span, ...]) -> str:
    """Return the `repr` of some spans."""
    return f"({', '.join(map(_span_text, spans))}{',' * (len(spans) == 1)})"


# Words recur: equal spans are written once.
_span_text: Callable[[Span], str] = lru_cache(maxsize=1 << 16)(repr)


class _DescriptionTexts(dict[int, str]):
    """The texts of descriptions by `id`, so that a shared one is written once.

    Valid while the descriptions live.
    """

    def of(self, description: Description | None) -> str:
        """Return the text of a description, cached."""
        text = self.get(id(description))
        if text is None:
            text = self[id(description)] = _format_description(description)
        return text


def trial_digests(trials: Iterable[Trial], references: Iterable[Collection[Description]]) -> bytes:
    """Return a digest of each trial as it is used: id, targets, language, scene, and the references it is compared with."""
    text_of, digests = _DescriptionTexts().of, []
    for trial, compared in zip(trials, references, strict=False):
        opening = "\x1f".join((trial.id, *trial.targets, _END, trial.language, ""))
        digests.append(_shorten_digest("".join((opening, _format_scene(trial.scene), *sorted(map(text_of, compared))))))
    return b"".join(digests)


def with_labels(digests: bytes, labels: Iterable[tuple[str | None, ...]]) -> bytes:
    """Return digests of trials with the labels of their clusters."""
    suffixes: dict[tuple[str | None, ...], bytes] = {}
    found = []
    for i, own in enumerate(labels):
        suffix = suffixes.get(own)
        if suffix is None:
            suffix = suffixes[own] = repr(own).encode("utf-8", "surrogatepass")
        own_digest = digests[i * _DIGEST : (i + 1) * _DIGEST]
        found.append(hashlib.blake2b(own_digest + suffix, digest_size=_DIGEST).digest())
    return b"".join(found)


def output_digests(
    trials: Iterable[str], outputs: Iterable[Description | None], responses: Sequence[Response | None] = ()
) -> bytes:
    """Return a digest of each output: the trial, the description, and the answer of a system that finds instead of describing."""
    text_of, digests = _DescriptionTexts().of, []
    for trial, output, response in zip(trials, outputs, responses or repeat(None), strict=False):
        answer = "" if response is None else _number_text((response.outcome, response.entity, response.places))
        digests.append(_shorten_digest(f"{trial}{text_of(output)}\x1f{answer}"))
    return b"".join(digests)


def text_digests(texts: Iterable[str]) -> bytes:
    """Return a digest of each text."""
    return b"".join(map(_shorten_digest, texts))


def fingerprint(digests: bytes) -> str:
    """Return the digest of some trials, outputs or answers, in any order."""
    whole = Fingerprint()
    whole.add(digests)
    return str(whole)


def _shorten_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


class Fingerprint:
    """A digest of trials or outputs that does not depend on their order, made from the digests of each (`trial_digests`, `output_digests`)."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []

    def add(self, digests: bytes) -> None:
        """Add the digests of some trials, one after the other."""
        self._digests.append(digests)

    def __str__(self) -> str:
        import numpy as np

        digests = np.frombuffer(b"".join(self._digests), dtype=f">u{_DIGEST}")
        # Short enough to stand in a signature that people read and compare.
        whole = hashlib.blake2b(np.sort(digests).tobytes(), digest_size=_DIGEST)
        return f"{len(digests)}-{whole.hexdigest()}"


def digest(text: str) -> str:
    """Return a stable hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
