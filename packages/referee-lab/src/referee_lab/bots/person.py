"""A simulated person.

A simulated hearer with individual speed, care and lapses, so that participants of a rehearsal differ as people do.

The hearer gives the probability of each answer. A person draws one, more faithfully the more careful they are, with
occasional random answers. Times come from the hearer if it has them (`hearers.times`), else from length and
uncertainty, multiplied by the person's speed. The parameters are plausible, not fitted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import exp, log2
from random import Random

from referee.contracts import Hearer
from referee.hearers.answering import NONE, PSEUDO, split_words
from referee.records import Description, HearerView, Outcome, Response, Trial
from referee_lab.study.protocols.simulated_answers import IDENTIFYING_MS, PER_WORD_MS, READING_MS

# Spreads are SDs on the log scale; care above 1 sharpens a hearer's belief, below 1 blunts it.
PACE_SPREAD, USUAL_CARE, CARE_SPREAD, MOST_LAPSES = 0.2, 1.5, 0.3, 0.03
PER_BIT = 0.15
FIRST_GUESS = 0.85


class Someone:
    """One simulated person, determined by the seed, who answers the same question in the same way."""

    learns = False

    def __init__(self, hearer: Hearer, seed: str) -> None:
        self.hearer = hearer
        self.seed = seed
        rng = Random(f"{seed}|person")
        self.pace = exp(rng.gauss(0.0, PACE_SPREAD))
        self.care = USUAL_CARE * exp(rng.gauss(0.0, CARE_SPREAD))
        self.lapses = MOST_LAPSES * rng.random()

    def fit(self, trials: Iterable[Trial]) -> Someone:
        """Return the person unchanged: simulated people do not learn from trials."""
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return a random answer from the hearer's probabilities, with times."""
        heard = self.hearer.resolve(description, view)
        # From the question alone: the same person answers it alike, whatever came before.
        rng = Random(f"{self.seed}|{view.id}|{description.text}")
        answered = self._draw_answer(heard, rng)
        reading, finding = self._estimate_times(heard, description)
        return replace(answered, reading_ms=reading * self.pace, identification_ms=finding * self.pace)

    def _draw_answer(self, heard: Response, rng: Random) -> Response:
        """Return one answer, drawn in proportion to the probabilities raised to the person's care."""
        shares = dict(heard.probabilities or ())
        if not shares:
            return heard
        even = rng.random() < self.lapses
        weights = [1.0 if even else share**self.care for share in shares.values()]
        if not sum(weights) > 0:
            return heard
        name = rng.choices(list(shares), weights)[0]
        if name in PSEUDO:
            return replace(heard, outcome=Outcome.NONE if name == NONE else Outcome.SEVERAL, entity=None)
        return replace(heard, outcome=Outcome.ENTITY, entity=name)

    def _estimate_times(self, heard: Response, description: Description) -> tuple[float, float]:
        """Return reading and identification times: the hearer's, or estimates from length and entropy."""
        words = len(split_words(description.text or ""))
        reading = READING_MS + PER_WORD_MS * words if heard.reading_ms is None else heard.reading_ms
        if heard.identification_ms is not None:
            return reading, heard.identification_ms
        return reading, IDENTIFYING_MS * (FIRST_GUESS + PER_BIT * _compute_entropy(heard.probabilities or ()))


def _compute_entropy(probabilities: Iterable[tuple[str, float]]) -> float:
    """Return the entropy of probabilities in bits."""
    return abs(sum(share * log2(share) for _, share in probabilities if share > 0.0))
