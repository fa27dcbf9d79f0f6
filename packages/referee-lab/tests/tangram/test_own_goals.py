"""Own goal figures: what can be solved is told from what cannot, and what was kept is played everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from situations import write_goals

from referee.cli import main
from referee.errors import InputError
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.study.folder.study import open_study
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import (
    GOALS,
    PENTOMINO_GOALS,
    find_goal,
    format_goal,
    get_outline,
    parse_goal,
    scatter_pieces,
)
from referee_lab.tangram.game.log import format_recording, parse_recording
from referee_lab.tangram.game.own_goals import check_figure, read_goals
from referee_lab.tangram.game.piece_sets import PENTOMINOES, PIECES, SHAPES, has_two_sides

CAT = GOALS["cat"].placements
SIDE = 40


def moved(piece: str, dx: float, dy: float) -> dict[str, Any]:
    return {**CAT, piece: CAT[piece]._replace(x=CAT[piece].x + dx, y=CAT[piece].y + dy)}


@pytest.mark.parametrize("goal", [*GOALS.values(), *PENTOMINO_GOALS.values()], ids=lambda goal: goal.name)
def test_every_figure_of_this_package_passes_the_check_and_is_as_symmetric_as_it_says(goal: Any) -> None:
    found = check_figure("mine", goal.placements)
    assert found.problems == ()
    assert found.goal is not None
    assert found.goal.symmetric == goal.symmetric
    assert parse_goal(format_goal(goal)) == goal


@pytest.mark.parametrize(
    ("placements", "told"),
    [
        (moved("7", 300, 0), "the figure falls apart: 7 "),
        (moved("7", -20, 0), "pieces lie over each other: 2 and 7"),
        ({piece: place for piece, place in CAT.items() if piece != "6"}, "6 is missing"),
        ({"1": CAT["1"], "11": CAT["2"]}, "not of one set"),
        # The corner of one triangle on that of another: nothing holds them together.
        (moved("7", 100, -100), "falls apart"),
    ],
)
def test_what_cannot_be_solved_is_told_in_words(placements: Any, told: str) -> None:
    found = check_figure("mine", placements)
    assert found.goal is None
    assert told in "; ".join(found.problems)


@pytest.mark.parametrize("name", ["cat", "training", "Fish", "a b", ""])
def test_a_name_is_simple_and_of_ones_own(name: str) -> None:
    assert check_figure(name, CAT).goal is None


def test_pentominoes_are_the_twelve_of_five_squares() -> None:
    from shapely import Polygon
    from shapely.affinity import rotate, scale

    shapes = {p: Polygon(SHAPES[kind["shape"]]) for p, kind in PENTOMINOES.items()}
    assert len(shapes) == 12
    assert not PENTOMINOES.keys() & PIECES.keys()
    for piece, shape in shapes.items():
        assert shape.area == 5 * SIDE**2
        assert (round(shape.centroid.x, 9), round(shape.centroid.y, 9)) == (0, 0)
        # A mirror image that no turn gives is another piece to the hand; F, L, N, P, Y and Z have one (Golomb 1965).
        turns = [rotate(scale(shape, -1, 1, origin=(0, 0)), angle, origin=(0, 0)) for angle in (0, 90, 180, 270)]
        same = any(turned.symmetric_difference(shape).area < 1 for turned in turns)
        assert same != has_two_sides(piece)
    alike = [
        (a, b)
        for a in shapes
        for b in shapes
        if a < b
        for angle in (0, 90, 180, 270)
        for x in (1, -1)
        if rotate(scale(shapes[a], x, 1, origin=(0, 0)), angle, origin=(0, 0)).symmetric_difference(shapes[b]).area < 1
    ]
    assert alike == []


def test_a_piece_with_a_bay_is_not_touched_in_its_bay() -> None:
    board = scatter_pieces(1, 90, ["17"]).put(
        "17", scatter_pieces(1, 90, ["17"]).placements["17"]._replace(x=300, y=300, rotation=0)
    )
    board = board.put("17", board.placements["17"]._replace(flipped=False))
    # The U has its bay in the middle above: the square from (280, 256) to (320, 296).
    assert board.find_piece_at(300, 270) is None
    assert board.find_piece_at(260, 270) == "17"
    assert board.find_piece_at(300, 310) == "17"
    assert board.find_piece_at(280, 270) == "17"  # its edge


def test_a_file_is_read_as_json_and_as_toml_and_faults_have_a_place(tmp_path: Path, capsys: Any) -> None:
    made = check_figure("kitten", CAT).goal
    assert made is not None
    write_goals(tmp_path / "mine.json", [made])
    assert read_goals(tmp_path / "mine.json") == [made]
    rows = "\n".join(f"{p} = [{c.x}, {c.y}, {c.rotation}, {str(c.flipped).lower()}]" for p, c in CAT.items())
    (tmp_path / "mine.toml").write_text(f'[[goals]]\nname = "kitten"\n[goals.pieces]\n{rows}\n')
    (from_toml,) = read_goals(tmp_path / "mine.toml")
    assert get_outline(from_toml).symmetric_difference(get_outline(made)).area < 1
    assert main(["tangram", "goals", "check", str(tmp_path / "mine.toml")]) == 0
    assert "kitten: can be solved, not symmetric, 7 pieces" in capsys.readouterr().out
    broken = {"goals": [{"name": "apart", "pieces": {p: list(c) for p, c in moved("7", 300, 0).items()}}]}
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert main(["tangram", "goals", "check", str(tmp_path / "broken.json")]) == 2
    assert "apart: the figure falls apart: 7" in capsys.readouterr().out
    with pytest.raises(InputError, match="falls apart"):
        read_goals(tmp_path / "broken.json")


def test_bots_play_own_figures_and_the_recording_knows_them(tmp_path: Path) -> None:
    made = check_figure("kitten", CAT).goal
    assert made is not None
    write_goals(tmp_path / "mine.json", [made])
    out = tmp_path / "out"
    assert main(["tangram", "play", "--goals", str(tmp_path / "mine.json"), "--out", str(out)]) == 0
    (file,) = out.glob("*.jsonl")
    recording = parse_recording(file.read_bytes())
    assert recording.header.goal == "kitten"
    assert any(entry.kind == "solved" for entry in recording.entries)
    assert find_goal("kitten", recording.header.settings["goals"]) == made
    assert parse_recording(format_recording(recording)) == recording
    # Those of this package are known anyway, and recordings stay as they were.
    assert "goals" not in play_bot_game(GOALS["cat"], 1).header.settings


def test_a_study_holds_its_own_figures_and_refuses_unknown_ones(tmp_path: Path) -> None:
    made = check_figure("kitten", CAT).goal
    assert made is not None
    own = {"goals": [format_goal(made)]}
    study = make_tangram_study(tmp_path / "study", puzzles=["kitten", "house"], settings=own)
    assert open_study(study.folder).settings["goals"] == own["goals"]
    with pytest.raises(InputError, match="no goal is called 'puppy'"):
        make_tangram_study(tmp_path / "other", puzzles=["puppy"], settings=own)
    assert make_tangram_study(tmp_path / "third", puzzles=["dog"], partner="bot", settings={"step": 90})


def test_figures_of_another_set_than_the_one_named_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = check_figure("kitten", CAT).goal
    assert own is not None
    write_goals(tmp_path / "mine.json", [own])
    named = ["--goals", str(tmp_path / "mine.json"), "--pieces", "pentomino", "--out", str(tmp_path / "out")]
    assert main(["tangram", "play", *named]) == 2
    assert "'kitten' is made of Tangram, not of pentomino" in capsys.readouterr().err
