"""A hearer as the user names it.

From the catalogue, a class in a module (``module:Class``) or a class in a file (``file.py:Class``), with switches.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee import catalogue
from referee.errors import InputError
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
        made = catalogue.build(catalogue.import_class(name), name, switches, seed=seed)
    except TypeError as error:
        raise InputError(
            f"{name} cannot be made ({error})", remedy=f"set its parameters: {name}|parameter:value"
        ) from error
    return _check_hearer(made, name)


def name_of(written: str) -> str:
    """Return the name to print: a class in a file, or a file of answers, without the folders that lead to it."""
    if is_recorded(written):
        return name_of_recorded(written)
    name, bar, switches = written.partition("|")
    file, colon, cls = name.rpartition(":")
    if file.endswith(".py"):
        return f"{Path(file).name}{colon}{cls}{bar}{switches}"
    # Who asks faster is no other hearer.
    return catalogue.drop_pace_options("hearer", written)


def find_family(name: str) -> str:
    """Return the family of a model or system, its name before version numbers.

    ``org/gpt-4o-mini`` is ``gpt``, ``llama3`` is ``llama``.
    """
    last = name.lower().rpartition("/")[2]
    letters = "".join(c if c.isalpha() else " " for c in last).split()
    return letters[0] if letters else last


def _check_hearer(hearer: Any, name: str) -> Any:
    """Return the hearer. Raises InputError if it lacks a method."""
    missing = [m for m in ("fit", "resolve") if not callable(getattr(hearer, m, None))]
    if missing:
        raise InputError(
            f"{name} has no {' and no '.join(missing)}",
            remedy="a hearer has fit(trials), which returns it, and resolve(description, view), which returns a Response",
        )
    return hearer
