"""METEOR 1.5: words aligned one to one, by form, stem or synonym, with few breaks (Denkowski & Lavie 2014).

Rows are the counts of the best reference, so a corpus score is that of its summed counts, as the Java program computes it; without its table of paraphrases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import naming_extra
from referee.metrics.measure import Measure
from referee.metrics.tokens import choose, split_words
from referee.metrics.wordnet import WordNet, open_wordnet

__all__ = ["Meteor"]

# Words that METEOR 1.5 counts as function words of English (function/english.words of meteor-1.5.jar).
WORDS = (
    "the , . to of and a in that for \" is on 's it with was as said at he by be from have has are his but "
    "an this not i will ’ they ) -rrb- ( -lrb- who their had we which were been more or s its would about "
    "new one after you : also up when there than $ all out her people she year two - can if last first “ "
    "over other ” into some what so -- no time years could ? 't — ' "
)
FUNCTION_WORDS = frozenset(WORDS.split())
# METEOR 1.5's settings for English: recall counts more than precision; weights of exact, stem and synonym matches.
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
WEIGHTS = {"exact": 1.0, "stem": 0.6, "synonym": 0.8}
MODULES = ("exact", "exact+stem", "exact+stem+synonym", "exact+synonym")
BEAM = 40
COLUMNS = 6


class _Partial(NamedTuple):
    """An alignment of the words so far: pairs of places with the weight of their match, breaks, and how far places lie apart."""

    pairs: tuple[tuple[int, int, float], ...] = ()
    taken: int = 0
    breaks: int = 0
    distance: int = 0

    @property
    def order(self) -> tuple[int, int, int]:
        return -len(self.pairs), self.breaks, self.distance


@dataclass(eq=False, repr=False)
class Meteor(Measure):
    """(1 - 0.6 · (chunks / matches)^0.2) · P·R / (0.85·P + 0.15·R), with content words at weight 0.75 and function words at 0.25.

    Words are aligned one to one so that most are matched, in the fewest chunks of neighbours, with the least distance between places. `match` says by
    what: "exact", "exact+stem" (default; Snowball's English stems, weight 0.6), "exact+stem+synonym" (weight 0.8; `wordnet` names a folder with
    WordNet's index files). Of several references the best one counts. METEOR's table of paraphrases is not used, so values lie below or at those of
    the Java program with all its modules; with `-m "exact stem"` they agree. Range 0 to 1, higher is better. Source: Denkowski & Lavie 2014. Empty
    case: outputs without words score 0; no text or no reference is not counted.
    """

    name = "string/meteor"
    needs = "text"
    width = COLUMNS
    _wordnet: WordNet | None = field(default=None, init=False)

    match: str = "exact+stem"
    wordnet: str = ""
    case: str = "lower"
    tokens: str = "mteval"

    def __post_init__(self) -> None:
        choose("way to match", self.match, MODULES)
        if "stem" in self.match:
            _stemmer()  # says at once that the extra is missing
        if "synonym" in self.match:
            self._wordnet = open_wordnet(self.wordnet)
            self.wordnet = self._wordnet.signed

    def statistics(self, batch: Batch) -> FloatArray:
        """Columns: weighted matches and words of the output and of the reference, chunks (0 where the two are the same), matches."""
        rows = np.full((len(batch), COLUMNS), np.nan)
        known: dict[tuple[str, str], FloatArray] = {}
        for i, (said, references) in enumerate(zip(batch.outputs, batch.references, strict=True)):
            texts = [r.text for r in references if r.text is not None]
            if said is None or said.text is None or not texts:
                continue
            found = []
            for text in texts:
                key = (said.text, text)
                if key not in known:
                    known[key] = self._row(self._words(said.text), self._words(text))
                found.append(known[key])
            rows[i] = max(found, key=lambda row: float(self.finish(row, np.asarray(1.0))))
        return rows

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        totals, counts = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
        hits_out, words_out, hits_ref, words_ref, chunks, matches = np.moveaxis(totals, -1, 0)
        precision, recall = _share(hits_out, words_out), _share(hits_ref, words_ref)
        mean = _share(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
        penalty = GAMMA * _share(chunks, matches) ** BETA
        values: FloatArray = np.where(counts > 0, mean * (1 - penalty), np.nan)
        return values

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(split_words(text, self.case, self.tokens))

    def _row(self, said: tuple[str, ...], wanted: tuple[str, ...]) -> FloatArray:
        pairs = _align(self._candidates(said, wanted))
        hits_out = sum(w * _weight(said[i]) for i, _, w in pairs)
        hits_ref = sum(w * _weight(wanted[j]) for _, j, w in pairs)
        chunks = _chunks(pairs)
        whole = chunks == 1 and len(pairs) == len(said) == len(wanted)
        words = (sum(map(_weight, said)), sum(map(_weight, wanted)))
        # A copy in one piece has no breaks to punish, alone or among others.
        return np.array([hits_out, words[0], hits_ref, words[1], 0 if whole else chunks, len(pairs)], dtype=float)

    def _candidates(self, said: Sequence[str], wanted: Sequence[str]) -> list[list[tuple[int, float]]]:
        """For every word of the output the places in the reference that it may be aligned with, and the weight of the match."""
        return [[(j, w) for j, other in enumerate(wanted) if (w := self._matches(word, other))] for word in said]

    def _matches(self, word: str, other: str) -> float:
        if word == other:
            return WEIGHTS["exact"]
        if "stem" in self.match and stem(word) == stem(other):
            return WEIGHTS["stem"]
        if self._wordnet is not None and self._wordnet.share_sense(word, other):
            return WEIGHTS["synonym"]
        return 0.0


def _share(upper: FloatArray, lower: FloatArray) -> FloatArray:
    shares: FloatArray = np.divide(upper, lower, out=np.zeros(np.broadcast(upper, lower).shape), where=lower > 0)
    return shares


def _weight(word: str) -> float:
    return 1 - DELTA if word in FUNCTION_WORDS else DELTA


def _align(candidates: Sequence[Sequence[tuple[int, float]]]) -> tuple[tuple[int, int, float], ...]:
    """The alignment with the most matches, then the fewest breaks, then the least distance; the best forty partial ones are followed, as in METEOR."""
    beam = [_Partial()]
    for i, places in enumerate(candidates):
        longer = list(beam)
        for partial in beam:
            for j, weight in places:
                if not partial.taken >> j & 1:
                    last = partial.pairs[-1] if partial.pairs else None
                    joined = last is not None and last[0] == i - 1 and last[1] == j - 1
                    longer.append(
                        _Partial(
                            (*partial.pairs, (i, j, weight)),
                            partial.taken | 1 << j,
                            partial.breaks + (not joined),
                            partial.distance + abs(i - j),
                        )
                    )
        beam = sorted(longer, key=lambda p: p.order)[:BEAM]
    return beam[0].pairs


def _chunks(pairs: Sequence[tuple[int, int, float]]) -> int:
    follows = pairwise(pairs)
    return len(pairs) - sum(b[0] == a[0] + 1 and b[1] == a[1] + 1 for a, b in follows)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Snowball's English stem."""
    return str(_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    with naming_extra():
        import snowballstemmer

    return snowballstemmer.stemmer("english")
