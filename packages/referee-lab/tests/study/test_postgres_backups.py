"""The scripts of deploy/ on a real PostgreSQL: a dump is made and checked, put back whole, and refused where it would do harm."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import binaries, new_database, postgres
from sqlalchemy.engine import make_url
from study_server import Clock, Person, site, study_folder

from machine import lacking

DEPLOY = Path(__file__).parents[4] / "deploy"


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    if not all(shutil.which(name, path=programs_path()) for name in ("pg_dump", "pg_restore", "psql")):
        lacking("pg_dump, pg_restore and psql are not installed (apt-get install postgresql-client)")
    with postgres() as server:
        yield new_database(server, "studies")


def programs_path() -> str:
    return f"{binaries()}{os.pathsep}{os.environ['PATH']}"


def run_script(name: str, argument: Path, database: str) -> subprocess.CompletedProcess[str]:
    url = make_url(database)
    where = {"PGHOST": str(url.host), "PGPORT": str(url.port), "PGUSER": str(url.username), "PGDATABASE": "studies"}
    return subprocess.run(
        ["sh", str(DEPLOY / name), str(argument)],
        env={**os.environ, **where, "PATH": programs_path()},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_dump_is_put_back_and_the_study_goes_on(tmp_path: Path, database: str) -> None:
    folder, backups = study_folder(tmp_path), tmp_path / "backups"
    with site(folder, Clock(), database=database) as opened:
        person = Person(opened).begin()
        steps = person.saved_steps
        assert [person.put(index).status_code for index in steps[:2]] == [201, 201]
        # While the study runs.
        made = run_script("backup-postgres.sh", backups, database)
        assert made.returncode == 0, made.stderr
        (dump,) = backups.glob("*.dump")
        assert dump.stat().st_mode & 0o077 == 0
        assert person.put(steps[2]).status_code == 201
        under = run_script("restore-postgres.sh", dump, database)
        assert under.returncode == 1
        assert "stop it first" in under.stderr
        assert opened.rows("SELECT count(*) FROM trial") == [(3,)]
    done = run_script("restore-postgres.sh", dump, database)
    assert done.returncode == 0, done.stderr
    with site(folder, Clock(), database=database) as opened:
        assert opened.rows("SELECT count(*) FROM trial") == [(2,)]
        again = Person(opened, tab=person.tab, token=person.token)
        assert again.open().status_code == 200
        assert again.put(steps[2]).status_code == 201


def test_what_is_no_dump_changes_nothing(tmp_path: Path, database: str) -> None:
    (tmp_path / "junk.dump").write_bytes(b"no dump")
    done = run_script("restore-postgres.sh", tmp_path / "junk.dump", database)
    assert (done.returncode, "nothing was changed" in done.stderr) == (2, True)
    assert run_script("restore-postgres.sh", tmp_path / "gone.dump", database).returncode == 2
