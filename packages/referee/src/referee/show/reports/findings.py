"""The first chapter of a report: the best system, hearers' success, the court on the measures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.courtroom.proceedings import Proceedings, count_pairs
from referee.courtroom.verdicts import format_signed
from referee.show.reports import report_figures
from referee.show.reports.best_system import (
    ALPHA,
    EQUAL,
    MOST_NAMES,
    choose_lead,
    describe_best,
    find_best,
    join_names,
    list_first_names,
)
from referee.show.reports.correlation_tables import FEWEST
from referee.show.reports.hearing_section import NO_PASSPORT, NOBODY, PEOPLE, HearingRows, describe_passport
from referee.show.reports.material import HUMAN, Material, Row, get_original_manifest
from referee.show.reports.scoreboard import get_corrected_p_values, order_systems
from referee.show.reports.section import Section
from referee.statistics.correlation import spearman

if TYPE_CHECKING:
    import polars as pl


# -- sentences -------------------------------------------------------------------------------------------------------------


def describe_methods(material: Material, style: str | None, hearing: HearingRows = NOBODY) -> list[str]:
    """Return the methods paragraph, sentence by sentence, about this run only."""
    return [
        _describe_data(material),
        *_describe_training(material),
        _describe_references(material),
        *_describe_intervals(material),
        *_describe_letters(material),
        *_describe_correlations(material),
        *_describe_all_hearers(hearing),
        *_describe_challenge(style),
        *_describe_outcomes(material),
        f"All numbers were computed with Referee {_describe_versions(material)}; the signature of every measure is given with the tables.",
    ]


def _describe_data(material: Material) -> str:
    """Return the sentence on the data."""
    systems = [s for s in material.systems if s != HUMAN]
    speakers = material.trials["speaker"].drop_nulls().n_unique()
    authors = f" by {speakers:,} speakers" if speakers > 1 else ""
    domains = material.levels("domain")
    where = f" in {len(domains)} domains ({join_names(domains)})" if 1 < len(domains) < 6 else ""
    checksum = material.scored[0].checksum[:12]
    kind = ", a SYNTHETIC corpus (generated scenes and descriptions, no human data; " if material.synthetic else " ("
    many = "1 system was" if len(systems) == 1 else f"{len(systems)} systems were"
    scored = f"{many} scored on {material.trials.height:,} trials{authors}{where}"
    return f"{scored} of {material.corpus}{kind}SHA-256 {checksum}…)."


def _describe_training(material: Material) -> list[str]:
    """Return sentences on the splits that `referee run` trained and tested on."""
    # From the folder that `referee run` made, also where this one was only scored again.
    cuts = [c for s in material.scored for c in get_original_manifest(s.run).get("splits") or () if isinstance(c, dict)]
    names = list(dict.fromkeys(str(c.get("name")) for c in cuts))
    seeds = {c.get("seed") for c in cuts}
    if not names:
        return []
    which = join_names(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"
    seed = f" (seed {seeds.pop()})" if len(seeds) == 1 else ""
    return [f"Systems that learn were trained and tested on the cuts {which}{seed}, never on the same trials."]


def _describe_references(material: Material) -> str:
    """Return the sentence on references and measures."""
    others = material.scored[0].settings.get("references") == "others"
    against = "other speakers' descriptions of the same scene" if others else "the descriptions of their own trial"
    # Only where there is a value: a measure without any value is not mentioned.
    whole = [m for m in material.measures if m not in material.averages and _has_measure(material, m)]
    text = f"Outputs were compared with {against}, with the measures {join_names(material.measures)}."
    if whole:
        text += f" {join_names(whole)} {'was' if len(whole) == 1 else 'were'} computed over whole sets and never averaged over items."
    many = format_reference_counts(material)
    if many and many != "1":
        text += f" Each output was compared with {many} descriptions at once where a measure allows it (BLEU, NIST); these values are for {many} references."
    return text


def format_reference_counts(material: Material) -> str:
    """Return the number of references for an output, ``1`` or ``2 to 5``; empty if no signature has it."""
    matches = [re.search(r"\|against:[a-z]+-([0-9.]+)", str(r.get("signature") or "")) for r in material.scores]
    return next((m[1].replace("..", " to ") for m in matches if m), "")


def _describe_all_hearers(hearing: HearingRows) -> list[str]:
    """Return a sentence on the hearers, the number of their answers, and their clusters."""
    answer_counts: dict[str, tuple[int, str]] = {}
    for row in hearing.rows:
        if row["measure"] == "ir":
            n, clusters = answer_counts.get(row["hearer"], (0, ""))
            answer_counts[row["hearer"]] = (n + row["n"], row.get("cluster") or clusters)
    if not answer_counts:
        return []
    hearers = [
        f"{_describe_hearer_signature(name, hearing)} ({n:,} answers{f'; clusters: {over}' if over else ''})"
        for name, (n, over) in answer_counts.items()
    ]
    return [
        f"Descriptions were read by {join_names(hearers)}; answers of people and of simulated hearers were counted by the same code."
    ]


def _describe_hearer_signature(name: str, hearing: HearingRows) -> str:
    """Return a hearer with signature and passport."""
    if name == PEOPLE:
        return "people"
    signed, standing = hearing.signatures.get(name, ""), describe_passport(name, hearing)
    about = ", ".join(
        part for part in (signed, "no passport" if standing == NO_PASSPORT else f"passport: {standing}") if part
    )
    return f"the simulated hearer {name} [{about}]"


def _has_measure(material: Material, measure: str) -> bool:
    return any(material.value(s, measure) is not None for s in material.systems)


def _describe_intervals(material: Material) -> list[str]:
    """Return the sentence on intervals."""
    confidence = float(material.scored[0].settings.get("confidence", 0.95))
    return [
        f"Intervals have {confidence:.0%} confidence and come from leaving out one cluster at a time (jackknife, Student's t, longer towards a long "
        f"tail after Hall 1983); clusters are {name_clusters(material)}."
    ]


def name_clusters(material: Material) -> str:
    """Name the sampling units with their numbers: ``13 scenes crossed with 60 speakers``."""
    clusters = material.clusters(material.trials["trial"].to_list())
    sizes = [f"{n:,} {name}{'s' * (n != 1)}" for name, n in zip(clusters.names, clusters.sizes(), strict=True)]
    return " crossed with ".join(sizes) if sizes else "single trials"


def _describe_letters(material: Material) -> list[str]:
    """Return the sentence on letters; empty for one system."""
    k = len(material.systems)
    if k < 2 or not material.averages:
        return []
    # All pairs, people among the systems included.
    pairs = k * (k - 1) // 2
    return [
        f"Systems that share a letter do not differ at α = {ALPHA:g} in t-tests paired by item over these clusters, corrected by Holm's "
        f"method for the {pairs} pair{'s' * (pairs > 1)} of systems (a separate family per measure)."
    ]


def _describe_correlations(material: Material) -> list[str]:
    """Return the sentence on correlations."""
    systems = [s for s in material.systems if s != HUMAN]
    if len(systems) < FEWEST:
        return []
    return [
        f"Correlations between measures are Pearson's r over the {len(systems)} systems, each with its range when any one system is left out."
    ]


def _describe_challenge(style: str | None) -> list[str]:
    """Return the sentence on the tests of TUNA 2008."""
    if style is None:
        return []
    return [
        "The tables in the shape of the TUNA 2008 overview follow its tests: SYSTEM x DOMAIN analysis of variance (type III) with the item as the unit, "
        "Tukey's homogeneous subsets at α = .05, Kruskal-Wallis for accuracy, Pearson correlations."
    ]


def _describe_outcomes(material: Material) -> list[str]:
    """Return the sentence on answers with problems."""
    total: dict[str, int] = {}
    for counts in material.counts.values():
        for kind, n in counts.items():
            total[kind] = total.get(kind, 0) + n
    parts = [f"{n:,} {kind}" for kind, n in total.items() if n]
    return [f"Answers that had to be interpreted or left out: {join_names(parts)}."] if parts else []


def _describe_versions(material: Material) -> str:
    """Return the versions of this package that scored the runs and that write the report."""
    # Runs may have been scored by another version than the one that reports.
    made = {str(_get_version(s.run.manifest)) for s in material.scored}
    return join_names(sorted(made | {__version__}))


def _get_version(manifest: Mapping[str, Any]) -> Any:
    return manifest.get("version", __version__)


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


def build_findings_section(
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
    """Return the sentences on the best system and its differences."""
    p_values = get_corrected_p_values(comparisons, choose_lead(material))
    confidence = float(material.scored[0].settings.get("confidence", 0.95))
    return " ".join(describe_best(material, p_values, f"t test over {name_clusters(material)}", confidence))


def _collect_identification_rates(hearing: HearingRows) -> dict[str, dict[str, Row]]:
    """Return identification rates by hearer and system, people first."""
    rates: dict[str, dict[str, Row]] = {}
    for row in sorted(hearing.rows, key=lambda r: r["hearer"] != PEOPLE):
        if row["measure"] == "ir" and row["value"] is not None:
            rates.setdefault(row["hearer"], {})[row["system"]] = row
    return rates


def _describe_hearers(material: Material, hearing: HearingRows) -> str:
    """Return the sentences on hearers."""
    rates = _collect_identification_rates(hearing)
    if not rates:
        return (
            "No hearer has answered. `referee listen RUN --hearer NAME` asks a simulated hearer; `--people` imports "
            "people's answers."
        )
    lead = choose_lead(material)
    sentences = [_describe_hearer(material, hearing, hearer, rows, lead) for hearer, rows in rates.items()]
    return " ".join([*sentences, *_compare_hearers(rates)])


def _describe_hearer(material: Material, hearing: HearingRows, hearer: str, rows: Mapping[str, Row], lead: str) -> str:
    """Return a sentence on the systems that a hearer identified best and on the measure's agreement."""
    subject = "people" if hearer == PEOPLE else f"the simulated hearer {hearer}{_describe_passport(hearer, hearing)}"
    systems = [s for s in rows if s != HUMAN]
    if not systems:
        return f"{_capitalise_first(subject)} identified the target of {_format_rate(rows[HUMAN])} of people's descriptions."
    best = max(systems, key=lambda s: rows[s]["value"])
    top = [s for s in systems if rows[best]["value"] - rows[s]["value"] <= EQUAL]
    if len(top) == len(systems):
        which = "every system" if len(systems) > 1 else top[0]
        return f"With {which} {subject} identified the target equally often ({_format_rate(rows[best])})."
    which = list_first_names(top) if len(top) <= MOST_NAMES else f"{len(top)} of the {len(systems)} systems"
    agreement = _describe_agreement(material, {s: rows[s]["value"] for s in systems}, lead)
    return f"With {which} {subject} identified the target most often ({_format_rate(rows[best])}){agreement}."


def _capitalise_first(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _format_rate(row: Row) -> str:
    """Return a percentage and its interval as text."""
    interval = "" if row["low"] is None else f" [{row['low']:.1%}, {row['high']:.1%}]"
    return f"{row['value']:.1%}{interval}"


def _describe_passport(hearer: str, hearing: HearingRows) -> str:
    standing = describe_passport(hearer, hearing)
    return " (no passport: not validated on people)" if standing == NO_PASSPORT else f" ({standing})"


def _describe_agreement(material: Material, rates: Mapping[str, float], lead: str) -> str:
    """Return the sentence on the agreement of the measure with identification rates; empty if undefined."""
    sign = -1 if material.direction(lead) == "lower" else 1
    pairs = [(sign * v, rates[s]) for s in rates if (v := material.value(s, lead)) is not None]
    correlation = spearman([a for a, _ in pairs], [b for _, b in pairs]) if len(pairs) > 2 else None
    if correlation is None or correlation.r is None:
        return ""
    is_significant = correlation.r > 0 and correlation.p is not None and correlation.p <= ALPHA
    verb = "agrees with" if is_significant else "cannot be shown to agree with"
    return f"; the order of systems {verb} {lead} (rho = {format_signed(correlation.r)}, n = {correlation.n})"


def _compare_hearers(rates: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """Return one sentence per pair of hearers on how similarly they rank the systems."""
    sentences = []
    for a, b in combinations(rates, 2):
        shared = [s for s in rates[a] if s in rates[b] and s != HUMAN]
        if len(shared) < 3:
            continue
        correlation = spearman([rates[a][s]["value"] for s in shared], [rates[b][s]["value"] for s in shared])
        if correlation.r is not None:
            sentences.append(
                f"{_capitalise_first(a)} and {b} order the systems with rho = {format_signed(correlation.r)}."
            )
    return sentences


def _describe_court(court: Proceedings) -> str:
    """Return the sentence on the court's verdicts."""
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
    """Return the measures of a finding in brackets, if it has any."""
    if finding not in NAMED:
        return ""
    measures = list(dict.fromkeys(c.automatic for c in court.cases if c.finding == finding))
    return f" ({list_first_names(measures)})"


def _draw_figure(
    material: Material, letters: Mapping[tuple[str, str], str], hearing: HearingRows
) -> report_figures.Figure:
    """Return the figure with the deciding measure and identification rates."""
    lead = choose_lead(material)
    best = find_best(material, lead)
    best_letters = set(letters.get((best[0], lead), "")) if best else set()
    close = {s for s in material.systems if s in best or best_letters & set(letters.get((s, lead), ""))}
    panels: dict[str, Iterable[Mapping[str, Any]]] = {
        report_figures.format_panel_title(material, lead): [
            row for (_, m), row in material.overall.items() if m == lead and row["value"] is not None
        ]
    }
    panels |= {
        f"{hearer}: identified ↑": list(rows.values())
        for hearer, rows in _collect_identification_rates(hearing).items()
    }
    return report_figures.build_findings_figure(material, panels, order_systems(material), close, bool(best_letters))
