"""Variation between speakers.

A system's sets of properties for a scene compared with people's (divergence of Lin 1991), and rates of over- and
under-specification.

Descriptions of the same targets in the same scene (by the scene's id; without one, the trial's) belong to the same
situation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum, log2

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.discrimination import count_surplus
from referee.metrics.measure import Measure
from referee.metrics.scenes import make_situations
from referee.records import Description, Property, Trial

Situation = tuple[str, frozenset[str]]
PropertySet = frozenset[Property]
Weights = Mapping[PropertySet, float]


def compute_jensen_shannon(outcome: Weights, other: Weights) -> float:
    """Compute the Jensen-Shannon divergence of two distributions in bits (Lin 1991), from any weights."""
    total, other_total = sum(outcome.values()), sum(other.values())
    parts = []
    for event in outcome.keys() | other.keys():
        p, q = outcome.get(event, 0) / total, other.get(event, 0) / other_total
        # Against the middle no logarithm is infinite, where a set that only one side uses would make Kullback-Leibler's
        # so.
        middle = (p + q) / 2
        parts.append(sum(x * log2(x / middle) for x in (p, q) if x > 0) / 2)
    # A set has another order in every process, and a plain sum of its parts another last bit.
    return min(1.0, max(0.0, fsum(parts)))


@dataclass(slots=True)
class _Tally:
    """Counts of sets by people and by the system in each situation; the references of a trial count once."""

    people: dict[Situation, Counter[PropertySet]] = field(default_factory=lambda: defaultdict(Counter))
    system: dict[Situation, Counter[PropertySet]] = field(default_factory=lambda: defaultdict(Counter))
    seen: set[str] = field(default_factory=set)

    def add(self, batch: Batch) -> None:
        """Add the outputs and references of a batch."""
        for output, trial, references in zip(batch.outputs, batch.trials, batch.references, strict=True):
            situation = _identify_situation(trial)
            if output is not None and output.properties is not None:
                self.system[situation][frozenset(output.properties)] += 1
            if trial.id not in self.seen:
                self.seen.add(trial.id)
                description = (frozenset(r.properties) for r in references if r.properties is not None)
                self.people[situation].update(description)


class _VariationMeasure(Measure):
    """A comparison of the system's distribution in a situation with people's; one row per item.

    The system's distribution is the output's declared one (`Description.distribution`), else that of its outputs over
    all items of the situation. `learn` counts over several batches; without it a batch is measured by itself. Not
    measured: items without properties in any reference, or in the output.
    """

    _tally: _Tally | None = None

    def learn(self, batch: Batch) -> None:
        """Count the sets of people and of the system in one batch; all batches are counted before any is scored."""
        if self._tally is None:
            self._tally = _Tally()
        self._tally.add(batch)

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one row per item."""
        tally = self._tally
        if tally is None:
            tally = _Tally()
            tally.add(batch)
        references_seen: dict[Situation, float] = {}
        values = [
            self._measure_item(o, t, tally, references_seen) for o, t in zip(batch.outputs, batch.trials, strict=True)
        ]
        return np.array(values, dtype=float).reshape(-1, 1)

    def _measure_item(
        self, output: Description | None, trial: Trial, tally: _Tally, references_seen: dict[Situation, float]
    ) -> float:
        """Return the value of one item; NaN without people's sets or an output."""
        situation = _identify_situation(trial)
        people = tally.people.get(situation)
        if output is None or not people:
            return np.nan
        if output.distribution is not None:
            return self._compare_nonempty(_merge_distribution(output), people)
        if output.properties is None:
            return np.nan
        # Without a declared distribution all items of a situation have the same value.
        if situation not in references_seen:
            references_seen[situation] = self._compare_nonempty(tally.system.get(situation, {}), people)
        return references_seen[situation]

    def _compare_nonempty(self, system: Weights, people: Weights) -> float:
        """Compare two distributions; NaN if the system's is empty."""
        return self._compare(system, people) if sum(system.values()) > 0 else np.nan

    def _compare(self, system: Weights, people: Weights) -> float:
        """Return the value for the system's and people's distributions; subclasses define it."""
        raise NotImplementedError


class JensenShannon(_VariationMeasure):
    """Jensen-Shannon divergence (base 2) of the system's sets from people's, in [0, 1]; lower is better.

    Lin (1991).
    """

    name = "distribution/js"
    direction = "lower"

    def _compare(self, system: Weights, people: Weights) -> float:
        """Return the Jensen-Shannon divergence of both distributions."""
        return compute_jensen_shannon(system, people)


class Coverage(_VariationMeasure):
    """The proportion of people's descriptions whose set the system also produces; higher is better.

    Any probability above 0 counts.

    With `distinct`, the share of the sets that people use, however often.
    """

    name = "distribution/coverage"

    def __init__(self, *, distinct: bool = False) -> None:
        self.distinct = distinct

    def _compare(self, system: Weights, people: Weights) -> float:
        """Return the proportion of people's sets that the system produces."""
        weights = dict.fromkeys(people, 1) if self.distinct else people
        return sum(w for description, w in weights.items() if system.get(description, 0) > 0) / sum(weights.values())


class _Expected(Measure):
    """The expectation of a comparison with the references, over the sets that a speaker may say, by their probabilities; one row per item.

    An output without a declared distribution says its properties with probability 1. Not measured: items whose
    references have no properties, or whose output has neither properties nor a distribution.
    """

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one value for each item."""
        values = []
        for output, references in zip(batch.outputs, batch.references, strict=True):
            sets = [frozenset(r.properties) for r in references if r.properties is not None]
            weights = _weigh_output(output)
            total = fsum(weights.values())
            parts = (p * self._compare(said, one) for said, p in weights.items() for one in sets)
            values.append(fsum(parts) / total / len(sets) if sets and total > 0 else np.nan)
        return np.array(values, dtype=float).reshape(-1, 1)

    def _compare(self, output: PropertySet, reference: PropertySet) -> float:
        """Return the similarity of an output's and a reference's properties; subclasses define it."""
        raise NotImplementedError


class ExpectedDice(_Expected):
    """Expected Dice of what a probabilistic speaker says, with the mean over references; higher is better.

    From 0 to 1; two empty sets have 1. Without a declared distribution the output's properties have probability 1.
    """

    name = "distribution/dice"

    def _compare(self, output: PropertySet, reference: PropertySet) -> float:
        """Return the Dice of two sets."""
        together = len(output) + len(reference)
        return 2 * len(output & reference) / together if together else 1.0


class ExpectedExact(_Expected):
    """Probability that a probabilistic speaker says just the properties of a reference; higher is better.

    From 0 to 1, the mean over references. Without a declared distribution the output's properties have probability 1.
    """

    name = "distribution/exact"

    def _compare(self, output: PropertySet, reference: PropertySet) -> float:
        """Return 1 for equal sets, else 0."""
        return float(output == reference)


class Over(Measure):
    """1 if the description distinguishes the targets and a part of its properties would, too, else 0.

    It has no direction.

    Without `count_type` a removable type does not count as overspecification. Not measured: outputs without properties,
    trials without target.
    """

    name = "distribution/over"
    direction = "none"

    def __init__(self, *, count_type: bool = True) -> None:
        self.count_type = count_type

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one value for each item; NaN where the scene is not complete."""
        seen = make_situations(batch)
        # Only distinguishing descriptions can be overspecified: an ambiguous one with a superfluous word counts as
        # underspecified.
        over = seen.unique & (count_surplus(seen, "exact", self.count_type) > 0)
        return seen.encoding.make_rows(np.where(seen.measurable, over, np.nan))


class Under(Measure):
    """1 if the description does not distinguish the targets, else 0; lower is better.

    Not measured as `distribution/over`.
    """

    name = "distribution/under"
    direction = "lower"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one value for each item; NaN where the scene is not complete."""
        seen = make_situations(batch)
        return seen.encoding.make_rows(np.where(seen.measurable, ~seen.unique, np.nan))


def _identify_situation(trial: Trial) -> Situation:
    # The scene alone would not do: one picture may be asked about with different targets.
    """Return the scene (or trial) and its targets, which identify a situation."""
    return (trial.scene.id or trial.id, frozenset(trial.targets))


def _weigh_output(output: Description | None) -> Weights:
    """Return the sets of properties that a speaker may produce, with their probabilities."""
    if output is None or (output.distribution is None and output.properties is None):
        return {}
    return {frozenset(output.properties or ()): 1.0} if output.distribution is None else _merge_distribution(output)


def _merge_distribution(output: Description) -> Weights:
    """Return a declared distribution as weights; probabilities of repeated sets are added."""
    weights: dict[PropertySet, float] = defaultdict(float)
    for description, probability in output.distribution or ():
        weights[description] += probability
    return weights
