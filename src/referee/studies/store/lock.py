"""One server for each store: a lock that the system itself lets go when its holder ends, however it ends (kill -9 included)."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection, Engine, text

from referee.errors import CannotWrite, InputError

__all__ = ["hold_alone", "hold_alone_in"]

PATIENCE_SECONDS = 5.0  # a database takes a moment to see that a killed server is gone
_REMEDY = "use that server, or stop it first; one process serves a study"


def hold_alone(path: Path) -> BinaryIO:
    """The lock file of a store, held until it is closed; InputError naming the other process when one holds it already."""
    try:
        # Opened without cutting it: until the lock is ours, what is written there is the holder's number.
        file: BinaryIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
    except OSError as error:
        raise CannotWrite(error.strerror or str(error), where=path, remedy="check the folder's permissions") from error
    try:
        _lock(file)
    except OSError:
        holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
        file.close()
        raise InputError(
            f"this study is being served already, by process {holder}",
            where=path.parent,
            remedy=_REMEDY,
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    return file


def hold_alone_in(engine: Engine, study_id: str, where: str) -> Connection:
    """The same in a PostgreSQL database, which several studies may share: a connection that holds the lock until it is closed."""
    # PostgreSQL locks go by a signed number of 64 bits.
    key = int.from_bytes(hashlib.sha256(study_id.encode()).digest()[:8], "big", signed=True)
    # The lock belongs to the connection; a transaction kept open for weeks would keep the database from tidying up.
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    end = time.monotonic() + PATIENCE_SECONDS
    while not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}):
        if time.monotonic() > end:
            connection.close()
            raise InputError("this study is being served already, by another process", where=where, remedy=_REMEDY)
        time.sleep(0.1)
    connection.detach()  # its end is the end of the lock, and no pool gives it to anybody else
    return connection


def _lock(file: BinaryIO) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(1 << 20)  # beyond what is written, since locked bytes cannot be read there
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        file.seek(0)
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
