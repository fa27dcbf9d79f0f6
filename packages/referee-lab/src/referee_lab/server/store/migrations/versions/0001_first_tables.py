"""The first tables, and the triggers that protect answers and events from changes (rule 2).

A row of these tables is never changed. Only a purge deletes it, with a withdrawn session.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

OWNER = {
    "trial": "SELECT state FROM session WHERE id = OLD.session",
    "consent": "SELECT state FROM session WHERE id = OLD.session",
    "event": "SELECT state FROM session WHERE id = OLD.session",
    "correction": "SELECT s.state FROM session s JOIN trial t ON t.session = s.id WHERE t.uuid = OLD.trial",
    # Rooms are never withdrawn: their states (pieces on a board, no words) are never deleted.
    "snapshot": "SELECT state FROM room WHERE id = OLD.room",
}


def upgrade() -> None:
    """Create the tables and the triggers."""
    _create_tables()
    if op.get_bind().dialect.name == "sqlite":
        _guard_sqlite()
    else:
        _guard_postgresql()


def _guard_sqlite() -> None:
    """Create the triggers of SQLite."""
    for table, owner in OWNER.items():
        op.execute(
            f"CREATE TRIGGER {table}_never_changes BEFORE UPDATE ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} rows are never changed'); END"
        )
        op.execute(
            # IS NOT, since a missing owner gives NULL, which `<>` would let through.
            f"CREATE TRIGGER {table}_never_goes BEFORE DELETE ON {table} WHEN ({owner}) IS NOT 'withdrawn' "
            f"BEGIN SELECT RAISE(ABORT, '{table} rows are deleted only when withdrawn'); END"
        )


def _guard_postgresql() -> None:
    """Create the triggers of PostgreSQL."""
    for table, owner in OWNER.items():
        op.execute(
            f"CREATE FUNCTION {table}_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF TG_OP = 'DELETE' AND ({owner}) = 'withdrawn' THEN RETURN OLD; END IF; "
            f"RAISE EXCEPTION '{table} rows are never changed'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_kept()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_whole BEFORE TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_kept()"
        )


def _create_tables() -> None:
    """Create the tables."""
    op.create_table(
        "arrival",
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("entered", sa.Integer(), nullable=False),
        sa.Column("declined", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("study", "mode"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("session", sa.String(length=36), nullable=True),
        sa.Column("what", sa.String(length=40), nullable=False),
        sa.Column("who", sa.String(length=200), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_audit_session"), "audit", ["session"], unique=False)
    op.create_table(
        "list_slot",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("list", sa.String(length=200), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("session", sa.String(length=36), nullable=True),
        sa.Column("expires_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_list_slot_session"), "list_slot", ["session"], unique=False)
    op.create_index(op.f("ix_list_slot_study_mode_state"), "list_slot", ["study", "mode", "state"], unique=False)
    op.create_table(
        "participant",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("alias", sa.String(length=20), nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("study", "alias", name=op.f("uq_participant_study_alias")),
    )
    op.create_index(op.f("ix_participant_code_hash"), "participant", ["code_hash"], unique=False)
    op.create_table(
        "room",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", "version"),
    )
    op.create_table(
        "tombstone",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("sessions", sa.Integer(), nullable=False),
        sa.Column("trials", sa.Integer(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "identity",
        sa.Column("participant", sa.String(length=36), nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("platform", sa.String(length=20), nullable=False),
        sa.Column("external_id", sa.String(length=200), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["participant"],
            ["participant.id"],
        ),
        sa.PrimaryKeyConstraint("participant"),
        sa.UniqueConstraint(
            "study", "mode", "platform", "external_id", name=op.f("uq_identity_study_mode_platform_external_id")
        ),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("participant", sa.String(length=36), nullable=False),
        sa.Column("study", sa.String(length=200), nullable=False),
        sa.Column("study_hash", sa.String(length=64), nullable=False),
        sa.Column("mode", sa.String(length=10), nullable=False),
        sa.Column("slot", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("list", sa.String(length=200), nullable=False),
        sa.Column("plan_seed", sa.BigInteger(), nullable=False),
        sa.Column("plan_hash", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.Column("consent_hash", sa.String(length=64), nullable=False),
        sa.Column("tab", sa.String(length=64), nullable=True),
        sa.Column("client", sa.Text(), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("updated", sa.Double(), nullable=False),
        sa.Column("purge_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["participant"],
            ["participant.id"],
        ),
        sa.ForeignKeyConstraint(
            ["slot"],
            ["list_slot.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "ix_session_one_running",
        "session",
        ["participant"],
        unique=True,
        sqlite_where=sa.text("state IN ('consented', 'running')"),
        postgresql_where=sa.text("state IN ('consented', 'running')"),
    )
    op.create_index(op.f("ix_session_participant"), "session", ["participant"], unique=False)
    op.create_index(op.f("ix_session_study_mode_state"), "session", ["study", "mode", "state"], unique=False)
    op.create_table(
        "snapshot",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("room", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["room"],
            ["room.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("room", "seq", name=op.f("uq_snapshot_room_seq")),
    )
    op.create_table(
        "consent",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("session", sa.String(length=36), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session"],
            ["session.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_consent_session"), "consent", ["session"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("session", sa.String(length=36), nullable=True),
        sa.Column("room", sa.String(length=36), nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("client_seq", sa.Integer(), nullable=True),
        sa.Column("t_client", sa.Double(), nullable=True),
        sa.Column("t_server", sa.Double(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["room"],
            ["room.id"],
        ),
        sa.ForeignKeyConstraint(
            ["session"],
            ["session.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("room", "seq", name=op.f("uq_event_room_seq")),
        sa.UniqueConstraint("room", "session", "client_seq", name=op.f("uq_event_room_session_client_seq")),
    )
    op.create_index(op.f("ix_event_session"), "event", ["session"], unique=False)
    op.create_table(
        "trial",
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("session", sa.String(length=36), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("stimulus", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("times", sa.Text(), nullable=False),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("received_at", sa.Double(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["session"],
            ["session.id"],
        ),
        sa.PrimaryKeyConstraint("uuid"),
        sa.UniqueConstraint("session", "index", "attempt", name=op.f("uq_trial_session_index_attempt")),
    )
    op.create_table(
        "correction",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("trial", sa.String(length=36), nullable=False),
        sa.Column("author", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trial"],
            ["trial.uuid"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_correction_trial"), "correction", ["trial"], unique=False)
