"""Withdrawal: data are excluded at once and deleted after the announced delay; only counts remain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from referee_lab.rooms.sound import delete_sound
from referee_lab.server.sessions import places
from referee_lab.server.sessions.kept_answers import change_session, log_audit
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.keys import hash_code
from referee_lab.server.store.schema import (
    audit,
    consent,
    correction,
    event,
    identity,
    participant,
    room,
    session,
    tombstone,
    trial,
)

# Replaces a deleted session.
GONE = "deleted"


def withdraw(connection: Connection, served: Served, participant_id: str, actor: str) -> int:
    """Withdraw all sessions of a participant and free their seats; return their number (0 for a repeat).

    How many did (0 when they were already).
    """
    now = served.clock()
    open_ones = connection.scalars(
        select(session.c.id).where(session.c.participant == participant_id, session.c.state != "withdrawn")
    ).all()
    for session_id in open_ones:
        places.free(connection, session_id)
        # Every window of the person (`tab`) is refused from now on. The date of the deletion is fixed now, as announced:
        # later changes of the policy do not move it.
        due = now + 86_400 * served.policy.withdrawal_days
        change_session(connection, session_id, state="withdrawn", slot=None, tab=None, updated=now, purge_at=due)
        log_audit(connection, served, "withdrawn", actor, session_id)
    return len(open_ones)


def withdraw_by_code(connection: Connection, served: Served, code: str, actor: str = "participant") -> int:
    """Withdraw with the person's code. Raises Problem for an unknown code."""
    return _withdraw_one(connection, served, participant.c.code_hash == hash_code(code), actor)


def withdraw_by_alias(connection: Connection, served: Served, alias: str, actor: str = "organiser") -> int:
    return _withdraw_one(connection, served, participant.c.alias == alias, actor)


def _withdraw_one(connection: Connection, served: Served, condition: Any, actor: str) -> int:
    """Withdraw the participant that meets an SQL condition. Raises Problem if no participant does."""
    participant_id = connection.scalar(select(participant.c.id).where(participant.c.study == served.id, condition))
    if participant_id is None:
        raise Problem(404, "nobody", "No participant of this study has this code or alias. Check it letter by letter.")
    return withdraw(connection, served, participant_id, actor)


def purge(connection: Connection, served: Served) -> dict[str, int]:
    """Delete withdrawn data that are due, and keep their number only."""
    now = served.clock()
    due = connection.execute(
        select(session.c.id, session.c.participant, session.c.mode).where(
            session.c.study == served.id, session.c.state == "withdrawn", session.c.purge_at <= now
        )
    ).all()
    total = {"sessions": 0, "trials": 0, "events": 0}
    for row in due:
        counts = _delete_session(connection, row.id)
        connection.execute(insert(tombstone).values(at=now, study=served.id, mode=row.mode, **counts))
        total = {key: total[key] + counts[key] for key in total}
    # After their sessions, which point to them.
    for person in {row.participant for row in due}:
        _delete_person(connection, person, served.study.folder)
    if due:
        log_audit(connection, served, "purged", "server", None, **total)
    return total


def _delete_session(connection: Connection, session_id: str) -> dict[str, int]:
    """Delete a session with all its rows; return the numbers of deleted rows."""
    # Corrections before answers and all of it before the session: foreign keys want it, and the triggers that protect
    # these rows let them go only while their session is there and is withdrawn.
    trials = select(trial.c.uuid).where(trial.c.session == session_id)
    connection.execute(delete(correction).where(correction.c.trial.in_(trials)))
    answers = connection.execute(delete(trial).where(trial.c.session == session_id)).rowcount
    events = connection.execute(delete(event).where(event.c.session == session_id)).rowcount
    connection.execute(delete(consent).where(consent.c.session == session_id))
    # Notes may quote participants' input.
    connection.execute(delete(audit).where(audit.c.session == session_id))
    _leave_rooms(connection, session_id)
    connection.execute(delete(session).where(session.c.id == session_id))
    return {"sessions": 1, "trials": answers, "events": events}


def _leave_rooms(connection: Connection, session_id: str) -> None:
    """Remove a deleted person's session and alias from the rows of rooms."""
    for row in connection.execute(select(room.c.id, room.c.data).where(room.c.data.contains(session_id))):
        seats = [
            {**seat, "who": GONE, "name": GONE} if seat["who"] == session_id else seat for seat in row.data["seats"]
        ]
        connection.execute(update(room).where(room.c.id == row.id).values(data={**row.data, "seats": seats}))


def _delete_person(connection: Connection, person: str, folder: Path) -> None:
    """Delete a person without remaining sessions, with the recordings of their voice."""
    left = connection.scalar(select(func.count()).select_from(session).where(session.c.participant == person))
    if not left:
        alias = connection.scalar(select(participant.c.alias).where(participant.c.id == person))
        # Not part of the transaction, but safe to repeat, as all work of the writer must be: a missing file is no
        # error.
        delete_sound(folder, str(alias))
        connection.execute(delete(identity).where(identity.c.participant == person))
        connection.execute(delete(participant).where(participant.c.id == person))
