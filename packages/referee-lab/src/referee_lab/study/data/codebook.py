"""The codebook: every column of every exported table with type, unit, values and meaning, generated from the protocol's
declaration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from referee_lab.study.data.dataset import ALL, IDENTIFYING, READING, TIME
from referee_lab.study.folder.study import LEVELS, Study
from referee_lab.study.protocols.contract import RecordedColumn
from referee_lab.study.protocols.production import is_spoken

# Of the exported tables; manifest and codebook name it.
SCHEMA = 1
SCOPES = (READING, IDENTIFYING, TIME, ALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebookColumn:
    """A column of an export.

    Its type is text, number, truth or list (as JSON); empty cells mean "not given" or "does not apply".
    """

    name: str
    type: str
    about: str
    unit: str = ""
    values: tuple[str, ...] = ()
    free_text: bool = False


def _make_text_column(name: str, about: str, *values: str, free: bool = False) -> CodebookColumn:
    return CodebookColumn(name=name, type="text", about=about, values=values, free_text=free)


def _make_number_column(name: str, about: str, unit: str = "") -> CodebookColumn:
    return CodebookColumn(name=name, type="number", about=about, unit=unit)


def _make_truth_column(name: str, about: str) -> CodebookColumn:
    """Return a column of true and false."""
    return CodebookColumn(name=name, type="truth", about=about)


_WHO = (
    _make_text_column("participant", "alias of the person, never a name or platform id"),
    _make_text_column("session", "alias and number of the session; restarts have several"),
)
_WHERE = (
    *_WHO,
    _make_number_column("step", "position in the session's plan, counted from 0, pages and breaks included"),
    _make_number_column("attempt", "1, or more where a trial was broken off and shown again"),
)
_ASKED = (
    *_WHERE,
    _make_text_column("kind", "what kind of step it is", "trial", "practice", "check"),
    _make_text_column("item", "id of the trial in trials.jsonl"),
    _make_text_column(
        "system", "source of the description: a system, human, or a pair 'one vs other'; empty in production"
    ),
    _make_text_column("domain", "domain of the item"),
    _make_text_column("condition", "condition of the item in its corpus"),
    _make_text_column("list", "list of trials (lists.json) that the person had"),
    _make_text_column("description", "the words shown or heard; of a pair, the first one's"),
    _make_text_column("media", "the sound or film in which they were heard; empty where they were read"),
)
_FOUND = (
    _make_text_column("chosen", "id of the object behind the label chosen, as in trials.jsonl"),
    _make_text_column("guessed", "id of the object behind the best guess"),
    _make_text_column("target", "id of the target; several are separated by spaces"),
    _make_truth_column(
        "correct",
        "whether the target was chosen (checks: whether they were passed); empty without a correct answer",
    ),
)
_PREFERRED = (_make_text_column("preferred", "the system whose description was chosen, or tie"),)
_KEPT = (
    CodebookColumn(name="flags", type="list", about="flags that the page set for the trial (`referee docs timing`)"),
    _make_text_column(
        "excluded",
        "the analyses from which the rules of [exclusion] leave the row out: reading time, identification time, time, all, or none (empty)",
        *SCOPES,
    ),
    CodebookColumn(name="reasons", type="list", about="the rules that do so"),
    _make_truth_column("by_hand", "whether an organiser corrected the answer (corrections.csv has both)"),
    _make_number_column("after_s", "time at which the server stored it, from the session's beginning", "s"),
    _make_text_column("uuid", "name of the answer, given by the participant's page"),
)

TABLES: dict[str, tuple[CodebookColumn, ...]] = {
    "sessions": (
        *_WHO,
        _make_text_column("list", "list of trials"),
        _make_number_column("group", "group of participants in the design"),
        _make_text_column(
            "state",
            "how far the session came",
            "consented",
            "running",
            "finished",
            "coded",
            "screened_out",
            "timed_out",
            "partner_left",
        ),
        _make_text_column(
            "outcome",
            "how it ended",
            "completed",
            "failed_check",
            "too_fast",
            "full",
            "screened_out",
            "technical",
            "partner_left",
            "restarted",
        ),
        _make_text_column("simulated", "the simulated hearer behind the session; empty for people"),
        _make_text_column(
            "day", "day (UTC) on which it began; the hour is left out, because it could identify people on a platform"
        ),
        _make_number_column("minutes", "from consent to the last change", "min"),
        _make_number_column("trials_planned", "trials on the list"),
        _make_number_column("trials_done", "trials answered"),
        _make_number_column("checks_failed", "attention checks not passed"),
        CodebookColumn(name="excluded", type="list", about="rules that leave the whole session out"),
        _make_number_column("frame_ms", "median interval between frames of the display", "ms"),
        _make_number_column("frame_longest_ms", "longest interval seen", "ms"),
        _make_number_column("device_pixel_ratio", "device pixels per page pixel"),
        _make_truth_column("touch", "whether the display can be touched"),
        _make_truth_column("cross_origin_isolated", "whether clocks ticked at full resolution"),
        _make_text_column("study_hash", "SHA-256 of the study folder when the session began"),
    ),
    "excluded": (
        *_WHERE,
        _make_text_column("scope", "analyses from which the answer is left out", *SCOPES),
        _make_text_column("reason", "the rule"),
    ),
    "aborted": (
        *_ASKED[:-2],
        _make_number_column("after_s", "time at which the server stored it, from the session's beginning", "s"),
        _make_text_column("uuid", "name of the attempt"),
    ),
    "corrections": (
        _make_text_column("uuid", "name of the answer corrected"),
        *_WHERE,
        _make_text_column("author", "who corrected it"),
        _make_text_column("reason", "why", free=True),
        CodebookColumn(name="before", type="list", about="the answer as it was sent, as JSON"),
        CodebookColumn(name="after", type="list", about="the answer that replaces it, as JSON"),
        _make_text_column("problem", "why it was not applied; empty when it was"),
    ),
    "demographics": (
        *_WHO,
        _make_text_column("field", "question (texts/…/demographics.toml)"),
        _make_text_column("value", "answer"),
    ),
    "comments": (*_WHO, _make_text_column("value", "final comment of the person", free=True)),
}

REGIONS = (
    *_WHERE,
    _make_text_column("item", "id of the trial in trials.jsonl"),
    _make_text_column("system", "system or person of the description"),
    _make_number_column("word", "position of the word in the description, counted from 1"),
    _make_text_column("text", "the word"),
    _make_number_column("ms", "how long it was shown", "ms"),
    _make_number_column("ms_before", "how long the word before was shown", "ms"),
    _make_text_column("excluded", "as in trials", *SCOPES),
)


# All paths are resampled to the same number of points, evenly in time, as studies of mouse tracking compare them
# (Spivey & Dale 2006).
PATH_POINTS = 101
PATHS = (
    *_WHERE,
    _make_text_column("item", "id of the trial in trials.jsonl"),
    _make_text_column("system", "system or person of the description"),
    _make_number_column("point", f"number of the point, from 0 to {PATH_POINTS - 1}, evenly in time"),
    _make_number_column("ms", "time from the scene's onset", "ms"),
    _make_number_column("x", "horizontal position, from the scene's left edge", "cells"),
    _make_number_column("y", "vertical position, from the scene's upper edge", "cells"),
    _make_text_column("excluded", "as in trials", *SCOPES),
)


def is_word_by_word(study: Study) -> bool:
    """Return whether descriptions are read word by word."""
    return study.protocol == "self-paced-reading" or study.settings.get("reading") == "words"


# Columns that only spoken descriptions have.
SPOKEN = ("sound", "recordings", "first_sound_ms")


def list_recorded_columns(study: Study) -> list[tuple[str, str, CodebookColumn]]:
    """Return the protocol's own columns as (part of the answer, name, column).

    The part is answer, rating or times.
    """
    info = study.kind.info
    columns = []
    for name, declared in info.answer.items():
        if declared.type == "ratings":
            for scale in study.settings["scales"]:
                columns.append(
                    ("rating", scale, _make_number_column(f"rating_{scale}", f"rating on the scale {scale}"))
                )
        elif name not in SPOKEN or is_spoken(study.settings):
            is_free = info.plugin == "produce" and name == "text"
            columns.append(("answer", name, _as_column(name, declared, free=is_free)))
    columns += [("times", name, _as_column(name, declared)) for name, declared in info.times.items()]
    return columns


def _as_column(name: str, declared: RecordedColumn, free: bool = False) -> CodebookColumn:
    """Return a declared field of a protocol as a column of the codebook."""
    return CodebookColumn(
        name=name,
        type={"labels": "list", "json": "list", "sound": "text"}.get(declared.type, declared.type),
        about=declared.about,
        unit=declared.unit,
        values=declared.values,
        free_text=free,
    )


def list_trial_columns(study: Study) -> tuple[CodebookColumn, ...]:
    """Return the columns of the table of trials: fixed ones, those of the protocol, and the factors."""
    columns = _list_unvaried_columns(study)
    levels = [get_factor_levels(study, cell) for cell in study.list_cells()]
    source = "condition" if study.is_chained else "system"
    varied = (
        _make_text_column(
            column,
            f"level of the factor {factor} (its part of the column {source}); empty in practice, checks and fillers",
            *dict.fromkeys(level for each in levels if (level := each[column]) is not None),
        )
        for factor, column in name_factor_columns(study).items()
    )
    after = len(_ASKED)
    return (*columns[:after], *varied, *columns[after:])


def name_factor_columns(study: Study) -> dict[str, str]:
    """Return the column name of each factor, with the prefix `factor_` if the name is taken."""
    fixed = {column.name for column in _list_unvaried_columns(study)}
    taken = fixed | {*study.design.factors}
    names = {}
    for factor in study.design.factors:
        name = factor
        while name in (fixed if name == factor else taken):
            name = f"factor_{name}"
        taken.add(name)
        names[factor] = name
    return names


def get_factor_levels(study: Study, cell: str | None) -> dict[str, str | None]:
    """Return the level of each factor by its column; None for a name that is no cell of the design."""
    columns = name_factor_columns(study).values()
    levels = cell.split(LEVELS) if cell is not None and cell in study.list_cells() else []
    return dict(zip(columns, levels if len(levels) == len(columns) else [None] * len(columns), strict=True))


def _list_unvaried_columns(study: Study) -> tuple[CodebookColumn, ...]:
    """Return the columns of the table of trials without those of the factors."""
    recorded = tuple(column for _, _, column in list_recorded_columns(study))
    plugin = study.kind.info.plugin
    derived = (
        _PREFERRED
        if study.protocol == "judgement-pairwise"
        else _FOUND
        if plugin in ("identify", "locate")
        else _FOUND[2:]
    )
    return (*_ASKED, *derived, *recorded, *_KEPT)


def build_codebook(study: Study) -> dict[str, tuple[CodebookColumn, ...]]:
    """Return the columns of every table of an export, in order."""
    # Free text must be read for personal data: the checklist lists it.
    written = any(question.kind in ("text", "long") for question in study.questions())
    about_people = tuple(replace(c, free_text=written and c.name == "value") for c in TABLES["demographics"])
    words = {"regions": REGIONS} if is_word_by_word(study) else {}
    words |= {"paths": PATHS} if study.settings.get("track") else {}
    return {"trials": list_trial_columns(study), **words, **TABLES, "demographics": about_people}


def export_codebook(study: Study) -> dict[str, object]:
    """Return the codebook as JSON values."""
    info = study.kind.info
    return {
        "schema": SCHEMA,
        "protocol": {"name": info.name, "title": info.title, "source": info.source, "settings": dict(study.settings)},
        "tables": {name: [_export_column(c) for c in columns] for name, columns in build_codebook(study).items()},
    }


def _export_column(column: CodebookColumn) -> dict[str, object]:
    return {key: value for key, value in asdict(column).items() if value or key in ("name", "type", "about")}


ABOUT: Mapping[str, str] = {
    "trials": "one row per answer: trials, practice and attention checks",
    "regions": "one row per word of a description that was read word by word",
    "paths": "one row per point of a pointer's path, resampled to the same number of points for everybody; the original paths are in trials",
    "sessions": "one row per session, without those of participants who withdrew",
    "excluded": "one row per answer and rule that leaves it out of analyses; the answers themselves stay in trials",
    "aborted": "trials broken off by a reload or a lost connection",
    "corrections": "answers corrected by the organisers",
    "demographics": "answers of people about themselves, one row per question",
    "comments": "final comments; read them before publishing",
}


def format_codebook(study: Study) -> str:
    """Return the codebook as Markdown."""
    info = study.kind.info
    lines = [
        f"# Codebook of {study.title}",
        "",
        f"Protocol {info.name}: {info.title}. Source: {info.source}. Schema {SCHEMA}.",
        "",
    ]
    for name, columns in build_codebook(study).items():
        lines += [
            f"## {name}",
            "",
            f"{ABOUT[name][0].upper()}{ABOUT[name][1:]}.",
            "",
            "| column | type | unit | meaning |",
            "| --- | --- | --- | --- |",
        ]
        for column in columns:
            values = f" Values: {', '.join(column.values)}." if column.values else ""
            free = " Free text." if column.free_text else ""
            lines.append(
                f"| {column.name.replace('|', '&#124;')} | {column.type} | {column.unit} | {column.about}.{values}{free} |"
            )
        lines.append("")
    return "\n".join(lines)
