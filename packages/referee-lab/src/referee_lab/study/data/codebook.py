"""The codebook: every column of every exported table with type, unit, values and meaning, generated from the protocol's
declaration (rule 13).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from referee_lab.study.data.dataset import ALL, IDENTIFYING, READING, TIME
from referee_lab.study.folder.study import LEVELS, Study
from referee_lab.study.protocols.contract import RecordedColumn
from referee_lab.study.protocols.production import is_spoken

# Of the exported tables; manifest and codebook name it (rule 13).
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


def _text(name: str, about: str, *values: str, free: bool = False) -> CodebookColumn:
    return CodebookColumn(name=name, type="text", about=about, values=values, free_text=free)


def _number(name: str, about: str, unit: str = "") -> CodebookColumn:
    return CodebookColumn(name=name, type="number", about=about, unit=unit)


def _truth(name: str, about: str) -> CodebookColumn:
    return CodebookColumn(name=name, type="truth", about=about)


_WHO = (
    _text("participant", "alias of the person; names and platform ids are never here"),
    _text("session", "alias and number of the session; restarts have several"),
)
_WHERE = (
    *_WHO,
    _number("step", "place in the session's plan, counted from 0, pages and breaks included"),
    _number("attempt", "1, or more where a trial was broken off and shown again"),
)
_ASKED = (
    *_WHERE,
    _text("kind", "what kind of step it is", "trial", "practice", "check"),
    _text("item", "id of the trial in trials.jsonl"),
    _text("system", "source of the description: a system, human, or a pair 'one vs other'; empty in production"),
    _text("domain", "domain of the item"),
    _text("condition", "condition of the item in its corpus"),
    _text("list", "list of trials (lists.json) that the person had"),
    _text("description", "the words shown or heard; of a pair, the first one's"),
    _text("media", "the sound or film in which they were heard; empty where they were read"),
)
_FOUND = (
    _text("chosen", "id of the object behind the label chosen, as in trials.jsonl"),
    _text("guessed", "id of the object behind the best guess"),
    _text("target", "id of the target; several are separated by spaces"),
    _truth(
        "correct",
        "whether the target was chosen (checks: whether they were passed); empty without a correct answer",
    ),
)
_PREFERRED = (_text("preferred", "the system whose description was chosen, or tie"),)
_KEPT = (
    CodebookColumn(name="flags", type="list", about="what the page noticed about the trial (`referee docs timing`)"),
    _text(
        "excluded",
        "from which analyses the rules of [exclusion] leave the row out: of reading time, identification time, time, all, or none (empty)",
        *SCOPES,
    ),
    CodebookColumn(name="reasons", type="list", about="the rules that do so"),
    _truth("by_hand", "whether an organiser corrected the answer (corrections.csv has both)"),
    _number("after_s", "when the server stored it, from the session's beginning", "s"),
    _text("uuid", "name of the answer, given by the participant's page"),
)

TABLES: dict[str, tuple[CodebookColumn, ...]] = {
    "sessions": (
        *_WHO,
        _text("list", "list of trials"),
        _number("group", "group of participants in the design"),
        _text(
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
        _text(
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
        _text("simulated", "the simulated hearer behind the session; empty for people"),
        _text(
            "day", "day (UTC) on which it began; the hour is left out, because it could identify people on a platform"
        ),
        _number("minutes", "from consent to the last change", "min"),
        _number("trials_planned", "trials on the list"),
        _number("trials_done", "trials answered"),
        _number("checks_failed", "attention checks not passed"),
        CodebookColumn(name="excluded", type="list", about="rules that leave the whole session out"),
        _number("frame_ms", "median interval between frames of the display", "ms"),
        _number("frame_longest_ms", "longest interval seen", "ms"),
        _number("device_pixel_ratio", "device pixels per page pixel"),
        _truth("touch", "whether the display can be touched"),
        _truth("cross_origin_isolated", "whether clocks ticked at full resolution"),
        _text("study_hash", "SHA-256 of the study folder when the session began"),
    ),
    "excluded": (
        *_WHERE,
        _text("scope", "analyses that leave the answer out", *SCOPES),
        _text("reason", "the rule"),
    ),
    "aborted": (
        *_ASKED[:-2],
        _number("after_s", "when the server stored it, from the session's beginning", "s"),
        _text("uuid", "name of the attempt"),
    ),
    "corrections": (
        _text("uuid", "name of the answer corrected"),
        *_WHERE,
        _text("author", "who corrected it"),
        _text("reason", "why", free=True),
        CodebookColumn(name="before", type="list", about="the answer as it was sent, as JSON"),
        CodebookColumn(name="after", type="list", about="the answer put in its place, as JSON"),
        _text("problem", "why it was not applied; empty when it was"),
    ),
    "demographics": (
        *_WHO,
        _text("field", "question (texts/…/demographics.toml)"),
        _text("value", "answer"),
    ),
    "comments": (*_WHO, _text("value", "final comment of the person", free=True)),
}

REGIONS = (
    *_WHERE,
    _text("item", "id of the trial in trials.jsonl"),
    _text("system", "whose description it was"),
    _number("word", "place of the word in the description, counted from 1"),
    _text("text", "the word"),
    _number("ms", "how long it was shown", "ms"),
    _number("ms_before", "how long the word before was shown", "ms"),
    _text("excluded", "as in trials", *SCOPES),
)


# All paths are resampled to the same number of points, evenly in time, as studies of mouse tracking compare them
# (Spivey & Dale 2006).
PATH_POINTS = 101
PATHS = (
    *_WHERE,
    _text("item", "id of the trial in trials.jsonl"),
    _text("system", "whose description it was"),
    _number("point", f"number of the point, from 0 to {PATH_POINTS - 1}, evenly in time"),
    _number("ms", "when, from the scene's onset", "ms"),
    _number("x", "where, across, from the scene's left edge", "cells"),
    _number("y", "where, down, from the scene's upper edge", "cells"),
    _text("excluded", "as in trials", *SCOPES),
)


def reads_words(study: Study) -> bool:
    """Whether descriptions are read word by word."""
    return study.protocol == "self-paced-reading" or study.settings.get("reading") == "words"


# Columns that only spoken descriptions have.
SPOKEN = ("sound", "recordings", "first_sound_ms")


def recorded_columns(study: Study) -> list[tuple[str, str, CodebookColumn]]:
    """Return the protocol's own columns as (part of the answer, name, column).

    The part is answer, rating or times.
    """
    info = study.kind.info
    columns = []
    for name, declared in info.answer.items():
        if declared.type == "ratings":
            for scale in study.settings["scales"]:
                columns.append(("rating", scale, _number(f"rating_{scale}", f"rating on the scale {scale}")))
        elif name not in SPOKEN or is_spoken(study.settings):
            columns.append(
                ("answer", name, _as_column(name, declared, free=info.plugin == "produce" and name == "text"))
            )
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


def trial_columns(study: Study) -> tuple[CodebookColumn, ...]:
    """Return the columns of the table of trials: the fixed ones, those of the protocol and those of the factors."""
    columns = _unvaried_columns(study)
    levels = [levels_of(study, condition) for condition in study.design.conditions]
    varied = (
        _text(
            column,
            f"level of the factor {factor} (its part of the column system); empty in practice, checks and fillers",
            *dict.fromkeys(level for each in levels if (level := each[column]) is not None),
        )
        for factor, column in factor_columns(study).items()
    )
    after = len(_ASKED)
    return (*columns[:after], *varied, *columns[after:])


def factor_columns(study: Study) -> dict[str, str]:
    """Return the column of each factor: its name, with `factor_` before it where another column has that name."""
    fixed = {column.name for column in _unvaried_columns(study)}
    taken = fixed | {*study.design.factors}
    names = {}
    for factor in study.design.factors:
        name = factor
        while name in (fixed if name == factor else taken):
            name = f"factor_{name}"
        taken.add(name)
        names[factor] = name
    return names


def levels_of(study: Study, condition: str | None) -> dict[str, str | None]:
    """Return the level of each factor by its column; None for what is no condition of the design."""
    columns = factor_columns(study).values()
    levels = condition.split(LEVELS) if condition is not None and condition in study.design.conditions else []
    return dict(zip(columns, levels if len(levels) == len(columns) else [None] * len(columns), strict=True))


def _unvaried_columns(study: Study) -> tuple[CodebookColumn, ...]:
    """Return the columns of the table of trials without those of the factors."""
    recorded = tuple(column for _, _, column in recorded_columns(study))
    plugin = study.kind.info.plugin
    derived = (
        _PREFERRED
        if study.protocol == "judgement-pairwise"
        else _FOUND
        if plugin in ("identify", "locate")
        else _FOUND[2:]
    )
    return (*_ASKED, *derived, *recorded, *_KEPT)


def codebook(study: Study) -> dict[str, tuple[CodebookColumn, ...]]:
    """All tables with their columns, in order."""
    # Free text must be read for personal data: the checklist lists it (rule 12).
    written = any(question.kind in ("text", "long") for question in study.questions())
    about_people = tuple(replace(c, free_text=written and c.name == "value") for c in TABLES["demographics"])
    words = {"regions": REGIONS} if reads_words(study) else {}
    words |= {"paths": PATHS} if study.settings.get("track") else {}
    return {"trials": trial_columns(study), **words, **TABLES, "demographics": about_people}


def codebook_as_json(study: Study) -> dict[str, object]:
    """The machine-readable codebook."""
    info = study.kind.info
    return {
        "schema": SCHEMA,
        "protocol": {"name": info.name, "title": info.title, "source": info.source, "settings": dict(study.settings)},
        "tables": {name: [_plain(c) for c in columns] for name, columns in codebook(study).items()},
    }


def _plain(column: CodebookColumn) -> dict[str, object]:
    return {key: value for key, value in asdict(column).items() if value or key in ("name", "type", "about")}


ABOUT: Mapping[str, str] = {
    "trials": "one row per answer: trials, practice and attention checks",
    "regions": "one row per word of a description that was read word by word",
    "paths": "one row per point of a pointer's path, drawn out to as many points for everybody; the paths as they were are in trials",
    "sessions": "one row per session, without those of participants who withdrew",
    "excluded": "one row per answer and rule that leaves it out of analyses; the answers themselves stay in trials",
    "aborted": "trials broken off by a reload or a lost connection",
    "corrections": "answers corrected by the organisers",
    "demographics": "what people said about themselves, one row per question",
    "comments": "what final comments; read them before publishing",
}


def codebook_as_markdown(study: Study) -> str:
    """The codebook for readers."""
    info = study.kind.info
    lines = [
        f"# Codebook of {study.title}",
        "",
        f"Protocol {info.name}: {info.title}. Source: {info.source}. Schema {SCHEMA}.",
        "",
    ]
    for name, columns in codebook(study).items():
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
