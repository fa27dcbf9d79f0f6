"""Files that cannot be heard, or not by everybody, are found before anybody comes; odd names and covers are no fault."""

from __future__ import annotations

import shutil
import wave
from pathlib import Path
from unicodedata import normalize

import av
import numpy as np
import pytest
from small_media import RATE, tone, write_film, write_sound
from study_server import site
from test_heard_descriptions import heard_study

from referee.cli import main
from referee.errors import InputError
from referee.records import Description
from referee_lab.server.sessions.plan import make_plan
from referee_lab.study.design.shown_media import prove_media
from referee_lab.study.folder.media import copy_media, find_media, listen_to
from referee_lab.study.folder.study import open_study


def write_encoded(path: Path, codec: str, cover: bool = False) -> Path:
    """A tone, in a container by the file's name."""
    with av.open(str(path), "w") as file:
        stream = file.add_stream(codec, rate=RATE)
        if cover:
            picture = file.add_stream("png", rate=1)
            picture.width = picture.height = 32
            picture.pix_fmt = "rgb24"
            file.mux(picture.encode(av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")))
            file.mux(picture.encode())
        heard = av.AudioFrame.from_ndarray(np.frombuffer(tone(0.5), np.int16).reshape(1, -1), layout="mono")
        heard.sample_rate = RATE
        file.mux(stream.encode(heard))
        file.mux(stream.encode())
    return path


def write_silence(path: Path) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"\0" * RATE)
    return path


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    assert listen_to(tmp_path / "a.wav").problem == "it is empty (0 bytes)"


def test_a_recording_of_nothing_is_found(tmp_path: Path) -> None:
    assert listen_to(write_silence(tmp_path / "a.wav")).problem == "nothing can be heard in it"


def test_a_film_may_be_silent_for_people_may_sign_in_it(tmp_path: Path) -> None:
    found = listen_to(write_film(tmp_path / "a.webm", sound=False))
    assert (found.problem, found.silent) == (None, True)
    assert not listen_to(write_film(tmp_path / "b.webm")).silent


def test_the_inside_is_what_the_ending_says(tmp_path: Path) -> None:
    write_encoded(tmp_path / "a.mp3", "libmp3lame")
    assert listen_to(tmp_path / "a.mp3").problem is None
    shutil.copy(tmp_path / "a.mp3", tmp_path / "a.wav")
    assert "not wav, but mp3" in (listen_to(tmp_path / "a.wav").problem or "")
    write_film(tmp_path / "b.webm")
    shutil.copy(tmp_path / "b.webm", tmp_path / "b.mp4")
    assert "not mp4, but matroska" in (listen_to(tmp_path / "b.mp4").problem or "")


@pytest.mark.parametrize(("name", "codec"), [("a.ogg", "libopus"), ("a.flac", "flac"), ("a.m4a", "aac")])
def test_what_browsers_play_passes(name: str, codec: str, tmp_path: Path) -> None:
    found = listen_to(write_encoded(tmp_path / name, codec))
    assert found.problem is None
    # Half a second, and what a coder adds at the end.
    assert 450 < found.ms < 650


def test_a_cover_is_no_part_of_a_sound(tmp_path: Path) -> None:
    assert listen_to(write_encoded(tmp_path / "a.mp3", "libmp3lame", cover=True)).problem is None


def test_a_picture_is_no_sound(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "a.png"), "w", format="image2") as file:
        picture = file.add_stream("png", rate=1)
        picture.width = picture.height = 32
        picture.pix_fmt = "rgb24"
        file.mux(picture.encode(av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")))
        file.mux(picture.encode())
    (tmp_path / "a.png").rename(tmp_path / "a.wav")
    assert listen_to(tmp_path / "a.wav").problem == "it has no sound"


def test_a_tenth_of_a_second_is_remarked_on_and_not_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = heard_study(tmp_path / "short").folder
    write_sound(folder / "media" / "voice0.wav", 0.1)
    assert main(["study", "check", str(folder), "--no-browser"]) == 0
    assert "Not so: every sound and film is long enough for a description (media/voice0.wav lasts 100 ms)" in (
        capsys.readouterr().out
    )


def test_names_with_blanks_and_umlauts_are_found_however_they_are_spelled(tmp_path: Path) -> None:
    name = normalize("NFC", "das grüne Haus, zweites Mal.wav")
    written = normalize("NFD", name)
    assert written != name
    write_sound(tmp_path / "from" / written, 0.3)
    (tmp_path / "to").mkdir()
    assert copy_media(tmp_path / "to", [Description(text="x", media=name)], tmp_path / "from") == 1
    assert [p.name for p in (tmp_path / "to" / "media").iterdir()] == [name]
    folder = heard_study(tmp_path / "named").folder
    outputs = (folder / "outputs.jsonl").read_text("utf-8").replace("voice0.wav", name)
    (folder / "outputs.jsonl").write_text(outputs, "utf-8")
    (folder / "media" / "voice0.wav").rename(folder / "media" / written)
    study = open_study(folder)
    assert all(claim.holds for claim in prove_media(study))
    with site(folder) as served:
        lists = [make_plan(study, one.id, 1).public("/s/named")["media"] for one in study.lists]
        assert {served("GET", media["src"]).status_code for heard in lists for media in heard} == {200}


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    assert find_media(tmp_path / "nowhere", "a.wav") is None


def test_two_descriptions_of_one_trial_by_one_system_are_one_too_many(tmp_path: Path) -> None:
    folder = heard_study(tmp_path / "twice").folder
    lines = (folder / "outputs.jsonl").read_text("utf-8").splitlines()
    again = lines[0].replace("voice0.wav", "voice1.wav")
    (folder / "outputs.jsonl").write_text("\n".join([*lines, again]) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"has two descriptions of the trial .*") as raised:
        open_study(folder)
    assert raised.value.line == len(lines) + 1
