"""A listener that learns meanings of words from speakers' targets.

Log-linear over words and the attribute values of entities.

A speaker's "dalmatian" refers to a target of type dalmatian, basic kind dog and kind animal: each n-gram (see
`word_features`) gets a weight with each value of its targets, and with each attribute in which the target was unique
("the different one"). A scene is a choice among its entities (see `choice`). Two further weights, for a word that is
spelled like a value and for one that nearly is, generalise to words and values outside the training data. Training a
literal listener on targets, not on clicks, is the idea of Monroe et al. 2017.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, sqrt
from typing import TYPE_CHECKING, Self

import numpy as np

from referee.errors import NotTrained
from referee.hearers.answering import Listener, answer, make_undecided_response, split_words
from referee.hearers.choice import find_scene_starts, learn, make_target_distribution
from referee.hearers.word_features import Lesson, Vocabulary, get_message, list_lessons, split_into_pieces
from referee.records import Description, HearerView, Outcome, Property, Response, Scene, SceneNotes, Trial

if TYPE_CHECKING:
    from scipy.sparse import csr_array

HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Among shorter words nearly everything is spelled nearly alike.
SHORT, NEAR = 4, 0.65
REMEMBERED = 1 << 14
ALONE = "alone in"
# Two weights that belong to no word: a value is spelled out, or nearly. A near miss starts from half a hit, for training may have shown none.
HALF = 0.5
SAME, NEARLY = ("", Property("spelling", "same")), ("", Property("spelling", "near"))

Feature = tuple[str, Property]
# A value that some entities have and others lack, who has it, and whether a word could be spelled like it.
Clue = tuple[Property, tuple[int, ...], bool]
_CLUES: SceneNotes[str, list[Clue]] = SceneNotes("hearers.clues")


@dataclass(eq=False, repr=False)
class Learned(Listener):
    """Understands words; learns from `teacher` ("targets": the speakers' targets, or "clicks": the listeners' choices).

    `penalty` is the regularisation, n-grams with fewer than `rare` occurrences are ignored, `iterations` limits the
    optimiser.
    """

    name = "learned"
    learns = True

    teacher: str = "targets"
    penalty: float = 0.1
    rare: int = 2
    iterations: int = 200

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn the weights of n-grams and values."""
        heard = list_lessons(trials, self.teacher)
        self.vocabulary_ = Vocabulary.of((lesson.text for lesson in heard), self.rare)
        columns: dict[Feature, int] = {SAME: 0, NEARLY: 1}
        design = self._make_design_matrix(heard, columns)
        # Transposed once: the gradient runs over it a few hundred times, and by rows a sparse product is fastest.
        back = design.T.tocsr()
        weights = learn(
            lambda weights: design @ weights,
            lambda faults: back @ faults,
            len(columns),
            find_scene_starts(len(lesson.scene.entities) for lesson in heard),
            make_target_distribution(heard),
            self.penalty,
            self.iterations,
        ).tolist()
        self.same_, self.near_ = weights[:2]
        self.values_: dict[Property, int] = {}
        self.weights_: dict[str, dict[int, float]] = {piece: {} for piece in self.vocabulary_.columns}
        for (piece, value), column in columns.items():
            if piece:
                self.weights_[piece][self.values_.setdefault(value, len(self.values_))] = weights[column]
        self.remembered_: dict[str, dict[Property, float]] = {}
        return self

    def _make_design_matrix(self, heard: Sequence[Lesson], columns: dict[Feature, int]) -> csr_array:
        """Return one row per entity and one column per feature; new features get the next free column."""
        from scipy.sparse import csr_array

        rows, places, sizes = [], [], []
        start = 0
        for lesson in heard:
            pieces = self._select_pieces(lesson.text)
            for value, holders, spoken in _list_distinguishing_values(lesson.scene):
                for feature, size in _iterate_features(lesson.text, value, spoken, pieces):
                    column = columns.setdefault(feature, len(columns))
                    rows += [start + place for place in holders]
                    places += [column] * len(holders)
                    sizes += [size] * len(holders)
            start += len(lesson.scene.entities)
        return csr_array((np.array(sizes, dtype=np.float64), (rows, places)), shape=(start, len(columns)))

    def _select_pieces(self, text: str) -> list[str]:
        return [piece for piece in split_into_pieces(text) if piece in self.vocabulary_.columns]

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return probabilities from the scores of the words; UNPARSABLE if no word is known."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        text, scene = get_message(description), view.scene
        if isinstance(text, Outcome):
            return make_undecided_response(self.name, view, text)
        if not scene.entities or not self._understands_text(text, scene):
            return make_undecided_response(self.name, view, Outcome.UNPARSABLE)
        scores = self._score_entities(text, scene)
        top = max(scores)
        return answer(self.name, view, [exp(score - top) for score in scores])

    def _understands_text(self, text: str, scene: Scene) -> bool:
        """Return whether a text is a known word or is similar to a value in the scene."""
        return self.vocabulary_.knows_word(text) or any(
            any(_compare_text_with_value(text, prop)) for prop in scene.extensions
        )

    def _score_entities(self, text: str, scene: Scene) -> list[float]:
        """Return the sum of a text's weights over each entity's values; repeated pairs are computed once."""
        readings = self._recall_readings(text)
        scores = [0.0] * len(scene.entities)
        for value, holders, spoken in _list_distinguishing_values(scene):
            weight = readings.get(value)
            if weight is None:
                weight = readings[value] = self._weigh_value(text, value, spoken)
            for place in holders:
                scores[place] += weight
        return scores

    def _recall_readings(self, text: str) -> dict[Property, float]:
        """Return the cached weights of a text, by value."""
        readings = self.remembered_.get(text)
        if readings is None:
            if len(self.remembered_) >= REMEMBERED:
                self.remembered_.clear()
            readings = self.remembered_[text] = {}
        return readings

    def _weigh_value(self, text: str, value: Property, spoken: bool) -> float:
        """Return the weight of a text for a value: learned n-grams, and similar spelling."""
        pieces = [self.weights_[piece] for piece in self._select_pieces(text)]
        column = self.values_.get(value)
        weight = 0.0
        if pieces and column is not None:
            weight = sum([row.get(column, 0.0) for row in pieces]) / sqrt(len(pieces))
        if spoken:
            same, near = _compare_text_with_value(text, value)
            # As in `_iterate_features`: a near miss is half a hit and has a weight of its own.
            weight += (same + HALF * near) * self.same_ + near * self.near_
        return weight


def _iterate_features(
    text: str, value: Property, spoken: bool, pieces: Sequence[str]
) -> Iterator[tuple[Feature, float]]:
    """Yield the features of a text and a value: every known n-gram, scaled by the text's length, and spelling."""
    for piece in pieces:
        yield (piece, value), 1 / sqrt(len(pieces))
    same, near = _compare_text_with_value(text, value) if spoken else (False, False)
    if same or near:
        yield SAME, 1.0 if same else HALF
    if near:
        yield NEARLY, 1.0


def _list_distinguishing_values(scene: Scene) -> list[Clue]:
    """Return the values that distinguish entities: those that not all have, and attributes in which one is unique.

    Relations count by name only, because ids are invisible. Values that all entities have cannot change a choice.
    """
    notes = _CLUES.of(scene)
    features = notes.get(ALONE)
    if features is None:
        relations = {relation.name for entity in scene.entities for relation in entity.relations}
        telling = [
            (prop, _list_bits(mask))
            for prop, mask in scene.extensions.items()
            if mask != scene.everything and not (prop.value and prop.name in relations)
        ]
        features = [(prop, holders, True) for prop, holders in telling]
        # That the odd one out is meant is partly the design of the experiments; it counts only beside words that are
        # known.
        features += [
            (_make_uniqueness_clue(prop.name), holders, False) for prop, holders in telling if len(holders) == 1
        ]
        notes[ALONE] = features
    return features


@lru_cache(maxsize=1 << 12)
def _make_uniqueness_clue(attribute: str) -> Property:
    return Property(ALONE, attribute)


@lru_cache(maxsize=1 << 14)
def _list_bits(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


@lru_cache(maxsize=1 << 18)
def _compare_text_with_value(text: str, prop: Property) -> tuple[bool, bool]:
    """Return whether a word of the text is a word of the value, and if not, whether one has nearly its spelling ("pruple")."""
    words, names = _get_word_set(text), _get_value_words(prop.value)
    if not words.isdisjoint(names):
        return True, False
    return False, any(_is_near_spelling(word, name) for word in words for name in names)


@lru_cache(maxsize=1 << 16)
def _get_word_set(text: str) -> frozenset[str]:
    return frozenset(split_words(text))


@lru_cache(maxsize=1 << 16)
def _get_value_words(value: str) -> frozenset[str]:
    return frozenset(split_words(HUMP.sub(" ", value)))


@lru_cache(maxsize=1 << 18)
def _is_near_spelling(word: str, name: str) -> bool:
    """Return whether a word is spelled nearly like a name."""
    from rapidfuzz.distance import OSA

    return min(len(word), len(name)) >= SHORT and OSA.normalized_similarity(word, name) >= NEAR
