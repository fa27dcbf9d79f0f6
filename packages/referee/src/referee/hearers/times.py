"""Predicted response times: they grow with length, uncertainty and redundant words (Engelhardt et al. 2011).

A regression of log time on three quantities of any hearer: length (in words, or properties without words), uncertainty
(entropy of its probabilities in bits) and redundancy (words that can be removed without changing its choice). It is
fitted on human times, with errors clustered by person or game, and on probabilities for trials outside the hearer's
training data. Sources measure reading and identification together; the effect of length is called reading, the rest
identification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, log1p, log2
from random import Random
from typing import Any, NamedTuple, Self

import numpy as np

from referee.capabilities import learns, resolve_all
from referee.contracts import FloatArray, Hearer
from referee.errors import NotTrained, UnknownName
from referee.hearers.answering import Listener, Pair, split_words
from referee.hearers.learned import Learned
from referee.records import Description, HearerView, Outcome, Response, Trial
from referee.signature import parameters

NAMES = ("constant", "length", "doubt", "surplus")
LENGTH = NAMES.index("length")
STILL_SURE = 0.95


class Coefficient(NamedTuple):
    """The effect of one unit on log time, with its clustered standard error."""

    name: str
    estimate: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The fitted regression: `explained` is R² of log time, `spread` the residual standard deviation."""

    coefficients: tuple[Coefficient, ...]
    n: int
    clusters: int
    explained: float
    spread: float


class Observed(NamedTuple):
    """A description, the time that a person took to understand it, and the cluster of that time (hearer or game)."""

    trial: Trial
    description: Description
    ms: float
    cluster: str


@dataclass(eq=False, repr=False)
class Timed(Listener):
    """Any hearer (by default the learned one; also by name) with predicted times: medians, without the variation of
    people.

    Human times come from responses if `fit` gets them, else from rounds of a game with one message and no question.
    Times outside `fastest_ms` … `slowest_ms` are left out; with fewer than two people or pairs, answers have no times.
    A hearer that learns is trained `folds` times without a part of the groups, so that its uncertainty is about unseen
    trials.
    """

    name = "timed"
    learns = True

    hearer: Hearer | str | None = None
    fastest_ms: float = 200
    slowest_ms: float = 30_000
    folds: int = 2

    def fit(self, trials: Iterable[Trial], responses: Iterable[Response] | None = None) -> Self:
        """Train the hearer and fit its times."""
        trials = list(trials)
        seen = _iterate_game_times(trials) if responses is None else _iterate_response_times(trials, responses)
        observed = [o for o in seen if self.fastest_ms <= o.ms <= self.slowest_ms]
        self.inner_ = self._copy_untrained().fit(trials)
        self.times_ = self._learn_times(trials, observed) if len({o.cluster for o in observed}) > 1 else None
        return self

    def _learn_times(self, trials: Sequence[Trial], observed: Sequence[Observed]) -> Times:
        """Return the regression of times, from hearers trained without the trials in question."""
        parts = list(self._split_by_group(trials, observed))
        rows = np.concatenate([rows for rows, _ in parts])
        return _fit_regression(rows, [o for _, part in parts for o in part])

    def resolve(self, description: Description, view: HearerView) -> Response:
        return self.resolve_many([(description, view)])[0]

    def resolve_many(self, pairs: Sequence[Pair]) -> list[Response]:
        """Return the answers of the hearer inside, each with a time."""
        if not hasattr(self, "times_"):
            raise NotTrained(self)
        responses = [replace(response, hearer=self.name) for response in resolve_all(self.inner_, pairs)]
        if self.times_ is None or not pairs:
            return responses
        weights = np.array([c.estimate for c in self.times_.coefficients])
        rows = _make_effort_row(self.inner_, pairs, responses)
        total = np.exp(rows @ weights)
        # Whatever length adds is reading; without it finding is left.
        rows[:, LENGTH] = 0
        finding = np.exp(rows @ weights)
        return [
            replace(r, reading_ms=max(t - f, 0.0), identification_ms=f)
            for r, t, f in zip(responses, total.tolist(), finding.tolist(), strict=True)
        ]

    def _copy_untrained(self) -> Any:
        """Return an untrained copy of the hearer."""
        if self.hearer is None or isinstance(self.hearer, str):
            return _create_hearer(self.hearer or Learned.name)
        return type(self.hearer)(**parameters(self.hearer))

    def _split_by_group(
        self, trials: Sequence[Trial], observed: Sequence[Observed]
    ) -> Iterator[tuple[FloatArray, list[Observed]]]:
        """Return parts of the observations, each with a hearer that was trained on the other groups."""
        groups = sorted({_get_group(o.trial) for o in observed})
        # Who learns nothing cannot know a trial, so one part is enough.
        parts = min(self.folds, len(groups)) if learns(self.inner_) else 1
        for part in range(parts):
            held = set(groups[part::parts])
            hearer = (
                self._copy_untrained().fit([t for t in trials if _get_group(t) not in held])
                if parts > 1
                else self.inner_
            )
            held_out = [o for o in observed if _get_group(o.trial) in held]
            # A shuffle of its own for each, the same at every fit.
            pairs = [(o.description, o.trial.for_hearer(Random(i))) for i, o in enumerate(held_out)]
            yield _make_effort_row(hearer, pairs, resolve_all(hearer, pairs)), held_out


def _create_hearer(name: str) -> Any:
    """Return a hearer by name, with its default settings."""
    from referee.hearers import colour, literal, noisy, rational_listener, retrieval

    classes = (Learned, colour.Colour, literal.Literal, noisy.Noisy, rational_listener.Rational, retrieval.Retrieval)
    made = {cls.name: cls for cls in classes}
    if name not in made:
        raise UnknownName("hearer with times", name, made, hint=f"one of {', '.join(made)}")
    return made[name]()


def _get_group(trial: Trial) -> str:
    return trial.speaker or trial.id


def _iterate_game_times(trials: Iterable[Trial]) -> Iterator[Observed]:
    """Yield the times of rounds with one message before the click."""
    for trial in trials:
        kinds = [event.kind for event in trial.episode]
        before = trial.episode[: kinds.index("click")] if "click" in kinds else ()
        # Who asked back took time to ask.
        if len(before) == 1 and before[0].by == "speaker" and trial.references:
            ms = before[0].data.get("ms_before_click")
            if ms is not None:
                yield Observed(trial, trial.references[0], float(ms), _get_group(trial))


def _iterate_response_times(trials: Iterable[Trial], responses: Iterable[Response]) -> Iterator[Observed]:
    """Yield the times of responses with their descriptions."""
    trials_by_id = {trial.id: trial for trial in trials}
    for response in responses:
        trial = trials_by_id.get(response.trial)
        if trial is None or response.identification_ms is None:
            continue
        # Without a description of its own, an answer is to the reference of its trial.
        description = response.description or next(iter(trial.references), None)
        if description is not None:
            ms = response.identification_ms + (response.reading_ms or 0)
            yield Observed(trial, description, ms, response.hearer)


def _fit_regression(rows: FloatArray, observed: Sequence[Observed]) -> Times:
    """Return least squares with errors clustered by hearer or game (Cameron & Miller 2015).

    Collinear terms share their weight.
    """
    cluster_codes = np.unique([o.cluster for o in observed], return_inverse=True)[1]
    logs = np.log([o.ms for o in observed])
    n, width, clusters = *rows.shape, int(cluster_codes.max()) + 1
    inverse = np.linalg.pinv(rows.T @ rows)
    estimates = inverse @ (rows.T @ logs)
    rest = logs - rows @ estimates
    scores = np.zeros((clusters, width))
    np.add.at(scores, cluster_codes, rows * rest[:, None])
    free = max(n - width, 1)
    # With the usual factor for few clusters, G/(G-1) · (N-1)/(N-K).
    variances = np.diag(inverse @ (scores.T @ scores) @ inverse) * clusters / (clusters - 1) * (n - 1) / free
    total = float(((logs - logs.mean()) ** 2).sum())
    named = zip(NAMES, estimates.tolist(), np.sqrt(np.maximum(variances, 0)).tolist(), strict=True)
    return Times(
        coefficients=tuple(Coefficient(*three) for three in named),
        n=n,
        clusters=clusters,
        explained=1 - float(rest @ rest) / total if total else float("nan"),
        spread=float(np.sqrt(rest @ rest / free)),
    )


def _make_effort_row(hearer: Any, pairs: Sequence[Pair], responses: Sequence[Response]) -> FloatArray:
    """Return one row per pair: constant, log(1 + length), doubt, log(1 + surplus)."""
    surplus = _count_surplus(hearer, pairs, responses)
    rows = [
        (1.0, log1p(len(_list_units(description))), _compute_entropy(response), log1p(extra))
        for (description, _), response, extra in zip(pairs, responses, surplus, strict=True)
    ]
    return np.array(rows).reshape(-1, len(NAMES))


def _list_units(description: Description) -> Sequence[object]:
    return split_words(description.text) if description.text is not None else description.properties or ()


def _compute_entropy(response: Response) -> float:
    """Return the entropy of a response in bits."""
    shares = [share for _, share in response.probabilities or () if share > 0 and isfinite(share)]
    # Not a minus sign, which would make -0.0 of no doubt.
    return abs(sum(share * log2(share) for share in shares))


def _count_surplus(hearer: Any, pairs: Sequence[Pair], responses: Sequence[Response]) -> list[int]:
    """Return how many words (or properties) can be removed, one at a time, without changing the choice or losing a
    twentieth of its probability.
    """
    shorter = [
        (i, less)
        for i, (description, _) in enumerate(pairs)
        if responses[i].outcome is Outcome.ENTITY
        for less in _iterate_deletions(description)
    ]
    again = resolve_all(hearer, [(less, pairs[i][1]) for i, less in shorter])
    result = [0] * len(pairs)
    for (i, _), response in zip(shorter, again, strict=True):
        result[i] += response.entity == responses[i].entity and _get_choice_probability(
            response
        ) >= STILL_SURE * _get_choice_probability(responses[i])
    return result


def _get_choice_probability(response: Response) -> float:
    return dict(response.probabilities or ()).get(response.entity or "", 0.0)


def _iterate_deletions(description: Description) -> Iterator[Description]:
    """Yield the description without each of its words or properties."""
    if description.text is not None:
        words = split_words(description.text)
        return (Description(text=" ".join(words[:i] + words[i + 1 :])) for i in range(len(words)))
    properties = description.properties or ()
    return (Description(properties=properties[:i] + properties[i + 1 :]) for i in range(len(properties)))
