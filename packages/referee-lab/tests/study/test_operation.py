"""Running a study for weeks: what the doctor finds, damaged stores, backups that can be put back, slow stores, full disks, purged rooms, safe tables."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from study_server import Clock, Person, site, study_folder

from referee.cli import main
from referee.errors import InputError, MalformedInput
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.served_study import open_served
from referee_lab.server.store import health, writer
from referee_lab.server.store.health import examine_study
from referee_lab.server.store.store import put_back
from referee_lab.server.web import dashboard, server
from referee_lab.study.data.collection import collect
from referee_lab.study.data.export import build_export, escape_formula

DEPLOY = Path(__file__).parents[4] / "deploy"


def served_once(folder: Path, answers: int = 2) -> list[str]:
    with site(folder, Clock()) as opened:
        person = Person(opened).begin()
        for index in person.saved_steps[:answers]:
            assert person.put(index).status_code == 201
        return [row[0] for row in opened.rows("SELECT uuid FROM trial ORDER BY uuid")]


def damage(store: Path) -> None:
    """Overwrite a page in the middle, where the header does not tell."""
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'trial'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with store.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\x55" * size)


def test_the_doctor_finds_nothing_wrong_with_a_study_that_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study_folder(tmp_path)
    assert main(["study", "doctor", str(folder)]) == 0
    served_once(folder)
    assert main(["study", "doctor", str(folder)]) == 0
    shown = capsys.readouterr().out
    for about in (
        "study folder",
        "pages",
        "disk",
        "store: 2 answers, no damage",
        "clock",
        "server: not running",
        "keys",
    ):
        assert about in shown
    with site(folder, Clock()):
        assert any(f.about == "server" and f.message.startswith("running") for f in examine_study(folder))


def test_the_doctor_says_what_is_wrong_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = study_folder(tmp_path)
    served_once(folder)
    (folder / "data" / "keys.toml").chmod(0o644)
    damage(folder / "data" / "study.sqlite")
    monkeypatch.setattr(health, "count_free_bytes", lambda path: 10 * 2**20)
    wrong = {f.about: f for f in examine_study(folder) if not f.well}
    assert set(wrong) == {"disk", "store", "keys"}
    assert all(f.remedy for f in wrong.values())
    assert main(["study", "doctor", str(folder)]) == 1


def test_a_damaged_page_is_found_at_the_start_and_a_backup_is_put_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study_folder(tmp_path)
    stored = served_once(folder)
    store, copy = folder / "data" / "study.sqlite", tmp_path / "copy.sqlite"
    assert main(["study", "backup", str(folder), "--to", str(copy)]) == 0
    damage(store)
    with pytest.raises(MalformedInput, match="the store is damaged"):
        open_served(folder)
    assert main(["study", "restore", str(folder), "--backup", str(copy)]) == 0
    assert "restored 2 answers" in capsys.readouterr().out
    assert (folder / "data" / "study.before-restore-1.sqlite").exists()
    with site(folder, Clock()) as opened:
        assert [row[0] for row in opened.rows("SELECT uuid FROM trial ORDER BY uuid")] == stored


def test_no_backup_is_put_back_under_a_server_or_into_another_study(tmp_path: Path) -> None:
    folder, other = study_folder(tmp_path), study_folder(tmp_path, id="other")
    served_once(folder)
    served_once(other)
    copy = tmp_path / "copy.sqlite"
    main(["study", "backup", str(folder), "--to", str(copy)])
    with site(folder, Clock()), pytest.raises(InputError, match="being served already"):
        put_back(copy, folder / "data" / "study.sqlite", "demo")
    with pytest.raises(InputError, match="belongs to 'demo'"):
        put_back(copy, other / "data" / "study.sqlite", "other")
    (tmp_path / "junk").write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match="not a backup"):
        put_back(tmp_path / "junk", folder / "data" / "study.sqlite", "demo")


def test_who_waits_for_a_store_that_does_not_answer_is_told_and_the_write_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "PATIENCE_SECONDS", 0.2)
    with site(study_folder(tmp_path), Clock()) as opened:
        person = Person(opened).begin()
        release = threading.Event()
        held = opened.served.store.writer.submit(lambda connection: release.wait(30))
        index, name = person.saved_steps[0], "00000000-0000-4000-8000-000000000009"
        body = person.body(index)
        slow = person.put(index, id=name, body=body)
        assert (slow.status_code, slow.json()["problem"]) == (503, "slow")
        with opened.served.store.read() as connection:
            assert any("has not answered" in said for said in dashboard.list_warnings(opened.served))
            assert connection is not None
        release.set()
        held.result(30)
        # The same again finds it stored, once.
        assert person.put(index, id=name, body=body).status_code == 200
        assert opened.rows("SELECT count(*) FROM trial") == [(1,)]


def test_a_full_disk_is_said_to_the_organiser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import OperationalError

    with site(study_folder(tmp_path), Clock()) as opened:
        assert opened.organise("GET", "progress").json()["warnings"] == []

        def full(connection: object) -> None:
            raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

        with pytest.raises(Problem):
            opened.served.store.write(full)
        (said,) = opened.organise("GET", "progress").json()["warnings"]
        assert "the disk is full" in said
        monkeypatch.setattr(dashboard, "count_free_bytes", lambda path: 2**20)
        assert any("nearly full" in said for said in opened.organise("GET", "progress").json()["warnings"])


def test_the_server_says_that_it_is_well_and_how_a_request_came(tmp_path: Path) -> None:
    with site(study_folder(tmp_path), Clock()) as opened:
        assert opened("GET", "/health").json() == {"well": True, "studies": 1}
        assert opened.organise("GET", "connection").json()["forwarded_for"] is False


def test_purging_leaves_neither_session_nor_alias_in_rooms(tmp_path: Path) -> None:
    from referee_lab.bots.simulation import simulate
    from referee_lab.rooms.room_study import make_tangram_study
    from referee_lab.server.sessions.withdrawal import purge, withdraw_by_alias

    study = make_tangram_study(tmp_path / "pairs", puzzles=("house",))
    simulate(study.folder, participants=2)
    served = open_served(study.folder, begin=False)
    try:
        with served.store.read() as connection:
            gone, stays = collect(study, connection).sittings
        served.store.write(lambda c: withdraw_by_alias(c, served, gone.alias))
        from dataclasses import replace

        later = replace(served, clock=lambda: served.clock() + 30 * 86_400)
        served.store.write(lambda c: purge(c, later))
        served.store.wipe_log()
        with served.store.read() as connection:
            from sqlalchemy import text

            rooms = "".join(connection.scalars(text("SELECT data FROM room")))
    finally:
        served.store.close()
    assert gone.id not in rooms
    assert gone.alias not in rooms
    assert stays.alias in rooms


# What spreadsheets take for formulas (OWASP, CSV injection).
@pytest.mark.parametrize("text", ['=HYPERLINK("http://x")', "+1", "-2+3", "@SUM(1)", "\t=1", "\r=1"])
def test_no_cell_of_a_table_is_a_formula(tmp_path: Path, text: str) -> None:
    assert escape_formula(text) == f"'{text}"
    with site(study_folder(tmp_path, comments="true", least_trials="0.0"), Clock()) as opened:
        person = Person(opened).begin()
        comments = person.saved_steps[-1]
        body = {**person.body(comments), "answer": {"fields": {"comments": text}}}
        assert person.put(comments, body=body).status_code == 201
        assert person.put(person.saved_steps[0]).status_code == 201
        with opened.served.store.read() as connection:
            files = build_export(collect(opened.served.study, connection), ["csv"])
    (row,) = csv.DictReader(io.StringIO(files["comments.csv"].decode()))
    assert row["value"].startswith("'")
    # Numbers below 0 stay numbers.
    assert "'-" not in files["trials.csv"].decode()


def test_the_compose_file_is_one(tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        str(DEPLOY / "compose.yaml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_proxys_file_is_valid_where_caddy_is_here() -> None:
    import shutil

    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("caddy is not here (apt install caddy)")
    done = subprocess.run(
        [caddy, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_image_has_what_its_files_name() -> None:
    """Every path that the deployment files name in this repository is there."""
    text = (DEPLOY / "compose.yaml").read_text("utf-8") + (DEPLOY / "Dockerfile").read_text("utf-8")
    for name in ("Caddyfile", "backup-postgres.sh", "restore-postgres.sh", "Dockerfile"):
        assert name in text
        assert (DEPLOY / name).is_file()


@pytest.mark.parametrize("unit", ["referee-study@.service", "referee-backup@.service", "referee-backup@.timer"])
def test_the_units_are_ones_that_systemd_reads(unit: str, tmp_path: Path) -> None:
    import shutil

    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not here")
    for name in DEPLOY.glob("*@.*"):
        # As an instance of the template, with a command that is there.
        text = name.read_text("utf-8").replace("/opt/referee/bin/referee", "/bin/true")
        (tmp_path / name.name).write_text(text, "utf-8")
        (tmp_path / name.name.replace("@.", "@mystudy.")).write_text(text, "utf-8")
    named = str(tmp_path / unit.replace("@.", "@mystudy."))
    done = subprocess.run([analyze, "verify", "--man=no", named], capture_output=True, text=True, check=False)
    about_ours = [line for line in done.stderr.splitlines() if "referee-" in line]
    assert about_ours == []


def test_the_image_is_built_with_the_versions_of_the_lock_file() -> None:
    done = subprocess.run(
        ["sh", str(DEPLOY / "versions.sh"), str(DEPLOY.parent / "requirements.lock")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    locked = (DEPLOY.parent / "requirements.lock").read_text("utf-8")
    found = done.stdout.splitlines()
    assert len(found) == sum("==" in line and not line.startswith((" ", "#")) for line in locked.splitlines()) > 50
    assert all(re.fullmatch(r"[\w.-]+==[\w.+!]+( ; .+[^\\ ])?", line) and "hash" not in line for line in found)


@pytest.mark.long
def test_the_steps_of_the_image_work_in_an_empty_environment() -> None:
    """Minutes, and packages from the network."""
    done = subprocess.run(
        ["sh", str(DEPLOY / "try-image.sh"), sys.executable], capture_output=True, text=True, check=False
    )
    offline = ("Could not find a version", "Temporary failure in name resolution", "NoNode")
    if done.returncode and any(word in done.stdout + done.stderr for word in offline):
        pytest.skip("packages cannot be had here")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "the image's steps work" in done.stdout


def test_the_house_is_kept_for_the_others_when_a_study_is_let_go() -> None:
    """Its database was started again and another process serves it now, just while it is being tidied."""
    tidied: list[str] = []

    class Study:
        def __init__(self, id: str) -> None:
            self.id, self.store = id, self

        async def awrite(self, work: object) -> int:
            tidied.append(self.id)
            if self.id == "first":
                del app.state.studies["first"]
            if self.id == "last":
                raise asyncio.CancelledError
            return 0

    studies = {name: Study(name) for name in ("first", "other", "last")}
    app = SimpleNamespace(state=SimpleNamespace(studies=studies, housekeeping=0.0))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(server._run_housekeeping(app))  # type: ignore[arg-type]
    assert tidied == ["first", "other", "last"]


def test_health_is_bad_while_a_store_refuses_writes(tmp_path: Path) -> None:
    from sqlalchemy.exc import OperationalError

    with site(study_folder(tmp_path), Clock()) as opened:

        def full(connection: object) -> None:
            raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

        with pytest.raises(Problem):
            opened.served.store.write(full)
        reply = opened("GET", "/health")
        assert reply.status_code == 503
        assert "the disk is full" in reply.json()["message"]
        opened.served.store.writer.trouble = None
        before = opened.rows("SELECT * FROM study")
        # Differs for this connection once another one has written a page: on a full disk that page is refused.
        with closing(sqlite3.connect(opened.served.study.folder / "data" / "study.sqlite")) as other:
            versions = []
            for _ in range(2):
                versions += other.execute("PRAGMA data_version").fetchone()
                assert opened("GET", "/health").status_code == 200
        assert versions[0] != versions[1]
        assert opened.rows("SELECT * FROM study") == before


@pytest.mark.parametrize("host", ["studies.example.org", "localhost:8443"])
@pytest.mark.parametrize(("forwarded", "well"), [({}, False), ({"x-forwarded-for": "203.0.113.9"}, True)])
def test_a_proxy_that_hides_addresses_is_found(
    host: str, forwarded: dict[str, str], well: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx

    from referee_lab.server.store import health

    with site(study_folder(tmp_path), Clock()) as opened:
        headers = {"Authorization": f"Bearer {opened.served.keys.view}", **forwarded}
        reply = opened("GET", "organise/connection", headers=headers)
        assert reply.json()["local"] is True
        seen = {**reply.json(), "scheme": "https", "believed": bool(forwarded)}
        monkeypatch.setattr(httpx, "get", lambda *_, **__: httpx.Response(200, json=seen))
        found = health._check_proxy(f"https://{host}", opened.served.id, opened.served.keys)
    assert found.well is well


def test_the_nginx_file_passes_its_own_checker(tmp_path: Path) -> None:
    """As a file of /etc/nginx/conf.d, with a certificate of our own."""
    import shutil

    nginx, openssl = shutil.which("nginx") or shutil.which("/usr/sbin/nginx"), shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("nginx or openssl is not here (apt install nginx-light openssl)")
    certificate, key = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    request = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=studies.example.org"]
    subprocess.run([*request, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text("utf-8")
    site = site.replace("/etc/letsencrypt/live/studies.example.org", str(tmp_path))
    (tmp_path / "study.conf").write_text(site, "utf-8")
    whole = f"pid {tmp_path}/pid;\nerror_log {tmp_path}/log;\nevents {{}}\nhttp {{ include {tmp_path}/study.conf; }}\n"
    (tmp_path / "nginx.conf").write_text(whole, "utf-8")
    done = subprocess.run(
        [nginx, "-t", "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_deployment_files_say_addresses_and_owners() -> None:
    """nginx passes addresses on; compose says whose the folder is."""
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in (DEPLOY / "nginx.conf").read_text("utf-8")
    assert "chown -R 10001" in (DEPLOY / "compose.yaml").read_text("utf-8")
    assert "--uid 10001" in (DEPLOY / "Dockerfile").read_text("utf-8")
