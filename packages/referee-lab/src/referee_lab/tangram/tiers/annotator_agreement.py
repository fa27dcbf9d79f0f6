"""Agreement of two annotators.

Expressions by F over spans, referents and attributes by kappa and alpha (Tokunaga et al. 2010 report none).

Only utterances that both have finished count. A referent is the whole set; uncertain ones are separate. Unmarked text
does not count as agreement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from referee.statistics.agreement import Agreement, cohen_kappa, krippendorff_alpha
from referee_lab.tangram.tiers.annotations import Annotation, ExpressionMark
from referee_lab.tangram.tiers.dialogue import ATTRIBUTES

Pair = tuple[ExpressionMark, ExpressionMark]
Couple = tuple[Annotation, Annotation]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAgreement:
    """One of the sixteen attributes among the expressions both marked: how often each gave it, how often both, and kappa."""

    code: str
    first: int
    second: int
    both: int
    kappa: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorComparison:
    """All counts and coefficients for two annotators; `*_f` is None if neither marked any expression."""

    annotators: tuple[str, str]
    recordings: int
    utterances: int
    first: int
    second: int
    same_span: int
    overlapping: int
    span_f: float | None
    overlap_f: float | None
    same_referents: int
    referents_kappa: Agreement
    referents_alpha: Agreement
    same_attributes: int
    codes: tuple[CodeAgreement, ...]
    attributes_alpha: Agreement


def compare_annotations(couples: Sequence[Couple], seed: int = 1) -> AnnotatorComparison:
    """Compare two annotators over any number of recordings."""
    shared = [(a, b, place) for a, b in couples for place in sorted(a.done & b.done)]
    firsts = [a.marks[place] for a, _, place in shared]
    seconds = [b.marks[place] for _, b, place in shared]
    pairs = [
        (x, y)
        for a, b in zip(firsts, seconds, strict=True)
        for x in a
        for y in b
        if (x.start, x.end) == (y.start, y.end)
    ]
    overlaps = sum(len(_pair_overlapping(a, b)) for a, b in zip(firsts, seconds, strict=True))
    n, m = sum(map(len, firsts)), sum(map(len, seconds))
    # With ? if they are uncertain or missing.
    labels = [
        [("?" if mark.uncertain or not mark.referents else "") + "+".join(mark.referents) for mark in pair]
        for pair in pairs
    ]
    kappa = cohen_kappa([x for x, _ in labels], [y for _, y in labels])
    code_table = [[code in mark.attributes for mark in pair] for pair in pairs for code in ATTRIBUTES]
    return AnnotatorComparison(
        annotators=(couples[0][0].annotator, couples[0][1].annotator) if couples else ("", ""),
        recordings=len(couples),
        utterances=len(shared),
        first=n,
        second=m,
        same_span=len(pairs),
        overlapping=overlaps,
        span_f=2 * len(pairs) / (n + m) if n + m else None,
        overlap_f=2 * overlaps / (n + m) if n + m else None,
        same_referents=sum(x == y for x, y in labels),
        referents_kappa=kappa,
        referents_alpha=krippendorff_alpha(labels, seed=seed),
        same_attributes=sum(a.attributes == b.attributes for a, b in pairs),
        codes=tuple(_compute_code_agreement(code, pairs) for code in ATTRIBUTES),
        attributes_alpha=krippendorff_alpha(code_table, seed=seed),
    )


def find_differences(a: Annotation, b: Annotation) -> list[int]:
    """Return the utterances that both annotators have finished and marked differently."""
    return [place for place in sorted(a.done & b.done) if a.marks[place] != b.marks[place]]


def _pair_overlapping(a: Iterable[ExpressionMark], b: Sequence[ExpressionMark]) -> list[Pair]:
    """Pair each expression with the one that shares most characters with it; each is used once."""
    free, pairs = list(b), []
    for mark in a:
        best = max(free, key=lambda other: _measure_overlap(mark, other), default=None)
        if best is not None and _measure_overlap(mark, best) > 0:
            free.remove(best)
            pairs.append((mark, best))
    return pairs


def _measure_overlap(a: ExpressionMark, b: ExpressionMark) -> int:
    """Return the length of the overlap of two marks; negative if they lie apart."""
    return min(a.end, b.end) - max(a.start, b.start)


def _compute_code_agreement(code: str, pairs: Sequence[Pair]) -> CodeAgreement:
    """Return the agreement on one code."""
    a, b = ([code in pair[side].attributes for pair in pairs] for side in (0, 1))
    return CodeAgreement(
        code=code,
        first=sum(a),
        second=sum(b),
        both=sum(x and y for x, y in zip(a, b, strict=True)),
        kappa=cohen_kappa(a, b),
    )
