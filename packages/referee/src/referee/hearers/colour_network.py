"""A neural listener for colour patches, after Monroe, Hawkins, Goodman & Potts (2017).

Networks over words and over each patch in its context.

The words are a sum of learned vectors (words, bigrams, prefixes, suffixes). A patch is represented by its coordinates
in colour space (Fourier features of hue, as in the paper), its position within its scene, and its differences from the
nearer and the farther of the others. One hidden layer combines the two. Several networks with different random
initialisations are averaged, and their log probabilities are combined with the probability that people use these words
for each patch (`colour_words`), as in the paper. Training uses numpy and takes minutes on one core; nothing is
downloaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from referee.errors import InputError
from referee.hearers.adam import Adam, Floats, Weights
from referee.hearers.answering import split_words
from referee.hearers.choice import find_scene_starts
from referee.hearers.colour import Colour, select_coloured_lessons
from referee.hearers.colour_space import Patches, convert_hsl_to_rgb, convert_rgb_to_lab, make_appearance_features
from referee.hearers.colour_words import PatchWords
from referee.hearers.word_features import Vocabulary, list_lessons
from referee.records import Trial

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BATCH = 256
LEAST = 1e-9
"""Lowest probability that is used, so that its logarithm is finite."""


@dataclass(eq=False, repr=False)
class ColourNetwork(Colour):
    """Understands words about three patches (or any fixed number) with h, s and l.

    Averages `members` networks.

    `width` is the length of a word's vector, `hidden` the size of the hidden layer, `epochs` the number of passes over
    the data, `rate` the highest learning rate, `drop` the dropout rate, `decay` the weight decay. `reasoning` is the
    weight of the log probability that people use these words for a patch, relative to the networks' log probability (0:
    not trained); it is the mean of `talkers` networks of words. The same `seed` gives the same networks.
    """

    name = "colour.network"

    rare: int = 2
    members: int = 4
    width: int = 96
    hidden: int = 256
    epochs: int = 16
    rate: float = 3e-3
    drop: float = 0.5
    decay: float = 1e-4
    reasoning: float = 0.3
    talkers: int = 2
    seed: int = 1

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the networks on trials with colours. Raises InputError for scenes of different sizes."""
        heard, patches = select_coloured_lessons(list_lessons(trials, self.teacher))
        number = len(patches[0])
        if any(len(scene) != number for scene in patches):
            raise InputError(
                "the scenes have different numbers of patches",
                remedy="train on scenes of one size, or take the hearer `colour`",
            )
        self.vocabulary_ = Vocabulary.of((lesson.text for lesson in heard), self.rare)
        looks = _make_patch_features(patches)
        flat = looks.reshape(-1, looks.shape[2])
        # A feature that never varies would be divided by 0.
        self.mean_, self.scale_ = flat.mean(axis=0), np.maximum(flat.std(axis=0), 1e-9)
        meant = np.zeros(looks.shape[:2], dtype=np.float32)
        for row, lesson in zip(meant, heard, strict=True):
            row[list(lesson.meant)] = 1 / len(lesson.meant)
        texts = self.vocabulary_.weigh([lesson.text for lesson in heard]).astype(np.float32)
        scaled: Floats = ((looks - self.mean_) / self.scale_).astype(np.float32)
        self.networks_ = [PatchNetwork(self, self.seed + i).learn(texts, scaled, meant) for i in range(self.members)]
        if self.reasoning:
            target_rows = scaled[np.arange(len(heard)), [lesson.meant[0] for lesson in heard]]
            texts_words = [split_words(lesson.text) for lesson in heard]
            self.words_ = [PatchWords(self.seed + i).learn(texts_words, target_rows) for i in range(self.talkers)]
        # The attribute by which `Colour` detects training.
        self.weights_ = np.empty(0)
        return self

    def _compute_probabilities(self, texts: Sequence[str], patches: Sequence[Patches]) -> list[list[float]]:
        """Return the probabilities of the patches for each text, averaged over the networks."""
        if not texts:
            return []
        shares: list[list[float]] = [[] for _ in texts]
        weighed = self.vocabulary_.weigh(texts).astype(np.float32)
        # Scenes of one size together.
        for size in sorted({len(scene) for scene in patches}):
            rows = [i for i, scene in enumerate(patches) if len(scene) == size]
            scenes = [patches[i] for i in rows]
            beliefs = self.believe(weighed[np.array(rows)], scenes)
            if self.reasoning:
                texts_words, looks = [split_words(texts[i]) for i in rows], self._scale_features(scenes)
                log_chances = np.mean([words.log_chances(texts_words, looks) for words in self.words_], axis=0)
                beliefs = _compute_softmax(
                    (np.log(np.maximum(beliefs, LEAST)) + self.reasoning * log_chances).astype(np.float32)
                )
            for i, share in zip(rows, beliefs.tolist(), strict=True):
                shares[i] = share
        return shares

    def believe(self, texts: csr_array, patches: Sequence[Patches]) -> Floats:
        """Return the probability that each patch is the target: the mean over the networks, one row per text."""
        looks = self._scale_features(patches)
        beliefs: Floats = np.mean([network.shares(texts, looks) for network in self.networks_], axis=0)
        return beliefs

    def _scale_features(self, patches: Sequence[Patches]) -> Floats:
        scaled: Floats = ((_make_patch_features(patches) - self.mean_) / self.scale_).astype(np.float32)
        return scaled


class PatchNetwork:
    """One network: scores of patches from words, learned by Adam with a rate that warms up and then falls as a cosine."""

    def __init__(self, settings: ColourNetwork, seed: int) -> None:
        self.settings, self.rng = settings, np.random.default_rng(seed)
        self.weights: Weights = {}

    def learn(self, texts: csr_array, looks: Floats, meant: Floats) -> Self:
        """Train one network with Adam on random batches."""
        chosen = self.settings
        self.weights = self._draw_weights(texts.shape[1], looks.shape[2])
        batch = min(BATCH, len(meant))
        adam = Adam(self.weights, chosen.rate, chosen.decay, chosen.epochs * (len(meant) // batch))
        for _ in range(chosen.epochs):
            order = self.rng.permutation(len(meant))
            for start in range(0, len(order) - batch + 1, batch):
                rows = order[start : start + batch]
                adam.move(self._compute_gradient(texts[rows], looks[rows], meant[rows]))
        return self

    def shares(self, texts: csr_array, looks: Floats) -> Floats:
        """Return how likely each patch is meant."""
        w = self.weights
        words = texts @ w["words"]
        hidden = np.maximum(looks @ w["looks"] + (words @ w["joined"])[:, None, :] + w["shift"], 0)
        return _compute_softmax(hidden @ w["out"] + np.einsum("npd,nd->np", looks @ w["direct"], words))

    def _draw_weights(self, pieces: int, features: int) -> Weights:
        """Return random initial weights."""
        width, hidden = self.settings.width, self.settings.hidden

        def draw_dropout(*shape: int, size: float) -> Floats:
            return (self.rng.normal(size=shape) * size).astype(np.float32)

        return {
            "words": draw_dropout(pieces, width, size=0.3),
            "looks": draw_dropout(features, hidden, size=features**-0.5),
            "joined": draw_dropout(width, hidden, size=width**-0.5),
            "shift": np.zeros(hidden, dtype=np.float32),
            "out": draw_dropout(hidden, size=hidden**-0.5),
            "direct": draw_dropout(features, width, size=0.1 * features**-0.5),
        }

    def _compute_gradient(self, texts: csr_array, looks: Floats, meant: Floats) -> Weights:
        """Return the slope of the mean cross-entropy in every weight."""
        w, features = self.weights, looks.shape[2]
        dropout = self._draw_dropout_mask((texts.shape[0], self.settings.width))
        words = (texts @ w["words"]) * dropout
        before = looks @ w["looks"] + (words @ w["joined"])[:, None, :] + w["shift"]
        open_ = self._draw_dropout_mask(before.shape)
        hidden = np.maximum(before, 0) * open_
        direct = looks @ w["direct"]
        shares = _compute_softmax(hidden @ w["out"] + np.einsum("npd,nd->np", direct, words))
        fault = (shares - meant) / np.float32(len(meant))
        back = fault[:, :, None] * w["out"] * open_ * (before > 0)
        flat, summed = looks.reshape(-1, features), back.sum(axis=1)
        to_words = (summed @ w["joined"].T + np.einsum("np,npd->nd", fault, direct)) * dropout
        return {
            "words": np.asarray(texts.T @ to_words),
            "looks": flat.T @ back.reshape(-1, back.shape[2]),
            "joined": words.T @ summed,
            "shift": summed.sum(axis=0),
            "out": np.einsum("np,nph->h", fault, hidden),
            "direct": flat.T @ (fault[:, :, None] * words[:, None, :]).reshape(-1, words.shape[1]),
        }

    def _draw_dropout_mask(self, shape: tuple[int, ...]) -> Floats:
        """Return a random dropout mask with a rescaled mean of 1."""
        drop = self.settings.drop
        return (self.rng.random(shape) > drop).astype(np.float32) / np.float32(1 - drop)


def _compute_softmax(scores: Floats) -> Floats:
    """Return the softmax of scores by row."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=1, keepdims=True)
    return shares


def _make_patch_features(scenes: Sequence[Patches]) -> npt.NDArray[np.float64]:
    """Return one row of features per patch, one block per scene: its appearance, and the differences from the nearer
    and the farther patches.
    """
    starts = find_scene_starts(map(len, scenes))
    hsl = np.array([patch for scene in scenes for patch in scene])
    seen = make_appearance_features(hsl, starts)
    hue, saturation = np.deg2rad(hsl[:, :1]), hsl[:, 1:2] / 100
    waves = np.hstack([np.cos(hue), np.sin(hue), np.cos(hue) * saturation, np.sin(hue) * saturation])
    rgb = convert_hsl_to_rgb(hsl)
    place = np.hstack([convert_rgb_to_lab(rgb), rgb, waves, saturation, hsl[:, 2:] / 100])
    rows = [np.hstack([_measure_differences(place[a:b]), seen[a:b]]) for a, b in pairwise(starts.tolist())]
    return np.array(rows)


def _measure_differences(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the perceptual differences of each patch from the nearest and the farthest other patch."""
    if len(places) < 2:
        return np.zeros((len(places), 2 * places.shape[1]))
    difference = places[:, None, :] - places[None, :, :]
    distance = np.linalg.norm(difference[:, :, :3], axis=2)
    target_rows = np.arange(len(places))
    far = distance.argmax(axis=1)
    distance[target_rows, target_rows] = np.inf
    return np.hstack([difference[target_rows, distance.argmin(axis=1)], difference[target_rows, far]])
