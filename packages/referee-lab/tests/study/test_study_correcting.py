"""Corrections by the command line, and one server for each study."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from study_server import Person, site, study_folder

from referee.cli import main

TRIAL = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path)


def run(*args: object) -> int:
    return main(["study", *map(str, args)])


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_correction_by_hand_names_the_object_as_exports_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with site(folder) as server:
        person = Person(server).begin()
        index = next(i for i in person.saved_steps if person.step(i).kind == "trial")
        person.put(index, id=TRIAL, right=False)
        step = person.step(index)
        assert step.stimulus is not None
        meant = step.stimulus.trial.targets[0]
        label = next(name for name, entity in step.shown.labels.items() if entity == meant)
    signed = ("--author", "A. Lab", "--reason", "slipped, and said so")
    assert run("correct", folder, "--trial", TRIAL, "--chosen", meant, *signed) == 0
    assert capsys.readouterr().out.startswith("1 correction")
    wrong = {
        ("--chosen", "nobody"): "no object 'nobody' was shown there",
        ("--answer", "{"): "not JSON",
        ("--answer", '{"entity": "e99"}'): "no such object",
        (): "--chosen or --answer",
    }
    for given, said in wrong.items():
        assert run("correct", folder, "--trial", TRIAL, *given, *signed) == 2
        assert said in capsys.readouterr().err
    assert run("correct", folder, "--trial", TRIAL[:-1] + "0", "--chosen", meant, *signed) == 2
    assert "No stored answer has this UUID" in capsys.readouterr().err
    with site(folder) as server:
        rows = server.rows("SELECT author, reason, answer FROM correction")
        assert [(author, reason) for author, reason, _ in rows] == [("A. Lab", "slipped, and said so")]
        assert json.loads(rows[0][2])["entity"] == label


def test_a_second_server_on_the_same_study_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with site(folder):
        assert run("serve", folder, "--port", free_port()) == 2
    assert "being served already" in capsys.readouterr().err
