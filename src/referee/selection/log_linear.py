"""Sets of targets by a log-linear model over whole descriptions, after FitzGerald, Artzi & Zettlemoyer (2013).

P(z | scene, targets) ∝ exp(w · φ(z)), z running through what can be said of the targets: some attributes, of all at once where they share the values, else in
parts ("the large red chair and the large blue desk"). Their logical forms and their learned pruning are replaced by this list, their features by those named in
`FEATURES` and one for every attribute. The weights are those of the highest penalised likelihood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import and_, or_
from typing import NamedTuple, Self

import numpy as np

from referee.contracts import FloatArray
from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast, contrast_of
from referee.selection.plural import Fragment
from referee.selection.reasons import Note, Reason, Reasoned

__all__ = ["FEATURES", "LogLinear", "Way"]

FEATURES = ("exact", "others", "length", "parts", "idle")
"""True of the targets and of nothing else; share of the others that it is true of; properties said; parts beyond the first; attributes that could go."""
MOST_NAMES = 10
"""Attributes that are tried, those that people mention most often first: all ways of up to four of them in parts are a few thousand."""

Distribution = tuple[tuple[frozenset[Property], float], ...]


class Way(NamedTuple):
    """A way of describing the targets: its parts, the attributes said, and which entities it is true of (a bit set)."""

    parts: tuple[Fragment, ...]
    names: tuple[str, ...]
    denotes: int

    @property
    def flat(self) -> frozenset[Property]:
        return frozenset(p for part in self.parts for p in part.properties)


@dataclass(eq=False, repr=False)
class LogLinear(Reasoned):
    """Says the most probable description; `distribution` has them all.

    `longest` is the most attributes said, `penalty` holds weights back (L2), `iterations` bounds the climb. Descriptions that are none of the ways are
    counted (`left_out_`) and not learned from.
    """

    longest: int = 4
    penalty: float = 0.01
    iterations: int = 200

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Find the weights of the highest penalised likelihood."""
        from scipy.optimize import minimize

        trials = list(trials)
        told = Counter(p.name for t in trials for r in t.references for p in {*(r.properties or ())})
        self.names_ = tuple(sorted(told, key=lambda name: (-told[name], name)))
        cases = list(self._cases(trials))
        self.left_out_ = sum(r.properties is not None for t in trials for r in t.references) - len(cases)

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            value, slope = self.penalty / 2 * float(weights @ weights), self.penalty * weights
            for looks, said in cases:
                chances = _softmax(looks @ weights)
                value -= float(np.log(chances[said])) / len(cases)
                slope = slope - (looks[said] - chances @ looks) / len(cases)
            return value, slope

        start = np.zeros(len(FEATURES) + len(self.names_))
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}).x
        self.weights_: Mapping[str, float] = dict(zip((*FEATURES, *self.names_), map(float, found), strict=True))
        return self

    def distribution(self, view: SpeakerView) -> Distribution:
        """Every description with its probability, the most probable first."""
        ways, chances = self._chances(view)
        order = np.argsort(-chances, kind="stable").tolist()
        return tuple((ways[i].flat, float(chances[i])) for i in order)

    def fragments(self, view: SpeakerView) -> tuple[Fragment, ...]:
        """The parts of the most probable description."""
        ways, chances = self._chances(view)
        return ways[int(chances.argmax())].parts if ways else ()

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        return tuple(dict.fromkeys(p for part in self.fragments(view) for p in part.properties))

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Part by part, with the probability of the whole."""
        ways, chances = self._chances(view)
        contrast, steps = contrast_of(view), []
        best = int(chances.argmax()) if ways else -1
        why = f"in the most probable of {len(ways)} descriptions ({chances[best]:.2f})" if ways else ""
        for part in ways[best].parts if ways else ():
            left = contrast.distractors
            for prop in part.properties:
                kept = left & contrast.extensions[prop]
                gone = tuple(e.id for e in contrast.scene.members(left & ~kept))
                left = kept
                steps.append(Reason(prop, f"{why}, said of {', '.join(part.referents)}", gone, left.bit_count()))
        others = contrast.distractors & ways[best].denotes if ways else contrast.distractors
        if others:
            told = "not distinguishing: the description is true of others too"
            steps.append(Reason(None, told, (), others.bit_count()))
        return steps

    def _cases(self, trials: Sequence[Trial]) -> Iterator[tuple[FloatArray, int]]:
        """For every description that is one of the ways: what all ways look like, and which one it is."""
        for trial in trials:
            view = trial.for_speaker()
            ways = self._ways(view)
            place = {way.flat: i for i, way in enumerate(ways)}
            said = [place.get(frozenset(r.properties)) for r in trial.references if r.properties is not None]
            if any(i is not None for i in said):
                looks = _looks(ways, view, self.names_)
                yield from ((looks, i) for i in said if i is not None)

    def _chances(self, view: SpeakerView) -> tuple[list[Way], FloatArray]:
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        ways = self._ways(view)
        names = tuple(name for name in self.weights_ if name not in FEATURES)
        weights = np.array([self.weights_[key] for key in (*FEATURES, *names)])
        return ways, _softmax(_looks(ways, view, names) @ weights) if ways else np.empty(0)

    def _ways(self, view: SpeakerView) -> list[Way]:
        """What can be said: up to `longest` attributes, those that people mention most often first, of targets grouped by their values of them."""
        known = getattr(self, "names_", ())
        own = dict.fromkeys(p.name for target in view.targets for p in view.scene.entity(target).attributes)
        names = [*(n for n in known if n in own), *(n for n in own if n not in known)][:MOST_NAMES]
        sizes = range(1, min(self.longest, len(names)) + 1)
        ways = (_way(view, said) for size in sizes for said in combinations(names, size))
        return [way for way in ways if way is not None]


def _way(view: SpeakerView, names: Sequence[str]) -> Way | None:
    """One description; None where a target has no value for an attribute."""
    groups: dict[tuple[Property, ...], list[str]] = {}
    for target in view.targets:
        own: dict[str, Property] = {}
        for prop in view.scene.entity(target).attributes:
            own.setdefault(prop.name, prop)
        if not all(name in own for name in names):
            return None
        groups.setdefault(tuple(own[name] for name in names), []).append(target)
    parts = tuple(Fragment(tuple(ids), properties) for properties, ids in groups.items())
    return Way(parts, tuple(names), _denotes(view, parts))


def _denotes(view: SpeakerView, parts: Sequence[Fragment], without: str = "") -> int:
    extensions, everything = view.scene.extensions, view.scene.everything
    kept = ([extensions[p] for p in part.properties if p.name != without] for part in parts)
    return reduce(or_, (reduce(and_, true, everything) for true in kept))


def _looks(ways: Sequence[Way], view: SpeakerView, names: Sequence[str]) -> FloatArray:
    """One row a way, one column a feature."""
    targets = view.target_mask
    others = (view.scene.everything & ~targets).bit_count()
    rows = []
    for way in ways:
        wrong = (way.denotes & ~targets).bit_count()
        idle = sum(_denotes(view, way.parts, name) == way.denotes for name in way.names) if len(way.names) > 1 else 0
        length = sum(len(part.properties) for part in way.parts)
        general = (way.denotes == targets, wrong / max(1, others), length, len(way.parts) - 1, idle)
        rows.append([*map(float, general), *(float(name in way.names) for name in names)])
    return np.array(rows)


def _softmax(scores: FloatArray) -> FloatArray:
    # Less the highest, so that no exponential overflows.
    raised = np.exp(scores - scores.max())
    chances: FloatArray = raised / raised.sum()
    return chances
