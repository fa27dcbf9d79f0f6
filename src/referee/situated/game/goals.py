"""Goal outlines of this project's own design, four symmetric and four not as in the trials of REX-J (Tokunaga et al. 2010), and random beginnings.

A goal is a placement of the seven pieces about its own middle, so it can be solved by construction; players see only its outline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, UnknownName
from referee.situated.game.board import PIECES, UNIT, WORK_AREA, Board, Placement, corners, hundredths

if TYPE_CHECKING:
    from shapely import Polygon

__all__ = ["GOALS", "TRAINING", "Goal", "find_goal", "hint", "outline", "outline_path", "scatter", "solution"]

# Placements are kept to hundredths, which leaves hair-wide gaps between pieces that touch: the outline closes them.
HAIR = 0.05
ROOM = 1.15 * UNIT


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure: its name, whether it mirrors itself left to right, and one way to lay it about the point (0, 0)."""

    name: str
    symmetric: bool
    placements: Mapping[str, Placement]


def _goal(name: str, symmetric: bool, *rows: tuple[Any, ...]) -> Goal:
    return Goal(name, symmetric, MappingProxyType({p: Placement(*row) for p, row in zip(PIECES, rows, strict=True)}))


_ALL = (
    _goal(
        *("house", True, (-66.67, -66.67, 135), (66.67, -66.67, 225), (0.0, 166.67, 0), (-66.67, 33.33, 315)),
        *((66.67, 133.33, 45), (50.0, 50.0, 0), (-50.0, 100.0, 90)),
    ),
    _goal(
        *("rocket", True, (-33.33, -83.33, 315), (33.33, -16.67, 135), (50.0, 116.67, 0), (-33.33, -183.33, 135)),
        *((33.33, -183.33, 225), (0.0, 200.0, 0), (-50.0, 100.0, 0, True)),
    ),
    _goal(
        *("pagoda", True, (-66.67, -66.67, 135), (66.67, -66.67, 225), (50.0, 66.67, 0), (-83.33, 166.67, 135)),
        *((83.33, 166.67, 225), (0.0, 150.0, 0), (-50.0, 50.0, 0, True)),
    ),
    _goal(
        *("eagle", True, (-116.67, -33.33, 45), (116.67, -33.33, 315), (0.0, 133.33, 180), (16.67, -66.67, 45)),
        *((-16.67, 66.67, 225), (0.0, -150.0, 0), (0.0, 0.0, 90, True)),
    ),
    _goal(
        *("swan", False, (33.33, 66.67, 45), (166.67, 66.67, 315), (200.0, -33.33, 0), (-233.33, -166.67, 45)),
        *((266.67, -66.67, 45), (-150.0, -150.0, 0), (-100.0, -50.0, 0)),
    ),
    _goal(
        *("cat", False, (-62.62, 87.38, 315), (4.04, 154.04, 135), (-29.29, -12.62, 0), (-147.14, -150.0, 90)),
        *((-52.86, -150.0, 270), (-100.0, -79.29, 45), (120.71, 120.71, 90)),
    ),
    _goal(
        *("boat", False, (66.67, 33.33, 225), (-66.67, -66.67, 135), (50.0, 133.33, 180), (-116.67, 166.67, 225)),
        *((33.33, -133.33, 225), (-50.0, 50.0, 0), (-50.0, 150.0, 0)),
    ),
    _goal(
        *("chapel", False, (-16.67, 16.67, 45), (-83.33, 83.33, 225), (-50.0, -83.33, 0), (116.67, -16.67, 45)),
        *((83.33, 116.67, 225), (100.0, -100.0, 0), (100.0, 50.0, 90, True)),
    ),
)
# For the training alone: whoever has seen a goal must not be its operator later.
TRAINING = _goal(
    *("training", True, (-33.33, -25.0, 315), (33.33, 41.67, 135), (0.0, -125.0, 0), (133.33, -25.0, 225)),
    *((-133.33, 75.0, 135), (150.0, 58.33, 0), (-150.0, 8.33, 90)),
)
GOALS: Mapping[str, Goal] = MappingProxyType({goal.name: goal for goal in _ALL})


def find_goal(name: str) -> Goal:
    """A goal by its name; the figure of the training has one too."""
    if name == TRAINING.name:
        return TRAINING
    if name not in GOALS:
        raise UnknownName("goal", name, GOALS, hint=f"the goals are {', '.join(GOALS)}")
    return GOALS[name]


@cache
def _outline(name: str) -> Polygon:
    return _closed(GOALS[name])


def outline(goal: Goal) -> Polygon:
    """The silhouette as one polygon about (0, 0)."""
    return _outline(goal.name) if GOALS.get(goal.name) is goal else _closed(goal)


def _closed(goal: Goal) -> Polygon:
    from shapely import Polygon, unary_union

    # Mitred, so that swelling and shrinking give the sharp corners back.
    swollen = [Polygon(corners(p, placed)).buffer(HAIR, join_style="mitre") for p, placed in goal.placements.items()]
    figure = unary_union(swollen).buffer(-HAIR, join_style="mitre").simplify(2 * HAIR)
    # Placements are kept to hundredths, which may leave crumbs of no size.
    parts = [part for part in getattr(figure, "geoms", [figure]) if part.area > HAIR]
    if len(parts) != 1 or not isinstance(parts[0], Polygon):
        raise InputError(f"the goal {goal.name!r} falls apart", remedy="let all pieces touch along their sides")
    return parts[0]


def outline_path(goal: Goal) -> str:
    """The silhouette as the `d` of an SVG path about (0, 0); holes are left open by the even-odd rule."""
    figure = outline(goal)
    rings = [figure.exterior, *figure.interiors]
    return " ".join("M" + " L".join(f"{x:.2f},{y:.2f}" for x, y in ring.coords[:-1]) + " Z" for ring in rings)


def solution(goal: Goal, centre: tuple[float, float] = (WORK_AREA[0] / 2, WORK_AREA[1] / 2), step: int = 45) -> Board:
    """The goal laid out on a board about a point."""
    placed = {p: _shifted(place, *centre) for p, place in goal.placements.items()}
    return Board(MappingProxyType(placed), tuple(placed), step)


def hint(goal: Goal, number: int) -> tuple[str, Placement]:
    """The n-th hint: the right place of one piece in the figure (after 5 minutes the first, after 10 the second), large pieces first."""
    piece = list(goal.placements)[number % len(goal.placements)]
    return piece, goal.placements[piece]


def scatter(seed: int, step: int = 45) -> Board:
    """A random beginning: every piece on the work area, apart from the others, turned at random; the same seed gives the same board."""
    rng = Random(seed)
    # All are thrown anew where one of them finds no room.
    while len(placed := dict(_thrown(rng, step))) < len(PIECES):
        continue
    order = list(placed)
    rng.shuffle(order)
    return Board(MappingProxyType(placed), tuple(order), step)


def _thrown(rng: Random, step: int) -> Iterator[tuple[str, Placement]]:
    """Pieces thrown one after the other, up to fifty times each, until they keep clear of the edge and of those before."""
    from shapely import Polygon, box

    table = box(0, 0, *WORK_AREA)
    taken: list[Polygon] = []
    for piece in PIECES:
        for _ in range(50):
            x, y = (hundredths(rng.uniform(ROOM / 2, side - ROOM / 2)) for side in WORK_AREA)
            # Only the parallelogram looks different when it is turned over.
            place = Placement(x, y, rng.randrange(0, 360, step), piece == "7" and rng.random() < 0.5)
            shape = Polygon(corners(piece, place))
            if table.contains(shape) and all(other.distance(shape) > UNIT / 10 for other in taken):
                taken.append(shape)
                yield piece, place
                break


def _shifted(place: Placement, dx: float, dy: float) -> Placement:
    return place._replace(x=hundredths(place.x + dx), y=hundredths(place.y + dy))
