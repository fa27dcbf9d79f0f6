"""Sets of attributes that evolve.

A small genetic algorithm over one bit per attribute (Hervás & Gervás 2009, NIL-UCM-EvoTAP and -EvoCBR).

Fitness is a weighted sum of two shares: whether the target is identified, and the mean weight of the attributes, which
is their frequency of mention. Population, rates and weights are not published; with so few bits the result hardly
depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Self

from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.reasons import Note, Reasoned


@dataclass(eq=False, repr=False)
class EvolvedSet(Reasoned):
    """The fittest set of the last generation; the same seed and trial always give the same set.

    `generations` 0 asks every possible set instead.
    """

    population: int = 40
    generations: int = 25
    crossover: float = 0.8
    mutation: float = 0.05
    identify: float = 1.0
    prefer: float = 0.5
    seed: int = 0

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count mentions, per domain."""
        self.frequencies_: GroupedFrequencies = count_by_group(trials, ("domain",))
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the fittest set of properties."""
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        properties = list(contrast.properties)
        fitness = self._make_fitness(properties, contrast, view)
        size = len(properties)
        best = (
            self._evolve(size, fitness, Random(f"{self.seed} {view.id}"))
            if self.generations
            else _find_fittest(size, fitness)
        )
        chosen = tuple(p for i, p in enumerate(properties) if best >> i & 1)
        for prop in chosen:
            if note:
                note(prop, "in the set with the highest fitness")
        return chosen

    def _make_fitness(
        self, properties: list[Property], contrast: Contrast, view: SpeakerView
    ) -> Callable[[int], float]:
        """Return the fitness function of sets."""
        seen = self.frequencies_.of(view)
        weights = [seen.share(p.name) or 0.0 for p in properties]

        # With a dozen bits the same set comes up again and again.
        @cache
        def compute_fitness(genome: int) -> float:
            """Return the fitness of a set of properties: whether it identifies the target, and its preferences."""
            indices = [i for i in range(len(properties)) if genome >> i & 1]
            if not indices:
                return 0.0
            alone = not contrast.remaining([properties[i] for i in indices])
            # With the default weights no ambiguous set beats one that singles the target out.
            return self.identify * alone + self.prefer * sum(weights[i] for i in indices) / len(indices)

        return compute_fitness

    def _evolve(self, size: int, fitness: Callable[[int], float], rng: Random) -> int:
        """Return the fittest set after all generations: crossover, mutation, and the best set kept."""
        people = [1 << rng.randrange(size) if size else 0 for _ in range(self.population)]
        for _ in range(self.generations):
            best = max(people, key=fitness)
            people = [best, *(self._breed(people, size, fitness, rng) for _ in range(self.population - 1))]
        return max(people, key=fitness)

    def _breed(self, people: list[int], size: int, fitness: Callable[[int], float], rng: Random) -> int:
        """Return a child of two parents by crossover and mutation."""
        mother, father = (max(rng.choice(people), rng.choice(people), key=fitness) for _ in range(2))
        child = mother
        if rng.random() < self.crossover:
            low = (1 << rng.randrange(1, size)) - 1 if size > 1 else 0
            child = (mother & ~low) | (father & low)
        for i in range(size):
            if rng.random() < self.mutation:
                child ^= 1 << i
        return child


def _find_fittest(size: int, fitness: Callable[[int], float]) -> int:
    """Return the fittest of all sets, the first of equals."""
    return max(range(1, 1 << size), key=fitness, default=0)
