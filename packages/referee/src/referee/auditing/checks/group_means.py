"""Checks of the means of two groups of systems (with and without some property): which systems are in each group?

Papers do not print the groups, but one division must fit every measure. The check takes the number of systems that fits
most measures and applies it to the others. If only one choice of systems gives all the means, every mean is checked
against it. Shares may be over fewer trials than the table of scores says (`missing`): one count is solved for all
groups together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from referee.auditing.checks.sizes import make_weighted_mean
from referee.auditing.claims import PrintedClaim
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import Number, PrintedTable, snap
from referee.auditing.value_claims import TWICE, ValueClaim, list_values
from referee.contracts import FloatArray

# 2 ** 18 choices of systems are tried in a fraction of a second; more would fit by chance anyway
MOST_SYSTEMS = 18


@dataclass(frozen=True)
class _Measure:
    """One row of a table of group means: the means of the two groups, and the scores of all systems.

    `trials` is the number of trials of a share, `admitted` a remark if it differs from the table of scores.
    """

    row: str
    means: tuple[Number, Number]
    scores: tuple[Number, ...]
    trials: str = ""
    admitted: str = ""


def check_group_means(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return, per measure, the claim on the mean of the second group, computed from that of the first and all scores.

    Per group its mean from its members.
    """
    table = paper.table(section.get_required("table", str), section)
    shares, missing, scale = section.get("shares", {}, dict), section.get("missing", 0, int), section.scale()
    plain = {pair: _list_measures(pair, table, paper, section) for pair in _list_pairs(section)}
    # Shares wait until it is known of how many trials they are taken.
    members = {
        pair: _find_members([m for m in pair_measures if m.row not in shares]) for pair, pair_measures in plain.items()
    }

    def make_claims(n: Mapping[str, int]) -> list[PrintedClaim]:
        """Return the claims for groups of the given sizes."""
        made: list[PrintedClaim] = []
        for pair, pair_measures in plain.items():
            counted = [_rescale_measure(m, shares, n, scale) for m in pair_measures]
            made += _make_rest_claims(paper, section, table, pair, counted)
            made += _make_member_claims(paper, section, table, pair, counted, members[pair])
        return made

    # One number for all groups; in Gatt & Belz 2008 it is 148 trials a system, where Table 2 says 150.
    candidates = [{row: size - lost for row, size in shares.items()} for lost in range(missing + 1)]
    # Of equals the first, hence as few trials missing as possible.
    return max((make_claims(n) for n in candidates), key=lambda made: sum(claim.holds() for claim in made))


def _list_pairs(section: CheckSection) -> list[tuple[str, str]]:
    """Return pairs of columns; a single pair may be written without a second pair of brackets."""
    named = section.get_required("groups", list)
    pairs = [named] if all(isinstance(name, str) for name in named) else named
    if not pairs or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise section.make_mistake(f"groups = {named}", "name two columns, one for each group, or a list of such pairs")
    return [(str(first), str(second)) for first, second in pairs]


def _list_measures(pair: tuple[str, str], table: PrintedTable, paper: Paper, section: CheckSection) -> list[_Measure]:
    """Return the measures for which both means and at least two scores are printed."""
    scores, without = paper.table(section.get_required("scores", str), section), section.get("without", [], list)
    measures: list[_Measure] = []
    for row, column in section.get_required("columns", dict).items():
        first, second = (table.number(row, c) for c in pair)
        numbers = tuple(n for _, n in scores.column(column, without) if n is not None)
        if first is not None and second is not None and len(numbers) > 1:
            measures.append(_Measure(row, (first, second), numbers))
    return measures


def _rescale_measure(measure: _Measure, shares: Mapping[str, int], n: Mapping[str, int], scale: float) -> _Measure:
    """Return a measure of proportions with the same whole counts out of another number of trials."""
    stated = shares.get(measure.row)
    if stated is None:
        return measure
    counts = [snap(s.low, s.high, stated, scale) for s in measure.scores]
    score_counts = zip(measure.scores, counts, strict=True)
    scores = tuple(s if k is None else s.replace_value(scale * k / n[measure.row], 0.0) for s, k in score_counts)
    trials = f" ({n[measure.row]} trials a system)"
    other = f"the scores are of {stated} trials per system, and the number in the {n[measure.row]} is not printed"
    return _Measure(measure.row, measure.means, scores, trials, other if n[measure.row] != stated else "")


def _make_rest_claims(
    paper: Paper, section: CheckSection, table: PrintedTable, pair: tuple[str, str], measures: Sequence[_Measure]
) -> list[PrintedClaim]:
    """Return one claim per measure, with the size of the second group that fits most measures."""
    least = min((len(m.scores) for m in measures), default=1)
    tried = [[_make_sum_claim(paper, section, table, pair, m, size) for m in measures] for size in range(1, least)]
    return list(max(tried, key=lambda claims: sum(claim.holds() for claim in claims), default=[]))


def _make_sum_claim(
    paper: Paper, section: CheckSection, table: PrintedTable, pair: tuple[str, str], measure: _Measure, size: int
) -> PrintedClaim:
    """Return the claim that the two groups make up the mean of all systems."""
    (first, second), total = measure.means, len(measure.scores)
    return ValueClaim(
        subject=section.subject(paper, table, f"{measure.row}, {pair[1]}"),
        because=f"{pair[0]} of {total - size} and {pair[1]} of {size} systems make up the mean of all {total}{measure.trials}",
        printed=second,
        inputs=(first, *measure.scores),
        compute=_compute_rest_mean(total, size),
        admitted=measure.admitted,
    )


def _compute_rest_mean(total: int, size: int) -> Compute:
    """Return the mean of a group from the mean of the others (first input) and the scores of all (the rest)."""

    def compute(points: FloatArray) -> FloatArray:
        return np.asarray((points[:, 1:].sum(axis=1) - (total - size) * points[:, 0]) / size)

    return compute


def _find_members(measures: Sequence[_Measure]) -> tuple[bool, ...] | None:
    """Return the systems of the second group if only one choice gives all means; otherwise None."""
    total = len(measures[0].scores) if measures else 0
    if not 1 < total <= MOST_SYSTEMS or any(len(m.scores) != total for m in measures):
        return None
    choices = (np.arange(2**total)[:, None] >> np.arange(total)) & 1 == 1
    # Either group has at least one system.
    choices = choices[choices.any(axis=1) & ~choices.all(axis=1)]
    for measure in measures:
        first, second = measure.means
        choices = choices[
            _can_yield_mean(~choices, measure.scores, first) & _can_yield_mean(choices, measure.scores, second)
        ]
    return tuple(map(bool, choices[0])) if len(choices) == 1 else None


def _can_yield_mean(inside: np.ndarray, scores: Sequence[Number], mean: Number) -> np.ndarray:
    """Return, for every choice of systems (a row of `inside`), whether their unrounded scores can average to `mean`."""
    size = inside.sum(axis=1)
    halves = np.array([s.half for s in scores])
    # Room for numbers that were rounded twice, and for floating point.
    reach = inside @ halves / size + mean.half * (1 + TWICE) + 1e-9 * abs(mean.value)
    return np.asarray(np.abs(inside @ list_values(scores) / size - mean.value) <= reach)


def _make_member_claims(
    paper: Paper,
    section: CheckSection,
    table: PrintedTable,
    pair: tuple[str, str],
    measures: Sequence[_Measure],
    members: Sequence[bool] | None,
) -> Iterator[PrintedClaim]:
    """Return claims on the mean of either group from its members' scores, if the members are known."""
    if members is None:
        return
    for measure in measures:
        for column, mean, in_second in zip(pair, measure.means, (False, True), strict=True):
            inside = tuple(s for s, member in zip(measure.scores, members, strict=True) if member is in_second)
            yield ValueClaim(
                subject=section.subject(paper, table, f"{measure.row}, {column} from its members"),
                because=f"mean of {', '.join(s.place.row for s in inside)}: no other systems give all means{measure.trials}",
                printed=mean,
                inputs=inside,
                compute=make_weighted_mean([1] * len(inside)),
                admitted=measure.admitted,
            )
