"""Programs that choose attributes: those King (2008: OSU-GP) evolved and sent in, and an evolution that can be run again.

A program is a nested tuple, ``(operation, argument, …)``, over attribute names, lists of names, and `CAN_USE_LOCATION`; it gives a list of
names. The operations follow the paper's set in small: it has loops and variables of its own, which are folded into "walk" here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from referee.errors import InputError, NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast, contrast_of
from referee.selection.frequencies import count
from referee.selection.reasoning import Note, Reasoned

__all__ = ["CAN_USE_LOCATION", "PENALTIES", "SUBMITTED", "Evolved", "Program", "Programs", "run"]

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

PENALTIES: Mapping[str, float] = {"dice": 1.0, "masi": 1.0, "ambiguous": 2.0, "empty": 1.0, "size": 0.005}
"""Weights of 1 - Dice, 1 - MASI, not distinguishing, empty, and program size; the paper has more of them and prints no weights."""


class Situation(NamedTuple):
    """What a program can ask about."""

    contrast: Contrast
    can_use_location: bool

    def left(self, names: Iterable[str]) -> int:
        """The distractors that remain when the attributes are said."""
        return self.contrast.remaining(p for n in names for p in self.contrast.by_name.get(n, ()))


def run(program: Program, situation: Situation) -> Any:
    """The value of a program, or of a part of one, in a situation."""
    if program == CAN_USE_LOCATION:
        return situation.can_use_location
    if not isinstance(program, tuple):
        return program
    operation, *arguments = program
    if operation == "list":
        return tuple(arguments)
    if operation in ("if", "which"):
        return run(arguments[1] if run(arguments[0], situation) else arguments[2], situation)
    return _OPERATIONS[operation](situation, *(run(argument, situation) for argument in arguments))


def _add(situation: Situation, names: Names, name: str) -> Names:
    return tuple(dict.fromkeys((*names, name)))


def _remove(situation: Situation, names: Names, name: str) -> Names:
    return tuple(n for n in names if n != name)


def _join(situation: Situation, names: Names, others: Names) -> Names:
    return tuple(dict.fromkeys((*names, *others)))


def _walk(situation: Situation, names: Names, others: Names) -> Names:
    """Of the others, in their order, those that still rule out somebody."""
    for name in others:
        if _helps(situation, names, name):
            names = (*names, name)
    return names


def _helps(situation: Situation, names: Names, name: str) -> bool:
    left = situation.left(names)
    return any(left & situation.contrast.ruled_out(p) for p in situation.contrast.by_name.get(name, ()))


def _enough(situation: Situation, names: Names) -> bool:
    return not situation.left(names)


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
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
_SIGNATURES: Mapping[str, tuple[list[type], type]] = {
    "if": ([bool, tuple, tuple], tuple),
    "which": ([bool, str, str], str),
    "add": ([tuple, str], tuple),
    "remove": ([tuple, str], tuple),
    "join": ([tuple, tuple], tuple),
    "walk": ([tuple, tuple], tuple),
    "helps": ([tuple, str], bool),
    "enough": ([tuple], bool),
    "and": ([bool, bool], bool),
    "or": ([bool, bool], bool),
    "not": ([bool], bool),
}


class Programs(Reasoned):
    """OSU-GP as submitted: one program per domain, and nothing else is consulted."""

    def __init__(self, programs: Mapping[str, Program] = SUBMITTED) -> None:
        self.programs = programs

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        known = self._known()
        if view.domain not in known:
            raise InputError(
                f"there is no program for the domain {view.domain!r}",
                where=view.id,
                remedy=f"programs are for {', '.join(sorted(map(str, known)))}; evolve one with variants/OSU-GP.evolved",
            )
        names = run(known[view.domain], Situation(contrast, view.condition == "+LOC"))
        return contrast.among(names)

    def _known(self) -> Mapping[Any, Program]:
        return self.programs


class Evolved(Programs):
    """OSU-GP as a trainer: strongly typed genetic programming (the package DEAP), one program per domain.

    Fitness is the mean of weighted `penalties` over the training trials, and is made as small as possible.
    """

    def __init__(
        self,
        population: int = 100,
        generations: int = 20,
        crossover: float = 0.8,
        mutation: float = 0.15,
        tournament: int = 5,
        penalties: Mapping[str, float] = PENALTIES,
        seed: int = 0,
    ) -> None:
        self.population = population
        self.generations = generations
        self.crossover = crossover
        self.mutation = mutation
        self.tournament = tournament
        self.penalties = penalties
        self.seed = seed

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Evolve a program for every domain in the trials."""
        domains: dict[str | None, list[Trial]] = {}
        for trial in trials:
            domains.setdefault(trial.domain, []).append(trial)
        self.programs_ = {domain: self._evolve(members) for domain, members in domains.items()}
        return self

    def _known(self) -> Mapping[Any, Program]:
        if not hasattr(self, "programs_"):
            raise NotTrained(self)
        return self.programs_

    def _evolve(self, trials: Sequence[Trial]) -> Program:
        from deap import algorithms, base, gp, tools

        judge = _Judge(trials, self.penalties)
        with _seeded(self.seed):
            primitives, constants = _primitives(count(trials).order)
            box = base.Toolbox()
            box.register("expr", gp.genHalfAndHalf, pset=primitives, min_=1, max_=3)
            box.register("individual", tools.initIterate, _individual_class(), box.expr)
            box.register("population", tools.initRepeat, list, box.individual)
            box.register("evaluate", lambda tree: (judge(_as_program(tree, constants)),))
            box.register("select", tools.selTournament, tournsize=self.tournament)
            box.register("mate", gp.cxOnePoint)
            box.register("grow", gp.genFull, min_=0, max_=2)
            box.register("mutate", gp.mutUniform, expr=box.grow, pset=primitives)
            for change in ("mate", "mutate"):
                box.decorate(change, gp.staticLimit(key=lambda tree: tree.height, max_value=8))
            best = tools.HallOfFame(1)
            people = box.population(n=self.population)
            algorithms.eaSimple(
                people, box, self.crossover, self.mutation, self.generations, halloffame=best, verbose=False
            )
        return _as_program(best[0], constants)


class _Judge:
    """What a program costs, each program and each answer to a trial weighed only once."""

    def __init__(self, trials: Sequence[Trial], penalties: Mapping[str, float]) -> None:
        views = [t.for_speaker() for t in trials]
        self.situations = [Situation(contrast_of(v), v.condition == "+LOC") for v in views]
        self.references = [[frozenset(r.properties or ()) for r in t.references] for t in trials]
        self.penalties = penalties
        self.programs: dict[Program, float] = {}
        self.answers: dict[tuple[int, frozenset[str]], float] = {}

    def __call__(self, program: Program) -> float:
        if program not in self.programs:
            answers = (self._weigh(i, frozenset(run(program, s))) for i, s in enumerate(self.situations))
            size = self.penalties.get("size", 0.0) * _size(program)
            self.programs[program] = sum(answers) / len(self.situations) + size
        return self.programs[program]

    def _weigh(self, place: int, names: frozenset[str]) -> float:
        if (place, names) not in self.answers:
            situation, weights = self.situations[place], self.penalties
            said = frozenset(p for n in names for p in situation.contrast.by_name.get(n, ()))
            cost = weights.get("ambiguous", 0.0) * bool(situation.left(names)) + weights.get("empty", 0.0) * (not said)
            for reference in self.references[place]:
                dice, masi = _agreement(said, reference)
                lost = weights.get("dice", 0.0) * (1 - dice) + weights.get("masi", 0.0) * (1 - masi)
                cost += lost / len(self.references[place])
            self.answers[place, names] = cost
        return self.answers[place, names]


def _agreement(said: frozenset[Property], reference: frozenset[Property]) -> tuple[float, float]:
    """Dice and MASI of two sets; two empty ones agree."""
    common, either = len(said & reference), len(said | reference)
    if not either:
        return 1.0, 1.0
    contained = said <= reference or reference <= said
    share = 1.0 if said == reference else 2 / 3 if contained else 1 / 3
    return 2 * common / (len(said) + len(reference)), share * common / either if common else 0.0


def _size(program: Program) -> int:
    return sum(map(_size, program[1:])) + 1 if isinstance(program, tuple) and program[0] != "list" else 1


def _primitives(names: Sequence[str]) -> tuple[Any, dict[str, Program]]:
    """The language for DEAP, with single names, no names, and some random lists of names as constants."""
    from deap import gp

    primitives = gp.PrimitiveSetTyped("program", [], tuple)
    for operation, (arguments, result) in _SIGNATURES.items():
        primitives.addPrimitive(len, arguments, result, name=operation)  # never called: `run` does the work
    constants: dict[str, Program] = {f"name{i}": name for i, name in enumerate(names)}
    lists = [random.sample(names, random.randint(1, min(4, len(names)))) for _ in names] if names else []
    constants |= {f"list{i}": ("list", *some) for i, some in enumerate([[], *lists])}
    constants["location"] = CAN_USE_LOCATION
    for name, value in constants.items():
        kind = tuple if isinstance(value, tuple) else bool if value == CAN_USE_LOCATION else str
        primitives.addTerminal(value, kind, name=name)
    return primitives, constants


def _individual_class() -> type:
    from deap import base, gp

    class Smallest(base.Fitness):  # type: ignore[misc]
        weights = (-1.0,)

    class Individual(gp.PrimitiveTree):  # type: ignore[misc]
        def __init__(self, content: Iterable[Any]) -> None:
            super().__init__(content)
            self.fitness = Smallest()

    return Individual


def _as_program(tree: Iterable[Any], constants: Mapping[str, Program]) -> Program:
    """A DEAP tree, which lists its nodes in prefix order, as a nested tuple."""
    nodes = iter(tree)

    def read() -> Program:
        node = next(nodes)
        return constants[node.name] if not node.arity else (node.name, *(read() for _ in range(node.arity)))

    return read()


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """DEAP draws from Python's global generator: seed it for a while, then put it back as it was."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)
