"""A listener that learns what words mean from what speakers meant: log-linear over words and the attribute values of entities.

Who said "dalmatian" meant something of type dalmatian, basic kind dog and kind animal: each piece of text (see `wording`) gets a weight with each value
it was heard with, and with each attribute in which the thing meant stood alone ("the different one"). A scene is a choice among its entities (see
`choice`). Two further weights, for a word that is spelled like a value and for one that nearly is, carry over to words and values that training never
showed. That a literal listener learns from what speakers meant, not from clicks, is the idea of Monroe et al. 2017.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from referee.contracts import FloatArray
from referee.errors import NotTrained
from referee.hearers.answering import Listener, Pair, answer, shrug, words_of
from referee.hearers.choice import Places, as_shares, learn, starts_of, wanted
from referee.hearers.wording import Vocabulary, said_in, taught
from referee.records import Description, HearerView, Outcome, Property, Response, Scene, Trial

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Learned"]

HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
SHORT, NEAR = 4, 0.65
ALONE = "alone in"


class Evidence(NamedTuple):
    """Texts with their scenes as arrays: for all entities in a row, the text they are held against, their values, and their likeness to its words."""

    texts: csr_array
    said: Places
    values: csr_array
    alike: FloatArray
    starts: Places


class Learned(Listener):
    """Reads words; learns from `teacher` ("targets": what speakers meant, or "clicks": what people took them to mean).

    `penalty` holds weights back, pieces of text seen fewer than `rare` times are ignored, `iterations` bounds the climb.
    """

    name = "learned"
    learns = True

    def __init__(self, teacher: str = "targets", penalty: float = 0.1, rare: int = 2, iterations: int = 200) -> None:
        self.teacher = teacher
        self.penalty = penalty
        self.rare = rare
        self.iterations = iterations

    def fit(self, trials: Iterable[Trial]) -> Self:
        heard = taught(trials, self.teacher)
        texts, scenes = [lesson.text for lesson in heard], [lesson.scene for lesson in heard]
        self.vocabulary_ = Vocabulary.of(texts, self.rare)
        values = sorted({prop for scene in scenes for entity in _seen(scene) for prop in entity})
        self.values_ = {prop: column for column, prop in enumerate(values)}
        evidence = self._gather(texts, scenes)
        rows, codes, sizes = self._meetings(evidence)
        self.codes_, columns = np.unique(codes, return_inverse=True)
        design = self._design(evidence, rows, columns, sizes)
        back = design.T.tocsr()
        self.weights_ = learn(
            lambda weights: design @ weights,
            lambda faults: back @ faults,
            design.shape[1],
            evidence.starts,
            wanted(heard),
            self.penalty,
            self.iterations,
        )
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        return self.resolve_many([(description, view)])[0]

    def resolve_many(self, pairs: Sequence[Pair]) -> list[Response]:
        """All answers at once."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        texts = [said_in(description) for description, _ in pairs]
        readable = [
            i
            for i, (text, (_, view)) in enumerate(zip(texts, pairs, strict=True))
            if view.scene.entities and not isinstance(text, Outcome) and self._understands(text, view.scene)
        ]
        shares = self._shares([str(texts[i]) for i in readable], [pairs[i][1].scene for i in readable])
        found = {i: answer(self.name, pairs[i][1], share) for i, share in zip(readable, shares, strict=True)}
        return [found.get(i) or self._shrug(text, pairs[i][1]) for i, text in enumerate(texts)]

    def _shrug(self, text: str | Outcome, view: HearerView) -> Response:
        return shrug(self.name, view, text if isinstance(text, Outcome) else Outcome.UNPARSABLE)

    def _understands(self, text: str, scene: Scene) -> bool:
        return self.vocabulary_.knows(text) or any(any(_likeness(text, p)) for p in scene.extensions)

    def _shares(self, texts: Sequence[str], scenes: Sequence[Scene]) -> list[list[float]]:
        if not texts:
            return []
        evidence = self._gather(texts, scenes)
        rows, codes, sizes = self._meetings(evidence)
        columns = np.searchsorted(self.codes_, codes)
        met = columns < len(self.codes_)
        met[met] = self.codes_[columns[met]] == codes[met]
        scores = self._design(evidence, rows[met], columns[met], sizes[met]) @ self.weights_
        shares = as_shares(scores, evidence.starts).tolist()
        return [shares[a:b] for a, b in pairwise(evidence.starts.tolist())]

    def _gather(self, texts: Sequence[str], scenes: Sequence[Scene]) -> Evidence:
        from scipy.sparse import csr_array

        values = [_seen(scene) for scene in scenes]
        known = [[self.values_[p] for p in entity if p in self.values_] for scene in values for entity in scene]
        ends = starts_of(map(len, known))
        places = np.fromiter((column for row in known for column in row), dtype=np.int64, count=int(ends[-1]))
        alike = [_alike(text, entity) for text, scene in zip(texts, values, strict=True) for entity in scene]
        return Evidence(
            texts=self.vocabulary_.weigh(texts),
            said=np.repeat(np.arange(len(texts)), [len(scene) for scene in values]),
            values=csr_array((np.ones(len(places)), places, ends), shape=(len(known), len(self.values_))),
            alike=np.array(alike, dtype=np.float64).reshape(-1, 2),
            starts=starts_of(map(len, values)),
        )

    def _meetings(self, evidence: Evidence) -> tuple[Places, Places, FloatArray]:
        """Every piece of text beside every value of an entity it may be about: the entity's row, a code for the two, the size."""
        texts, values = evidence.texts[evidence.said], evidence.values
        pieces, held = np.diff(texts.indptr), np.diff(values.indptr)
        rows = np.repeat(np.arange(len(held)), pieces * held)
        step = np.arange(len(rows)) - np.repeat(np.cumsum(pieces * held) - pieces * held, pieces * held)
        first = texts.indptr[rows] + step // held[rows]
        second = values.indptr[rows] + step % held[rows]
        codes = texts.indices[first].astype(np.int64) * len(self.values_) + values.indices[second]
        return rows, codes, texts.data[first]

    def _design(self, evidence: Evidence, rows: Places, columns: Places, sizes: FloatArray) -> csr_array:
        from scipy.sparse import csr_array, hstack

        shape = (len(evidence.said), len(self.codes_))
        return csr_array(hstack([csr_array((sizes, (rows, columns)), shape=shape), csr_array(evidence.alike)]))


def _seen(scene: Scene) -> list[tuple[Property, ...]]:
    """What can be seen of each entity: attributes, relations (not to whom, for ids are invisible), and where it alone has a value."""
    found: list[tuple[Property, ...]] | None = scene.cache.get("what a learned listener sees")
    if found is None:
        bits = [
            (prop, mask)
            for prop, mask in scene.extensions.items()
            if not (prop.value and Property(prop.name, "") in scene.extensions)
        ]
        found = [tuple(_seen_at(1 << i, bits)) for i in range(len(scene.entities))]
        scene.cache["what a learned listener sees"] = found
    return found


def _seen_at(bit: int, extensions: Iterable[tuple[Property, int]]) -> Iterator[Property]:
    for prop, mask in extensions:
        if mask & bit:
            yield prop
            if mask == bit:
                yield Property(ALONE, prop.name)


def _alike(text: str, values: Iterable[Property]) -> tuple[int, int]:
    """How many values are spelled out in the text, and how many more are spelled nearly like a word of it."""
    same, near = 0, 0
    for prop in values:
        if prop.name == ALONE:
            continue
        exact, close = _likeness(text, prop)
        same += exact
        near += close
    return same, near


@lru_cache(maxsize=1 << 18)
def _likeness(text: str, prop: Property) -> tuple[bool, bool]:
    """Whether a word of the text is a word of the value, and if not, whether one is spelled nearly like it ("pruple")."""
    words, names = _words(text), _words(HUMP.sub(" ", prop.value))
    if not words.isdisjoint(names):
        return True, False
    return False, any(_near(word, name) for word in words for name in names)


@lru_cache(maxsize=1 << 16)
def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


@lru_cache(maxsize=1 << 18)
def _near(word: str, name: str) -> bool:
    from rapidfuzz.distance import OSA

    return min(len(word), len(name)) >= SHORT and OSA.normalized_similarity(word, name) >= NEAR
