"""One layer over corpora: answers in clusters, clusters in corpora, summed up with random effects.

The effect of a measure is its AUC for success over the answers of one corpus. Over several corpora the court prints the mean, its interval, and the
prediction interval of a new corpus (`statistics.meta_analysis`); over one corpus only what that corpus shows. Two measures are compared on the same
answers: the difference of their AUCs, without each cluster in turn, pooled in the same way. Nothing is decided by counting corpora.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from referee.courtroom.item_evidence import Association, LeftOut, make_association, subtract_measures
from referee.statistics.comparisons import adjust
from referee.statistics.meta_analysis import pool, standard_error

NULL = 0.5
LEVEL = 0.05
Parts = Mapping[str, Mapping[str, LeftOut]]
"""AUCs without each cluster, by corpus and measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledEvidence:
    """The effect of a measure over corpora with its interval, and the prediction interval of a new corpus (None with fewer than three)."""

    measure: str
    hearer: str
    kind: str
    effect: float | None
    low: float | None
    high: float | None
    new_low: float | None
    new_high: float | None
    corpora: int
    p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureDifference:
    """How much better measure `a` predicts success than `b`, with p corrected over all pairs of measures (Holm)."""

    a: str
    b: str
    hearer: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    corpora: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """Two systems on the same items: where only one was understood more often, with the exact p of McNemar (1947), corrected over the pairs of a domain."""

    domain: str | None
    a: str
    b: str
    items: int
    only_a: int
    only_b: int
    p: float
    p_corrected: float
    separates: bool


def pool_measures(parts: Parts, hearer: str) -> list[PooledEvidence]:
    """Return the effect of every measure, pooled over corpora."""
    return [_pool_measure(measure, hearer, corpora) for measure, corpora in _group_by_measure(parts).items()]


def _group_by_measure(parts: Parts) -> dict[str, list[LeftOut]]:
    """Return the values of every measure over the corpora that have it."""
    measures = dict.fromkeys(measure for corpus in parts.values() for measure in corpus)
    return {m: [corpus[m] for corpus in parts.values() if m in corpus] for m in measures}


def _pool_measure(measure: str, hearer: str, corpora: Sequence[LeftOut]) -> PooledEvidence:
    """Pool the AUCs of one measure over corpora."""
    effect, low, high, new_low, new_high, n, p = _pool_associations(
        [make_association(c, NULL) for c in corpora], NULL, (0.0, 1.0)
    )
    return PooledEvidence(
        measure=measure,
        hearer=hearer,
        kind="auc",
        effect=effect,
        low=low,
        high=high,
        new_low=new_low,
        new_high=new_high,
        corpora=n,
        p=p,
    )


def _pool_associations(
    associations: Sequence[Association], null: float, limits: tuple[float, float]
) -> tuple[float | None, float | None, float | None, float | None, float | None, int, float | None]:
    """Return mean effect, interval, prediction interval, number of corpora and p; of one corpus its values."""
    usable = [
        (a.value, standard_error(a.low, a.high))
        for a in associations
        if a.value is not None and a.low is not None and a.high is not None
    ]
    if len(usable) < 2:
        only = next((a for a in associations if a.value is not None), None)
        if only is None:
            return None, None, None, None, None, 0, None
        return only.value, only.low, only.high, None, None, 1, only.p
    values, errors = zip(*usable, strict=True)
    pooled = pool(values, errors, null=null, limits=limits)
    return pooled.effect, pooled.low, pooled.high, pooled.new_low, pooled.new_high, pooled.n, pooled.p


def compare_measures(parts: Parts, hearer: str) -> list[MeasureDifference]:
    """Return the differences of all pairs of measures that were tried on the same answers."""
    found = []
    names = list(dict.fromkeys(measure for corpus in parts.values() for measure in corpus))
    for a, b in combinations(names, 2):
        gaps = [subtract_measures(corpus[a], corpus[b]) for corpus in parts.values() if a in corpus and b in corpus]
        associations = [make_association(gap, 0.0) for gap in gaps if gap is not None]
        difference, low, high, _, _, n, p = _pool_associations(associations, 0.0, (-1.0, 1.0))
        if difference is not None:
            found.append(
                MeasureDifference(
                    a=a, b=b, hearer=hearer, difference=difference, low=low, high=high, p=p, p_corrected=None, corpora=n
                )
            )
    corrected = adjust([d.p for d in found])
    return [replace(d, p_corrected=p) for d, p in zip(found, corrected, strict=True)]


def compare_systems(success: Mapping[str, Mapping[str, float]], domain: str | None) -> list[SystemComparison]:
    """Return the comparisons of all pairs of systems on the items that both described.

    Args:
        success: the proportion of people who found the target, by system and item.
        domain: of the systems; None for all.
    """
    from scipy.stats import binomtest

    found = []
    for a, b in combinations(success, 2):
        items = success[a].keys() & success[b].keys()
        if not items:
            continue
        only_a, only_b = (sum(success[x][i] > success[y][i] for i in items) for x, y in ((a, b), (b, a)))
        p = float(binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0
        found.append((a, b, len(items), only_a, only_b, p))
    corrected = adjust([p for *_, p in found])
    return [
        SystemComparison(
            domain=domain,
            a=a,
            b=b,
            items=n,
            only_a=only_a,
            only_b=only_b,
            p=p,
            p_corrected=1.0 if c is None else c,
            separates=c is not None and c <= LEVEL,
        )
        for (a, b, n, only_a, only_b, p), c in zip(found, corrected, strict=True)
    ]
