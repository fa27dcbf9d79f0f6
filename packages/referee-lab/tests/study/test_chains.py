"""Descriptions of one study become the items of the next; who withdraws is taken out of both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_item_tables import make, picture, table

from referee.cli import main
from referee.errors import InputError
from referee_lab.bots.simulation import simulate
from referee_lab.commands.study.serve import _open
from referee_lab.study.design.chain import prove_chain, withdrawn_speakers
from referee_lab.study.folder.study import open_study


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
    assert withdrawn_speakers(heard) == []
    speaker = heard.design.conditions[0]
    assert main(["study", "withdraw", str(source), "--alias", speaker]) == 0
    assert withdrawn_speakers(heard) == [speaker]
    assert [claim.holds for claim in prove_chain(heard)] == [False]
    with pytest.raises(InputError, match="1 people whose descriptions are shown have withdrawn"):
        _open([heard.folder], None, False)
    assert main(["study", "chain", str(source), "--to", "asgre2007", "--out", str(tmp_path / "again")]) == 0
    assert speaker not in open_study(tmp_path / "again").design.conditions


def test_only_descriptions_make_a_chain(tmp_path: Path) -> None:
    assert main(["study", "demo", str(tmp_path / "heard")]) == 0
    assert main(["study", "chain", str(tmp_path / "heard"), "--to", "asgre2007", "--out", str(tmp_path / "no")]) == 2
    assert not (tmp_path / "no").exists()
