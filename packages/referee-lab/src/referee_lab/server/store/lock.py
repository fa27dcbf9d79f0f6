"""One server for each study in a database that several studies share.

A store in a file is held by a file (`files.hold_alone`).
"""

from __future__ import annotations

import contextlib
import hashlib
import time

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from referee.errors import InputError

PATIENCE_SECONDS = 5.0  # a database takes a moment to see that a killed server is gone
SERVED_ALREADY = "this study is being served already"
ONE_SERVER = "use that server, or stop it first; one process serves a study"


def lock_study(engine: Engine, study_id: str, where: str) -> Connection:
    """Return a PostgreSQL connection with the lock of this study.

    The lock ends with the process in any case (kill -9 included).
    """
    # PostgreSQL locks go by a signed number of 64 bits.
    key = int.from_bytes(hashlib.sha256(study_id.encode()).digest()[:8], "big", signed=True)
    # The lock belongs to the connection; a transaction kept open for weeks would keep the database from tidying up.
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    end = time.monotonic() + PATIENCE_SECONDS
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}):
        if time.monotonic() > end:
            connection.close()
            raise InputError(f"{SERVED_ALREADY}, by another process", where=where, remedy=ONE_SERVER)
        time.sleep(0.1)
    connection.detach()  # the lock ends with it, and no pool reuses it
    return connection


class DatabaseLock:
    """The lock in PostgreSQL, taken anew when the database was started again.

    `lost` once another server has it.
    """

    def __init__(self, engine: Engine, study_id: str, where: str) -> None:
        self._engine, self._study, self._where = engine, study_id, where
        self._connection = lock_study(engine, study_id, where)
        self.lost = False

    def keep(self) -> None:
        """Check the connection that holds the lock, and lock again if the lock is lost."""
        try:
            self._connection.execute(text("SELECT 1"))
            return
        except DBAPIError:
            with contextlib.suppress(Exception):  # it is gone already
                self._connection.close()
        try:
            self._connection = lock_study(self._engine, self._study, self._where)
            self.lost = False
        except InputError:
            # Another server serves the study now: two must not.
            self.lost = True
        except DBAPIError:
            # Still being started; the next look tries again, and writes fail by themselves until then.
            pass

    def close(self) -> None:
        self._connection.close()
