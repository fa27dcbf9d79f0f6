"""A study folder is read as a whole, says what is wrong with it, and has one hash."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from referee import catalogue
from referee.errors import RefereeError
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.settings import SECTIONS, format_toml
from referee_lab.study.folder.study import Study, open_study
from referee_lab.study.folder.study_pictures import draw_pictures, find_drawing


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_demo(tmp_path_factory.mktemp("studies") / "demo")


@pytest.fixture
def folder(made: Study, tmp_path: Path) -> Path:
    import shutil

    return Path(shutil.copytree(made.folder, tmp_path / "demo"))


def _change(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_what_was_written_is_read_again(made: Study) -> None:
    again = open_study(made.folder)
    assert again == made
    assert (made.id, made.protocol, made.language, made.mode) == ("demo", "tuna2008", "en", "debug")
    assert len(made.lists) == 3
    assert len(made.stimuli) == 18
    assert made.settings["fixation_ms"] == 1000


# Recordings are played and films cut for it, which takes longer than all others together; its own tests make such studies too.
SLOW = pytest.param("replay-identify", marks=pytest.mark.long)


@pytest.mark.parametrize("protocol", [SLOW if p == "replay-identify" else p for p in catalogue.names("protocol")])
def test_every_protocol_makes_a_study_in_both_languages(protocol: str, tmp_path: Path) -> None:
    for language in ("en", "pt"):
        study = make_demo(tmp_path / language, protocol, language=language)
        assert study.protocol == protocol
        assert "{" not in "".join(study.texts.values()), "all placeholders are filled in"


def test_every_field_of_the_preregistration_stands_in_the_file_with_its_sentence(made: Study) -> None:
    text = (made.folder / "study.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    for section, settings in SECTIONS.items():
        head, _, tail = section.partition(".")
        found = data[head][tail] if tail else data[head]
        for name, setting in settings.items():
            assert name in found
            assert setting.about in text


@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_the_planned_measures_are_things_that_the_protocol_records(protocol: str, tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", protocol)
    info = study.kind.info
    outcomes = info.answer["outcome"].values if "outcome" in info.answer else ()
    recorded = {*info.answer, *info.times, *outcomes, *study.settings.get("scales", ())}
    assert set(study.analysis.measures) - {"error"} <= recorded


def test_the_hash_covers_every_file_but_the_data(folder: Path) -> None:
    before = open_study(folder).hash
    (folder / "data").mkdir()
    (folder / "data" / "study.sqlite").write_bytes(b"x")
    assert open_study(folder).hash == before
    _change(folder, "texts/en/break.md", "Rest", "Do rest")
    assert open_study(folder).hash != before


def test_the_hash_of_the_consent_follows_what_people_read(folder: Path) -> None:
    before = open_study(folder).consent_hash
    _change(folder, "texts/en/break.md", "Rest", "Do rest")
    assert open_study(folder).consent_hash == before
    _change(folder, "study.toml", "withdrawal_days = 14", "withdrawal_days = 7")
    assert open_study(folder).consent_hash != before


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("study.toml", 'id = "demo"', 'id = "De mo"', ("study.toml:6", "part of a link")),
        ("study.toml", 'resume = "resume"', 'resume = "maybe"', ("[policy] resume", "none of resume, restart, block")),
        ("study.toml", "unsaved_limit = 3", 'unsaved_limit = "3"', ("[policy] unsaved_limit", "a whole number")),
        ("study.toml", "unsaved_limit = 3", "unsaved_limit = 0", ("[policy] unsaved_limit", "at least 1")),
        ("study.toml", "unsaved_limit = 3", "unsaved_limits = 3", ("[policy]", "did you mean unsaved_limit?")),
        ("study.toml", "[exclusion]", "[exlusion]", ("no section [exlusion]", "[exclusion]")),
        ("study.toml", "fixation_ms = 1000", "fixation_ms = false", ("[protocol] fixation_ms", "a whole number")),
        ("study.toml", "jitter = 0.0", "jitter = 3", ("[protocol] jitter", "at most 0.5")),
        ("study.toml", "choices = []", 'choices = ["both"]', ("[protocol] choices", "'both' is none of")),
        ("study.toml", 'protocol = "tuna2008"', 'protocol = "tuna2010"', ("study.toml", "one of asgre2007, judgement")),
        ("study.toml", 'language = "en"', 'language = "../en"', ("language code", 'for example "en"')),
        ("study.toml", "[study]", "[study", ("not TOML", "line 5")),
        ("lists.json", '"s1t', '"s9t', ("lists.json: list L01", "not in trials.jsonl")),
        ("lists.json", "toy-minimal", "toy-maximal", ("lists.json: list L01", "by 'toy-maximal'")),
        ("lists.json", '"lists"', '"list"', ("lists.json", "not a file of lists")),
        ("lists.json", '"L02"', '"L01"', ("lists.json", "two with one id")),
        ("practice.jsonl", '"targets": ["e', '"targets": ["z', ("practice.jsonl:1", "not among the entities")),
        ("texts/en/demographics.toml", 'kind = "choice"', 'kind = "guess"', ("demographics.toml", "unknown kind")),
    ],
)
def test_every_mistake_is_named_with_its_place(
    folder: Path, file: str, old: str, new: str, words: tuple[str, ...]
) -> None:
    _change(folder, file, old, new)
    with pytest.raises(RefereeError) as caught:
        open_study(folder)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "→" in str(caught.value)


@pytest.mark.parametrize("file", ["study.toml", "lists.json", "trials.jsonl", "texts/en/consent.md"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(RefereeError, match=Path(file).name):
        open_study(folder)


def test_pages_that_are_not_required_come_from_the_package(folder: Path) -> None:
    (folder / "texts" / "en" / "break.md").unlink()
    assert "short break" in open_study(folder).texts["break"]


def test_words_of_the_interface_can_be_replaced_one_by_one(folder: Path) -> None:
    (folder / "texts" / "en" / "strings.toml").write_text('continue = "Go on"\n', encoding="utf-8")
    strings = open_study(folder).strings
    assert (strings["continue"], strings["start"]) == ("Go on", "Start")
    (folder / "texts" / "en" / "strings.toml").write_text('contineu = "Go on"\n', encoding="utf-8")
    with pytest.raises(RefereeError, match="contineu"):
        open_study(folder)


def test_every_picture_has_one_name_and_nothing_else_is_served(made: Study) -> None:
    for name, svg in draw_pictures(made).items():
        assert find_drawing(made, name) == svg
        assert svg.startswith("<svg")
    with pytest.raises(RefereeError, match="no picture"):
        find_drawing(made, "../study.toml")


@pytest.mark.parametrize(
    "value", ["plain", 'quo"te', "back\\slash", "new\nline", "tab\tend\x07", "é→", "", ["a", 'b"']]
)
def test_texts_survive_toml(value: object) -> None:
    assert tomllib.loads(f"x = {format_toml(value)}")["x"] == value


def test_lists_are_plain_json(made: Study) -> None:
    data = json.loads((made.folder / "lists.json").read_text(encoding="utf-8"))
    assert (data["design"], data["seed"]) == ("balanced", 1)
    assert [one["id"] for one in data["lists"]] == ["L01", "L02", "L03"]


def test_nothing_is_written_over(made: Study) -> None:
    with pytest.raises(RefereeError, match="a file or folder with this name exists already"):
        make_demo(made.folder)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_limit_that_is_no_number_is_refused(folder: Path, value: str) -> None:
    """Nothing is quicker than nan: an exclusion by it would exclude nobody, in silence."""
    _change(folder, "study.toml", "fastest_ms = 200.0", f"fastest_ms = {value}")
    with pytest.raises(RefereeError, match=r"fastest_ms:\d+: should be a number"):
        open_study(folder)


def test_a_misspelt_section_is_told_with_the_one_that_was_meant(folder: Path) -> None:
    _change(folder, "study.toml", "[exclusion]", "[exclusions]")
    with pytest.raises(RefereeError, match=r"did you mean \[exclusion\]\?"):
        open_study(folder)


def test_a_file_as_editors_of_windows_save_it_is_read_alike(made: Study, folder: Path) -> None:
    text = (folder / "study.toml").read_text("utf-8")
    (folder / "study.toml").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert open_study(folder).exclusion == made.exclusion
