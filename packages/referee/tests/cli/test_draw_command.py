"""`referee draw`: files, corpora and contact sheets in, SVG and PNG out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from referee.cli import main
from referee.show.drawing.scene_pictures import FRAME

CHAIRS: dict[str, Any] = {
    "entities": [
        {"id": "a", "attributes": {"type": "chair", "colour": "red"}},
        {"id": "b", "attributes": {"type": "chair", "colour": "blue"}},
    ]
}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(CHAIRS), "utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["draw", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_scene_goes_to_standard_output(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    code, out, err = run(capsys, scene)
    assert (code, err) == (0, "")
    assert etree.fromstring(out.encode()).tag.endswith("svg")
    assert FRAME not in out


def test_a_target_is_framed_and_entities_are_numbered_on_request(
    capsys: pytest.CaptureFixture[str], scene: Path
) -> None:
    _, out, _ = run(capsys, scene, "--target", "b", "--numbers")
    assert out.count(FRAME) == 1
    assert (">1</text>" in out, ">2</text>" in out) == (True, True)


def test_the_ending_decides_between_svg_and_png(
    capsys: pytest.CaptureFixture[str], scene: Path, tmp_path: Path
) -> None:
    assert run(capsys, scene, "--out", tmp_path / "x.svg") == (0, "", "")
    assert run(capsys, scene, "--out", tmp_path / "x.PNG") == (0, "", "")
    assert (tmp_path / "x.svg").read_text("utf-8").startswith("<svg")
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")
    assert {p.name for p in tmp_path.iterdir()} == {"scene.json", "x.svg", "x.PNG"}


def test_a_trial_of_a_corpus_is_drawn_and_its_target_framed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    _, first, _ = run(capsys, "--corpus", "synthetic")
    _, named, _ = run(capsys, "--corpus", "synthetic", "--trial", "s1t2")
    assert first != named
    assert FRAME not in named
    assert run(capsys, "--corpus", "synthetic", "--trial", "s1t2", "--mark")[1].count(FRAME) == 1


def test_a_trial_in_a_file_names_its_target_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "trial.json"
    path.write_text(json.dumps({"id": "t", **CHAIRS, "targets": ["b"]}), "utf-8")
    assert FRAME not in run(capsys, path)[1]
    assert run(capsys, path, "--mark")[1] == run(capsys, path, "--target", "b")[1]


def test_jitter_moves_things_by_the_seed(capsys: pytest.CaptureFixture[str], scene: Path) -> None:
    plain = run(capsys, scene)[1]
    moved = run(capsys, scene, "--jitter", "0.1")[1]
    assert len({plain, moved, run(capsys, scene, "--jitter", "0.1", "--seed", "2")[1]}) == 3
    assert run(capsys, scene, "--jitter", "0.1")[1] == moved


def test_a_contact_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--sheet", "people")
    assert code == 0
    assert "young, old" in out


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ([], "exactly one thing"),
        (["scene.json", "--sheet", "people"], "exactly one thing"),
        (["nowhere.json"], "no such file"),
        (["scene.json", "--target", "zz"], "'zz' should be marked"),
        (["scene.json", "--mark"], "names no target"),
        (["scene.json", "--trial", "t1"], "a trial can only be drawn from a corpus"),
        (["scene.json", "--out", "x.gif"], "neither .svg nor .png"),
        (["scene.json", "--out", "no/folder/x.png"], "cannot be written"),
        (["scene.json", "--out", "no/folder/x.svg"], "cannot be written"),
        (["scene.json", "--jitter", "3"], "jitter"),
        (["scene.json", "--out", "x.png", "--scale", "100"], "cannot scale"),
        (["--sheet", "peple"], "did you mean people"),
        (["--corpus", "synthetic", "--trial", "nope"], "no trial 'nope'"),
        (["empty.json"], "the scene is empty"),
        (["broken.json"], "not JSON"),
        (["list.json"], "expected an object"),
    ],
)
def test_mistakes_say_what_to_do(
    capsys: pytest.CaptureFixture[str],
    scene: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    problem: str,
) -> None:
    (tmp_path / "empty.json").write_text('{"entities": []}', "utf-8")
    (tmp_path / "broken.json").write_text('{"entities": [', "utf-8")
    (tmp_path / "list.json").write_text("[]", "utf-8")
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert problem in err
    assert "→" in err
