"""Learned rational speech acts.

The literal speaker is a log-linear model, trained together with the listener and speaker above it (Monroe & Potts
2015).

The score of a message for an entity sums one weight per pair (value of the entity, value in the message), the "basic"
features, and weights for the form of the message, the "general" ones: names mentioned, pairs of names both mentioned or
one without the other, length. General features count only for entities that the message is true of; otherwise all
entities would look alike to the listener.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError, NotTrained
from referee.records import Entity, Property, SpeakerView, Trial
from referee.selection.contrast import Contrast, get_contrast
from referee.selection.frequencies import check_groups, get_learned, group_trials
from referee.selection.rational import Distribution, choose_most_probable, count_subsets, enumerate_subsets
from referee.selection.reasons import Note, Reasoned

# Its exponential is 0, and sums with it stay finite, which those with minus infinity would not.
IMPOSSIBLE = -1e9
MOST_LEARNED = 8000
"""Most messages of a learned model: 21 attributes, if a message has at most four."""
MOST_CELLS = 1 << 20
"""Messages times entities times trials in one batch: a few megabytes."""
CELLS_AT_HAND = 1 << 17
"""Cells of a batch computed at a time, so that they stay in the processor's cache."""
Ints = npt.NDArray[np.int64]


@dataclass(eq=False, repr=False)
class LearnedRationalSpeaker(Reasoned):
    """S0 or S1 (`depth`) with learned scores, trained by L-BFGS on the mean log-likelihood with an L2 penalty, per group named by `by`.

    Messages have up to `longest` attributes, each with the target's first value; names that it has no value for are in none of them. Longer descriptions,
    and pairs that are not true of the target, are not learned from. Values and attributes never seen in training have weight 0. The original's stochastic
    training on sampled messages is replaced by exact gradients over all of them.
    """

    depth: int = 1
    features: Literal["basic", "general", "both"] = "both"
    longest: int = 4
    penalty: float = 0.01
    iterations: int = 100
    by: tuple[str, ...] = ("domain",)

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn one model per group."""
        self.models_ = {key: self._learn(members) for key, members in group_trials(trials, self.by).items()}
        return self

    def check_training(self, train: Sequence[Trial], test: Sequence[Trial]) -> None:
        """Raise InputError for a trial whose group has no training data."""
        check_groups(train, test, self.by)

    def distribution(self, view: SpeakerView) -> Distribution:
        """Return every message with its probability, the most probable first."""
        contrast = get_contrast(view)
        space, chances = self._compute_probabilities(contrast, view)
        order = np.argsort(-chances, kind="stable")
        return tuple((frozenset(space.spell(contrast, i)), float(chances[i])) for i in order.tolist() if chances[i] > 0)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties of the most probable message."""
        space, chances = self._compute_probabilities(contrast, view)
        best = space.spell(contrast, choose_most_probable(chances))
        if note:
            for prop in best:
                note(prop, f"part of the message that S{self.depth} finds best, probability {chances.max():.3f}")
        return best

    def _compute_probabilities(self, contrast: Contrast, view: SpeakerView) -> tuple[_Space, FloatArray]:
        """Return the message space and the probabilities of all messages."""
        if not hasattr(self, "models_"):
            raise NotTrained(self)
        space, weights = get_learned(view, self.by, self.models_)
        batch = space.batch([(contrast, None)], self.depth)
        scores, _ = _compute_log_probabilities(space, batch, _Weights.of(space, weights), self.depth)
        return space, np.exp(scores[0])

    def _learn(self, trials: Sequence[Trial]) -> tuple[_Space, FloatArray]:
        """Return the message space and the weights that maximise the likelihood."""
        from scipy.optimize import minimize

        space = _Space.of(trials, self.longest, self.features)
        batches = space.batches(trials, self.depth)
        n = sum(len(batch.chosen) for batch in batches) or 1

        def compute_loss(weights: FloatArray) -> tuple[float, FloatArray]:
            """Return the penalised negative log likelihood of the weights, and its gradient."""
            value = self.penalty / 2 * float(weights @ weights)
            slope = self.penalty * weights
            unpacked = _Weights.of(space, weights)
            for batch in batches:
                likely, climb = _compute_likelihood(space, batch, unpacked, self.depth)
                value -= likely / n
                slope = slope - climb / n
            return value, slope

        optimum = minimize(
            compute_loss, np.zeros(space.size), jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}
        )
        return space, optimum.x


@dataclass(frozen=True, slots=True)
class _Batch:
    """Trials with the same number of entities.

    Their values, the target's value per name, the true messages of each entity, and the impossible ones.
    """

    worlds: FloatArray
    values: Ints
    true: FloatArray
    barred: FloatArray
    chosen: Ints

    def parts(self) -> Iterator[_Batch]:
        """Yield the same, a few trials at a time."""
        step = max(1, CELLS_AT_HAND // max(1, self.true[0].size))
        for start in range(0, len(self.chosen), step):
            few = slice(start, start + step)
            yield _Batch(self.worlds[few], self.values[few], self.true[few], self.barred[few], self.chosen[few])


@dataclass(frozen=True, slots=True)
class _Space:
    """The messages (`by_name`: transposed for matrix products), and their general features."""

    names: list[str]
    places: Mapping[Property, int]
    messages: FloatArray
    by_name: FloatArray
    looks: FloatArray
    basic: bool

    @classmethod
    def of(cls, trials: Sequence[Trial], longest: int, features: str) -> _Space:
        """Return the message space of some trials. Raises InputError if it is too large."""
        target_attributes = [p for t in trials for p in t.scene.entity(t.targets[0]).attributes]
        names = list(dict.fromkeys(p.name for p in target_attributes))
        values = dict.fromkeys(
            p for t in trials for e in t.scene.entities for p in e.attributes if p.name in set(names)
        )
        if (number := count_subsets(len(names), longest)) > MOST_LEARNED:
            raise InputError(
                f"{len(names)} attributes make {number:,} messages of up to {longest} of them, too many to learn from",
                remedy=f"bound their length with the switch longest:{_choose_longest(len(names), longest)}",
            )
        messages = enumerate_subsets(len(names), longest)
        looks = _compute_message_features(messages) if features != "basic" else np.zeros((len(messages), 0))
        by_name = np.ascontiguousarray(messages.T)
        return cls(names, {p: i for i, p in enumerate(values)}, messages, by_name, looks, features != "general")

    def spell(self, contrast: Contrast, message: int) -> tuple[Property, ...]:
        """Return the properties of this target that a message names."""
        mentioned = (
            name for name, is_chosen in zip(self.names, self.messages[message].tolist(), strict=True) if is_chosen
        )
        return tuple(contrast.by_name[name][0] for name in mentioned if name in contrast.by_name)

    @property
    def size(self) -> int:
        """The number of weights: a table of value pairs, then the looks."""
        return (len(self.places) ** 2 if self.basic else 0) + int(self.looks.shape[1])

    def at_once(self, entities: int) -> int:
        """Return the number of trials with this number of entities that are computed together."""
        return max(1, MOST_CELLS // (len(self.messages) * entities))

    def batches(self, trials: Sequence[Trial], depth: int) -> list[_Batch]:
        """Return the descriptions that can be learned from, by number of entities."""
        groups: dict[int, list[tuple[Contrast, int | None]]] = {}
        index = {tuple(row): i for i, row in enumerate(self.messages.astype(int).tolist())}
        for trial in trials:
            contrast = get_contrast(trial.for_speaker())
            for reference in trial.references:
                mentioned = {p.name for p in reference.properties or () if p in contrast.by_name.get(p.name, ())[:1]}
                place = index.get(tuple(int(name in mentioned) for name in self.names))
                if reference.properties is not None and place is not None:
                    groups.setdefault(len(trial.scene.entities), []).append((contrast, place))
        return [
            self.batch(members[i : i + self.at_once(size)], depth)
            for size, members in groups.items()
            for i in range(0, len(members), self.at_once(size))
        ]

    def batch(self, members: Sequence[tuple[Contrast, int | None]], depth: int) -> _Batch:
        """Return trials as a batch."""
        worlds = np.array([self._encode_entities(contrast, depth) for contrast, _ in members])
        values = np.array([self._get_values(contrast) for contrast, _ in members], dtype=np.int64)
        true = (
            np.array([self._find_lacking(contrast, depth) for contrast, _ in members]) @ self.messages.T == 0
        ).astype(float)
        # A message that is false of the target cannot be used for it.
        barred = 1.0 - true[:, 0]
        chosen = np.array([place or 0 for _, place in members], dtype=np.int64)
        return _Batch(worlds, values, true, barred, chosen)

    def _get_values(self, contrast: Contrast) -> list[int]:
        """Return per name the index of the target's value; an unseen value has the index after the last.

        -1 for no value.
        """
        target_values = [contrast.by_name.get(name) for name in self.names]
        return [-1 if p is None else self.places.get(p[0], len(self.places)) for p in target_values]

    def _encode_entities(self, contrast: Contrast, depth: int) -> FloatArray:
        """Return the entities as indicators of values, the target first (alone if there is no listener)."""
        entities = _order_entities(contrast, depth)
        rows = np.zeros((len(entities), len(self.places)))
        for row, entity in zip(rows, entities, strict=True):
            row[[self.places[p] for p in entity.attributes if p in self.places]] = 1.0
        return rows

    def _find_lacking(self, contrast: Contrast, depth: int) -> FloatArray:
        """Return 1 where an entity (row) lacks the target's value of a name (column).

        Names that the target has no value for are 1, too.
        """
        target_values = [contrast.by_name.get(name, (None,))[0] for name in self.names]
        return np.array(
            [[p is None or p not in e.attributes for p in target_values] for e in _order_entities(contrast, depth)],
            dtype=float,
        )


def _choose_longest(names: int, longest: int) -> int:
    """Return the maximal length of messages that keeps their number small; at least two."""
    return next((n for n in range(longest - 1, 2, -1) if count_subsets(names, n) <= MOST_LEARNED), 2)


def _order_entities(contrast: Contrast, depth: int) -> list[Entity]:
    """Return the entities with the target first."""
    entities = contrast.scene.entities
    target = (contrast.targets & -contrast.targets).bit_length() - 1
    return [entities[target], *(e for i, e in enumerate(entities) if i != target and depth)]


def _compute_message_features(messages: FloatArray) -> FloatArray:
    """Return features of messages: names, pairs both mentioned, pairs with one mentioned, and length."""
    pairs = [(a, b) for a in range(messages.shape[1]) for b in range(messages.shape[1]) if a != b]
    columns = [messages[:, a] * messages[:, b] for a, b in pairs if a < b]
    columns += [messages[:, a] * (1 - messages[:, b]) for a, b in pairs]
    lengths = messages.sum(axis=1)
    # A weight for every length rather than one slope.
    columns += [(lengths == n).astype(float) for n in np.unique(lengths)]
    return np.hstack([messages, np.array(columns).T])


@dataclass(frozen=True, slots=True)
class _Weights:
    """Weights as they are used.

    Of pairs of values, with two columns of zeros more (a value never seen; -1, no value), and of each message's
    looks.
    """

    pairs: FloatArray
    looks: FloatArray

    @classmethod
    def of(cls, space: _Space, weights: FloatArray) -> _Weights:
        """Return the weights by pair and by message."""
        width = len(space.places)
        pairs = np.zeros((width, width + 2))
        if space.basic:
            pairs[:, :width] = weights[: width * width].reshape(width, width)
        return cls(pairs, space.looks @ weights[space.size - space.looks.shape[1] :])


def _compute_likelihood(space: _Space, batch: _Batch, weights: _Weights, depth: int) -> tuple[float, FloatArray]:
    """Return the summed log probability of the references, and its gradient."""
    width, logs, per_value = len(space.places), [], []
    looks = np.zeros(len(space.messages))
    for part in batch.parts():
        speaker, backward = _compute_log_probabilities(space, part, weights, depth)
        logs.append(speaker[np.arange(len(part.chosen)), part.chosen])
        down = backward()
        if space.basic:
            per_value.append((down @ space.messages).transpose(0, 2, 1) @ part.worlds)
        down *= part.true
        # Row after row, whatever the parts: so the digits are those of one sum over the batch.
        down[0, 0] += looks
        looks = down.sum(axis=(0, 1))
    slopes = [_sum_by_pair(batch, np.concatenate(per_value), width)] if space.basic else []
    return float(np.concatenate(logs).sum()), np.concatenate([*slopes, looks @ space.looks])


def _sum_by_pair(batch: _Batch, per_value: FloatArray, width: int) -> FloatArray:
    """Return gradients by name of the message, summed by its value.

    Missing and unseen values are left out.
    """
    rows = np.where(batch.values < 0, width, batch.values)
    cells = (rows[:, :, None] * width + np.arange(width)).ravel()
    table = np.asarray(np.bincount(cells, per_value.ravel(), (width + 1) * width), dtype=np.float64)
    return table[: width * width].reshape(width, width).T.ravel()


def _compute_log_probabilities(
    space: _Space, batch: _Batch, weights: _Weights, depth: int
) -> tuple[FloatArray, Callable[[], FloatArray]]:
    """Return log probabilities of all messages for the targets, and a gradient function.

    The function returns the gradient of the references' log probability.
    """
    heights = batch.worlds @ weights.pairs.T[batch.values].transpose(0, 2, 1)
    scores = heights @ space.by_name
    literal_chances = batch.true * weights.looks
    scores += literal_chances
    if batch.barred.any():
        scores += IMPOSSIBLE * batch.barred[:, None, :]
    scores -= _write_softmax(scores, 2, literal_chances)
    if not depth:
        speaker, speaker_chances = scores[:, 0], literal_chances[:, 0]
    else:
        listener_chances = np.empty_like(scores)
        # A uniform prior over the entities: normalising over them is all that Bayes asks.
        speaker = (-_write_softmax(scores, 1, listener_chances) + scores[:, :1])[:, 0]
        # Once more: to the listener such a message is equally impossible of everyone, and only the differences between entities count.
        speaker += IMPOSSIBLE * batch.barred
        speaker_chances = np.empty_like(speaker)
        speaker -= _write_softmax(speaker, 1, speaker_chances)

    def compute_gradient() -> FloatArray:
        """Return the gradient of the log likelihood in the scores of the literal speaker."""
        slope = -speaker_chances
        slope[np.arange(len(batch.chosen)), batch.chosen] += 1.0
        if not depth:
            return slope[:, None, :]
        # The chain rule through two softmax layers, from the speaker over the listener to the literal speaker.
        down: FloatArray = np.multiply(listener_chances, -slope[:, None, :], out=listener_chances)
        down[:, 0] += slope
        down -= np.multiply(literal_chances, down.sum(axis=2, keepdims=True), out=literal_chances)
        return down

    return speaker, compute_gradient


def _write_softmax(scores: FloatArray, axis: int, chances: FloatArray) -> FloatArray:
    """Write probabilities along an axis into `chances`.

    Return the terms to subtract from the lowered scores for log probabilities.
    """
    # Minus the highest score, so that no exponential overflows.
    scores -= scores.max(axis=axis, keepdims=True)
    np.exp(scores, out=chances)
    total = chances.sum(axis=axis, keepdims=True)
    chances /= total
    logs: FloatArray = np.log(total)
    return logs
