"""The commands about corpora: what they print, what they write, and how they fail."""

from __future__ import annotations

import http.server
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from referee.cli import main
from referee.cli.corpora import FACTS, create_corpus
from referee.corpora.jsonl import read_trials
from referee.corpora.outputs import read_outputs
from referee.corpora.splits import get_part
from referee.corpora.synthetic.corpus import Synthetic
from referee.corpora.tuna import Tuna

QUICK = ["synthetic", "tuna", "gre3d7", "gre3d3", "stars", "stars2", "zoom", "give2", "b5-ref", "franke-degen2016"]


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)


@pytest.fixture(scope="module")
def xml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An invented corpus in the challenges' form: a folder with 26 XML files."""
    folder = tmp_path_factory.mktemp("made") / "xml"
    assert (
        main(["corpus", "export", "synthetic", "--speaker", "1,2", "--as", "challenge-xml", "--out", str(folder)]) == 0
    )
    return folder


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# -- corpora and cards -----------------------------------------------------------------------------------------------------


def test_corpora_lists_every_corpus_and_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpora"]) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in FACTS)
    assert "not found" in table
    assert main(["corpora", "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["synthetic"]["found"] == "shipped"
    assert rows["tuna"]["found"] is None
    assert rows["colors"]["listeners"] is True


def test_corpora_says_where_a_corpus_was_found(xml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(xml, tmp_path / "tuna")
    assert main(["corpora", "--data", str(tmp_path), "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["tuna"]["found"] == str(tmp_path / "tuna")
    assert rows["gre3d7"]["found"] is None


def test_a_damaged_corpus_is_listed_as_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tuna").mkdir()
    (tmp_path / "tuna" / "s1t1.xml").write_text("<TRIAL", "utf-8")
    assert main(["corpora", "--data", str(tmp_path)]) == 0
    assert "damaged" in capsys.readouterr().out


def test_the_table_can_be_read_at_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["corpora"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["corpus", "trials", "language", "domain", "listeners", "where"]
    assert max(map(len, rows)) <= 80
    (shipped,) = [row for row in rows if row.startswith("synthetic")]
    assert "780  en" in shipped
    assert len(rows) < 120, "words are broken over lines, not letters"


@pytest.mark.data
@pytest.mark.parametrize("name", QUICK)
def test_the_sizes_in_the_table_are_those_of_the_data(name: str, data_folder: Path) -> None:
    corpus = create_corpus(name, data_folder)
    assert sum(1 for _ in corpus.trials()) == FACTS[name].trials
    assert (next(corpus.responses(), None) is not None) == FACTS[name].listeners


def test_the_card_of_the_shipped_corpus_counts_and_warns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "card", "synthetic"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("SYNTHETIC")
    assert main(["corpus", "card", "synthetic", "--format", "json"]) == 0
    card = json.loads(capsys.readouterr().out)
    found = [card[k] for k in ("trials", "references", "speakers", "scenes", "responses")]
    assert found == [780, 780, 60, 13, 0]
    assert card["domains"] == {"furniture": 420, "people": 360}


def test_the_card_of_a_missing_corpus_says_what_it_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "card", "tuna", "--format", "json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert "corpus add tuna" in card["missing"]
    assert card["licence"]
    assert card["faults"]
    assert "trials" not in card


@pytest.mark.data
def test_the_card_counts_the_chosen_reading(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["corpus", "card", "tuna", "--data", str(data_folder), "--reading", "challenge", "--format", "json"]) == 0
    )
    card = json.loads(capsys.readouterr().out)
    # 741 items of 57 participants remain in the challenges (319 + 80 furniture, 274 + 68 people; W09-0629 Table 2).
    assert (card["trials"], card["speakers"], card["domains"]) == (741, 57, {"furniture": 399, "people": 342})
    assert len(card["checksum"]) == 64


# -- export ----------------------------------------------------------------------------------------------------------------


def test_exported_trials_read_back_equal(tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    assert main(["corpus", "export", "synthetic", "--out", str(out)]) == 0
    assert list(read_trials(out)) == list(Synthetic().trials())
    assert list(tmp_path.iterdir()) == [out]


def test_a_speaker_becomes_a_system(tmp_path: Path) -> None:
    out = tmp_path / "human.jsonl"
    assert main(["corpus", "export", "synthetic", "--as", "outputs", "--speaker", "12", "--out", str(out)]) == 0
    outputs = list(read_outputs(out))
    said = [t.references[0] for t in Synthetic().trials() if t.speaker == "12"]
    assert {o.system for o in outputs} == {"human-12"}
    assert [(o.description.properties, o.description.text) for o in outputs] == [(r.properties, r.text) for r in said]
    assert main(["corpus", "export", "synthetic", "--as", "outputs", "--system", "me", "--out", str(out)]) == 0
    assert {o.system for o in read_outputs(out)} == {"me"}


def test_several_references_to_a_trial_become_several_systems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trial = {"id": "a", "target": "x", "entities": [{"id": "x"}], "references": [{"text": "one"}, {"text": "two"}]}
    (tmp_path / "own.jsonl").write_text(json.dumps(trial), "utf-8")
    assert main(["corpus", "export", str(tmp_path / "own.jsonl"), "--as", "outputs", "--out", "-"]) == 0
    assert [json.loads(row)["system"] for row in capsys.readouterr().out.splitlines()] == ["human", "human-2"]


def test_a_part_of_a_split_is_exported(tmp_path: Path) -> None:
    out = tmp_path / "test.jsonl"
    assert (
        main(["corpus", "export", "synthetic", "--split", "speaker-fold-2/5:test", "--seed", "7", "--out", str(out)])
        == 0
    )
    assert [t.id for t in read_trials(out)] == [
        t.id for t in get_part(Synthetic().trials(), "speaker-fold-2/5", "test", 7)
    ]


def test_challenge_xml_reads_back(xml: Path) -> None:
    said = {t.id: set(t.references[0].properties or ()) for t in Synthetic(speakers=2).trials()}
    assert {t.id: set(t.references[0].properties or ()) for t in Tuna(xml).trials()} == said


def test_responses_come_from_a_folder_that_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = {"id": "a", "target": "x", "entities": [{"id": "x"}]}
    answers = [{"trial": t, "hearer": "h", "outcome": "entity", "entity": "x"} for t in ("a", "b")]
    (tmp_path / "trials.jsonl").write_text(json.dumps(trial), "utf-8")
    (tmp_path / "responses.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    assert main(["corpus", "export", str(tmp_path), "--as", "responses", "--out", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == answers[0]


def test_splits_are_described_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "splits", "synthetic", "scene-fold-1/13", "challenge-80/20"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert [row["sizes"] for row in rows] == [[720, 60], [624, 156]]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["card", "nowhere"], "no corpus is called"),
        (["card", "synthetic", "--format", "xml"], "--format is one of text, json"),
        (["card", "synthetic", "--reading", "raw"], "no readings"),
        (["export", "synthetic"], "--out"),
        (["export", "synthetic", "--out", "-", "--bogus"], "--bogus"),
        (["export", "synthetic", "--out", "-", "--as", "poem"], "--as is one of"),
        (["export", "synthetic", "--out", "-", "--speaker", "61"], "no trial is left"),
        (["export", "synthetic", "--out", "-", "--split", "speaker-99"], "no split is called"),
        (["export", "synthetic", "--out", "-", "--as", "responses"], "no responses"),
        (["export", "synthetic", "--out", "-", "--as", "challenge-xml"], "file or a folder"),
        (["export", "synthetic", "--out", "nowhere/at/all.jsonl"], "cannot be written"),
        (["export", "tuna", "--out", "-"], "REFEREE_DATA"),
        (["add", "tuna", "x.zip"], "no folder of corpora"),
        (["add", "synthetic", "x.zip", "--data", "d"], "needs no installing"),
        (["synthetic", "--entities", "1", "--out", "-"], "--entities"),
        ([], ""),
    ],
)
def test_mistakes_end_with_exit_code_2_and_a_remedy(
    args: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", *args]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "→" in captured.err or not args
    assert list(tmp_path.iterdir()) == []


# -- add -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def archive(xml: Path, tmp_path: Path) -> Path:
    return Path(shutil.make_archive(str(tmp_path / "corpus"), "zip", xml.parent))


@pytest.fixture
def served(archive: Path) -> Iterator[str]:
    """The address of a web server that offers the archive."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Tests need no log."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(archive.parent))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("form", ["folder", "zip", "address"])
def test_a_corpus_is_installed_from_anywhere(form: str, xml: Path, archive: Path, served: str, tmp_path: Path) -> None:
    source = {"folder": str(xml), "zip": str(archive), "address": f"{served}corpus.zip"}[form]
    data = tmp_path / "data"
    assert main(["corpus", "add", "tuna", source, "--data", str(data)]) == 0
    assert len(list(Tuna(data).trials())) == 26
    assert [p.name for p in data.iterdir()] == ["tuna"]


def test_the_proof_says_what_came_in(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["corpus", "add", "tuna", str(archive), "--data", str(tmp_path / "data")])
    assert capsys.readouterr().out.startswith("tuna: 26 trials and 0 responses")


def test_what_cannot_be_read_never_becomes_visible(
    tmp_path: Path, served: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "s1t1.xml").write_text("<TRIAL ID='s1t1'>", "utf-8")
    cut = tmp_path / "cut.zip"
    cut.write_bytes((tmp_path / "corpus.zip").read_bytes()[:-200])
    for source in (broken, cut, tmp_path / "nothing", f"{served}gone.zip", "http://127.0.0.1:9/refused.zip"):
        assert main(["corpus", "add", "tuna", str(source), "--data", str(data)]) == 2
        assert "→" in capsys.readouterr().err
        assert list(data.iterdir()) == []


def test_the_wrong_corpus_is_refused(xml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "add", "gre3d7", str(xml), "--data", str(tmp_path / "data")]) == 2
    assert "this is not the corpus 'gre3d7'" in capsys.readouterr().err


def test_an_installed_corpus_is_replaced_only_when_asked(
    xml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, one = tmp_path / "data", tmp_path / "one"
    one.mkdir()
    shutil.copy(next(xml.glob("*.xml")), one)
    add = ["corpus", "add", "tuna", "--data", str(data)]
    assert main([*add, str(xml)]) == 0
    assert main([*add, str(one)]) == 2
    assert "--replace" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main([*add, str(tmp_path / "empty"), "--replace"]) == 2
    assert len(list(Tuna(data).trials())) == 26
    assert main([*add, str(one), "--replace"]) == 0
    assert len(list(Tuna(data).trials())) == 1
    assert [p.name for p in data.iterdir()] == ["tuna"]


def test_names_in_an_archive_cannot_leave_the_folder(xml: Path, tmp_path: Path) -> None:
    hostile, data = tmp_path / "hostile.zip", tmp_path / "data"
    with zipfile.ZipFile(hostile, "w") as archive:
        archive.write(next(xml.glob("*.xml")), "s1t1.xml")
        archive.writestr("../../escaped.txt", "out")
    assert main(["corpus", "add", "tuna", str(hostile), "--data", str(data)]) == 0
    assert [p.parent for p in tmp_path.parent.rglob("escaped.txt")] == [data / "tuna"]


@pytest.mark.data
def test_corpora_that_share_a_folder_do_not_push_each_other_out(data_folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name in ("gre3d3", "gre3d7"):
        only = tmp_path / name
        only.mkdir()
        for file in (data_folder / "gre3d").glob(f"{name}*"):
            shutil.copy(file, only)
        assert main(["corpus", "add", name, str(only), "--data", str(data)]) == 0
    assert sum(1 for _ in create_corpus("gre3d3", data).trials()) == 630
    assert sum(1 for _ in create_corpus("gre3d7", data).trials()) == 4480


# -- synthetic -------------------------------------------------------------------------------------------------------------


def test_synthetic_corpora_of_any_size_are_the_same_every_time(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    options = ["--trials", "100", "--entities", "16", "--seed", "3", "--slips", "0.03"]
    for out in (one, two):
        assert main(["corpus", "synthetic", *options, "--out", str(out)]) == 0
    assert one.read_bytes() == two.read_bytes()
    trials = list(read_trials(one))
    assert len(trials) == 100
    assert all(len(t.scene.entities) == 16 and t.meta["synthetic"] for t in trials)


@pytest.mark.parametrize(
    "command", [["corpora"], *(["corpus", c] for c in ("card", "export", "splits", "add", "synthetic"))]
)
def test_help_teaches_with_examples(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--help"]) == 0
    assert f"referee {command[0]}" in capsys.readouterr().out.split("Examples")[1]


def test_a_data_folder_or_file_that_does_not_exist_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "missing"
    assert main(["corpora", "--data", str(missing)]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert main(["passport", "literal", "--corpus", f"{missing}.jsonl"]) == 2
    told = capsys.readouterr().err
    assert "missing.jsonl" in told
    assert "did you mean" not in told, "`jsonl` is no remedy for a path"
