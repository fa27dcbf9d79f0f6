"""`referee tangram` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli import main
from referee_lab.commands.tangram import COMMANDS
from referee_lab.tangram.models.invented_sessions import Habits, invent_sessions
from referee_lab.tangram.tiers.dialogue_form import write_dialogue


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["tangram", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few small sessions as files."""
    path = tmp_path_factory.mktemp("sessions")
    for d in invent_sessions(2, Habits(pairs=3, dialogues_per_pair=2, references=240, plurals=20)):
        (path / f"{d.id}.jsonl").write_text(write_dialogue(d), "utf-8")
    return path


def test_help_names_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(f"  {name} " in out for name in COMMANDS)


def test_classification_prints_baselines_and_published_values_beside_the_models(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, _ = run(capsys, "classify", "--recordings", folder, "--by", "pair", "--worst", 2)
    assert code == 0
    lines = {line.strip().split("  ")[0]: line for line in out.splitlines()}
    assert lines["cursor over target"].split()[-3:] == ["0.745", "0.825", "0.783"]
    assert lines["all features"].split()[-3:] == ["0.664", "0.811", "0.730"]
    assert lines["always a pronoun"].split()[-1] == "0.612"
    assert "SYNTHETIC" in out
    assert "3 folds by pair" in out
    assert out.count("cursor over,") + out.count("cursor over\n") <= 2


def test_classification_as_json_has_the_same_counts_as_references(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    _, out, _ = run(capsys, "classify", *sorted(folder.iterdir()), "--folds", 5, "--format", "json")
    data = json.loads(out)
    assert data["synthetic"] is True
    assert data["references"] == 240
    for row in data["rows"]:
        assert row["tp"] + row["fn"] == data["pronouns"]
        assert row["tp"] + row["fn"] + row["fp"] + row["tn"] == 240


def test_resolution_prints_chance_and_the_published_table(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "resolve", "--recordings", folder, "--folds", 4)
    assert code == 0
    assert "chance 0.143" in out
    assert "(0.790)" in out


def test_a_rehearsal_is_kept_and_read_again_with_the_same_tables(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    _, first, _ = run(capsys, "evaluate", "--recordings", folder, "--out", tmp_path / "kept", "--format", "json")
    code, again, _ = run(capsys, "evaluate", tmp_path / "kept", "--confusion", "444,104,225,469", "--format", "json")
    assert code == 0
    rehearsed, read = json.loads(first), json.loads(again)
    assert rehearsed["lines"] == read["lines"]
    assert rehearsed["simulated"] is read["simulated"] is True
    assert read["review"]["precision"] == pytest.approx(444 / 669)
    assert "SIMULATED" in (tmp_path / "kept" / "evaluation.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("classify",), "no dialogues are named"),
        (("classify", "--synthetic", "--corpus", "kth-tangrams"), "several sources"),
        (("classify", "--corpus", "tuna"), "is not a corpus of dialogues"),
        (("resolve", "--recordings", "nowhere"), "not a folder"),
        (("classify", "--synthetic", "--format", "xml"), "one of text, json"),
        (("evaluate", "nothing.jsonl"), "no such file"),
        (("juggle",), "no command is called"),
    ],
)
def test_mistakes_are_answered_with_what_to_do(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], message: str
) -> None:
    code, _, err = run(capsys, *args)
    assert code == 2
    assert message in err
    assert "→" in err


@pytest.mark.parametrize(("pairs", "has_stars"), [(2, False), (5, False), (6, True)])
def test_differences_have_stars_from_six_pairs_on(
    pairs: int, has_stars: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pronouns are exactly where the cursor is: the rule *always a pronoun* is worse in every pair."""
    head = "dialogue,pair,tier,start_ms,end_ms,by,text,entities,uncertain,action,attributes,utterance,language"
    rows = [head]
    for pair in range(pairs):
        for n in range(12):
            start, over = 5000 * (n + 1), (n + pair) % 3 == 0
            rows.append(f"d{pair},p{pair},mouse,{start - 500},{start + 500},operator,,{1 if over else 2},,,,,en")
            rows.append(
                f"d{pair},p{pair},expression,{start},{start + 400},solver,{'it' if over else 'the mug'},1,,,,,en"
            )
    file = tmp_path / "mugs.csv"
    file.write_text("\n".join(rows) + "\n", "utf-8")
    assert main(["tangram", "classify", str(file), "--folds", "2"]) == 0
    text = capsys.readouterr().out
    assert ("*  " in text) is has_stars
    assert ("no stars" in text) is not has_stars
