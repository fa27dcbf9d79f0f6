"""`referee describe` and `referee.describe`: one description, its reasons, and every scene that makes trouble."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import referee
from fake_endpoint import completion, serving
from referee.cli import main
from referee.errors import InputError, NotTrained
from referee.jobs.open import open_corpus

CHAIRS: dict[str, Any] = {
    "entities": [
        {"id": "a", "attributes": {"type": "chair", "colour": "red", "size": "large"}},
        {"id": "b", "attributes": {"type": "chair", "colour": "blue", "size": "large"}},
        {"id": "c", "attributes": {"type": "desk", "colour": "red", "size": "large"}},
    ]
}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(CHAIRS, indent=2), "utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["describe", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_target_is_told_from_the_others(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    assert run(capsys, scene, "--target", "a") == (0, "the red chair\n", "")
    assert run(capsys, scene, "--target", "c")[1] == "the desk\n"


def test_the_reasons_say_whom_each_property_ruled_out(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    lines = run(capsys, scene, "--target", "a", "--explain")[1].splitlines()
    assert lines[0].startswith("1. type:chair: ")
    assert lines[0].endswith("rules out c; 1 left")
    assert lines[1].startswith("2. colour:red: ")
    assert lines[1].endswith("rules out b; 0 left")
    assert lines[2] == "the red chair"


def test_json_has_all_of_it(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    _, out, _ = run(capsys, scene, "--target", "a", "--format", "json")
    found = json.loads(out)
    assert found["properties"] == [["type", "chair"], ["colour", "red"]]
    assert (found["text"], found["distinguishing"], found["also"], found["trained_on"]) == (
        "the red chair",
        True,
        [],
        None,
    )
    assert [(s["property"], s["ruled_out"], s["remaining"]) for s in found["steps"]] == [
        (["type", "chair"], ["c"], 1),
        (["colour", "red"], ["b"], 0),
    ]


def test_a_scene_can_come_from_standard_input_with_its_own_target(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pipe:
        buffer = io.BytesIO(json.dumps({**CHAIRS, "target": "b"}).encode())

    monkeypatch.setattr(sys, "stdin", Pipe())
    assert run(capsys, "-")[1] == "the blue chair\n"


def test_a_system_that_learns_says_what_it_was_trained_on(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    code, out, err = run(capsys, scene, "--target", "a", "--system", "tuna2008-as/DIT-FBI")
    assert (code, out) == (0, "the red chair\n")
    assert "trained on the shipped synthetic corpus" in err


def test_a_corpus_of_ones_own_can_be_the_training(
    capsys: pytest.CaptureFixture[str], scene: Path, tmp_path: Path
) -> None:
    trial = {**CHAIRS, "id": "t", "target": "a", "references": [{"properties": [["size", "large"], ["colour", "red"]]}]}
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(trial), "utf-8")
    code, out, err = run(
        capsys,
        scene,
        "--target",
        "b",
        "--system",
        "classic/incremental.frequency",
        "--corpus",
        corpus,
        "--format",
        "json",
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["trained_on"] == str(corpus)
    # size is mentioned as often as colour but rules out nobody here; the type comes last, as head
    assert json.loads(out)["properties"] == [["colour", "blue"], ["type", "chair"]]


def test_several_targets_can_be_described_together(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    # red rules out b for the chair, and is then said of every target that is red (Gatt & van Deemter 2007)
    _, out, _ = run(capsys, scene, "--target", "a,c", "--system", "classic/partitioned")
    assert out == "the red chair and the red desk\n"
    # no literal holds of b and c alone; the first union of two that does is this one (van Deemter 2002)
    _, out, _ = run(capsys, scene, "--target", "b,c", "--system", "classic/boolean")
    assert out == "the two that are desks or blue\n"


def test_a_description_that_fits_others_too_is_printed_with_a_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    twins = {"entities": [{"id": x, "attributes": {"type": "chair", "colour": "red"}} for x in "abc"]}
    path = tmp_path / "twins.json"
    path.write_text(json.dumps(twins), "utf-8")
    code, out, err = run(capsys, path, "--target", "a")
    assert (code, out) == (0, "the chair\n")
    assert err == "warning: this does not single out the target: it is also true of b, c\n"
    assert json.loads(run(capsys, path, "--target", "a", "--format", "json")[1])["distinguishing"] is False


@pytest.mark.parametrize(
    ("entities", "text"),
    [
        ([{"id": "a", "attributes": {"type": "box", "weight": 3}}, {"id": "b", "attributes": {"type": "box", "weight": 4.0}}], "the less heavy box"),
        ([{"id": "a", "attributes": {"type": "box", "open": True}}, {"id": "b", "attributes": {"type": "box", "open": False}}], "the open box"),
        ([{"id": "a", "attributes": {"type": "mug", "hot": False}}, {"id": "b", "attributes": {"type": "mug", "hot": True}}], "the non-hot mug"),
        ([{"id": "a", "attributes": {"type": "mug", "hasLid": False}}, {"id": "b", "attributes": {"type": "mug", "hasLid": True}}], "the mug without a lid"),
        ([{"id": "a", "attributes": {"type": "box", "colour": "red"}}, {"id": "b", "attributes": {"type": "box"}}], "red"),
        ([{"id": "a"}], "the one"),
    ],
    ids=["numbers", "true", "false", "had or not", "a value that the other lacks", "alone and without attributes"],
)  # fmt: skip
def test_unusual_scenes_have_an_answer(entities: list[dict[str, Any]], text: str) -> None:
    assert text in (referee.describe({"entities": entities}, "a").text or "")


@pytest.mark.parametrize(
    ("content", "args", "problem"),
    [
        (CHAIRS, ("--target", "z"), "entities of this scene: a, b, c"),
        (CHAIRS, (), "name one of a, b, c"),
        ({"entities": []}, ("--target", "a"), "the scene is empty"),
        ({}, ("--target", "a"), "'entities' is missing"),
        ({"entities": {"a": 1}}, ("--target", "a"), "should be a list"),
        ({"entities": [{"attributes": {}}]}, ("--target", "a"), "'id' is missing"),
        ({"entities": [{"id": "a"}, {"id": "a"}]}, ("--target", "a"), "the same id"),
        (
            {"entities": [{"id": "a", "attributes": {"colour": None}}]},
            ("--target", "a"),
            "attributes.colour' should be",
        ),
        (CHAIRS, ("--target", "a", "--system", "classic/incremetal"), "did you mean classic/incremental"),
        (CHAIRS, ("--target", "a", "--system", "llm/openai-compatible"), "model:NAME"),
        (CHAIRS, ("--target", "a", "--format", "xml"), "--format is one of text, json"),
    ],
)
def test_bad_input_ends_with_code_2_and_a_remedy(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: Any, args: tuple[str, ...], problem: str
) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(content), "utf-8")
    code, out, err = run(capsys, path, *args)
    assert (code, out) == (2, "")
    assert problem in err


@pytest.mark.parametrize(
    "raw", [b"{", b"[]", b"\xff\xfe", b"", b'{"entities": [{"id": "a", "attributes": {"x": NaN}}]}']
)
def test_what_is_no_scene_is_refused_with_the_name_of_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, raw: bytes
) -> None:
    path = tmp_path / "scene.json"
    path.write_bytes(raw)
    code, _, err = run(capsys, path, "--target", "a")
    assert code == 2
    assert "scene.json" in err
    assert run(capsys, tmp_path / "nothing.json")[0] == 2


def test_from_python_a_scene_is_a_record_or_its_json_form() -> None:
    record = referee.Scene(
        entities=tuple(
            referee.Entity(id=e["id"], attributes=tuple(referee.Property(*p) for p in e["attributes"].items()))
            for e in CHAIRS["entities"]
        )
    )
    assert referee.describe(record, "a") == referee.describe(CHAIRS, "a")
    assert referee.describe(record, ["a"]).properties == (
        referee.Property("type", "chair"),
        referee.Property("colour", "red"),
    )
    with pytest.raises(InputError, match="not in the scene"):
        referee.describe(record, "z")


def test_from_python_an_untrained_system_is_an_error_and_not_a_guess() -> None:
    with pytest.raises(NotTrained, match=r"tuna2008-as/DIT-FBI learns from data(.|\n)*trials="):
        referee.describe(CHAIRS, "a", system="tuna2008-as/DIT-FBI")
    assert referee.describe(CHAIRS, "a", "tuna2008-as/DIT-FBI", referee.open_corpus("synthetic").trials()).text


@pytest.mark.parametrize(
    ("target", "text"),
    [("a,c", "the two red ones"), ("a,b", "the two chairs"), ("a,b,c", "the three"), ("a", "the red chair")],
)
def test_several_things_are_said_in_the_plural(
    capsys: pytest.CaptureFixture[str], scene: Path, target: str, text: str
) -> None:
    assert run(capsys, scene, "--target", target)[1] == f"{text}\n"


@pytest.mark.parametrize(
    ("system", "text"),
    [
        ("classic/pro", "the blue chair"),
        pytest.param("classic/rsa.learned", "the blue chair", marks=pytest.mark.long),  # learns for ten seconds
        ("tuna2008-as/OSU-GP", "the large blue chair"),
    ],
)
def test_a_system_that_goes_by_domains_is_told_the_likeliest_one(
    capsys: pytest.CaptureFixture[str], scene: Path, tmp_path: Path, system: str, text: str
) -> None:
    """A scene that names no domain is taken for furniture by its attributes; one that names another is told what to write."""
    code, out, _ = run(capsys, scene, "--target", "b", "--system", system)
    assert (code, out) == (0, f"{text}\n")
    elsewhere = tmp_path / "kitchen.json"
    elsewhere.write_text(json.dumps({**CHAIRS, "domain": "kitchen"}), "utf-8")
    code, _, err = run(capsys, elsewhere, "--target", "b", "--system", system)
    assert code == 2
    assert '"domain": "furniture"' in err


def test_an_endpoint_that_does_not_answer_is_named_as_the_cause(
    capsys: pytest.CaptureFixture[str], scene: Path
) -> None:
    nobody = "llm/openai-compatible|model:x|endpoint:http://127.0.0.1:9/v1|tries:1"
    code, out, err = run(capsys, scene, "--target", "a", "--system", nobody)
    assert (code, out) == (1, "(nothing)\n")
    assert "the endpoint did not answer" in err


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "it is empty"),
        ("the red one\n\nthe blue one", "not one description"),
        ("I'm sorry, but I can't help with that.", "refused"),
    ],
)
def test_an_answer_that_is_no_description_is_shown(
    capsys: pytest.CaptureFixture[str], scene: Path, answer: str, why: str
) -> None:
    with serving(completion(answer)) as endpoint:
        code, _, err = run(capsys, scene, "-t", "a", "-s", f"llm/openai-compatible|model:x|endpoint:{endpoint.url}")
    assert code == 1
    assert why in err


@pytest.mark.parametrize("scene", [None, 3, ["a"]])
def test_from_python_what_is_no_scene_is_refused_with_a_remedy(scene: Any) -> None:
    with pytest.raises(InputError, match=r"is not a scene(.|\n)*entities"):
        referee.describe(scene, "a")


def test_from_python_a_scene_can_be_a_file(scene: Path) -> None:
    assert referee.describe(scene, "a") == referee.describe(str(scene), "a") == referee.describe(CHAIRS, "a")
    with pytest.raises(InputError, match="is not a target"):
        referee.describe(scene, 3)  # type: ignore[arg-type]


def test_a_language_without_its_own_words_is_not_pretended() -> None:
    described = referee.describe({**CHAIRS, "language": "pt"}, "a").text
    assert described is not None
    assert not described.startswith("the ")


MICE = [{"id": f"m{size}", "attributes": {"type": "mouse", "size": size}} for size in (10, 12, 14)]


@pytest.mark.parametrize(
    ("target", "text"),
    [("m14", "the largest mouse"), ("m10", "the smallest mouse"), ("m12", "the second largest mouse"), (["m10", "m12"], "the two smallest mice")],
)  # fmt: skip
def test_sizes_as_numbers_become_comparatives(target: str | list[str], text: str) -> None:
    """Van Deemter 2006: "the largest mouse", "the two smallest mice"."""
    assert referee.describe({"entities": MICE}, target).text == text
    assert referee.describe({"entities": MICE[:2]}, "m12").text == "the larger mouse"


@pytest.mark.parametrize(
    ("attributes", "other", "text"),
    [
        ({"type": "apple", "ripe": "yes"}, {"type": "apple", "ripe": "no"}, "the ripe apple"),
        ({"type": "mug", "lid": True}, {"type": "mug", "lid": False}, "the mug with a lid"),
        ({"type": "vase", "height": "30 cm"}, {"type": "vase", "height": "20 cm"}, "the taller vase"),
        ({"type": "person", "isBald": True}, {"type": "person", "isBald": False}, "the bald person"),
    ],
)
def test_yes_no_attributes_and_units_are_said_as_people_say_them(
    attributes: dict[str, Any], other: dict[str, Any], text: str
) -> None:
    scene = {"entities": [{"id": "a", "attributes": attributes}, {"id": "b", "attributes": other}]}
    assert referee.describe(scene, "a").text == text


def test_where_things_are_is_said_where_nothing_else_tells_them_apart() -> None:
    twins = [{"id": i, "attributes": {"type": "chair"}, "position": [x, 0]} for i, x in (("a", 1), ("b", 5), ("c", 9))]
    assert [referee.describe({"entities": twins}, i).text for i in "abc"] == [
        "the leftmost chair",
        "the chair second from the right",
        "the rightmost chair",
    ]


def test_every_relation_is_said_with_its_landmark() -> None:
    entities = [
        {"id": "c1", "attributes": {"type": "cup"}, "relations": [["on", "t1"], ["next-to", "p"]]},
        {"id": "c2", "attributes": {"type": "cup"}, "relations": [["on", "t2"], ["next-to", "p"]]},
        {"id": "c3", "attributes": {"type": "cup"}, "relations": [["on", "t1"]]},
        {"id": "t1", "attributes": {"type": "table", "colour": "red"}},
        {"id": "t2", "attributes": {"type": "table", "colour": "blue"}},
        {"id": "p", "attributes": {"type": "plate"}},
    ]
    assert (
        referee.describe({"entities": entities}, "c1", "classic/relational").text
        == "the cup next to the plate and on the red table"
    )


def test_what_the_words_say_is_held_against_what_was_chosen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plate.json"
    looks = {"a": ("plate", "red"), "b": ("plate", "blue"), "c": ("cup", "red")}
    entities = [{"id": i, "attributes": {"type": t, "colour": c}} for i, (t, c) in looks.items()]
    path.write_text(json.dumps({"domain": "furniture", "entities": entities}), "utf-8")
    code, out, _ = run(capsys, path, "--target", "a", "--format", "json")
    found = json.loads(out)
    assert (code, found["dropped"], found["false"]) == (0, [], [])
    assert sorted(found["said"]) == [["colour", "red"], ["type", "plate"]]
    # DIT-CBSR quotes cases: nobody ever said "plate", and the chair of a case must not be said in its place
    code, out, _ = run(capsys, path, "--target", "a", "--format", "json", "--system", "tuna2008-reg/DIT-FBI-CBSR")
    found = json.loads(out)
    assert (code, found["dropped"], found["false"], found["distinguishing"]) == (0, [], [], True)
    assert "chair" not in found["text"]


def test_words_that_are_false_of_the_target_are_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee.realisation.organisers import FixedWords

    monkeypatch.setattr(FixedWords, "realise", lambda self, properties, view: "the green chair")
    path = tmp_path / "scene.json"
    entities = [
        {"id": i, "attributes": {"type": "chair", "colour": c, "size": "large"}}
        for i, c in (("a", "red"), ("b", "green"))
    ]
    path.write_text(json.dumps({"domain": "furniture", "entities": entities}), "utf-8")
    code, out, err = run(capsys, path, "--target", "a", "--format", "json", "--system", "tuna2008-reg/GRAPH-4+B")
    found = json.loads(out)
    assert code == 1
    assert (found["false"], found["dropped"]) == ([["colour", "green"]], [["colour", "red"]])
    assert found["distinguishing"] is False
    assert "not true of the target: colour:green" in err


@pytest.mark.parametrize("system", ["classic/rsa", "classic/pro"])
def test_many_attributes_are_described_in_little_time_and_space(system: str) -> None:
    """27 attributes of 6 objects have 134 million sets; they are never listed."""
    from random import Random

    rng = Random(1)
    entities = [
        {"id": f"e{i}", "attributes": {"type": "thing", **{f"a{k}": rng.choice("pqr") for k in range(26)}}}
        for i in range(6)
    ]
    trials = list(open_corpus("synthetic").trials())[:60] if system == "classic/pro" else None
    assert referee.describe({"entities": entities}, "e0", system, trials=trials).text


def test_the_switches_of_a_classic_algorithm_can_be_written(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    assert run(capsys, scene, "--target", "a", "--system", "classic/rsa|alpha:3|cost:0.1")[0] == 0
    assert (
        run(capsys, scene, "--target", "a", "--system", "classic/incremental|order:colour+type")[1] == "the red chair\n"
    )
    code, _, err = run(capsys, scene, "--target", "a", "--system", "classic/rsa|alpa:3")
    assert code == 2
    assert "alpha" in err


def test_relational_describes_two_targets_in_parts(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    code, out, err = run(capsys, scene, "--target", "a,b", "--system", "classic/relational")
    assert (code, err) == (0, "")
    assert " and " in out


def test_words_are_read_back_in_the_language_that_they_are_in(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    """An English scene in Portuguese words: nothing is dropped."""
    code, out, _ = run(
        capsys, scene, "--target", "a", "--system", "variants/USP-EACH-FREQ.portuguese", "--format", "json"
    )
    found = json.loads(out)
    assert (code, found["dropped"], found["false"]) == (0, [], [])
    assert found["text"] == "a cadeira vermelha"
    assert ["colour", "red"] in found["said"]
