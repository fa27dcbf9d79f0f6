"""The organisers' dashboard of a running study, over read-only connections.

Progress, people, timing quality, and results once unblinded.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from sqlalchemy import Connection, func, select

from referee.records import HUMAN, Outcome
from referee_lab.server.sessions.doors import read_doors
from referee_lab.server.sessions.plan import CHECK, TRIAL
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.sessions.states import LEFT_OUT
from referee_lab.server.store.health import LEAST_FREE, count_free_bytes
from referee_lab.server.store.schema import arrival, audit, list_slot, participant, session, tombstone, trial
from referee_lab.study.data.collection import collect
from referee_lab.study.data.dataset import StoredAnswer

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
            f"The disk is nearly full: {free / 2**20:.0f} MiB are left. Free space, or answers cannot be stored."
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
    collected = collect(served.study, connection)
    trials = [a for a in (*collected.answers, *collected.aborted) if a.kind == TRIAL]
    # A page's own properties are stored unchecked.
    frames = [ms for sitting in collected.sittings if _is_number(ms := sitting.client.get("frame_ms"))]
    checks = Counter(a.right for a in collected.answers if a.kind == CHECK)
    pointers = Counter(str(a.answer.get("pointer") or "") for a in trials)
    return {
        "trials": len(collected.trials),
        "aborted": len(trials) - len(collected.trials),
        "flags": dict(sorted(Counter(flag for a in trials for flag in a.flags).items())),
        "pointers": {name: n for name, n in sorted(pointers.items()) if name},
        "frame_ms": {"n": len(frames), "median": statistics.median(frames) if frames else None},
        "checks": {"passed": checks[True], "failed": checks[False]},
    }


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_unblinded(connection: Connection, served: Served) -> bool:
    """Return whether an organiser has looked at the results by condition."""
    # Only in the audit log: it shows that results were viewed, with the time.
    unblinding = select(audit.c.id).where(audit.c.study == served.id, audit.c.what == "unblinded").limit(1)
    return connection.execute(unblinding).first() is not None


def summarise_results(connection: Connection, served: Served) -> list[dict[str, Any]]:
    """Return per system so far: answers, share of errors, means of times and ratings.

    For monitoring; `study analyse` is the analysis.
    """
    by_system: dict[str, list[StoredAnswer]] = defaultdict(list)
    for answer in collect(served.study, connection).trials:
        if answer.asked is not None:
            by_system[answer.asked.system or HUMAN].append(answer)
    return [_summarise_system(system, answers) for system, answers in sorted(by_system.items())]


def _summarise_system(system: str, answers: Sequence[StoredAnswer]) -> dict[str, Any]:
    """Return the results of one system."""
    numbers: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        for name, value in _get_measures(answer).items():
            numbers[name].append(value)
    # Unlike in the analysis, "I cannot tell" counts as not found here: this table is for looking.
    errors = [
        not (
            a.response.outcome is Outcome.ENTITY and a.asked is not None and a.response.entity in a.asked.trial.targets
        )
        for a in answers
        if a.response is not None
    ]
    return {
        "system": system,
        "trials": len(answers),
        "errors": {"n": len(errors), "rate": statistics.fmean(errors) if errors else None},
        "means": {
            name: {"n": len(values), "mean": statistics.fmean(values)} for name, values in sorted(numbers.items())
        },
    }


def _get_measures(answer: StoredAnswer) -> Mapping[str, float]:
    """Return the times and ratings of an answer that have meaningful means."""
    ratings = answer.answer.get("ratings")
    values = {**answer.times, **(ratings if isinstance(ratings, dict) else {})}
    return {
        name: float(v)
        for name, v in values.items()
        # Stamps are on each device's own clock: their means say nothing.
        if _is_number(v) and not name.startswith("t_") and name != "text_onset"
    }
