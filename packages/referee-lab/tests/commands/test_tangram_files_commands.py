"""`referee tangram replay`, `export`, `import`, `preannotate`, `agreement`, `study`: from a recording on disk to files and tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from machine import IN_CI
from referee.cli import main
from referee.records import Event
from referee_lab.server.web.built_pages import STATIC
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import format_recording
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.dialogue_form import write_dialogue
from referee_lab.tangram.tiers.elan import convert_to_eaf, from_eaf
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue
from referee_lab.tangram.tiers.tier_tables import parse_csv


@pytest.fixture(scope="module")
def master() -> str:
    return format_recording(play_bot_game(GOALS["boat"], 4))


@pytest.fixture
def recording(master: str, tmp_path: Path) -> Path:
    path = tmp_path / "sessions" / "boat.jsonl"
    path.parent.mkdir()
    path.write_text(master, encoding="utf-8")
    return path


def test_a_torn_recording_is_used_as_far_as_it_goes_and_that_is_said(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = recording.read_bytes()
    recording.write_bytes(content[: len(content) // 2])
    assert main(["tangram", "export", str(recording), "--as", "eaf"]) == 0
    assert "the last line" in capsys.readouterr().err
    assert from_eaf(recording.with_suffix(".eaf").read_bytes()).events


@pytest.mark.skipif(
    not (STATIC / "replay.js").is_file() and not IN_CI, reason="needs the bundled pages: run `make bundle`"
)
def test_replay_takes_tables_and_tiers_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = "expression,ann,the red mug,m1,0,900,en"
    (tmp_path / "t.csv").write_text(
        "dialogue,tier,by,text,entities,start_ms,end_ms,language\n" + "".join(f"{d},{row}\n" for d in ("a", "b")),
        "utf-8",
    )
    assert main(["tangram", "replay", str(tmp_path / "t.csv")]) == 0
    assert sorted(p.name for p in (tmp_path / "t.csv-replays").iterdir()) == ["a.html", "b.html"]
    capsys.readouterr()
    assert main(["tangram", "replay", str(tmp_path / "t.csv"), "--serve"]) == 2
    assert "and there are 2" in capsys.readouterr().err


@pytest.mark.skipif(
    not (STATIC / "replay.js").is_file() and not IN_CI, reason="needs the bundled pages: run `make bundle`"
)
def test_replay_writes_one_page_beside_the_recording(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tangram", "replay", str(recording)]) == 0
    page = recording.with_suffix(".html")
    assert capsys.readouterr().out == f"open {page}\n"
    text = page.read_text("utf-8")
    assert "default-src" in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert " src=" not in text


@pytest.mark.parametrize("kind", ["eaf", "csv", "jsonl"])
def test_tiers_are_exported_and_come_back(recording: Path, kind: str, tmp_path: Path) -> None:
    out = tmp_path / f"tiers.{kind}"
    assert main(["tangram", "export", str(recording), "--as", kind, "--out", str(out)]) == 0
    expected = convert_to_dialogue(play_bot_game(GOALS["boat"], 4))
    if kind == "eaf":
        found = from_eaf(out.read_bytes())
    elif kind == "csv":
        (found,) = parse_csv(out.read_text("utf-8"))
    else:
        assert main(["tangram", "import", str(out), "--as", "csv", "--out", str(tmp_path / "back.csv")]) == 0
        (found,) = parse_csv((tmp_path / "back.csv").read_text("utf-8"))
    for tier in ("utterance", "expression", "action", "mouse"):
        assert [(e.text, e.entities) for e in found.select_tier(tier)] == [
            (e.text, e.entities) for e in expected.select_tier(tier)
        ]


def test_a_moment_is_exported_as_a_picture(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "moment.svg"
    assert main(["tangram", "export", str(recording), "--as", "svg", "--at", "30", "--numbers", "--out", str(out)]) == 0
    assert out.read_text("utf-8").count("<polygon data-piece=") == 7


def test_an_unknown_kind_is_refused_with_the_known_ones(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tangram", "export", str(recording), "--as", "avi"]) == 2
    assert "eaf" in capsys.readouterr().err


def test_marks_made_in_elan_become_an_annotation_that_is_never_replaced(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    eaf = tmp_path / "boat.eaf"
    main(["tangram", "export", str(recording), "--as", "eaf", "--out", str(eaf)])
    into = ["tangram", "import", str(eaf), "--into", str(recording), "--annotator", "elan"]
    assert main(into) == 0
    lines = (recording.parent / "boat.elan.annotations.jsonl").read_text("utf-8").splitlines()
    said = convert_to_dialogue(play_bot_game(GOALS["boat"], 4)).select_tier("utterance")
    assert len(lines) == 1 + len(said)
    assert all(json.loads(line)["done"] for line in lines[1:])
    assert main(into) == 2
    assert "already" in capsys.readouterr().err


def test_a_program_and_the_recording_agree_as_far_as_they_do(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(recording.parent)
    assert main(["tangram", "preannotate", folder]) == 0
    assert "spans F 1.000" in capsys.readouterr().out
    eaf = tmp_path / "boat.eaf"
    known = convert_to_dialogue(play_bot_game(GOALS["boat"], 4))
    from referee_lab.tangram.tiers.elan import convert_to_eaf

    eaf.write_bytes(convert_to_eaf(known))
    main(["tangram", "import", str(eaf), "--into", str(recording), "--annotator", "log"])
    capsys.readouterr()
    assert main(["tangram", "agreement", folder, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["span_f"] == 1.0
    assert found["first"] == len(known.select_tier("expression"))
    assert 0 < found["referents_kappa"]["value"] <= 1
    # two annotators and no decision: nothing that learns from them goes on by itself
    assert main(["tangram", "classify", "--recordings", folder]) == 2
    assert "adjudicate" in capsys.readouterr().err


def test_one_annotator_is_not_two(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tangram", "agreement", str(recording.parent)]) == 2
    assert "no annotator yet" in capsys.readouterr().err


def test_a_study_needs_recordings_or_bots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tangram", "study", "--out", str(tmp_path / "s")]) == 2
    assert "--bots" in capsys.readouterr().err


def test_a_study_out_of_annotated_recordings_says_what_it_lacks(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["tangram", "preannotate", str(recording.parent)])
    out = tmp_path / "evaluation"
    arguments = ["--out", str(out), "--participants", "4", "--fp", "4", "--tp", "2", "--fn", "1", "--folds", "4"]
    assert main(["tangram", "study", str(recording.parent), *arguments]) == 0
    told = capsys.readouterr().out
    assert "2 lists" in told
    facts = json.loads((out / "classifier.json").read_text("utf-8"))
    assert sum(facts["confusion"].values()) > 20
    assert main(["tangram", "evaluate", str(out)]) == 2
    assert "no da" in capsys.readouterr().err


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """A dialogue without a recording, in German, over two pentominoes: what is exported of a corpus."""
    said = [("nimm das rote Kreuz", 0.0), ("dreh es", 2000.0)]
    events = [Event(kind="utterance", by="solver", text=text, start_ms=t, end_ms=t + 500) for text, t in said]
    events.append(Event(kind="mouse", by="operator", entities=("X",), start_ms=600.0, end_ms=3000.0))
    pieces = {"X": {"shape": "X", "colour": "red"}, "U": {"shape": "U", "colour": "yellow"}}
    events.sort(key=lambda e: e.start_ms or 0.0)
    path = tmp_path / "talk" / "talk-1.jsonl"
    path.parent.mkdir()
    path.write_text(
        write_dialogue(Dialogue(id="talk-1", pair="a", pieces=pieces, events=tuple(events), language="de")), "utf-8"
    )
    return path


@pytest.mark.skipif(
    not (STATIC / "replay.js").is_file() and not IN_CI, reason="needs the bundled pages: run `make bundle`"
)
def test_a_dialogue_without_a_recording_is_watched_too(spoken: Path) -> None:
    assert main(["tangram", "replay", str(spoken)]) == 0
    page = spoken.with_suffix(".html").read_text("utf-8")
    assert "dreh es" in page
    assert "drawn in rows" in page


def test_a_dialogue_without_a_recording_is_annotated_and_classified_as_recordings_are(
    spoken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(spoken.parent)
    assert main(["tangram", "preannotate", folder]) == 0
    marks = [
        json.loads(line)
        for line in (spoken.parent / "talk-1.program.annotations.jsonl").read_text("utf-8").splitlines()[1:]
    ]
    found = [(row["text"][e["start"] : e["end"]], e["referents"]) for row in marks for e in row["expressions"]]
    assert found == [("das rote Kreuz", ["X"]), ("es", ["X"])]
    capsys.readouterr()
    assert main(["tangram", "statistics", "--recordings", folder, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["expressions"], told["pronouns"]) == (2, {"demonstrative": 0, "personal": 1})
    assert main(["tangram", "export", str(spoken), "--as", "svg"]) == 2
    assert "positions of pieces were not recorded" in capsys.readouterr().err


def test_a_language_without_words_is_told_and_nothing_is_made_up(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = recording.read_text("utf-8").splitlines()
    header = json.loads(lines[0]) | {"language": "fi"}
    plain = [json.loads(line) for line in lines[1:]]
    for line in plain:
        line["data"].pop("expressions", None)
    recording.write_text("".join(json.dumps(line) + "\n" for line in [header, *plain]), "utf-8")
    assert main(["tangram", "preannotate", str(recording)]) == 2
    assert "no words for pieces in the language 'fi'" in (told := capsys.readouterr().err)
    assert "--words FILE" in told
    assert not list(recording.parent.glob("*.annotations.jsonl"))
    # Tables do not take English rules for Finnish; tiers can be exported all the same.
    assert main(["tangram", "export", str(recording), "--as", "csv"]) == 0
    assert "no annotation" in capsys.readouterr().err
    assert "expression" not in recording.with_suffix(".csv").read_text("utf-8").replace("expressions", "")


@pytest.mark.data
@pytest.mark.parametrize("name", ["pento-cv", "kth-tangrams"])
def test_dialogues_of_a_corpus_are_sessions(
    name: str, tmp_path: Path, data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = {"pento-cv": "r6-3", "kth-tangrams": "9"}[name]
    about = ["--corpus", name, "--only", only, "--data", str(data_folder), "--out", str(tmp_path / "out")]
    assert main(["tangram", "replay", *about]) == 0
    assert main(["tangram", "preannotate", *about]) == 0
    assert main(["tangram", "export", *about, "--as", "eaf"]) == 0
    assert len(list((tmp_path / "out").iterdir())) == 4
    assert main(["tangram", "replay", "--corpus", name, "--only", "nobody", "--data", str(data_folder)]) == 2
    assert "has no dialogue 'nobody'" in capsys.readouterr().err


def test_a_map_of_tiers_may_name_the_language_of_files_that_do_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = Event(kind="utterance", by="solver", text="dreh das Quadrat", start_ms=0.0, end_ms=500.0)
    file = tmp_path / "theirs.eaf"
    content = convert_to_eaf(Dialogue(id="d", pair="p", pieces=PIECES, events=(said,), language="de")).decode()
    content = re.sub(r'<PROPERTY NAME="referee-dialogue">.*?</PROPERTY>', "", content)
    file.write_text(content.replace('TIER_ID="SV-UT"', 'TIER_ID="A-utts"'), "utf-8")
    names = tmp_path / "names.toml"
    names.write_text('language = "de"\npieces = "tangram"\n[tiers]\n"A-utts" = "SV-UT"\n', "utf-8")
    assert main(["tangram", "statistics", str(file), "--tiers", str(names), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["expressions"] == 1
    names.write_text('[tiers]\n"A-utts" = "SV-UT"\n', "utf-8")
    assert main(["tangram", "statistics", str(file), "--tiers", str(names)]) == 0
    assert "language unknown" in capsys.readouterr().err


def test_what_a_program_marked_is_never_taken_for_peoples_marks(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tangram", "preannotate", str(recording), "--annotator", "rules"]) == 0
    assert main(["tangram", "classify", str(recording), "--folds", "2"]) == 0
    assert "GUESSED: a program marked the expressions, with referents" in capsys.readouterr().out
    assert main(["tangram", "export", str(recording), "--as", "eaf"]) == 0
    assert b'ANNOTATOR="program (proposed)"' in recording.with_suffix(".eaf").read_bytes()
    assert (
        main(["tangram", "study", str(recording), "--out", str(recording.parent / "study"), "--participants", "2"]) == 0
    )
    assert "GUESSED" in capsys.readouterr().out


def test_tables_name_the_annotator_whose_marks_count(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        assert main(["tangram", "preannotate", str(recording), "--annotator", name]) == 0
    for command in ("classify", "statistics", "resolve"):
        capsys.readouterr()
        assert main(["tangram", command, str(recording)]) == 2
        assert "one and two have annotated this recording" in capsys.readouterr().err
        assert main(["tangram", command, str(recording), "--annotator", "two"]) == 0
    assert main(["tangram", "statistics", "--synthetic", "--annotator", "two"]) == 2


@pytest.mark.data
def test_kth_is_counted_by_utterance(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 221 of 4,390, as in docs/demonstratives.md; by turn there are 4.
    assert (
        main(["tangram", "statistics", "--corpus", "kth-tangrams", "--data", str(data_folder), "--format", "json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["source"], told["expressions"], told["codes"]["dpr"]) == ("kth-tangrams, by utterance", 4390, 221)
