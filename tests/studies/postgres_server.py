"""A PostgreSQL server of the tests' own, started from the binaries that are installed, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from crowd import free_port


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    here = shutil.which("initdb")
    return Path(here).parent if here else None


def _as_somebody() -> list[str]:
    """PostgreSQL refuses to run as root; the package comes with a user of its own."""
    if os.geteuid() != 0:
        return []
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user `postgres`")
    return ["runuser", "-u", "postgres", "--"]


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty server; skips, saying why, where PostgreSQL is not installed."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian and Ubuntu: apt-get install postgresql)")
    somebody = _as_somebody()
    folder = Path(tempfile.mkdtemp(prefix="referee-postgres-"))
    if somebody:
        shutil.chown(folder, "postgres")
    port = free_port()

    def call(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [*somebody, str(binaries / program), *arguments], capture_output=True, text=True, cwd="/", check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    data = str(folder / "data")
    call("initdb", "-D", data, "-U", "referee", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    call("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        yield f"postgresql://referee@127.0.0.1:{port}"
    finally:
        call("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def new_database(server: str, name: str) -> str:
    """The address of a fresh database on the server."""
    import psycopg

    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server}/{name}"
