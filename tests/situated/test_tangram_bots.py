"""Two bots solve every goal, by words alone, and leave a recording as people would."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from referee.situated.game.board import PIECES
from referee.situated.game.bot_games import play
from referee.situated.game.clocks import timeline
from referee.situated.game.goals import GOALS, scatter, solution
from referee.situated.game.log import faults, write_recording
from referee.situated.game.operator_bot import Hand, follow, understand
from referee.situated.game.rules import SETTINGS
from referee.situated.game.solver_bot import Mind, instruct


@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("seed", range(3))
def test_bots_solve_every_goal_within_the_limit(name, seed):
    recording = play(GOALS[name], seed)
    kinds = [e.kind for e in recording.entries]
    assert "solved" in kinds
    assert "timeout" not in kinds
    assert kinds[-1] == "end"
    assert faults(recording) == []
    assert recording.header.synthetic


def test_a_seed_gives_one_recording():
    assert write_recording(play(GOALS["boat"], 4)) == write_recording(play(GOALS["boat"], 4))
    assert write_recording(play(GOALS["boat"], 4)) != write_recording(play(GOALS["boat"], 5))


def test_the_cursor_comes_at_sixty_hertz_while_it_moves():
    points = [t + dt for t, e in timeline(play(GOALS["cat"], 1)) if e.kind == "cursor" for dt, _, _ in e.data["points"]]
    steps = [b - a for a, b in pairwise(points)]
    moving = [s for s in steps if s < 20]
    assert len(moving) > 0.8 * len(steps)
    assert sum(moving) / len(moving) == pytest.approx(1000 / 60, abs=0.5)


def test_a_limit_ends_the_session_and_hints_come_on_the_way():
    settings = {**SETTINGS, "hints_ms": [5_000, 10_000], "limit_ms": 20_000}
    kinds = [e.kind for e in play(GOALS["cat"], 1, settings).entries]
    assert kinds.count("hint") == 2
    assert "timeout" in kinds
    assert "solved" not in kinds


def test_numbers_of_entries_rise_by_one_and_server_times_never_fall():
    entries = play(GOALS["swan"], 2).entries
    assert [e.seq for e in entries] == list(range(len(entries)))
    assert all(a.t_server_ms <= b.t_server_ms for a, b in pairwise(entries))


@pytest.mark.parametrize(
    ("text", "kind", "piece", "x", "y", "degrees"),
    [
        ("take the medium triangle", "take", "3", 0, 0, 0),
        ("no, the other small one", "take", "5", 0, 0, 0),
        ("turn it to the left twice", "turn", "4", 0, 0, -90),
        ("rotate that one by 90 degrees", "turn", "4", 0, 0, 90),
        ("flip the parallelogram", "flip", "7", 0, 0, 0),
        ("put it at the top right", "put", "4", 1000, 133, 0),
        ("move it right a good bit and up a touch", "shift", "4", 100, -3, 0),
        ("move the square a little to the left", "shift", "6", -10, 0, 0),
        ("well done", "none", None, 0, 0, 0),
    ],
)
def test_the_operator_understands(text, kind, piece, x, y, degrees):
    command = understand(text, scatter(0), Hand(piece="4"), Random(0))
    assert (command.kind, command.x, command.y, command.degrees) == (kind, x, y, degrees)
    assert command.kind == "none" or command.piece == piece


def test_the_operator_picks_by_place():
    board = scatter(0)
    left = min("12", key=lambda p: board.placements[p].x)
    assert understand("take the large triangle on the left", board, Hand(), Random(0)).piece == left


def test_an_ambiguous_request_is_a_guess():
    picks = {understand("take the large triangle", scatter(0), Hand(), Random(s)).piece for s in range(20)}
    assert picks == {"1", "2"}


def test_a_hand_that_understood_nothing_rests():
    board = scatter(0)
    assert follow(understand("hm", board, Hand(), Random(0)), board, Hand(), 0.0, Random(0)) == ([], Hand())


def test_the_solver_says_what_is_true_of_the_referent():
    board, mind = scatter(8), Mind.of(GOALS["house"])
    for seed in range(30):
        said, _ = instruct(mind, board, None, Random(seed))
        (span,) = said.expressions
        words, (piece,) = said.text[span["start"] : span["end"]], span["referents"]
        assert PIECES[piece]["shape"] in words
        assert PIECES[piece]["size"] in words


def test_the_solver_corrects_a_wrong_choice_with_the_other_one():
    _, mind = instruct(Mind.of(GOALS["house"]), scatter(0), None, Random(0))
    wrong = {"1": "2", "2": "1"}[mind.focus]
    said, _ = instruct(mind, scatter(0), wrong, Random(0))
    assert said.text == "no, the other large one"
    assert said.expressions[0]["attributes"] == ["siz", "cmp"]


def test_the_solver_has_nothing_to_say_about_a_finished_figure():
    assert instruct(Mind.of(GOALS["cat"]), solution(GOALS["cat"]), None, Random(0))[0] is None
