"""Every goal can be laid with the seven pieces, looks like nothing else, and is as symmetric as it says."""

from __future__ import annotations

from itertools import combinations

import pytest
from shapely import Polygon, box
from shapely.affinity import scale, translate

from referee.errors import InputError, UnknownName
from referee_lab.tangram.game.board import compute_corners
from referee_lab.tangram.game.goals import (
    GOALS,
    TRAINING,
    Goal,
    find_goal,
    format_outline,
    get_hint,
    get_outline,
    scatter_pieces,
)
from referee_lab.tangram.game.piece_sets import PIECES

WHOLE = 80_000  # sixteen small triangles of 5,000


def laid(goal):
    return [Polygon(compute_corners(p, place)) for p, place in goal.placements.items()]


def difference(one, other):
    moved = translate(other, one.centroid.x - other.centroid.x, one.centroid.y - other.centroid.y)
    return one.symmetric_difference(moved).area / one.area


def test_there_are_four_symmetric_and_four_other_goals():
    assert sum(g.symmetric for g in GOALS.values()) == 4
    assert sum(not g.symmetric for g in GOALS.values()) == 4


@pytest.mark.parametrize("goal", list(GOALS.values()), ids=list(GOALS))
def test_pieces_of_a_goal_do_not_overlap(goal):
    assert set(goal.placements) == set(PIECES)
    overlaps = [a.intersection(b).area for a, b in combinations(laid(goal), 2)]
    assert max(overlaps) < 3  # hundredths of a unit along a side of 200


@pytest.mark.parametrize("goal", list(GOALS.values()), ids=list(GOALS))
def test_a_goal_is_one_figure_with_the_area_of_all_pieces(goal):
    figure = get_outline(goal)
    assert figure.geom_type == "Polygon"
    assert figure.is_valid
    assert figure.area == pytest.approx(WHOLE, rel=1e-3)


@pytest.mark.parametrize("goal", list(GOALS.values()), ids=list(GOALS))
def test_a_goal_is_as_symmetric_as_it_says(goal):
    figure = get_outline(goal)
    mirrored = [difference(figure, scale(figure, xfact=x, yfact=y)) for x, y in ((-1, 1), (1, -1))]
    assert (min(mirrored) < 0.002) == goal.symmetric
    assert goal.symmetric or min(mirrored) > 0.1


def test_the_training_has_a_figure_of_its_own_that_can_be_laid():
    assert TRAINING.name not in GOALS
    assert find_goal("training") is TRAINING
    assert max(a.intersection(b).area for a, b in combinations(laid(TRAINING), 2)) < 3
    figure = get_outline(TRAINING)
    assert figure.area == pytest.approx(WHOLE, rel=1e-3)
    assert difference(figure, scale(figure, xfact=-1)) < 0.002
    assert (
        min(difference(figure, f) for g in GOALS.values() for f in (get_outline(g), scale(get_outline(g), xfact=-1)))
        > 0.15
    )


@pytest.mark.parametrize(("one", "other"), list(combinations(GOALS, 2)))
def test_no_two_goals_look_alike(one, other):
    figures = get_outline(GOALS[one]), get_outline(GOALS[other])
    assert min(difference(figures[0], f) for f in (figures[1], scale(figures[1], xfact=-1))) > 0.15


@pytest.mark.parametrize("seed", range(20))
def test_a_beginning_lies_apart_on_the_work_area(seed):
    pieces = list(scatter_pieces(seed).polygons().values())
    assert all(box(0, 0, 1200, 800).contains(p) for p in pieces)
    assert min(a.distance(b) for a, b in combinations(pieces, 2)) > 0


def test_a_seed_gives_one_beginning():
    assert scatter_pieces(5) == scatter_pieces(5)
    assert scatter_pieces(5) != scatter_pieces(6)


def test_the_path_draws_the_outline():
    path = format_outline(GOALS["house"])
    points = [tuple(map(float, p.strip("MLZ ").split(","))) for p in path.removesuffix(" Z").split(" L")]
    assert Polygon(points).symmetric_difference(get_outline(GOALS["house"])).area < 5


def test_hints_show_two_different_pieces_where_they_belong():
    goal = GOALS["cat"]
    (first, place), (second, _) = get_hint(goal, 0), get_hint(goal, 1)
    assert first != second
    assert place == goal.placements[first]


def test_an_unknown_goal_is_answered_with_the_nearest_name():
    with pytest.raises(UnknownName, match="house"):
        find_goal("hause")


def test_a_figure_in_two_parts_is_no_goal():
    house = GOALS["house"]
    apart = {**house.placements, "6": house.placements["6"]._replace(x=900.0)}
    with pytest.raises(InputError, match="falls apart"):
        get_outline(Goal("broken", False, apart))
