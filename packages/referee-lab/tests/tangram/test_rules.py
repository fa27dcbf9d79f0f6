"""The rules end a game when the figure is laid or time is up, never later and never twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee_lab.tangram.game.board import Change
from referee_lab.tangram.game.goals import GOALS, get_hint, lay_out_goal
from referee_lab.tangram.game.rules import SETTINGS, apply_change, pass_time, release_piece, start_game


@pytest.fixture
def nearly():
    """A house that lacks its square, which lies far off."""
    game, _ = start_game(GOALS["house"], 1)
    return replace(game, board=lay_out_goal(GOALS["house"]).apply(Change("move", "6", 1100, 100)))


def kinds(notes):
    return [n.kind for n in notes]


def carry(game, piece, x, y, t_ms=100.0):
    notes = []
    for step in (Change("grab", piece), Change("move", piece, x, y), Change("release", piece)):
        game, more = apply_change(game, step, t_ms)
        notes += more
    return game, notes


def test_a_game_begins_with_its_whole_state():
    game, (start,) = start_game(GOALS["cat"], 5)
    assert start.kind == "start"
    assert start.data["hash"] == game.board.hash()


def test_the_last_piece_in_place_solves_the_game(nearly):
    x, y = lay_out_goal(GOALS["house"]).placements["6"][:2]
    game, notes = carry(nearly, "6", x + 4, y - 3)
    assert kinds(notes) == ["grab", "move", "release", "snapshot", "solved", "end"]
    assert game.outcome == "solved"
    assert game.board.placements["6"][:2] == pytest.approx((x, y), abs=0.02)


def test_a_game_is_not_solved_while_the_piece_is_in_the_hand(nearly):
    x, y = lay_out_goal(GOALS["house"]).placements["6"][:2]
    game, _ = apply_change(nearly, Change("grab", "6"), 0)
    game, _ = apply_change(game, Change("move", "6", x, y), 10)
    game, _ = apply_change(game, Change("rotate", "6", rotation=90), 20)
    assert game.outcome is None
    game, _ = apply_change(game, Change("release", "6"), 30)
    assert game.outcome == "solved"


def test_nothing_happens_after_the_end(nearly):
    game, _ = carry(nearly, "6", *lay_out_goal(GOALS["house"]).placements["6"][:2])
    assert apply_change(game, Change("move", "1", 5, 5), 200) == (game, [])
    assert pass_time(game, 10**9) == (game, [])


def test_a_small_correction_is_not_taken_back_by_the_snap(nearly):
    x, y = lay_out_goal(GOALS["house"]).placements["6"][:2]
    game = replace(
        nearly, board=nearly.board.apply(Change("move", "6", x + 9, y)), settings={**SETTINGS, "tolerance": 0}
    )
    game, _ = carry(game, "6", x + 5, y)
    assert game.board.placements["6"].x == x + 5


def test_a_release_is_noted_with_the_state_after_the_snap(nearly):
    x, y = lay_out_goal(GOALS["house"]).placements["6"][:2]
    game, notes = carry(nearly, "6", x + 4, y)
    release = notes[2]
    assert not release.by_server
    assert (release.data["x"], release.data["y"]) == game.board.placements["6"][:2]


def test_hints_come_when_due_and_show_different_pieces():
    game, _ = start_game(GOALS["cat"], 1)
    game, notes = pass_time(game, 299_999)
    assert notes == []
    game, (first,) = pass_time(game, 300_000)
    assert pass_time(game, 300_001)[1] == []
    game, (second,) = pass_time(game, 600_000)
    assert (first.data["piece"], second.data["piece"]) == (get_hint(GOALS["cat"], 0)[0], get_hint(GOALS["cat"], 1)[0])


def test_the_limit_ends_the_game():
    game, _ = start_game(GOALS["cat"], 1)
    game, notes = pass_time(game, 900_000)
    assert game.outcome == "timeout"
    assert kinds(notes) == ["hint", "hint", "snapshot", "timeout", "end"]


def test_a_lost_hand_leaves_its_piece_where_it_is(nearly):
    game, _ = apply_change(nearly, Change("grab", "6"), 0)
    game, _ = apply_change(game, Change("move", "6", 900, 200), 10)
    game, notes = release_piece(game, 20)
    assert kinds(notes) == ["release"]
    assert game.held is None
    assert game.board.placements["6"][:2] == (900, 200)
    assert release_piece(game, 30) == (game, [])


def test_snapshots_come_no_more_often_than_asked():
    game, _ = start_game(GOALS["cat"], 1)
    seen = []
    for t in range(0, 20_000, 500):
        game, notes = apply_change(game, Change("rotate", "1", rotation=45 * (t // 500)), t)
        seen += [t for n in notes if n.kind == "snapshot"]
    assert seen == [5_000, 10_000, 15_000]


def test_a_figure_that_is_all_but_laid_says_so():
    settings = {**SETTINGS, "snapshot_ms": 0, "snap": 0.0}
    game, _ = start_game(GOALS["house"], 1, settings)
    x, y = lay_out_goal(GOALS["house"]).placements["6"][:2]
    # The square is 100 wide: 40 to the side leaves 4,000 of 80,000 bare and 4,000 elsewhere, more than 5 % and less than 15.
    near = replace(game, board=lay_out_goal(GOALS["house"]).apply(Change("move", "6", x + 40, y)))
    _, notes = apply_change(near, Change("rotate", "6", rotation=0), 10.0)
    assert [n.data.get("nearly") for n in notes if n.kind == "snapshot"] == [True]
    far = replace(game, board=lay_out_goal(GOALS["house"]).apply(Change("move", "1", 100, 100)))
    _, notes = apply_change(far, Change("rotate", "6", rotation=0), 10.0)
    assert [n.data.get("nearly") for n in notes if n.kind == "snapshot"] == [None]


def test_nearly_is_told_at_once_and_taken_back_at_once():
    """Whoever lets the last piece go soon after another is told too, and not only when the next snapshot is due."""
    game, _ = start_game(GOALS["house"], 1, {**SETTINGS, "snap": 0.0})
    game = replace(game, board=lay_out_goal(GOALS["house"]).apply(Change("move", "6", 1100, 100)))
    x, y = lay_out_goal(GOALS["house"]).placements["6"][:2]
    told = []
    for t_ms, (to_x, to_y) in enumerate([(x + 40, y), (x + 41, y), (1100, 100), (x + 40, y), (x, y)], 100):
        game, notes = carry(game, "6", to_x, to_y, float(t_ms))
        told.append([n.data.get("nearly", False) for n in notes if n.kind == "snapshot"])
    assert told == [[True], [], [False], [True], [False]]
    assert game.outcome == "solved"
