"""listen, score, court, passport and power: the same bytes for any engine, number of processes and size of pieces, and nothing done twice after a break."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from referee.cli import main
from referee.corpora.jsonl import response_to_json, trial_to_json, write_json_line
from referee.corpora.synthetic.corpus import Synthetic
from referee.engines.local import LocalEngine
from referee.engines.pieces import Done, Failed, Task, WorkPiece
from referee.errors import InputError
from referee.files import hold_alone, let_go
from referee.hearers.passports import questions
from referee.jobs.listen import LOCK, Session, add_people, listen
from referee.records import Outcome, Response

WAYS = [("--shard", "7"), ("--jobs", "2", "--shard", "50")]
RAY = pytest.param(
    ("--engine", "ray", "--jobs", "2", "--shard", "40"),
    marks=[
        pytest.mark.long,
        pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
    ],
)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("engines")
    corpus = place / "corpus.jsonl"
    corpus.write_text(
        "".join(write_json_line(trial_to_json(t)) + "\n" for t in Synthetic(speakers=6).trials()), "utf-8"
    )
    systems = "classic/greedy,classic/incremental"
    command = ["run", "--corpus", str(corpus), "--systems", systems, "--folds", "2", "--jobs", "1"]
    assert main([*command, "--out", str(place / "run"), "--quiet"]) == 0
    return place / "run"


def copied(run: Path, to: Path) -> Path:
    shutil.copytree(run, to)
    return to


@pytest.fixture(scope="module")
def heard(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    run = copied(spoken, tmp_path_factory.mktemp("heard") / "run")
    assert main(["listen", str(run), "--hearer", "learned", "--folds", "2"]) == 0
    return (run / "responses.jsonl").read_bytes()


@pytest.mark.parametrize("way", [*WAYS, RAY])
def test_listening_gives_the_same_bytes(spoken: Path, heard: bytes, tmp_path: Path, way: tuple[str, ...]) -> None:
    run = copied(spoken, tmp_path / "run")
    assert main(["listen", str(run), "--hearer", "learned", "--folds", "2", *way]) == 0
    assert (run / "responses.jsonl").read_bytes() == heard
    assert not list(run.glob(".hearing-*"))


@pytest.mark.parametrize("way", [*WAYS, RAY])
def test_scoring_prints_the_same_numbers(way: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    # With measures that learn from the whole set (NIST, CIDEr, distributions), which no part of it has seen.
    names = "set/dice,string/nist,string/bleu.4,string/cider,distribution/js,scene/unique"
    command = ["score", "--demo", "--metrics", names, "--by", "domain", "--format", "json"]
    assert main(command) == 0
    alone = capsys.readouterr().out
    assert main([*command, *way]) == 0
    assert capsys.readouterr().out == alone
    assert all(row["n"] for row in json.loads(alone)["rows"] if row["metric"] == "string/nist")


@pytest.mark.parametrize("way", [("--jobs", "2", "--shard", "2"), RAY])
def test_power_prints_the_same_numbers(way: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    command = ["power", "--systems", "4", "--items", "16", "--participants", "8", "--effect", "0.2"]
    command += ["--simulations", "220", "--format", "json"]
    assert main(command) == 0
    alone = capsys.readouterr().out
    assert main([*command, *way]) == 0
    assert capsys.readouterr().out == alone


@pytest.fixture(scope="module")
def study(spoken: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People who are right three times of four, in six games."""
    folder = tmp_path_factory.mktemp("people")
    trials = list(Synthetic(speakers=6).trials())
    lines = [write_json_line(trial_to_json(t)) for t in trials]
    (folder / "trials.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    answers = [
        Response(
            trial=t.id,
            hearer=t.speaker or "",
            outcome=Outcome.ENTITY,
            entity=t.targets[0] if i % 4 else t.scene.entities[0].id,
            identification_ms=900.0 + i,
        )
        for i, t in enumerate(trials)
    ]
    (folder / "responses.jsonl").write_text(
        "".join(write_json_line(response_to_json(r)) + "\n" for r in answers), "utf-8"
    )
    return folder


@pytest.mark.parametrize("way", [("--jobs", "2"), RAY])
def test_a_passport_has_the_same_numbers(study: Path, way: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    command = ["passport", "learned", "--data", str(study), "--folds", "2", "--folds-by", "speaker", "--no-new"]
    command += ["--probes", "10", "--resamples", "20", "--format", "json"]
    assert main(command) == 0
    alone = capsys.readouterr().out
    assert main([*command, *way]) == 0
    assert capsys.readouterr().out == alone


def test_a_long_schooling_is_spread_over_the_cores_and_none_that_was_told_otherwise(
    study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["passport", "learned", "--data", str(study), "--folds", "2", "--folds-by", "speaker", "--no-new"]
    command += ["--probes", "10", "--resamples", "20", "--format", "json"]
    assert main(command) == 0
    alone = capsys.readouterr().out
    monkeypatch.setattr(questions, "MANY", 2)
    monkeypatch.setattr(questions, "count_cores", lambda: 2)
    began: list[int] = []
    work = LocalEngine.work
    monkeypatch.setattr(LocalEngine, "work", lambda self, *given: (began.append(self.jobs), work(self, *given))[1])
    assert main(command) == 0
    assert capsys.readouterr().out == alone
    assert began == [2]
    assert main([*command, "--jobs", "1"]) == 0
    assert capsys.readouterr().out == alone
    assert began == [2]


def test_the_court_says_the_same(spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["score", str(spoken), "--metrics", "set/dice,set/masi", "--out", str(run)]) == 0
    assert main(["listen", str(run), "--hearer", "noisy"]) == 0
    capsys.readouterr()
    command = ["court", str(run), "--resamples", "20", "--permutations", "20", "--format", "json"]
    assert main(command) == 0
    alone = capsys.readouterr().out
    assert main([*command, "--jobs", "2", "--shard", "2"]) == 0
    assert capsys.readouterr().out == alone
    assert json.loads(alone)["items"]


class Breaking(LocalEngine):
    """Stops after two pieces, as Ctrl-C would."""

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        for number, outcome in enumerate(super().work(task, pieces)):
            if number == 2:
                raise KeyboardInterrupt
            yield outcome


class Counting(LocalEngine):
    items: list[str] = []  # noqa: RUF012

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        for outcome in super().work(task, pieces):
            self.items.extend(outcome.piece.items)
            yield outcome


def test_after_a_break_listening_goes_on_with_other_pieces_and_other_settings_begin_anew(
    spoken: Path, tmp_path: Path
) -> None:
    whole, broken = copied(spoken, tmp_path / "whole"), copied(spoken, tmp_path / "broken")
    listen(whole, Session(hearer="noisy"))
    with pytest.raises(KeyboardInterrupt):
        listen(broken, Session(hearer="noisy"), Breaking(), 10)
    assert not (broken / "responses.jsonl").exists()
    Counting.items.clear()
    listen(broken, Session(hearer="noisy"), Counting(), 13)
    assert len(Counting.items) == len(set(Counting.items)) == 78 - 20
    assert (broken / "responses.jsonl").read_bytes() == (whole / "responses.jsonl").read_bytes()
    for hearer in ("noisy", "literal"):
        with pytest.raises(KeyboardInterrupt):
            listen(broken, Session(hearer=hearer, seed=2), Breaking(), 10)
    Counting.items.clear()
    listen(broken, Session(hearer="noisy", seed=3), Counting(), 10)
    assert len(Counting.items) == 78
    # What the noisy hearer left is of no use any more; the other one can go on.
    assert len(list(broken.glob(".hearing-*"))) == 1
    Counting.items.clear()
    listen(broken, Session(hearer="literal", seed=2), Counting(), 10)
    assert len(Counting.items) == 78 - 20
    assert not list(broken.glob(".hearing-*"))


class Losing(LocalEngine):
    """One item ends whoever touches it."""

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        first, *others = pieces
        yield Failed(WorkPiece(first.group, first.items[:1]), "its process was killed")
        yield from super().work(task, [*(WorkPiece(first.group, (item,)) for item in first.items[1:]), *others])


def test_an_item_that_kills_its_process_is_no_answer_and_is_counted(spoken: Path, tmp_path: Path) -> None:
    run = copied(spoken, tmp_path / "run")
    assert listen(run, Session(hearer="literal"), Losing(), 20) == 2 * 77
    assert json.loads((run / "manifest.json").read_text())["unanswered"] == {"literal": 2}
    assert listen(run, Session(hearer="literal")) == 2 * 78
    assert "unanswered" not in json.loads((run / "manifest.json").read_text())


def test_two_that_add_answers_to_one_run_are_told_of_each_other(spoken: Path, tmp_path: Path) -> None:
    run = copied(spoken, tmp_path / "run")
    lock = hold_alone(run / LOCK, "busy", "wait")
    with pytest.raises(InputError, match=f"answers are being added to this run already, by process {os.getpid()}"):
        listen(run, Session(hearer="literal"))
    with pytest.raises(InputError, match="answers are being added"):
        add_people(run, [], "a file")
    let_go(run / LOCK, lock)
    assert listen(run, Session(hearer="literal")) == 2 * 78
    assert not (run / LOCK).exists()


def test_no_lock_is_put_into_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run folder"):
        listen(tmp_path, Session(hearer="literal"))
    assert list(tmp_path.iterdir()) == []
