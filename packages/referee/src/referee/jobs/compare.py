"""Systems compared on the items that they share (`referee compare`).

Paired differences, intervals over sampling units, corrected tests and ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from referee import __version__, catalogue
from referee.contracts import FloatArray
from referee.errors import InputError
from referee.jobs.heard import find_hearing_clusters
from referee.jobs.score_table import ScoreTable
from referee.metrics.hearing import HUMAN, PEOPLE, group_responses
from referee.records import Response, Trial
from referee.signature import digest, fingerprint, text_digests, trial_digests
from referee.statistics.comparisons import adjust
from referee.statistics.dependent_trials import Clusters, Finish, Gap, compare_clustered

ALPHA = 0.05
POWER = 0.8
IR = "ir"
HEARD_BY = " / "


@dataclass(frozen=True, slots=True)
class PairRows:
    """The statistics of two systems on their common items, as input of a paired test.

    A row for each, the clusters of rows, and how many items there are.
    """

    a: FloatArray
    b: FloatArray
    clusters: Clusters
    items: int
    only_a: int = 0
    only_b: int = 0


@dataclass(frozen=True, slots=True)
class Testing:
    """How differences are tested: sampling unit, random swaps, confidence of intervals, and seed."""

    cluster: str = "design"
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 1


DEFAULT_TESTING = Testing()


class Measured(Protocol):
    """One measure's statistics for several systems, from which pairs of systems are taken."""

    @property
    def metric(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def systems(self) -> list[str]: ...
    @property
    def finish(self) -> Finish: ...
    def pair(self, a: str, b: str) -> PairRows: ...
    def sign(self, a: str, b: str, testing: Testing) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The difference between two systems on one measure, with interval and test on their common items.

    Args:
        a: the first system.
        b: the second system.
        metric: the measure.
        difference: of the measure, b - a.
        low: lower end of the interval.
        high: upper end of the interval.
        p: of the test that there is no difference.
        p_corrected: the same, corrected for the number of comparisons (Holm).
        items: common items.
        clusters: sampling units behind the interval; of two crossed factors the fewer.
        detectable: the difference that would be found with probability .8 on these items.
        direction: ``higher`` or ``lower``, whichever is better; ``none`` where neither is.
        only_a: items that only a has.
        only_b: items that only b has.
        signature: all that decides these numbers, as text.
    """

    a: str
    b: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    items: int
    clusters: int
    detectable: float | None = None
    direction: str = "higher"
    only_a: int = 0
    only_b: int = 0
    signature: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the corrected test shows a difference."""
        return bool(self.difference) and self.p_corrected is not None and self.p_corrected < ALPHA

    @property
    def better(self) -> str | None:
        """The better system, where the corrected test shows a difference and the measure has a direction."""
        if self.difference is None or not self.is_significant or self.direction == "none":
            return None
        return self.b if (self.difference > 0) is (self.direction == "higher") else self.a

    def is_worse(self, margin: float | None = None) -> bool:
        """Return whether b is worse than a: the interval excludes 0, or with a `margin` does not exclude a loss of it."""
        if self.direction == "none":
            return False
        if self.difference is None or self.low is None or self.high is None:
            return margin is not None
        gain = (self.low, self.high) if self.direction == "higher" else (-self.high, -self.low)
        return gain[1] < 0 if margin is None else gain[0] <= -margin

    def sentence(self, confidence: float = 0.95) -> str:
        """Return the comparison in words."""
        if self.difference is None or self.low is None or self.high is None:
            return f"{self.b} and {self.a} share no items with values of {self.metric}, or too few."
        interval = f"{confidence:.0%} CI {self.low:+.3f} to {self.high:+.3f}".replace("%", " %")
        if self.p is None:
            units = f"{self.clusters:,} sampling units"
            return f"{self.metric}: {self.b} - {self.a} = {self.difference:+.3f} ({interval}); {units} are too few for a test."
        p = "" if self.p_corrected is None else f", Holm-corrected p = {format_p(self.p_corrected)}"
        if self.low * self.high > 0 and not self.is_significant:
            p = f", p = {format_p(self.p)}{p}"
        numbers = f"{self.difference:+.3f} ({interval}{p}, {self.items:,} items)"
        if not self.is_significant:
            return f"{self.metric}: no difference between {self.b} and {self.a} is shown: {numbers}."
        word = "higher" if self.difference > 0 else "lower"
        better = "" if self.better is None else f"; {self.better} is better"
        return f"{self.b} has a {word} {self.metric} than {self.a}: {numbers}{better}."


def format_p(value: float) -> str:
    """Return a p value with three digits, a small one as a power of ten."""
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


@dataclass(slots=True)
class Comparisons:
    """All pairs of systems, their ranks by measure (1 plus the number of significantly better systems), and notes on
    omissions.

    `misread` names the systems whose coordinates fit another convention than the one they are read in.
    """

    pairs: list[Pair] = field(default_factory=list)
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    confidence: float = 0.95
    misread: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return plain data, as `referee compare --format json` prints it."""
        return {"pairs": [asdict(pair) for pair in self.pairs], "ranks": self.ranks, "notes": self.notes}

    def sentences(self) -> list[str]:
        """Return the findings in words, those about the first system first."""
        return [pair.sentence(self.confidence) for pair in self.pairs]

    def power_sentence(self) -> str | None:
        """Return a sentence on the difference that these items could detect; None if unknown."""
        pair = next((p for p in self.pairs if p.detectable is not None), None)
        if pair is None:
            return None
        return f"With these {pair.items:,} items a difference of {pair.detectable:.3f} in {pair.metric} would be found with probability {POWER:g}."

    def failures(self, margin: float | None = None) -> list[Pair]:
        """Return the pairs with the first system in which the other one is worse (see `Pair.is_worse`)."""
        first = self.pairs[0].a if self.pairs else ""
        return [pair for pair in self.pairs if pair.a == first and pair.is_worse(margin)]


def compare_measures(
    measures: Iterable[Measured], systems: Sequence[str] = (), testing: Testing = DEFAULT_TESTING
) -> Comparisons:
    """Compare every pair of systems on every measure; p values are corrected over all comparisons (Holm 1979).

    Raises:
        InputError: if a system is unknown, or fewer than two have items in common.
    """
    comparisons = Comparisons(confidence=testing.confidence)
    gaps: list[tuple[Pair, Gap | None]] = []
    for measured in measures:
        named = (label for name in systems for label in _list_labels(name, measured.systems))
        names = list(dict.fromkeys(named)) or measured.systems
        unknown = [name for name in names if name not in measured.systems]
        if unknown:
            raise InputError(f"no system is called {unknown[0]!r}", remedy=f"systems are {', '.join(measured.systems)}")
        if len(names) < 2:
            raise InputError("there is only one system", remedy="name files or runs with at least two systems")
        for a, b in combinations(names, 2):
            rows = measured.pair(a, b)
            gap = _compare_rows(measured, rows, testing)
            pair = _compare_pair(a, b, measured, rows, gap)
            gaps.append((replace(pair, signature=measured.sign(a, b, testing)), gap))
            if rows.only_a or rows.only_b:
                note = f"{a} and {b} are compared on {rows.items:,} common items; left out: {_describe_left_out(a, rows.only_a, b, rows.only_b)}."
                if note not in comparisons.notes:
                    comparisons.notes.append(note)
    if not any(gap is not None for _, gap in gaps):
        raise InputError("the systems share no measured item", remedy="compare systems on the same items")
    corrected = adjust([pair.p for pair, _ in gaps])
    together = digest("\n".join(sorted(pair.signature for pair, _ in gaps)))[:8]
    comparisons.pairs = [
        replace(pair, p_corrected=p, signature=f"{pair.signature}|holm:{len(gaps)}-{together}")
        for (pair, _), p in zip(gaps, corrected, strict=True)
    ]
    for metric in dict.fromkeys(pair.metric for pair in comparisons.pairs if pair.direction != "none"):
        comparisons.ranks[metric] = _rank_systems([pair for pair in comparisons.pairs if pair.metric == metric])
    return comparisons


def _list_labels(name: str, labels: Sequence[str]) -> list[str]:
    """Return the labels of a system: its name, or its name with each hearer that answered it."""
    return [label for label in labels if label == name or label.startswith(f"{name}{HEARD_BY}")] or [name]


def _describe_left_out(a: str, only_a: int, b: str, only_b: int) -> str:
    parts = [f"{count:,} of {name} alone" for name, count in ((a, only_a), (b, only_b)) if count]
    return " and ".join(parts)


def _compare_rows(measured: Measured, rows: PairRows, testing: Testing) -> Gap | None:
    if not rows.items:
        return None
    chances = (testing.resamples, testing.confidence, testing.seed)
    return compare_clustered(rows.b, rows.a, measured.finish, rows.clusters, *chances)


def _compare_pair(a: str, b: str, measured: Measured, rows: PairRows, gap: Gap | None) -> Pair:
    """Return the difference of two systems on one measure, with its interval and p value."""
    numbers = (None,) * 4 if gap is None else tuple(map(_drop_nan, (gap.difference, gap.low, gap.high, gap.p)))
    sizes = [] if gap is None or not rows.clusters.codes else list(gap.sizes)
    return Pair(
        a=a,
        b=b,
        metric=measured.metric,
        difference=numbers[0],
        low=numbers[1],
        high=numbers[2],
        p=numbers[3],
        p_corrected=None,
        items=rows.items,
        clusters=min(sizes) if sizes else rows.items,
        detectable=_compute_detectable(gap),
        direction=measured.direction,
        only_a=rows.only_a,
        only_b=rows.only_b,
    )


def _drop_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _compute_detectable(gap: Gap | None) -> float | None:
    """Return the difference that a two-sided test at .05 detects with probability .8, given this standard error."""
    if gap is None or not gap.error > 0 or np.isnan(gap.p) or gap.df < 1:
        return None
    from scipy.special import stdtrit

    return float((stdtrit(gap.df, 1 - ALPHA / 2) + stdtrit(gap.df, POWER)) * gap.error)


def _rank_systems(pairs: Sequence[Pair]) -> dict[str, int]:
    """Return the rank of each system: 1 plus the number of systems that are significantly better."""
    ranks = dict.fromkeys((name for pair in pairs for name in (pair.a, pair.b)), 1)
    for pair in pairs:
        if pair.better is not None:
            ranks[pair.a if pair.better == pair.b else pair.b] += 1
    return ranks


# -- automatic measures ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TableMeasure:
    table: ScoreTable
    metric: str

    @property
    def direction(self) -> str:
        """Return whether higher or lower values are better."""
        return str(catalogue.configure("metric", self.metric).direction)

    @property
    def systems(self) -> list[str]:
        return self.table.systems

    @property
    def finish(self) -> Finish:
        finish: Finish = self.table.metrics[self.table.systems[0], self.metric].finish
        return finish

    def pair(self, a: str, b: str) -> PairRows:
        """Return the paired rows of two systems with their clusters."""
        rows_a, rows_b = (np.asarray(self.table.rows[name, self.metric], dtype=float) for name in (a, b))
        has_a, has_b = (np.isfinite(part.sum(axis=1)) for part in (rows_a, rows_b))
        both = int((has_a & has_b).sum())
        return PairRows(
            rows_a, rows_b, self.table.clusters, both, int((has_a & ~has_b).sum()), int((has_b & ~has_a).sum())
        )

    def sign(self, a: str, b: str, testing: Testing) -> str:
        """Return the signature of b's score with a as its baseline."""
        settings = replace(self.table.settings, baseline=a, **asdict(testing))
        return replace(self.table, settings=settings).signature(self.metric, b)


def collect_measures(table: ScoreTable, metrics: Sequence[str]) -> list[Measured]:
    """Return the measures of a table of scores for which at least two systems have values."""
    return [
        _TableMeasure(table, metric)
        for metric in metrics
        if sum(bool(np.isfinite(np.asarray(table.rows[s, metric])).any()) for s in table.systems) > 1
    ]


# -- answers of listeners ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _IdentificationRate:
    """Answers as (correct, 1) by item and participant; a system without an answer there has (0, 0)."""

    answers: Mapping[str, Mapping[tuple[str, str], float]]
    trials: Mapping[str, Trial]
    is_people: bool
    metric: str = IR
    direction: str = "higher"

    @property
    def systems(self) -> list[str]:
        return list(self.answers)

    @property
    def finish(self) -> Finish:
        return _divide_totals

    def pair(self, a: str, b: str) -> PairRows:
        """Return the paired answers to two systems on common items, with their clusters."""
        items = [{item for item, _ in self.answers[name]} for name in (a, b)]
        common = items[0] & items[1]
        keys = list(dict.fromkeys(key for name in (a, b) for key in self.answers[name] if key[0] in common))
        rows_a, rows_b = (_stack_answers(self.answers[name], keys) for name in (a, b))
        clusters = find_hearing_clusters([k[0] for k in keys], [k[1] for k in keys], self.trials, self.is_people)
        return PairRows(rows_a, rows_b, clusters, len(common), len(items[0] - common), len(items[1] - common))

    def sign(self, a: str, b: str, testing: Testing) -> str:
        """Return a signature with the answers to b, and those to a as the baseline."""
        asked = [self.trials[item] for item in dict.fromkeys(item for name in (a, b) for item, _ in self.answers[name])]
        # The clusters follow from scenes (which are in the digest of trials), speakers, items and participants.
        labels = [repr((t.id, t.speaker)) for t in asked]
        of_b, of_a = (fingerprint(text_digests(map(repr, self.answers[name].items()))) for name in (b, a))
        return (
            f"{self.metric}|trials:{fingerprint(trial_digests(asked, [()] * len(asked)))}|labels:{fingerprint(text_digests(labels))}"
            f"|interval:cr2-satterthwaite-{testing.confidence:g}|outputs:{of_b}|baseline:{of_a}|version:{__version__}"
        )


def _stack_answers(answers: Mapping[tuple[str, str], float], keys: Sequence[tuple[str, str]]) -> FloatArray:
    return np.array([(answers[key], 1.0) if key in answers else (0.0, 0.0) for key in keys]).reshape(-1, 2)


def _divide_totals(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the ratio of two totals; NaN without answers."""
    totals = np.asarray(totals, dtype=float)
    answers = totals[..., 1]
    shares: FloatArray = np.divide(totals[..., 0], answers, out=np.full(answers.shape, np.nan), where=answers > 0)
    return shares


def label_responses(responses: Iterable[Response]) -> dict[tuple[str, str], str]:
    """Return a label for each pair of system and hearer: the name that varies, or both names."""
    groups = list(
        dict.fromkeys((r.system or HUMAN, PEOPLE if r.probabilities is None else r.hearer) for r in responses)
    )
    systems, hearers = (list(dict.fromkeys(part)) for part in zip(*groups, strict=True)) if groups else ([], [])
    if len(hearers) <= 1 or all(s == h for s, h in groups):
        return {group: group[0] for group in groups}
    return {group: group[1] if len(systems) == 1 else f"{group[0]}{HEARD_BY}{group[1]}" for group in groups}


def measure_responses(trials: Mapping[str, Trial], responses: Sequence[Response]) -> list[Measured]:
    """Return the identification rates from listeners' answers, by system, or by hearer if there is one system."""
    labels = label_responses(responses)
    groups, _ = group_responses(responses, trials)
    answers: dict[str, dict[tuple[str, str], float]] = {}
    for group, hearing in groups.items():
        here = answers.setdefault(labels[group], {})
        for person, item, values in zip(hearing.participants, hearing.items, hearing.values, strict=True):
            here[hearing.trials[item], hearing.hearers[person] if group[1] == PEOPLE else PEOPLE] = float(values[0])
    return (
        [_IdentificationRate(answers, trials, any(group[1] == PEOPLE for group in groups))] if len(answers) > 1 else []
    )
