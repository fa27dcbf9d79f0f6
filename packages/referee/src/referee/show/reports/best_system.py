"""Sentences on the best system, for the terminal and for reports: which measure, how much, how sure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

from referee.records import HUMAN
from referee.show.reports.score_tables import format_number
from referee.statistics.comparisons import adjust
from referee.statistics.dependent_trials import compare_clustered

if TYPE_CHECKING:
    from referee.jobs.score_table import ScoreTable

Row = Mapping[str, Any]
PairTests = Mapping[frozenset[str], float | None]
"""Corrected p values of pairs of systems; None where a difference has no variance, no entry where there is no test."""

ALPHA = 0.05
MOST_NAMES = 4
EQUAL = 1e-9
SUPERLATIVES = {"higher": "highest", "lower": "lowest", "none": "largest"}


class MeasuredSystems(Protocol):
    """Systems with their values, as a report and a table of scores have them."""

    @property
    def systems(self) -> Sequence[str]: ...
    @property
    def measures(self) -> Sequence[str]: ...
    @property
    def overall(self) -> Mapping[tuple[str, str], Row]: ...
    def direction(self, measure: str) -> str: ...
    def value(self, system: str, measure: str) -> float | None: ...


class ScoredRows:
    """The rows of a table of scores as measured systems.

    Args:
        rows: of all systems, groups and measures.
        directions: ``higher``, ``lower`` or ``none`` by measure.
    """

    def __init__(self, rows: Iterable[Row], directions: Mapping[str, str]) -> None:
        self.overall = {(row["system"], row["metric"]): row for row in rows if row["group"] is None}
        self._directions = directions

    @cached_property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for system, _ in self.overall))

    @cached_property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(measure for _, measure in self.overall))

    def direction(self, measure: str) -> str:
        return self._directions.get(measure, "none")

    def value(self, system: str, measure: str) -> float | None:
        row = self.overall.get((system, measure))
        return None if row is None else row["value"]


def rank_systems(scores: MeasuredSystems, measure: str) -> list[str]:
    """Return systems that have a value, the best first (the largest first where no direction is better)."""
    values = {s: v for s in scores.systems if (v := scores.value(s, measure)) is not None}
    return sorted(values, key=values.__getitem__, reverse=scores.direction(measure) != "lower")


def choose_lead(scores: MeasuredSystems) -> str:
    """Return the measure that decides the order of systems: the first with a direction that ranks them."""
    directed = [m for m in scores.measures if scores.direction(m) != "none"]
    return next((m for m in directed if _has_unequal_values(scores, m)), (directed or list(scores.measures))[0])


def _has_unequal_values(scores: MeasuredSystems, measure: str) -> bool:
    """Return whether a measure has values of which not all are equal."""
    return len(find_best(scores, measure)) < sum(s != HUMAN for s in rank_systems(scores, measure))


def find_best(scores: MeasuredSystems, measure: str) -> list[str]:
    """Return the systems with the best value, several for equal values; people are excluded."""
    ranked = [s for s in rank_systems(scores, measure) if s != HUMAN]
    values = {s: float(scores.overall[s, measure]["value"]) for s in ranked}
    return [s for s in ranked if abs(values[s] - values[ranked[0]]) <= EQUAL]


def compare_pairs(table: ScoreTable, measure: str, test: str = "p") -> dict[frozenset[str], float | None]:
    """Return p values of all pairs of systems on one measure, Holm-corrected, over the table's clusters.

    The best system is known only after looking at the values, so the family is every pair, not the pairs with the best.
    """
    settings, finish = table.settings, {s: table.metrics[s, measure].finish for s in table.systems}
    resamples = settings.resamples if test != "p" else 0
    p_values: dict[frozenset[str], float | None] = {}
    for a, b in combinations(table.systems, 2):
        rows, base = table.rows[a, measure], table.rows[b, measure]
        gap = compare_clustered(rows, base, finish[a], table.clusters, resamples, settings.confidence, settings.seed)
        if gap is None:
            continue
        p = gap.p if test == "p" else gap.p_swaps
        if p == p:
            p_values[frozenset((a, b))] = p
        elif gap.n > 1 and gap.error == 0:
            p_values[frozenset((a, b))] = None
    return dict(zip(p_values, adjust(list(p_values.values())), strict=True))


def describe_test(table: ScoreTable, test: str = "p") -> str:
    """Return the name of the test of `compare_pairs` and its clusters: ``t test over 13 scenes x 60 speakers``."""
    sizes = zip(table.clusters.names, table.clusters.sizes(), strict=True)
    units = " x ".join(f"{n:,} {name}{'s' * (n != 1)}" for name, n in sizes) or f"{len(table.trials):,} trials"
    return f"{'t test' if test == 'p' else 'randomisation test'} over {units}"


def describe_best(scores: MeasuredSystems, p_values: PairTests, test: str, confidence: float = 0.95) -> list[str]:
    """Return sentences on the first measure that ranks systems: the best one, its lead, other measures."""
    lead = choose_lead(scores)
    ranked, best = [s for s in rank_systems(scores, lead) if s != HUMAN], find_best(scores, lead)
    if not best:
        return [f"No system has a value for {lead}."]
    value = _format_interval(scores.overall[best[0], lead], confidence)
    if len(ranked) == 1:
        return [f"{best[0]} has {lead} {value}.", *_describe_people(scores, lead)]
    verb = "has" if len(best) == 1 else "share"
    first = f"{list_first_names(best)} {verb} the {SUPERLATIVES[scores.direction(lead)]} {lead} {value}."
    others = [s for s in ranked if s not in best]
    differences = _describe_differences(
        scores, lead, others, {s: frozenset((best[0], s)) for s in others}, p_values, test
    )
    absent = [s for s in scores.systems if s != HUMAN and s not in ranked]
    verb = "has" if len(absent) == 1 else "have"
    gaps = [f"{list_first_names(absent)} {verb} no value for {lead}."] if absent else []
    other_measures = _describe_other_measures(scores, lead, best)
    return [first, *differences, *gaps, *other_measures, *_describe_people(scores, lead)]


def count_outputs(table: ScoreTable, rows: Iterable[Row]) -> list[str]:
    """Return sentences on unparsable outputs and on trials without an output."""
    systems = [s for s in table.systems if s != HUMAN]
    counts = {s: table.counts.get(s, {}) for s in systems}
    # Answers with coordinates are counted by their outcome, in the rows; lines that are no JSON, in the table.
    unparsed = {s: counts[s].get("unparsable", 0) for s in systems}
    for row in rows:
        if row["group"] is None and row["system"] in unparsed and "unparsable" in row:
            unparsed[row["system"]] = row["unparsable"]
    missing = sum(c.get("missing", 0) for c in counts.values())
    lost_lines = sum(c.get("unparsable", 0) for c in counts.values())
    outputs, failures = len(systems) * len(table.trials) - missing + lost_lines, sum(unparsed.values())
    first = (
        f"{failures:,} of {outputs:,} outputs could not be parsed."
        if failures
        else f"All {outputs:,} outputs were parsed."
    )
    return [first, *([f"{missing:,} output{'s are' if missing != 1 else ' is'} missing."] if missing else [])]


def join_names(names: Iterable[str]) -> str:
    """Return names as a phrase: ``a, b and c``."""
    *first, last = list(names) or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last


def list_first_names(names: Sequence[str]) -> str:
    """Return the first few names as a phrase, with the number of the others."""
    shown = list(names[:MOST_NAMES])
    return join_names([*shown, f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else shown)


def _format_interval(row: Row, confidence: float) -> str:
    """Return a value with its interval in parentheses."""
    if row.get("low") is None:
        return f"({format_number(row['value'])})"
    return f"({format_number(row['value'])}, {100 * confidence:g} % CI {format_number(row['low'])} to {format_number(row['high'])})"


def _describe_differences(
    scores: MeasuredSystems,
    lead: str,
    others: Sequence[str],
    pairs: Mapping[str, frozenset[str]],
    p_values: PairTests,
    test: str,
) -> list[str]:
    """Return one sentence per system on the significance of its difference from the best one."""
    if not others:
        return []
    tested = {s: p for s in others if (p := p_values.get(pairs[s])) is not None}
    unclear, clear = [s for s in tested if tested[s] > ALPHA], [s for s in tested if tested[s] <= ALPHA]
    constant = [s for s in others if s not in tested and pairs[s] in p_values]
    untested = [s for s in others if pairs[s] not in p_values]
    clauses = [
        *_describe_group(scores, lead, unclear, "not significant", [tested[s] for s in unclear]),
        *_describe_group(scores, lead, clear, "significant", [tested[s] for s in clear]),
        *_describe_group(scores, lead, constant, "the same in every cluster, so no test applies"),
        *_describe_group(scores, lead, untested, "not tested"),
    ]
    clauses = [clause if not i else f"{clause[0].lower()}{clause[1:]}" for i, clause in enumerate(clauses)]
    correction = f", Holm-corrected for {len(p_values)} pairs" if len(p_values) > 1 else ""
    return [f"{'; '.join(clauses)}{f' ({test}{correction})' if tested else ''}."]


def _describe_group(
    scores: MeasuredSystems, lead: str, systems: Sequence[str], verdict: str, p_values: Sequence[float] = ()
) -> list[str]:
    """Return a sentence on the differences from the best system with one verdict."""
    if not systems:
        return []
    if len(systems) == 1:
        subject = f"The difference from {systems[0]} ({format_number(scores.value(systems[0], lead))}) is"
    else:
        subject = f"The differences from {list_first_names(systems)} are"
    return [f"{subject} {verdict}{_format_p_values(p_values)}"]


def _format_p_values(p_values: Sequence[float]) -> str:
    """Return p values in the order of their systems, or only their bound if there are many."""
    if not p_values:
        return ""
    if len(p_values) > MOST_NAMES:
        is_clear = max(p_values) <= ALPHA
        return f", p {'≤' if is_clear else '≥'} {_format_p(max(p_values) if is_clear else min(p_values))}"
    if all(p < 0.001 for p in p_values):
        return ", p < .001"
    return ", p = " + ", ".join("< .001" if p < 0.001 else _format_p(p) for p in p_values)


def _format_p(p: float) -> str:
    """Return two decimals, three below .1, without the zero before the point."""
    return (f"{p:.3f}" if p < 0.1 else f"{p:.2f}").removeprefix("0")


def _describe_other_measures(scores: MeasuredSystems, lead: str, best: Sequence[str]) -> list[str]:
    """Return one sentence on the other measures that have a direction.

    A measure with the same value for all systems is left out.
    """
    deciding = {
        m: find_best(scores, m)
        for m in scores.measures
        if m != lead and scores.direction(m) != "none" and _has_unequal_values(scores, m)
    }
    if not deciding:
        return []
    others = [m for m, systems in deciding.items() if not set(best) & set(systems)]
    subject = "It is" if len(best) == 1 else "One of them is"
    agreeing = len(deciding) - len(others)
    ties = (
        ", ties included" if any(set(systems) - set(best) for m, systems in deciding.items() if m not in others) else ""
    )
    if len(deciding) == 1:
        return [f"{subject} {'also' if agreeing else 'not'} best on {next(iter(deciding))}{ties}."]
    count = f"all {len(deciding)}" if not others else f"{agreeing or 'none'} of the {len(deciding)}"
    exceptions = f" (not on {list_first_names(others)})" if others and agreeing else ""
    return [f"{subject} best on {count} other measures that rank the systems{exceptions}{ties}."]


def _describe_people(scores: MeasuredSystems, lead: str) -> list[str]:
    """Return a sentence with people's value of the leading measure, if there is one."""
    value = scores.value(HUMAN, lead)
    return [] if value is None else [f"People, each compared with the others, have {lead} {format_number(value)}."]
