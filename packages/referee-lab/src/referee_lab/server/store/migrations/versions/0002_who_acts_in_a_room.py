"""Adds the column `actor` to events in a room: server or bot where no person (`session`) acted.

Up to 0001 the lines of a bot had this in their data, as "by": "bot"; the migration moves it to the column. For that,
the trigger that protects rows is disabled inside this one transaction.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column and fill it from the data of existing rows."""
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
    """Fill the column: "bot" for lines of bots, "server" for other lines without a person."""
    event = sa.table("event", *(sa.column(name) for name in ("id", "session", "kind", "data", "actor")))
    bind, by_nobody = op.get_bind(), event.c.session.is_(None)
    bind.execute(event.update().where(by_nobody).values(actor="server"))
    # The end of a room names the player who left in a field that is also called "by"; that field stays. First a filter
    # on the stored text, which is canonical JSON; each row is then parsed.
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
