"""A study that is being served.

Its folder, its store, its keys and its clock in one hand, with the plans that are in use.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, insert, select

from referee.errors import InputError
from referee_lab.server.sessions import places
from referee_lab.server.sessions.plan import PlanStep, SessionPlan, make_plan
from referee_lab.server.sessions.states import ACTIVE
from referee_lab.server.sessions.steady_clock import SteadyClock
from referee_lab.server.store import schema
from referee_lab.server.store.keys import Keys, load_keys
from referee_lab.server.store.store import Store, create_reading_engine, make_sqlite_url, open_store
from referee_lab.study.folder.settings import PolicySection
from referee_lab.study.folder.study import Study, open_study

PLANS_KEPT = 2048  # about a quarter of a megabyte each, for sixty trials


@dataclass(frozen=True)
class Outline:
    """A plan as the server needs it.

    The steps that are saved, and a fingerprint that shows whether it is still the same plan.
    """

    plan: SessionPlan
    saved: tuple[int, ...]
    hash: str

    def step(self, index: int) -> PlanStep | None:
        return self.plan.steps[index] if 0 <= index < len(self.plan.steps) else None


@dataclass(frozen=True)
class Served:
    study: Study
    store: Store
    keys: Keys
    clock: Callable[[], float] = time.time
    _plans: OrderedDict[tuple[str, int, str], Outline] = field(default_factory=OrderedDict, repr=False)
    # Grows by one small entry per session. Needs no lock: concurrent writes of an entry are identical.
    _places: dict[str, tuple[str, int, str]] = field(default_factory=dict, repr=False)
    # Plans are made in worker threads and looked up on the event loop.
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def id(self) -> str:
        return self.study.id

    @property
    def policy(self) -> PolicySection:
        return self.study.policy

    def get_cached_outline(self, session_id: str) -> Outline | None:
        """Return the plan of a session if it is in the cache."""
        key = self._places.get(session_id)
        with self._lock:
            if key is None or key not in self._plans:
                return None
            self._plans.move_to_end(key)
            return self._plans[key]

    def load_outline(self, session_id: str) -> Outline | None:
        """Return the plan of a session by its id, looked up once; None before consent."""
        key = self._places.get(session_id)
        if key is None:
            with self.store.read() as connection:
                columns = (schema.session.c.list, schema.session.c.plan_seed, schema.session.c.study_hash)
                of_session = (schema.session.c.id == session_id, schema.session.c.study == self.id)
                row = connection.execute(select(*columns).where(*of_session)).one_or_none()
            if row is None:
                return None
            key = self._places[session_id] = (row[0], row[1], row[2])
        return self.outline(*key)

    def outline(self, list_id: str, seed: int, study_hash: str) -> Outline:
        """Return the plan of a session, cached while in use.

        `study_hash` is the study's hash at the start of the session, which determines the order.
        """
        key = (list_id, seed, study_hash)
        with self._lock:
            if (outline := self._plans.get(key)) is not None:
                self._plans.move_to_end(key)
                return outline
        # Outside the lock, since it takes long; two threads may make the same plan, and either one will do.
        made = _fingerprint_plan(make_plan(replace(self.study, hash=study_hash), list_id, seed))
        with self._lock:
            self._plans[key] = made
            while len(self._plans) > PLANS_KEPT:
                self._plans.popitem(last=False)
        return made


def _fingerprint_plan(plan: SessionPlan) -> Outline:
    """Return a plan with its fingerprint, which covers the steps with stored answers but not the wording of pages."""
    # With their places in the plan: a page inserted before a trial moves its number, by which answers are stored.
    asked = [(step.index, step.kind, step.plugin, step.shown.parameters) for step in plan.steps if step.saved]
    content = _FINGERPRINT.encode([len(plan.steps), asked])
    return Outline(plan=plan, saved=plan.saved_indexes, hash=hashlib.sha256(content.encode()).hexdigest())


def _as_dict(value: Any) -> dict[str, Any]:
    """Return a read-only mapping as a dict, for JSON."""
    if not isinstance(value, Mapping):
        raise TypeError(f"a page cannot be shown {type(value).__name__}")
    return dict(value)


# The same text as `schema.canonical`, without copying every plan: new participants wait for this.
_FINGERPRINT = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=_as_dict)


def open_served(
    folder: str | Path,
    *,
    database: str | None = None,
    accept_changes: bool = False,
    create: bool = True,
    begin: bool = True,
    clock: Callable[[], float] | None = None,
) -> Served:
    """Open a study folder for the server, with its data in data/ or in the database at `database`.

    With `begin` False it is only worked on, not served.
    """
    study = open_study(Path(folder))
    data = Path(folder) / "data"
    url = database or make_sqlite_url((data / "study.sqlite").resolve())
    # Exports and corrections may run beside the study's server.
    store = open_store(url, study.id, create=create, alone=begin)
    try:
        keys, steady = load_keys(data / "keys.toml"), clock or SteadyClock(_find_newest_time(store, study.id))
        served = Served(study=study, store=store, keys=keys, clock=steady)
        if begin:
            store.write(lambda connection: _prepare_study(connection, served, accept_changes))
    except BaseException:
        store.close()
        raise
    return served


def matches_plan(connection: Connection, outline: Outline, session_id: str) -> bool:
    """Return whether every stored answer of a session belongs to the same step of this plan."""
    answer = schema.trial.c
    stored = select(answer["index"].label("step"), answer.kind, answer.stimulus, answer.labels)
    for row in connection.execute(stored.where(answer.session == session_id)):
        step = outline.step(row.step)
        stimulus = step.stimulus.id if step is not None and step.stimulus is not None else None
        if step is None or (step.kind, stimulus, dict(step.shown.labels)) != (row.kind, row.stimulus, dict(row.labels)):
            return False
    return True


def _find_broken_sessions(connection: Connection, served: Served) -> list[str]:
    """Return running sessions of this folder whose answers do not fit the plans of this release."""
    row = schema.session.c
    running = select(row.id, row.list, row.plan_seed, row.plan_hash, row.study_hash).where(
        row.study == served.id, row.state.in_(ACTIVE), row.study_hash == served.study.hash, row.plan_hash != ""
    )
    recent = running.where(row.mode != "debug", row.updated > served.clock() - 3600 * served.policy.resume_hours)
    cut = []
    for entry in connection.execute(recent).all():
        outline = served.outline(entry.list, entry.plan_seed, entry.study_hash)
        if outline.hash != entry.plan_hash and not matches_plan(connection, outline, entry.id):
            cut.append(entry.id)
    return cut


def has_begun(study: Study) -> bool:
    """Return whether people have taken part in a study in its mode. A PostgreSQL database is not queried.

    Data in PostgreSQL are not asked.
    """
    path = study.folder / "data" / "study.sqlite"
    if not path.exists():
        return False
    engine = create_reading_engine(make_sqlite_url(path.resolve()))
    row = schema.session.c
    begun = select(func.count()).where(row.study == study.id, row.mode == study.mode, row.study_hash == study.hash)
    try:
        with engine.connect() as connection:
            return bool(connection.scalar(begun))
    finally:
        engine.dispose()


def _find_newest_time(store: Store, study_id: str) -> float:
    """Return the latest time that the store contains for this study."""
    with store.read() as connection:
        newest = select(func.max(schema.session.c.updated)).where(schema.session.c.study == study_id)
        return float(connection.scalar(newest) or 0.0)


def _prepare_study(connection: Connection, served: Served, accept_changes: bool) -> None:
    """Store the study's version, and create the seats of its lists, for its mode and for debug mode."""
    study = served.study
    last = connection.execute(
        select(schema.study).where(schema.study.c.id == study.id).order_by(schema.study.c.version.desc()).limit(1)
    ).one_or_none()
    # Every change of the folder is a version of its own; which one a session saw is in its row.
    if last is None or last.hash != study.hash:
        if last is not None and not accept_changes:
            _refuse_changes(connection, study)
        version = {"id": study.id, "version": 1 + (last.version if last else 0), "hash": study.hash, "mode": study.mode}
        connection.execute(insert(schema.study).values(created=served.clock(), **version))
    if not accept_changes and (cut := _find_broken_sessions(connection, served)):
        raise InputError(
            f"{len(cut)} sessions under way were begun by another release of this program, which orders trials differently",
            where=study.id,
            remedy="serve with that release until they are finished, or say --accept-changes: then these sessions are ended and paid",
        )
    names = [entry.id for entry in study.lists]
    # A study that is live can still be tried out, on places of its own.
    for mode in {study.mode, "debug"}:
        places.create_seats(connection, study.id, mode, names, study.seed, planned=study.participants)


def _refuse_changes(connection: Connection, study: Study) -> None:
    """Raise InputError if the study folder has changed since sessions were started."""
    taken = connection.scalar(
        select(func.count())
        .select_from(schema.session)
        .where(schema.session.c.study == study.id, schema.session.c.mode == study.mode)
    )
    # Sessions of debug mode may be discarded.
    if taken and study.mode != "debug":
        raise InputError(
            f"the study was changed after {taken} people took part in {study.mode} mode",
            where=study.id,
            remedy="put the folder back as it was, or give the changed study a new id; "
            "--accept-changes continues and records the change (sessions under way whose plan changed are ended and paid)",
        )
