"""Stores answers: each exists once, repeats are acknowledged, and a different answer for the same step is refused and
logged.

These functions run inside a write; they refuse by raising `Problem`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Insert, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from referee_lab.server.sessions import places
from referee_lab.server.sessions.plan import PlanStep
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Outline, Served
from referee_lab.server.sessions.states import ACTIVE, Tried, count_next_attempt, find_missing_steps
from referee_lab.server.store.schema import audit, list_slot, session, to_canonical_json, trial
from referee_lab.study.protocols.contract import GivenAnswer


class Sender(NamedTuple):
    """Under which name an answer comes, from which session and window."""

    uuid: str
    session: str
    tab: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The acknowledgement: whether the answer is `new`, how many steps are answered, how many are missing."""

    new: bool
    count: int
    missing: int


def hash_body(session_id: str, answer: GivenAnswer) -> str:
    """Return the fingerprint of an answer, without time and tab, so that a repeat has the same one."""
    # Flags are a set: their order is the page's accident.
    content = [session_id, answer.step, answer.attempt, answer.state, answer.answer, answer.times, sorted(answer.flags)]
    return hashlib.sha256(to_canonical_json(content).encode()).hexdigest()


# Statements of the most frequent request are built once.
_SESSION = (
    select(session, list_slot.c.session.label("holder"), list_slot.c.expires_at)
    # Outer, for a session may have lost its place.
    .join(list_slot, list_slot.c.id == session.c.slot, isouter=True)
    .where(session.c.id == bindparam("session_id"))
)
# `index` is a method of every row: the column goes by `step` wherever it is read.
_ROWS = select(trial.c["index"].label("step"), trial.c.attempt, trial.c.state, trial.c.uuid, trial.c.hash).where(
    trial.c.session == bindparam("session_id")
)
# Whatever is checked before, the unique keys of the table have the last word. Without `preserve_rowcount`
# SQLAlchemy does not say whether an insert did anything.
_ADD: Mapping[str, Insert] = {
    "sqlite": sqlite.insert(trial).on_conflict_do_nothing().execution_options(preserve_rowcount=True),
    "postgresql": postgresql.insert(trial).on_conflict_do_nothing().execution_options(preserve_rowcount=True),
}


def load_session(connection: Connection, served: Served, session_id: str) -> Any:
    """Return the session with its seat. Raises Problem before consent."""
    row = connection.execute(_SESSION, {"session_id": session_id}).one_or_none()
    # There is no session before consent, and in a shared database those of other studies are none of ours.
    if row is None or row.study != served.id:
        raise Problem(403, "consent-first", "Please read the information page and agree before you go on.")
    return row


def require_permission(served: Served, row: Any, tab: str) -> None:
    """Raise Problem unless the session is running, in this tab, with the consent text as it is now."""
    # First: withdrawing also clears the tab, and "another window" would be the wrong thing to say.
    if row.state == "withdrawn":
        raise Problem(403, "withdrawn", "You have withdrawn from this study; nothing more is stored.")
    if row.tab != tab:
        raise Problem(409, "other-tab", "The study is open in another window. Continue here?")
    if row.state not in ACTIVE:
        raise Problem(409, "ended", "This session has ended. Reload the page to see its code.", state=row.state)
    if row.consent_hash != served.study.consent_hash:
        raise Problem(403, "consent-again", "The information page has changed. Please read it and agree again.")


def load_answer_rows(connection: Connection, session_id: str) -> Sequence[Any]:
    """Return step, attempt, state, UUID and hash of a session's stored answers, without their content."""
    return connection.execute(_ROWS, {"session_id": session_id}).all()


def read_answer_row(row: Any) -> GivenAnswer:
    """Return a stored answer from a row with answer, times and flags."""
    return GivenAnswer(answer=row.answer, times=row.times, flags=tuple(row.flags))


def change_session(connection: Connection, session_id: str, **values: Any) -> None:
    """Change columns of a session."""
    connection.execute(update(session).where(session.c.id == session_id).values(**values))


def log_audit(
    connection: Connection, served: Served, what: str, actor: str, session_id: str | None = None, **data: Any
) -> None:
    """Store a row in the audit log."""
    connection.execute(
        insert(audit).values(at=served.clock(), study=served.id, session=session_id, what=what, who=actor, data=data)
    )


def save(connection: Connection, served: Served, outline: Outline, sender: Sender, answer: GivenAnswer) -> Kept:
    """Store an answer, or acknowledge one that is stored already.

    The order matters. A stored answer is acknowledged before anything is refused: the page may have lost the first
    acknowledgement and may since have moved to another window or ended. Only then is the session checked for permission
    to write.
    """
    row = load_session(connection, served, sender.session)
    fingerprint = hash_body(sender.session, answer)
    stored = load_answer_rows(connection, sender.session)
    # Withdrawn participants learn nothing about their stored data.
    if row.state != "withdrawn" and _is_stored(connection, served, sender, answer, fingerprint, stored):
        return _make_receipt(served, outline, stored, new=False)
    require_permission(served, row, sender.tab)
    # After the session's own state: a page that was closed elsewhere must hear that, not that its number is wrong.
    _require_next_attempt(answer, stored)
    now = served.clock()
    if not _insert_answer(connection, sender, answer, outline.plan.steps[answer.step], now, fingerprint):
        # A server that was killed may have had this very answer under way: PostgreSQL made us wait for its end, and now it is there.
        stored = load_answer_rows(connection, sender.session)
        if not _is_stored(connection, served, sender, answer, fingerprint, stored):
            raise _refuse_second(connection, served, sender, answer, fingerprint, None)
        return _make_receipt(served, outline, stored, new=False)
    # Counted from the rows that were read and the added one: the writer is the only one, so they are current.
    receipt = _make_receipt(served, outline, [*stored, answer], new=True)
    _update_session(connection, served, row, receipt, now)
    return receipt


def _is_stored(
    connection: Connection,
    served: Served,
    sender: Sender,
    answer: GivenAnswer,
    fingerprint: str,
    stored: Sequence[Any],
) -> bool:
    """Return whether this answer is stored. Raises Problem if a different one is."""
    for earlier in stored:
        # Either is enough to be in the way: a name used twice, or a place that is taken.
        if earlier.uuid == sender.uuid or (earlier.step, earlier.attempt) == (answer.step, answer.attempt):
            if (earlier.uuid, earlier.hash) == (sender.uuid, fingerprint):
                return True
            raise _refuse_second(connection, served, sender, answer, fingerprint, earlier.uuid)
    return False


def _insert_answer(
    connection: Connection, sender: Sender, answer: GivenAnswer, step: PlanStep, now: float, fingerprint: str
) -> bool:
    """Insert an answer; return False if its UUID belongs to another person's answer."""
    values = {
        "uuid": sender.uuid,
        "session": sender.session,
        "index": answer.step,
        "attempt": answer.attempt,
        "state": answer.state,
        "kind": step.kind,
        "stimulus": step.stimulus.id if step.stimulus else None,
        "answer": answer.answer,
        "times": answer.times,
        "flags": sorted(answer.flags),
        # The objects behind the labels are stored with the answer, so that it can be read without the plan.
        "labels": dict(step.shown.labels),
        # The server's clock; those of the page are in `times`.
        "received_at": now,
        "hash": fingerprint,
    }
    return connection.execute(_ADD[connection.dialect.name], values).rowcount == 1


def _refuse_second(
    connection: Connection, served: Served, sender: Sender, answer: GivenAnswer, fingerprint: str, first: str | None
) -> Problem:
    """Refuse a second, different answer for a step, and log it."""
    about = {"uuid": sender.uuid, "index": answer.step, "attempt": answer.attempt, "hash": fingerprint}
    # Noted before the refusal, and committed in spite of it (see `Problem`).
    log_audit(connection, served, "second-answer", "participant", sender.session, **about)
    return Problem(
        409, "already-answered", "Another answer to this trial is stored already; the first one stays.", uuid=first
    )


def _require_next_attempt(answer: GivenAnswer, stored: Sequence[Any]) -> None:
    """Raise Problem unless this is the next attempt at an open step: no repeats, no skipped steps."""
    if any(row.step == answer.step and row.state == "done" for row in stored):
        raise Problem(409, "already-answered", "This trial has been answered; the first answer stays.")
    expected = count_next_attempt(answer.step, stored)
    if answer.attempt != expected:
        raise Problem(409, "wrong-attempt", f"The next attempt at this trial is number {expected}.", attempt=expected)


def _make_receipt(served: Served, outline: Outline, rows: Sequence[Tried], *, new: bool) -> Kept:
    left = len(find_missing_steps(outline.saved, rows, served.policy.aborted))
    return Kept(new=new, count=len(outline.saved) - left, missing=left)


def _update_session(connection: Connection, served: Served, row: Any, receipt: Kept, now: float) -> None:
    """Update the session's state from its stored answers; a session that lost its seat gets another one."""
    minutes = served.policy.reserve_minutes
    # The lease is renewed when half of it has passed, and the session's time once a minute: writing both with every
    # answer would double the size of commits. An answer is stored even if the seat was lost; then the study has one
    # participant more than planned, and no answer less.
    if row.holder != row.id:
        reserve_again(connection, served, row, now)
    elif row.expires_at is not None and row.expires_at < now + 30 * minutes:
        places.extend(connection, row.slot, now=now, minutes=minutes)
    state = "finished" if receipt.missing == 0 else "running"
    if state != row.state or now - row.updated > 60:
        change_session(connection, row.id, state=state, updated=now)
    if state == "finished":
        places.fill(connection, row.id)


def reserve_again(connection: Connection, served: Served, row: Any, now: float) -> int | None:
    """Return another seat on the same list after a long silence; None if all are taken."""
    place = places.reserve_on_list(
        connection, served.id, row.mode, row.list, row.id, now=now, minutes=served.policy.reserve_minutes
    )
    change_session(connection, row.id, slot=place)
    return place
