"""Reads the collected data of a study over a connection that the database keeps read-only, without withdrawn sessions.

Corrections by the organisers replace the corrected answer; the original is kept beside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

from sqlalchemy import Connection, func, inspect, select

from referee.errors import InputError, MalformedInput
from referee_lab.server.sessions.plan import CHECK, FORM, PlanStep, was_right
from referee_lab.server.sessions.states import LEFT_OUT
from referee_lab.server.store import schema
from referee_lab.server.store.store import create_reading_engine, make_sqlite_url
from referee_lab.study.data.dataset import BY_HAND, AnswerCorrection, Dataset, Sitting, StoredAnswer
from referee_lab.study.data.exclusion import flag_impossible, mark_answer, mark_sessions
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.contract import Shown, Stimulus

# A field of a page's display properties; bots set it, pages never do.
SIMULATED = "simulated"


@contextmanager
def open_for_reading(study: Study, database: str | None = None) -> Iterator[Connection]:
    """Return a connection to the study's data that the database keeps from writing."""
    path = study.folder / "data" / "study.sqlite"
    if database is None and not path.is_file():
        raise InputError(
            "no data yet: the study has no participants",
            where=path,
            remedy=f"serve it (`referee study serve {study.folder}`), or try it out with `referee study simulate`",
        )
    engine = create_reading_engine(database or make_sqlite_url(path.resolve()))
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table("trial"):
                raise MalformedInput("this is not a store of a study", where=path, remedy="restore it from a backup")
            yield connection
    finally:
        engine.dispose()


def collect_from(study: Study, database: str | None = None, mode: str | None = None) -> Dataset:
    """Return all collected data of a study without withdrawn sessions.

    Parameters
    ----------
    study
        An opened study folder.
    database
        The address of the database; by default the folder's own data/study.sqlite.
    mode
        "debug", "pilot" or "live"; by default the study's mode.

    Returns
    -------
    Dataset
        Sessions, answers with their stimuli, and corrections. The rules of [exclusion] mark rows and remove none.

    Raises
    ------
    InputError
        If the study has no participants yet.
    """
    with open_for_reading(study, database) as connection:
        return collect(study, connection, mode)


def collect(study: Study, connection: Connection, mode: str | None = None) -> Dataset:
    """Return all collected data of a study, like `collect_from`, over an open connection."""
    chosen = mode or study.mode
    asked = _Asked(study)
    raw = _load_sessions(connection, study, chosen)
    stored = _load_answers(connection, study, chosen, raw)
    corrected, corrections = _apply_corrections(connection, stored, asked)
    answers = flag_impossible(_judge_answer(answer, asked) for answer in corrected)
    # Sessions first: their marks are counted from answers, and then hold for all of them.
    sittings = mark_sessions(study, {id: sitting for id, (sitting, _) in raw.items()}, answers, chosen)
    judged = [mark_answer(study, replace(a, sitting=sittings[a.sitting.id])) for a in answers]
    # Neither times of day nor ids of the store: the same data are exported in the same order.
    judged.sort(key=lambda a: (a.sitting.alias, a.sitting.number, a.step, a.attempt))
    done = [a for a in judged if a.state == "done"]
    return Dataset(
        study=study,
        mode=chosen,
        sittings=tuple(sorted(sittings.values(), key=lambda s: (s.alias, s.number))),
        answers=tuple(a for a in done if a.kind != FORM),
        aborted=tuple(a for a in judged if a.state != "done"),
        forms=tuple(a for a in done if a.kind == FORM),
        corrections=tuple(corrections),
        counts=_count_people(connection, study, chosen),
    )


# -- stored rows -------------------------------------------------------------------------------------------------------


def _load_sessions(connection: Connection, study: Study, mode: str) -> dict[str, tuple[Sitting, float]]:
    """Return the sessions of a study that are not withdrawn, with their time of consent."""
    s, p = schema.session.c, schema.participant.c
    rows = connection.execute(
        select(schema.session, p.alias)
        .join(schema.participant, p.id == s.participant)
        # Withdrawn sessions are out at once, long before they are deleted.
        .where(s.study == study.id, s.mode == mode, s.state.not_in(LEFT_OUT))
        .order_by(p.alias, s.created, s.id)
    )
    groups = {entry.id: entry for entry in study.lists}
    numbers: Counter[str] = Counter()
    result = {}
    for row in rows:
        numbers[row.alias] += 1
        entry = groups.get(row.list)
        client = row.client or {}
        result[row.id] = (
            Sitting(
                id=row.id,
                alias=row.alias,
                number=numbers[row.alias],
                list=row.list,
                group=entry.group if entry else None,
                planned=len(entry.trials) if entry else 0,
                state=row.state,
                outcome=row.outcome,
                study_hash=row.study_hash,
                day=datetime.fromtimestamp(row.created, UTC).date().isoformat(),
                minutes=round(max(row.updated - row.created, 0.0) / 60, 2),
                client=client,
                simulated=str(client[SIMULATED]) if client.get(SIMULATED) else None,
            ),
            row.created,
        )
    return result


def _load_answers(
    connection: Connection, study: Study, mode: str, sessions: Mapping[str, tuple[Sitting, float]]
) -> list[StoredAnswer]:
    """Return the stored answers of a study in the order of their steps."""
    of_study = (schema.session.c.study == study.id, schema.session.c.mode == mode)
    t = schema.trial.c
    # `index` is a method of every row: the column goes by `step` wherever it is read
    ordered = (
        select(schema.trial, t["index"].label("step"))
        .join(schema.session, schema.session.c.id == t.session)
        .where(*of_study)
    )
    rows = connection.execute(ordered.order_by(t.session, t["index"], t.attempt))
    return [_read_stored_answer(row, sessions[row.session]) for row in rows if row.session in sessions]


def _count_people(connection: Connection, study: Study, mode: str) -> dict[str, int]:
    """Return counts of people without data: those who declined, were not eligible or withdrew."""
    of_study = (schema.arrival.c.study == study.id, schema.arrival.c.mode == mode)
    came = connection.execute(select(schema.arrival).where(*of_study)).one_or_none()
    gone = (schema.tombstone.c.study == study.id, schema.tombstone.c.mode == mode)
    left = (schema.session.c.study == study.id, schema.session.c.mode == mode, schema.session.c.state == "withdrawn")
    return {
        "entered": came.entered if came else 0,
        "declined": came.declined if came else 0,
        "withdrawn": connection.scalar(select(func.count()).select_from(schema.session).where(*left)) or 0,
        "purged": connection.scalar(select(func.sum(schema.tombstone.c.sessions)).where(*gone)) or 0,
    }


# -- joined with their stimuli -----------------------------------------------------------------------------------------


class _Asked:
    """The stimuli of the study folder, and how the protocol shows each.

    Which object hides behind which label is stored with every answer.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self.stimuli = {s.id: s for s in study.iterate_stimuli()}
        self.checks = {check.stimulus.id: check for check in study.checks}
        self._parameters: dict[str, Mapping[str, Any]] = {}

    def step(self, answer: StoredAnswer) -> PlanStep | None:
        """Return the step of an answer, with the fields that are needed to read the answer."""
        stimulus = self.stimuli.get(answer.stimulus or "")
        if stimulus is None:
            return None
        shown = Shown(parameters=self._get_parameters(stimulus), labels=answer.labels)
        check = self.checks.get(stimulus.id) if answer.kind == CHECK else None
        plugin = self.study.kind.info.plugin
        return PlanStep(
            index=answer.step, kind=answer.kind, plugin=plugin, stimulus=stimulus, shown=shown, saved=True, check=check
        )

    def _get_parameters(self, stimulus: Stimulus) -> Mapping[str, Any]:
        """Return the parameters of a stimulus as pages received them."""
        if stimulus.id not in self._parameters:
            # Any order will do: labels come from the store, and of the parameters only those are read that chance does
            # not touch.
            shown = self.study.kind.show(stimulus, self.study.settings, Random(0))
            self._parameters[stimulus.id] = shown.parameters
        return self._parameters[stimulus.id]


def _read_stored_answer(row: Any, session: tuple[Sitting, float]) -> StoredAnswer:
    """Return an answer as the store has it, without its stimulus."""
    sitting, began = session
    return StoredAnswer(
        uuid=row.uuid,
        sitting=sitting,
        step=row.step,
        attempt=row.attempt,
        state=row.state,
        kind=row.kind,
        stimulus=row.stimulus,
        answer=row.answer,
        times=row.times,
        flags=tuple(row.flags),
        labels=row.labels,
        # Seconds from the beginning and not the time of day, by which a platform could tell people.
        after_s=round(row.received_at - began, 3),
    )


def _apply_corrections(
    connection: Connection, stored: Sequence[StoredAnswer], asked: _Asked
) -> tuple[list[StoredAnswer], list[AnswerCorrection]]:
    """Return answers with the last correction of each applied, and all corrections.

    A correction that no page could have sent is not applied.
    """
    written: dict[str, list[Any]] = defaultdict(list)
    for row in connection.execute(select(schema.correction).order_by(schema.correction.c.id)):
        written[row.trial].append(row)
    answers, listed = [], []
    for answer in stored:
        current = answer
        # Each on top of the one before, in the order in which they were written.
        for row in written.get(answer.uuid, ()):
            correction = _read_correction(row, current, asked)
            listed.append(correction)
            if not correction.problem:
                current = replace(current, answer=correction.after, flags=tuple(sorted({*current.flags, BY_HAND})))
        answers.append(current)
    return answers, listed


def _read_correction(row: Any, answer: StoredAnswer, asked: _Asked) -> AnswerCorrection:
    """Return a stored correction; `problem` is the reason why it is not applied."""
    return AnswerCorrection(
        trial=answer.uuid,
        author=row.author,
        reason=row.reason,
        before=answer.answer,
        after=row.answer,
        problem=_find_problem(replace(answer, answer=row.answer), asked),
    )


def _find_problem(answer: StoredAnswer, asked: _Asked) -> str:
    """Return the reason why an answer is invalid for its step; empty if it is valid."""
    step = asked.step(answer)
    if step is None:
        return "" if answer.kind == FORM else "the study folder no longer has this stimulus"
    try:
        asked.study.kind.check(answer, step.shown, asked.study.settings)
    except InputError as error:
        return f"{error.where}: {error.problem}"
    return ""


def _judge_answer(answer: StoredAnswer, asked: _Asked) -> StoredAnswer:
    """Return an answer with its stimulus, its response and whether that is correct."""
    step = asked.step(answer)
    if step is None or step.stimulus is None:
        return answer
    if answer.state != "done":
        return replace(answer, asked=step.stimulus)
    response = asked.study.kind.respond(answer, step.stimulus, step.shown, answer.sitting.alias)
    return replace(answer, asked=step.stimulus, response=response, right=was_right(asked.study, step, answer))
