"""Genetic programming of attribute selection.

The evolution behind OSU-GP, as far as it is published (King 2008). The incremental algorithm is not among the
operations: it has to be found. It is strongly typed (Koza's kind, with the package DEAP): programs are grown, crossed
and mutated, and their errors are their cost.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from referee.errors import NotTrained, naming_extra
from referee.records import Property, Trial
from referee.selection.contrast import get_contrast
from referee.selection.frequencies import check_groups, count
from referee.systems.attribute_programs import (
    CAN_USE_LOCATION,
    CURRENT,
    OPERATIONS,
    OTHERS,
    REST,
    SAID,
    Program,
    Programs,
    ProgramView,
    evaluate_program,
)

PENALTIES: Mapping[str, float] = {"dice": 1.0, "masi": 1.0, "ambiguous": 2.0, "empty": 1.0, "size": 0.005}
"""Weights of 1 - Dice, 1 - MASI, not distinguishing, empty, and program size; the paper has more of them and prints no weights."""

MOST_PARTS = 20_000
"""Number of subprograms whose values are cached."""

_SIGNATURES: Mapping[str, tuple[list[type], type]] = {
    "if": ([bool, tuple, tuple], tuple),
    "which": ([bool, str, str], str),
    "add": ([tuple, str], tuple),
    "remove": ([tuple, str], tuple),
    "join": ([tuple, tuple], tuple),
    "each": ([tuple, bool], tuple),
    "agreeing": ([int, str], int),
    "empty": ([int], bool),
    "fewer": ([int, int], bool),
    "among": ([str, tuple], bool),
    "enough": ([tuple], bool),
    "and": ([bool, bool], bool),
    "or": ([bool, bool], bool),
    "not": ([bool], bool),
}
"""Operations for DEAP, with the types of their arguments and results."""


@dataclass(eq=False, repr=False)
class Evolved(Programs):
    """OSU-GP as a trainer: strongly typed genetic programming (the package DEAP), one program per domain.

    Fitness is the mean of weighted `penalties` over the training trials, and is made as small as possible.
    """

    population: int = 100
    generations: int = 20
    crossover: float = 0.8
    mutation: float = 0.15
    tournament: int = 5
    penalties: Mapping[str, float] = field(default_factory=lambda: PENALTIES)
    seed: int = 0

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Evolve a program for every domain in the trials."""
        domains: dict[str | None, list[Trial]] = {}
        for trial in trials:
            domains.setdefault(trial.domain, []).append(trial)
        self.programs_ = {domain: self._evolve(members) for domain, members in domains.items()}
        return self

    def check_training(self, train: Sequence[Trial], test: Sequence[Trial]) -> None:
        """Raise InputError for a trial of a domain without training data."""
        check_groups(train, test, ("domain",))

    def _get_programs(self) -> Mapping[Any, Program]:
        """Return the evolved programs. Raises NotTrained without any."""
        if not hasattr(self, "programs_"):
            raise NotTrained(self)
        return self.programs_

    def _evolve(self, trials: Sequence[Trial]) -> Program:
        """Return the best program of the evolution."""
        _require_deap()
        from deap import algorithms, base, gp, tools

        judge = _Judge(trials, self.penalties)
        with _seed_python(self.seed):
            primitives, constants = _make_primitives(count(trials).order)
            box = base.Toolbox()
            box.register("expr", gp.genHalfAndHalf, pset=primitives, min_=1, max_=3)
            box.register("individual", tools.initIterate, _get_individual_class(), box.expr)
            box.register("population", tools.initRepeat, list, box.individual)
            box.register("evaluate", lambda tree: (judge(_convert_to_program(tree, constants)),))
            box.register("select", tools.selTournament, tournsize=self.tournament)
            box.register("mate", gp.cxOnePoint)
            box.register("grow", gp.genFull, min_=0, max_=2)
            box.register("mutate", gp.mutUniform, expr=box.grow, pset=primitives)
            # Against programs that grow without getting better; no limit is published.
            for change in ("mate", "mutate"):
                box.decorate(change, gp.staticLimit(key=lambda tree: tree.height, max_value=8))
            best = tools.HallOfFame(1)
            people = box.population(n=self.population)
            algorithms.eaSimple(
                people, box, self.crossover, self.mutation, self.generations, halloffame=best, verbose=False
            )
        return _convert_to_program(best[0], constants)


def _require_deap() -> None:
    with naming_extra():
        import deap  # noqa: F401


class _Judge:
    """The cost of programs. Offspring share most of their parts, so every part and every answer is evaluated only once."""

    def __init__(self, trials: Sequence[Trial], penalties: Mapping[str, float]) -> None:
        views = [t.for_speaker() for t in trials]
        self.situations = [ProgramView(get_contrast(v), v.condition == "+LOC") for v in views]
        self.references = [[frozenset(r.properties or ()) for r in t.references] for t in trials]
        self.penalties = penalties
        self.parts: dict[Program, list[Any]] = {}
        self.answers: dict[tuple[int, frozenset[str]], float] = {}

    def __call__(self, program: Program) -> float:
        if len(self.parts) > MOST_PARTS:
            self.parts.clear()
        answers = (self._weigh(i, frozenset(names)) for i, names in enumerate(self._evaluate(program)))
        return sum(answers) / len(self.situations) + self.penalties.get("size", 0.0) * _count_nodes(program)

    def _evaluate(self, program: Program) -> list[Any]:
        """Return the value of a program, or of a part of one, in all situations."""
        if program not in self.parts:
            if isinstance(program, tuple) and program[0] in OPERATIONS:
                operation, arguments = OPERATIONS[program[0]], map(self._evaluate, program[1:])
                self.parts[program] = list(map(operation, self.situations, *arguments))
            else:
                self.parts[program] = [evaluate_program(program, situation) for situation in self.situations]
        return self.parts[program]

    def _weigh(self, place: int, names: frozenset[str]) -> float:
        """Return the cost of an answer."""
        if (place, names) not in self.answers:
            situation, weights = self.situations[place], self.penalties
            chosen = frozenset(p for n in names for p in situation.contrast.by_name.get(n, ()))
            cost = weights.get("ambiguous", 0.0) * bool(situation.left(names)) + weights.get("empty", 0.0) * (
                not chosen
            )
            for reference in self.references[place]:
                dice, masi = _compute_agreement(chosen, reference)
                lost = weights.get("dice", 0.0) * (1 - dice) + weights.get("masi", 0.0) * (1 - masi)
                cost += lost / len(self.references[place])
            self.answers[place, names] = cost
        return self.answers[place, names]


def _compute_agreement(chosen: frozenset[Property], reference: frozenset[Property]) -> tuple[float, float]:
    """Return Dice and MASI of two sets; two empty sets agree."""
    common, either = len(chosen & reference), len(chosen | reference)
    if not either:
        return 1.0, 1.0
    contained = chosen <= reference or reference <= chosen
    share = 1.0 if chosen == reference else 2 / 3 if contained else 1 / 3
    return 2 * common / (len(chosen) + len(reference)), share * common / either if common else 0.0


def _count_nodes(program: Program) -> int:
    return sum(map(_count_nodes, program[1:])) + 1 if isinstance(program, tuple) and program[0] != "list" else 1


def _make_primitives(names: Sequence[str]) -> tuple[Any, dict[str, Program]]:
    """Return DEAP's language: single names, no names, and some random lists of names as constants."""
    from deap import gp

    primitives = gp.PrimitiveSetTyped("program", [], tuple)
    for operation, (arguments, result) in _SIGNATURES.items():
        primitives.addPrimitive(len, arguments, result, name=operation)  # never called: `run` does the work
    constants: dict[str, Program] = {f"name{i}": name for i, name in enumerate(names)}
    # Under the seed, like the random lists among the constants of the paper.
    lists = [random.sample(names, random.randint(1, min(4, len(names)))) for _ in names] if names else []
    constants |= {f"list{i}": ("list", *some) for i, some in enumerate([[], *lists])}
    # All names, in the order of frequency, are one of the constants: a loop needs something to go through.
    constants["all"] = ("list", *names)
    constants |= {"location": CAN_USE_LOCATION, "current": CURRENT, "said": SAID, "rest": REST, "others": OTHERS}
    kinds = {CAN_USE_LOCATION: bool, CURRENT: str, SAID: tuple, REST: int, OTHERS: int}
    for name, value in constants.items():
        kind = tuple if isinstance(value, tuple) else kinds.get(value, str)
        primitives.addTerminal(value, kind, name=name)
    return primitives, constants


def _get_individual_class() -> type:
    """Return the class of individuals, which DEAP's creator would otherwise define for the whole process."""
    from deap import base, gp

    # Classes of our own: DEAP's creator would put them into its module for the whole process.
    class Smallest(base.Fitness):  # type: ignore[misc]  # DEAP ships no types
        weights = (-1.0,)

    class Individual(gp.PrimitiveTree):  # type: ignore[misc]
        def __init__(self, content: Iterable[Any]) -> None:
            super().__init__(content)
            self.fitness = Smallest()

    return Individual


def _convert_to_program(tree: Iterable[Any], constants: Mapping[str, Program]) -> Program:
    """Return a DEAP tree, which lists its nodes in prefix order, as a nested tuple."""
    nodes = iter(tree)

    def read() -> Program:
        node = next(nodes)
        return constants[node.name] if not node.arity else (node.name, *(read() for _ in range(node.arity)))

    return read()


@contextmanager
def _seed_python(seed: int) -> Iterator[None]:
    """Seed Python's global generator, which DEAP uses, and restore it afterwards."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)
