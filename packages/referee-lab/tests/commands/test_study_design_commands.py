"""From a run folder to a study that passes its own checks, by the commands as documented."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cli import main
from referee.corpora.synthetic.corpus import Synthetic
from referee.jobs.folder import Run, write_manifest, write_outputs, write_trials
from referee.records import Description, Trial
from referee_lab.study.design.designs import DESIGNS
from referee_lab.study.design.from_run import prepare
from referee_lab.study.design.wishes import Wishes
from referee_lab.study.folder.study import open_study

DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "RUN"
    assert main(["score", "--demo", "--metrics", "set/dice", "--out", str(folder)]) == 0
    return folder


def _new(run: Path, out: Path, *options: str) -> int:
    return main(["study", "new", str(run), "--out", str(out), *options])


def test_a_study_is_made_and_passes_its_check(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "My Study"
    assert _new(run, out, "--with-humans", "--items", "30", "--participants", "6") == 0
    study = open_study(out)
    assert study.id == "my-study"
    assert study.design.conditions == ("toy-chatty", "toy-minimal", "human")
    domains = Counter(s.trial.domain for s in study.stimuli.values())
    assert domains["furniture"] == domains["people"] == 45
    assert (len(study.practice), len(study.checks)) == (3, 2)
    capsys.readouterr()
    assert main(["study", "check", str(out), "--no-browser"]) == 0
    printed = capsys.readouterr().out
    assert "Ready: my-study" in printed
    assert "Rehearsed: 120 trials" in printed
    assert "To do: study.toml [study] contact is empty" in printed


def test_the_same_command_makes_the_same_study(run: Path, tmp_path: Path) -> None:
    options = ("--items", "8", "--participants", "2", "--seed", "5")
    hashes = []
    for parent in ("a", "b"):
        assert _new(run, tmp_path / parent / "s", *options) == 0
        hashes.append(open_study(tmp_path / parent / "s").hash)
    assert hashes[0] == hashes[1]


def test_a_list_that_lost_its_balance_fails_the_check(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "s"
    assert _new(run, out, "--items", "8", "--participants", "2") == 0
    path = out / "lists.json"
    path.write_text(path.read_text("utf-8").replace("toy-minimal", "toy-chatty", 1), encoding="utf-8")
    assert main(["study", "check", str(out), "--no-browser"]) == 1
    assert "Problem: not true: " in capsys.readouterr().out


def test_outputs_of_another_system_join(run: Path, tmp_path: Path) -> None:
    lines = (run / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    mine = tmp_path / "mine.jsonl"
    chosen = [line.replace('"toy-minimal"', '"mine"') for line in lines if '"toy-minimal"' in line]
    mine.write_text("\n".join(chosen), encoding="utf-8")
    out = tmp_path / "s"
    options = ("--systems", "mine,toy-chatty", "--from-outputs", str(mine), "--domain", "people")
    assert _new(run, out, *options, "--items", "6", "--participants", "2") == 0
    study = open_study(out)
    assert study.design.conditions == ("mine", "toy-chatty")
    assert {s.trial.domain for s in study.iterate_stimuli()} == {"people"}


def test_properties_without_words_are_worded(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (run / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    bare = tmp_path / "bare.jsonl"
    chosen = [re.sub(r', "text": "[^"]*"', "", line) for line in lines if '"toy-chatty"' in line]
    bare.write_text("\n".join(chosen).replace("toy-chatty", "bare"), encoding="utf-8")
    out = tmp_path / "s"
    assert (
        _new(
            run, out, "--systems", "bare,toy-chatty", "--from-outputs", str(bare), "--items", "6", "--participants", "2"
        )
        == 0
    )
    assert "worded by the plain realiser (`referee docs realisation`): bare" in capsys.readouterr().out
    assert all(s.description.text for s in open_study(out).stimuli.values())


def _run_of(folder: Path, trials: list[Trial]) -> Path:
    folder.mkdir()
    write_trials(folder, trials)
    write_outputs(folder, [(t.id, s, Description(text="that one")) for t in trials for s in ("a", "b")])
    write_manifest(folder, corpus={"name": "mine"})
    return folder


def test_items_with_two_targets_are_left_out_where_one_click_must_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = list(Synthetic(speakers=1, scenes=13).trials())
    double = [replace(t, targets=tuple(e.id for e in t.scene.entities[:2])) for t in trials[:3]]
    run = _run_of(tmp_path / "RUN", [*double, *trials[3:]])
    assert _new(run, tmp_path / "s", "--participants", "2") == 0
    assert "3 items with several targets were left out" in capsys.readouterr().out
    assert open_study(tmp_path / "s").design.items == 10
    assert _new(run, tmp_path / "j", "--protocol", "judgement", "--participants", "2") == 0
    assert open_study(tmp_path / "j").design.items == 13


def test_where_no_synthetic_scene_looks_alike_items_are_set_aside_for_practice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [replace(t, domain="odd things") for t in Synthetic(speakers=4, scenes=13).trials()]
    run = _run_of(tmp_path / "RUN", trials)
    assert _new(run, tmp_path / "s", "--participants", "2") == 0
    assert "5 items were set aside" in capsys.readouterr().out
    study = open_study(tmp_path / "s")
    practised = {s.trial.id for s in [*study.practice, *(c.stimulus for c in study.checks)]}
    assert len(practised) == 5
    assert practised.isdisjoint(s.trial.id for s in study.stimuli.values())
    assert _new(run, tmp_path / "t", "--participants", "2", "--items", "10") == 0
    assert open_study(tmp_path / "t").design.items == 10, "items that were not drawn are there to practise on"


def test_twelve_scenes_are_not_eaten_by_practice_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trials = [replace(t, domain="odd things") for t in Synthetic(speakers=1, scenes=13).trials()][:12]
    assert _new(_run_of(tmp_path / "RUN", trials), tmp_path / "s", "--participants", "2") == 0
    assert "all 12 items stay in the study" in capsys.readouterr().out
    study = open_study(tmp_path / "s")
    assert (study.design.items, len(study.practice), len(study.checks)) == (12, 3, 2)
    foreign = [replace(t, language="pt") for t in trials]
    assert _new(_run_of(tmp_path / "PT", foreign), tmp_path / "t", "--participants", "2") == 0
    assert "no practice trials and no checks" in capsys.readouterr().out, "nobody could read English ones"
    assert open_study(tmp_path / "t").practice == ()


def test_a_session_that_is_too_long_is_told_with_a_number_that_is_not(run: Path) -> None:
    wishes = Wishes(protocol="tuna2008", design="within", participants=4, id="long")
    draft, notes = prepare(Run(run), wishes)
    assert len(draft.layout.lists[0].trials) == 2 * 780
    (told,) = [note for note in notes if "too many trials" in note]
    assert "each person would see 1560 trials" in told
    items, each = map(int, re.findall(r"--items (\d+) makes it (\d+) trials each", told)[0])
    shorter, notes = prepare(Run(run), replace(wishes, items=items))
    assert max(len(one.trials) for one in shorter.layout.lists) == each <= 60
    assert not [note for note in notes if "too many trials" in note]


def test_production_shows_no_system_and_pairs_show_two(run: Path, tmp_path: Path) -> None:
    assert _new(run, tmp_path / "p", "--protocol", "production", "--items", "5", "--participants", "4") == 0
    study = open_study(tmp_path / "p")
    assert {s.system for s in study.stimuli.values()} == {None}
    assert study.checks == ()
    pairs = ("--protocol", "judgement-pairwise", "--with-humans", "--design", "balanced", "--items", "6")
    assert _new(run, tmp_path / "q", *pairs, "--participants", "3") == 0
    stimulus = next(iter(open_study(tmp_path / "q").stimuli.values()))
    assert stimulus.rival is not None
    assert " vs " in str(stimulus.system)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--participants", "5"), "plan 4 or 6"),
        (("--participants", "2", "--systems", "toy-minimum"), "did you mean toy-minimal"),
        (("--participants", "2", "--design", "greek"), "one of latin"),
        (("--participants", "2", "--protocol", "tuna2007"), "did you mean"),
        (("--participants", "2", "--domain", "cars"), "no descriptions"),
        (("--participants", "2", "--protocol", "reference-game"), "referee tangram choose"),
        (("--participants", "2", "--mode", "test"), "--mode is one of debug, pilot, live"),
        (("--participants", "2", "--systems", "toy-minimal"), "at least two"),
        (("--participants", "6", "--items", "12", "--groups", "4"), "use 3 groups"),
    ],
)
def test_impossible_wishes_are_answered_with_possible_ones(
    run: Path, tmp_path: Path, options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _new(run, tmp_path / "s", *options) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_a_folder_that_is_no_run_and_one_that_is_no_study_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _new(tmp_path, tmp_path / "s", "--participants", "2") == 2
    assert "not a run folder" in capsys.readouterr().err
    assert main(["study", "check", str(tmp_path)]) == 2
    assert "study.toml" in capsys.readouterr().err


def test_demo_and_show_say_what_a_session_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "demo", str(tmp_path / "d"), "--items", "6"]) == 0
    assert main(["study", "show", str(tmp_path / "d"), "--list", "L02"]) == 0
    printed = capsys.readouterr().out
    assert "list L02" in printed
    assert len(re.findall(r"^ +\d+  trial ", printed, re.MULTILINE)) == 6


def test_protocols_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "protocols"]) == 0
    assert "tuna2008" in capsys.readouterr().out


def test_every_design_is_documented() -> None:
    text = (DOCS / "designs.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in DESIGNS)
