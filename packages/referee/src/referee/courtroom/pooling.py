"""One layer over corpora: answers in clusters, clusters in corpora, summed up with random effects.

The effect of a measure is its AUC for success over the answers of one corpus. Over several corpora the court prints the mean, its interval, and the
prediction interval of a new corpus (`statistics.meta_analysis`); over one corpus only what that corpus shows. Two measures are compared on the same
answers: the difference of their AUCs, without each cluster in turn, pooled in the same way. Nothing is decided by counting corpora.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.courtroom.item_evidence import Association, LeftOut, make_association, subtract_measures
from referee.statistics.comparisons import adjust
from referee.statistics.meta_analysis import Pooled, pool, standard_error

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
    """Return the effect (AUC) of every measure, pooled over the corpora that have it."""
    found = []
    for measure in dict.fromkeys(measure for corpus in parts.values() for measure in corpus):
        aucs = [make_association(corpus[measure], NULL) for corpus in parts.values() if measure in corpus]
        pooled = _pool_associations(aucs, NULL, (0.0, 1.0))
        found.append(
            PooledEvidence(
                measure=measure,
                hearer=hearer,
                kind="auc",
                effect=pooled.effect,
                low=pooled.low,
                high=pooled.high,
                new_low=pooled.new_low,
                new_high=pooled.new_high,
                corpora=pooled.n,
                p=pooled.p,
            )
        )
    return found


def _pool_associations(associations: Sequence[Association], null: float, limits: tuple[float, float]) -> Pooled:
    """Return the summary of associations over corpora; of one corpus its own values."""
    usable = [
        (a.value, standard_error(a.low, a.high))
        for a in associations
        if a.value is not None and a.low is not None and a.high is not None
    ]
    if len(usable) > 1:
        values, errors = zip(*usable, strict=True)
        return pool(values, errors, null=null, limits=limits)
    only = next((a for a in associations if a.value is not None), None)
    return Pooled(n=0) if only is None else Pooled(n=1, effect=only.value, low=only.low, high=only.high, p=only.p)


def compare_measures(parts: Parts, hearer: str) -> list[MeasureDifference]:
    """Return the differences of all pairs of measures that were tried on the same answers."""
    found = []
    names = list(dict.fromkeys(measure for corpus in parts.values() for measure in corpus))
    for a, b in combinations(names, 2):
        gaps = [subtract_measures(corpus[a], corpus[b]) for corpus in parts.values() if a in corpus and b in corpus]
        associations = [make_association(gap, 0.0) for gap in gaps if gap is not None]
        pooled = _pool_associations(associations, 0.0, (-1.0, 1.0))
        if pooled.effect is not None:
            found.append((a, b, pooled.effect, pooled))
    corrected = adjust([pooled.p for *_, pooled in found])
    return [
        MeasureDifference(
            a=a,
            b=b,
            hearer=hearer,
            difference=difference,
            low=pooled.low,
            high=pooled.high,
            p=pooled.p,
            p_corrected=p_corrected,
            corpora=pooled.n,
        )
        for (a, b, difference, pooled), p_corrected in zip(found, corrected, strict=True)
    ]


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
