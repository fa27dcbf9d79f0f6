"""Health checks of a study before it is served: store, disk, clock, lock, keys, pages, proxy."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlalchemy import create_engine, text

from referee.errors import InputError, RefereeError
from referee.files import hold_alone
from referee_lab.server.store.keys import Keys, load_keys
from referee_lab.server.store.lock import ONE_SERVER, SERVED_ALREADY
from referee_lab.study.folder.media import FOLDER, find_media_uses, find_missing_media

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

# Below this a disk counts as nearly full: a busy study of a day has some tens of megabytes.
LEAST_FREE = 200 * 1024 * 1024
LATEST_BACKUP_HOURS = 26.0
CLOCK_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """The result of one check: its subject, whether it passed, a message, and a remedy if it failed."""

    about: str
    well: bool
    message: str
    remedy: str = ""


def examine_study(folder: Path, database: str | None = None, public_url: str | None = None) -> list[HealthFinding]:
    """Check everything that a study needs, the most important first."""
    from referee_lab.study.folder.study import open_study

    data = folder / "data"
    try:
        study = open_study(folder)
    except RefereeError as error:
        problem, _, remedy = str(error).partition("\n  → ")
        return [HealthFinding("study folder", False, problem, remedy or "run `referee study check`")]
    findings = [
        HealthFinding("study folder", True, f"{study.id}, mode {study.mode}"),
        _check_pages(),
        *_check_media(study),
        _check_disk(data if data.exists() else folder),
    ]
    findings.append(_check_postgres(database) if database else _check_sqlite(data / "study.sqlite"))
    findings += [
        _check_clock(data),
        *([] if database else [_check_lock(data)]),
        *_check_keys(data),
        *_check_backups(folder),
    ]
    if public_url is not None and (data / "keys.toml").exists():
        findings.append(_check_proxy(public_url, study.id, load_keys(data / "keys.toml")))
    return findings


def count_free_bytes(path: Path) -> int:
    """Return the free bytes on the disk of a path."""
    return shutil.disk_usage(path).free


def _check_disk(path: Path) -> HealthFinding:
    """Check the free space on the disk."""
    free = count_free_bytes(path)
    text = f"{free / 2**30:.1f} GiB free"
    return HealthFinding("disk", free >= LEAST_FREE, text, "free space: no answers can be stored on a full disk")


def _check_pages() -> HealthFinding:
    """Check that the pages have been built."""
    from referee_lab.server.web.built_pages import REMEDY, find_missing_pages

    missing = find_missing_pages("participant", "organiser")
    text = f"{', '.join(missing)} missing" if missing else "all there"
    return HealthFinding("pages", not missing, text, REMEDY)


def _check_media(study: Study) -> list[HealthFinding]:
    """Check that the sounds and films of a study exist (`study check` decodes them)."""
    heard = find_media_uses(study)
    if not heard:
        return []
    missing = find_missing_media(study)
    text = (
        f"{len(missing)} of {len(heard)} missing, first {missing[0]}" if missing else f"{len(heard)} files, all there"
    )
    return [HealthFinding("sounds and films", not missing, text, f"put them into {study.folder / FOLDER}")]


def _check_sqlite(path: Path) -> HealthFinding:
    """Check that an SQLite store can be read and is not damaged."""
    if not path.exists():
        return HealthFinding("store", True, "none yet: it is made when the study is first served")
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as connection:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            answers = connection.execute("SELECT count(*) FROM trial").fetchone()[0]
    except sqlite3.Error as error:
        return HealthFinding(
            "store", False, f"cannot be read ({error})", "restore it from a backup (`referee docs serving`)"
        )
    summary = f"{answers:,} answers, no damage" if verdict == "ok" else f"damaged: {verdict}"
    return HealthFinding(
        "store", verdict == "ok", summary, "stop the server and restore the last backup (`referee docs serving`)"
    )


def _check_postgres(url: str) -> HealthFinding:
    """Check a PostgreSQL store: connection, version and clock."""
    from referee_lab.server.store.store import normalise_postgres_url

    engine = create_engine(normalise_postgres_url(url), hide_parameters=True)
    try:
        with engine.connect() as connection:
            version = connection.scalar(text("SHOW server_version"))
            drift = abs(
                float(connection.scalar(text("SELECT extract(epoch FROM clock_timestamp())")) or 0) - time.time()
            )
    except Exception as error:  # whatever a database driver raises is the finding
        return HealthFinding(
            "store",
            False,
            f"the database does not answer ({type(error).__name__})",
            "check the address and the permissions",
        )
    finally:
        engine.dispose()
    well = drift < CLOCK_SECONDS
    return HealthFinding(
        "store", well, f"PostgreSQL {version}, its clock {drift:.0f} s from this one", "set both clocks by NTP"
    )


def _check_clock(data: Path) -> HealthFinding:
    """Check that the clock is not behind the newest file."""
    newest = max((p.stat().st_mtime for p in data.glob("*") if p.is_file()), default=0.0) if data.exists() else 0.0
    behind = newest - time.time()
    year = time.gmtime().tm_year
    summary = f"{behind:.0f} s behind the data" if behind > 2 else time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    return HealthFinding("clock", behind <= 2 and year >= 2024, summary, "set it by NTP (timedatectl set-ntp true)")


def _check_lock(data: Path) -> HealthFinding:
    """Check whether a server holds the study's lock."""
    path = data / "study.lock"
    if not path.exists():
        return HealthFinding("server", True, "not running")
    try:
        hold_alone(path, SERVED_ALREADY, ONE_SERVER).close()
    except InputError as error:
        return HealthFinding("server", True, f"running ({error.problem.rpartition(', ')[2]})")
    except RefereeError as error:
        return HealthFinding("server", False, str(error).splitlines()[0], "let the server's user own the folder data/")
    return HealthFinding("server", True, "not running; the lock is free")


def _check_keys(data: Path) -> list[HealthFinding]:
    """Check that the keys exist, are private and can be read."""
    path = data / "keys.toml"
    if not path.exists():
        return [HealthFinding("keys", True, "none yet: they are made when the study is first served")]
    if os.name == "posix" and path.stat().st_mode & 0o077:
        return [HealthFinding("keys", False, "others on this machine can read them", f"chmod 600 {path}")]
    try:
        load_keys(path)
    except RefereeError as error:
        return [HealthFinding("keys", False, str(error).splitlines()[0], "restore the file from a backup")]
    return [HealthFinding("keys", True, "readable by their owner only")]


def _check_backups(folder: Path) -> list[HealthFinding]:
    """Check the newest copy in backups/ beside the data, if that folder exists."""
    copies = sorted((folder / "data" / "backups").glob("*.sqlite"), key=lambda p: p.stat().st_mtime)
    if not copies:
        return []
    hours = (time.time() - copies[-1].stat().st_mtime) / 3600
    return [
        HealthFinding(
            "backups",
            hours < LATEST_BACKUP_HOURS,
            f"{len(copies)}, the newest {hours:.0f} h old",
            "look at the timer that makes them (deploy/)",
        )
    ]


def _is_this_machine(base: str) -> bool:
    """Return whether the public address is this server itself, which speaks no https: no proxy is in between."""
    parts = urlsplit(base)
    return parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")


def _check_proxy(base: str, study: str, keys: Keys) -> HealthFinding:
    """Check the client address that the server sees for requests to the public address."""
    import httpx

    address = f"{base.rstrip('/')}/s/{study}/organise/connection"
    try:
        reply = httpx.get(address, headers={"Authorization": f"Bearer {keys.view}"}, timeout=10, follow_redirects=False)
        seen: dict[str, Any] = reply.json()
    except (httpx.HTTPError, ValueError) as error:
        problem = f"{base} does not answer ({type(error).__name__})"
        return HealthFinding("proxy", False, problem, "is the server running, and the proxy's address right?")
    if reply.status_code != 200:
        problem = f"{base} answers {reply.status_code}"
        return HealthFinding("proxy", False, problem, "is this study served there, with these keys?")
    problems = (
        (
            base.startswith("https:") and seen["scheme"] != "https",
            "the server does not know that people use https",
            "let the proxy send X-Forwarded-Proto, and name it in --trusted-proxy",
        ),
        (
            # A remote visitor never has the server's own address: the proxy hides client addresses.
            not seen["forwarded_for"] and seen["local"] and not _is_this_machine(base),
            "the proxy forwards no client addresses: all requests seem to come from this machine, and no client is limited",
            "let the proxy send X-Forwarded-For (`referee docs serving` has the lines for nginx)",
        ),
        (
            seen["forwarded_for"] and not seen["believed"],
            "the addresses that the proxy forwards are not trusted",
            "name the proxy's own address in --trusted-proxy",
        ),
    )
    for is_wrong, problem, remedy in problems:
        if is_wrong:
            return HealthFinding("proxy", False, problem, remedy)
    ways = "passed on" if seen["forwarded_for"] else "seen directly"
    return HealthFinding("proxy", True, f"reached by {seen['scheme']}; addresses are {ways}")
