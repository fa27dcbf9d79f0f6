"""The pragmatic hearer of Rational Speech Acts, which reasons about a rational speaker's choice of message (Frank &
Goodman 2012; Franke & Degen 2016).

L0 is the literal hearer, uniform over a message's denotation. A speaker chooses a message for an entity in proportion
to ``exp(alpha·(log L(entity|message) - cost·length))``; the next hearer inverts that by Bayes' rule with a uniform
prior. `depth` is the number of rounds. `infer` estimates alpha, cost and lapse from people's choices: a full posterior
on a grid, without sampling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.hearers.answering import (
    Listener,
    answer,
    answer_literally,
    has_structure,
    make_undecided_response,
    understand,
)
from referee.records import Description, Entity, HearerView, Outcome, Property, Response, Scene, SceneNotes, Trial

Message = tuple[Property, ...]
ALPHAS = tuple(float(a) for a in np.geomspace(0.1, 20, 40))
LAPSES = tuple(float(x) for x in np.linspace(0.005, 0.395, 40))


@dataclass(eq=False, repr=False)
class Rational(Listener):
    """L1 (or deeper) over the messages that a speaker could choose.

    `alpha` is the speaker's rationality, `cost` the cost of one property, `lapse` the share of random guesses.
    `messages` lists the messages; by default, every set of up to `longest` properties of the scene with a non-empty
    denotation (and the given message).
    """

    name = "rsa"
    reads_values = True

    alpha: float = 1.0
    cost: float = 0.0
    longest: int = 2
    depth: int = 1
    lapse: float = 0.0
    messages: tuple[Message, ...] | None = None

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return probabilities by pragmatic reasoning about the message."""
        if description.meaning is not None and has_structure(description):
            return answer_literally(self.name, view, view.scene.denotation(description.meaning))
        uttered = understand(description, view.scene)
        if isinstance(uttered, Outcome):
            return make_undecided_response(self.name, view, uttered)
        beliefs = self.believe(view.scene, uttered, np.array([self.alpha]), np.array([self.cost]))[0]
        even = self.lapse / len(beliefs) if len(beliefs) else 0.0
        shares = [(1 - self.lapse) * belief + even for belief in beliefs.tolist()]
        # A lapse points somewhere even where the message is true of nothing.
        return answer(self.name, view, shares, none=0.0 if beliefs.any() else 1 - self.lapse)

    @cached_property
    def _make_key(self) -> tuple[str, int, object]:
        """Return the cache key of a scene's messages, after checking the parameters."""
        if self.alpha < 0 or not 0 <= self.lapse <= 1 or self.depth < 0:
            raise InputError(
                f"a parameter of the rational listener is out of range: alpha {self.alpha}, lapse {self.lapse}, depth {self.depth}",
                remedy="alpha and depth are not negative, lapse lies between 0 and 1",
            )
        return "rsa", self.longest, self.messages

    def believe(self, scene: Scene, uttered: Message, alphas: FloatArray, costs: FloatArray) -> FloatArray:
        """Return the probability of every entity after one message, a row per pair of parameters.

        All 0 if its denotation is empty.
        """
        notes = _MESSAGES.of(scene)
        table = notes.get(self._make_key)
        if table is None:
            table = notes[self._make_key] = _gather_messages(scene, self.messages, self.longest)
        row = table.rows.get(frozenset(uttered))
        truth, lengths = table.truth, table.lengths
        # A given message may be longer than any listed one; it gets its own row.
        if row is None:
            row = len(truth)
            truth = np.vstack([truth, _convert_mask_to_row(scene.denotation(uttered), len(scene.entities))])
            lengths = np.append(lengths, float(len(set(uttered))))
        return compute_beliefs(truth, lengths, alphas, costs, self.depth)[:, row]


class _Messages(NamedTuple):
    """The messages of a scene: the index of each, its denotation (a row of 0 and 1), and its length."""

    rows: Mapping[frozenset[Property], int]
    truth: FloatArray
    lengths: FloatArray


_MESSAGES: SceneNotes[tuple[str, int, object], _Messages] = SceneNotes("hearers.messages")


def _gather_messages(scene: Scene, offered: Sequence[Message] | None, longest: int) -> _Messages:
    """Return the messages of a scene with non-empty denotations."""
    if offered is not None:
        denotations = {frozenset(message): scene.denotation(message) for message in offered}
    else:
        # a relation is expressed by its name: the id of its landmark is invisible
        sayable = [p for p in scene.extensions if not p.value or Property(p.name, "") not in scene.extensions]
        denotations = {}
        for size in range(1, longest + 1):
            for message in combinations(sorted(sayable), size):
                denotations[frozenset(message)] = (
                    scene.denotation(message) if size == 1 else _make_extension_mask(scene, message)
                )
    true = {message: mask for message, mask in denotations.items() if mask}
    size = len(scene.entities)
    truth = np.array([_convert_mask_to_row(mask, size) for mask in true.values()]).reshape(len(true), size)
    return _Messages({m: i for i, m in enumerate(true)}, truth, np.array([float(len(m)) for m in true]))


def _make_extension_mask(scene: Scene, message: Message) -> int:
    """Return the bit mask of the entities that satisfy a message."""
    mask = scene.everything
    for prop in message:
        mask &= scene.extension(prop)
    return mask


def _convert_mask_to_row(mask: int, size: int) -> list[float]:
    return [float(mask >> i & 1) for i in range(size)]


def compute_beliefs(
    truth: FloatArray, lengths: FloatArray, alphas: FloatArray, costs: FloatArray, depth: int = 1
) -> FloatArray:
    """Return the hearer's probabilities after `depth` rounds: parameters × messages × entities.

    0 for messages with empty denotations.
    """
    price = np.exp(-(alphas * costs)[:, None] * lengths)[:, :, None]
    beliefs = np.broadcast_to(_normalise_weights(truth, 1), (len(alphas), *truth.shape))
    for _ in range(depth):
        # The factor keeps false messages at 0 where alpha is 0, for 0 to the power of 0 is 1.
        choices = _normalise_weights(truth * beliefs ** alphas[:, None, None] * price, 1)
        beliefs = _normalise_weights(choices, 2)
    return beliefs


def _normalise_weights(weights: FloatArray, axis: int) -> FloatArray:
    """Return weights divided by their sum along an axis; 0 where that is 0."""
    total = weights.sum(axis=axis, keepdims=True)
    shares: FloatArray = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return shares


# -- estimation of the parameters from people's choices ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """Probabilities of parameters on a grid (alpha × cost × lapse, uniform prior over its points), from n choices;
    `left_out` counts unusable ones.
    """

    hearer: Rational
    axes: Mapping[str, tuple[float, ...]]
    probabilities: FloatArray
    log_likelihoods: FloatArray
    n: int
    left_out: int

    def compute_marginal(self, name: str) -> FloatArray:
        """Return the posterior of one parameter over its grid points."""
        place = list(self.axes).index(name)
        others = tuple(i for i in range(self.probabilities.ndim) if i != place)
        return np.asarray(self.probabilities.sum(axis=others))

    def mean(self, name: str) -> float:
        return float(self.compute_marginal(name) @ np.array(self.axes[name]))

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float]:
        """Return the equal-tailed posterior interval of a parameter, as grid points."""
        sums = np.cumsum(self.compute_marginal(name))
        tail = (1 - confidence) / 2
        last = len(sums) - 1
        low, high = (min(int(np.searchsorted(sums, x)), last) for x in (tail, 1 - tail))
        return self.axes[name][low], self.axes[name][high]

    def best(self) -> Rational:
        """Return the hearer with the most probable parameters."""
        places = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        chosen = {name: values[i] for (name, values), i in zip(self.axes.items(), places, strict=True)}
        base = self.hearer
        return Rational(longest=base.longest, depth=base.depth, messages=base.messages, **chosen)


def infer(
    hearer: Rational,
    trials: Iterable[Trial],
    responses: Iterable[Response],
    alphas: Sequence[float] = ALPHAS,
    costs: Sequence[float] = (0.0,),
    lapses: Sequence[float] = LAPSES,
) -> Posterior:
    """Return the posterior of a hearer's parameters, given people's choices and the descriptions."""
    cases, n, left_out = _count_cases({t.id: t.scene for t in trials}, responses)
    grid = np.array([(a, c) for a in alphas for c in costs])
    likelihoods = np.zeros((len(grid), len(lapses)))
    for (scene, uttered, choice), count in cases.items():
        belief = hearer.believe(scene, uttered, grid[:, 0], grid[:, 1])[:, choice]
        mixed = (1 - np.array(lapses)) * belief[:, None] + np.array(lapses) / len(scene.entities)
        # The floor keeps the logarithm of an excluded choice finite.
        likelihoods += count * np.log(np.maximum(mixed, 1e-300))
    total = likelihoods.reshape(len(alphas), len(costs), len(lapses))
    # Minus the highest score, so that no exponential overflows.
    weights = np.exp(total - total.max())
    axes = {"alpha": tuple(alphas), "cost": tuple(costs), "lapse": tuple(lapses)}
    return Posterior(
        hearer=hearer, axes=axes, probabilities=weights / weights.sum(), log_likelihoods=total, n=n, left_out=left_out
    )


def _count_cases(
    scenes: Mapping[str, Scene], responses: Iterable[Response]
) -> tuple[Counter[tuple[Scene, Message, int]], int, int]:
    """Return choices counted by scene, message and chosen entity.

    Scenes that differ only in order and names of entities are one.
    """
    cases: Counter[tuple[Scene, Message, int]] = Counter()
    left_out = 0
    for response in responses:
        scene, description = scenes.get(response.trial), response.description
        uttered = understand(description, scene) if scene and description else Outcome.DONT_KNOW
        if (
            scene is None
            or isinstance(uttered, Outcome)
            or response.outcome != Outcome.ENTITY
            or response.entity is None
        ):
            left_out += 1
            continue
        place = scene.index(response.entity)
        if not any(e.relations for e in scene.entities):
            looks = scene.entities[place].attributes
            scene = _sort_entities(scene)
            # Entities that look alike are one to any hearer of this kind.
            place = next(i for i, e in enumerate(scene.entities) if e.attributes == looks)
        cases[scene, uttered, place] += 1
    n = cases.total()
    if not n:
        raise InputError(
            "no response can be used", remedy="give responses that name an entity and the description they answer"
        )
    return cases, n, left_out


def _sort_entities(scene: Scene) -> Scene:
    looks = sorted(e.attributes for e in scene.entities)
    return Scene(entities=tuple(Entity(id=str(i), attributes=a) for i, a in enumerate(looks)))
