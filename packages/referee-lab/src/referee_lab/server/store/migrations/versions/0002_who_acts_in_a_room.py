"""Who did what in a room has a column of its own: `actor` is server or bot where no person (`session`) is.

Up to 0001 the lines of a bot hid that in their data, as "by": "bot"; the same is said of them now, in its proper place. For that the guard that keeps rows as
they were written is lifted inside this one transaction.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("event", sa.Column("actor", sa.String(length=10), nullable=True))
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DROP TRIGGER event_never_changes" if sqlite else "ALTER TABLE event DISABLE TRIGGER event_kept")
    _name_actors()
    op.execute(
        "CREATE TRIGGER event_never_changes BEFORE UPDATE ON event "
        "BEGIN SELECT RAISE(ABORT, 'event rows are never changed'); END"
        if sqlite
        else "ALTER TABLE event ENABLE TRIGGER event_kept"
    )


def _name_actors() -> None:
    event = sa.table("event", *(sa.column(name) for name in ("id", "session", "kind", "data", "actor")))
    bind, by_nobody = op.get_bind(), event.c.session.is_(None)
    bind.execute(event.update().where(by_nobody).values(actor="server"))
    # the end of a room names whoever ended it in a field that is also called "by": that one stays
    # A first sieve on the stored text, which is canonical JSON; each row is then read properly.
    bots = sa.select(event.c.id, event.c.data).where(
        by_nobody, event.c.kind != "over", event.c.data.like('%"by":"bot"%')
    )
    for number, text in bind.execute(bots).all():
        data = json.loads(text)
        if data.get("by") == "bot":
            del data["by"]
            # Canonical JSON as `schema.canonical` writes it, repeated here: a migration must not change with the
            # program.
            written = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
            bind.execute(event.update().where(event.c.id == number).values(actor="bot", data=written))
