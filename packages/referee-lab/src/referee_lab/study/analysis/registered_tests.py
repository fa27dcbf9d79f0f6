"""Runs the analyses that a study registered.

Mixed models and contrasts, the tables of TUNA 2008, or analyses of judgements and productions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from referee.catalogue import check_choice
from referee.jobs.progress import report_progress
from referee.show.reports.sheets import Cell, Sheet
from referee_lab.study.analysis.answer_table import (
    TIMES,
    build_hearing_frame,
    build_pair_frame,
    build_plugin_frame,
    build_production_frame,
    build_rank_frame,
    build_rating_frame,
    count_excluded,
)
from referee_lab.study.data.dataset import Dataset
from referee_lab.study.folder.study import Study, list_speakers
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
        check_choice("--style", style, STYLES)
    sheets, remarks = _build_sheets(collected, style)
    if not list_speakers(collected.study.design):
        sheets = list(map(_name_conditions, sheets))
    return Analysis(
        study=collected.study.id,
        mode=collected.mode,
        remarks=(*_write_opening(collected), *remarks),
        sheets=tuple(sheets),
    )


def _name_conditions(sheet: Sheet) -> Sheet:
    """Return a table with *condition* in place of *system*, for studies made from a table of items."""

    def rename(text: str) -> str:
        return text.replace("system", "condition").replace("System", "Condition")

    return replace(
        sheet,
        title=rename(sheet.title),
        header=tuple(map(rename, sheet.header)),
        notes=tuple(map(rename, sheet.notes)),
    )


def _build_sheets(collected: Dataset, style: str | None) -> Made:
    """Return the tables and remarks of the registered analysis, by protocol."""
    from referee_lab.study.analysis.judgements import build_production_sheets, build_rating_sheets, build_win_sheets

    study = collected.study
    alpha = study.analysis.alpha
    if not collected.trials:
        return [], ["No trial has been answered in this mode."]
    if study.protocol == "judgement-pairwise":
        return build_win_sheets(build_pair_frame(collected), study=study.id), []
    if study.protocol == "ranking":
        return build_rating_sheets(build_rank_frame(collected), "rank", study=study.id, alpha=alpha, ordinal=True), [
            "Ranks count from 1, the best."
        ]
    if study.kind.info.plugin == "judge":
        ratings = build_rating_frame(collected)
        likert = study.settings["kind"] == "likert"
        sheets = [
            sheet
            for scale in study.settings["scales"]
            for sheet in build_rating_sheets(ratings, scale, study=study.id, alpha=alpha, ordinal=likert)
        ]
        return _join_parts(
            (sheets, []), _build_factorial_sheets(ratings, collected, study.settings["scales"], rating=True)
        )
    if study.kind.info.plugin == "produce":
        produced = build_production_frame(collected)
        silent = produced["text"].null_count()
        notes = [f"{silent} recordings have no transcript yet."] if silent else []
        return _join_parts(
            (build_production_sheets(produced, study=study.id), notes),
            _build_factorial_sheets(produced, collected, ["words"], rating=True),
            _build_factorial_sheets(produced, collected, ["combined_ms"]),
        )
    if study.kind.info.plugin == OWN:
        return _build_plugin_sheets(collected)
    if study.kind.info.plugin == "reference-game":
        return [_build_games_sheet(collected)], [
            "Words, choices and times by repetition: `referee play --played` of the exported games."
        ]
    if study.kind.info.plugin == "tangram":
        return [_build_rooms_sheet(collected)], [
            "Utterances and actions are in the rooms' recordings (`referee docs tangram-recording`)."
        ]
    return _analyse_hearing(collected, style)


def _build_plugin_sheets(collected: Dataset) -> Made:
    """Return the tables of an organiser's plug-in: numeric responses, errors and times, with contrasts."""
    from referee_lab.study.analysis.judgements import build_rating_sheets

    study, frame = collected.study, build_plugin_frame(collected)
    others = [m for m in study.analysis.measures if m in ("error", "combined_ms") and frame[m].drop_nulls().len()]
    sheets = [
        sheet
        for measure in ("response", *others)
        for sheet in build_rating_sheets(frame, measure, study=study.id, alpha=study.analysis.alpha, ordinal=False)
    ]
    unread = frame["response"].null_count()
    notes = [f"{unread} of {len(frame)} responses are no numbers; the export has them."] if unread else []
    rated = ["response"] if unread < len(frame) else []
    return _join_parts(
        (sheets, notes),
        _build_factorial_sheets(frame, collected, rated, rating=True),
        _build_factorial_sheets(frame, collected, others),
    )


def _build_rooms_sheet(collected: Dataset) -> Sheet:
    """Return a table with the outcome of every room."""
    by_room = {str(a.answer["room"]): a for a in collected.trials if a.counts_for()}
    rows = [
        {"room": room, **{n: a.answer[n] for n in ("outcome", "puzzles", "solved")}, "minutes": _get_minutes(a.times)}
        for room, a in sorted(by_room.items())
    ]
    title = f"Rooms: {sum(r['solved'] for r in rows)} of {sum(r['puzzles'] for r in rows)} puzzles solved"
    return _format_room_sheet(collected, title, ("room", "outcome", "puzzles", "solved", "minutes"), rows)


def _build_games_sheet(collected: Dataset) -> Sheet:
    """Return a table with the outcome of every reference game, and the correct choices of its people."""
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
            "minutes": _get_minutes(people[0].times),
        }
        for room, people in sorted(by_room.items())
    ]
    title = f"Rooms: {sum(r['right'] for r in rows)} right choices of people in {sum(r['rounds'] for r in rows)} rounds"
    return _format_room_sheet(collected, title, ("room", "outcome", "people", "rounds", "right", "minutes"), rows)


def _format_room_sheet(
    collected: Dataset, title: str, header: tuple[str, ...], rows: Sequence[Mapping[str, Any]]
) -> Sheet:
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


def _get_minutes(times: Mapping[str, Any]) -> float | None:
    ms = times.get("combined_ms")
    return None if ms is None else round(ms / 60_000, 2)


def _analyse_hearing(collected: Dataset, style: str | None) -> Made:
    """Return the analysis of identification: outcomes, then the registered tests or those of `style`."""
    from referee_lab.study.analysis.mixed_analysis import build_measure_sheets
    from referee_lab.study.analysis.tuna2008_tables import build_challenge_tables

    study = collected.study
    tests = [style] if style else [t for t in study.analysis.tests if t in STYLES] or ["mixed-model"]
    frame = build_hearing_frame(collected)
    parts: list[Made] = [(_build_outcome_sheet(frame, study.id), [CAUTION])]
    for printed in (t for t in tests if t in ("tuna2008", "asgre2007")):
        raw = build_hearing_frame(collected, raw=True)
        parts.append(build_challenge_tables(raw, frame, study=study.id, alpha=study.analysis.alpha, style=printed))
    measures = _list_measures(frame, collected)
    if "mixed-model" in tests:
        rules: dict[str, Any] = {
            "study": study.id,
            "alpha": study.analysis.alpha,
            "correction": study.analysis.correction,
        }
        parts += [build_measure_sheets(frame, m, **rules) for m in report_progress(measures, "mixed models")]
        parts.append((_build_sensitivity_sheet(collected), []))
    if style is None:
        parts.append(_build_factorial_sheets(frame, collected, measures))
    return _join_parts(*parts)


Made = tuple[list[Sheet], list[str]]


def _join_parts(*parts: Made) -> Made:
    """Return the tables of all parts, and their remarks."""
    return [sheet for sheets, _ in parts for sheet in sheets], [remark for _, remarks in parts for remark in remarks]


def _build_factorial_sheets(
    frame: pl.DataFrame, collected: Dataset, measures: Sequence[str], *, rating: bool = False
) -> Made:
    """Return the planned contrasts of every measure, if the study registered any."""
    from referee_lab.study.analysis.factorial import build_contrast_sheet

    study = collected.study
    if "factorial" not in study.analysis.tests:
        return [], []
    if study.is_chained:
        frame = _set_cells(frame, study)
    named = (study.design.factors, study.analysis.contrasts)
    return _join_parts(*(build_contrast_sheet(frame, m, *named, study=study.id, rating=rating) for m in measures))


def _set_cells(frame: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Return the answers of a chained study with the source's cells in place of speakers, and the source's items."""
    import polars as pl

    cells = {s.trial.id: s.trial.condition for s in study.stimuli.values() if s.trial.condition in study.list_cells()}
    items = {item: item.removesuffix(f" ({cell})") for item, cell in cells.items()}
    known = frame.filter(pl.col("item").is_in(list(cells)))
    return known.with_columns(
        system=pl.col("item").replace_strict(cells, return_dtype=pl.String),
        item=pl.col("item").replace_strict(items, return_dtype=pl.String),
    )


def _list_measures(frame: pl.DataFrame, collected: Dataset) -> list[str]:
    """Return the registered measures for which this study has data."""
    from referee_lab.study.analysis.mixed_analysis import ERROR

    registered = [m for m in collected.study.analysis.measures if m in (ERROR, *TIMES)] or [ERROR, *TIMES]
    if not frame["reading_ms"].drop_nulls().len():  # description and scene came together: there is one time
        return list(dict.fromkeys("combined_ms" if m in TIMES else m for m in registered))
    return registered


def _build_outcome_sheet(frame: pl.DataFrame, study: str) -> list[Sheet]:
    """Return the proportions of all answers, if some answers named no object."""
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


def _build_sensitivity_sheet(collected: Dataset) -> list[Sheet]:
    """Return error rates without people who failed their checks, if the study reports both."""
    failed = [s.id for s in collected.sittings if s.failed]
    if not failed or collected.study.exclusion.failed_checks != "report":
        return []
    from referee_lab.study.analysis.mixed_analysis import build_means_sheet

    rated = build_hearing_frame(collected, without=failed).drop_nulls("error")
    if rated["participant"].n_unique() < 2:
        return []
    return [
        build_means_sheet(
            rated,
            "error",
            study=collected.study.id,
            name="error-without-failed-checks",
            title=f"Error rate by system without the {len(failed)} who failed too many attention checks",
            show="{:.1%}".format,
            notes=(),
        )
    ]


def _write_opening(collected: Dataset) -> Sequence[str]:
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
    rules = count_excluded(collected)
    if rules:
        listed = "; ".join(f"{n} {reason} ({scope})" for (scope, reason), n in sorted(rules.items()))
        remarks.append(f"Left out by the registered rules: {listed}.")
    else:
        remarks.append("The registered rules exclude no data.")
    return remarks
