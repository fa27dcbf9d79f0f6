"""Running systems: fair training, the same result however it was reached, and a defined end for everything that can go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import toy_systems
from referee.api.run import run as run_systems
from referee.api.score import score
from referee.corpora.splits import make_folds
from referee.corpora.synthetic.corpus import Synthetic
from referee.engines.local import LocalEngine
from referee.errors import CannotWrite, InputError, MissingExtra, UnknownName
from referee.jobs.folder import Run
from referee.jobs.folds import RunPlan
from referee.jobs.open import open_corpus
from referee.jobs.retry import count_failures, retry
from referee.jobs.run import run
from referee.jobs.speak import System, parse_systems

TRIALS = tuple(Synthetic(speakers=6).trials())
CORPUS = open_corpus(TRIALS)


@pytest.fixture(autouse=True)
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy_systems.install(tmp_path / "site", monkeypatch)


def do(out: Path, *systems: str, jobs: int = 1, **options: Any) -> dict[str, dict[str, float]]:
    settings = {key: options.pop(key) for key in ("folds", "by", "split", "seed") if key in options}
    return run(RunPlan(systems=parse_systems(systems), **settings), CORPUS, out, engine=LocalEngine(jobs), **options)


def said(out: Path, system: str) -> dict[str, str | None]:
    return {o.trial: o.description.text for o in Run(out).outputs() if o.system == system}


# -- names -----------------------------------------------------------------------------------------------------------------


def test_a_group_stands_for_all_its_systems() -> None:
    names = [s.label for s in parse_systems(["tuna2008-as"])]
    assert len(names) == 14, "Gatt, Belz & Kow 2008, table 3"
    assert {s.label for s in parse_systems(["tuna2008-as/DIT-FBI", "tuna2008-as/*"])} == set(names)


def test_a_system_can_have_a_label_and_switches() -> None:
    (system,) = parse_systems(["mine=toy/lottery|seed:7"])
    assert system == System("mine", "toy/lottery|seed:7")
    assert system.build().seed == 7


def test_a_class_in_a_file_is_a_system_in_every_process(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from referee import Description\n"
        "class Count:\n"
        "    def fit(self, trials):\n        self.n = len(list(trials))\n        return self\n"
        "    def describe(self, view):\n        return Description(text=f'{self.n} before')\n"
        "class Silent:\n    pass\n"
    )
    do(tmp_path / "run", f"{file}:Count", jobs=2, folds=3)
    # Six speakers with 13 trials each in three folds: training on four of them.
    assert set(said(tmp_path / "run", "mine.py:Count").values()) == {"52 before"}
    with pytest.raises(InputError, match="describe"):
        parse_systems([f"{file}:Silent"])
    with pytest.raises(UnknownName, match="Count"):
        parse_systems([f"{file}:Cont"])


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (["tuna2008-az"], "did you mean"),
        (["tuna2008-as/DIT-FBY"], "tuna2008-as/DIT-FBI"),
        (["toy/lottery|sead:1"], "no switch is called 'sead'"),
        ([], "no system is named"),
        (["a=toy/honest", "a=toy/shy"], "same label"),
    ],
)
def test_wrong_names_are_answered_with_a_remedy(wanted: list[str], problem: str) -> None:
    with pytest.raises((UnknownName, InputError), match=problem):
        parse_systems(wanted)


# -- what is run -----------------------------------------------------------------------------------------------------------


def test_every_trial_is_described_once_by_a_system_that_never_saw_it(tmp_path: Path) -> None:
    counts = do(tmp_path / "run", "toy/honest", folds=3)
    texts = said(tmp_path / "run", "toy/honest")
    assert list(texts) == [t.id for t in TRIALS]
    assert counts == {"toy/honest": {"trials": 78, "answered": 78, "silent": 0, "dropped": 0, "false": 0}}
    # six speakers with 13 trials each in three folds: training on four of them
    assert all("after 52 trials" in (text or "") for text in texts.values())


def test_one_named_cut_can_stand_for_the_folds(tmp_path: Path) -> None:
    do(tmp_path / "run", "toy/honest", split="speaker-80/20")
    tested = [t.id for t in Run(tmp_path / "run").trials()]
    assert list(said(tmp_path / "run", "toy/honest")) == tested
    assert len(tested) == 13
    assert [s["sizes"] for s in Run(tmp_path / "run").manifest["splits"]] == [[65, 13]]


def test_a_realiser_gets_the_properties_that_the_person_chose(tmp_path: Path) -> None:
    do(tmp_path / "run", "toy/wordsmith")
    for trial in TRIALS:
        wanted = " ".join(p.value for p in trial.references[0].properties or ())
        assert said(tmp_path / "run", "toy/wordsmith")[trial.id] == wanted


def test_silence_is_counted_and_not_an_empty_description(tmp_path: Path) -> None:
    counts = do(tmp_path / "run", "toy/shy")
    people = sum(t.domain == "people" for t in TRIALS)
    assert counts["toy/shy"] == {"trials": 78, "answered": 78 - people, "silent": people, "dropped": 0, "false": 0}
    frame = score(tmp_path / "run", tmp_path / "run", metrics=["set/dice"])
    assert frame["missing"].to_list() == [people]
    assert (
        frame["n"].to_list()
        == score(tmp_path / "run", tmp_path / "run", metrics=["set/dice"], lenient=True)["n"].to_list()
    )


def test_the_seed_reaches_systems_that_draw_lots_and_the_folds(tmp_path: Path) -> None:
    for seed in (1, 2):
        do(tmp_path / f"run{seed}", "toy/lottery", seed=seed)
    do(tmp_path / "again", "toy/lottery", seed=1)
    first, second, again = (said(tmp_path / name, "toy/lottery") for name in ("run1", "run2", "again"))
    assert first == again
    assert first != second
    checksums = [[s["checksum"] for s in Run(tmp_path / n).manifest["splits"]] for n in ("run1", "run2", "again")]
    assert checksums[0] == checksums[2] != checksums[1]


def test_the_manifest_tells_how_to_do_it_again(tmp_path: Path) -> None:
    do(tmp_path / "run", "toy/lottery", "tuna2008-as/DIT-FBI", folds=2, seed=5)
    manifest = Run(tmp_path / "run").manifest
    assert manifest["kind"] == "outputs"
    assert manifest["systems"] == ["toy/lottery", "tuna2008-as/DIT-FBI"]
    assert (manifest["settings"]["folds"], manifest["settings"]["by"], manifest["settings"]["seed"]) == (
        2,
        "speaker",
        5,
    )
    assert manifest["signatures"]["toy/lottery"].startswith("toy/lottery|seed:5|package:toy_systems-code-")
    assert " at 0x" not in json.dumps(manifest)
    assert manifest["corpus"]["trials"] == 78
    expected = [sum(1 for _ in test) for _, test in make_folds(TRIALS, 2, "speaker", 5)]
    assert [s["sizes"][1] for s in manifest["splits"]] == expected


def test_nothing_but_the_run_is_left_behind(tmp_path: Path) -> None:
    do(tmp_path / "a" / "run", "toy/honest")
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["run"]
    assert sorted(p.name for p in (tmp_path / "a" / "run").iterdir()) == [
        "manifest.json",
        "outputs.jsonl",
        "trials.jsonl",
    ]


def test_processes_and_order_do_not_change_what_is_said(tmp_path: Path) -> None:
    systems = ("tuna2008-as/DIT-FBI", "tuna2008-as/IS-FP", "toy/lottery")
    do(tmp_path / "one", *systems, jobs=1)
    do(tmp_path / "two", *systems, jobs=2)
    do(tmp_path / "small", *systems, jobs=2, shard=7)
    one, two, small = ((tmp_path / name / "outputs.jsonl").read_bytes() for name in ("one", "two", "small"))
    assert one == two == small
    told = [Run(tmp_path / name).manifest for name in ("one", "small")]
    for manifest in told:
        manifest.pop("created")
    assert told[0] == told[1], "two engines differ in nothing but times"


# -- breaks ----------------------------------------------------------------------------------------------------------------


def command(corpus: Path, out: Path) -> list[str]:
    options = ["--corpus", str(corpus), "--systems", "toy/slow", "--folds", "6", "--jobs", "2"]
    program = "import sys; from referee.cli import main; sys.exit(main())"
    return [sys.executable, "-c", program, "run", *options, "--out", str(out)]


def wait_for(happened: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def test_a_killed_run_goes_on_where_it_stopped_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee.corpora.jsonl import trials_to_json, write_json_line

    diary = tmp_path / "diary"
    halt = tmp_path / "halt"  # it stands still until it is killed, however slow the machine is
    halt.touch()
    monkeypatch.setenv("TOY_DIARY", str(diary))
    monkeypatch.setenv("TOY_HALT", str(halt))
    corpus, out, parts = tmp_path / "corpus.jsonl", tmp_path / "run", tmp_path / ".run.unfinished" / "parts"
    corpus.write_text("".join(f"{write_json_line(t)}\n" for t in trials_to_json(TRIALS)), "utf-8")
    first = subprocess.Popen(command(corpus, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: parts.is_dir() and len(list(parts.glob("*.jsonl"))) >= 1)
    second = subprocess.run(command(corpus, out), capture_output=True, text=True)
    assert second.returncode == 2
    assert f"run is being made already, by process {first.pid}" in second.stderr.replace("\n", " ")
    first.send_signal(signal.SIGKILL)
    first.wait()
    workers = {int(line.split()[0]) for line in diary.read_text().splitlines()}
    wait_for(lambda: not any(alive(pid) for pid in workers))
    assert not out.exists()
    done = {json.loads(line)["trial"] for path in parts.glob("*.jsonl") for line in path.read_text().splitlines()[1:]}
    assert 0 < len(done) < len(TRIALS)
    diary.unlink()
    halt.unlink()
    subprocess.run(command(corpus, out), check=True, capture_output=True)
    again = {line.split()[1] for line in diary.read_text().splitlines()}
    assert again == {t.id for t in TRIALS} - done, "what was finished is not done again"
    run(RunPlan(systems=parse_systems(["toy/slow"]), folds=6), CORPUS, tmp_path / "whole")
    assert (out / "outputs.jsonl").read_text() == (tmp_path / "whole" / "outputs.jsonl").read_text()
    assert not [p.name for p in tmp_path.glob(".run.*")], "neither the unfinished run nor its lock"


def test_ctrl_c_keeps_what_is_done_and_says_so_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.corpora.jsonl import trials_to_json, write_json_line

    halt = tmp_path / "halt"
    halt.touch()
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    monkeypatch.setenv("TOY_HALT", str(halt))
    corpus, out, parts = tmp_path / "corpus.jsonl", tmp_path / "run", tmp_path / ".run.unfinished" / "parts"
    corpus.write_text("".join(f"{write_json_line(t)}\n" for t in trials_to_json(TRIALS)), "utf-8")
    # a group of its own, as a terminal makes one: Ctrl-C reaches the command and all its processes
    going = subprocess.Popen(
        command(corpus, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: parts.is_dir() and len(list(parts.glob("*.jsonl"))) >= 1)
    os.killpg(going.pid, signal.SIGINT)
    said = "".join(going.communicate(timeout=120))
    assert going.returncode == 130
    assert "Traceback" not in said
    assert list(parts.glob("*.jsonl"))
    halt.unlink()
    subprocess.run(command(corpus, out), check=True, capture_output=True)
    assert len(Run(out).manifest["systems"]) == 1
    assert not [p.name for p in tmp_path.glob(".run.*")]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in (Path(f"/proc/{pid}/status").read_text() if Path(f"/proc/{pid}/status").exists() else "")


def test_a_fault_of_a_system_names_system_and_trial_and_keeps_the_rest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"toy/broken failed at trial 's\d+t2' \(ZeroDivisionError"):
        do(tmp_path / "run", "toy/honest", "toy/broken", folds=2)
    parts = list((tmp_path / ".run.unfinished" / "parts").iterdir())
    assert len(parts) == 2, "both folds of the system that has no fault"


def test_a_fault_in_another_process_is_told_the_same_way(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"toy/broken failed at trial"):
        do(tmp_path / "run", "toy/broken", folds=2, jobs=2)


@pytest.mark.long  # the next one kills a worker too
def test_a_system_that_only_dies_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="worker processes ended repeatedly, the last at toy/deadly, fold"):
        do(tmp_path / "run", "toy/deadly", folds=2, jobs=2)


def test_a_deadly_trial_is_one_failure_that_can_be_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    halt = tmp_path / "halt"
    halt.touch()
    monkeypatch.setenv("TOY_HALT", str(halt))
    counts = do(tmp_path / "run", "toy/touchy", folds=2, jobs=2)
    assert counts["toy/touchy"] == {"trials": 78, "answered": 77, "silent": 0, "dropped": 0, "false": 0, "failed": 1}
    line = json.loads((tmp_path / "run" / "failures.jsonl").read_text())
    assert line == {"system": "toy/touchy", "trial": "s2t3", "why": "its process was killed (out of memory?)"}
    assert count_failures(tmp_path / "run") == 1
    halt.unlink()
    counts = retry(tmp_path / "run")
    assert (counts["toy/touchy"]["answered"], counts["toy/touchy"].get("failed", 0)) == (78, 0)
    assert count_failures(tmp_path / "run") == 0
    do(tmp_path / "whole", "toy/touchy", folds=2)
    assert (tmp_path / "run" / "outputs.jsonl").read_bytes() == (tmp_path / "whole" / "outputs.jsonl").read_bytes()


def test_an_unfinished_run_is_not_mixed_with_another(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        do(tmp_path / "run", "toy/honest", "toy/broken", folds=2)
    with pytest.raises(InputError, match=r"other settings is here \(different: seed"):
        do(tmp_path / "run", "toy/honest", "toy/broken", folds=2, seed=2)
    do(tmp_path / "run", "toy/honest", folds=2, seed=2, restart=True)
    assert len(said(tmp_path / "run", "toy/honest")) == 78


def test_what_is_there_is_only_replaced_on_demand(tmp_path: Path) -> None:
    do(tmp_path / "run", "toy/honest")
    with pytest.raises(CannotWrite, match="--overwrite"):
        do(tmp_path / "run", "toy/lottery")
    do(tmp_path / "run", "toy/lottery", overwrite=True)
    assert Run(tmp_path / "run").manifest["systems"] == ["toy/lottery"]
    (tmp_path / "mine").mkdir()
    with pytest.raises(CannotWrite):
        do(tmp_path / "mine", "toy/honest", overwrite=True)


def test_a_place_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite):
        do(tmp_path / "file" / "run", "toy/honest")


def test_a_mistyped_option_does_not_stand_in_the_way_of_its_correction(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot make 99 folds"):
        do(tmp_path / "run", "toy/honest", folds=99)
    assert not (tmp_path / ".run.unfinished").exists()
    do(tmp_path / "run", "toy/honest", folds=2)
    assert len(said(tmp_path / "run", "toy/honest")) == 78


def test_a_missing_package_costs_one_system_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    systems = ["classic/support-vectors", "classic/incremental"]
    made = run_systems(systems, "synthetic", out=tmp_path / "run", limit=12, folds=2, folds_by="random", jobs=1)
    assert made.counts["classic/support-vectors"]["not run: needs referee[learning]"] == 12
    assert made.counts["classic/incremental"]["answered"] == 12
    scored = made.score(metrics="set/dice").frame
    assert dict(zip(scored["system"], scored["n"], strict=True))["classic/incremental"] == 12


def test_a_run_without_any_installed_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    without_references = tmp_path / "trials.jsonl"
    lines = [{"id": f"t{n}", "target": "a", "entities": [{"id": "a", "attributes": {"type": "cup"}}]} for n in (1, 2)]
    without_references.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for corpus in ("synthetic", str(without_references)):
        with pytest.raises(MissingExtra, match="neural"):
            run_systems("neural/transformer", corpus, out=tmp_path / "run", limit=2, folds=2, folds_by="random", jobs=1)
    assert not [p for p in tmp_path.iterdir() if "run" in p.name]


@pytest.mark.parametrize("system", ["classic/pro", "classic/rsa.learned", "variants/OSU-GP.evolved"])
def test_a_domain_without_training_data_is_refused_before_the_first_trial(tmp_path: Path, system: str) -> None:
    # The first seven of eight trials are of furniture: the one of people has nothing to learn from.
    with pytest.raises(InputError, match=f"{system} cannot learn to describe trial .*no training data"):
        run_systems(system, "synthetic", out=tmp_path / "run", limit=8, folds=2, folds_by="random", jobs=1)
    assert not [p for p in tmp_path.iterdir() if "run" in p.name]


@pytest.mark.parametrize(
    ("system", "domains", "references"),
    [
        ("tuna2008-as/OSU-GP", ["furniture", "furniture", "furniture", "garage"], True),
        ("classic/visible-objects", ["furniture"] * 4, False),
    ],
)
def test_a_system_that_cannot_describe_the_trials_is_refused_before_the_first(
    tmp_path: Path, system: str, domains: list[str], references: bool
) -> None:
    corpus, out = tmp_path / "corpus.jsonl", tmp_path / "run"
    lines = [
        {
            "id": f"t{number}",
            "domain": domain,
            "target": "a",
            "entities": [
                {"id": i, "attributes": {"type": "chair", "colour": c}} for i, c in (("a", "red"), ("b", "blue"))
            ],
            "references": [{"properties": [["colour", "red"]]}] if references else [],
        }
        for number, domain in enumerate(domains)
    ]
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match=system) as refused:
        run_systems(["classic/incremental", system], corpus, out=out, folds=2, folds_by="random", jobs=1)
    assert refused.value.remedy
    assert not [p.name for p in tmp_path.iterdir() if "run" in p.name]
