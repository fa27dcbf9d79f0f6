"""Rows of the exported tables.

One per answer, session, mark, broken-off trial, correction and question, in the columns of the codebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee_lab.study.data.codebook import PATH_POINTS, codebook, levels_of, reads_words, recorded_columns
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
from referee_lab.study.protocols.production import recording_of

TableRow = dict[str, Any]


def rows_of(collected: Dataset) -> dict[str, list[TableRow]]:
    """All tables, each row with all its columns in order."""
    places = {a.uuid: a for a in (*collected.answers, *collected.forms, *collected.aborted)}
    tables = {
        "trials": [_trial(collected, a) for a in collected.answers],
        "sessions": [_session(s) for s in collected.sittings],
        "excluded": [row for a in collected.answers for row in _exclusions(a)],
        "aborted": [_asked(a) | _kept(a) for a in collected.aborted],
        "corrections": [_correction(c, places[c.trial]) for c in collected.corrections],
        "demographics": [row for a in collected.forms for row in _fields(collected, a, comments=False)],
        "comments": [row for a in collected.forms for row in _fields(collected, a, comments=True)],
    }
    if reads_words(collected.study):
        tables["regions"] = [row for a in collected.trials for row in _words(a)]
    if collected.study.settings.get("track"):
        tables["paths"] = [row for a in collected.trials for row in _path(a)]
    heads = codebook(collected.study)
    return {
        name: [{c.name: row.get(c.name) for c in columns} for row in tables[name]] for name, columns in heads.items()
    }


def _who(sitting: Sitting) -> TableRow:
    return {"participant": sitting.alias, "session": sitting.name}


def _where(a: StoredAnswer) -> TableRow:
    return {**_who(a.sitting), "step": a.step, "attempt": a.attempt}


def _asked(a: StoredAnswer) -> TableRow:
    """Return the columns about the stimulus of an answer."""
    stimulus = a.asked
    # From the stimulus' id, which says it even where the study folder no longer has it.
    item, _, system = (a.stimulus or "").partition("|")
    row = {**_where(a), "kind": a.kind, "list": a.sitting.list, "item": item, "system": system or None}
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


def _kept(a: StoredAnswer) -> TableRow:
    """Return the columns about exclusion and the server's times of an answer."""
    scopes = {mark.scope for mark in a.marks}
    return {
        "flags": list(a.flags),
        "excluded": _widest(scopes),
        "reasons": list(dict.fromkeys(mark.reason for mark in a.marks)),
        "by_hand": BY_HAND in a.flags,
        "after_s": a.after_s,
        "uuid": a.uuid,
    }


def _widest(scopes: set[str]) -> str | None:
    """One word for all marks: both times are all times."""
    if scopes >= {READING, IDENTIFYING}:
        scopes = {*scopes, TIME}
    return next((scope for scope in (ALL, TIME, READING, IDENTIFYING) if scope in scopes), None)


def _trial(collected: Dataset, a: StoredAnswer) -> TableRow:
    """Return an answer to a trial as one row: stimulus, recorded fields and exclusion marks."""
    answer = a.answer
    parts: Mapping[str, Mapping[str, Any]] = {
        "answer": answer,
        "times": a.times,
        "rating": answer.get("ratings") or {},
    }
    recorded = {column.name: parts[part].get(name) for part, name, column in recorded_columns(collected.study)}
    if recorded.get("sound"):
        recorded["sound"] = recording_file(a)[0]
    if "ranking" in recorded:
        recorded["ranking"] = ranked_systems(a)
    asked = _asked(a)
    levels = levels_of(collected.study, asked["system"] if a.kind == "trial" else None)
    return {**asked, **_found(a), **recorded, **_kept(a), **levels}


def recording_file(a: StoredAnswer) -> tuple[str, bytes]:
    """Return the name that the recording of an answer has in an export, and its content."""
    content, ending = recording_of(a.answer)
    return f"recordings/{a.uuid}{ending}", content


def _words(a: StoredAnswer) -> Iterator[TableRow]:
    """Words with their times; a timeout may have cut some off."""
    times = a.times.get("regions_ms") or []
    words = (a.asked.description.text or "").split() if a.asked else []
    row = {**_asked(a), **_kept(a)}
    for n, (word, ms) in enumerate(zip(words, times, strict=False)):
        yield {**row, "word": n + 1, "text": word, "ms": ms, "ms_before": times[n - 1] if n else None}


def _path(a: StoredAnswer) -> Iterator[TableRow]:
    """Yield the pointer's path, interpolated linearly at equal steps of time."""
    import numpy as np

    seen: list[Sequence[float]] = [a.answer.get(name) or [] for name in ("path_ms", "path_x", "path_y")]
    if len(seen[0]) < 2:
        return
    when = np.linspace(seen[0][0], seen[0][-1], PATH_POINTS)
    across, down = (np.interp(when, seen[0], line) for line in seen[1:])
    row = {**_asked(a), **_kept(a)}
    for n, (ms, x, y) in enumerate(zip(when.tolist(), across.tolist(), down.tolist(), strict=True)):
        yield {**row, "point": n, "ms": round(ms, 3), "x": round(x, 4), "y": round(y, 4)}


def _found(a: StoredAnswer) -> TableRow:
    """Return the chosen entity behind a public label, and whether it is correct."""
    answer = a.answer
    row: TableRow = {"correct": a.right, "target": " ".join(a.asked.trial.targets) if a.asked else None}
    for column, name in (("chosen", "entity"), ("guessed", "guess")):
        row[column] = a.labels.get(answer[name]) if answer.get(name) is not None else None
    if row["chosen"] is None and a.response is not None:
        row["chosen"] = a.response.entity  # what a point or a box hit
    if "choice" in answer:
        row["preferred"] = preferred(a)
    return row


def preferred(a: StoredAnswer) -> str | None:
    """Return the preferred one of two systems, "tie" if neither, None if the answer has no choice."""
    choice = a.answer.get("choice")
    if choice == "tie":
        return "tie"
    first, _, rival = (a.asked.system or "").partition(VERSUS) if a.asked else ("", "", "")
    return {"first": first, "rival": rival}.get(a.labels.get(str(choice), "")) or None


def ranked_systems(a: StoredAnswer) -> list[str]:
    """The systems in the order of a ranking, the best first."""
    return [a.labels[label] for label in a.answer.get("ranking") or () if label in a.labels]


def _session(s: Sitting) -> TableRow:
    """Return a session as one row."""
    screen = ("frame_ms", "frame_longest_ms", "device_pixel_ratio", "touch", "cross_origin_isolated")
    return {
        **_who(s),
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
        **{name: _plain(s.client.get(name)) for name in screen},
        "study_hash": s.study_hash,
    }


def _plain(value: Any) -> Any:
    """Return the value if it is a number or a boolean, else None: the server does not check a page's own properties."""
    return value if isinstance(value, (bool, int, float)) else None


def _exclusions(a: StoredAnswer) -> Iterator[TableRow]:
    for mark in dict.fromkeys(a.marks):
        yield {**_where(a), "scope": mark.scope, "reason": mark.reason}


def _correction(c: AnswerCorrection, a: StoredAnswer) -> TableRow:
    details = {"author": c.author, "reason": c.reason, "before": dict(c.before), "after": dict(c.after)}
    return {"uuid": c.trial, **_where(a), **details, "problem": c.problem or None}


def _fields(collected: Dataset, a: StoredAnswer, *, comments: bool) -> Iterator[TableRow]:
    """Yield the answers to a form, one row per question; comments only with `comments`."""
    names = {question.name for question in collected.study.questions()}
    for name, value in sorted((a.answer.get("fields") or {}).items()):
        if (name not in names) is comments and value not in (None, "", []):
            text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield {**_who(a.sitting), "field": name, "value": text}
