"""Runs the analyses that a study registered.

Mixed models and contrasts, the tables of TUNA 2008, or analyses of judgements and productions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from referee.catalogue import one_of
from referee.jobs.progress import with_progress
from referee.show.reports.sheets import Cell, Sheet
from referee_lab.study.analysis.answer_table import (
    TIMES,
    hearing_frame,
    left_out,
    own_frame,
    pair_frame,
    production_frame,
    rank_frame,
    rating_frame,
)
from referee_lab.study.data.dataset import Dataset
from referee_lab.study.folder.study import speakers_of
from referee_lab.study.protocols.own_plugin import OWN

if TYPE_CHECKING:
    import polars as pl

STYLES = ("tuna2008", "asgre2007", "mixed-model")
CAUTION = (
    "Times: compare them within participants only. Absolute times include the delay of each device (tens of milliseconds, "
    "unknown) and cannot be compared between studies or laboratories."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The tables of an analysis and remarks on how to read them."""

    study: str
    mode: str
    remarks: tuple[str, ...]
    sheets: tuple[Sheet, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the analysis as a JSON object."""
        return {
            "study": self.study,
            "mode": self.mode,
            "remarks": list(self.remarks),
            "tables": {s.name: {"title": s.title, "rows": list(s.tidy), "notes": list(s.notes)} for s in self.sheets},
        }


def analyse(collected: Dataset, style: str | None = None) -> Analysis:
    """Run the tests that a study registered on its collected data.

    Parameters
    ----------
    collected
        The data, marked by the registered exclusion rules; every test applies the marks of its scope.
    style
        "tuna2008", "asgre2007" or "mixed-model" instead of [analysis] tests; only studies of identification have styles.

    Returns
    -------
    Analysis
        Tables, and remarks on how to read them.

    Raises
    ------
    InputError
        For an unknown style.
    """
    if style is not None:
        one_of("--style", style, STYLES)
    sheets, remarks = _sheets(collected, style)
    if not speakers_of(collected.study.design):
        sheets = list(map(_name_conditions, sheets))
    return Analysis(
        study=collected.study.id,
        mode=collected.mode,
        remarks=(*_opening(collected), *remarks),
        sheets=tuple(sheets),
    )


def _name_conditions(sheet: Sheet) -> Sheet:
    """Return a table that speaks of conditions: where these come from a table of items, they are no systems."""

    def rename(text: str) -> str:
        return text.replace("system", "condition").replace("System", "Condition")

    return replace(
        sheet,
        title=rename(sheet.title),
        header=tuple(map(rename, sheet.header)),
        notes=tuple(map(rename, sheet.notes)),
    )


def _sheets(collected: Dataset, style: str | None) -> tuple[list[Sheet], list[str]]:
    """Return the tables and remarks of the registered analysis, by protocol."""
    from referee_lab.study.analysis.judgements import production_sheets, rating_sheets, win_sheets

    study = collected.study
    alpha = study.analysis.alpha
    if not collected.trials:
        return [], ["No trial has been answered in this mode."]
    if study.protocol == "judgement-pairwise":
        return win_sheets(pair_frame(collected), study=study.id), []
    if study.protocol == "ranking":
        return rating_sheets(rank_frame(collected), "rank", study=study.id, alpha=alpha, ordinal=True), [
            "Ranks count from 1, the best."
        ]
    if study.kind.info.plugin == "judge":
        ratings = rating_frame(collected)
        likert = study.settings["kind"] == "likert"
        sheets = [
            sheet
            for scale in study.settings["scales"]
            for sheet in rating_sheets(ratings, scale, study=study.id, alpha=alpha, ordinal=likert)
        ]
        made, remarks = _factorial(ratings, collected, study.settings["scales"], rating=True)
        return [*sheets, *made], remarks
    if study.kind.info.plugin == "produce":
        produced = production_frame(collected)
        silent = produced["text"].null_count()
        made, remarks = _factorial(produced, collected, ["words"], rating=True)
        timed, more = _factorial(produced, collected, ["combined_ms"])
        return [*production_sheets(produced, study=study.id), *made, *timed], [
            *([f"{silent} recordings have no transcript yet."] if silent else []),
            *remarks,
            *more,
        ]
    if study.kind.info.plugin == OWN:
        return _own_sheets(collected)
    if study.kind.info.plugin == "reference-game":
        return [_games(collected)], [
            "Words, choices and times by repetition: `referee play --played` of the exported games."
        ]
    if study.kind.info.plugin == "tangram":
        return [_rooms(collected)], [
            "Utterances and actions are in the rooms' recordings (`referee docs tangram-recording`)."
        ]
    return _hearing(collected, style)


def _own_sheets(collected: Dataset) -> tuple[list[Sheet], list[str]]:
    """Return the tables of a plug-in of the organisers' own: numeric responses, errors and times, with contrasts."""
    from referee_lab.study.analysis.judgements import rating_sheets

    study, frame = collected.study, own_frame(collected)
    sheets = rating_sheets(frame, "response", study=study.id, alpha=study.analysis.alpha, ordinal=False)
    made, remarks = _factorial(frame, collected, ["response"] if sheets else [], rating=True)
    others = [m for m in study.analysis.measures if m in ("error", "combined_ms") and frame[m].drop_nulls().len()]
    for measure in others:
        sheets += rating_sheets(frame, measure, study=study.id, alpha=study.analysis.alpha, ordinal=False)
    timed, more = _factorial(frame, collected, others)
    unread = len(frame) - frame["response"].drop_nulls().len()
    words = [f"{unread} of {len(frame)} responses are no numbers; the export has them."] if unread else []
    return [*sheets, *made, *timed], [*words, *remarks, *more]


def _rooms(collected: Dataset) -> Sheet:
    """How the rooms ended, one row for each."""
    by_room = {str(a.answer["room"]): a for a in collected.trials if a.counts_for()}
    rows = [
        {"room": room, **{n: a.answer[n] for n in ("outcome", "puzzles", "solved")}, "minutes": _minutes(a.times)}
        for room, a in sorted(by_room.items())
    ]
    title = f"Rooms: {sum(r['solved'] for r in rows)} of {sum(r['puzzles'] for r in rows)} puzzles solved"
    return _room_sheet(collected, title, ("room", "outcome", "puzzles", "solved", "minutes"), rows)


def _games(collected: Dataset) -> Sheet:
    """How the rooms of a reference game ended, one row for each, with the right choices of all its people."""
    by_room: dict[str, list[Any]] = {}
    for answer in collected.trials:
        if answer.counts_for():
            by_room.setdefault(str(answer.answer["room"]), []).append(answer)
    rows = [
        {
            "room": room,
            "outcome": people[0].answer["outcome"],
            "people": len(people),
            "rounds": max(answer.answer["rounds"] for answer in people),
            "right": sum(answer.answer["right"] for answer in people),
            "minutes": _minutes(people[0].times),
        }
        for room, people in sorted(by_room.items())
    ]
    title = f"Rooms: {sum(r['right'] for r in rows)} right choices of people in {sum(r['rounds'] for r in rows)} rounds"
    return _room_sheet(collected, title, ("room", "outcome", "people", "rounds", "right", "minutes"), rows)


def _room_sheet(collected: Dataset, title: str, header: tuple[str, ...], rows: Sequence[Mapping[str, Any]]) -> Sheet:
    """Return the table of rooms from rows of values."""
    return Sheet(
        name="rooms",
        corpus=collected.study.id,
        title=title,
        header=header,
        rows=tuple(
            tuple(Cell("–" if v is None else f"{v:.1f}" if isinstance(v, float) else str(v)) for v in r.values())
            for r in rows
        ),
        left=2,
        tidy=tuple(rows),
    )


def _minutes(times: Mapping[str, Any]) -> float | None:
    ms = times.get("combined_ms")
    return None if ms is None else round(ms / 60_000, 2)


def _hearing(collected: Dataset, style: str | None) -> tuple[list[Sheet], list[str]]:
    """Return the analysis of identification: outcomes, then the registered tests or those of `style`."""
    from referee_lab.study.analysis.tuna2008_tables import challenge_tables

    study = collected.study
    tests = [style] if style else [t for t in study.analysis.tests if t in STYLES] or ["mixed-model"]
    frame = hearing_frame(collected)
    sheets, remarks = _outcomes(frame, study.id), [CAUTION]
    for printed in (t for t in tests if t in ("tuna2008", "asgre2007")):
        raw = hearing_frame(collected, raw=True)
        made, why = challenge_tables(raw, frame, study=study.id, alpha=study.analysis.alpha, style=printed)
        sheets, remarks = sheets + made, remarks + why
    if "mixed-model" in tests:
        made, why = _modern(frame, collected)
        sheets, remarks = sheets + made, remarks + why
        sheets += _without_failed(collected)
    if style is None:
        made, why = _factorial(frame, collected, _measures(frame, collected))
        sheets, remarks = sheets + made, remarks + why
    return sheets, remarks


def _factorial(
    frame: pl.DataFrame, collected: Dataset, measures: Sequence[str], *, rating: bool = False
) -> tuple[list[Sheet], list[str]]:
    """The planned contrasts of every measure, where the study registered some."""
    from referee_lab.study.analysis.factorial import contrast_sheet

    study = collected.study
    sheets: list[Sheet] = []
    remarks: list[str] = []
    for measure in measures if "factorial" in study.analysis.tests else ():
        made, why = contrast_sheet(
            frame, measure, study.design.factors, study.analysis.contrasts, study=study.id, rating=rating
        )
        sheets, remarks = sheets + made, remarks + why
    return sheets, remarks


def _measures(frame: pl.DataFrame, collected: Dataset) -> list[str]:
    """The registered measures that this study has."""
    from referee_lab.study.analysis.mixed_analysis import ERROR

    registered = [m for m in collected.study.analysis.measures if m in (ERROR, *TIMES)] or [ERROR, *TIMES]
    if not frame["reading_ms"].drop_nulls().len():  # description and scene came together: there is one time
        return list(dict.fromkeys("combined_ms" if m in TIMES else m for m in registered))
    return registered


def _modern(frame: pl.DataFrame, collected: Dataset) -> tuple[list[Sheet], list[str]]:
    """Return mixed-model tables and planned contrasts of every measure."""
    from referee_lab.study.analysis.mixed_analysis import measure_sheets

    study = collected.study
    sheets: list[Sheet] = []
    remarks: list[str] = []
    for measure in with_progress(_measures(frame, collected), "mixed models"):
        made, why = measure_sheets(
            frame, measure, study=study.id, alpha=study.analysis.alpha, correction=study.analysis.correction
        )
        sheets, remarks = sheets + made, remarks + why
    return sheets, remarks


def _outcomes(frame: pl.DataFrame, study: str) -> list[Sheet]:
    """Shares of all answers where some named no object."""
    import polars as pl

    kinds = sorted(frame["outcome"].unique().to_list())
    if kinds in ([], ["entity"]):
        return []
    counts = frame.group_by("system").agg(*(((pl.col("outcome") == k).mean()).alias(k) for k in kinds), n=pl.len())
    rows = counts.sort("system").select("system", "n", *kinds).to_dicts()
    return [
        Sheet(
            name="outcomes",
            corpus=study,
            title="What was answered, as shares",
            header=("system", "n", *kinds),
            rows=tuple(
                (Cell(r["system"]), Cell(str(r["n"])), *(Cell(f"{r[k]:.1%}", order=r[k]) for k in kinds)) for r in rows
            ),
            notes=("Errors and times below are over answers that named an object.",),
            tidy=tuple(rows),
        )
    ]


def _without_failed(collected: Dataset) -> list[Sheet]:
    """Where people who failed their checks are reported with and without: the error rates without them."""
    failed = [s.id for s in collected.sittings if s.failed]
    if not failed or collected.study.exclusion.failed_checks != "report":
        return []
    from referee.statistics.clusters import cluster_bootstrap

    rated = hearing_frame(collected, without=failed).drop_nulls("error")
    if rated["participant"].n_unique() < 2:
        return []
    rows = cluster_bootstrap(rated, value="error", system="system").sort("mean").to_dicts()
    return [
        Sheet(
            name="error-without-failed-checks",
            corpus=collected.study.id,
            title=f"Error rate by system without the {len(failed)} who failed too many attention checks",
            header=("system", "n", "mean"),
            rows=tuple(
                (
                    Cell(r["system"]),
                    Cell(str(r["n"])),
                    Cell(f"{r['mean']:.1%}", small=f"{r['low']:.1%}, {r['high']:.1%}"),
                )
                for r in rows
            ),
            tidy=tuple(rows),
        )
    ]


def _opening(collected: Dataset) -> Sequence[str]:
    """Return the opening remarks: participants, and the number of excluded answers."""
    study, counts = collected.study, collected.counts
    people = {s.alias for s in collected.sittings}
    remarks = [
        f"{study.title}: {len(people)} participants, {len(collected.trials):,} answers to trials, mode {collected.mode}; "
        f"{counts['withdrawn'] + counts['purged']} withdrawn (not in the data), {counts['declined']} declined."
    ]
    if collected.simulated:
        remarks.append(
            f"SIMULATED: {collected.simulated} of {len(collected.sittings)} sessions were played by simulated participants. "
            "These numbers are no evidence about people."
        )
    if study.analysis.hypothesis:
        remarks.append(f"Registered hypothesis: {study.analysis.hypothesis}")
    rules = left_out(collected)
    if rules:
        listed = "; ".join(f"{n} {reason} ({scope})" for (scope, reason), n in sorted(rules.items()))
        remarks.append(f"Left out by the registered rules: {listed}.")
    else:
        remarks.append("The registered rules leave nothing out.")
    return remarks
