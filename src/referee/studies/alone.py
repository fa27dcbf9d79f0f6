"""One server for each store: a lock that the system itself lets go when its holder ends, however it ends (kill -9 included)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from referee.errors import CannotWrite, InputError

__all__ = ["hold_alone"]


def hold_alone(path: Path) -> BinaryIO:
    """The lock file of a store, held until it is closed; InputError naming the other process when one holds it already."""
    try:
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
            remedy="use that server, or stop it first; one process serves a study",
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    return file


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
