"""The store and its one writer."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, event, text

from referee.errors import CannotWrite, InputError, MalformedInput
from referee_lab.rooms.room_store import load_lines_after
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.store.schema import metadata
from referee_lab.server.store.store import Store, back_up, make_sqlite_url, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(make_sqlite_url(tmp_path / "study.sqlite"), "demo")
    yield opened
    opened.close()


def add(connection: Connection, what: str) -> None:
    connection.execute(
        text("INSERT INTO audit (at, study, what, who, data) VALUES (0, 'demo', :what, 'me', '{}')"), {"what": what}
    )


def written(store: Store) -> list[str]:
    with store.read() as connection:
        return list(connection.scalars(text("SELECT what FROM audit ORDER BY id")))


def test_the_settings_survive_a_power_cut(store: Store) -> None:
    def settings(connection: Connection) -> list[Any]:
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    assert store.write(settings) == ["wal", 2, 1, 1]  # 2 is FULL
    assert store.write(lambda c: c.exec_driver_sql("PRAGMA busy_timeout").scalar()) >= 5000


def test_migrations_arrive_at_the_tables_the_code_uses(tmp_path: Path) -> None:
    path = tmp_path / "study.sqlite"
    open_store(make_sqlite_url(path), "demo").close()
    engine = create_engine(make_sqlite_url(path))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_what_waits_together_is_committed_together(store: Store) -> None:
    commits = []
    event.listen(store.writer.engine, "commit", commits.append)
    held, go_on = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        held.set()
        go_on.wait(10)

    first = store.writer.submit(slow)
    held.wait(10)
    rest = [store.writer.submit(lambda c, n=n: add(c, f"{n}")) for n in range(50)]
    go_on.set()
    for done in (first, *rest):
        done.result(10)
    assert len(commits) == 2
    assert written(store) == [f"{n}" for n in range(50)]


def test_what_comes_in_as_the_store_closes_is_written_or_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the end of the queue nobody would write it, and whoever put it there would wait for ever."""
    writer = store.writer
    waiting, closing = writer._waiting, threading.Thread(target=writer.close)

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return getattr(waiting, name)

        def put(self, job: Any) -> None:
            if job is not None:
                closing.start()
                # Time enough to close for whoever does not wait.
                closing.join(0.2)
            waiting.put(job)

    monkeypatch.setattr(writer, "_waiting", Slow())
    writer.submit(lambda c: add(c, "just in time")).result(10)
    closing.join(10)
    assert written(store) == ["just in time"]
    with pytest.raises(Problem):
        writer.submit(lambda c: add(c, "too late"))


def test_one_that_fails_takes_nobody_along(store: Store) -> None:
    held, go_on = threading.Event(), threading.Event()
    store.writer.submit(lambda _: (held.set(), go_on.wait(10)))
    held.wait(10)

    def fails(connection: Connection) -> None:
        add(connection, "half")
        raise ZeroDivisionError

    before, broken, after = (store.writer.submit(w) for w in (lambda c: add(c, "a"), fails, lambda c: add(c, "b")))
    go_on.set()
    before.result(10)
    after.result(10)
    with pytest.raises(ZeroDivisionError):
        broken.result(10)
    assert written(store) == ["a", "b"]


def test_a_refusal_keeps_its_audit_row(store: Store) -> None:
    def refuses(connection: Connection) -> None:
        add(connection, "refused")
        raise Problem(409, "no", "No.")

    with pytest.raises(Problem):
        store.write(refuses)
    assert written(store) == ["refused"]


def test_whoever_stops_waiting_does_not_stop_the_write(store: Store) -> None:
    done = store.writer.submit(lambda c: add(c, "kept"))
    assert not done.cancel()
    done.result(10)
    assert written(store) == ["kept"]


def test_a_closed_store_finishes_what_waits_and_takes_no_more(tmp_path: Path) -> None:
    store = open_store(make_sqlite_url(tmp_path / "study.sqlite"), "demo")
    waiting = [store.writer.submit(lambda c, n=n: add(c, f"{n}")) for n in range(300)]
    store.close()
    assert all(done.done() and done.exception() is None for done in waiting)
    with pytest.raises(Problem, match="stopping"):
        store.write(lambda c: add(c, "late"))
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as connection, connection:
        assert connection.execute("SELECT count(*) FROM audit").fetchone() == (300,)


def test_a_backup_is_whole_while_the_study_runs(store: Store, tmp_path: Path) -> None:
    store.write(lambda c: add(c, "before"))
    stop = threading.Event()

    def keep_writing() -> None:
        while not stop.is_set():
            store.write(lambda c: add(c, "meanwhile"))

    writing = threading.Thread(target=keep_writing)
    writing.start()
    back_up(tmp_path / "study.sqlite", tmp_path / "copy.sqlite")
    stop.set()
    writing.join()
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as copy, copy:
        assert copy.execute("SELECT what FROM audit ORDER BY id LIMIT 1").fetchone() == ("before",)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with pytest.raises(CannotWrite, match="a file already"):
        back_up(tmp_path / "study.sqlite", tmp_path / "copy.sqlite")
    with pytest.raises(InputError, match="no data yet"):
        back_up(tmp_path / "nothing.sqlite", tmp_path / "copy2.sqlite")


def test_only_known_databases_are_opened(tmp_path: Path) -> None:
    for address, said in (("mysql://here/x", "not in mysql"), ("no address", "not a database address")):
        with pytest.raises(MalformedInput, match=said):
            open_store(address, "demo")
    with pytest.raises(InputError, match="has not been served"):
        open_store(make_sqlite_url(tmp_path / "study.sqlite"), "demo", create=False)
    assert not (tmp_path / "study.sqlite").exists()


def test_a_password_is_never_shown() -> None:
    with pytest.raises(InputError) as error:
        open_store("postgresql://someone:secret@127.0.0.1:1/nothing", "demo")
    assert "secret" not in str(error.value)
    assert "does not answer" in str(error.value)


HOLDER = """
import sys, time
from pathlib import Path
from referee.files import hold_alone
held = hold_alone(Path(sys.argv[1]), 'taken', 'wait')
print("held", flush=True)
time.sleep(60)
"""


def test_a_store_is_served_once_and_a_killed_server_leaves_it_free(tmp_path: Path) -> None:
    url = make_sqlite_url(tmp_path / "study.sqlite")
    open_store(url, "demo").close()
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "study.lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"being served already, by process {other.pid}"):
            open_store(url, "demo", alone=True)
        open_store(url, "demo").close()  # withdrawing and correcting go on beside a server
        other.kill()
    first = open_store(url, "demo", alone=True)
    with pytest.raises(InputError, match="being served already"):
        open_store(url, "demo", alone=True)
    first.close()
    open_store(url, "demo", alone=True).close()


def test_who_acted_in_a_room_is_known_of_older_stores_too(tmp_path: Path) -> None:
    """Up to tables 0001 a bot's lines said so in their data; the end of a room says there who ended it, and keeps it."""
    path = tmp_path / "study.sqlite"
    open_store(make_sqlite_url(path), "demo").close()
    engine = create_engine(make_sqlite_url(path))
    with engine.begin() as connection:
        # As revision 0001 had it.
        connection.execute(text("ALTER TABLE event DROP COLUMN actor"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        connection.execute(text("INSERT INTO room VALUES ('r', 'demo', 'live', 'over', '{}', 0, 0)"))
        for seq, kind, data in ((0, "start", "{}"), (1, "say", '{"by":"bot","text":"x"}'), (2, "over", '{"by":"bot"}')):
            values = {"seq": seq, "kind": kind, "data": data}
            sql = "INSERT INTO event (room, seq, t_server, kind, data) VALUES ('r', :seq, 0, :kind, :data)"
            connection.execute(text(sql), values)
    engine.dispose()
    store = open_store(make_sqlite_url(path), "demo")
    with store.read() as connection:
        found = [(line.actor, line.kind, dict(line.data)) for line in load_lines_after(connection, "r", -1)]
    assert found == [("server", "start", {}), ("bot", "say", {"text": "x"}), ("server", "over", {"by": "bot"})]
    with pytest.raises(Problem, match="storage"):  # the guard is back
        store.write(lambda connection: connection.execute(text("UPDATE event SET actor = 'server'")))
    store.close()
