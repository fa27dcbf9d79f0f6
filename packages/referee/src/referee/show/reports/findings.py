"""The first chapter of a report: the best system, hearers' success, the court on the measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from referee.courtroom.proceedings import Proceedings, count_pairs
from referee.courtroom.verdicts import signed
from referee.show.reports import report_figures
from referee.show.reports.best_system import (
    ALPHA,
    EQUAL,
    MOST_NAMES,
    choose_lead,
    describe_best,
    find_best,
    shorten_names,
)
from referee.show.reports.hearing_section import NO_PASSPORT, PEOPLE, HearingRows, standing_of
from referee.show.reports.material import HUMAN, Material, Row
from referee.show.reports.scoreboard import corrected_p_values, table_order
from referee.show.reports.section import Section
from referee.show.reports.sentences import name_clusters
from referee.statistics.correlation import spearman

if TYPE_CHECKING:
    import polars as pl

PLAIN = {
    "predicts": "predict what people did",
    "reversed": "have the opposite sign for people",
    "related": "are related to what people did",
    "predicts a simulated hearer": "predict a simulated hearer only",
    "reversed for a simulated hearer": "have the opposite sign for a simulated hearer",
    "related to a simulated hearer": "are related to a simulated hearer",
    "split": "only separate two groups of systems",
    "carried": "depend on one system or family",
    "disputed": "are linear or monotonic, not both",
    "doubtful": "are no larger than chance or noise allow",
    "hidden": "appear only without one system",
    "unsettled": "have a sign that depends on one system",
    "open": "are not shown",
}
"""The court's findings on pairs of measures, for readers who have not read its rules."""
NAMED = tuple(PLAIN)[:6]
"""The findings whose measures are listed."""


def findings_section(
    material: Material,
    comparisons: pl.DataFrame,
    letters: Mapping[tuple[str, str], str],
    hearing: HearingRows,
    court: Proceedings | str,
) -> Section:
    """Return the first chapter: a few sentences on each question, and one figure."""
    texts = (
        _describe_scores(material, comparisons),
        _describe_hearers(material, hearing),
        court if isinstance(court, str) else _describe_court(court),
    )
    return Section(
        name="findings",
        title="What was found",
        texts=texts,
        figures=(_draw_figure(material, letters, hearing),),
        open=True,
    )


def _describe_scores(material: Material, comparisons: pl.DataFrame) -> str:
    p_values = corrected_p_values(comparisons, choose_lead(material))
    confidence = float(material.scored[0].settings.get("confidence", 0.95))
    return " ".join(describe_best(material, p_values, f"t test over {name_clusters(material)}", confidence))


def _identification_rates(hearing: HearingRows) -> dict[str, dict[str, Row]]:
    """Identification rates by hearer and system, people first."""
    rates: dict[str, dict[str, Row]] = {}
    for row in sorted(hearing.rows, key=lambda r: r["hearer"] != PEOPLE):
        if row["measure"] == "ir" and row["value"] is not None:
            rates.setdefault(row["hearer"], {})[row["system"]] = row
    return rates


def _describe_hearers(material: Material, hearing: HearingRows) -> str:
    rates = _identification_rates(hearing)
    if not rates:
        return (
            "No hearer has answered. `referee listen RUN --hearer NAME` asks a simulated hearer; `--people` imports "
            "people's answers."
        )
    lead = choose_lead(material)
    sentences = [_describe_hearer(material, hearing, hearer, rows, lead) for hearer, rows in rates.items()]
    return " ".join([*sentences, *_compare_hearers(rates)])


def _describe_hearer(material: Material, hearing: HearingRows, hearer: str, rows: Mapping[str, Row], lead: str) -> str:
    """Which systems' targets a hearer identified most often, and whether the measure orders systems alike."""
    subject = "people" if hearer == PEOPLE else f"the simulated hearer {hearer}{_passport_note(hearer, hearing)}"
    systems = [s for s in rows if s != HUMAN]
    if not systems:
        return f"{_capitalise(subject)} identified the target of {_rate(rows[HUMAN])} of people's descriptions."
    best = max(systems, key=lambda s: rows[s]["value"])
    top = [s for s in systems if rows[best]["value"] - rows[s]["value"] <= EQUAL]
    if len(top) == len(systems):
        which = "every system" if len(systems) > 1 else top[0]
        return f"With {which} {subject} identified the target equally often ({_rate(rows[best])})."
    which = shorten_names(top) if len(top) <= MOST_NAMES else f"{len(top)} of the {len(systems)} systems"
    agreement = _describe_agreement(material, {s: rows[s]["value"] for s in systems}, lead)
    return f"With {which} {subject} identified the target most often ({_rate(rows[best])}){agreement}."


def _capitalise(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _rate(row: Row) -> str:
    interval = "" if row["low"] is None else f" [{row['low']:.1%}, {row['high']:.1%}]"
    return f"{row['value']:.1%}{interval}"


def _passport_note(hearer: str, hearing: HearingRows) -> str:
    standing = standing_of(hearer, hearing)
    return " (no passport: not validated on people)" if standing == NO_PASSPORT else f" ({standing})"


def _describe_agreement(material: Material, rates: Mapping[str, float], lead: str) -> str:
    sign = -1 if material.direction(lead) == "lower" else 1
    pairs = [(sign * v, rates[s]) for s in rates if (v := material.value(s, lead)) is not None]
    correlation = spearman([a for a, _ in pairs], [b for _, b in pairs]) if len(pairs) > 2 else None
    if correlation is None or correlation.r is None:
        return ""
    is_significant = correlation.r > 0 and correlation.p is not None and correlation.p <= ALPHA
    verb = "agrees with" if is_significant else "cannot be shown to agree with"
    return f"; the order of systems {verb} {lead} (rho = {signed(correlation.r)}, n = {correlation.n})"


def _compare_hearers(rates: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """One sentence for each pair of hearers: how far they put systems into the same order."""
    sentences = []
    for a, b in combinations(rates, 2):
        shared = [s for s in rates[a] if s in rates[b] and s != HUMAN]
        if len(shared) < 3:
            continue
        correlation = spearman([rates[a][s]["value"] for s in shared], [rates[b][s]["value"] for s in shared])
        if correlation.r is not None:
            sentences.append(f"{_capitalise(a)} and {b} order the systems with rho = {signed(correlation.r)}.")
    return sentences


def _describe_court(court: Proceedings) -> str:
    counts = count_pairs(court.cases)
    measures = len(court.verdicts)
    if not counts["tried"]:
        reasons = list(dict.fromkeys(c.reason for c in court.cases if c.reason))
        return f"The court cannot test the {measures} measures: {'; '.join(reasons[:2]) or 'there is no pair to test'}."
    parts = [
        f"{tally.count} {PLAIN.get(tally.finding, tally.finding)}{_list_measures(court, tally.finding)}"
        for tally in court.tallies
        if tally.count and tally.finding in PLAIN
    ]
    return f"The court tested {counts['tried']} pairs of a measure and what hearers did: {'; '.join(parts)}."


def _list_measures(court: Proceedings, finding: str) -> str:
    """The measures of a finding that is more than an absence, in brackets."""
    if finding not in NAMED:
        return ""
    measures = list(dict.fromkeys(c.automatic for c in court.cases if c.finding == finding))
    return f" ({shorten_names(measures)})"


def _draw_figure(
    material: Material, letters: Mapping[tuple[str, str], str], hearing: HearingRows
) -> report_figures.Figure:
    lead = choose_lead(material)
    best = find_best(material, lead)
    best_letters = set(letters.get((best[0], lead), "")) if best else set()
    close = {s for s in material.systems if s in best or best_letters & set(letters.get((s, lead), ""))}
    panels: dict[str, Iterable[Mapping[str, Any]]] = {
        report_figures.panel_title(material, lead): [
            row for (_, m), row in material.overall.items() if m == lead and row["value"] is not None
        ]
    }
    panels |= {
        f"{hearer}: identified ↑": list(rows.values()) for hearer, rows in _identification_rates(hearing).items()
    }
    return report_figures.findings_figure(material, panels, table_order(material), close, bool(best_letters))
