"""A person who pointed, a hearer of this package and a model that was asked elsewhere stand in one table, counted by the same rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee import listen, run
from referee.corpora.jsonl import response_to_json, trials_to_json, write_json_line
from referee.errors import InputError
from referee.geometry import Box, Convention, Order, Point, ScenePicture, Size
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

SIZE = Size(100, 100)
# The thing meant is in the middle (40-60) of two pictures, and in a corner (0-20) of two.
CORNERS = [(40, 40, 60, 60), (40, 40, 60, 60), (0, 0, 20, 20), (0, 0, 20, 20)]


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A run in which a system said something about four pictures."""
    trials = []
    for i, corners in enumerate(CORNERS):
        there = Entity(id="a", attributes=(Property("type", "ball"),), region=Box(corners))
        other = Entity(id="b", attributes=(Property("type", "cube"),), region=Box((70, 70, 90, 90)))
        scene = Scene(entities=(there, other), id=f"s{i}", picture=ScenePicture(path=f"{i}.png", size=SIZE))
        trials.append(Trial(id=f"t{i}", scene=scene, targets=("a",), references=(Description(text="the ball"),)))
    corpus = write(tmp_path / "trials.jsonl", [write_json_line(data) for data in trials_to_json(trials)])
    return run(["classic/incremental"], corpus, tmp_path / "run", folds=2, folds_by="random", jobs=1).folder


def write(path: Path, lines: list[object]) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def shares(told: Path) -> dict[tuple[str, str], tuple[float, float, int]]:
    frame = listen(told, cluster="none").frame
    rows = {(r["system"], r["hearer"], r["metric"]): r for r in frame.to_dicts()}
    return {
        key[:2]: (rows[*key[:2], "ir"]["value"], rows[*key[:2], "error"]["value"], rows[*key[:2], "ir"]["n"])
        for key in rows
    }


def test_person_stub_and_recorded_model(told: Path, tmp_path: Path) -> None:
    system = "classic/incremental"
    xy = Convention(order=Order.XY)

    def pressed(i: int, x: float, y: float) -> str:
        place = Point((x, y), xy)
        answer = Response(trial=f"t{i}", hearer="p1", outcome=Outcome.POINT, system=system, places=(place,))
        return str(write_json_line(response_to_json(answer)))

    # Two on the ball (one on its border), one on the cube, one on nothing: half found, half errors.
    people = [pressed(0, 50, 50), pressed(1, 60, 60), pressed(2, 80, 80), pressed(3, 30, 30)]
    listen(told, people=write(tmp_path / "people.jsonl", people))
    listen(told, hearer="sight/centre")
    # Boxes: the right one three times, and once one that overlaps by 1/4 only (5 x 20 of 20 x 20).
    boxes = [*CORNERS[:3], (0, 0, 5, 20)]
    model = [
        {
            "trial": f"t{i}",
            "hearer": "seer",
            "system": system,
            "outcome": "box",
            "places": [{"box": b, "in": "pixels xyxy"}],
        }
        for i, b in enumerate(boxes)
    ]
    listen(told, hearer=f"recorded:{write(tmp_path / 'seer.jsonl', list(model))}")
    assert shares(told) == {
        (system, "people"): (0.5, 0.5, 4),
        (system, "sight/centre"): (0.5, 0.5, 4),
        (system, "seer"): (0.75, 0.25, 4),
    }


def test_outputs_with_places_are_answers_to_people(told: Path, tmp_path: Path) -> None:
    lines = [{"trial": f"t{i}", "system": "other", "box": b, "in": "pixels xyxy"} for i, b in enumerate(CORNERS)]
    file = write(tmp_path / "outputs.jsonl", list(lines))
    listen(told, hearer=f"recorded:{file}")
    assert shares(told) == {("human", "other"): (1.0, 0.0, 4)}
    # Again with other answers: these take the place of those from before.
    write(file, [lines[0] | {"box": [70, 70, 90, 90]}])
    listen(told, hearer=f"recorded:{file}")
    assert shares(told) == {("human", "other"): (0.0, 1.0, 1)}


def test_what_answers_nothing_is_told(told: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "x.jsonl", [{"trial": "zz", "system": "x", "box": [1, 2, 3, 4], "in": "pixels xyxy"}])
    with pytest.raises(InputError, match="no line of this file answers a trial of this run"):
        listen(told, hearer=f"recorded:{file}")
    with pytest.raises(InputError, match="there is no such file"):
        listen(told, hearer=f"recorded:{tmp_path / 'nothing.jsonl'}")
