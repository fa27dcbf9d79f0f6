"""Rows of the exported tables.

One per answer, session, mark, broken-off trial, correction and question, in the columns of the codebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee_lab.study.data.codebook import (
    PATH_POINTS,
    build_codebook,
    get_factor_levels,
    is_word_by_word,
    list_recorded_columns,
)
from referee_lab.study.data.dataset import (
    ALL,
    BY_HAND,
    IDENTIFYING,
    READING,
    TIME,
    AnswerCorrection,
    Dataset,
    Sitting,
    StoredAnswer,
)
from referee_lab.study.folder.study import VERSUS
from referee_lab.study.protocols.production import get_recording

TableRow = dict[str, Any]


def build_rows(collected: Dataset) -> dict[str, list[TableRow]]:
    """Return the rows of every table of an export, with all columns in order."""
    places = {a.uuid: a for a in (*collected.answers, *collected.forms, *collected.aborted)}
    tables = {
        "trials": [_build_trial_row(collected, a) for a in collected.answers],
        "sessions": [_build_session_row(s) for s in collected.sittings],
        "excluded": [row for a in collected.answers for row in _build_exclusion_rows(a)],
        "aborted": [_describe_stimulus(a) | _describe_exclusion(a) for a in collected.aborted],
        "corrections": [_build_correction_row(c, places[c.trial]) for c in collected.corrections],
        "demographics": [row for a in collected.forms for row in _build_form_rows(collected, a, comments=False)],
        "comments": [row for a in collected.forms for row in _build_form_rows(collected, a, comments=True)],
    }
    if is_word_by_word(collected.study):
        tables["regions"] = [row for a in collected.trials for row in _build_word_rows(a)]
    if collected.study.settings.get("track"):
        tables["paths"] = [row for a in collected.trials for row in _build_path_rows(a)]
    heads = build_codebook(collected.study)
    return {
        name: [{c.name: row.get(c.name) for c in columns} for row in tables[name]] for name, columns in heads.items()
    }


def _identify_session(sitting: Sitting) -> TableRow:
    return {"participant": sitting.alias, "session": sitting.name}


def _identify_step(a: StoredAnswer) -> TableRow:
    return {**_identify_session(a.sitting), "step": a.step, "attempt": a.attempt}


def _describe_stimulus(a: StoredAnswer) -> TableRow:
    """Return the columns about the stimulus of an answer."""
    stimulus = a.asked
    # From the stimulus' id, which says it even where the study folder no longer has it.
    item, _, system = (a.stimulus or "").partition("|")
    row = {**_identify_step(a), "kind": a.kind, "list": a.sitting.list, "item": item, "system": system or None}
    if stimulus is None:
        return row
    return {
        **row,
        "item": stimulus.trial.id,
        "system": stimulus.system,
        "domain": stimulus.trial.domain,
        "condition": stimulus.trial.condition,
        "description": stimulus.description.text,
        "media": stimulus.description.media,
    }


def _describe_exclusion(a: StoredAnswer) -> TableRow:
    """Return the columns about exclusion and the server's times of an answer."""
    scopes = {mark.scope for mark in a.marks}
    return {
        "flags": list(a.flags),
        "excluded": _merge_scopes(scopes),
        "reasons": list(dict.fromkeys(mark.reason for mark in a.marks)),
        "by_hand": BY_HAND in a.flags,
        "after_s": a.after_s,
        "uuid": a.uuid,
    }


def _merge_scopes(scopes: set[str]) -> str | None:
    """Return one scope for several marks: both kinds of time become all times."""
    if scopes >= {READING, IDENTIFYING}:
        scopes = {*scopes, TIME}
    return next((scope for scope in (ALL, TIME, READING, IDENTIFYING) if scope in scopes), None)


def _build_trial_row(collected: Dataset, a: StoredAnswer) -> TableRow:
    """Return an answer to a trial as one row: stimulus, recorded fields and exclusion marks."""
    answer = a.answer
    parts: Mapping[str, Mapping[str, Any]] = {
        "answer": answer,
        "times": a.times,
        "rating": answer.get("ratings") or {},
    }
    recorded = {column.name: parts[part].get(name) for part, name, column in list_recorded_columns(collected.study)}
    if recorded.get("sound"):
        recorded["sound"] = name_recording(a)[0]
    if "ranking" in recorded:
        recorded["ranking"] = get_ranked_systems(a)
    asked = _describe_stimulus(a)
    cell = collected.study.find_cell(a.asked) if a.kind == "trial" and a.asked is not None else None
    levels = get_factor_levels(collected.study, cell)
    return {**asked, **_describe_choice(a), **recorded, **_describe_exclusion(a), **levels}


def name_recording(a: StoredAnswer) -> tuple[str, bytes]:
    """Return the name that the recording of an answer has in an export, and its content."""
    content, ending = get_recording(a.answer)
    return f"recordings/{a.uuid}{ending}", content


def _build_word_rows(a: StoredAnswer) -> Iterator[TableRow]:
    """Yield the words of an answer with their reading times; a timeout may cut some off."""
    times = a.times.get("regions_ms") or []
    words = (a.asked.description.text or "").split() if a.asked else []
    row = {**_describe_stimulus(a), **_describe_exclusion(a)}
    for n, (word, ms) in enumerate(zip(words, times, strict=False)):
        yield {**row, "word": n + 1, "text": word, "ms": ms, "ms_before": times[n - 1] if n else None}


def _build_path_rows(a: StoredAnswer) -> Iterator[TableRow]:
    """Yield the pointer's path, interpolated linearly at equal steps of time."""
    import numpy as np

    seen: list[Sequence[float]] = [a.answer.get(name) or [] for name in ("path_ms", "path_x", "path_y")]
    if len(seen[0]) < 2:
        return
    when = np.linspace(seen[0][0], seen[0][-1], PATH_POINTS)
    across, down = (np.interp(when, seen[0], line) for line in seen[1:])
    row = {**_describe_stimulus(a), **_describe_exclusion(a)}
    for n, (ms, x, y) in enumerate(zip(when.tolist(), across.tolist(), down.tolist(), strict=True)):
        yield {**row, "point": n, "ms": round(ms, 3), "x": round(x, 4), "y": round(y, 4)}


def _describe_choice(a: StoredAnswer) -> TableRow:
    """Return the chosen entity behind a public label, and whether it is correct."""
    answer = a.answer
    row: TableRow = {"correct": a.right, "target": " ".join(a.asked.trial.targets) if a.asked else None}
    for column, name in (("chosen", "entity"), ("guessed", "guess")):
        row[column] = a.labels.get(answer[name]) if answer.get(name) is not None else None
    if row["chosen"] is None and a.response is not None:
        row["chosen"] = a.response.entity  # what a point or a box hit
    if "choice" in answer:
        row["preferred"] = get_preferred_system(a)
    return row


def get_preferred_system(a: StoredAnswer) -> str | None:
    """Return the preferred system of a pair, "tie" for neither, None if the answer has no choice."""
    choice = a.answer.get("choice")
    if choice == "tie":
        return "tie"
    first, _, rival = (a.asked.system or "").partition(VERSUS) if a.asked else ("", "", "")
    return {"first": first, "rival": rival}.get(a.labels.get(str(choice), "")) or None


def get_ranked_systems(a: StoredAnswer) -> list[str]:
    """Return the systems in the order of a ranking, the best first."""
    return [a.labels[label] for label in a.answer.get("ranking") or () if label in a.labels]


def _build_session_row(s: Sitting) -> TableRow:
    """Return a session as one row."""
    screen = ("frame_ms", "frame_longest_ms", "device_pixel_ratio", "touch", "cross_origin_isolated")
    return {
        **_identify_session(s),
        "list": s.list,
        "group": s.group,
        "state": s.state,
        "outcome": s.outcome,
        "simulated": s.simulated,
        "day": s.day,
        "minutes": s.minutes,
        "trials_planned": s.planned,
        "trials_done": s.done,
        "checks_failed": s.failed_checks,
        "excluded": list(dict.fromkeys(mark.reason for mark in s.marks)),
        **{name: _keep_number(s.client.get(name)) for name in screen},
        "study_hash": s.study_hash,
    }


def _keep_number(value: Any) -> Any:
    """Return a number or boolean unchanged and None for anything else, because pages are not trusted."""
    return value if isinstance(value, (bool, int, float)) else None


def _build_exclusion_rows(a: StoredAnswer) -> Iterator[TableRow]:
    for mark in dict.fromkeys(a.marks):
        yield {**_identify_step(a), "scope": mark.scope, "reason": mark.reason}


def _build_correction_row(c: AnswerCorrection, a: StoredAnswer) -> TableRow:
    details = {"author": c.author, "reason": c.reason, "before": dict(c.before), "after": dict(c.after)}
    return {"uuid": c.trial, **_identify_step(a), **details, "problem": c.problem or None}


def _build_form_rows(collected: Dataset, a: StoredAnswer, *, comments: bool) -> Iterator[TableRow]:
    """Yield the answers to a form, one row per question; comments only with `comments`."""
    names = {question.name for question in collected.study.questions()}
    for name, value in sorted((a.answer.get("fields") or {}).items()):
        if (name not in names) is comments and value not in (None, "", []):
            text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield {**_identify_session(a.sitting), "field": name, "value": text}
