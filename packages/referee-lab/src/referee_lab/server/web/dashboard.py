"""The organisers' dashboard of a running study, over read-only connections.

Progress, people, timing quality, and results once unblinded.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from referee.records import Outcome
from referee_lab.server.sessions.doors import read_doors
from referee_lab.server.sessions.kept_answers import read_answer_row
from referee_lab.server.sessions.plan import has_passed_check
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.sessions.states import LEFT_OUT
from referee_lab.server.store.health import LEAST_FREE, count_free_bytes
from referee_lab.server.store.schema import arrival, audit, list_slot, participant, session, tombstone, trial
from referee_lab.study.protocols.contract import Shown, Stimulus

# How long trouble with the store is shown after it was last seen.
WARNED_SECONDS = 600.0


def get_progress(connection: Connection, served: Served) -> dict[str, Any]:
    """Return seats per list and people per state, in the study's mode; those who left are counts."""
    mode = served.study.mode
    states: dict[str, int] = dict(
        connection.execute(
            select(session.c.state, func.count()).where(*_match_study(served)).group_by(session.c.state)
        ).all()
    )
    came = connection.execute(select(arrival).where(arrival.c.study == served.id, arrival.c.mode == mode)).one_or_none()
    gone = connection.scalar(
        select(func.sum(tombstone.c.sessions)).where(tombstone.c.study == served.id, tombstone.c.mode == mode)
    )
    return {
        "study": {"id": served.id, "title": served.study.title, "mode": mode, "hash": served.study.hash},
        "planned": served.study.participants,
        "entered": came.entered if came else 0,
        "declined": came.declined if came else 0,
        "purged": gone or 0,
        "states": dict(sorted(states.items())),
        "lists": _count_seats(connection, served),
        "trials": _count_trials(connection, served),
        "unblinded": is_unblinded(connection, served),
        "doors": read_doors(served.study.folder).said(),
        "warnings": list_warnings(served),
        "now": served.clock(),
    }


def list_warnings(served: Served) -> list[str]:
    """Return problems that an organiser has to solve now."""
    warnings_text = []
    trouble = served.store.writer.trouble
    if trouble is not None and time.monotonic() - trouble[1] < WARNED_SECONDS:
        warnings_text.append(f"The store does not take answers: {trouble[0]}. People's pages keep them and try again.")
    free = count_free_bytes(served.study.folder)
    if free < LEAST_FREE:
        warnings_text.append(
            f"The disk is nearly full: {free / 2**20:.0f} MiB are left. Make room, or answers cannot be stored."
        )
    return warnings_text


def _match_study(served: Served) -> tuple[Any, Any]:
    return session.c.study == served.id, session.c.mode == served.study.mode


def _count_seats(connection: Connection, served: Served) -> list[dict[str, Any]]:
    """Return the seats of every list by state."""
    # Lists that the folder no longer has are shown as well, if there are places on them.
    counted: dict[str, Counter[str]] = {entry.id: Counter() for entry in served.study.lists}
    for name, state, number in connection.execute(
        select(list_slot.c.list, list_slot.c.state, func.count())
        .where(list_slot.c.study == served.id, list_slot.c.mode == served.study.mode)
        .group_by(list_slot.c.list, list_slot.c.state)
    ):
        counted.setdefault(name, Counter())[state] += number
    return [
        {"list": name, "filled": of["filled"], "reserved": of["reserved"], "free": of["free"]}
        for name, of in sorted(counted.items())
    ]


def _count_trials(connection: Connection, served: Served) -> int:
    joined = select(func.count()).select_from(trial.join(session, trial.c.session == session.c.id))
    return connection.scalar(joined.where(*_match_study(served), session.c.state.not_in(LEFT_OUT))) or 0


def list_participants(connection: Connection, served: Served) -> list[dict[str, Any]]:
    """Return sessions by alias, newest first, without any other identity."""
    answered = select(trial.c.session, func.count().label("n"), func.max(trial.c.received_at).label("last")).group_by(
        trial.c.session
    )
    counts = answered.subquery()
    rows = connection.execute(
        select(
            participant.c.alias,
            session.c.state,
            session.c.outcome,
            session.c.list,
            session.c.created,
            session.c.updated,
            session.c.purge_at,
            counts.c.n,
            counts.c.last,
        )
        .join(participant, participant.c.id == session.c.participant)
        .join(counts, counts.c.session == session.c.id, isouter=True)
        .where(*_match_study(served))
        .order_by(session.c.created.desc(), session.c.id)
    )
    return [
        {
            "alias": row.alias,
            "state": row.state,
            "outcome": row.outcome,
            "list": row.list,
            "trials": row.n or 0,
            "entered": row.created,
            "last": row.last or row.updated,
            "purge_at": row.purge_at,
        }
        for row in rows
    ]


def summarise_quality(connection: Connection, served: Served) -> dict[str, Any]:
    """Return how well times could be measured.

    Counts flags over trials, frame intervals and kinds of pointer over sessions, and failed checks.
    """
    flags: Counter[str] = Counter()
    pointers: Counter[str] = Counter()
    done = aborted = 0
    for row in _load_answers(connection, served):
        flags.update(row.flags)
        done, aborted = done + (row.state == "done"), aborted + (row.state == "aborted")
        pointers[str(row.answer.get("pointer", ""))] += 1
    clients = connection.scalars(
        select(session.c.client).where(*_match_study(served), session.c.state.not_in(LEFT_OUT))
    )
    # A page's own properties are stored unchecked.
    frames = [value for client in clients if client and _is_number(value := client.get("frame_ms"))]
    return {
        "trials": done,
        "aborted": aborted,
        "flags": dict(sorted(flags.items())),
        "pointers": {name: n for name, n in sorted(pointers.items()) if name},
        "frame_ms": {"n": len(frames), "median": statistics.median(frames) if frames else None},
        "checks": _count_checks(connection, served),
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _load_answers(connection: Connection, served: Served, *kinds: str) -> Iterable[Any]:
    """Return the stored answers of some kinds of steps."""
    columns = (
        trial.c["index"].label("step"),
        trial.c.state,
        trial.c.kind,
        trial.c.stimulus,
        trial.c.answer,
        trial.c.times,
    )
    chosen = select(*columns, trial.c.flags, trial.c.labels, session.c.id.label("session_id"))
    chosen = chosen.join(session, session.c.id == trial.c.session).where(
        *_match_study(served), session.c.state.not_in(LEFT_OUT), trial.c.kind.in_(kinds or ("trial",))
    )
    return connection.execute(chosen)


def _count_checks(connection: Connection, served: Served) -> dict[str, int]:
    """Return the numbers of passed and failed attention checks."""
    checks = {check.stimulus.id: check for check in served.study.checks}
    passed: Counter[bool | None] = Counter()
    for row in _load_answers(connection, served, "check"):
        outline = served.load_outline(row.session_id)
        if row.state == "done" and row.stimulus in checks and outline is not None:
            passed[has_passed_check(served.study, outline.plan.steps[row.step], read_answer_row(row))] += 1
    return {"passed": passed[True], "failed": passed[False]}


def is_unblinded(connection: Connection, served: Served) -> bool:
    """Return whether somebody has looked at the results by condition."""
    # Only in the audit log: it shows that results were viewed, with the time.
    unblinding = select(audit.c.id).where(audit.c.study == served.id, audit.c.what == "unblinded").limit(1)
    return connection.execute(unblinding).first() is not None


def summarise_results(connection: Connection, served: Served) -> list[dict[str, Any]]:
    """Return per system so far: answers, share of errors, means of times and ratings.

    For monitoring; `study analyse` is the analysis.
    """
    by_system: dict[str, list[Any]] = defaultdict(list)
    for row in _load_answers(connection, served):
        stimulus = served.study.stimuli.get(row.stimulus or "")
        if stimulus is not None and row.state == "done":
            by_system[stimulus.system or "human"].append(row)
    return [_summarise_system(served, system, rows) for system, rows in sorted(by_system.items())]


def _summarise_system(served: Served, system: str, rows: list[Any]) -> dict[str, Any]:
    """Return the results of one system."""
    kind = served.study.kind
    errors: list[bool] = []
    numbers: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        stimulus, shown = _restore_display(served, row)
        response = kind.respond(read_answer_row(row), stimulus, shown, "people")
        if response is not None:
            # Unlike in the analysis, "I cannot tell" counts as not found here: this table is for looking.
            errors.append(not (response.outcome is Outcome.ENTITY and response.entity in stimulus.trial.targets))
        for name, value in _get_measures(row).items():
            numbers[name].append(value)
    return {
        "system": system,
        "trials": len(rows),
        "errors": {"n": len(errors), "rate": statistics.fmean(errors) if errors else None},
        "means": {
            name: {"n": len(values), "mean": statistics.fmean(values)} for name, values in sorted(numbers.items())
        },
    }


def _restore_display(served: Served, row: Any) -> tuple[Stimulus, Shown]:
    """Return the stimulus and its display, with the labels that were stored with the answer."""
    outline = served.load_outline(row.session_id)
    assert outline is not None  # the session of a stored answer exists
    parameters = outline.plan.steps[row.step].shown.parameters
    return served.study.stimuli[row.stimulus], Shown(parameters=parameters, labels=row.labels)


def _get_measures(row: Any) -> Mapping[str, float]:
    """Return the times and ratings of an answer that have meaningful means."""
    ratings = row.answer.get("ratings")
    values = {**row.times, **(ratings if isinstance(ratings, dict) else {})}
    return {
        name: float(v)
        for name, v in values.items()
        # Stamps are on each device's own clock: their means say nothing.
        if _is_number(v) and not name.startswith("t_") and name != "text_onset"
    }
