"""Own sets of pieces: what a file may hold, what is told of it, and that boards, figures, bots and models know them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from situations import write_goals

from referee.cli import main
from referee.errors import InputError
from referee_lab.tangram.game.board import Board, Placement
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import (
    GOALS,
    PENTOMINO_GOALS,
    format_goal,
    get_training_goal,
    lay_out_goal,
    parse_goal,
)
from referee_lab.tangram.game.instructions import Hand, interpret
from referee_lab.tangram.game.log import format_recording, parse_recording
from referee_lab.tangram.game.own_goals import check_figure, check_goals
from referee_lab.tangram.game.own_pieces import pieces_to_data, read_pieces, register_from_data
from referee_lab.tangram.game.piece_sets import (
    find_pieces,
    find_set_of,
    get_piece_name,
    get_rotation_step,
    has_two_sides,
)
from referee_lab.tangram.players.model_players import format_rules
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

HOUSES = """
name = "houses"
step = 90
[[pieces]]
name = "wall"
colour = "orange"
corners = [[0, 0], [160, 0], [160, 80], [0, 80]]
[[pieces]]
name = "roof"
colour = "red"
corners = [[0, 80], [80, 0], [160, 80]]
[[pieces]]
name = "tower"
colour = "#555555"
colour_word = "grey"
corners = [[0, 0], [60, 0], [60, 160], [0, 160]]
[[pieces]]
name = "wing"
corners = [[0, 0], [80, 0], [80, 40], [40, 40], [40, 120], [0, 120]]
[[pieces]]
name = "roof"
colour = "blue"
corners = [[0, 80], [80, 0], [160, 80]]
"""


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    path = tmp_path / "houses.toml"
    path.write_text(HOUSES, "utf-8")
    assert read_pieces(path) == "houses"
    return path


def farm() -> dict[str, Placement]:
    """A wall of 160 x 80 about (0, 0), the roof on it (the centroid of a triangle is a third of 80 above its base), a tower beside."""
    return {"31": Placement(0, 0), "32": Placement(0, -66.67), "33": Placement(110, 0)}


def test_pieces_have_numbers_names_and_colours(houses: Path) -> None:
    assert list(find_pieces("houses")) == ["31", "32", "33", "34", "35"]
    assert [get_piece_name(p) for p in find_pieces("houses")] == ["wall", "red roof", "tower", "wing", "blue roof"]
    assert (find_set_of(["31", "33"]), get_rotation_step(["31"])) == ("houses", 90)
    # An L turned over is no L; a rectangle and a triangle of two equal sides are what they were.
    assert [p for p in find_pieces("houses") if has_two_sides(p)] == ["34"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[[0, 80], [80, 0], [160, 80]]", "[[0, 0], [80, 80], [80, 0], [0, 80]]", "crosses or touches itself"),
        ("[[0, 80], [80, 0], [160, 80]]", "[[0, 0], [10, 0], [10, 10]]", "area of 50"),
        ("[[0, 80], [80, 0], [160, 80]]", "[[0, 0], [500, 0], [500, 20]]", "500 from end to end"),
        ("[[0, 80], [80, 0], [160, 80]]", "[[0, 0], [500, 0]]", "3 to 40 pairs"),
        ("[[0, 80], [80, 0], [160, 80]]", '[[0, 0], [50, 0], ["a", 1]]', "3 to 40 pairs"),
        ('"red"', '"reddish"', "'reddish' is not a colour"),
        ('name = "wall"', 'name = "a;b"', "no name that can be said"),
        ('name = "wall"', 'name = "wall"\nnumber = 7', "7 is not a number for an own piece"),
        ('name = "wall"', 'name = "wall"\nnumber = 32', "two pieces have the number 32"),
        ('name = "tower"', 'name = "wing"\ncolour_word = ""', "two different pieces are called 'wing'"),
        ("step = 90", "step = 50", "one turn of 50 degrees"),
        ('name = "houses"', 'name = "tangram"', "not a name for a set"),
    ],
)
def test_what_cannot_be_laid_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = HOUSES.replace('colour_word = "grey"\n', "") if "colour_word" in new else HOUSES
    assert old in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(InputError, match=told):
        read_pieces(path)


def test_another_piece_under_the_same_number_is_refused(houses: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text(HOUSES.replace('"houses"', '"barns"'), "utf-8")
    with pytest.raises(InputError, match="piece 31 of the set 'barns' differs between the recordings"):
        read_pieces(path)


def test_figures_and_boards_carry_their_pieces(houses: Path, tmp_path: Path) -> None:
    goal = check_figure("farm", farm()).goal
    assert goal is not None
    assert parse_goal(format_goal(goal)) == goal
    board = lay_out_goal(goal, step=90)
    assert set(board.to_data()["own"]) == {"31", "32", "33"}
    assert Board.from_data(board.to_data()) == board
    write_goals(tmp_path / "figures.json", [goal])
    assert [c.goal for c in check_goals(tmp_path / "figures.json")] == [goal]
    register_from_data(pieces_to_data(["31"]))  # the same again is welcome
    # A figure to get used to, that can be laid by quarter turns.
    assert get_training_goal(goal).name == "training-pentomino"
    assert get_training_goal(GOALS["cat"]).name == "training"


def test_bots_lay_own_figures_and_their_recording_is_whole(houses: Path, tmp_path: Path) -> None:
    goal = check_figure("farm", farm()).goal
    assert goal is not None
    recording = play_bot_game(goal, 1)
    assert "solved" in [e.kind for e in recording.entries]
    path = tmp_path / "farm.jsonl"
    path.write_text(format_recording(recording), "utf-8")
    # A program that was never told of the set reads it.
    code = (
        "import sys; from referee_lab.tangram.game.log import parse_recording, find_faults; from pathlib import Path;"
        "r = parse_recording(Path(sys.argv[1]).read_bytes()); assert find_faults(r) == []; print(r.header.goal)"
    )
    told = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "farm"
    assert parse_recording(path.read_bytes()).header.goal == "farm"


@pytest.mark.parametrize(
    ("words", "kind", "piece"),
    [
        ("take the wall", "take", "31"),
        ("pick up the red one", "take", "32"),
        ("take the blue roof", "take", "35"),
        ("turn the tower to the left", "turn", "33"),
        ("put the wing next to the wall", "beside", "34"),
        ("put the roof at the top", "ask", None),
    ],
)
def test_bots_know_the_words_for_own_pieces(houses: Path, words: str, kind: str, piece: str | None) -> None:
    placed = {p: Placement(150.0 + 200 * i, 400.0) for i, p in enumerate(find_pieces("houses"))}
    board = Board(placed, tuple(placed), 90)
    command = interpret(words, board, Hand(), Random(1))
    assert (command.kind, command.piece) == (kind, piece)
    if kind == "ask":
        assert command.question == "which one: the blue roof or the red roof?"


@pytest.mark.parametrize("name", PENTOMINO_GOALS)
def test_bots_lay_pentominoes(name: str) -> None:
    recording = play_bot_game(PENTOMINO_GOALS[name], 3)
    assert "solved" in [e.kind for e in recording.entries]
    said = " ".join(str(e.data["text"]) for e in recording.entries if e.kind == "say")
    assert "the T piece" in said or "the L piece" in said or "the I piece" in said
    assert "triangle" not in said


def test_models_are_told_which_pieces_they_play_with(houses: Path) -> None:
    goal = check_figure("farm", farm()).goal
    assert goal is not None
    boards = {"Tangram": lay_out_goal(GOALS["cat"]), "pentominoes": lay_out_goal(PENTOMINO_GOALS["dog"], step=90)}
    assert "lay a Tangram figure together" in format_rules(SOLVER, boards["Tangram"])
    told = format_rules(OPERATOR, boards["pentominoes"])
    assert "lay a figure of pentominoes together" in told
    assert '"piece": "21"' in told
    assert '"degrees": 90' in told
    assert "Tangram" not in told
    assert "put the red roof at the top left" in format_rules(SOLVER, lay_out_goal(goal, step=90))


def test_the_command_takes_a_file_of_pieces(houses: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tangram", "play", "--pieces", str(houses), "--out", str(tmp_path / "none")]) == 2
    assert "there are no figures of the set 'houses'" in capsys.readouterr().err
    figures = tmp_path / "figures.json"
    figures.write_text('{"goals": [{"name": "farm", "pieces": {"31": [0,0,0,false], "33": [110,0,0,false]}}]}', "utf-8")
    given: list[Any] = ["--pieces", str(houses), "--goals", str(figures), "--bots", "1", "--out", str(tmp_path / "out")]
    assert main(["tangram", "play", *given]) == 0
    assert "1 of 1 solved" in capsys.readouterr().out


def test_pictures_show_the_colours_of_own_pieces(houses: Path) -> None:
    from referee_lab.tangram.game.board_pictures import draw_board

    goal = check_figure("farm", farm()).goal
    assert goal is not None
    assert 'fill="#c0392b"' in draw_board(lay_out_goal(goal, step=90)), "the roof is red"
