"""A hearer as the user names it.

From the catalogue, a class in a module (``module:Class``) or a class in a file (``file.py:Class``), with switches.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import Any

from referee import catalogue
from referee.errors import InputError, UnknownName
from referee.hearers.recorded import is_recorded, name_of_recorded


def summon(written: str, seed: int = 1) -> Any:
    """Return a new, untrained hearer from ``NAME|option:value|…``.

    A random one is seeded by `seed`, unless an option overrides it.
    """
    name, *switches = written.split("|")
    if is_recorded(name):
        raise InputError(
            f"{name_of(name)} has recorded answers only",
            remedy="its card is made from its answers: referee passport recorded:FILE.jsonl --corpus NAME",
        )
    if ":" not in name:
        return catalogue.configure("hearer", written, seed)
    try:
        made = catalogue.build(_import_class(name), name, switches, seed=seed)
    except TypeError as error:
        raise InputError(
            f"{name} cannot be made ({error})", remedy=f"set its parameters: {name}|parameter:value"
        ) from error
    return _checked(made, name)


def name_of(written: str) -> str:
    """The name to print: a class in a file, or a file of answers, without the folders that lead to it."""
    if is_recorded(written):
        return name_of_recorded(written)
    name, bar, switches = written.partition("|")
    file, colon, cls = name.rpartition(":")
    if file.endswith(".py"):
        return f"{Path(file).name}{colon}{cls}{bar}{switches}"
    # Who asks faster is no other hearer.
    return catalogue.without_pace("hearer", written)


def family_of(name: str) -> str:
    """Return the family of a model or system, its name before version numbers.

    ``org/gpt-4o-mini`` is ``gpt``, ``llama3`` is ``llama``.
    """
    last = name.lower().rpartition("/")[2]
    letters = "".join(c if c.isalpha() else " " for c in last).split()
    return letters[0] if letters else last


def _import_class(name: str) -> Any:
    """Return a hearer class from FILE.py:CLASS or MODULE:CLASS. Raises UnknownName for an unknown class."""
    place, _, cls = name.rpartition(":")
    module = _from_file(Path(place)) if place.endswith(".py") else _from_path(place)
    hearer_class = getattr(module, cls, None)
    if not isclass(hearer_class):
        classes = [n for n, x in vars(module).items() if isclass(x) and x.__module__ == module.__name__]
        raise UnknownName("class", cls, classes, hint=f"{place} has {', '.join(classes) or 'no classes'}")
    return hearer_class


def _from_file(path: Path) -> ModuleType:
    """Return a module from a Python file. Raises InputError if there is none."""
    if not path.is_file():
        raise InputError("there is no such file", where=path, remedy="name a custom hearer as FILE.py:CLASS")
    name = f"referee_own_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("this is not a Python file", where=path, remedy="name a custom hearer as FILE.py:CLASS")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their own module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"it cannot be imported ({type(error).__name__}: {error})", where=path) from error
    return module


def _from_path(name: str) -> ModuleType:
    """Return a module from the import path or the working directory."""
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except ImportError as error:
        remedy = "name MODULE:CLASS with a module that Python finds from here, or FILE.py:CLASS"
        raise InputError(f"the module {name!r} cannot be imported ({error})", remedy=remedy) from error
    finally:
        if added:
            sys.path.remove(here)


def _checked(hearer: Any, name: str) -> Any:
    """Return the hearer. Raises InputError if it lacks a method."""
    missing = [m for m in ("fit", "resolve") if not callable(getattr(hearer, m, None))]
    if missing:
        raise InputError(
            f"{name} has no {' and no '.join(missing)}",
            remedy="a hearer has fit(trials), which returns it, and resolve(description, view), which returns a Response",
        )
    return hearer
