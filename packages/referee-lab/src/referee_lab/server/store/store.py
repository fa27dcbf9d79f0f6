"""The store of a study.

Opened where one exists, created only where there is none, refused if it is another study's or newer.

SQLite in WAL mode with synchronous=FULL by default; PostgreSQL by URL. One `Writer` does all writing; other connections
are read-only.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from referee.errors import CannotWrite, InputError, MalformedInput
from referee.files import hold_alone
from referee_lab.server.store import schema
from referee_lab.server.store.lock import ONE_SERVER, SERVED_ALREADY, DatabaseLock
from referee_lab.server.store.writer import Writer

T = TypeVar("T")
# The specification asks for 5 s at least; a checkpoint or a backup may hold the file for a moment.
BUSY_MS = 10_000
_MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True)
class Store:
    """`write` for functions that change something, `read` for everything else."""

    url: str
    writer: Writer
    reader: Engine
    lock: BinaryIO | DatabaseLock | None = None

    def write(self, work: Callable[[Connection], T]) -> T:
        return self.writer.write(work)

    async def awrite(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction of the writer; return its result after the commit."""
        return await self.writer.awrite(work)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Return a connection that the database keeps from writing."""
        with self.reader.connect() as connection:
            yield connection

    def wipe_log(self) -> None:
        """Empty SQLite's write-ahead log after a deletion, so that deleted rows are not kept in it."""
        path = _sqlite_path(self.url)
        if path is not None:
            with closing(sqlite3.connect(path, timeout=BUSY_MS / 1000)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Commit waiting writes, release the lock, and close all connections."""
        # Waiting writes are committed before the lock is released: the next server must find the store at rest.
        self.writer.close()
        if self.lock is not None:
            self.lock.close()
        self.writer.engine.dispose()
        self.reader.dispose()


def make_sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def open_store(url: str, study_id: str, *, create: bool = True, alone: bool = False) -> Store:
    """Open the store at `url` for the study and migrate its tables; with `alone`, lock it for this server."""
    path = _sqlite_path(url)
    if path is not None:
        _find_or_create(path, create)
    # Before the store is opened: migrations must not run under a server that is serving it.
    lock: BinaryIO | DatabaseLock | None = None
    if alone and path is not None:
        lock = hold_alone(path.with_suffix(".lock"), SERVED_ALREADY, ONE_SERVER)
    engine = _create_writing_engine(url)
    try:
        if alone and path is not None:
            _refuse_damaged(path)
        if alone and path is None:
            lock = DatabaseLock(engine, study_id, _hide_password(url))
        with engine.connect() as connection:
            # SQLite stores are created above; a file without our tables is another program's.
            _migrate_tables(connection, url, create=create and path is None)
            _require_same_study(connection, study_id, url)
    except BaseException as error:
        engine.dispose()
        if lock is not None:
            lock.close()
        if isinstance(error, DBAPIError):
            raise _make_unreachable_error(url, error) from error
        raise
    return Store(url=url, writer=Writer(engine), reader=create_reading_engine(url), lock=lock)


def create_reading_engine(url: str) -> Engine:
    """Return an engine with read-only connections."""
    path = _sqlite_path(url)
    if path is None:
        return create_engine(
            normalise_postgres_url(url),
            connect_args={"options": "-c default_transaction_read_only=on"},
            pool_pre_ping=True,
            pool_size=4,
            # Answers and ids must not appear in logs by way of an error.
            hide_parameters=True,
        )
    # Opened read-only by the system and, below, kept from writing by the library as well.
    engine = create_engine(
        f"sqlite:///file:{path}?mode=ro&uri=true", pool_size=4, max_overflow=12, hide_parameters=True
    )
    event.listen(engine, "connect", _set_read_only)
    return engine


def _set_read_only(connection: Any, _: Any) -> None:
    connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    connection.execute("PRAGMA query_only=ON")


def _create_writing_engine(url: str) -> Engine:
    """Return the engine of the writer."""
    if _sqlite_path(url) is None:
        # Pinged, since the database may have been started anew since the last request.
        return create_engine(normalise_postgres_url(url), pool_pre_ping=True, pool_size=2, hide_parameters=True)
    # The writer ends every transaction itself: there is nothing to reset when a connection is handed back.
    engine = create_engine(url, pool_size=2, pool_reset_on_return=None, hide_parameters=True)
    event.listen(engine, "connect", _set_durable)
    # IMMEDIATE takes the right to write at once and waits for it; a transaction that reads first and then wants to
    # write is refused without waiting.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _set_durable(connection: Any, _: Any) -> None:
    """Set SQLite's write-ahead log, commits that survive a power cut, and overwriting of deleted data."""
    # Otherwise the driver begins transactions of its own, and not IMMEDIATE ones.
    connection.isolation_level = None
    for pragma in (f"busy_timeout={BUSY_MS}", "journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("PRAGMA foreign_keys=ON")
    # Purged answers must not stay readable in free pages of the file.
    connection.execute("PRAGMA secure_delete=ON")


def back_up(source: Path, target: Path) -> int:
    """Write a checked copy of a SQLite store, which may be in use; return the number of trials in it."""
    if not source.exists():
        raise InputError("no data yet: the study has not been served", where=source, remedy="referee study serve STUDY")
    if target.exists():
        raise CannotWrite("there is a file already", where=target, remedy="name a new one")
    unfinished = target.with_name(f".{target.name}.new")
    unfinished.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(unfinished)) as new,
    ):
        unfinished.chmod(0o600)
        # SQLite's own copying: a copy of the file would lack the contents of the log.
        old.backup(new)
        (verdict,) = new.execute("PRAGMA integrity_check").fetchone()
        (trials,) = new.execute("SELECT count(*) FROM trial").fetchone()
    if verdict != "ok":
        raise CannotWrite(f"the copy is damaged ({verdict})", where=unfinished, remedy="check the disk")
    unfinished.replace(target)
    return int(trials)


def put_back(backup: Path, store: Path, study_id: str) -> tuple[int, Path | None]:
    """Replace a store that no server uses by a checked copy of a backup.

    Returns the number of its answers, and the new path of the old store.
    """
    if not backup.is_file():
        raise InputError("there is no such backup", where=backup, remedy="`referee study backup` makes them")
    with closing(sqlite3.connect(f"file:{backup}?mode=ro", uri=True)) as old:
        try:
            (verdict,) = old.execute("PRAGMA integrity_check").fetchone()
            owners = {row[0] for row in old.execute("SELECT DISTINCT id FROM study")}
        except sqlite3.Error as error:
            raise MalformedInput(
                f"this is not a backup of a study ({error})", where=backup, remedy="name another one"
            ) from None
    if verdict != "ok" or owners - {study_id}:
        wrong = f"it is damaged ({verdict})" if verdict != "ok" else f"it belongs to {sorted(owners)[0]!r}"
        raise InputError(f"this backup cannot be restored: {wrong}", where=backup, remedy="name another one")
    store.parent.mkdir(parents=True, exist_ok=True)
    # Held while files change places: a server that runs would go on writing into the old one.
    lock = hold_alone(store.with_suffix(".lock"), SERVED_ALREADY, ONE_SERVER)
    try:
        copy = store.with_name(f".{store.name}.restored")
        copy.unlink(missing_ok=True)
        trials = back_up(backup, copy)
        aside = _move_old_store(store) if store.exists() else None
        copy.replace(store)
    finally:
        lock.close()
    return trials, aside


def _move_old_store(store: Path) -> Path:
    """Rename the old store with its log to a free name; return the new path."""
    number = next(
        n for n in range(1, 10_000) if not store.with_name(f"{store.stem}.before-restore-{n}.sqlite").exists()
    )
    aside = store.with_name(f"{store.stem}.before-restore-{number}.sqlite")
    for tail in ("-wal", "-shm"):
        beside = store.with_name(store.name + tail)
        if beside.exists():
            beside.replace(aside.with_name(aside.name + tail))
    store.replace(aside)
    return aside


def _refuse_damaged(path: Path) -> None:
    """Raise MalformedInput for a damaged store at the start, before an answer needs it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=BUSY_MS / 1000)) as connection:
            verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        # Files that are no stores are detected below, when opened.
        verdict = "ok" if "not a database" in str(error) else str(error)
    if verdict != "ok":
        raise MalformedInput(
            f"the store is damaged ({verdict.splitlines()[0]})",
            where=path,
            remedy="put the last backup in its place: referee study restore STUDY --backup FILE",
        )


def _sqlite_path(url: str) -> Path | None:
    """Return the path of an SQLite URL; None for other databases.

    Raises MalformedInput for an invalid URL.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise MalformedInput(
            "this is not a database address",
            # Without the part that has the password.
            where=url.split("@")[-1],
            remedy="write postgresql://user:password@host/name, or sqlite:///path/to/study.sqlite",
        ) from None
    if parsed.get_backend_name() == "sqlite":
        return Path(parsed.database or "")
    if parsed.get_backend_name() != "postgresql":
        raise MalformedInput(
            f"studies are stored in SQLite or PostgreSQL, not in {parsed.get_backend_name()}",
            remedy="leave --database out, or give a postgresql:// address",
        )
    return None


def normalise_postgres_url(url: str) -> str:
    """Return the address of a PostgreSQL database for psycopg 3."""
    return make_url(url).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def _find_or_create(path: Path, create: bool) -> None:
    """Create the store if it is missing. Raises an error if it may not be created, or is an empty file."""
    if path.exists():
        # SQLite takes an empty file for a new database; here it is more likely a lost one.
        if path.stat().st_size == 0:
            raise MalformedInput(
                "the store is an empty file; a new one is never made over an old one",
                where=path,
                remedy="restore it from a backup, or move the file away to begin afresh",
            )
        return
    if not create:
        raise InputError("no data yet: the study has not been served", where=path, remedy="referee study serve STUDY")
    _create_store(path)


def _create_store(path: Path) -> None:
    """Create the store under a temporary name and rename it, so that it is complete.

    A store that appears meanwhile is kept.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    unfinished.unlink(missing_ok=True)
    # Without a pool: the last connection that closes writes the log back, and the file must be whole when it is named.
    engine = create_engine(make_sqlite_url(unfinished), poolclass=NullPool)
    event.listen(engine, "connect", _set_durable)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with engine.begin() as connection:
            _create_tables(connection)
        unfinished.chmod(0o600)
        # A link and not a rename, which would replace a store that another process made meanwhile.
        os.link(unfinished, path)
    except FileExistsError:
        pass
    except OSError as error:
        raise CannotWrite(error.strerror or str(error), where=path, remedy="check the folder's permissions") from error
    finally:
        engine.dispose()
        # SQLite keeps files of its own beside it (-wal, -shm).
        for leftover in path.parent.glob(f"{unfinished.name}*"):
            leftover.unlink()


def configure_migrations() -> Config:
    """Return Alembic's configuration with the folder of the migrations."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def _create_tables(connection: Connection) -> None:
    """Create the tables of this release, and mark the store as of the newest revision."""
    schema.create_tables(connection)
    command.stamp(_configure_for(connection), "head")


def _configure_for(connection: Connection) -> Config:
    config = configure_migrations()
    config.attributes["connection"] = connection
    return config


def _migrate_tables(connection: Connection, url: str, *, create: bool) -> None:
    """Migrate the tables to this release. Raises MalformedInput for a store of a newer release."""
    with connection.begin():
        # Looked at and upgraded in one transaction: a store is never found half-way between two releases.
        revision = MigrationContext.configure(connection).get_current_revision()
        directory = ScriptDirectory.from_config(configure_migrations())
        if revision is None:
            _refuse_foreign(connection, url, create=create)
            _create_tables(connection)
        elif revision not in {script.revision for script in directory.walk_revisions()}:
            raise InputError(
                f"the store was written by a newer release (tables {revision}, this release knows {directory.get_current_head()})",
                where=_hide_password(url),
                remedy="update referee; the store is unchanged",
            )
        elif revision != directory.get_current_head():
            command.upgrade(_configure_for(connection), "head")


def _refuse_foreign(connection: Connection, url: str, *, create: bool) -> None:
    """Raise MalformedInput for a database with other tables, or without tables unless it may be created."""
    present = inspect(connection).get_table_names()
    if present:
        raise MalformedInput(
            f"the database has other tables ({', '.join(sorted(present)[:3])}) and is not a store of a study",
            where=_hide_password(url),
            remedy="name an empty database, or the one this study was served with",
        )
    if not create:
        raise MalformedInput(
            "the file is not a store of a study", where=_hide_password(url), remedy="move it away, or restore it"
        )


def _require_same_study(connection: Connection, study_id: str, url: str) -> None:
    """Raise MalformedInput if an SQLite file belongs to another study; PostgreSQL may hold several."""
    if _sqlite_path(url) is None:
        return
    with connection.begin():
        others = set(connection.scalars(select(schema.study.c.id))) - {study_id}
    if others:
        raise InputError(
            f"the store belongs to the study {sorted(others)[0]!r}, not to {study_id!r}",
            where=_hide_password(url),
            remedy="give each study its own folder (do not copy data/ between studies)",
        )


def _make_unreachable_error(url: str, error: DBAPIError) -> InputError:
    """Return the error for a database that does not answer."""
    reason = str(error.orig).strip().splitlines()[0]
    return InputError(
        f"the database does not answer: {reason}", where=_hide_password(url), remedy="check address and rights"
    )


def _hide_password(url: str) -> str:
    """Return the address without the password."""
    path = _sqlite_path(url)
    return str(path) if path is not None else make_url(url).render_as_string(hide_password=True)
