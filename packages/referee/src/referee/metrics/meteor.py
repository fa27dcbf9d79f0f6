"""METEOR 1.5: words aligned one to one, by form, stem or synonym, with a penalty for fragmentation (Denkowski & Lavie
2014).

Rows are the counts of the best reference, so a corpus score is that of its summed counts, as in the Java program;
without its paraphrase table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import naming_extra
from referee.metrics.measure import Measure
from referee.metrics.tokens import check_choice, split_words
from referee.metrics.wordnet import WordNet, open_wordnet

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
_order = itemgetter(0, 1, 2)
_MODULE_ORDER = list(WEIGHTS.values())
COLUMNS = 6


# Positions in output and reference, and the weight of the match.
Match = tuple[int, int, float]
# An alignment of the reference's words so far: negative exact matches (so that the smallest is best), chunks, distance,
# the position after the last match (-1: none before this word), occupied positions of the output, and the pairs.
Partial = tuple[int, int, int, int, int, tuple[Match, ...]]
Row = tuple[float, float, float, float, int, int]


class _Text(NamedTuple):
    """A text for alignment: its words, their weights, the total weight, and the positions of each word or stem."""

    words: tuple[str, ...]
    forms: tuple[str, ...]
    weights: tuple[float, ...]
    total: float
    places: dict[str, list[int]]


@dataclass(eq=False, repr=False)
class Meteor(Measure):
    """METEOR 1.5: (1 - 0.6 · (chunks / matches)^0.2) · P·R / (0.85·P + 0.15·R).

    Content words have weight 0.75, function words 0.25.

    Words are aligned one to one by METEOR's search: the most exact matches, then the fewest chunks, then the least
    distance between positions. `match` selects the kinds of matches: "exact", "exact+stem" (default; Snowball's English stems, weight
    0.6), "exact+stem+synonym" (weight 0.8; `wordnet` names a folder with WordNet's index files, or METEOR's jar, by
    default that of an installed pycocoevalcap). Of several references the best one counts. METEOR's table of paraphrases
    is not used, so values lie below or at those of the Java program with all its modules; with `-m "exact stem"`, and
    its jar's synonyms with `-m "exact stem synonym"`, they agree. Range 0 to 1, higher is better. Source: Denkowski & Lavie
    2014. Empty case: outputs without words score 0; no text or no reference is not counted.
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
        check_choice("way to match", self.match, MODULES)
        if "stem" in self.match:
            _load_stemmer()  # says at once that the extra is missing
        if "synonym" in self.match:
            self._wordnet = open_wordnet(self.wordnet)
            self.wordnet = self._wordnet.signed

    def statistics(self, batch: Batch) -> FloatArray:
        """Return weighted matches and words of output and reference, chunks (0 if identical), matches."""
        rows = np.full((len(batch), COLUMNS), np.nan)
        texts: dict[tuple[str, str], _Text] = {}
        rows_by_texts: dict[tuple[str, str, str], Row] = {}

        def measure_row(output: str, reference: str, language: str) -> Row:
            """Return the statistics of an output and a reference; repeated pairs are computed once."""
            for text in (output, reference):
                if (text, language) not in texts:
                    texts[text, language] = self._prepare_text(text, language)
            key = (output, reference, language)
            if key not in rows_by_texts:
                rows_by_texts[key] = self._measure_pair(texts[output, language], texts[reference, language])
            return rows_by_texts[key]

        for i, (output, references) in enumerate(zip(batch.outputs, batch.references, strict=True)):
            expected = [r.text for r in references if r.text is not None]
            if output is not None and output.text is not None and expected:
                candidates = [measure_row(output.text, text, batch.trials[i].language) for text in expected]
                rows[i] = candidates[0] if len(candidates) == 1 else max(candidates, key=_compute_score)
        return rows

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return METEOR from sums of statistics."""
        totals, counts = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
        hits_out, words_out, hits_ref, words_ref, chunks, matches = np.moveaxis(totals, -1, 0)
        precision, recall = _divide(hits_out, words_out), _divide(hits_ref, words_ref)
        mean = _divide(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
        penalty = GAMMA * _divide(chunks, matches) ** BETA
        values: FloatArray = np.where(counts > 0, mean * (1 - penalty), np.nan)
        return values

    def _prepare_text(self, text: str, language: str) -> _Text:
        """Return a text with its words, stems and weights."""
        words = tuple(split_words(text, self.case, self.tokens, language))
        forms = tuple(map(stem_word, words)) if "stem" in self.match else words
        places: dict[str, list[int]] = {}
        for j, form in enumerate(forms):
            places.setdefault(form, []).append(j)
        weights = tuple(1 - DELTA if word in FUNCTION_WORDS else DELTA for word in words)
        return _Text(words, forms, weights, sum(weights), places)

    def _measure_pair(self, output_text: _Text, reference_text: _Text) -> Row:
        """Return the statistics of one output against one reference."""
        pairs = _align(self._list_candidates(output_text, reference_text))
        hits_out = sum([w * output_text.weights[i] for i, _, w in pairs])
        hits_ref = sum([w * reference_text.weights[j] for _, j, w in pairs])
        chunks = _count_chunks(pairs)
        whole = chunks == 1 and len(pairs) == len(output_text.words) == len(reference_text.words)
        # A copy in one piece has no breaks to punish, alone or among others.
        return hits_out, output_text.total, hits_ref, reference_text.total, 0 if whole else chunks, len(pairs)

    def _list_candidates(self, output_text: _Text, reference_text: _Text) -> list[list[tuple[int, float]]]:
        """Return for every word of the reference the words of the output that may match it, exact ones first.

        Each is a position with the weight of the match.
        """
        if self._wordnet is not None:
            others = list(enumerate(output_text.words))
            found = [
                [(i, w) for i, other in others if (w := self._weigh_match(other, word))]
                for word in reference_text.words
            ]
            return [sorted(places, key=_rank_module) for places in found]
        candidates = []
        for word, form in zip(reference_text.words, reference_text.forms, strict=True):
            places = output_text.places.get(form, ())
            exact = [(i, 1.0) for i in places if output_text.words[i] == word]
            stems = [(i, WEIGHTS["stem"]) for i in places if output_text.words[i] != word]
            candidates.append([*exact, *stems])
        return candidates

    def _weigh_match(self, word: str, other: str) -> float:
        """Return the weight of a match of two words; 0 if they do not match."""
        if word == other:
            return WEIGHTS["exact"]
        if "stem" in self.match and stem_word(word) == stem_word(other):
            return WEIGHTS["stem"]
        if self._wordnet is not None and self._wordnet.share_sense(word, other):
            return WEIGHTS["synonym"]
        return 0.0


def _rank_module(candidate: tuple[int, float]) -> int:
    """Return the rank of the module that found a candidate."""
    return _MODULE_ORDER.index(candidate[1])


def _compute_score(row: Row) -> float:
    """Return the METEOR score of one row of statistics."""
    hits_out, words_out, hits_ref, words_ref, chunks, matches = row
    if not matches:
        return 0.0
    precision, recall = hits_out / words_out, hits_ref / words_ref
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    return float(mean * (1 - GAMMA * (chunks / matches) ** BETA))


def _divide(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """Return quotients that are 0 where the denominator is 0."""
    shares: FloatArray = np.divide(upper, lower, out=np.zeros(np.broadcast(upper, lower).shape), where=lower > 0)
    return shares


def _align(candidates: Sequence[Sequence[tuple[int, float]]]) -> tuple[Match, ...]:
    """Return the alignment that METEOR 1.5 finds, in the order of the output.

    The program's search, beam and counting, with two of its peculiarities: it rounds weights down, so that only exact
    matches count before chunks and distance; and it adds the distance of a match to the alternatives tried after it.
    """
    claims = Counter([i for places in candidates for i, _ in places])
    # A pair without competition is always aligned.
    sure = [len(places) == 1 and claims[places[0][0]] == 1 for places in candidates]
    if sum(sure) == sum(map(bool, candidates)):
        return tuple(sorted([(places[0][0], j, places[0][1]) for j, places in enumerate(candidates) if places]))
    beam: list[Partial] = [(0, 0, 0, -1, 0, ())]
    for j, places in enumerate(candidates):
        longer = []
        for exact, chunks, distance, end, taken, pairs in beam:
            far = distance
            for i, weight in places:
                if not taken >> i & 1:
                    counted, begun = exact - (weight == 1), chunks + (end not in (-1, i))
                    gap = distance + abs(i - j) if sure[j] else far
                    longer.append((counted, begun, gap, i + 1, taken | 1 << i, (*pairs, (i, j, weight))))
                    far += abs(i - j)
            if not sure[j]:
                longer.append((exact, chunks + (end != -1), far, -1, taken, pairs))
        longer.sort(key=_order)
        beam = longer[:BEAM]
    # The last chunk ends with the text.
    best = min(beam, key=lambda p: (p[0], p[1] + (p[3] != -1), p[2]))
    return tuple(sorted(best[5]))


def _count_chunks(pairs: Sequence[Match]) -> int:
    """Count the runs of matches that are adjacent and in the same order in both texts."""
    follows = pairwise(pairs)
    return len(pairs) - sum(b[0] == a[0] + 1 and b[1] == a[1] + 1 for a, b in follows)


@lru_cache(maxsize=100_000)
def stem_word(word: str) -> str:
    """Return Snowball's English stem of a word."""
    return str(_load_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _load_stemmer() -> Any:
    """Return the English stemmer, loaded once."""
    with naming_extra():
        import snowballstemmer

    return snowballstemmer.stemmer("english")
