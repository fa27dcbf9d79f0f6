"""Descriptions of one study become the items of the next; who withdraws is taken out of both."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from test_item_tables import make, picture, table

from referee.cli import main
from referee.errors import InputError
from referee_lab.bots.simulation import simulate
from referee_lab.commands.study.serve import _open_studies
from referee_lab.server.sessions.plan import check_answer, make_plan
from referee_lab.study.analysis.registered_tests import analyse
from referee_lab.study.data.collection import collect_from
from referee_lab.study.data.export import build_export
from referee_lab.study.design.balance import prove_balance
from referee_lab.study.design.chain import find_withdrawn_speakers, prove_chain
from referee_lab.study.folder.study import open_study
from referee_lab.study.protocols.contract import GivenAnswer


def spoken(tmp_path: Path) -> Path:
    """A German production study with own pictures, played by three."""
    images = [picture(tmp_path / f"p{n}.png", 80 * n) for n in range(2)]
    rows = [{"item": i, "image1": images[0], "image2": images[1], "target": 1 + i % 2} for i in range(3)]
    make(table(tmp_path / "t.csv", rows), tmp_path / "spoken", language="de", participants=3)
    simulate(tmp_path / "spoken", participants=3)
    return tmp_path / "spoken"


def test_listeners_are_yoked_to_speakers_or_hear_all_in_turn(tmp_path: Path) -> None:
    source = spoken(tmp_path)
    assert main(["study", "chain", str(source), "--to", "asgre2007", "--out", str(tmp_path / "all")]) == 0
    assert main(["study", "chain", str(source), "--to", "asgre2007", "--yoked", "--out", str(tmp_path / "yoked")]) == 0
    turned, yoked = open_study(tmp_path / "all"), open_study(tmp_path / "yoked")
    assert [len({speaker for _, speaker in entry.trials}) for entry in yoked.lists] == [1, 1, 1]
    assert [len({speaker for _, speaker in entry.trials}) for entry in turned.lists] == [3, 3, 3]
    assert all(len(entry.trials) == 3 for entry in (*turned.lists, *yoked.lists))
    assert (yoked.language, yoked.participants) == ("de", 3)
    assert len(list((tmp_path / "yoked" / "photographs").iterdir())) == 2, "own pictures go along"
    record = json.loads((tmp_path / "yoked" / "chain.json").read_text("utf-8"))
    assert (record["descriptions"], record["left_out"], record["yoked"]) == (9, [], True)


def test_a_withdrawal_follows_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = spoken(tmp_path)
    assert main(["study", "chain", str(source), "--to", "asgre2007", "--out", str(tmp_path / "heard")]) == 0
    heard = open_study(tmp_path / "heard")
    assert find_withdrawn_speakers(heard) == []
    speaker = heard.design.conditions[0]
    assert main(["study", "withdraw", str(source), "--alias", speaker]) == 0
    assert find_withdrawn_speakers(heard) == [speaker]
    assert [claim.holds for claim in prove_chain(heard)] == [False]
    with pytest.raises(InputError, match="1 people whose descriptions are shown have withdrawn"):
        _open_studies([heard.folder], None, False)
    assert main(["study", "chain", str(source), "--to", "asgre2007", "--out", str(tmp_path / "again")]) == 0
    assert speaker not in open_study(tmp_path / "again").design.conditions


def test_only_descriptions_make_a_chain(tmp_path: Path) -> None:
    assert main(["study", "demo", str(tmp_path / "heard")]) == 0
    assert main(["study", "chain", str(tmp_path / "heard"), "--to", "asgre2007", "--out", str(tmp_path / "no")]) == 2
    assert not (tmp_path / "no").exists()


def recorded(tmp_path: Path) -> Path:
    """A German production study of two items in one command, whose descriptions are recorded."""
    images = [picture(tmp_path / f"p{n}.png", 80 * n) for n in range(2)]
    rows = [{"item": i, "image1": images[0], "image2": images[1], "target": 1 + i % 2} for i in range(2)]
    path = table(tmp_path / "t.csv", rows)
    options = ["--participants", "2", "--language", "de", "--set", "protocol.answer=spoken"]
    assert main(["study", "new", str(path), *options, "--out", str(tmp_path / "recorded")]) == 0
    return tmp_path / "recorded"


def test_recordings_are_exported_transcribed_and_heard_in_the_next_study(tmp_path: Path) -> None:
    """2 people and 2 items: 4 recordings; one transcript of 3 words; all 4 recordings are heard in the next study."""
    folder = recorded(tmp_path)
    assert "aufgenommen" in open_study(folder).texts["consent"]
    simulate(folder, participants=2)
    files = build_export(collect_from(open_study(folder)))
    recordings = {name: content for name, content in files.items() if name.startswith("recordings/")}
    rows = list(csv.DictReader(files["trials.csv"].decode().splitlines()))
    assert len(recordings) == 4
    assert {row["sound"] for row in rows if row["kind"] == "trial"} == {*recordings}
    assert all(content.startswith(b"RIFF") for content in recordings.values())
    transcripts = tmp_path / "transcripts.csv"
    transcripts.write_text(f"uuid,text\n{rows[0]['uuid']},das rote Ding\n", encoding="utf-8")
    assert main(["study", "correct", str(folder), "--transcripts", str(transcripts), "--author", "A"]) == 0
    (sheet,) = analyse(collect_from(open_study(folder))).sheets
    assert sheet.tidy[0]["words"] == 3
    assert main(["study", "chain", str(folder), "--to", "asgre2007", "--yoked", "--out", str(tmp_path / "heard")]) == 0
    assert len(list((tmp_path / "heard" / "media").iterdir())) == 4
    assert all(s.description.media for s in open_study(tmp_path / "heard").stimuli.values())


@pytest.mark.parametrize(
    "sound", ["data:text/html;base64,AAAA", "data:audio/webm;base64,", "data:audio/webm;base64,A", "https://x/y", 3]
)
def test_nothing_but_a_recording_is_taken_for_one(sound: object, tmp_path: Path) -> None:
    study = open_study(recorded(tmp_path))
    step = next(s for s in make_plan(study, "L01", 1).steps if s.kind == "trial")
    with pytest.raises(InputError, match=r"answer\.sound"):
        check_answer(study, step, GivenAnswer(answer={"sound": sound}, times={}))


@pytest.mark.parametrize("setting", ["protocol.anwser=spoken", "protocol.answer=sung", "protokoll.answer=spoken", "x"])
def test_a_setting_that_does_not_exist_is_refused(setting: str, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", [{"item": 1, "image": picture(tmp_path / "p.png", 9)}])
    out = tmp_path / "s"
    assert main(["study", "new", str(path), "--participants", "1", "--set", setting, "--out", str(out)]) == 2
    assert not out.exists()


def test_factors_of_the_source_are_factors_of_the_chain(tmp_path: Path) -> None:
    """2 x 2 in production: every heard description has its levels in the export, and the contrasts are of the four cells."""
    images = [picture(tmp_path / f"p{n}.png", 80 * n) for n in range(2)]
    rows = [
        {"item": i, "size": size, "side": side, "image1": images[0], "image2": images[1], "target": 1 + i % 2}
        for i in range(4)
        for size in ("large", "small")
        for side in ("left", "right")
    ]
    source = make(table(tmp_path / "t.csv", rows), tmp_path / "spoken", "size,side", participants=4)
    simulate(source.folder, participants=4)
    assert main(["study", "chain", str(source.folder), "--to", "asgre2007", "--out", str(tmp_path / "heard")]) == 0
    heard = open_study(tmp_path / "heard")
    assert (heard.design.factors, heard.analysis.contrasts) == (("size", "side"), ("size", "side", "size:side"))
    assert heard.list_cells() == ["large / left", "large / right", "small / left", "small / right"]
    assert [claim.sentence for claim in prove_balance(heard) if claim.promised and not claim.holds] == []
    simulate(heard.folder, participants=len(heard.lists))
    collected = collect_from(heard)
    trials = csv.DictReader(build_export(collected)["trials.csv"].decode().splitlines())
    rows_of_trials = [row for row in trials if row["kind"] == "trial"]
    assert rows_of_trials
    assert all(f"{row['size']} / {row['side']}" in row["item"] for row in rows_of_trials)
    contrasts = {
        row["contrast"] for sheet in analyse(collected).sheets if "contrasts" in sheet.name for row in sheet.tidy
    }
    assert contrasts == {"size", "side", "size:side"}
