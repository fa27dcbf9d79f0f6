"""Sound is kept once and goes with the person."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from study_server import Clock, Person, site, study_folder

from referee.records import Description, Entity, Scene, Trial
from referee_lab.rooms.sound import delete_sound, get_sound_path, store_sound
from referee_lab.server.sessions.refusals import Problem
from referee_lab.server.sessions.withdrawal import purge
from referee_lab.study.folder.clip_sounds import add_addresses, find_clip_sound, write_clip_sounds
from referee_lab.study.protocols.contract import Stimulus
from referee_lab.study.protocols.replay_identify import ReplayIdentify


def test_a_piece_is_kept_once_and_another_in_its_place_is_refused(tmp_path: Path) -> None:
    path = get_sound_path(tmp_path, "room", "P-1", 3)
    assert store_sound(path, b"one") is True
    assert store_sound(path, b"one") is False
    with pytest.raises(Problem, match="already-there"):
        store_sound(path, b"two")
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o077 == 0


def test_only_the_sound_of_one_person_is_forgotten(tmp_path: Path) -> None:
    for alias in ("P-1", "P-12"):
        for chunk in (0, 1):
            store_sound(get_sound_path(tmp_path, "room", alias, chunk), b"x")
    assert delete_sound(tmp_path, "P-1") == 2
    assert sorted(path.name for path in tmp_path.rglob("*.webm")) == ["P-12-00000.webm", "P-12-00001.webm"]


def test_a_purge_deletes_the_sound_of_whoever_has_withdrawn(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    clock = Clock()
    with site(folder, clock) as here:
        stays, goes = Person(here).begin(), Person(here).begin()
        for person in (stays, goes):
            store_sound(get_sound_path(folder, "room", person.plan["alias"], 0), b"x")
        goes.ask("POST", "withdraw")
        clock.now += 15 * 86_400
        here.served.store.write(lambda connection: purge(connection, here.served))
    assert [path.name for path in folder.rglob("*.webm")] == [f"{stays.plan['alias']}-00000.webm"]


def test_the_voices_of_a_clip_are_files_of_the_study_and_can_be_switched_off(tmp_path: Path) -> None:
    name = f"{'ab' * 16}.wav"
    write_clip_sounds(tmp_path, {name: b"RIFF"})
    assert find_clip_sound(tmp_path, name) == (tmp_path / "sounds" / name, "audio/wav")
    assert find_clip_sound(tmp_path, "cd.wav") is None
    assert find_clip_sound(tmp_path, "study.toml") is None
    heard = {"by": "solver", "start_ms": 0.0, "end_ms": 9.0, "src": name}
    film = {"start_ms": 0.0, "end_ms": 9.0, "sounds": [heard]}
    assert add_addresses(film, "/s/x")["sounds"][0]["src"] == f"/s/x/sounds/{name}"
    assert add_addresses({"start_ms": 0.0}, "/s/x") == {"start_ms": 0.0}
    trial = Trial(
        id="t",
        scene=Scene(entities=(Entity(id="1", attributes=()),), id="t"),
        targets=("1",),
        meta={"clip": film, "shown": {"TP": {"text": "that", "span": [0, 4]}}},
    )
    stimulus = Stimulus(id="t", trial=trial, system="TP", description=Description(text="that"))
    settings = {name: p.default for name, p in ReplayIdentify.info.parameters.items()}
    shown = ReplayIdentify().show(stimulus, settings, Random(1)).parameters["film"]
    silent = ReplayIdentify().show(stimulus, {**settings, "sound": False}, Random(1)).parameters["film"]
    assert shown == film
    assert silent == {"start_ms": 0.0, "end_ms": 9.0}
