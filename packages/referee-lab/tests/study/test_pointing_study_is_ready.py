"""A study of pointing, made with one command, is ready: its checks can be failed, and its texts say what people do in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee import run
from referee.cli import main
from referee.corpora.pictured import write_pictured
from referee.corpora.synthetic.corpus import Synthetic
from referee_lab.study.texts import read_default_pages


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pointing")
    write_pictured(folder / "drawn", Synthetic(speakers=2, scenes=3, entities=4).trials())
    run(["classic/incremental"], folder / "drawn", folder / "run", folds=2, jobs=1)
    return folder


@pytest.mark.parametrize("protocol", ["point", "refoi"])
def test_a_new_study_is_ready_and_bots_play_it(drawn: Path, protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    made, pictures = str(drawn / protocol), str(drawn / "drawn")
    asked = ["study", "new", str(drawn / "run"), "--protocol", protocol, "--design", "all", "--participants", "2"]
    assert main([*asked, "--pictures", pictures, "--out", made]) == 0
    capsys.readouterr()
    assert main(["study", "check", made, "--no-browser"]) == 0
    told = capsys.readouterr().out
    assert "Ready: " in told
    assert "Proved: every attention check can be failed" in told
    assert "nobody chooses a picture" not in told
    assert main(["study", "simulate", made, "--participants", "2"]) == 0
    assert "2 completed" in capsys.readouterr().out
    # Bots' places are found on the server, and stand in one table with hearers of the run.
    assert main(["study", "import", made, "--into", str(drawn / "run")]) == 0
    assert main(["listen", str(drawn / "run"), "--hearer", "sight/centre", "--format", "json"]) == 0
    assert "bots(noisy)" in capsys.readouterr().out


@pytest.mark.parametrize("language", ["de", "en", "es", "ja", "nl", "pt", "zh"])
def test_what_people_are_told_afterwards_is_about_places(language: str) -> None:
    plain = read_default_pages(language, "tuna2008")["debriefing"]
    for protocol in ("point", "refoi"):
        own = read_default_pages(language, protocol)["debriefing"]
        assert own != plain
        # All but one sentence is the same.
        assert sum(a != b for a, b in zip(own.splitlines(), plain.splitlines(), strict=True)) == 1
