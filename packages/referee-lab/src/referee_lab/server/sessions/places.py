"""Seats on the lists of a study.

Reserved in one transaction for a while, filled by finished sessions, freed by all others; modes apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, case, func, insert, select, update

from referee_lab.server.store.schema import list_slot as slots


@dataclass(frozen=True, slots=True)
class Slot:
    id: int
    list: str
    seed: int


def create_seats(
    connection: Connection, study: str, mode: str, lists: Sequence[str], seed: int, *, planned: int = 0, more: int = 0
) -> None:
    """Create seats for the planned participants, or `more` seats, and assign them to the lists in turn.

    Existing seats stay.
    """
    of_study = (slots.c.study == study, slots.c.mode == mode)
    # Numbered on from the existing ones: a number, and thus a seed, is used once, and taken seats are never assigned
    # again.
    present = connection.scalar(select(func.count()).select_from(slots).where(*of_study)) or 0
    new = [
        {
            "study": study,
            "mode": mode,
            "list": lists[n % len(lists)],
            "seed": _make_seed(study, mode, seed, n),
            "state": "free",
        }
        for n in range(present, max(planned, present + more))
    ]
    if new:
        connection.execute(insert(slots), new)


def _make_seed(study: str, mode: str, seed: int, number: int) -> int:
    """Return the seed of a participant's plan, the same in every process."""
    # Not `hash`, which differs from process to process: plans are made anew from this number.
    digest = hashlib.sha256(f"{study}|{mode}|{seed}|{number}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


_MINE = (slots.c.study == bindparam("of_study"), slots.c.mode == bindparam("in_mode"))


def _build_free_seat_query() -> Select[Any]:
    """Return the query for the first free seat on the open list with the fewest taken seats."""
    taken = (
        select(slots.c.list, func.sum(case((slots.c.state == "free", 0), else_=1)).label("taken"))
        .where(*_MINE)
        .group_by(slots.c.list)
        .subquery()
    )
    return (
        select(slots.c.id, slots.c.list, slots.c.seed)
        .join(taken, taken.c.list == slots.c.list)
        .where(*_MINE, slots.c.state == "free", slots.c.list.not_in(bindparam("shut", expanding=True)))
        .order_by(taken.c.taken, slots.c.id)
        .limit(1)
    )


# Built once: a whole class may come at the same moment. SQLite's transactions begin by locking the file; on PostgreSQL only the slots are locked, since rows
# of a grouped query cannot be.
_CHOOSE: Mapping[str, Select[Any]] = {
    "sqlite": _build_free_seat_query(),
    "postgresql": _build_free_seat_query().with_for_update(of=slots),
}


def reserve(
    connection: Connection,
    study: str,
    mode: str,
    session: str,
    *,
    now: float,
    minutes: float,
    shut: Collection[str] = (),
) -> Slot | None:
    """Reserve a free seat on the list with the fewest taken seats, without the lists in `shut`.

    None if there is none.
    """
    # A seat is a lease that expires when its session is silent. Expired ones are freed here too, so that new
    # participants need not wait for the periodic cleaning.
    free_expired(connection, study, mode, now=now)
    choose, values = _CHOOSE[connection.dialect.name], {"of_study": study, "in_mode": mode, "shut": list(shut)}
    # On PostgreSQL the first look may have waited for a place that was taken meanwhile, and come back with nothing.
    chosen = connection.execute(choose, values).one_or_none() or connection.execute(choose, values).one_or_none()
    if chosen is None:
        return None
    _change_seats(connection, slots.c.id == chosen.id, state="reserved", session=session, expires_at=now + 60 * minutes)
    return Slot(id=chosen.id, list=chosen.list, seed=chosen.seed)


def has_free_seat(connection: Connection, study: str, mode: str, *, now: float, shut: Collection[str] = ()) -> bool:
    """Return whether a new participant would get a seat."""
    gone = (slots.c.state == "reserved") & (slots.c.expires_at < now)
    open_slots = (
        slots.c.study == study,
        slots.c.mode == mode,
        (slots.c.state == "free") | gone,
        slots.c.list.not_in(shut),
    )
    return connection.scalar(select(slots.c.id).where(*open_slots).limit(1)) is not None


def free_expired(connection: Connection, study: str, mode: str, *, now: float) -> int:
    """Free the seats of sessions whose lease has expired; return their number."""
    return connection.execute(_FREE_EXPIRED, {"of_study": study, "in_mode": mode, "at": now}).rowcount


_FREE_EXPIRED = (
    update(slots)
    .where(*_MINE, slots.c.state == "reserved", slots.c.expires_at < bindparam("at"))
    # The session keeps its list and its answers; it only has no claim to a place any more.
    .values(state="free", session=None, expires_at=None)
)


def reserve_on_list(
    connection: Connection, study: str, mode: str, list_id: str, session: str, *, now: float, minutes: float
) -> int | None:
    """Reserve a free seat on one list for a session that lost its seat; None if no seat is free."""
    # Only on their own list: half of each of two lists would balance neither.
    open_slots = (slots.c.study == study, slots.c.mode == mode, slots.c.list == list_id, slots.c.state == "free")
    slot_id = connection.scalar(select(slots.c.id).where(*open_slots).order_by(slots.c.id).limit(1))
    if slot_id is not None:
        _change_seats(
            connection, slots.c.id == slot_id, state="reserved", session=session, expires_at=now + 60 * minutes
        )
    return slot_id


def _change_seats(connection: Connection, *which: Any, **values: Any) -> None:
    """Change the seats that meet all conditions."""
    connection.execute(update(slots).where(*which).values(**values))


def extend(connection: Connection, slot: int, *, now: float, minutes: float) -> None:
    """Extend the lease of a seat after an answer."""
    _change_seats(connection, slots.c.id == slot, slots.c.state == "reserved", expires_at=now + 60 * minutes)


def fill(connection: Connection, session: str) -> None:
    """Mark the seat of a finished session as filled."""
    # No expiry: a finished session never loses its place by silence.
    _change_seats(connection, slots.c.session == session, state="filled", expires_at=None)


def free(connection: Connection, session: str) -> None:
    """Free the seat of a session, if it has one."""
    # Filled ones as well: a participant who withdraws after the end is replaced.
    _change_seats(connection, slots.c.session == session, state="free", session=None, expires_at=None)


def hand_over(connection: Connection, session: str, to: str) -> None:
    """Move the seat of a session to its successor."""
    _change_seats(connection, slots.c.session == session, session=to)
