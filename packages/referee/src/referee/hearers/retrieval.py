"""The retrieval hearer: finds the most similar known descriptions and uses the properties of their targets.

A baseline like nearest-neighbour captioning: tf-idf weighted n-grams, cosine similarity, a few nearest descriptions. A
property that is more frequent among their targets than overall supports the entities that have it. It learns neither
grammar nor meaning.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest
from math import exp, log, sqrt
from typing import Self

from referee.errors import InputError, NotTrained
from referee.hearers.answering import Listener, answer, make_undecided_response, split_words
from referee.records import Description, HearerView, Outcome, Property, Response, Trial

Vector = dict[str, float]


@dataclass(eq=False, repr=False)
class Retrieval(Listener):
    """Votes of the nearest known descriptions.

    An entity's score is the sum, over its properties, of the similarity-weighted share of neighbours whose target has the property, less the share of all
    known targets that have it; belief is the exponential of `sharpness` times the score. Words of which none is known are UNPARSABLE, no words are DONT_KNOW.
    """

    name = "retrieval"
    learns = True

    neighbours: int = 20
    order: int = 2
    sharpness: float = 3.0

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Store the descriptions with their targets' properties; for several targets, the shared ones."""
        self._check_parameters()
        texts: list[Counter[str]] = []
        targets: list[frozenset[Property]] = []
        for trial in trials:
            looks = frozenset.intersection(*(frozenset(trial.scene.entity(t).attributes) for t in trial.targets))
            for reference in trial.references:
                if reference.text and (grams := Counter(self._iterate_ngrams(reference.text))):
                    texts.append(grams)
                    targets.append(looks)
        document_counts = Counter(gram for grams in texts for gram in grams)
        # One text is added to both counts: a word that occurs everywhere keeps the weight 1.
        self.rarity_ = {gram: log((1 + len(texts)) / (1 + n)) + 1 for gram, n in document_counts.items()}
        self.index_: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, grams in enumerate(texts):
            for gram, weight in self._make_vector(grams).items():
                self.index_[gram].append((number, weight))
        self.targets_ = targets
        owned = Counter(p for looks in targets for p in looks)
        self.usual_ = {p: n / len(targets) for p, n in owned.items()}
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return probabilities from the properties of the nearest descriptions' targets."""
        if not hasattr(self, "targets_"):
            raise NotTrained(self)
        text = (description.text or "").strip()
        if not text:
            return make_undecided_response(self.name, view, Outcome.DONT_KNOW)
        near = self._find_nearest(text)
        if not near:
            return make_undecided_response(self.name, view, Outcome.UNPARSABLE)
        support = self._compute_support(near)
        # Sorted, because a floating-point sum depends on its order and sets have none.
        scores = [sum(support.get(p, 0.0) for p in sorted(set(e.attributes))) for e in view.scene.entities]
        top = max(scores, default=0.0)
        return answer(self.name, view, [exp(self.sharpness * (score - top)) for score in scores])

    def _check_parameters(self) -> None:
        """Raise InputError for invalid parameters."""
        if self.neighbours < 1 or self.order < 1 or not self.sharpness > 0:
            raise InputError(
                f"neighbours is {self.neighbours}, order {self.order}, sharpness {self.sharpness}",
                remedy="neighbours and order are at least 1, sharpness is above 0",
            )

    def _iterate_ngrams(self, text: str) -> Iterator[str]:
        """Yield the n-grams of a text."""
        words = split_words(text)
        for size in range(1, self.order + 1):
            yield from (" ".join(words[i : i + size]) for i in range(len(words) - size + 1))

    def _make_vector(self, grams: Counter[str]) -> Vector:
        """Return the known n-grams with their weights, normalised to length 1."""
        weights = {gram: n * self.rarity_[gram] for gram, n in grams.items() if gram in self.rarity_}
        length = sqrt(sum(w * w for w in weights.values()))
        return {gram: w / length for gram, w in weights.items()}

    def _find_nearest(self, text: str) -> list[tuple[float, int]]:
        """Return similarity and number of the nearest descriptions; ties keep the order of training."""
        similar: dict[int, float] = defaultdict(float)
        for gram, weight in self._make_vector(Counter(self._iterate_ngrams(text))).items():
            for number, other in self.index_.get(gram, ()):
                similar[number] += weight * other
        # Rounded, for sums differ in their last bits; the minus sends ties to the description known first.
        best = nlargest(self.neighbours, ((round(s, 12), -number) for number, s in similar.items()))
        return [(similarity, -number) for similarity, number in best]

    def _compute_support(self, near: list[tuple[float, int]]) -> dict[Property, float]:
        """Return the support of each property: its share among the neighbours' targets minus its overall share."""
        total = sum(similarity for similarity, _ in near)
        support: dict[Property, float] = defaultdict(float)
        for similarity, number in near:
            for prop in self.targets_[number]:
                support[prop] += similarity / total
        return {prop: share - self.usual_[prop] for prop, share in support.items()}
