"""The chapters of a report: sentences, tables and figures, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from referee.contracts import FloatArray
from referee.courtroom.proceedings import Proceedings
from referee.options import ITEMS
from referee.show.pages import render
from referee.show.reports import report_figures
from referee.show.reports.correlation_tables import FEWEST, build_correlation_sheets, correlate_measures
from referee.show.reports.court_section import NO_COURT, build_court_section
from referee.show.reports.findings import build_findings_section, describe_methods, format_reference_counts
from referee.show.reports.hearing_section import NOBODY, HearingRows, build_hearing_section
from referee.show.reports.item_browser import build_browser_data, lead_measure
from referee.show.reports.material import HUMAN, Material, Row, get_original_manifest
from referee.show.reports.scoreboard import (
    build_counts_sheet,
    build_scoreboard,
    build_system_cell,
    compare_all,
    compute_subset_letters,
    format_arrow,
    group_by_family,
    order_systems,
    score_cell,
    shorten_measure,
)
from referee.show.reports.section import Section
from referee.show.reports.sheets import Cell, Sheet
from referee.show.reports.tuna2008 import build_challenge_tables

if TYPE_CHECKING:
    import polars as pl


# Measures that increase with the number of references.
MANY_REFERENCES = ("string/bleu", "string/nist")


def build_sections(
    material: Material,
    *,
    style: str | None = None,
    items: int = ITEMS,
    hearing: HearingRows = NOBODY,
    court: Proceedings | str = NO_COURT,
) -> list[Section]:
    """Return all chapters about one set of trials; `court` may be the reason why there is no court."""
    comparisons = compare_all(material)
    letters = compute_subset_letters(material, comparisons)
    order = order_systems(material)
    return [
        build_findings_section(material, comparisons, letters, hearing, court),
        _build_scores(material, order, comparisons, letters),
        _build_items(material, items),
        build_hearing_section(material.label, hearing, order),
        build_court_section(material.label, court),
        _build_group(material, "domain", order),
        _build_group(material, "condition", order),
        _build_distributions(material, order),
        _build_correlations(material),
        *([_build_challenge(material)] if style else []),
        _build_systems(material),
        _build_methods(material, style, hearing),
        _build_data(material),
    ]


def build_scores_section(material: Material) -> Section:
    """Return the scoreboard without comparisons, for runs that are too large for them."""
    text = "This run is too large to be compared item by item here; referee report RUN makes the whole report."
    return Section(
        name="scoreboard", title="Scoreboard", texts=(text,), sheets=tuple(build_scoreboard(material, {})), open=True
    )


def _build_scores(
    material: Material, order: Sequence[str], comparisons: pl.DataFrame, letters: Mapping[tuple[str, str], str]
) -> Section:
    """Return the section with the scoreboard."""
    counts = build_counts_sheet(material)
    texts = ["Each value with its interval; the best of a column is bold; ↑ higher is better, ↓ lower is better."]
    if letters:
        texts.append(
            "Raised letters: systems that share a letter do not differ significantly. The letter A marks the best, or the largest where no direction is better."
        )
    # Mentioned once, so that missing letters are not read as ties.
    without = [shorten_measure(m) for m in material.measures if not any((s, m) in letters for s in material.systems)]
    if letters and without:
        texts.append(
            f"No letters for {', '.join(without)}: no two systems have values, or the run was scored without comparisons."
        )
    many, whole = (
        format_reference_counts(material),
        [shorten_measure(m) for m in material.measures if m.startswith(MANY_REFERENCES)],
    )
    if whole and many:
        texts.append(
            f"{', '.join(whole)}: with {many} reference{'s' * (many != '1')} an output; values with another number of references are higher or lower."
        )
    if len(material.systems) == 1:
        texts.append("There is only one system, so nothing is compared.")
    return Section(
        name="scoreboard",
        title="Scoreboard",
        texts=tuple(texts),
        figures=(report_figures.build_scores_figure(material, order),),
        sheets=(*build_scoreboard(material, letters), *([counts] if counts else [])),
        data={
            "scores": _add_labels(material, material.scores),
            "comparisons": _add_labels(material, comparisons.to_dicts()),
        },
        open=True,
    )


def _add_labels(material: Material, rows: Sequence[Row]) -> list[Row]:
    return [{"corpus": material.label, **row} for row in rows]


def _build_group(material: Material, group: str, order: Sequence[str]) -> Section:
    """Return the section with scores by one grouping."""
    reason = explain_missing_group(material, group)
    if reason:
        return Section(name=f"by-{group}", title=f"By {group}", texts=(reason,))
    rows = group_rows(material, group)
    if not rows:
        return Section(name=f"by-{group}", title=f"By {group}", texts=("No measure could be computed by group.",))
    return Section(
        name=f"by-{group}",
        title=f"By {group}",
        figures=(report_figures.build_groups_figure(material, group, rows, order),),
        sheets=tuple(build_group_sheets(material, group, rows, order)),
    )


def _build_distributions(material: Material, order: Sequence[str]) -> Section:
    """Return the section with the distributions of item scores."""
    figure = report_figures.build_distributions_figure(material, order)
    texts = [
        "A mean hides the distribution of items. Darker: more of the system's items lie there. Measures with two values (yes, no) are left out."
    ]
    if figure is None:
        texts = ["No measure has more than two different values per item, so the means say everything."]
    return Section(name="spread", title="Items by score", texts=tuple(texts), figures=(figure,) if figure else ())


def _build_correlations(material: Material) -> Section:
    """Return the section with correlations between measures."""
    systems = [s for s in material.systems if s != HUMAN]
    title = "Which measures agree"
    if len(systems) < FEWEST:
        text = f"Correlations over systems need at least {FEWEST} systems; this report has {len(systems)}."
        return Section(name="correlations", title=title, texts=(text,))
    # Over systems alone; the table with people among them stands below.
    figure = report_figures.build_correlations_figure(
        material, correlate_measures(material, systems, material.measures)
    )
    texts = ["One system can determine a correlation: the small print is its range when any one is left out."]
    # With so few points nearly any r can be had.
    if len(systems) < 6:
        texts.append(f"With {len(systems)} systems these numbers are not reliable.")
    return Section(
        name="correlations",
        title=title,
        texts=tuple(texts),
        figures=(figure,) if figure else (),
        sheets=tuple(build_correlation_sheets(material)),
    )


def _build_items(material: Material, limit: int) -> Section:
    """Return the section with the item browser."""
    content = build_browser_data(material, limit)
    lead = lead_measure(material)
    order = f"The worst first, by {lead} averaged over the systems." if lead else "In the order of the run."
    shown, total = len(content["items"]), content["total"]
    more = (
        f" This page holds the first {shown:,} of {total:,}; the run folder has all of them." if shown < total else ""
    )
    return Section(name="items", title="Items", texts=(order + more,), browser=content, open=True)


def _build_challenge(material: Material) -> Section:
    """Return the section with the tables of TUNA 2008."""
    sheets, missing = build_challenge_tables(material)
    texts = ("In the shape of the TUNA 2008 overview (Gatt, Belz & Kow), with its tests.", *missing)
    return Section(name="tuna2008", title="Tables of the challenge", texts=texts, sheets=tuple(sheets))


def _build_systems(material: Material) -> Section:
    """Return the section with the catalogue's facts on systems."""
    tagged = [(s, material.tags(s)) for s in material.systems if material.tags(s)]
    if not tagged:
        return Section(
            name="systems",
            title="Systems",
            texts=("None of these systems is in the catalogue.",),
        )
    keys = list(dict.fromkeys(k for _, tags in tagged for k in tags))
    rows = tuple((Cell(s), *(Cell(tags.get(k, "–")) for k in keys)) for s, tags in tagged)
    sheet = Sheet(
        name="systems",
        corpus=material.label,
        title=f"{material.label}: the catalogue's facts on the systems",
        header=("system", *keys),
        rows=rows,
        left=1 + len(keys),
    )
    texts = (
        "Evidence. Faithful: the papers determine the algorithm. Reconstructed: except for points that `referee docs systems` names. "
        "Low confidence: it may differ from the original.",
    )
    return Section(name="systems", title="Systems", texts=texts, sheets=(sheet,))


def _build_methods(material: Material, style: str | None, hearing: HearingRows) -> Section:
    """Return the section on methods, with signatures."""
    signed = {"Signatures": dict.fromkeys(r["signature"] for r in material.scores if r.get("signature"))}
    if settings := _list_system_signatures(material):
        signed["Signatures of the systems"] = dict.fromkeys(settings)
    html = render(
        "report/methods.html",
        paragraph=" ".join(describe_methods(material, style, hearing)),
        signed=signed,
        remarks=[n for s in material.scored for n in s.notes],
    )
    return Section(name="methods", title="Methods, to paste", html=html)


def _list_system_signatures(material: Material) -> list[str]:
    """Return the signatures of the systems of `referee run`."""
    by_run = [get_original_manifest(s.run).get("signatures") for s in material.scored]
    return [
        str(sig)
        for signatures in by_run
        if isinstance(signatures, dict)
        for name, sig in signatures.items()
        if name not in material.measures
    ]


def _build_data(material: Material) -> Section:
    """Return the chapter on the corpus card and the trials."""
    card = material.facts.card
    facts: dict[str, Any] = {}
    if card is not None:
        facts = {"title": card.title, "source": card.source, "licence": card.licence, "citation": card.citation}
        facts |= {"languages": ", ".join(card.languages), "known faults": card.faults}
    facts |= {"corpus": material.corpus, **_count_data(material)}
    facts |= {"checksum": f"SHA-256 {material.scored[0].checksum}", "runs": ", ".join(s.name for s in material.scored)}
    if material.synthetic:
        facts = {"SYNTHETIC": "generated scenes and descriptions, not human data", **facts}
    return Section(name="data", title="Data card", html=render("report/data_card.html", facts=facts))


def _count_data(material: Material) -> dict[str, str]:
    """Return the counts of trials, descriptions, speakers and groups."""
    trials = material.trials
    counts = {"trials": trials.height, "human descriptions": int(trials["references"].sum())}
    counts |= {f"{name}s": trials[name].drop_nulls().n_unique() for name in ("speaker", "scene", "domain", "condition")}
    return {name: f"{n:,}" for name, n in counts.items() if n}


# -- groups of items -------------------------------------------------------------------------------------------------------


MOST = 12


def explain_missing_group(material: Material, group: str) -> str:
    """Return why there is no panel for a grouping; empty if there is one."""
    levels = material.levels(group)
    if not levels:
        return f"The trials name no {group}."
    if len(levels) == 1:
        return f"All trials have the same {group} ({levels[0]})."
    if len(levels) > MOST:
        return f"{len(levels)} different values of {group} are too many for a panel (at most {MOST}); scores.csv has what the run was scored by."
    return ""


def group_rows(material: Material, group: str) -> list[Row]:
    """Return scores by level of a grouping, as tidy rows with `level`.

    Corpus-level measures only from the run.
    """
    scored = [{**r, "level": r["group"].partition("=")[2]} for r in material.scores if _is_of(r, group)]
    present = {r["metric"] for r in scored}
    # BLEU and NIST of a part cannot be made from items; they are there only if the run was scored by groups.
    missing = [m for m in material.measures if m not in present and m in material.averages]
    return [*scored, *(row for m in missing for row in _average_items(material, group, m))]


def _is_of(row: Row, group: str) -> bool:
    return isinstance(row.get("group"), str) and row["group"].startswith(f"{group}=")


def _average_items(material: Material, group: str, measure: str) -> list[Row]:
    """Return means of items by group, with intervals over the run's own clusters."""
    labelled = material.values(measure).join(material.trials.select("trial", group), on="trial", how="inner")
    rows: list[Row] = []
    # Polars gives groups in no order of their own.
    for (system, level), part in sorted(labelled.drop_nulls().group_by("system", group)):
        # Sums, and so the last digits of an interval, depend on the order.
        part = part.sort("trial")
        values = part["value"].to_numpy()
        low, high = _estimate_interval(values, part["trial"].to_list(), material, measure)
        labels = {"system": system, "group": f"{group}={level}", "level": level, "metric": measure}
        rows.append({**labels, "value": float(values.mean()), "n": len(values), "low": low, "high": high})
    return rows


def _estimate_interval(
    values: FloatArray, trials: list[str], material: Material, measure: str
) -> tuple[float | None, float | None]:
    """Return the interval of values over clusters."""
    from referee.statistics.dependent_trials import average_rows, spread

    confidence = float(material.scored[0].settings.get("confidence", 0.95))
    limits = material.facts.ranges.get(measure, (None, None))
    interval = spread(values[:, None], average_rows, material.clusters(trials), confidence, limits)
    return (None, None) if isnan(interval.low) else (interval.low, interval.high)


def build_group_sheets(material: Material, group: str, rows: Sequence[Row], order: Sequence[str]) -> list[Sheet]:
    """Return a table per family of measures, with a row per system and a column per level."""
    levels = material.levels(group)
    cells = {(r["system"], r["metric"], r["level"]): r for r in rows}
    measured = [m for m in material.measures if any(r["metric"] == m for r in rows)]
    absent = [shorten_measure(m) for m in material.measures if m not in measured]
    sheets = []
    for family, names in group_by_family(measured).items():
        lines = [
            (
                build_system_cell(material, s),
                *(score_cell(cells.get((s, m, level)), shared=0) for m in names for level in levels),
            )
            for s in order
        ]
        sheets.append(
            Sheet(
                name=f"{group}-{family}",
                corpus=material.label,
                title=f"{material.label}: {family} measures by {group}",
                spans=(
                    ("", 1),
                    *((f"{shorten_measure(m)}{format_arrow(material.direction(m))}", len(levels)) for m in names),
                ),
                header=("system", *(level for _ in names for level in levels)),
                rows=tuple(lines),
                notes=_build_notes(material, group, levels, absent),
                tidy=tuple(r for r in rows if r["metric"] in names),
            )
        )
    return sheets


def _build_notes(material: Material, group: str, levels: Sequence[str], absent: Sequence[str]) -> tuple[str, ...]:
    """Return notes on group sizes and on measures that groups lack."""
    counts = dict(material.trials[group].value_counts().iter_rows())
    notes = ["Trials: " + ", ".join(f"{level} {counts[level]:,}" for level in levels) + "."]
    if absent:
        notes.append(
            f"Not an average of items, so known for groups only if scored by them (--by {group}): {', '.join(absent)}."
        )
    return tuple(notes)
