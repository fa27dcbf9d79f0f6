"""The course of a session: resuming it, moving it to another window, and ending it.

These functions run inside a write; they refuse by raising `Problem`.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from referee_lab.server.sessions import places
from referee_lab.server.sessions.enrolment import add_session
from referee_lab.server.sessions.kept_answers import (
    change_session,
    load_answer_rows,
    load_session,
    log_audit,
    read_answer_row,
    require_permission,
    reserve_again,
)
from referee_lab.server.sessions.plan import CHECK, PRACTICE, TRIAL, has_passed_check
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Outline, Served, matches_plan
from referee_lab.server.sessions.states import ACTIVE, MOVES, OUTCOMES, Tried, change_state, find_missing_steps
from referee_lab.server.store.schema import session, trial
from referee_lab.study.protocols.checked_answers import sum_claimed_ms
from referee_lab.study.protocols.contract import ROOM_PLUGINS


def resume_session(connection: Connection, served: Served, session_id: str, tab: str) -> tuple[Any, Sequence[Tried]]:
    """Return the session and its answers when a page opens.

    It continues, restarts or ends by the study's policy.
    """
    row = load_session(connection, served, session_id)
    # The token may still name the old session, where the reply with the new one was lost.
    if row.outcome == "restarted":
        row = _find_successor(connection, served, row)
    require_permission(served, row, tab)
    now = served.clock()
    rows: Sequence[Tried] = load_answer_rows(connection, row.id)
    # Made by the route beforehand, in another thread: inside a write it would delay all other answers.
    outline = served.outline(row.list, row.plan_seed, row.study_hash)
    _require_same_plan(connection, served, outline, row, rows)
    # Only a session with answers counts as interrupted; reloading the instructions loses nothing and breaks no rule.
    if rows:
        _require_resumable(connection, served, row, now)
        if served.policy.resume == "restart":
            row, rows = _restart_session(connection, served, row, tab, now), []
    # The lease ran out and others filled the list: not the person's fault, so they are paid (`technical`).
    if row.holder != row.id and reserve_again(connection, served, row, now) is None:
        end_session(connection, served, row, "technical", "server")
        raise Problem(409, "too-late", "Your place was given to someone else meanwhile. Reload the page for your code.")
    change_session(connection, row.id, updated=now, plan_hash=outline.hash)
    return row, rows


def _require_same_plan(
    connection: Connection, served: Served, outline: Outline, row: Any, rows: Sequence[Tried]
) -> None:
    """End a session whose answers belong to another plan.

    A plan by another release from the same folder continues.
    """
    # Without answers nothing is lost by taking the new plan.
    if not rows or not row.plan_hash or row.plan_hash == outline.hash:
        return
    if row.study_hash != served.study.hash or not matches_plan(connection, outline, row.id):
        end_session(connection, served, row, "technical", "server")
        raise Problem(409, "study-changed", "The study was changed while you were away. Reload the page for your code.")


def _require_resumable(connection: Connection, served: Served, row: Any, now: float) -> None:
    """Raise Problem, and end the session, if the study's policy does not permit resuming it now."""
    # A participant must not resume trial 3 a day later unless the study permits it.
    if now - row.updated > 3600 * served.policy.resume_hours:
        end_session(connection, served, row, "technical", "server")
        raise Problem(409, "too-late", "Too much time has passed to go on. Reload the page for your code.")
    if served.policy.resume == "block":
        end_session(connection, served, row, "technical", "server")
        raise Problem(
            409, "blocked", "This study cannot be continued after it was left. Reload the page for your code."
        )


def _restart_session(connection: Connection, served: Served, row: Any, tab: str, now: float) -> Any:
    """Replace a session by a new one in the same seat; earlier answers stay with the old one."""
    new = str(uuid.uuid4())
    # The old session ends first: the store allows a person one running session at a time (ix_session_one_running).
    state = change_state(row.state, "timed_out")
    change_session(connection, row.id, state=state, outcome="restarted", slot=None, updated=now)
    places.hand_over(connection, row.id, new)
    # The same seat and seed: a restart does not give another list.
    place = places.Slot(id=row.slot, list=row.list, seed=row.plan_seed)
    add_session(connection, served, new, row.participant, row.mode, place, tab, now)
    log_audit(connection, served, "restarted", "participant", row.id, new=new)
    return load_session(connection, served, new)


def _find_successor(connection: Connection, served: Served, row: Any) -> Any:
    """Return the newest session of the participant that was not restarted."""
    newest = connection.scalars(
        select(session.c.id)
        .where(session.c.participant == row.participant, session.c.outcome.is_distinct_from("restarted"))
        .order_by(session.c.created.desc())
    ).first()
    return load_session(connection, served, newest or row.id)


def claim_session(connection: Connection, served: Served, session_id: str, tab: str) -> Any:
    """Move the session to this window; the previous window is informed at its next request."""
    row = load_session(connection, served, session_id)
    if row.outcome == "restarted":
        row = _find_successor(connection, served, row)
    # No guard: only a window without the session takes it over.
    if row.state in ACTIVE and row.tab != tab:
        change_session(connection, row.id, tab=tab, updated=served.clock())
        log_audit(connection, served, "other-tab", "participant", row.id)
    return row


def finish_session(connection: Connection, served: Served, session_id: str, tab: str) -> Any:
    """Complete a session once every answer is stored, and return it; repeated requests return the same."""
    row = load_session(connection, served, session_id)
    # Ended already: the code is shown again, except after a withdrawal.
    if row.state not in (*ACTIVE, "finished"):
        if row.state == "withdrawn":
            require_permission(served, row, tab)
        return row
    if row.tab != tab:
        require_permission(served, row, tab)
    outline = served.outline(row.list, row.plan_seed, row.study_hash)
    # Counted in the transaction that gives out the code, from rows that are stored.
    left = find_missing_steps(outline.saved, load_answer_rows(connection, row.id), served.policy.aborted)
    if left:
        raise Problem(409, "missing", "Some answers have not arrived yet.", missing=left)
    if _has_open_room(connection, outline, row):
        raise Problem(409, "room-open", "The game has not ended yet. Go back to it, or write to the organisers.")
    # From the stored answers, and at the end: replies to single answers never reveal which of them were checks.
    failed = _count_failed_checks(connection, served, outline, row.id) > served.study.session.checks_failed_at_most
    outcome = "too_fast" if _is_too_fast(connection, served, row) else "failed_check" if failed else "completed"
    return _close_session(connection, served, row, outcome)


def _has_open_room(connection: Connection, outline: Outline, row: Any) -> bool:
    """Return whether a step's room is still running, whatever the page reports; debug mode has no rooms."""
    rooms = {s.index for s in outline.plan.steps if s.plugin in ROOM_PLUGINS and s.saved}
    if not rooms or row.mode == "debug":
        return False
    from referee_lab.rooms.room_store import load_finished_rooms

    return not rooms <= {room.data["step"] for room in load_finished_rooms(connection, row.id)}


def _close_session(connection: Connection, served: Served, row: Any, outcome: str) -> Any:
    """Close a session with all answers: its seat is filled, unless the participant is to be replaced."""
    excluded = outcome == "failed_check" and served.study.exclusion.failed_checks == "exclude"
    if excluded or outcome == "too_fast":
        # A person who is to be excluded is replaced by another.
        places.free(connection, row.id)
    else:
        places.fill(connection, row.id)
    state = change_state("finished", OUTCOMES[outcome])
    change_session(connection, row.id, state=state, outcome=outcome, updated=served.clock())
    return load_session(connection, served, row.id)


def _is_too_fast(connection: Connection, served: Served, row: Any) -> bool:
    """Return whether a person's answers came faster than [exclusion] allows.

    Simulated participants take no time, and the length of a room game is not up to one person.
    """
    if (row.client or {}).get("simulated") or served.study.kind.info.plugin in ROOM_PLUGINS:
        return False
    asked = trial.c.kind.in_((TRIAL, PRACTICE, CHECK))
    stored = connection.execute(
        select(trial.c.times, trial.c.received_at).where(trial.c.session == row.id, trial.c.state == "done", asked)
    ).all()
    arrivals = [answer.received_at for answer in stored]
    # A clock that was set back says nothing about how long a person took.
    if not arrivals or min(arrivals) < row.created:
        return False
    claimed = [ms for answer in stored if (ms := sum_claimed_ms(answer.times)) > 0]
    return served.study.exclusion.is_too_fast(max(arrivals) - row.created, len(stored), claimed)


def _count_failed_checks(connection: Connection, served: Served, outline: Outline, session_id: str) -> int:
    """Return the number of failed attention checks, from the stored answers."""
    stored = connection.execute(
        select(trial.c["index"].label("step"), trial.c.answer, trial.c.times, trial.c.flags).where(
            trial.c.session == session_id, trial.c.kind == "check", trial.c.state == "done"
        )
    )
    return sum(
        has_passed_check(served.study, outline.plan.steps[row.step], read_answer_row(row)) is False for row in stored
    )


def end_session(connection: Connection, served: Served, row: Any, outcome: str, actor: str, **why: Any) -> Any:
    """End an incomplete session and free its seat; also used by rooms when a partner has left."""
    # An ending is never replaced by another one: it decides about pay.
    if OUTCOMES[outcome] not in MOVES[row.state]:
        raise Problem(409, "ended", "This session has ended already.", state=row.state)
    places.free(connection, row.id)
    state = change_state(row.state, OUTCOMES[outcome])
    change_session(connection, row.id, state=state, outcome=outcome, slot=None, updated=served.clock())
    log_audit(connection, served, outcome, actor, row.id, **why)
    return load_session(connection, served, row.id)
