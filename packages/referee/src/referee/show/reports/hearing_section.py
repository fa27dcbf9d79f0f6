"""The chapter on hearers: one row per system and hearer.

Each hearer with its passport or marked as without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from markupsafe import Markup

from referee.hearers.passports.quoting import read_quote
from referee.show.pages import render
from referee.show.reports.material import Row
from referee.show.reports.passport_card import draw_card
from referee.show.reports.section import Section
from referee.show.reports.sheets import Cell, Sheet

PEOPLE = "people"
NO_PASSPORT = "NO PASSPORT"
MEASURES = {
    "ir": "identified ↑",
    "error": "wrong ↓",
    "several": "several",
    "none": "none",
    "dont-know": "don't know",
    "timeout": "timeout",
    "unparsable": "unparsable",
    "mir": "by majority ↑",
    "agreement": "agreement ↑",
    "reading_ms": "reading ms ↓",
    "identification_ms": "identification ms ↓",
    "combined_ms": "both ms ↓",
}
VOTED = ("mir", "agreement")
KEY_NUMBERS = {
    "n": "n",
    "accuracy": "accuracy",
    "expected_accuracy": "expected",
    "human_accuracy": "people",
    "chance": "chance",
    "auc": "AUC",
    "auc_within_condition": "AUC within conditions",
    "kappa": "kappa",
    "calibration_error": "calibration error",
    "time_correlation": "times (rho)",
    "position_bias_as_shown": "position bias",
    "log_likelihood": "log-likelihood",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingRows:
    """Rows of `make_hearing_rows`, with hearers' signatures, passports by hash, and warnings."""

    rows: Sequence[Row] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    warnings: Sequence[str] = ()


NOBODY = HearingRows()


def build_hearing_section(label: str, hearing: HearingRows, order: Sequence[str] = ()) -> Section:
    """Return the chapter; without responses it explains how to get some."""
    title = "What hearers found"
    if not hearing.rows:
        text = "No hearer has answered in this run. `referee listen RUN --hearer NAME` asks a simulated hearer; `--people` imports people's answers."
        return Section(name="hearing", title=title, texts=(text,))
    # A run folder may hold cards of hearers that were not asked here.
    used = {digits: card for digits, card in hearing.cards.items() if _has_passport(digits, hearing.signatures)}
    return Section(
        name="hearing",
        title=title,
        texts=tuple(_build_notes(hearing, used)),
        # Cards of several hearers would all be called passport; files go by their names.
        figures=tuple(replace(draw_card(card), name=f"passport-{digits}") for digits, card in used.items()),
        sheets=(_build_answers_sheet(label, hearing, order), *([_build_passports_sheet(label, used)] if used else [])),
        html=_render_signatures(hearing.signatures),
        data={"hearing": [{"corpus": label, **row} for row in map(_flatten_row, hearing.rows)]},
    )


def _has_passport(digits: str, signatures: Mapping[str, str]) -> bool:
    return any(quoted.digits == digits for text in signatures.values() if (quoted := read_quote(text)) is not None)


def _build_notes(hearing: HearingRows, used: Mapping[str, Any]) -> list[str]:
    """Return the notes of the section on hearers."""
    texts = [
        "People and simulated hearers are counted by the same code; each value with its interval over participants and items."
    ]
    bare = [h for h in _describe_all_hearers(hearing) if describe_passport(h, hearing) == NO_PASSPORT]
    if bare:
        texts.append(
            f"{NO_PASSPORT}: {', '.join(bare)}. These hearers were not validated on people; their numbers only follow from their assumptions."
        )
    texts += hearing.warnings
    texts += [
        f"{card['hearer']} on {card['corpus']}: {card['verdict']}. {' '.join(card['reasons'])}"
        for card in used.values()
    ]
    return texts


def _describe_all_hearers(hearing: HearingRows) -> list[str]:
    return list(dict.fromkeys(str(row["hearer"]) for row in hearing.rows))


def describe_passport(hearer: str, hearing: HearingRows) -> str:
    """Return the verdict and hash of a hearer's passport, or that it has none."""
    if hearer == PEOPLE:
        return PEOPLE
    quoted = read_quote(hearing.signatures.get(hearer, ""))
    if quoted is None:
        return NO_PASSPORT
    # A signature may name a card that was never kept in this run.
    absence = "" if quoted.digits in hearing.cards else ", card not in the run"
    corpus = "" if quoted.corpus is None else f"{quoted.corpus}:"
    return f"{quoted.verdict} ({corpus}{quoted.digits}{absence})"


def _build_answers_sheet(label: str, hearing: HearingRows, order: Sequence[str]) -> Sheet:
    """Return the table of hearing measures by system and hearer."""
    groups: dict[tuple[str, str], dict[str, Row]] = {}
    for row in hearing.rows:
        groups.setdefault((row["system"], row["hearer"]), {})[row["measure"]] = row
    placed = {system: i for i, system in enumerate(order)}
    groups = dict(sorted(groups.items(), key=lambda pair: placed.get(pair[0][0], len(placed))))
    shown = [m for m in MEASURES if any(_has_content(m, group) for group in groups.values())]
    rows = tuple(
        (
            Cell(system),
            Cell(hearer),
            Cell(describe_passport(hearer, hearing)),
            Cell(f"{group['ir']['n']:,}", order=float(group["ir"]["n"])),
            *(_format_value(group[m]) for m in shown),
        )
        for (system, hearer), group in groups.items()
    )
    return Sheet(
        name="hearing-systems",
        corpus=label,
        title=f"{label}: results of hearers",
        header=("system", "hearer", "passport", "n", *(MEASURES[m] for m in shown)),
        rows=rows,
        left=3,
        tidy=tuple(map(_flatten_row, hearing.rows)),
    )


def _has_content(measure: str, group: Mapping[str, Row]) -> bool:
    """Return whether a column has content: proportions that are not 0, votes only with several voters."""
    row = group[measure]
    if measure in VOTED:
        return bool(row["n"]) and group["ir"]["n"] > row["items"]
    return bool(row["n"]) and (measure in ("ir", "error") or bool(row["value"]))


def _format_value(row: Row) -> Cell:
    """Return a measure with its interval as a cell."""
    if row["value"] is None:
        return Cell("–")
    # Milliseconds have no decimals worth reading.
    digits = 0 if row["measure"].endswith("_ms") else 3
    small = "" if row["low"] is None else f"[{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
    return Cell(f"{row['value']:.{digits}f}", small=small, order=row["value"])


def _build_passports_sheet(label: str, cards: Mapping[str, Mapping[str, Any]]) -> Sheet:
    """Return the table of passports."""
    rows = tuple(
        (
            Cell(str(card["hearer"])),
            Cell(str(card["corpus"])),
            Cell(str(card["verdict"])),
            *(_format_number(card.get(key)) for key in KEY_NUMBERS),
            Cell(digits),
        )
        for digits, card in cards.items()
    )
    return Sheet(
        name="passports",
        corpus=label,
        title="Passports of the hearers, computed on people's answers",
        header=("hearer", "on", "verdict", *KEY_NUMBERS.values(), "hash"),
        rows=rows,
        left=3,
        notes=("`referee docs passport` says what each number means and how the verdict is reached.",),
    )


def _format_number(value: float | None) -> Cell:
    """Return a number as a cell."""
    if value is None:
        return Cell("–")
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value:.3f}", order=float(value))


def _render_signatures(signatures: Mapping[str, str]) -> Markup:
    signed = {"Signatures of the hearers": signatures.values()} if signatures else {}
    return render("report/methods.html", paragraph="", signed=signed, remarks=())


def _flatten_row(row: Row) -> dict[str, Any]:
    """Return a row for a CSV file, with the reasons for excluded answers as one text."""
    left_out = row.get("excluded") or {}
    return {**row, "excluded": ", ".join(f"{n} {reason}" for reason, n in left_out.items())}
