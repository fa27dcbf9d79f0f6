"""Descriptions of sets of targets by a log-linear model over whole descriptions, after FitzGerald, Artzi & Zettlemoyer
(2013).

P(z | scene, targets) ∝ exp(w · φ(z)), where z are the possible descriptions of the targets: some attributes, of all at
once if they share the values, else in parts ("the large red chair and the large blue desk"). This list replaces their
logical forms and learned pruning; the features are those named in `FEATURES` and one for every attribute. The weights
maximise the penalised likelihood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import NotTrained
from referee.meaning import EVERYTHING, Meaning
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import get_contrast
from referee.selection.plural import Fragment, join_parts
from referee.selection.rational import enumerate_subsets
from referee.selection.reasons import NOT_DISTINGUISHING, Reason, ReasonedMeaning

FEATURES = ("exact", "others", "length", "parts", "idle")
"""Features: distinguishing; share of distractors not ruled out; number of properties; of further parts; of redundant attributes."""
MOST_NAMES = 10
"""Most attributes that are considered, the most mentioned first: four of them give a few thousand combinations."""

Distribution = tuple[tuple[frozenset[Property], float], ...]


class Way(NamedTuple):
    """A description of the targets: its parts, the attributes used, and its denotation (a bit set)."""

    parts: tuple[Fragment, ...]
    names: tuple[str, ...]
    denotes: int

    @property
    def flat(self) -> frozenset[Property]:
        return frozenset(p for part in self.parts for p in part.properties)


@dataclass(eq=False, repr=False)
class LogLinear(ReasonedMeaning):
    """Returns the most probable description; `distribution` has them all.

    `longest` is the maximal number of attributes, `penalty` the regularisation (L2), `iterations` limits the optimiser.
    References that are no possible description are counted (`left_out_`) and not used.
    """

    longest: int = 4
    penalty: float = 0.01
    iterations: int = 200

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Find the weights of the highest penalised likelihood."""
        from scipy.optimize import minimize

        trials = list(trials)
        mentions = Counter(p.name for t in trials for r in t.references for p in {*(r.properties or ())})
        self.names_ = tuple(sorted(mentions, key=lambda name: (-mentions[name], name)))
        cases = list(self._iterate_references(trials))
        self.left_out_ = sum(r.properties is not None for t in trials for r in t.references) - len(cases)

        def compute_loss(weights: FloatArray) -> tuple[float, FloatArray]:
            """Return the penalised negative log likelihood of the weights, and its gradient."""
            value, slope = self.penalty / 2 * float(weights @ weights), self.penalty * weights
            for looks, index in cases:
                chances = _compute_softmax(looks @ weights)
                value -= float(np.log(chances[index])) / len(cases)
                slope = slope - (looks[index] - chances @ looks) / len(cases)
            return value, slope

        start = np.zeros(len(FEATURES) + len(self.names_))
        optimum = minimize(compute_loss, start, jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}).x
        self.weights_: Mapping[str, float] = dict(zip((*FEATURES, *self.names_), map(float, optimum), strict=True))
        return self

    def distribution(self, view: SpeakerView) -> Distribution:
        """Return every description with its probability, the most probable first."""
        ways, chances = self._compute_probabilities(view)
        order = np.argsort(-chances, kind="stable").tolist()
        return tuple((ways[i].flat, float(chances[i])) for i in order)

    def fragments(self, view: SpeakerView) -> tuple[Fragment, ...]:
        """Return the parts of the most probable description."""
        ways, chances = self._compute_probabilities(view)
        return ways[int(chances.argmax())].parts if ways else ()

    def select_meaning(self, view: SpeakerView) -> Meaning:
        """Return the parts of the most probable description with the number of objects of each."""
        parts = self.fragments(view)
        return join_parts(parts) if parts else EVERYTHING

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Return the explanation part by part, with the probability of the whole."""
        ways, chances = self._compute_probabilities(view)
        contrast, steps = get_contrast(view), []
        best = int(chances.argmax()) if ways else -1
        why = f"in the most probable of {len(ways)} descriptions ({chances[best]:.2f})" if ways else ""
        for part in ways[best].parts if ways else ():
            left = contrast.distractors
            for prop in part.properties:
                remaining = left & contrast.extensions[prop]
                gone = tuple(e.id for e in contrast.scene.members(left & ~remaining))
                left = remaining
                steps.append(Reason(prop, f"{why}, said of {', '.join(part.referents)}", gone, left.bit_count()))
        others = contrast.distractors & ways[best].denotes if ways else contrast.distractors
        if others:
            steps.append(Reason(None, NOT_DISTINGUISHING, (), others.bit_count()))
        return steps

    def _iterate_references(self, trials: Sequence[Trial]) -> Iterator[tuple[FloatArray, int]]:
        """Yield the features of all descriptions and the index of the reference among them.

        References that are no possible description are left out.
        """
        for trial in trials:
            ways = self._list_ways(trial.for_speaker())
            indices = [ways.place(frozenset(r.properties)) for r in trial.references if r.properties is not None]
            if any(i is not None for i in indices):
                looks = ways.looks(self.names_)
                yield from ((looks, i) for i in indices if i is not None)

    def _compute_probabilities(self, view: SpeakerView) -> tuple[_Ways, FloatArray]:
        """Return the possible descriptions and their probabilities."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        ways = self._list_ways(view)
        names = tuple(name for name in self.weights_ if name not in FEATURES)
        weights = np.array([self.weights_[key] for key in (*FEATURES, *names)])
        return ways, _compute_softmax(ways.looks(names) @ weights) if ways else np.empty(0)

    def _list_ways(self, view: SpeakerView) -> _Ways:
        """Return the possible descriptions: up to `longest` attributes, the most frequent first.

        Targets with equal values are described together.
        """
        frequent = getattr(self, "names_", ())
        names_of_targets = dict.fromkeys(
            p.name for target in view.targets for p in view.scene.entity(target).attributes
        )
        names = [*(n for n in frequent if n in names_of_targets), *(n for n in names_of_targets if n not in frequent)][
            :MOST_NAMES
        ]
        return _Ways(view, names, self.longest)


class _Ways:
    """All ways of describing the targets by some of the names, shortest first, worked out together.

    Each is spelled out when it is asked for.
    """

    def __init__(self, view: SpeakerView, names: Sequence[str], longest: int) -> None:
        self.view = view
        self.values = [_get_first_values(view, target) for target in view.targets]
        # A way is said of all targets, so each has a value for every name.
        self.names = [name for name in names if all(name in values for values in self.values)]
        # One row a way, one column a name; the way that says nothing is none.
        self.chosen = enumerate_subsets(len(self.names), longest)[1:]

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, place: int) -> Way:
        names = tuple(
            name for name, is_chosen in zip(self.names, self.chosen[place].tolist(), strict=True) if is_chosen
        )
        groups: dict[tuple[Property, ...], list[str]] = {}
        for target, values in zip(self.view.targets, self.values, strict=True):
            groups.setdefault(tuple(values[name] for name in names), []).append(target)
        parts = tuple(Fragment(tuple(ids), properties) for properties, ids in groups.items())
        return Way(parts, names, _get_denotation(self.view, parts))

    def place(self, properties: frozenset[Property]) -> int | None:
        """Return the index of the description with these properties; None if there is none."""
        names = {p.name for p in properties}
        row = np.array([name in names for name in self.names], dtype=float)
        if not names <= set(self.names):
            return None
        places: list[int] = np.flatnonzero((self.chosen == row).all(axis=1)).tolist()
        return next((place for place in places if self[place].flat == properties), None)

    def looks(self, names: Sequence[str]) -> FloatArray:
        """Return the features of the descriptions, with a row per description."""
        scene, chosen = self.view.scene, self.chosen
        targets = _expand_bits(self.view.target_mask, len(scene.entities))
        # For every target: which entities (rows) lack its value of a name (columns), and how many of the names said each lacks.
        lacks = [
            np.column_stack([~_expand_bits(scene.extensions[values[name]], len(scene.entities)) for name in self.names])
            for values in self.values
        ]
        short = [lacking @ chosen.T for lacking in lacks]
        true = np.any([lacking == 0 for lacking in short], axis=0)
        # An attribute could go if nothing that only it rules out came in.
        needed = np.any([lacking.T @ (~true & (n == 1)) for lacking, n in zip(lacks, short, strict=True)], axis=0)
        size, parts = chosen.sum(axis=1), self._count_parts()
        wrong = true[~targets].sum(axis=0)
        features = np.zeros((len(chosen), len(FEATURES) + len(names)))
        features[:, 0] = wrong == 0
        features[:, 1] = wrong / max(1, int((~targets).sum()))
        features[:, 2] = parts * size
        features[:, 3] = parts - 1
        features[:, 4] = np.where(size > 1, (chosen * ~needed.T).sum(axis=1), 0)
        for place, name in enumerate(names, len(FEATURES)):
            if name in self.names:
                features[:, place] = chosen[:, self.names.index(name)]
        return features

    def _count_parts(self) -> FloatArray:
        """Return the number of groups of targets with equal values, for each description."""
        parts = np.ones(len(self.chosen))
        for i, values in enumerate(self.values[1:], 1):
            differ = np.array([[values[n] != other[n] for n in self.names] for other in self.values[:i]], dtype=float)
            parts += (differ @ self.chosen.T > 0).all(axis=0)
        return parts


def _get_first_values(view: SpeakerView, target: str) -> dict[str, Property]:
    """Return the first value of each attribute of a target."""
    values: dict[str, Property] = {}
    for prop in view.scene.entity(target).attributes:
        values.setdefault(prop.name, prop)
    return values


def _expand_bits(mask: int, entities: int) -> npt.NDArray[np.bool_]:
    """Return a bit set as an array with one truth value per entity."""
    taken = np.frombuffer(mask.to_bytes((entities + 7) // 8, "little"), dtype=np.uint8)
    return np.unpackbits(taken, count=entities, bitorder="little").astype(bool)


def _get_denotation(view: SpeakerView, parts: Sequence[Fragment]) -> int:
    """Return the denotation of parts (a bit set)."""
    extensions, everything = view.scene.extensions, view.scene.everything
    remaining = ([extensions[p] for p in part.properties] for part in parts)
    return reduce(or_, (reduce(and_, true, everything) for true in remaining))


def _compute_softmax(scores: FloatArray) -> FloatArray:
    """Return the softmax of scores."""
    # Minus the highest, so that no exponential overflows.
    # Less the highest, so that no exponential overflows.
    raised = np.exp(scores - scores.max())
    chances: FloatArray = raised / raised.sum()
    return chances
