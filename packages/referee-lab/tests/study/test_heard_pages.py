"""Pages of a study say how its descriptions come: read, heard, or watched in films; practice and checks come as the trials do."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_media import run_with_media, write_film, write_sound
from study_server import change
from test_heard_descriptions import give_voices, heard_study

from referee.cli import main
from referee_lab.server.sessions.plan import make_plan
from referee_lab.study.design.design_page import list_open_tasks
from referee_lab.study.design.heard_practice import find_odd_extras
from referee_lab.study.design.text_claims import find_false_claims, find_unmentioned_ways
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.media import list_presentations
from referee_lab.study.folder.study import Study, open_study
from referee_lab.study.texts import HEARD, HERE, LANGUAGES, READ, WATCHED, read_default_pages

ENDINGS = {READ: None, HEARD: "voice.wav", WATCHED: "film.webm"}
PLAYING = ("asgre2007", "open-choice", "tuna2008", "judgement", "point", "refoi")


def coming(study: Study, way: str) -> Study:
    """The same with all descriptions of trials coming in this way."""
    stimuli = {
        key: replace(s, description=replace(s.description, media=ENDINGS[way])) for key, s in study.stimuli.items()
    }
    return replace(study, stimuli=stimuli)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_demo(tmp_path_factory.mktemp("pages") / "d", "tuna2008", items=3, participants=6, practice=2, checks=1)


@pytest.fixture(scope="module")
def ways(demo: Study) -> dict[str, Study]:
    return {way: coming(demo, way) for way in ENDINGS}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("protocol", PLAYING)
def test_shipped_pages_are_true_of_their_way_and_found_out_in_another(
    protocol: str, language: str, ways: dict[str, Study]
) -> None:
    for told in ENDINGS:
        pages = read_default_pages(language, protocol, told)
        assert "{way_" not in "".join(pages.values())
        for real, study in ways.items():
            shown = replace(study, language=language, texts=pages)
            about = [
                line for line in find_false_claims(shown) if re.search("read|heard|film", line.partition("but")[2])
            ]
            # A film is heard as well, so that nothing said of hearing is wrong there; that it is a film is then unsaid.
            wrong = told != real and not (told == HEARD and real == WATCHED)
            assert bool([line for line in about if "/instructions.md" in line]) == wrong, (told, real, about)
            assert bool(find_unmentioned_ways(shown)) == (told != real and real != READ), (told, real)
            if not wrong:
                assert about == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_words_for_every_way(language: str) -> None:
    import tomllib

    words = tomllib.loads((HERE / language / "ways.toml").read_text("utf-8"))
    english = tomllib.loads((HERE / "en" / "ways.toml").read_text("utf-8"))
    assert list(words) == list(english)
    assert {READ, HEARD, WATCHED} <= {*words}
    assert all(list(words[way]) == list(english[way]) for way in (READ, HEARD, WATCHED))
    named = set(re.findall(r"\{way_(\w+)\}", "".join(p.read_text("utf-8") for p in (HERE / language).glob("*.md"))))
    assert named == set(words[READ])


def test_words_that_are_shown_beside_the_voice_may_be_spoken_of(ways: dict[str, Study]) -> None:
    heard = replace(ways[HEARD], texts=read_default_pages("en", "tuna2008", READ))
    assert len(find_false_claims(heard)) == 1
    shown = replace(heard, settings={**heard.settings, "media_text": "shown"})
    assert list_presentations(shown) == {READ, HEARD}
    assert find_false_claims(shown) == []
    assert find_unmentioned_ways(shown) == ["texts/en/instructions.md does not say that descriptions are heard"]


def test_own_pages_are_looked_at_too(ways: dict[str, Study]) -> None:
    told = replace(
        ways[READ], extra={"welcome": "Please use *headphones*."}, texts=read_default_pages("en", "tuna2008", READ)
    )
    assert find_false_claims(told) == ["texts/en/welcome.md says 'headphones', but no description is heard"]


def test_where_some_are_heard_and_some_read_both_have_to_be_said(tmp_path: Path) -> None:
    folder = heard_study(tmp_path / "some").folder
    lines = [json.loads(line) for line in (folder / "outputs.jsonl").read_text("utf-8").splitlines()]
    for line in lines[::3]:
        del line["media"]
    (folder / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    study = open_study(folder)
    # Made without voices, its pages tell people to read.
    assert find_unmentioned_ways(study) == ["texts/en/instructions.md does not say that descriptions are heard"]
    page = folder / "texts" / "en" / "instructions.md"
    page.write_text(page.read_text("utf-8") + "\nSome descriptions you hear: listen to them.\n", "utf-8")
    assert find_unmentioned_ways(open_study(folder)) == []
    assert find_false_claims(open_study(folder)) == []


def test_practice_and_checks_that_are_read_beside_heard_trials_are_to_be_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = heard_study(tmp_path / "odd", practice=2, checks=1).folder
    assert main(["study", "check", str(folder), "--no-browser"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("To do:")]
    words = [one.description.text for one in open_study(folder).practice]
    wanted = f"record {words[0]!r} as practice-1.wav, {words[1]!r} as practice-2.wav"
    assert any(f"practice.jsonl: 2 of 2 are read while trials are heard; {wanted}" in line for line in told)
    assert any("checks.jsonl: 1 of 1 are read" in line and "check-1.wav" in line for line in told)
    assert any("instructions.md says 'Read it'" in line or "says 'see a short" in line for line in told)
    for file, word in (("practice.jsonl", "practice"), ("checks.jsonl", "check")):
        lines = [json.loads(line) for line in (folder / file).read_text("utf-8").splitlines()]
        for n, line in enumerate(lines, 1):
            line["media"] = f"{word}-{n}.wav"
            write_sound(folder / "media" / line["media"], 0.2)
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert find_odd_extras(open_study(folder)) == []
    assert main(["study", "check", str(folder), "--no-browser"]) == 0
    assert "not too large (12 files)" in capsys.readouterr().out


def test_nothing_is_asked_of_a_study_that_is_read(demo: Study) -> None:
    assert find_odd_extras(demo) == []
    assert not any("media" in line or "heard" in line for line in list_open_tasks(demo))
    first, *others = demo.practice
    heard = replace(first, description=replace(first.description, media="voice.wav"))
    (told,) = find_odd_extras(replace(demo, practice=(heard, *others)))
    assert told == 'practice.jsonl: 1 of 2 are heard while trials are read; leave "media" out of their lines'


# -- study new -------------------------------------------------------------------------------------------------------------


def voiced_run(folder: Path, ending: str, **more: Any) -> list[str]:
    """A run whose one system is heard, and the command that makes a study of it."""
    run = run_with_media(folder, ending, **more)
    made = ["study", "new", str(run), "--design", "all", "--participants", "2", "--media", str(folder / "media")]
    return [*made, "--practice", "2", "--checks", "1"]


@pytest.mark.parametrize(
    ("language", "ending", "said"),
    [("en", ".wav", "Listen to it"), ("pt", ".wav", "Escute-a"), ("de", ".webm", "einen kurzen Film")],
)
def test_new_writes_pages_for_descriptions_that_are_heard_and_asks_for_practice(
    language: str, ending: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = [*voiced_run(tmp_path, ending), "--language", language]
    assert main([*new, "--out", str(tmp_path / "bare")]) == 0
    told = capsys.readouterr().out
    assert "Note: practice.jsonl: 2 of 2 are read while trials are" in told
    assert said in (tmp_path / "bare" / "texts" / language / "instructions.md").read_text("utf-8")
    for name in ("practice-1", "practice-2", "check-1"):
        (write_film if ending == ".webm" else write_sound)(tmp_path / "media" / f"{name}{ending}", 0.3)
    assert main([*new, "--out", str(tmp_path / "whole")]) == 0
    assert "are read while" not in capsys.readouterr().out
    study = open_study(tmp_path / "whole")
    assert [s.description.media for s in study.practice] == [f"practice-1{ending}", f"practice-2{ending}"]
    assert study.checks[0].stimulus.description.media == f"check-1{ending}"
    assert not any("texts/" in line or "jsonl" in line for line in list_open_tasks(study))
    assert main(["study", "check", str(study.folder), "--no-browser"]) == 0
    assert "(7 files)" in capsys.readouterr().out


def test_two_files_for_one_practice_trial_are_one_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = voiced_run(tmp_path, ".wav")
    for ending in (".wav", ".mp3"):
        (tmp_path / "media" / f"practice-1{ending}").write_bytes(b"x")
    assert main([*new, "--out", str(tmp_path / "s")]) == 2
    assert "practice-1.mp3 and practice-1.wav are both for practice-1" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_items_set_aside_for_practice_are_heard_as_the_system_said_them(tmp_path: Path) -> None:
    new = voiced_run(tmp_path, ".wav", language="nl")
    wanted = ["--items", "1", "--out", str(tmp_path / "s"), "--practice", "2"]
    assert main([*new, *wanted]) == 0
    study = open_study(tmp_path / "s")
    assert all(re.fullmatch(r"[0-3]\.wav", s.description.media or "") for s in study.practice)
    # Nobody knows that "the one" is unmistakable: a check of it would be no check.
    assert [check.stimulus.description.media for check in study.checks] == [None]


def test_a_film_and_a_sound_in_one_study_have_both_to_be_said(tmp_path: Path) -> None:
    folder = heard_study(tmp_path / "two").folder
    text = (folder / "outputs.jsonl").read_text("utf-8")
    (folder / "outputs.jsonl").write_text(text.replace("voice0.wav", "voice0.webm"), "utf-8")
    change(folder, media_text='"shown"')
    assert find_unmentioned_ways(open_study(folder)) == [
        "texts/en/instructions.md does not say that descriptions are heard",
        "texts/en/instructions.md does not say that descriptions are in films",
    ]
    assert give_voices(folder)[0] == "voice0.wav"


# -- the sound check -------------------------------------------------------------------------------------------------------


def test_tones_are_counted_once_before_the_practice_and_only_where_something_is_heard(
    demo: Study, tmp_path: Path
) -> None:
    def plugins(study: Study) -> list[str]:
        return [step.plugin for step in make_plan(study, study.lists[0].id, 1).steps]

    assert "sound-check" not in plugins(demo)
    folder = heard_study(tmp_path / "s", practice=1).folder
    shown = plugins(open_study(folder))
    # Questions about the person, instructions, tones, and the page before the practice.
    assert shown[:4] == ["form", "page", "sound-check", "page"]
    assert shown.count("sound-check") == 1
    change(folder, sound_check="false")
    assert "sound-check" not in plugins(open_study(folder))


def test_nobody_has_to_hear_tones_in_a_study_of_signs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = heard_study(tmp_path / "signs", items=1).folder
    for name in give_voices(folder, ".webm"):
        write_film(folder / "media" / name, 0.4, sound=False)
    assert main(["study", "check", str(folder), "--no-browser"]) == 1
    assert "no film has any sound: set [session] sound_check = false" in capsys.readouterr().out
    change(folder, sound_check="false")
    assert main(["study", "check", str(folder), "--no-browser"]) == 0


# -- where nothing can be played -------------------------------------------------------------------------------------------


def test_a_protocol_that_plays_nothing_is_given_no_recordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = voiced_run(tmp_path, ".wav")
    assert main([*new, "--protocol", "judgement-pairwise", "--with-humans", "--out", str(tmp_path / "s")]) == 2
    assert "judgement-pairwise plays no sounds and films" in capsys.readouterr().err
    pairs = heard_study(tmp_path / "pairs", "judgement-pairwise")
    assert list_presentations(pairs) == {READ}
    assert not any("heard" in line for line in list_open_tasks(pairs))
    assert "sound-check" not in [step.plugin for step in make_plan(pairs, pairs.lists[0].id, 1).steps]


def test_nothing_is_served_while_a_recording_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = heard_study(tmp_path / "gone").folder
    (folder / "media" / "voice1.wav").unlink()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert main(["study", "serve", str(folder), "--port", str(port)]) == 2
    assert "first media/voice1.wav: participants could not continue" in capsys.readouterr().err


def test_who_listens_for_longer_than_they_were_told_is_remarked_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = heard_study(tmp_path / "long").folder
    assert main(["study", "check", str(folder), "--no-browser"]) == 0
    assert "long enough to hear everything" not in capsys.readouterr().out
    long = write_sound(tmp_path / "long.wav", 13.0).read_bytes()
    for path in (folder / "media").iterdir():
        path.write_bytes(long)
    assert main(["study", "check", str(folder), "--no-browser"]) == 0
    # Three trials of 13 s are 0.65 minutes; 3 minutes of instructions and three trials of 7 s are told as 3.
    assert "they listen for 0.7 minutes, but the texts tell them about 3" in capsys.readouterr().out


def test_recordings_without_words_make_a_study_as_well(tmp_path: Path) -> None:
    new = voiced_run(tmp_path, ".wav")
    outputs = tmp_path / "run" / "outputs.jsonl"
    outputs.write_text(
        outputs.read_text("utf-8").replace('"text":"the one",', "").replace('"text": "the one", ', ""), "utf-8"
    )
    assert '"text"' not in outputs.read_text("utf-8")
    assert main([*new, "--practice", "0", "--checks", "0", "--out", str(tmp_path / "s")]) == 0
    assert main(["study", "check", str(tmp_path / "s"), "--no-browser"]) == 0
    assert main(["study", "simulate", str(tmp_path / "s"), "--participants", "2"]) == 0
