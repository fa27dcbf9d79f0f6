"""A small language of programs that select attributes, and the two that King (2008: OSU-GP) evolved and submitted.

A program is a nested tuple, ``(operation, argument, …)``, over attribute names, lists of names, and `CAN_USE_LOCATION`;
it returns a list of names. The operations follow the paper's set: lists of attributes, sets of entities, tests, and one
loop with its variables. ``("each", list, test)`` filters a list by a test, in which `CURRENT` is the current attribute,
`SAID` the attributes selected so far, and `REST` the remaining distractors. The incremental algorithm is no operation;
it can be composed from these, or evolve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from referee.errors import UnknownDomain
from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast
from referee.selection.reasons import Note, Reasoned

Names = tuple[str, ...]
Program = Any
CAN_USE_LOCATION = "can-use-location"
CURRENT, SAID, REST, OTHERS = "current-attribute", "said-so-far", "rest-of-distractors", "all-distractors"
EACH = "each"

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
    """The data that a program can query."""

    contrast: Contrast
    can_use_location: bool
    current: str = ""
    chosen: Names = ()
    rest: int | None = None

    def left(self, names: Iterable[str]) -> int:
        """Return the distractors that remain after some attributes."""
        return self.contrast.remaining(p for n in names for p in self.contrast.by_name.get(n, ()))


def evaluate_program(program: Program, situation: ProgramView) -> Any:
    """Return the value of a program, or of a part of one, in a situation."""
    if not isinstance(program, tuple):
        return _get_variable(program, situation)
    operation, *arguments = program
    if operation == EACH:
        return _filter_names(situation, evaluate_program(arguments[0], situation), arguments[1])
    # The members of a list are names, not programs.
    if operation == "list":
        return tuple(arguments)
    return OPERATIONS[operation](situation, *(evaluate_program(argument, situation) for argument in arguments))


def _get_variable(program: Program, situation: ProgramView) -> Any:
    """Return the value of a variable; other programs are constants.

    Outside a loop no attribute is selected, and all entities remain.
    """
    if program == CAN_USE_LOCATION:
        return situation.can_use_location
    if program == CURRENT:
        return situation.current
    if program == SAID:
        return situation.chosen
    if program == OTHERS or (program == REST and situation.rest is None):
        return situation.contrast.distractors
    return situation.rest if program == REST else program


def _filter_names(situation: ProgramView, names: Names, test: Program) -> Names:
    """Return the attributes of a list that pass a test."""
    chosen: Names = ()
    rest = situation.contrast.distractors
    for name in names:
        if evaluate_program(test, situation._replace(current=name, chosen=chosen, rest=rest)):
            chosen = _add_name(situation, chosen, name)
            rest = _find_agreeing(situation, rest, name)
    return chosen


def _find_agreeing(situation: ProgramView, entities: int, name: str) -> int:
    """Return the entities with the target's value of an attribute."""
    for prop in situation.contrast.by_name.get(name, ()):
        entities &= situation.contrast.extensions[prop]
    return entities


def _add_name(situation: ProgramView, names: Names, name: str) -> Names:
    """Return the names with another one at the end."""
    return tuple(dict.fromkeys((*names, name)))


def _remove_name(situation: ProgramView, names: Names, name: str) -> Names:
    """Return the names without one."""
    return tuple(n for n in names if n != name)


def _join_names(situation: ProgramView, names: Names, others: Names) -> Names:
    """Return the names of both lists, each once."""
    return tuple(dict.fromkeys((*names, *others)))


def _is_enough(situation: ProgramView, names: Names) -> bool:
    return not situation.left(names)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "if": lambda situation, test, yes, no: yes if test else no,
    # The same once more, because the typed evolution tells lists from single names.
    "which": lambda situation, test, yes, no: yes if test else no,
    "add": _add_name,
    "remove": _remove_name,
    "join": _join_names,
    "agreeing": _find_agreeing,
    "empty": lambda situation, entities: not entities,
    "fewer": lambda situation, first, other: first.bit_count() < other.bit_count(),
    "among": lambda situation, name, names: name in names,
    "enough": _is_enough,
    "and": lambda situation, a, b: a and b,
    "or": lambda situation, a, b: a or b,
    "not": lambda situation, a: not a,
}


class Programs(Reasoned):
    """OSU-GP as submitted: one program per domain, without other data."""

    def __init__(self, programs: Mapping[str, Program] = SUBMITTED) -> None:
        self.programs = programs

    def check(self, view: SpeakerView) -> None:
        """Raise UnknownDomain if there is no program for a domain."""
        programs = self._get_programs()
        if view.domain not in programs:
            raise UnknownDomain(
                f"there is no program for the domain {view.domain!r}",
                where=view.id,
                remedy=f"programs are for {', '.join(sorted(map(str, programs)))}; evolve one with variants/OSU-GP.evolved",
            )

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties that the domain's program selects."""
        self.check(view)
        # The paper's canUseLoc.
        names = evaluate_program(self._get_programs()[view.domain], ProgramView(contrast, view.condition == "+LOC"))
        return contrast.select_by_name(names)

    def _get_programs(self) -> Mapping[Any, Program]:
        return self.programs
