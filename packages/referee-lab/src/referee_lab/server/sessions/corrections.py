"""Corrections: the corrected answer is stored beside the original, with author and reason.

The original never changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select

from referee.errors import InputError
from referee_lab.server.sessions.plan import check_answer
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.schema import correction, session, trial
from referee_lab.server.web.request_bodies import Correct
from referee_lab.study.protocols.contract import GivenAnswer


def store_correction(connection: Connection, served: Served, body: Correct) -> int:
    """Store a correction of one stored answer, and return its number."""
    _find_answer(connection, served, body.trial)
    # Answers are stored under the lower-case form of their UUID (`request_bodies.read_answer`).
    values = {"trial": body.trial.lower(), "author": body.author, "reason": body.reason, "answer": body.answer}
    written = connection.execute(insert(correction).values(**values, at=served.clock())).inserted_primary_key
    assert written is not None  # SQLAlchemy gives it for every insert of one row
    return int(written[0])


def apply_correction(
    connection: Connection, served: Served, uuid: str, chosen: str | None, changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the stored answer with changes, checked as if a page had sent it.

    `chosen` is an object as exports name it.
    """
    row = _find_answer(connection, served, uuid)
    answer = {**row.answer, **changes}
    if chosen is not None:
        answer |= {"outcome": "entity", "entity": _get_label(row.labels, chosen)}
    # The plan has the stimulus of the step; without it (the study folder has changed) nothing can be checked.
    outline = served.load_outline(row.session)
    step = outline.step(row.step) if outline else None
    if step is not None:
        check_answer(served.study, step, GivenAnswer(answer=answer, times=row.times))
    return answer


def _find_answer(connection: Connection, served: Served, uuid: str) -> Any:
    """Return the stored answer with a UUID. Raises Problem if there is none."""
    columns = (trial.c.session, trial.c["index"].label("step"), trial.c.answer, trial.c.times, trial.c.labels)
    query = select(*columns).join(session, session.c.id == trial.c.session)
    query = query.where(trial.c.uuid == uuid.lower(), session.c.study == served.id)
    stored = connection.execute(query).one_or_none()
    if stored is None:
        raise Problem(404, "no-trial", "No stored answer has this UUID.")
    return stored


def _get_label(labels: Mapping[str, str], entity: str) -> str:
    """Return the label under which an object was shown."""
    # By the labels that were stored with the answer: each participant's scene has its own labels.
    shown = {name: label for label, name in labels.items()}
    if entity not in shown:
        raise InputError(f"no object {entity!r} was shown there", remedy=f"one of {', '.join(sorted(shown))}")
    return shown[entity]
