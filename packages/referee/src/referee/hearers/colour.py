"""A listener for colour patches: every n-gram has weights over colour space and over the context of the other patches.

Log-linear in words and in the appearance of a patch, similar to McMahan & Stone 2015 and to the literal listener of
Monroe et al. 2017, but without a neural network: the likelihood has one maximum, and training takes less than a minute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError, NotTrained
from referee.hearers.answering import Listener, Pair, answer, make_undecided_response
from referee.hearers.choice import (
    Places,
    find_scene_starts,
    learn,
    make_summing_matrix,
    make_target_distribution,
    normalise_within_scenes,
)
from referee.hearers.colour_space import Patches, make_appearance_features, read_colours
from referee.hearers.word_features import Lesson, Vocabulary, get_message, list_lessons
from referee.records import Description, HearerView, Outcome, Response, Trial


@dataclass(eq=False, repr=False)
class Colour(Listener):
    """Understands words about colours; entities have the attributes h (0-360), s and l (0-100).

    Learns from `teacher` ("targets": the speakers' targets, or "clicks": the listeners' choices). `penalty` is the
    regularisation, n-grams with fewer than `rare` occurrences are ignored, `iterations` limits the optimiser. A scene
    without colours gives UNPARSABLE with the flag ``no-colours``.
    """

    name = "colour"
    learns = True

    teacher: str = "targets"
    penalty: float = 10.0
    rare: int = 3
    iterations: int = 150

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn the weights of n-grams from trials with colours."""
        heard, patches = select_coloured_lessons(list_lessons(trials, self.teacher))
        self.vocabulary_ = Vocabulary.of((lesson.text for lesson in heard), self.rare)
        looks, starts = _compute_patch_features(patches)
        # A feature that never varies would be divided by 0.
        self.mean_, self.scale_ = looks.mean(axis=0), np.maximum(looks.std(axis=0), 1e-9)
        looks = (looks - self.mean_) / self.scale_
        texts = self.vocabulary_.weigh([lesson.text for lesson in heard])
        back, sizes, within = texts.T, np.diff(starts), make_summing_matrix(starts)
        shape = (texts.shape[1], looks.shape[1])

        def score(weights: FloatArray) -> FloatArray:
            return _compare_patches(texts @ weights.reshape(shape), looks, sizes)

        def blame(faults: FloatArray) -> FloatArray:
            """Return the gradient of the weights from the errors of the patches' scores."""
            within.data = faults[within.indices]
            weights: FloatArray = (back @ (within @ looks)).ravel()
            return weights

        size = shape[0] * shape[1]
        self.weights_ = learn(
            score, blame, size, starts, make_target_distribution(heard), self.penalty, self.iterations
        ).reshape(shape)
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        return self.resolve_many([(description, view)])[0]

    def resolve_many(self, pairs: Sequence[Pair]) -> list[Response]:
        """Return all answers at once."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        texts = [get_message(description) for description, _ in pairs]
        patches = [read_colours(view.scene) for _, view in pairs]
        readable = {
            i: (text, colours)
            for i, (text, colours) in enumerate(zip(texts, patches, strict=True))
            if colours and not isinstance(text, Outcome) and self.vocabulary_.knows_word(text)
        }
        shares = self._compute_probabilities(
            [text for text, _ in readable.values()], [colours for _, colours in readable.values()]
        )
        readings = {i: answer(self.name, pairs[i][1], share) for i, share in zip(readable, shares, strict=True)}
        return [
            readings[i] if i in readings else self._make_undecided_response(texts[i], view, patches[i])
            for i, (_, view) in enumerate(pairs)
        ]

    def _make_undecided_response(self, text: str | Outcome, view: HearerView, patches: Patches | None) -> Response:
        outcome = text if isinstance(text, Outcome) else Outcome.UNPARSABLE
        return make_undecided_response(self.name, view, outcome, () if patches else ("no-colours",))

    def _compute_probabilities(self, texts: Sequence[str], patches: Sequence[Patches]) -> list[list[float]]:
        """Return the probabilities of the patches for each text."""
        if not texts:
            return []
        looks, starts = _compute_patch_features(patches)
        meanings = self.vocabulary_.weigh(texts) @ self.weights_
        shares = normalise_within_scenes(
            _compare_patches(meanings, (looks - self.mean_) / self.scale_, np.diff(starts)), starts
        ).tolist()
        return [shares[a:b] for a, b in pairwise(starts.tolist())]


def _compare_patches(meanings: FloatArray, looks: FloatArray, sizes: Places) -> FloatArray:
    """Return how well each patch fits the text of its scene."""
    if len(set(sizes.tolist())) == 1:
        # Nothing has to be repeated for the patches of a scene.
        scores: FloatArray = np.einsum("sf,spf->sp", meanings, looks.reshape(len(sizes), sizes[0], -1)).ravel()
    else:
        scores = np.einsum("ij,ij->i", np.repeat(meanings, sizes, axis=0), looks)
    return scores


def select_coloured_lessons(lessons: Iterable[Lesson]) -> tuple[list[Lesson], list[Patches]]:
    """Return the lessons with colours, and their patches. Raises InputError if there are none."""
    readings = [(lesson, patches) for lesson in lessons if (patches := read_colours(lesson.scene))]
    if not readings:
        raise InputError("no trial shows colours", remedy="train on a corpus whose entities have h, s and l")
    return [lesson for lesson, _ in readings], [patches for _, patches in readings]


def _compute_patch_features(scenes: Sequence[Patches]) -> tuple[FloatArray, Places]:
    """Return the appearance features of all patches, and the index at which each scene starts."""
    starts = find_scene_starts(map(len, scenes))
    return make_appearance_features(np.array([patch for scene in scenes for patch in scene]), starts), starts
