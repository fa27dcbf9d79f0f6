"""Enrolment: known participants resume their session, new ones get one with their consent, and a refusal is only
counted.

Before consent nothing about a person is stored: the parameters of the link are in their own signed token. These
functions run inside a write.
"""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, case, insert, select, update

from referee_lab.server.sessions import places
from referee_lab.server.sessions.kept_answers import change_session
from referee_lab.server.sessions.lab_links import is_signed
from referee_lab.server.sessions.outcomes import build_rejection
from referee_lab.server.sessions.prolific_links import TOKEN
from referee_lab.server.sessions.quotas import find_full_lists
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.keys import hash_code
from referee_lab.server.store.schema import arrival, consent, identity, participant, session

Arrival = dict[str, Any]
# The assignment id that Mechanical Turk sends while a worker only previews the task.
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
# Which parameter of the link names the person, by platform.
_PERSON = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "sona": "survey_code", "link": "label"}


def identify(served: Served, ids: Mapping[str, str], mode: str) -> Arrival:
    """Return the arriving participant as the link identifies them.

    A study on a platform requires the platform's id (except in debug mode).
    """
    platform = served.study.recruitment.platform
    name = _PERSON.get(platform)
    tidy = {key: _clean_id(key, value) for key, value in ids.items()}
    # Without a platform, participants have no name, except in debug mode: a label that anyone can type would open
    # another person's session.
    external = tidy.get(name or "label", "") if name or mode == "debug" else ""
    if name and not external and mode != "debug":
        raise Problem(403, "no-id", "Open the study through the link you were given: this one lacks your identifier.")
    if platform == "link" and mode != "debug" and not is_signed(served.keys, served.id, external, tidy.get("key", "")):
        raise Problem(403, "no-id", "Open the study through the link you were given: this one was changed on its way.")
    details = {key: value for key, value in tidy.items() if key not in (name, "key", TOKEN) and value}
    if platform == "sona":
        # Needed for the address at the end, which gets the details alone.
        details["survey_code"] = external
    # With consent this id becomes that of participant and session. It travels signed in the person's token, so consent
    # that is sent twice enrols them once.
    return {"id": str(uuid.uuid4()), "mode": mode, "platform": platform, "external": external, "details": details}


def _clean_id(name: str, value: str) -> str:
    """Return an id in its normal spelling; empty for a placeholder that the platform did not fill in."""
    text = " ".join(unicodedata.normalize("NFKC", value).split())
    if "{{%" in text or "%}}" in text or text.startswith("${"):
        raise Problem(
            403, "no-id", "Your platform did not fill in your identifier. Open the study from its page there."
        )
    # Prolific's are hexadecimal, Mechanical Turk's in capitals, however they were typed.
    return text.lower() if name == "PROLIFIC_PID" else text.upper() if name == "workerId" else text


def find_session(connection: Connection, served: Served, arrival_: Arrival) -> Any | None:
    """Return the newest session of a person, by the platform's id or by their token; else None."""
    if arrival_.get("external"):
        participants = select(identity.c.participant).where(
            identity.c.study == served.id,
            identity.c.mode == arrival_["mode"],
            identity.c.platform == arrival_["platform"],
            identity.c.external_id == arrival_["external"],
        )
    else:
        participants = select(session.c.participant).where(session.c.id == arrival_["id"], session.c.study == served.id)
    return connection.execute(
        select(session)
        .where(session.c.participant.in_(participants))
        # A session that was begun again ended for its successor's sake: it never counts as the newest.
        .order_by(case((session.c.outcome == "restarted", 1), else_=0), session.c.created.desc(), session.c.id)
        .limit(1)
    ).one_or_none()


def load_platform_details(connection: Connection, participant_id: str) -> Mapping[str, Any]:
    return connection.scalar(select(identity.c.details).where(identity.c.participant == participant_id)) or {}


def count_visit(connection: Connection, served: Served, mode: str, what: str) -> None:
    """Count one more arrival or refusal; no other data about these visitors is stored."""
    of_study = (arrival.c.study == served.id, arrival.c.mode == mode)
    # Changing first and adding where there was nothing is safe here: all writes of a store go through one writer.
    changed = connection.execute(update(arrival).where(*of_study).values({what: arrival.c[what] + 1}))
    if changed.rowcount == 0:
        first = {"entered": 0, "declined": 0, what: 1}
        connection.execute(insert(arrival).values(study=served.id, mode=mode, **first))


def enrol(connection: Connection, served: Served, arriving: Arrival, tab: str) -> Any:
    """Enrol a participant: store a session and reserve a seat. Known participants get their session again."""
    now = served.clock()
    # Looked for inside the same transaction in which a session is made: two clicks do not enrol twice.
    existing = find_session(connection, served, arriving)
    if existing is not None:
        return _renew_consent(connection, served, existing, now)
    # Before anything about the person is stored: a person who meets a full study leaves no trace.
    place = _reserve_seat(connection, served, arriving, now)
    if place is None:
        raise build_refusal(served, "full", arriving["mode"], arriving["details"])
    _add_participant(connection, served, arriving, now)
    add_session(connection, served, arriving["id"], arriving["id"], arriving["mode"], place, tab, now)
    return connection.execute(select(session).where(session.c.id == arriving["id"])).one()


_NO_PLACE = {
    "full": "Enough people are taking part already. Thank you for your interest!",
    "closed": "This study is closed. Thank you for your interest!",
    "device": "This study cannot be done with this device or browser.",
}


def build_refusal(served: Served, why: str, mode: str, details: Mapping[str, Any]) -> Problem:
    """Return the refusal of a newcomer, with the platform's code for the reason."""
    outcome = "screened_out" if why == "device" else why
    return Problem(409, why, _NO_PLACE[why], **{**build_rejection(served, outcome, mode, details), "state": why})


def _reserve_seat(connection: Connection, served: Served, arriving: Arrival, now: float) -> places.Slot | None:
    """Reserve a seat on a list; debug mode always has a free one."""
    mode, minutes = arriving["mode"], served.policy.reserve_minutes
    shut = find_full_lists(connection, served, mode)
    place = places.reserve(connection, served.id, mode, arriving["id"], now=now, minutes=minutes, shut=shut)
    # Places of debug mode never count towards the plan, so there may be any number; only quotas hold there too.
    if place is None and mode == "debug":
        names = [entry.id for entry in served.study.lists]
        places.create_seats(connection, served.id, "debug", names, served.study.seed, more=len(names))
        place = places.reserve(connection, served.id, "debug", arriving["id"], now=now, minutes=minutes, shut=shut)
    return place


def _renew_consent(connection: Connection, served: Served, existing: Any, now: float) -> Any:
    """Record consent to the study's current text for a running session."""
    current = served.study.consent_hash
    # Finished participants consented to the text of that time; a new text concerns only running sessions.
    if existing.consent_hash == current or existing.state not in ("consented", "running"):
        return existing
    connection.execute(insert(consent).values(session=existing.id, text_hash=current, at=now))
    change_session(connection, existing.id, consent_hash=current, updated=now)
    return connection.execute(select(session).where(session.c.id == existing.id)).one()


def _add_participant(connection: Connection, served: Served, arriving: Arrival, now: float) -> None:
    """Store a new participant with a new alias and the hash of their withdrawal code."""
    # Only the hash is stored: the code itself is derived anew whenever it is shown.
    code = hash_code(served.keys.derive_withdrawal_code(served.id, arriving["id"]))
    alias = _draw_alias(connection, served, arriving["id"])
    row = {
        "id": arriving["id"],
        "study": served.id,
        "mode": arriving["mode"],
        "alias": alias,
        "code_hash": code,
        "created": now,
    }
    connection.execute(insert(participant).values(row))
    if arriving["external"] or arriving["details"]:
        connection.execute(
            insert(identity).values(
                participant=arriving["id"],
                study=served.id,
                mode=arriving["mode"],
                platform=arriving["platform"],
                # The column is unique and not null; the participant's own id cannot collide.
                external_id=arriving["external"] or arriving["id"],
                details=arriving["details"],
            )
        )


def _draw_alias(connection: Connection, served: Served, participant_id: str) -> str:
    """Return an alias that no other participant of the study has."""
    for number in range(1000):
        # Derived from the key and not counted: an alias reveals neither the order of arrival nor the person.
        alias = f"P-{served.keys.derive_code('alias', served.id, participant_id, str(number), letters=4)}"
        taken = select(participant.c.id).where(participant.c.study == served.id, participant.c.alias == alias)
        if connection.execute(taken).first() is None:
            return alias
    raise Problem(409, "full", "Enough people are taking part already. Thank you for your interest!")


def add_session(
    connection: Connection,
    served: Served,
    session_id: str,
    participant_id: str,
    mode: str,
    place: places.Slot,
    tab: str,
    now: float,
) -> None:
    """Store a session with its consent, in the seat that was reserved for it."""
    text_hash = served.study.consent_hash
    connection.execute(
        insert(session).values(
            id=session_id,
            participant=participant_id,
            study=served.id,
            study_hash=served.study.hash,
            mode=mode,
            slot=place.id,
            list=place.list,
            plan_seed=place.seed,
            # Set when the plan is opened for the first time (`presence.resume_session`).
            plan_hash="",
            state="consented",
            consent_hash=text_hash,
            tab=tab,
            created=now,
            updated=now,
        )
    )
    connection.execute(insert(consent).values(session=session_id, text_hash=text_hash, at=now))
