"""Quotas of a running study: lists with a full condition, and answers that enough people have given.

People with a seat count; those who were turned away, withdrew or were silent too long do not. These functions run
inside a write, so two simultaneous arrivals cannot both get the last seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.schema import list_slot, trial
from referee_lab.study.folder.branches import Quota


def find_full_lists(connection: Connection, served: Served, mode: str) -> set[str]:
    """Return the lists that accept no new participants, because a condition of theirs is full."""
    quotas = [quota for quota in served.study.quotas if quota.condition]
    if not quotas:
        return set()
    rows = connection.execute(
        select(list_slot.c.list, func.count().label("people"))
        .where(list_slot.c.study == served.id, list_slot.c.mode == mode, list_slot.c.state != "free")
        .group_by(list_slot.c.list)
    )
    taken: dict[str, int] = {row.list: row.people for row in rows}
    shut: set[str] = set()
    for quota in quotas:
        having = {entry.id for entry in served.study.lists if any(c == quota.condition for _, c in entry.trials)}
        if sum(taken.get(name, 0) for name in having) >= quota.most:
            shut |= having
    return shut


def find_filled_quota(
    connection: Connection, served: Served, mode: str, session_id: str, answers: Mapping[str, Any]
) -> Quota | None:
    """Return the quota that a person with these answers would exceed; None if there is room.

    None where all is well.
    """
    counting = [quota for quota in served.study.quotas if quota.counts(answers)]
    if not counting:
        return None
    others = list(_iterate_answers(connection, served, mode, session_id))
    return next((quota for quota in counting if sum(map(quota.counts, others)) >= quota.most), None)


def _iterate_answers(connection: Connection, served: Served, mode: str, session_id: str) -> Iterator[Mapping[str, Any]]:
    """Yield the form answers of every other participant with a seat."""
    rows = connection.execute(
        select(trial.c.session, trial.c.answer)
        .join(list_slot, list_slot.c.session == trial.c.session)
        .where(list_slot.c.study == served.id, list_slot.c.mode == mode, list_slot.c.state != "free")
        .where(trial.c.kind == "form", trial.c.state == "done", trial.c.session != session_id)
    )
    people: dict[str, dict[str, Any]] = {}
    for row in rows:
        people.setdefault(row.session, {}).update(row.answer.get("fields") or {})
    yield from people.values()


def load_form_answers(connection: Connection, session_id: str) -> dict[str, Any]:
    """Return the form answers of one participant by question."""
    rows = connection.execute(
        select(trial.c.answer).where(trial.c.session == session_id, trial.c.kind == "form", trial.c.state == "done")
    )
    return {name: value for row in rows for name, value in (row.answer.get("fields") or {}).items()}
