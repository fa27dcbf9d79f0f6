"""`referee study serve` and its companions, as they are typed."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from referee.cli import main
from referee_lab.commands.study import COMMANDS
from referee_lab.server.sessions.served_study import open_served
from referee_lab.study.folder.demo_study import make_demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "demo"
    make_demo(folder)
    return folder


def run(*args: object) -> int:
    return main(["study", *map(str, args)])


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert run("sreve") == 2
    assert "did you mean serve" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said_so_and_nothing_is_touched(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run("serve", folder, "--port", port) == 2
    said = capsys.readouterr().err
    assert f"port {port}" in said
    assert f"--port {port + 1}" in said


def test_serving_prints_the_links_and_stops_in_order(folder: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    call = "import sys; from referee.cli import main; sys.exit(main())"
    command = [
        sys.executable,
        "-c",
        call,
        "study",
        "serve",
        str(folder),
        "--port",
        str(port),
        "--public-url",
        "https://s.example",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/s/demo/pictures/00.svg", timeout=5)
            except urllib.error.HTTPError as reply:
                assert reply.code == 404
                break
            except OSError:
                assert time.monotonic() < end, "the server does not come up"
                assert server.poll() is None, server.stderr.read() if server.stderr else ""
                time.sleep(0.05)
        server.send_signal(2)
        shown, complaints = server.communicate(timeout=60)
    assert server.returncode == 0
    assert "https://s.example/s/demo/\n" in shown
    # Standard output is no terminal here: it may be a log, and tokens have no place in it.
    assert "organiser#" not in shown
    links = folder / "data" / "links.txt"
    assert "https://s.example/s/demo/organiser#" in links.read_text("utf-8")
    assert links.stat().st_mode & 0o077 == 0
    assert "█" in shown  # the QR code
    assert "stopped; all answers are stored" in shown
    assert complaints == ""


def test_keys_withdraw_purge_and_backup(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("keys", folder) == 0
    served = open_served(folder)
    assert f"organiser#{served.keys.manage}" in capsys.readouterr().out
    from referee_lab.server.sessions.enrolment import enrol, identify

    for label in ("a", "b"):
        who = identify(served, {"label": label}, "debug")
        served.store.write(lambda c, who=who: enrol(c, served, who, "tab-tab-tab"))
        code = served.keys.derive_withdrawal_code("demo", who["id"])
    served.store.close()
    assert run("withdraw", folder, "--code", code) == 0
    assert "withdrawn; deleted in 14 days" in capsys.readouterr().out
    assert run("withdraw", folder, "--code", code) == 0
    assert "already" in capsys.readouterr().out
    assert run("withdraw", folder, "--alias", "P-NONE") == 2
    assert run("withdraw", folder) == 2
    assert "either --alias or --code" in capsys.readouterr().err
    assert run("purge", folder) == 0
    assert "deleted: 0 sessions" in capsys.readouterr().out
    assert run("backup", folder, "--to", tmp_path / "copy.sqlite") == 0
    assert (tmp_path / "copy.sqlite").stat().st_mode & 0o077 == 0


def test_data_that_are_not_there_are_not_made_by_looking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_demo(tmp_path / "demo")
    for args in (("withdraw", tmp_path / "demo", "--alias", "P-AAAA"), ("purge", tmp_path / "demo")):
        assert run(*args) == 2
        assert "has not been served" in capsys.readouterr().err
    assert not (tmp_path / "demo" / "data").exists()
