"""Packages of others: the template under examples/plugin works by its entry points, and a broken one is named and skipped."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from referee import catalogue
from referee.cli import main
from referee.errors import BrokenPlugin

PLUGIN = Path(__file__).resolve().parents[1] / "examples" / "plugin"
BROKEN = """
import numpy as np
from referee.metrics.measure import Measure

class Falls(Measure):
    name = "bad/falls"
    def statistics(self, batch):
        return np.zeros((len(batch), 1)) / len(batch.nothing)

class Wide(Measure):
    name = "bad/wide"
    def statistics(self, batch):
        return np.zeros((len(batch), 7))

class Choosy:
    def __init__(self):
        raise ValueError("not today")

class Corpus:
    def __init__(self):
        raise ValueError("no corpus today")

class Mute:
    def __init__(self):
        raise ValueError("not a word today")
"""
POINTS = """[referee.metrics]
bad/missing = no_such_module_here:Metric
bad/nothing = collections:OrderedDict
bad/choosy = bad_metrics:Choosy
bad/falls = bad_metrics:Falls
bad/wide = bad_metrics:Wide
[referee.corpora]
bad = bad_metrics:Corpus
[referee.systems]
bad/mute = bad_metrics:Mute
[referee.hearers]
bad-deaf = bad_metrics:Mute
[referee.protocols]
bad-order = no_such_module_here:Protocol
"""


def install(site: Path, name: str, points: str) -> None:
    """What pip leaves of a package beside its modules."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(points, "utf-8")


@pytest.fixture
def fruit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = tomllib.loads((PLUGIN / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    lines = [f"[{g}]\n" + "".join(f"{n} = {w}\n" for n, w in names.items()) for g, names in groups.items()]
    install(tmp_path, "referee-fruit", "".join(lines))
    monkeypatch.syspath_prepend(str(PLUGIN / "src"))
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad_metrics.py").write_text(BROKEN, "utf-8")
    install(tmp_path, "badly", POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "bad_metrics", raising=False)


@pytest.mark.usefixtures("fruit")
class TestTemplate:
    def test_a_corpus_is_described_scored_and_heard(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """By hand: all that is said of three fruits are three properties each, of which people say two: 2/3; without the type 1 of 2."""
        run = tmp_path / "run"
        cut = ["--folds", "3", "--folds-by", "random"]
        assert main(["run", "--corpus", "fruit", "--systems", "fruit/everything", *cut, "--out", str(run)]) == 0
        capsys.readouterr()
        metrics = "fruit/overlap,fruit/overlap|without:type"
        assert main(["score", str(run), "--metrics", metrics, "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        assert [row["value"] for row in rows] == [pytest.approx(2 / 3), pytest.approx(1 / 2)]
        assert all("package:referee_fruit-" in row["signature"] for row in rows)
        assert main(["listen", str(run), "--hearer", "fruit-first", "--format", "json"]) == 0
        heard = json.loads(capsys.readouterr().out)["rows"]
        assert {row["value"] for row in heard if row.get("measure", row.get("metric")) == "ir"} == {1.0}

    def test_its_corpus_looks_like_any_other(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["corpora", "--format", "json"]) == 0
        (row,) = [r for r in json.loads(capsys.readouterr().out)["rows"] if r["name"] == "fruit"]
        assert (row["trials"], row["languages"], row["domain"], row["listeners"]) == (3, ["en"], "fruit", True)
        assert (row["synthetic"], row["found"]) == (True, "from referee-fruit")
        assert main(["corpus", "card", "fruit"]) == 0
        assert "Bowls of fruit" in capsys.readouterr().out

    def test_its_protocol_makes_a_study(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["study", "demo", str(tmp_path / "study"), "--protocol", "fruit-hurried", "--items", "6"]) == 0
        assert "3000" in (tmp_path / "study" / "study.toml").read_text("utf-8")

    def test_a_study_of_its_corpus_and_system_is_checked_and_played_by_bots(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Three fruits that people and one system describe: 3 trials a person, of which 2 people answer all."""
        run, study = str(tmp_path / "run"), str(tmp_path / "study")
        cut = ["--folds", "3", "--folds-by", "random"]
        assert main(["run", "--corpus", "fruit", "--systems", "fruit/everything", *cut, "--out", run]) == 0
        made = ["study", "new", run, "--protocol", "fruit-hurried", "--with-humans", "--participants", "2"]
        assert main([*made, "--practice", "0", "--checks", "0", "--out", study]) == 0
        settings = tmp_path / "study" / "study.toml"
        # The fruits have no pictures, so they are shown as cards of words, which a study has to allow.
        settings.write_text(settings.read_text("utf-8").replace("word_cards = false", "word_cards = true"), "utf-8")
        assert main(["study", "check", study, "--no-browser"]) == 0
        assert main(["study", "simulate", study, "--participants", "2"]) == 0
        told = capsys.readouterr().out
        assert "fruit-hurried" in told


@pytest.mark.long
def test_the_template_installs_and_signs_with_its_version(tmp_path: Path) -> None:
    """As pip does it, into a folder of its own; what builds it comes over the network, as in tests/installation."""
    site = tmp_path / "site-packages"
    copy = shutil.copytree(PLUGIN, tmp_path / "plugin", ignore=shutil.ignore_patterns("__pycache__"))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(site),
    ]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*pip, str(copy)], env=alone, check=True)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])}
    code = "import referee; m = referee.create('metric', 'fruit/overlap'); from referee.signature import signature; print(signature(m.name, m))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "package:referee_fruit-1.0.0" in done.stdout
    # Then every kind by its name, as docs/plugins.md has it.
    page = (PLUGIN.parents[1] / "docs" / "plugins.md").read_text("utf-8")
    commands = [line for line in page.splitlines() if line.startswith("referee ")]
    assert {"run", "score", "listen", "study"} <= {line.split()[1] for line in commands}
    for line in commands:
        words = [sys.executable, "-m", *shlex.split(line)]
        done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stderr}"


@pytest.mark.usefixtures("broken")
class TestBroken:
    def test_all_metrics_are_scored_without_the_broken_ones(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        run = tmp_path / "run"
        cut = ["--limit", "6", "--folds", "2", "--folds-by", "random"]
        assert main(["run", "--corpus", "synthetic", *cut, "--systems", "classic/greedy", "--out", str(run)]) == 0
        capsys.readouterr()
        assert main(["score", str(run), "--metrics", "bad,set/dice", "--format", "json"]) == 0
        out, err = capsys.readouterr()
        rows = {row["metric"]: (row["value"], row["n"]) for row in json.loads(out)["rows"]}
        assert set(rows) == {"set/dice", "bad/falls", "bad/wide"}
        assert rows["bad/falls"] == rows["bad/wide"] == (None, 0)
        assert rows["set/dice"][1] == 6
        told = " ".join(err.split())
        for name in ("missing", "nothing", "choosy", "falls", "wide"):
            assert f"the metric bad/{name} (from badly) is broken" in told

    @pytest.mark.parametrize("name", ["bad/missing", "bad/nothing", "bad/choosy"])
    def test_one_that_was_asked_for_ends_the_command_by_its_name(
        self, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["score", "--demo", "--metrics", name]) == 2
        assert f"the metric {name} (from badly) is broken" in capsys.readouterr().err

    def test_a_broken_corpus_does_not_hide_the_others(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["corpora"]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "synthetic 780 en" in out
        assert "the corpus bad (from badly) is broken: ValueError: no corpus today" in out

    @pytest.mark.parametrize(
        ("command", "named"),
        [
            (["run", "--corpus", "synthetic", "--systems", "bad/mute", "--limit", "60"], "the system bad/mute"),
            (["listen", "RUN", "--hearer", "bad-deaf"], "the hearer bad-deaf"),
            (["study", "demo", "STUDY", "--protocol", "bad-order"], "the protocol bad-order"),
            (["score", "--demo", "--corpus", "bad"], "the corpus bad"),
        ],
    )
    def test_every_kind_is_named_where_it_was_asked_for(
        self,
        command: list[str],
        named: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        if command[0] == "listen":
            assert main(["score", "--demo", "--metrics", "set/dice", "--out", "RUN"]) == 0
        out = ["--out", "OUT"] if command[0] == "run" else []
        assert main([*command, *out]) == 2
        assert f"{named} (from badly) is broken" in " ".join(capsys.readouterr().err.split())

    def test_names_are_listed_without_importing_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["list", "metrics"]) == 0
        assert "bad/missing" in capsys.readouterr().out
        with pytest.raises(BrokenPlugin, match="no_such_module_here"):
            catalogue.load("metric", "bad/missing")
