"""Sound is kept once and goes with the person."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_server import Clock, Person, site, study_folder

from referee.studies.rooms.sound import forget_sound, keep_sound, sound_path
from referee.studies.sessions.refusals import Problem
from referee.studies.sessions.withdrawal import purge


def test_a_piece_is_kept_once_and_another_in_its_place_is_refused(tmp_path: Path) -> None:
    path = sound_path(tmp_path, "room", "P-1", 3)
    assert keep_sound(path, b"one") is True
    assert keep_sound(path, b"one") is False
    with pytest.raises(Problem, match="already-there"):
        keep_sound(path, b"two")
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o077 == 0


def test_only_the_sound_of_one_person_is_forgotten(tmp_path: Path) -> None:
    for alias in ("P-1", "P-12"):
        for chunk in (0, 1):
            keep_sound(sound_path(tmp_path, "room", alias, chunk), b"x")
    assert forget_sound(tmp_path, "P-1") == 2
    assert sorted(path.name for path in tmp_path.rglob("*.webm")) == ["P-12-00000.webm", "P-12-00001.webm"]


def test_a_purge_deletes_the_sound_of_whoever_has_withdrawn(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    clock = Clock()
    with site(folder, clock) as here:
        stays, goes = Person(here).begin(), Person(here).begin()
        for person in (stays, goes):
            keep_sound(sound_path(folder, "room", person.plan["alias"], 0), b"x")
        goes.ask("POST", "withdraw")
        clock.now += 15 * 86_400
        here.served.store.write(lambda connection: purge(connection, here.served))
    assert [path.name for path in folder.rglob("*.webm")] == [f"{stays.plan['alias']}-00000.webm"]
