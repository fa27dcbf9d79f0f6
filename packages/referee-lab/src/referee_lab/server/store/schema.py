"""The tables of a study's store.

Names and platform ids are in one table apart from everything else. Answers and events are only ever added: triggers of
the database refuse any change, and allow a deletion only within a withdrawn session.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeDecorator

# Tables whose rows are never changed, each with the query for the state that permits a deletion ('withdrawn').
APPEND_ONLY = {
    "trial": "SELECT state FROM session WHERE id = OLD.session",
    "consent": "SELECT state FROM session WHERE id = OLD.session",
    "event": "SELECT state FROM session WHERE id = OLD.session",
    "correction": "SELECT s.state FROM session s JOIN trial t ON t.session = s.id WHERE t.uuid = OLD.trial",
    # Rooms are never withdrawn: their states (pieces on a board, no words) are never deleted.
    "snapshot": "SELECT state FROM room WHERE id = OLD.room",
}
# IS NOT, since a missing owner gives NULL, which `<>` would let through.
_TRIGGERS = {
    "sqlite": (
        "CREATE TRIGGER {table}_never_changes BEFORE UPDATE ON {table} "
        "BEGIN SELECT RAISE(ABORT, '{table} rows are never changed'); END",
        "CREATE TRIGGER {table}_never_goes BEFORE DELETE ON {table} WHEN ({owner}) IS NOT 'withdrawn' "
        "BEGIN SELECT RAISE(ABORT, '{table} rows are deleted only when withdrawn'); END",
    ),
    "postgresql": (
        "CREATE FUNCTION {table}_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF TG_OP = 'DELETE' AND ({owner}) = 'withdrawn' THEN RETURN OLD; END IF; "
        "RAISE EXCEPTION '{table} rows are never changed'; END $$",
        "CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_kept()",
        "CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {table}_kept()",
    ),
}

metadata = MetaData(
    naming_convention={"ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s"}
)


# Made once, and sorted: `kept_answers.hash_body` takes equal values for equal texts.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def to_canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and only ASCII, so that equal values are equal texts in every database."""
    return _CANONICAL.encode(value)


class Json(TypeDecorator[Any]):
    """A column type: a value stored as canonical JSON text."""

    # Not a JSON type of the database: those may reorder keys and rewrite numbers, and differ between the two.
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else to_canonical_json(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        return None if value is None else json.loads(value)


def _make_serial_column() -> Column[int]:
    # SQLite increments only columns of type INTEGER.
    return Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)


study = Table(
    "study",
    metadata,
    Column("id", String(200), primary_key=True),
    # A row for every change of the folder after the first start.
    Column("version", Integer, primary_key=True),
    Column("hash", String(64), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("created", Double, nullable=False),
)

arrival = Table(
    "arrival",
    metadata,
    Column("study", String(200), primary_key=True),
    Column("mode", String(10), primary_key=True),
    # Numbers only: nothing else is stored of people who decline or never consent .
    Column("entered", Integer, nullable=False),
    Column("declined", Integer, nullable=False),
)

list_slot = Table(
    "list_slot",
    metadata,
    _make_serial_column(),
    Column("study", String(200), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("list", String(200), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("state", String(10), nullable=False),
    # No foreign key: the place is reserved first, in the same transaction, and then the session is made.
    Column("session", String(36), index=True),
    Column("expires_at", Double),
    Index(None, "study", "mode", "state"),
)

participant = Table(
    "participant",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("study", String(200), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("alias", String(20), nullable=False),
    # Withdrawing by code looks the person up by it.
    Column("code_hash", String(64), nullable=False, index=True),
    Column("created", Double, nullable=False),
    UniqueConstraint("study", "alias"),
)

# The only table with ids from outside ; answers lead here by way of `participant` alone.
identity = Table(
    "identity",
    metadata,
    Column("participant", ForeignKey("participant.id"), primary_key=True),
    Column("study", String(200), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("external_id", String(200), nullable=False),
    Column("details", Json, nullable=False),
    # One person of a platform takes part once in each mode.
    UniqueConstraint("study", "mode", "platform", "external_id"),
)

session = Table(
    "session",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("participant", ForeignKey("participant.id"), nullable=False, index=True),
    Column("study", String(200), nullable=False),
    # The folder as it was when the session began: its plan is made from that.
    Column("study_hash", String(64), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("slot", ForeignKey("list_slot.id")),
    Column("list", String(200), nullable=False),
    Column("plan_seed", BigInteger, nullable=False),
    Column("plan_hash", String(64), nullable=False),
    Column("state", String(20), nullable=False),
    Column("outcome", String(20)),
    Column("consent_hash", String(64), nullable=False),
    Column("tab", String(64)),
    Column("client", Json),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    Column("purge_at", Double),
    Index(None, "study", "mode", "state"),
    Index(
        # Kept by the database: one running session per participant.
        "ix_session_one_running",
        "participant",
        unique=True,
        sqlite_where=text("state IN ('consented', 'running')"),
        postgresql_where=text("state IN ('consented', 'running')"),
    ),
)

consent = Table(
    "consent",
    metadata,
    _make_serial_column(),
    Column("session", ForeignKey("session.id"), nullable=False, index=True),
    Column("text_hash", String(64), nullable=False),
    Column("at", Double, nullable=False),
)

trial = Table(
    "trial",
    metadata,
    # The page's own name for the answer, by which sending again is harmless.
    Column("uuid", String(36), primary_key=True),
    Column("session", ForeignKey("session.id"), nullable=False),
    Column("index", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", String(10), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("stimulus", Text),
    Column("answer", Json, nullable=False),
    Column("times", Json, nullable=False),
    Column("flags", Json, nullable=False),
    Column("labels", Json, nullable=False),
    Column("received_at", Double, nullable=False),
    Column("hash", String(64), nullable=False),
    UniqueConstraint("session", "index", "attempt"),
)

correction = Table(
    "correction",
    metadata,
    _make_serial_column(),
    Column("trial", ForeignKey("trial.uuid"), nullable=False, index=True),
    Column("author", String(200), nullable=False),
    Column("reason", Text, nullable=False),
    Column("answer", Json, nullable=False),
    Column("at", Double, nullable=False),
)

room = Table(
    "room",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("study", String(200), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("state", String(20), nullable=False),
    Column("data", Json, nullable=False),
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
)

event = Table(
    "event",
    metadata,
    _make_serial_column(),
    Column("session", ForeignKey("session.id"), index=True),
    Column("room", ForeignKey("room.id")),
    Column("actor", String(10)),
    Column("seq", Integer, nullable=False),
    Column("client_seq", Integer),
    Column("t_client", Double),
    Column("t_server", Double, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("data", Json, nullable=False),
    UniqueConstraint("room", "seq"),
    # NULLs are distinct: lines without a sender (no `client_seq`) are exempt.
    UniqueConstraint("room", "session", "client_seq"),
)

snapshot = Table(
    "snapshot",
    metadata,
    _make_serial_column(),
    Column("room", ForeignKey("room.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Double, nullable=False),
    # Of the program: a replay shows stored states and never runs newer rules over old input.
    Column("version", String(64), nullable=False),
    Column("state", Json, nullable=False),
    UniqueConstraint("room", "seq"),
)

audit = Table(
    "audit",
    metadata,
    _make_serial_column(),
    Column("at", Double, nullable=False),
    Column("study", String(200), nullable=False),
    Column("session", String(36), index=True),
    Column("what", String(40), nullable=False),
    Column("who", String(200), nullable=False),
    Column("data", Json, nullable=False),
)

# The only remains of purged data.
tombstone = Table(
    "tombstone",
    metadata,
    _make_serial_column(),
    Column("at", Double, nullable=False),
    Column("study", String(200), nullable=False),
    Column("mode", String(10), nullable=False),
    Column("sessions", Integer, nullable=False),
    Column("trials", Integer, nullable=False),
    Column("events", Integer, nullable=False),
)


def create_tables(connection: Connection) -> None:
    """Create the tables and the triggers that protect their rows, in an empty database."""
    metadata.create_all(connection)
    for table, owner in APPEND_ONLY.items():
        for trigger in _TRIGGERS[connection.dialect.name]:
            connection.exec_driver_sql(trigger.format(table=table, owner=owner))
