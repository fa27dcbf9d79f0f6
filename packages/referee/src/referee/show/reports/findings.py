"""What was found, before anything else: who is best and who cannot be told apart from it, what hearers say to that, what the court says of the measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from referee.courtroom.proceedings import Proceedings, count_pairs
from referee.courtroom.verdicts import signed
from referee.show.reports import report_figures
from referee.show.reports.hearing_section import NO_PASSPORT, PEOPLE, HearingRows, standing_of
from referee.show.reports.material import HUMAN, Material, Row
from referee.show.reports.score_tables import number
from referee.show.reports.scoreboard import deciding, ranking, table_order
from referee.show.reports.section import Section
from referee.show.reports.sentences import listed
from referee.statistics.correlation import spearman

__all__ = ["findings_section"]

MOST_NAMES = 4
EQUAL = 1e-9
PLAIN = {
    "predicts": "hold for people",
    "reversed": "point the wrong way",
    "related": "are related to what people did",
    "predicts a simulated hearer": "hold, but for a simulated hearer only",
    "reversed for a simulated hearer": "point the wrong way for a simulated hearer",
    "related to a simulated hearer": "are related to a simulated hearer",
    "split": "are made by two groups of systems",
    "carried": "are carried by one system or family",
    "disputed": "are linear or in the ranks, not both",
    "doubtful": "are no more than chance or noise",
    "hidden": "hang on one system that hides something",
    "unsettled": "have a sign that one system decides",
    "open": "show nothing",
}
"""What became of pairs of measures, for readers who have not read the rules of the court."""


def findings_section(
    material: Material, letters: Mapping[tuple[str, str], str], hearing: HearingRows, court: Proceedings | str
) -> Section:
    """The first chapter: a sentence or two on each question, and one figure."""
    texts = (_best(material, letters), _heard(material, hearing), court if isinstance(court, str) else _tried(court))
    return Section(
        name="findings",
        title="What was found",
        texts=texts,
        figures=(_figure(material, letters, hearing),),
        open=True,
    )


def names(things: Sequence[str]) -> str:
    """A few names, the rest counted."""
    shown = list(things[:MOST_NAMES])
    return listed([*shown, f"{len(things) - MOST_NAMES} more"] if len(things) > MOST_NAMES else shown)


def _tops(material: Material, measure: str) -> list[str]:
    """The systems with the best value, which are several where values are equal."""
    placed = [s for s in ranking(material, measure) if s != HUMAN]
    best = material.value(placed[0], measure) if placed else None
    return [s for s in placed if best is not None and abs((material.value(s, measure) or 0.0) - best) <= EQUAL]


def _best(material: Material, letters: Mapping[tuple[str, str], str]) -> str:
    lead = deciding(material)
    placed, tops = [s for s in ranking(material, lead) if s != HUMAN], _tops(material, lead)
    if not tops:
        return f"No system has a value for {lead}, so none is best."
    value = _with_interval(material.overall[tops[0], lead])
    if len(placed) == 1:
        return f"{tops[0]} is the only system: {lead} is {value}."
    word = "has the largest" if material.direction(lead) == "none" else "is best by"
    if len(tops) > 1:
        word = "have the same largest" if material.direction(lead) == "none" else "are equal and best by"
    said = f"Of {len(placed)} systems {names(tops)} {word} {lead} ({value})"
    return f"{said}{_apart(lead, placed, tops, letters)}{_elsewhere(material, lead, tops)}"


def _with_interval(row: Row) -> str:
    if row.get("low") is None:
        return number(row["value"])
    return f"{number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"


def _apart(lead: str, placed: Sequence[str], tops: Sequence[str], letters: Mapping[tuple[str, str], str]) -> str:
    """Who shares a letter with the best."""
    mine = set(letters.get((tops[0], lead), ""))
    if not mine:
        return "; there are no items to test by whether others differ."
    alike = [s for s in placed if s not in tops and mine & set(letters.get((s, lead), ""))]
    others = len(placed) - len(tops)
    if not others:
        return "."
    if not alike:
        return f" and {'differs' if len(tops) == 1 else 'differ'} significantly from {_all(others)}."
    return f" and cannot be told apart from {names(alike)}; {_rest(others - len(alike))}."


def _all(n: int) -> str:
    return "the other one" if n == 1 else f"all {n} others"


def _rest(n: int) -> str:
    return "no other is left" if n == 0 else "the other one differs" if n == 1 else f"the other {n} differ"


def _elsewhere(material: Material, lead: str, tops: Sequence[str]) -> str:
    """How many of the other measures see it alike; one that gives all systems the same value sees nothing."""
    known = [m for m in material.measures if m != lead and material.direction(m) != "none" and _tops(material, m)]
    others = [m for m in known if len(_tops(material, m)) < sum(s != HUMAN for s in ranking(material, m))]
    return _first_by(material, others, tops) + _same_for_all(len(known) - len(others))


def _first_by(material: Material, others: Sequence[str], tops: Sequence[str]) -> str:
    agreeing = [t for m in others if set(tops) & set(t := _tops(material, m))]
    if not others:
        return ""
    if len(others) == 1:
        return f" The one other measure puts {'it' if agreeing else 'another'} first."
    shared = sum(not set(t) <= set(tops) for t in agreeing)
    beside = f", {shared} of them together with others" if shared else ""
    who = "it" if len(tops) == 1 else "one of them"
    return f" Of {len(others)} other measures {len(agreeing)} put {who} first as well{beside}."


def _same_for_all(n: int) -> str:
    if not n:
        return ""
    return " One more measure gives all the same value." if n == 1 else f" {n} more measures give all the same value."


def _found(hearing: HearingRows) -> dict[str, dict[str, Row]]:
    """The rate of identification by hearer and system, people first; what people said in the corpus does not compete."""
    rates: dict[str, dict[str, Row]] = {}
    for row in sorted(hearing.rows, key=lambda r: r["hearer"] != PEOPLE):
        if row["measure"] == "ir" and row["value"] is not None:
            rates.setdefault(row["hearer"], {})[row["system"]] = row
    return rates


def _heard(material: Material, hearing: HearingRows) -> str:
    rates = _found(hearing)
    if not rates:
        return "Nobody has answered, so nothing is known of hearers: referee listen RUN --hearer NAME, or --people, lets them in."
    lead = deciding(material)
    said = [_of_hearer(material, hearing, hearer, rows, lead) for hearer, rows in rates.items()]
    return " ".join([*said, *_alike(rates)])


def _of_hearer(material: Material, hearing: HearingRows, hearer: str, rows: Mapping[str, Row], lead: str) -> str:
    """What a hearer found most often, and whether its order of systems is that of the measure."""
    who = "People" if hearer == PEOPLE else f"The simulated hearer {hearer}{_standing(hearer, hearing)}"
    systems = [s for s in rows if s != HUMAN]
    if not systems:
        return f"{who} found {_rate(rows[HUMAN])} of what people described."
    best = max(systems, key=lambda s: rows[s]["value"])
    top = [s for s in systems if rows[best]["value"] - rows[s]["value"] <= EQUAL]
    which = names(top) if len(top) <= MOST_NAMES else f"{len(top)} of the {len(systems)} systems alike"
    told = f"{who} found most with {which} ({_rate(rows[best])})"
    if len(top) == len(systems):
        return f"{who} found as much with {'each system' if len(systems) > 1 else names(top)} ({_rate(rows[best])})."
    whose = "their" if hearer == PEOPLE else "its"
    return f"{told}{_agreement(material, {s: rows[s]['value'] for s in systems}, lead, whose)}."


def _rate(row: Row) -> str:
    interval = "" if row["low"] is None else f" [{row['low']:.1%}, {row['high']:.1%}]"
    return f"{row['value']:.1%}{interval}"


def _standing(hearer: str, hearing: HearingRows) -> str:
    known = standing_of(hearer, hearing)
    return " (no passport: nobody has checked it against people)" if known == NO_PASSPORT else f" ({known})"


def _agreement(material: Material, rates: Mapping[str, float], lead: str, whose: str) -> str:
    sign = -1 if material.direction(lead) == "lower" else 1
    pairs = [(sign * v, rates[s]) for s in rates if (v := material.value(s, lead)) is not None]
    found = spearman([a for a, _ in pairs], [b for _, b in pairs]) if len(pairs) > 2 else None
    if found is None or found.r is None:
        return ""
    word = "agrees with" if found.r > 0 and found.p is not None and found.p <= 0.05 else "cannot be shown to agree with"
    return f"; {whose} order of systems {word} {lead} (rho = {signed(found.r)}, n = {found.n})"


def _alike(rates: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """Whether two hearers put systems into the same order."""
    said = []
    for a, b in combinations(rates, 2):
        shared = [s for s in rates[a] if s in rates[b] and s != HUMAN]
        found = (
            spearman([rates[a][s]["value"] for s in shared], [rates[b][s]["value"] for s in shared])
            if len(shared) > 2
            else None
        )
        if found is not None and found.r is not None:
            said.append(f"{a[:1].upper()}{a[1:]} and {b} order the systems with rho = {signed(found.r)}.")
    return said


def _tried(court: Proceedings) -> str:
    counts = count_pairs(court.cases)
    measures = len(court.verdicts)
    if not counts["tried"]:
        reasons = dict.fromkeys(c.reason for c in court.cases if c.reason)
        why = "; ".join(list(reasons)[:2])
        return f"The court says nothing of the {measures} measures: {why or 'there is nothing to try'}."
    parts = [
        f"{tally.count} {PLAIN.get(tally.finding, tally.finding)}{_which(court, tally.finding)}"
        for tally in court.tallies
        if tally.count and tally.finding in PLAIN
    ]
    return f"The court tried {counts['tried']} pairs of a measure and what hearers did: {'; '.join(parts)}."


def _which(court: Proceedings, finding: str) -> str:
    """The measures of the findings that say something."""
    if finding not in list(PLAIN)[:6]:
        return ""
    found = list(dict.fromkeys(c.automatic for c in court.cases if c.finding == finding))
    return f" ({names(found)})"


def _figure(material: Material, letters: Mapping[tuple[str, str], str], hearing: HearingRows) -> report_figures.Figure:
    lead = deciding(material)
    tops = _tops(material, lead)
    mine = set(letters.get((tops[0], lead), "")) if tops else set()
    close = {s for s in material.systems if s in tops or mine & set(letters.get((s, lead), ""))}
    panels: dict[str, Iterable[Mapping[str, Any]]] = {
        report_figures.panel_title(material, lead): [
            row for (_, m), row in material.overall.items() if m == lead and row["value"] is not None
        ]
    }
    panels |= {f"{hearer}: identified ↑": list(rows.values()) for hearer, rows in _found(hearing).items()}
    return report_figures.findings_figure(material, panels, table_order(material), close, len(tops) > 0 and bool(mine))
