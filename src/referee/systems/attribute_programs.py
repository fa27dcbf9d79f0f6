"""A small language of programs that choose attributes, and the two that King (2008: OSU-GP) evolved and sent in.

A program is a nested tuple, ``(operation, argument, …)``, over attribute names, lists of names, and `CAN_USE_LOCATION`; it gives a list of
names. The operations follow the paper's set in small: it has loops and variables of its own, which are folded into "walk" here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from referee.errors import UnknownDomain
from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast
from referee.selection.reasons import Note, Reasoned

__all__ = ["CAN_USE_LOCATION", "OPERATIONS", "SUBMITTED", "Program", "ProgramView", "Programs", "run"]

Names = tuple[str, ...]
Program = Any
CAN_USE_LOCATION = "can-use-location"

SUBMITTED: Mapping[str, Program] = {
    "furniture": (
        "if",
        CAN_USE_LOCATION,
        ("list", "orientation", "size", "colour"),
        ("list", "orientation", "size", "colour", "type"),
    ),
    "people": (
        "if",
        CAN_USE_LOCATION,
        ("list", "hairColour", "hasGlasses", "hasBeard", "hasSuit"),
        ("list", "hairColour", "hasGlasses", "hasBeard"),
    ),
}
"""The two programs of the challenge entry, as printed."""


class ProgramView(NamedTuple):
    """What a program can ask about."""

    contrast: Contrast
    can_use_location: bool

    def left(self, names: Iterable[str]) -> int:
        """The distractors that remain when the attributes are said."""
        return self.contrast.remaining(p for n in names for p in self.contrast.by_name.get(n, ()))


def run(program: Program, situation: ProgramView) -> Any:
    """The value of a program, or of a part of one, in a situation."""
    if program == CAN_USE_LOCATION:
        return situation.can_use_location
    if not isinstance(program, tuple):
        return program
    operation, *arguments = program
    # The members of a list are names, not programs.
    if operation == "list":
        return tuple(arguments)
    return OPERATIONS[operation](situation, *(run(argument, situation) for argument in arguments))


def _add(situation: ProgramView, names: Names, name: str) -> Names:
    return tuple(dict.fromkeys((*names, name)))


def _remove(situation: ProgramView, names: Names, name: str) -> Names:
    return tuple(n for n in names if n != name)


def _join(situation: ProgramView, names: Names, others: Names) -> Names:
    return tuple(dict.fromkeys((*names, *others)))


def _walk(situation: ProgramView, names: Names, others: Names) -> Names:
    """Of the others, in their order, those that still rule out somebody."""
    for name in others:
        if _helps(situation, names, name):
            names = (*names, name)
    return names


def _helps(situation: ProgramView, names: Names, name: str) -> bool:
    left = situation.left(names)
    return any(left & situation.contrast.ruled_out(p) for p in situation.contrast.by_name.get(name, ()))


def _enough(situation: ProgramView, names: Names) -> bool:
    return not situation.left(names)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "if": lambda situation, test, yes, no: yes if test else no,
    # The same once more, because the typed evolution tells lists from single names.
    "which": lambda situation, test, yes, no: yes if test else no,
    "add": _add,
    "remove": _remove,
    "join": _join,
    "walk": _walk,
    "helps": _helps,
    "enough": _enough,
    "and": lambda situation, a, b: a and b,
    "or": lambda situation, a, b: a or b,
    "not": lambda situation, a: not a,
}


class Programs(Reasoned):
    """OSU-GP as submitted: one program per domain, and nothing else is consulted."""

    def __init__(self, programs: Mapping[str, Program] = SUBMITTED) -> None:
        self.programs = programs

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        known = self._known()
        if view.domain not in known:
            raise UnknownDomain(
                f"there is no program for the domain {view.domain!r}",
                where=view.id,
                remedy=f"programs are for {', '.join(sorted(map(str, known)))}; evolve one with variants/OSU-GP.evolved",
            )
        # The paper's canUseLoc.
        names = run(known[view.domain], ProgramView(contrast, view.condition == "+LOC"))
        return contrast.among(names)

    def _known(self) -> Mapping[Any, Program]:
        return self.programs
