"""Two bots solve every goal, by words alone, and leave a recording as people would."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest

from referee_lab.tangram.game.board import Board, Placement
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS, find_goal, lay_out_goal, scatter_pieces
from referee_lab.tangram.game.instructions import Command, Hand, interpret
from referee_lab.tangram.game.log import find_faults, format_recording, iterate_timeline
from referee_lab.tangram.game.operator_bot import perform_command
from referee_lab.tangram.game.piece_sets import ALL_PIECES, PIECES
from referee_lab.tangram.game.rules import SETTINGS
from referee_lab.tangram.game.solver_bot import Mind, instruct


@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("seed", range(3))
def test_bots_solve_every_goal_within_the_limit(name, seed):
    recording = play_bot_game(GOALS[name], seed)
    kinds = [e.kind for e in recording.entries]
    assert "solved" in kinds
    assert "timeout" not in kinds
    assert kinds[-1] == "end"
    assert find_faults(recording) == []
    assert recording.header.synthetic


def test_a_seed_gives_one_recording():
    assert format_recording(play_bot_game(GOALS["boat"], 4)) == format_recording(play_bot_game(GOALS["boat"], 4))
    assert format_recording(play_bot_game(GOALS["boat"], 4)) != format_recording(play_bot_game(GOALS["boat"], 5))


def test_the_cursor_comes_at_sixty_hertz_while_it_moves():
    points = [
        t + dt
        for t, e in iterate_timeline(play_bot_game(GOALS["cat"], 1))
        if e.kind == "cursor"
        for dt, _, _ in e.data["points"]
    ]
    steps = [b - a for a, b in pairwise(points)]
    moving = [s for s in steps if s < 20]
    assert len(moving) > 0.8 * len(steps)
    assert sum(moving) / len(moving) == pytest.approx(1000 / 60, abs=0.5)


def test_a_limit_ends_the_session_and_hints_come_on_the_way():
    settings = {**SETTINGS, "hints_ms": [5_000, 10_000], "limit_ms": 20_000}
    kinds = [e.kind for e in play_bot_game(GOALS["cat"], 1, settings).entries]
    assert kinds.count("hint") == 2
    assert "timeout" in kinds
    assert "solved" not in kinds


def test_numbers_of_entries_rise_by_one_and_server_times_never_fall():
    entries = play_bot_game(GOALS["swan"], 2).entries
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
    command = interpret(text, scatter_pieces(0), Hand(piece="4"), Random(0))
    assert (command.kind, command.x, command.y, command.degrees) == (kind, x, y, degrees)
    assert command.kind == "none" or command.piece == piece


def test_the_operator_picks_by_place():
    board = scatter_pieces(0)
    left = min("12", key=lambda p: board.placements[p].x)
    assert interpret("take the large triangle on the left", board, Hand(), Random(0)).piece == left


def test_an_ambiguous_request_is_a_guess():
    picks = {interpret("take the large triangle", scatter_pieces(0), Hand(), Random(s)).piece for s in range(20)}
    assert picks == {"1", "2"}


def test_a_hand_that_understood_nothing_rests():
    board = scatter_pieces(0)
    assert perform_command(interpret("hm", board, Hand(), Random(0)), board, Hand(), 0.0, Random(0)) == ([], Hand())


def test_the_solver_says_what_is_true_of_the_referent():
    board, mind = scatter_pieces(8), Mind.of(GOALS["house"])
    for seed in range(30):
        said, _ = instruct(mind, board, None, Random(seed))
        (span,) = said.expressions
        words, (piece,) = said.text[span["start"] : span["end"]], span["referents"]
        assert PIECES[piece]["shape"] in words
        assert PIECES[piece]["size"] in words


def test_the_solver_corrects_a_wrong_choice_with_the_other_one():
    _, mind = instruct(Mind.of(GOALS["house"]), scatter_pieces(0), None, Random(0))
    wrong = {"1": "2", "2": "1"}[mind.focus]
    said, _ = instruct(mind, scatter_pieces(0), wrong, Random(0))
    assert said.text == "no, the other large one"
    assert said.expressions[0]["attributes"] == ["siz", "cmp"]


def test_the_solver_has_nothing_to_say_about_a_finished_figure():
    assert instruct(Mind.of(GOALS["cat"]), lay_out_goal(GOALS["cat"]), None, Random(0))[0] is None


# Twelve ordinary kinds of instruction, in words that the solver bot never uses.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("put the square in the top left corner", Command("put", "6", 200.0, 133.0)),
        ("move it to the bottom right", Command("put", "4", 1000.0, 667.0)),
        ("put the medium triangle next to the square", Command("beside", "3", other="6")),
        ("put it to the left of the parallelogram", Command("beside", "4", -1.0, 0.0, other="7")),
        ("rotate the parallelogram a quarter turn to the left", Command("turn", "7", degrees=-90)),
        ("turn it over", Command("flip", "4")),
        ("a bit left", Command("shift", "4", -30.0, 0.0)),
        ("slightly up please", Command("shift", "4", 0.0, -10.0)),
        ("yes, that one", Command("take", "4")),
        ("the other one", Command("take", "5")),
        ("put it back", Command("undo", "4")),
        ("now the rhombus", Command("take", "7")),
        ("ok, great!", Command("none")),
    ],
)
def test_the_operator_follows_ordinary_instructions(text: str, expected: Command) -> None:
    hand = Hand(piece="4", before=Placement(1.0, 2.0))
    assert interpret(text, scatter_pieces(0), hand, Random(0)) == expected


def test_an_operator_who_is_not_sure_asks_and_understands_the_answer() -> None:
    board = scatter_pieces(0)
    asked = interpret("move the small triangle up a lot", board, Hand(piece="6"), Random(0))
    assert (asked.kind, asked.question) == ("ask", "which small triangle: the one on the left or the one on the right?")
    right = max("45", key=lambda p: board.placements[p].x)
    done = interpret("the one on the right", board, Hand(piece="6", asked=asked), Random(0))
    assert (done.kind, done.piece, done.y) == ("shift", right, -200)
    assert interpret("hm?", board, Hand(), Random(0)).kind == "ask"


def perform(text: str, board: Board, hand: Hand) -> tuple[Board, Hand]:
    acts, hand = perform_command(interpret(text, board, hand, Random(0)), board, hand, 0.0, Random(0))
    for act in acts:
        board = board.apply(act.change) if act.change else board
    return board, hand


def test_what_was_done_can_be_undone_repeated_and_reversed() -> None:
    start = scatter_pieces(0)
    board, hand = perform("put the square in the middle", start, Hand())
    assert board.placements["6"][:2] != start.placements["6"][:2]
    back, _ = perform("undo that", board, hand)
    assert back.placements["6"] == start.placements["6"]
    board, hand = perform("turn it", board, hand)
    twice, hand = perform("again", board, hand)
    assert (twice.placements["6"].rotation - start.placements["6"].rotation) % 360 == 2 * start.step
    once, _ = perform("no, the other way", twice, hand)
    assert once.placements["6"].rotation == board.placements["6"].rotation


def test_a_piece_beside_another_touches_it_on_the_side_that_was_said() -> None:
    board, _ = perform("put the parallelogram right of the square", scatter_pieces(0), Hand())
    mine, other = board.polygon("7").bounds, board.polygon("6").bounds
    assert mine[0] == pytest.approx(other[2], abs=0.02)


def test_a_triangle_points_where_it_is_told_to() -> None:
    board, _ = perform("turn the medium triangle so that it points up", scatter_pieces(0), Hand())
    # The right angle is the corner opposite the longest side: it is the highest of the three.
    corners = board.corners("3")
    sides = {p: max(math.dist(p, q) for q in corners) for p in corners}
    tip = min(corners, key=lambda p: sides[p])
    assert tip[1] == min(y for _, y in corners)


# Ordinary wordings that were once taken for something else; the expected piece and act are read off the words by hand (piece 6 is the square in hand).
LAST = Command("turn", "6", degrees=-45)


@pytest.mark.parametrize(
    ("text", "held", "kind", "piece"),
    [
        ("could you drop the square in the upper right corner?", None, "put", "6"),
        ("the parallelogram goes to the bottom left", None, "put", "7"),
        ("I'd like it in the centre of the board", "6", "put", "6"),
        ("square to the top right corner", None, "put", "6"),
        ("take the square to the left edge", None, "put", "6"),
        ("let's have it at the bottom", "6", "put", "6"),
        ("stick the square onto the right side of the parallelogram", None, "beside", "6"),
        ("the medium triangle should touch the square", None, "beside", "3"),
        ("attach the medium triangle to the square", None, "beside", "3"),
        ("can you flip over the parallelogram", None, "flip", "7"),
        ("the parallelogram is the wrong way round, mirror it", None, "flip", "7"),
        ("turn it over so the other side is up", "6", "flip", "6"),
        ("it needs to be flipped", "6", "flip", "6"),
        ("turn that one over", "6", "flip", "6"),
        ("let the square rest in the bottom right corner", None, "put", "6"),
        ("that was better before", "6", "undo", "6"),
        ("scoot the square slightly leftwards", None, "shift", "6"),
        ("the square a bit to the left", None, "shift", "6"),
        ("lift the square a bit higher", None, "shift", "6"),
        ("reverse your last step", "6", "undo", "6"),
        ("return it to its old place", "6", "undo", "6"),
        ("cancel that move", "6", "undo", "6"),
        ("move the triangle", None, "ask", None),
        ("this one is right", "6", "none", None),
        ("wrong one, I meant the other", "1", "take", "2"),
        ("I mean the second small triangle", "4", "take", "5"),
        ("no, in the opposite direction", "6", "turn", "6"),
        ("repeat that", "6", "turn", "6"),
    ],
)
def test_the_operator_follows_people_in_their_own_words(
    text: str, held: str | None, kind: str, piece: str | None
) -> None:
    hand = Hand(piece=held, before=scatter_pieces(0).placements["6"], last=LAST if held else None)
    command = interpret(text, scatter_pieces(0), hand, Random(0))
    assert (command.kind, command.piece) == (kind, piece)


def test_degrees_may_be_spelt_and_a_middle_may_be_at_the_top() -> None:
    hand = Hand(piece="6", last=LAST)
    assert interpret("ninety degrees clockwise", scatter_pieces(0), hand, Random(0)).degrees == 90
    assert interpret("no, in the opposite direction", scatter_pieces(0), hand, Random(0)).degrees == 45
    assert interpret("it goes in the middle at the top", scatter_pieces(0), hand, Random(0)).y == 133.0


@pytest.mark.parametrize("verb", ["we need", "get", "pick up", "start with"])
def test_a_piece_is_taken_by_its_place_whatever_the_verb(verb: str) -> None:
    board = scatter_pieces(0)
    right = max("45", key=lambda p: board.placements[p].x)
    command = interpret(f"{verb} the small triangle on the far right", board, Hand(), Random(0))
    assert (command.kind, command.piece) == ("take", right)


@pytest.mark.parametrize(
    ("text", "kind", "letter"),
    [
        ("take the I", "take", "I"),
        ("grab the L-shaped piece", "take", "L"),
        ("rotate the T 90 degrees", "turn", "T"),
        ("attach the I to the L", "beside", "I"),
        ("move the I piece a bit to the left", "shift", "I"),
        ("put the I piece in the middle", "put", "I"),
    ],
)
def test_pentominoes_go_by_their_letters_alone(text: str, kind: str, letter: str) -> None:
    board = lay_out_goal(find_goal("block"), step=90)
    command = interpret(text, board, Hand(), Random(0))
    assert (command.kind, ALL_PIECES[str(command.piece)]["shape"]) == (kind, letter)


def test_a_corner_where_a_piece_lies_is_no_way_to_go() -> None:
    assert interpret("use the piece in the top right corner", scatter_pieces(0), Hand(), Random(0)).kind == "take"
