"""Zero loss: a server killed in the middle of its work, again and again, has every answer that it acknowledged, once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from crowd import Member, ServerProcess, crowd_with_kills, free_port
from postgres_server import new_database, postgres
from sqlalchemy import text
from study_server import Clock, Person, site, study_folder

from referee.errors import InputError
from referee_lab.server.sessions.kept_answers import Sender, save
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import open_served
from referee_lab.server.store import lock
from referee_lab.server.store.store import make_sqlite_url, open_store
from referee_lab.study.protocols.contract import GivenAnswer

# People and kills: few for every day, more for `make test-all`.
STORMS = [(3, 1), pytest.param(9, 2, marks=pytest.mark.long)]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres() as url:
        yield url


def run_and_kill(folder: Path, database: str | None, people: int, kills: int) -> list[Member]:
    server = ServerProcess(folder, free_port(), database)
    server.start()
    server.wait_until_up()
    try:
        crowd = asyncio.run(crowd_with_kills(server, "demo", people, kills, pause=0.3))
    finally:
        server.stop()
    return crowd


def check_everything_is_there_once(url: str, crowd: list[Member]) -> None:
    store = open_store(url, "demo", create=False)
    with store.read() as connection:
        stored = {row.uuid: row for row in connection.execute(text('SELECT uuid, answer, times, "index" FROM trial'))}
        (places,) = connection.execute(
            text('SELECT count(*) FROM (SELECT DISTINCT session, "index", attempt FROM trial) t')
        ).one()
        states = connection.execute(text("SELECT state, count(*) FROM session GROUP BY state")).all()
        held = connection.execute(
            text("SELECT state, count(*) FROM list_slot WHERE session IS NOT NULL GROUP BY state")
        ).all()
    store.close()
    acknowledged = {name: body for member in crowd for name, body in member.acknowledged.items()}
    assert set(stored) == set(acknowledged)  # all there; and nobody stopped in between, so nothing else
    for name, body in acknowledged.items():
        assert json.loads(stored[name].answer) == body["answer"]
        assert json.loads(stored[name].times) == body["times"]
    assert places == len(stored)
    assert [tuple(row) for row in states] == [("coded", len(crowd))]
    assert [tuple(row) for row in held] == [("filled", len(crowd))]
    assert all(member.code for member in crowd)


@pytest.mark.slow
@pytest.mark.parametrize(("people", "kills"), STORMS)
def test_kill_9_loses_no_acknowledged_answer_on_sqlite(tmp_path: Path, people: int, kills: int) -> None:
    folder = study_folder(tmp_path, participants=people, fastest_trial_s="0.0")
    crowd = run_and_kill(folder, None, people, kills)
    check_everything_is_there_once(make_sqlite_url(folder / "data" / "study.sqlite"), crowd)


@pytest.mark.long
@pytest.mark.parametrize(("people", "kills"), [(3, 1), (9, 2)])
def test_kill_9_loses_no_acknowledged_answer_on_postgresql(
    tmp_path: Path, postgres_url: str, people: int, kills: int
) -> None:
    folder = study_folder(tmp_path, participants=people, fastest_trial_s="0.0")
    url = new_database(postgres_url, f"killed{people}")
    crowd = run_and_kill(folder, url, people, kills)
    check_everything_is_there_once(url, crowd)
    assert not (folder / "data" / "study.sqlite").exists()


def test_postgresql_keeps_the_same_rules(tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url, "rules")
    folder = study_folder(tmp_path, mode='"live"')
    clock = Clock()
    with site(folder, clock, database=url) as server:
        person = Person(server, {"label": "anna"})
        code = person.complete()["withdrawal_code"]
        assert server.organise("GET", "progress").json()["states"] == {"coded": 1}
        for sql in ("UPDATE trial SET answer = '{}'", "DELETE FROM trial", "TRUNCATE trial CASCADE"):
            with pytest.raises(Exception, match="storage"):
                server.served.store.write(lambda connection, sql=sql: connection.exec_driver_sql(sql))
        with server.served.store.read() as connection, pytest.raises(Exception, match="read-only"):
            connection.exec_driver_sql("DELETE FROM audit")
        assert server("POST", "api/withdraw-by-code", json={"code": code}).status_code == 200
        clock.now += 15 * 86_400
        from referee_lab.server.sessions.withdrawal import purge

        gone = server.served.store.write(lambda connection: purge(connection, server.served))
        assert gone["trials"] == len(person.saved_steps)
        assert server.rows("SELECT count(*) FROM participant") == [(0,)]
    with site(folder, clock, database=url) as server:
        assert server.rows("SELECT sessions FROM tombstone") == [(1,)]


def test_an_answer_that_a_killed_server_had_under_way_is_the_same_answer(tmp_path: Path, postgres_url: str) -> None:
    """The database may finish what a dead server began, just when the next server is told the same again."""
    with site(study_folder(tmp_path), Clock(), database=new_database(postgres_url, "underway")) as server:
        person = Person(server).begin()
        index, served = person.saved_steps[0], server.served
        outline, body = served.load_outline(person.session), person.body(index)
        assert outline is not None
        name = "0b5e8f2e-98a1-4b53-9d3c-0a4b6f1f7c11"
        sender = Sender(name, person.session, person.tab)
        given = GivenAnswer(answer=body["answer"], times=body["times"], step=index)
        with served.store.writer.engine.connect() as dying, dying.begin():
            assert save(dying, served, outline, sender, given).new
            again = served.store.writer.submit(lambda connection: save(connection, served, outline, sender, given))
            other = sender._replace(uuid="7d0d7e7b-1f43-4a8e-8a7b-5b6d0c9a4f10")
            forged = replace(given, flags=("forged",))
            refused = served.store.writer.submit(lambda connection: save(connection, served, outline, other, forged))
            with pytest.raises(TimeoutError):
                again.result(timeout=0.3)  # waits for the other transaction
        assert again.result(timeout=60).new is False
        with pytest.raises(Problem, match="already-answered"):
            refused.result(timeout=60)
        assert server.rows("SELECT uuid FROM trial") == [(name,)]


def test_several_studies_share_a_postgresql_database_and_nothing_else(tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url, "shared")
    for name in ("one", "two"):
        with site(study_folder(tmp_path, id=name), Clock(), database=url) as server:
            Person(server).complete()
            assert server.organise("GET", "progress").json()["states"] == {"coded": 1}


def test_a_store_on_postgresql_is_served_once(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "PATIENCE_SECONDS", 0.3)
    url = new_database(postgres_url, "once")
    first = open_store(url, "demo", alone=True)
    with pytest.raises(InputError, match="being served already"):
        open_store(url, "demo", alone=True)
    open_store(url, "demo").close()  # withdrawing and correcting go on beside a server
    open_store(url, "another", alone=True).close()
    first.close()
    open_store(url, "demo", alone=True).close()


def test_a_restart_of_postgresql_keeps_one_server_for_a_study(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that is started again forgets its locks; ending all of its connections is the same for whoever holds one."""
    import psycopg

    from referee_lab.server.store import lock as locks

    monkeypatch.setattr(locks, "PATIENCE_SECONDS", 0.3)
    url = new_database(postgres_url, "restarted")

    def restart() -> None:
        with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'restarted'")

    served = open_served(study_folder(tmp_path), database=url)
    try:
        lock = served.store.lock
        assert isinstance(lock, locks.DatabaseLock)
        restart()
        lock.keep()
        assert lock.lost is False
        with pytest.raises(InputError, match="being served already"):
            open_served(tmp_path / "demo", database=url)
        restart()
        other = open_served(tmp_path / "demo", database=url)
        try:
            lock.keep()
            assert lock.lost is True, "another server was faster: this one lets the study go"
        finally:
            other.store.close()
    finally:
        served.store.close()
