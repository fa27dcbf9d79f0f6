"""Payments: reward and bonus of every session by its outcome, in the formats of Prolific and Mechanical Turk.

This is the only output besides `--include-identities` that joins rewards with platform ids; it contains no other data.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from sqlalchemy import Connection, select

from referee.errors import InputError, UnknownName
from referee_lab.server.sessions.outcomes import PAID
from referee_lab.server.store.schema import identity, participant
from referee_lab.study.data.collection import collect
from referee_lab.study.data.dataset import Dataset
from referee_lab.study.folder.study import Study

FORMS = ("csv", "prolific", "prolific-bonus", "mturk")
CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """One session: `reward` for its outcome, `bonus` for right answers; ids as the platform gave them."""

    alias: str
    id: str
    submission: str
    platform_study: str
    outcome: str
    right: int
    reward: Decimal
    bonus: Decimal


def list_payments(study: Study, connection: Connection, mode: str | None = None) -> list[Owed]:
    """Return everyone whose session has ended, paid or not.

    Simulated participants and people who withdrew are left out.
    """
    collected = collect(study, connection, mode)
    rules = study.recruitment
    right = Counter(a.sitting.id for a in collected.trials if a.right and a.counts_for())
    ids = {
        row.alias: row
        for row in connection.execute(
            select(participant.c.alias, identity.c.external_id, identity.c.details, identity.c.platform)
            .join(identity, identity.c.participant == participant.c.id)
            .where(participant.c.study == study.id, participant.c.mode == collected.mode)
        )
    }
    reward = _round_to_cents(
        max(Decimal(str(rules.reward)), Decimal(str(rules.hourly)) * compute_median_hours(collected))
    )
    payments = []
    for sitting in collected.sittings:
        if sitting.outcome in (None, "restarted") or sitting.simulated is not None:
            continue
        share = (
            Decimal(1)
            if sitting.outcome == "completed"
            else Decimal(str(rules.partial_share))
            if sitting.outcome in PAID
            else Decimal(0)
        )
        identified = ids.get(sitting.alias)
        payments.append(
            Owed(
                alias=sitting.alias,
                id=identified.external_id if identified else "",
                submission=_get_submission(identified.details) if identified else "",
                platform_study=str(identified.details.get("STUDY_ID") or "") if identified else "",
                outcome=str(sitting.outcome),
                right=right[sitting.id],
                reward=_round_to_cents(reward * share),
                bonus=_round_to_cents(Decimal(str(rules.bonus_each)) * right[sitting.id]) if share else Decimal("0.00"),
            )
        )
    return payments


def compute_median_hours(collected: Dataset) -> Decimal:
    """Return the median duration of the completed sessions of people, in hours; 0 without any."""
    minutes = [s.minutes for s in collected.sittings if s.outcome == "completed" and s.simulated is None]
    return Decimal(str(median(minutes))) / 60 if minutes else Decimal(0)


def write_payment_file(study: Study, people: Sequence[Owed], form: str) -> str:
    """Return the payments as CSV in one of the forms csv, prolific, prolific-bonus and mturk."""
    if form not in FORMS:
        raise UnknownName("form", form, FORMS, hint=f"one of {', '.join(FORMS)}")
    needed = "mturk" if form == "mturk" else "prolific" if form.startswith("prolific") else None
    if needed and study.recruitment.platform != needed:
        raise InputError(
            f"this study recruits by {study.recruitment.platform!r}, not by {needed}",
            remedy="--form csv is for everybody",
        )
    return _convert_to_csv(_FORMS[form](study, people))


Rows = Iterable[Sequence[object]]


def _build_plain_rows(study: Study, people: Sequence[Owed]) -> Rows:
    """Yield the payments as rows of a plain table."""
    yield [
        "participant",
        "platform_id",
        "submission",
        "outcome",
        "right_answers",
        "reward",
        "bonus",
        "total",
        "currency",
    ]
    for p in people:
        paid = (p.reward, p.bonus, p.reward + p.bonus, study.recruitment.currency)
        yield (p.alias, p.id, p.submission, p.outcome, p.right, *paid)


def _build_prolific_rows(study: Study, people: Sequence[Owed]) -> Rows:
    """Yield the submission ids to paste into "approve in bulk": those that are paid."""
    return ((p.id,) for p in people if p.id and p.outcome in PAID)


def _build_bonus_rows(study: Study, people: Sequence[Owed]) -> Rows:
    """Yield lines of "participant id,amount", the format of Prolific's bulk bonus payment."""
    return ((p.id, p.bonus) for p in people if p.id and p.bonus)


def _build_mturk_rows(study: Study, people: Sequence[Owed]) -> Rows:
    """Yield the rows of a batch results file with an x under Approve, and the bonuses beside them."""
    yield ("AssignmentId", "WorkerId", "Approve", "Reject", "BonusAmount", "Reason")
    for p in people:
        bonus = (p.bonus, f"{p.right} right answers") if p.bonus else ("", "")
        yield (p.submission, p.id, "x" if p.outcome in PAID else "", "", *bonus)


_FORMS = {
    "csv": _build_plain_rows,
    "prolific": _build_prolific_rows,
    "prolific-bonus": _build_bonus_rows,
    "mturk": _build_mturk_rows,
}


def _get_submission(details: dict[str, str]) -> str:
    return str(details.get("SESSION_ID") or details.get("assignmentId") or "")


def _round_to_cents(value: Decimal) -> Decimal:
    return value.quantize(CENT, ROUND_HALF_UP)


def _convert_to_csv(rows: Rows) -> str:
    """Return rows as CSV text."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()
