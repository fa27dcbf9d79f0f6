"""`referee study purge`: deletes withdrawn data that are due; only counts remain."""

from __future__ import annotations

from referee.cli.options import make_app
from referee_lab.commands import options

app = make_app()


@app.command(epilog=options.examples("  referee study purge STUDY"))
def purge(
    study: options.StudyFolder,
    database: options.Database = None,
) -> None:
    """Delete withdrawn data whose announced delay is over. A running server does this by itself."""
    from referee_lab.server.sessions.served_study import open_served
    from referee_lab.server.sessions.withdrawal import purge as delete_due

    served = open_served(study, database=database, create=False, begin=False)
    gone = served.store.write(lambda connection: delete_due(connection, served))
    # Deleted rows are still in SQLite's log until it is written back.
    served.store.wipe_log()
    served.store.close()
    print(f"deleted: {gone['sessions']} sessions with {gone['trials']} answers and {gone['events']} events")
    if gone["sessions"]:
        print("earlier backups still contain them: delete those too")
