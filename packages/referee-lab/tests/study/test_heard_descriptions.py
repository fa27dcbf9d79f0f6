"""Descriptions that are heard: files are checked before anybody comes, served under names that tell nothing, and their onsets reach the export."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from small_media import run_with_media, write_sound
from study_server import change, site

from referee.cli import main
from referee_lab.server.sessions.plan import check_answer, make_plan
from referee_lab.study.data.datasheet import write_datasheet
from referee_lab.study.design.shown_media import prove_media
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import Study, open_study
from referee_lab.study.protocols.contract import GivenAnswer


def give_voices(folder: Path, ending: str = ".wav") -> list[str]:
    """Every description of a study gets a file of its own name."""
    lines = [json.loads(line) for line in (folder / "outputs.jsonl").read_text("utf-8").splitlines()]
    for n, line in enumerate(lines):
        line["media"] = f"voice{n}{ending}"
    (folder / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return [line["media"] for line in lines]


def heard_study(folder: Path, protocol: str = "tuna2008", **more: Any) -> Study:
    make_demo(folder, protocol, id=folder.name, **{"items": 3, "participants": 6, "practice": 0, "checks": 0, **more})
    for name in give_voices(folder):
        write_sound(folder / "media" / name, 0.2)
    return open_study(folder)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return heard_study(tmp_path_factory.mktemp("heard") / "voices")


def test_check_says_what_was_proved(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "check", str(study.folder), "--no-browser"]) == 0
    told = capsys.readouterr().out
    assert "Proved: every sound and film is there, can be played to its end and is not too large (9 files)" in told
    assert "Ready" in told


@pytest.mark.parametrize(
    "fault",
    [
        "missing",
        "broken",
        *(pytest.param(f, marks=pytest.mark.long) for f in ("cut off", "over-large", "long", "silent film")),
    ],
)
def test_check_refuses_what_cannot_be_heard(fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = heard_study(tmp_path / "wrong").folder
    first = folder / "media" / "voice0.wav"
    if fault == "missing":
        first.unlink()
    elif fault == "broken":
        first.write_bytes(b"this is no sound " * 100)
    elif fault == "cut off":
        first.write_bytes(first.read_bytes()[:5000])
    elif fault == "over-large":
        change(folder, media_mb="0.01")
    elif fault == "long":
        write_sound(first, 0.5)
        change(folder, reading_timeout_ms="400")
    else:
        (folder / "media" / "voice0.webm").write_bytes(first.read_bytes())
        written = (folder / "outputs.jsonl").read_text("utf-8")
        (folder / "outputs.jsonl").write_text(written.replace("voice0.wav", "voice0.webm"), "utf-8")
    assert main(["study", "check", str(folder), "--no-browser"]) == 1
    told = capsys.readouterr().out
    said = {
        "missing": "media/voice0.wav is missing",
        "broken": "media/voice0.wav: it cannot be decoded",
        "cut off": "media/voice0.wav: it is shorter than",
        "over-large": "has 0.0 MB ([session] media_mb is 0.01)",
        "long": "media/voice0.wav lasts 0.5 s, longer than reading_timeout_ms",
        "silent film": "media/voice0.webm: it has no picture",
    }
    assert said[fault] in told
    assert "Not ready" in told


def test_only_protocols_that_play_may_be_given_voices(tmp_path: Path) -> None:
    wrong = [
        claim.sentence for claim in prove_media(heard_study(tmp_path / "p", "self-paced-reading")) if not claim.holds
    ]
    assert wrong == ["the protocol plays sounds and films"]
    for protocol in ("judgement", "point", "refoi"):
        assert all(claim.holds for claim in prove_media(heard_study(tmp_path / protocol, protocol)))


def test_a_file_that_no_browser_plays_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_demo(tmp_path / "s", "asgre2007", id="s", items=3, participants=6)
    give_voices(tmp_path / "s", ".avi")
    assert main(["study", "check", str(tmp_path / "s"), "--no-browser"]) == 2
    assert re.search(r"browsers do not play 'voice\d+\.avi'", capsys.readouterr().err)


def test_the_page_gets_no_words_and_no_telling_names(study: Study) -> None:
    public = make_plan(study, study.lists[0].id, 1).public("/s/voices")
    trials = [step["parameters"] for step in public["steps"] if step["kind"] == "trial"]
    assert [one["text"] for one in trials] == ["", "", ""]
    assert {m["src"] for m in public["media"]} == {one["media"]["src"] for one in trials}
    assert all(
        re.fullmatch(r"/s/voices/media/[0-9a-f]{20}\.wav", m["src"]) and m["kind"] == "sound" for m in public["media"]
    )


def test_both_are_shown_where_that_is_wanted(tmp_path: Path) -> None:
    folder = heard_study(tmp_path / "both", "asgre2007").folder
    change(folder, media_text='"shown"', media_repeats="2")
    opened = open_study(folder)
    step = next(s for s in make_plan(opened, "L01", 1).steps if s.kind == "trial")
    assert step.shown.parameters["text"]
    assert step.shown.parameters["media_repeats"] == 2
    given = {"outcome": "entity", "entity": "e1", "repeats": 3}
    with pytest.raises(Exception, match="played again 2 times"):
        check_answer(opened, step, GivenAnswer(answer=given, times={"combined_ms": 5.0}))


def test_files_are_served_whole_and_in_parts(study: Study) -> None:
    with site(study.folder) as served:
        src = make_plan(study, "L01", 1).public("/s/voices")["media"][0]["src"]
        whole = served("GET", src)
        assert (whole.status_code, whole.headers["content-type"]) == (200, "audio/wav")
        assert whole.content[:4] == b"RIFF"
        part = served("GET", src, headers={"range": "bytes=0-3"})
        assert (part.status_code, part.content) == (206, b"RIFF")
        assert served("GET", "/s/voices/media/" + "0" * 20 + ".wav").status_code == 404
        assert served("GET", "/s/voices/media/..%2Fstudy.toml").status_code in (404, 422)


def test_simulated_people_hear_and_their_onsets_are_exported(tmp_path: Path) -> None:
    folder = heard_study(tmp_path / "bots").folder
    assert main(["study", "simulate", str(folder), "--participants", "3"]) == 0
    assert main(["study", "export", str(folder), "--out", str(tmp_path / "out"), "--mode", "debug"]) == 0
    with (tmp_path / "out" / "trials.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    for row in rows:
        assert re.fullmatch(r"voice\d\.wav", row["media"])
        assert abs(float(row["media_onset_error_ms"])) < 50
        # Nobody can go on before the voice has ended: it takes 350 ms a word.
        assert float(row["reading_ms"]) >= float(row["media_ms"]) > 0
        assert row["description"]


def test_the_doctor_misses_files_that_are_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = heard_study(tmp_path / "gone").folder
    main(["study", "doctor", str(folder)])
    assert "sounds and films: 9 files, all there" in capsys.readouterr().out
    (folder / "media" / "voice3.wav").unlink()
    assert main(["study", "doctor", str(folder)]) == 1
    assert "1 of 9 missing, first voice3.wav" in capsys.readouterr().out


def test_the_datasheet_says_that_descriptions_were_heard(study: Study) -> None:
    assert "Descriptions were: heard (9 recordings, after tones had been counted rightly)" in write_datasheet(
        study, None
    )


def test_new_copies_the_files_that_outputs_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_with_media(tmp_path, ".webm")
    asked = ["study", "new", str(run), "--protocol", "asgre2007", "--design", "all", "--participants", "2"]
    asked += ["--practice", "0", "--checks", "0"]
    assert main([*asked, "--out", str(tmp_path / "no")]) == 2
    assert "--media FOLDER" in capsys.readouterr().err
    assert main([*asked, "--media", str(tmp_path / "media"), "--out", str(tmp_path / "yes")]) == 0
    assert sorted(p.name for p in (tmp_path / "yes" / "media").iterdir()) == ["0.webm", "1.webm", "2.webm", "3.webm"]
    assert all(claim.holds for claim in prove_media(open_study(tmp_path / "yes")))
