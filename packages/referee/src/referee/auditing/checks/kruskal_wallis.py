"""Checks of Kruskal-Wallis chi-squares on 0/1 data, which follow from the shares of every system.

Some papers print shares that average over several references and test whether at least one was matched. The averages
then bound the tested variable (`references`): a system that matched k of n x R references matched at least one for k/R
to k items.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor

import numpy as np

from referee.auditing.checks.sizes import Sizes
from referee.auditing.claims import PrintedClaim, Subject, Unknown
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import Number, snap
from referee.auditing.value_claims import BracketClaim, ValueClaim
from referee.contracts import FloatArray

# TUNA 2008: Table 3 averages over two references, its test asks for a match with at least one.
AVERAGED = (
    "the test counts a match with at least one of {} references; the printed shares are averages over the references"
)


def check_kruskal_wallis(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims on chi-squares (Kruskal-Wallis on 0/1 data), computed from the proportions of every system."""
    scores = paper.table(section.get_required("scores", str), section)
    columns = section.names("shares")
    scale, sizes, references = section.scale(), Sizes(section, len(columns)), section.get("references", 1, int)
    table, row, column = paper.cell(section.get_required("printed", str), section)
    number = table.number(row, column)
    subject = section.subject(paper, table, row)
    labels = [label for label in scores.labels if label not in section.get("without", [], list)]
    # An average over references is no k/n of items and must not be snapped.
    read = scores.number if references == 1 else scores.get_interval
    shares = [[n for c in columns if (n := read(label, c)) is not None] for label in labels]
    if number is None or any(len(row) < len(columns) for row in shares) or sizes.full is None or len(labels) < 2:
        why = "the value, a share or the counts are not given" if len(labels) > 1 else "one system is not a comparison"
        return [Unknown(subject=subject, because=why, printed=number)]
    claim = _make_bracketed_claim if references > 1 else _make_exact_claim
    return [claim(subject, number, shares, sizes, scale, references)]


def _make_exact_claim(
    subject: Subject, number: Number, shares: Sequence[Sequence[Number]], sizes: Sizes, scale: float, _: int
) -> PrintedClaim:
    """Return the claim on the chi-square of the proportions as printed."""
    groups = [_list_counts(group, sizes, scale) for group in shares]
    snapped = tuple(n for numbers, _ in groups for n in numbers)
    counts = np.array([n for _, n in groups], dtype=float)
    compute = _compute_h(counts, scale)
    return ValueClaim(
        subject=subject, because=_explain_brackets(counts), printed=number, inputs=snapped, compute=compute
    )


def _make_bracketed_claim(
    subject: Subject, number: Number, shares: Sequence[Sequence[Number]], sizes: Sizes, scale: float, references: int
) -> PrintedClaim:
    """Return the claim that the chi-square is among those that averages over several references allow."""
    full = sizes.full or ()
    bounded = [_bound_proportion(s, n, references, scale) for group in shares for s, n in zip(group, full, strict=True)]
    counts = np.array([full] * len(shares), dtype=float)
    return BracketClaim(
        subject=subject,
        because=_explain_brackets(counts),
        printed=number,
        inputs=tuple(bounded),
        compute=_compute_h(counts, scale),
        admitted=AVERAGED.format(references),
    )


def _explain_brackets(counts: FloatArray) -> str:
    return f"Kruskal-Wallis of 0/1 data, {len(counts)} groups, N = {int(counts.sum())}"


def _bound_proportion(share: Number, n: int, references: int, scale: float) -> Number:
    """Return bounds for the proportion of items that met at least one reference, from the average over references."""
    met = n * references
    # Bounds may be whole but for floating point.
    fewest, most = ceil(share.low / scale * met - 1e-9), floor(share.high / scale * met + 1e-9)
    if fewest > most:
        return share  # no whole count gives it, which the check of counts says
    low, high = ceil(max(0, fewest) / references) / n, min(n, most) / n
    return share.replace_value(scale * (low + high) / 2, scale * (high - low) / 2)


def _list_counts(numbers: Sequence[Number], sizes: Sizes, scale: float) -> tuple[list[Number], tuple[int, ...]]:
    """Return the proportions of one system as whole counts, with their sample sizes, where the print allows only one."""
    full = sizes.of(numbers, None) or ()
    chosen: list[tuple[Number, int]] = []
    for number, n in zip(numbers, full, strict=True):
        tries = ((m, snap(number.low, number.high, m, scale)) for m in range(n, n - sizes.missing - 1, -1))
        m, k = next(((m, k) for m, k in tries if k is not None), (n, None))
        chosen.append((number if k is None else number.replace_value(scale * k / m, 0.0), m))
    return [number for number, _ in chosen], tuple(m for _, m in chosen)


def _compute_h(counts: FloatArray, scale: float) -> Compute:
    """Return (N-1)·Σ n_i (p_i - p)² / (N·p·(1-p)) over the proportions of whole systems."""
    sizes, total = counts.sum(axis=1), counts.sum()

    def compute(points: FloatArray) -> FloatArray:
        """Return the statistic of every point; NaN if the overall proportion is 0 or 1."""
        shares = (points.reshape(-1, *counts.shape) / scale * counts).sum(axis=2) / sizes
        mean = (shares * sizes).sum(axis=1) / total
        spread = mean * (1 - mean)
        squares = (sizes * (shares - mean[:, None]) ** 2).sum(axis=1)
        nothing = np.full(len(points), np.nan)
        return np.asarray(np.divide((total - 1) * squares, total * spread, out=nothing, where=spread > 0))

    return compute
