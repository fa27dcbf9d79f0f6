"""Reference in real dialogue about twenty figures.

Prediction of the form, and resolution (KTH Tangrams; Shore & Skantze 2018).

All tests are on games that the models have not seen. Resolution compares four sources: times of mentions (history),
meanings of words (words as classifiers), the pair's earlier words for each figure, and a ranking machine with all of
them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import NotTrained, naming_extra
from referee.jobs.progress import ProgressCallback, report_progress
from referee_lab.tangram.models.candidates import DISCOURSE_NAMES, OPERATION_NAMES, compute_candidate_features
from referee_lab.tangram.models.context import VARIANTS, Clip, cut
from referee_lab.tangram.models.demonstratives import fold_places, make_feature_matrix
from referee_lab.tangram.models.history import ACTION_HISTORY, DIALOGUE_HISTORY, Situation
from referee_lab.tangram.models.resolution import learn_ranking
from referee_lab.tangram.tiers.reference_forms import FORMS, classify_form, list_describing_words, split_words

SIZES = {"small": 0.0, "medium": 0.5, "large": 1.0}
STEPS = 12


class Use(NamedTuple):
    """A description in its context: its words, the features of all objects (a row each), and the index of the target."""

    words: Sequence[str]
    things: FloatArray
    place: int


def compute_figure_features(
    pieces: Mapping[str, Mapping[str, str]], positions: Mapping[str, Sequence[float]], shapes: Sequence[str]
) -> FloatArray:
    """Return shape (one column each), size, area, colour (hue as a point on a circle, saturation, brightness, red, green, blue) and position."""
    rows = []
    for name, piece in pieces.items():
        hue, saturation, brightness = map(float, piece["hsb"].split(","))
        red, green, blue = (float(c) / 255 for c in piece["rgb"].split(","))
        x, y = positions[name]
        shape = [float(piece["shape"] == s) for s in shapes]
        angle = 2 * pi * hue
        colour = [cos(angle) * saturation, sin(angle) * saturation, saturation, brightness, red, green, blue]
        # The distance from the middle lets *corner* and *middle* be learned, which are not linear in x and y.
        place = [x - 0.5, y - 0.5, (x - 0.5) ** 2 + (y - 0.5) ** 2]
        # Areas are .01 to .04 of the board; times twenty they have the scale of the other columns.
        rows.append([1.0, *shape, SIZES.get(piece["size"], 0.5), 20 * float(piece["area"]), *colour, *place])
    return np.array(rows)


class WordMeanings:
    """Logistic classifiers of words with a ridge; words used fewer than `least` times are not learned."""

    def __init__(self, least: int = 4) -> None:
        self.least = least

    def fit(self, uses: Sequence[Use]) -> WordMeanings:
        """Train a classifier for every word with enough uses."""
        by_word: defaultdict[str, list[Use]] = defaultdict(list)
        for use in uses:
            for word in dict.fromkeys(use.words):
                by_word[word].append(use)
        self.weights_ = {
            word: self._learn_weights(word_uses)
            for word, word_uses in sorted(by_word.items())
            if len(word_uses) >= self.least
        }
        return self

    def scores(self, words: Sequence[str], things: FloatArray) -> FloatArray:
        """Return the log chance of the description for every thing."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        weights = [self.weights_[w] for w in dict.fromkeys(words) if w in self.weights_]
        if not weights:
            return np.zeros(len(things))
        logits = things @ np.array(weights).T
        # The logarithm of the logistic function, without overflow.
        log_probabilities: FloatArray = -np.logaddexp(0.0, -logits).sum(axis=1)
        return log_probabilities

    def _learn_weights(self, uses: Sequence[Use]) -> FloatArray:
        """Return the weights found by Newton's method; all distractors together count as much as the target."""
        things = np.concatenate([u.things for u in uses])
        meant = np.concatenate([np.arange(len(u.things)) == u.place for u in uses]).astype(float)
        weight = np.where(
            meant > 0, 1.0, np.concatenate([np.full(len(u.things), 1 / (len(u.things) - 1)) for u in uses])
        )
        ridge = np.eye(things.shape[1])
        # The constant is hardly held back: how rare the thing meant is should not be shrunk away.
        ridge[0, 0] = 1e-3
        w = np.zeros(things.shape[1])
        for _ in range(STEPS):
            # exp would overflow from 710 on; at 30 the chance is certain already.
            chance = 1 / (1 + np.exp(-np.clip(things @ w, -30, 30)))
            slope = things.T @ (weight * (chance - meant)) + ridge @ w
            curve = (things * (weight * chance * (1 - chance))[:, None]).T @ things + ridge
            step = np.linalg.solve(curve, slope)
            w = w - step
            if np.abs(step).max() < 1e-6:
                break
        return w


IntArray = npt.NDArray[np.int64]
HISTORY = tuple(
    n for n in (*DISCOURSE_NAMES, *OPERATION_NAMES) if n not in ("DH6", "DH7", "DH8")
)  # those look at words
INNER = 3


# -- form ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPrediction:
    """How well features predict the form of a reference: accuracy, the mean of the forms' F values, and F by form."""

    features: str
    accuracy: float
    macro_f: float
    f: dict[str, float | None]
    n: int


def predict_forms(situations: Sequence[Situation], *, folds: int = 10, seed: int = 1) -> list[FormPrediction]:
    """Evaluate the majority form and linear classifiers on dialogue history, action history, both, and past forms."""
    formed = [s for s in situations if classify_form(s.text) is not None]
    forms = np.array([str(classify_form(s.text)) for s in formed])
    places = fold_places(formed, folds, "pair", seed)
    sources = {
        "dialogue history": make_feature_matrix(formed, (DIALOGUE_HISTORY,)),
        "action history": make_feature_matrix(formed, (ACTION_HISTORY,)),
        "both": make_feature_matrix(formed, (DIALOGUE_HISTORY, ACTION_HISTORY)),
    }
    sources["both + repetition, last form"] = np.column_stack([sources["both"], _compute_past_features(formed)])
    common = {fold: Counter(forms[places != fold].tolist()).most_common(1)[0][0] for fold in set(places.tolist())}
    guesses = {"majority": np.array([common[place] for place in places.tolist()])}
    guesses |= {
        name: _predict_form(rows, forms, places) for name, rows in report_progress(sources.items(), "models of forms")
    }
    return [_evaluate_predictions(name, forms, guess) for name, guess in guesses.items()]


def _compute_past_features(situations: Sequence[Situation]) -> FloatArray:
    """Return how often the pair has mentioned the figure (log scale) and its last form: reduction depends on
    repetitions, not on seconds.
    """
    forms: dict[tuple[str, str], list[str]] = {}
    rows = []
    for s in situations:
        past = forms.setdefault((s.dialogue, s.target), [])
        rows.append([np.log1p(len(past)), *(float(past[-1:] == [form]) for form in FORMS)])
        past.append(str(classify_form(s.text)))
    return np.array(rows)


def _predict_form(rows: FloatArray, forms: npt.NDArray[np.str_], places: IntArray) -> npt.NDArray[np.str_]:
    """Return cross-validated predictions of the form."""
    with naming_extra():
        from sklearn.svm import LinearSVC

    guessed = forms.copy()
    for fold in range(int(places.max()) + 1):
        test = places == fold
        # Far more instances than features, for which the primal problem is the quicker one.
        guessed[test] = LinearSVC(C=1.0, dual=False).fit(rows[~test], forms[~test]).predict(rows[test])
    return guessed


def _evaluate_predictions(name: str, forms: npt.NDArray[np.str_], guess: npt.NDArray[np.str_]) -> FormPrediction:
    """Return accuracy and F values of predictions."""

    def f(form: str) -> float | None:
        """Return the F measure of a form; None if it is neither used nor predicted."""
        both = int(((forms == form) & (guess == form)).sum())
        either = int((forms == form).sum() + (guess == form).sum())
        return 2 * both / either if either else None

    by_form = {form: f(form) for form in FORMS}
    return FormPrediction(
        features=name,
        accuracy=float((forms == guess).mean()),
        macro_f=float(np.mean([v for v in by_form.values() if v is not None])),
        f=by_form,
        n=len(forms),
    )


# -- referent ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRanking:
    """How high the target is ranked: accuracy at rank 1 and mean reciprocal rank; tied figures share ranks."""

    source: str
    top1: float
    mrr: float
    n: int


def resolve_figures(
    situations: Sequence[Situation], *, folds: int = 10, seed: int = 1, watch: ProgressCallback | None = None
) -> list[FigureRanking]:
    """Evaluate chance, recency, history, words, earlier wordings and all of them, with games left out in turn."""
    places = fold_places(situations, folds, "pair", seed)
    uses = _list_uses(situations)
    meant = np.array([u.place for u in uses])
    # Higher is more recent; never mentioned comes after everything mentioned, however long ago.
    recency = [
        np.array([-1e12 if t.since_mention is None else -t.since_mention for t in s.standings.values()])
        for s in situations
    ]
    features = [[compute_candidate_features(s, piece) for piece in s.standings] for s in situations]
    history = [np.array([[row[name] for name in HISTORY] for row in rows]) for rows in features]
    earlier = _compare_earlier_wordings(situations)
    words = _score_words(uses, places)
    scores: dict[str, list[FloatArray]] = {
        "chance": [np.zeros(len(u.things)) for u in uses],
        "most recently mentioned": recency,
        "history": _rank_figures(history, meant, places),
        "words as classifiers": words,
        "earlier wordings": [e[:, 0] for e in earlier],
    }
    # Word scores of games that meanings were learned from look too good; the stack is trained on scores of unseen ones.
    numbered = list(range(int(places.max()) + 1))
    inner = {
        fold: _score_training_words(uses, places, fold)
        for fold in (numbered if watch is None else watch(numbered, "folds"))
    }
    scores["history + words"] = _stack_scores([history], words, inner, meant, places)
    scores["history + words + earlier wordings"] = _stack_scores([history, earlier], words, inner, meant, places)
    return [_compute_mean_ranks(name, source_scores, meant) for name, source_scores in scores.items()]


def _list_uses(situations: Sequence[Situation]) -> list[Use]:
    """Return the references as training instances for words as classifiers."""
    shapes = sorted({p["shape"] for s in situations for p in s.pieces.values()})
    return [
        Use(
            words=split_words(s.text),
            things=compute_figure_features(s.pieces, s.expression.data["positions"], shapes),
            place=list(s.standings).index(s.target),
        )
        for s in situations
    ]


def _compare_earlier_wordings(situations: Sequence[Situation]) -> list[FloatArray]:
    """Return, for every figure, the best Dice of the words with the pair's earlier words for it, and whether it had
    any.
    """
    wordings: dict[tuple[str, str], list[set[str]]] = {}
    overlaps = []
    for s in situations:
        now = set(list_describing_words(s.text))
        rows = []
        for piece in s.standings:
            before = wordings.get((s.dialogue, piece), [])
            best = max((2 * len(now & b) / (len(now) + len(b)) for b in before if now or b), default=0.0)
            rows.append([best, float(bool(before))])
        overlaps.append(np.array(rows))
        wordings.setdefault((s.dialogue, s.target), []).append(now)
    return overlaps


def _score_words(uses: Sequence[Use], places: IntArray) -> list[FloatArray]:
    """Return word scores for the uses of every fold, with meanings learned from the other folds."""
    scores: list[FloatArray] = [np.zeros(0)] * len(uses)
    for fold in sorted(set(places.tolist())):
        meanings = WordMeanings().fit([u for u, p in zip(uses, places, strict=True) if p != fold])
        for i in np.flatnonzero(places == fold).tolist():
            scores[i] = meanings.scores(uses[i].words, uses[i].things)
    return scores


def _score_training_words(uses: Sequence[Use], places: IntArray, fold: int) -> dict[int, FloatArray]:
    """Return the word scores of a fold's training instances, each by meanings learned without its game."""
    train = np.flatnonzero(places != fold).tolist()
    groups = {old: new % INNER for new, old in enumerate(sorted(set(places[train].tolist())))}
    scores = _score_words([uses[i] for i in train], np.array([groups[p] for p in places[train].tolist()]))
    return dict(zip(train, scores, strict=True))


def _stack_scores(
    rows: Sequence[Sequence[FloatArray]],
    words: Sequence[FloatArray],
    inner: dict[int, dict[int, FloatArray]],
    meant: IntArray,
    places: IntArray,
) -> list[FloatArray]:
    """Return the cross-validated scores of a ranking model over feature rows and word scores."""
    stacked: list[FloatArray] = [np.zeros(0)] * len(words)
    for fold, inner_scores in inner.items():
        train = sorted(inner_scores)
        table = [_append_scores([r[i] for r in rows], inner_scores[i]) for i in train]
        weights = learn_ranking(table, [int(meant[i]) for i in train])
        for i in np.flatnonzero(places == fold).tolist():
            stacked[i] = _append_scores([r[i] for r in rows], words[i]) @ weights
    return stacked


def _append_scores(rows: Sequence[FloatArray], scores: FloatArray) -> FloatArray:
    return np.column_stack([*rows, scores - scores.mean()])


def _rank_figures(rows: Sequence[FloatArray], meant: IntArray, places: IntArray) -> list[FloatArray]:
    """Return cross-validated scores of the ranking machine."""
    ranked: list[FloatArray] = [np.zeros(0)] * len(rows)
    for fold in sorted(set(places.tolist())):
        train = np.flatnonzero(places != fold).tolist()
        weights = learn_ranking([rows[i] for i in train], [int(meant[i]) for i in train])
        for i in np.flatnonzero(places == fold).tolist():
            ranked[i] = rows[i] @ weights
    return ranked


def _compute_mean_ranks(name: str, scores: Sequence[FloatArray], meant: IntArray) -> FigureRanking:
    """Return the mean ranks of the targets from scores."""
    first, reciprocal = [], []
    for figure_scores, place in zip(scores, meant, strict=True):
        # Sums in another order differ in their last digits; that is a tie.
        above = int((figure_scores > figure_scores[place] + 1e-9).sum())
        level = int((np.abs(figure_scores - figure_scores[place]) <= 1e-9).sum())
        first.append(1 / level if above == 0 else 0.0)
        reciprocal.append(float(np.mean(1 / (above + 1 + np.arange(level)))))
    return FigureRanking(source=name, top1=float(np.mean(first)), mrr=float(np.mean(reciprocal)), n=len(meant))


# -- contexts ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Clips:
    """How many references allow a clip of one kind, how long the clips are, and why the others allow none."""

    shows: str
    usable: int
    seconds: float | None
    reasons: dict[str, int]


def count_clips(situations: Sequence[Situation]) -> list[Clips]:
    """Count every kind of clip over all references."""
    counts = []
    for shows in VARIANTS:
        cuts = [cut(s, shows) for s in situations]
        clips = [c for c in cuts if isinstance(c, Clip)]
        reasons = Counter(c.reason for c in cuts if not isinstance(c, Clip))
        seconds = float(np.mean([c.seconds for c in clips])) if clips else None
        counts.append(Clips(shows=shows, usable=len(clips), seconds=seconds, reasons=dict(reasons.most_common())))
    return counts
