"""Goal outlines of this project's own design, four symmetric and four not, as in the trials of REX-J (Tokunaga et al.
2010), and random starting positions.

A goal is a placement of pieces about its own middle, so it can be solved by construction; players see only its outline.
There are some for pentominoes, too. As a line of text (`format_goal`) a goal is part of the settings of a study and of a
recording, so custom figures travel with them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING

from referee.errors import InputError, UnknownName
from referee_lab.tangram.game.board import WORK_AREA, Board, Placement, compute_corners, round_to_hundredths
from referee_lab.tangram.game.own_pieces import pieces_to_data, register_from_data
from referee_lab.tangram.game.piece_sets import PIECES, UNIT, find_set_of, get_rotation_step, has_two_sides

if TYPE_CHECKING:
    from shapely import Polygon


# Placements are kept to hundredths, which leaves hair-wide gaps between pieces that touch: the outline closes them.
HAIR = 0.05
ROOM = 1.15 * UNIT


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure: its name, whether it mirrors itself left to right, and one way to lay it about the point (0, 0)."""

    name: str
    symmetric: bool
    placements: Mapping[str, Placement]


def format_goal(goal: Goal) -> str:
    """Return a goal as one line: name, * if symmetric, placements, and the shapes of custom pieces."""
    rows = (f"{piece}:{p.x:g},{p.y:g},{p.rotation},{int(p.flipped)}" for piece, p in goal.placements.items())
    custom_pieces = pieces_to_data(goal.placements)
    looks = f"|{json.dumps(custom_pieces, ensure_ascii=False, separators=(',', ':'))}" if custom_pieces else ""
    return f"{goal.name}{'*' if goal.symmetric else ''}|{';'.join(rows)}{looks}"


def parse_goal(text: str) -> Goal:
    """Return a goal from its line."""
    name, _, rest = text.partition("|")
    rows, _, looks = rest.partition("|")
    try:
        placed = {}
        for row in rows.split(";"):
            piece, _, numbers = row.partition(":")
            x, y, rotation, flipped = numbers.split(",")
            placed[piece] = Placement(float(x), float(y), int(rotation), flipped == "1")
        custom_pieces = json.loads(looks or "{}")
    except ValueError:
        raise InputError(f"not a goal: {text:.60}", remedy="`referee tangram goals check FILE` writes them") from None
    register_from_data(custom_pieces)
    if find_set_of(placed) is None:
        raise InputError(f"the goal {name!r} has no pieces of one set", remedy="`referee tangram goals check FILE`")
    return Goal(name.removesuffix("*"), name.endswith("*"), MappingProxyType(placed))


def _parse_goals(*lines: str) -> Mapping[str, Goal]:
    """Return goals by their names."""
    return MappingProxyType({goal.name: goal for goal in map(parse_goal, lines)})


GOALS = _parse_goals(
    "house*|1:-66.67,-66.67,135,0;2:66.67,-66.67,225,0;3:0,166.67,0,0;4:-66.67,33.33,315,0;5:66.67,133.33,45,0;6:50,50,0,0;7:-50,100,90,0",
    "rocket*|1:-33.33,-83.33,315,0;2:33.33,-16.67,135,0;3:50,116.67,0,0;4:-33.33,-183.33,135,0;5:33.33,-183.33,225,0;6:0,200,0,0;7:-50,100,0,1",
    "pagoda*|1:-66.67,-66.67,135,0;2:66.67,-66.67,225,0;3:50,66.67,0,0;4:-83.33,166.67,135,0;5:83.33,166.67,225,0;6:0,150,0,0;7:-50,50,0,1",
    "eagle*|1:-116.67,-33.33,45,0;2:116.67,-33.33,315,0;3:0,133.33,180,0;4:16.67,-66.67,45,0;5:-16.67,66.67,225,0;6:0,-150,0,0;7:0,0,90,1",
    "swan|1:33.33,66.67,45,0;2:166.67,66.67,315,0;3:200,-33.33,0,0;4:-233.33,-166.67,45,0;5:266.67,-66.67,45,0;6:-150,-150,0,0;7:-100,-50,0,0",
    "cat|1:-62.62,87.38,315,0;2:4.04,154.04,135,0;3:-29.29,-12.62,0,0;4:-147.14,-150,90,0;5:-52.86,-150,270,0;6:-100,-79.29,45,0;7:120.71,120.71,90,0",
    "boat|1:66.67,33.33,225,0;2:-66.67,-66.67,135,0;3:50,133.33,180,0;4:-116.67,166.67,225,0;5:33.33,-133.33,225,0;6:-50,50,0,0;7:-50,150,0,0",
    "chapel|1:-16.67,16.67,45,0;2:-83.33,83.33,225,0;3:-50,-83.33,0,0;4:116.67,-16.67,45,0;5:83.33,116.67,225,0;6:100,-100,0,0;7:100,50,90,1",
)
# Six pentominoes each: all twelve would be hours of work for people.
PENTOMINO_GOALS = _parse_goals(
    "block*|12:-100,0,0,0;13:92,8,180,0;16:-36,40,270,0;18:36,56,270,0;19:-28,-32,0,0;21:36,-72,270,0",
    "dog|12:-160,20,0,0;13:-112,28,180,1;14:-24,-4,90,1;15:128,-84,90,0;21:88,-4,0,1;22:40,60,0,0",
    "castle*|12:-120,-20,0,0;13:-88,52,0,1;15:96,68,180,1;16:40,-44,180,0;20:-40,-60,0,0;21:112,-44,0,0",
    "ship|12:-40,-40,0,0;14:104,64,270,1;15:-112,56,90,0;16:24,40,270,0;19:32,-32,0,0;21:-24,112,270,1",
    "tower*|12:40,20,0,0;13:32,132,270,0;15:-24,12,0,0;17:40,-116,0,0;19:-48,-92,0,0;22:-40,100,90,0",
)
# For the training only: a person who has seen a goal must not be its operator later.
TRAINING = parse_goal(
    "training*|1:-33.33,-25,315,0;2:33.33,41.67,135,0;3:0,-125,0,0;4:133.33,-25,225,0;5:-133.33,75,135,0;6:150,58.33,0,0;7:-150,8.33,90,0"
)
PENTOMINO_TRAINING = parse_goal("training-pentomino*|13:32,32,270,0;16:-56,0,270,0;21:24,-32,90,1")
_KNOWN = {**GOALS, **PENTOMINO_GOALS, **{goal.name: goal for goal in (TRAINING, PENTOMINO_TRAINING)}}


def is_shipped(name: str) -> bool:
    """Return whether this package has a figure of this name."""
    return name in _KNOWN


def get_training_goal(goal: Goal) -> Goal:
    """Return the figure on which players practise with the pieces of a goal."""
    # Custom pieces have no training figure; the one shown only has to be possible with their rotation step.
    return TRAINING if 45 % get_rotation_step(goal.placements) == 0 else PENTOMINO_TRAINING


def compute_turn_step(goals: Iterable[Goal]) -> int:
    """Return the rotation step in degrees that suits all figures."""
    return min(get_rotation_step(goal.placements) for goal in goals)


def export_custom_goal(goal: Goal) -> dict[str, list[str]]:
    """Return the settings that store a goal in a recording: empty for shipped goals, else all of it."""
    return {} if _KNOWN.get(goal.name) is goal else {"goals": [format_goal(goal)]}


def find_goal(name: str, lines: Iterable[str] = ()) -> Goal:
    """Return a goal by its name, from `lines` (goals as text) or from the shipped goals."""
    goals = {goal.name: goal for goal in map(parse_goal, lines)}
    goals_by_name = {**_KNOWN, **goals}
    if name not in goals_by_name:
        offered = [*GOALS, *PENTOMINO_GOALS, *goals]
        raise UnknownName("goal", name, offered, hint=f"the goals are {', '.join(offered)}")
    return goals_by_name[name]


def get_outline(goal: Goal) -> Polygon:
    """Return the silhouette as one polygon around (0, 0)."""
    return _make_outline(format_goal(goal))


@cache
def _make_outline(text: str) -> Polygon:
    """Return a figure's outline without hairline gaps between pieces."""
    from shapely import Polygon, unary_union

    goal = parse_goal(text)
    # Mitred, so that expanding and shrinking restore sharp corners.
    swollen = [
        Polygon(compute_corners(p, placed)).buffer(HAIR, join_style="mitre") for p, placed in goal.placements.items()
    ]
    figure = unary_union(swollen).buffer(-HAIR, join_style="mitre").simplify(2 * HAIR)
    # Placements are kept to hundredths, which may leave crumbs of no size.
    parts = [part for part in getattr(figure, "geoms", [figure]) if part.area > HAIR]
    if len(parts) != 1 or not isinstance(parts[0], Polygon):
        raise InputError(f"the goal {goal.name!r} falls apart", remedy="let all pieces touch along their sides")
    return parts[0]


def format_outline(goal: Goal) -> str:
    """Return the silhouette as the `d` of an SVG path around (0, 0), with holes by the even-odd rule."""
    figure = get_outline(goal)
    rings = [figure.exterior, *figure.interiors]
    return " ".join("M" + " L".join(f"{x:.2f},{y:.2f}" for x, y in ring.coords[:-1]) + " Z" for ring in rings)


def lay_out_goal(goal: Goal, step: int = 45) -> Board:
    """Return a board on which the goal is laid out around the middle."""
    x, y = WORK_AREA[0] / 2, WORK_AREA[1] / 2
    placed = {
        piece: p._replace(x=round_to_hundredths(p.x + x), y=round_to_hundredths(p.y + y))
        for piece, p in goal.placements.items()
    }
    return Board(MappingProxyType(placed), tuple(placed), step)


def get_hint(goal: Goal, number: int) -> tuple[str, Placement]:
    """Return the n-th hint: the goal placement of one piece, large pieces first."""
    piece = list(goal.placements)[number % len(goal.placements)]
    return piece, goal.placements[piece]


def scatter_pieces(seed: int, step: int = 45, pieces: Collection[str] = PIECES) -> Board:
    """Return a random board: every piece on the work area, apart from the others, at a random angle.

    The same seed gives the same board.
    """
    rng = Random(seed)
    # All are thrown anew where one of them finds no room.
    while len(placed := dict(_draw_placements(rng, step, pieces))) < len(pieces):
        continue
    order = list(placed)
    rng.shuffle(order)
    return Board(MappingProxyType(placed), tuple(order), step)


def _draw_placements(rng: Random, step: int, pieces: Collection[str]) -> Iterator[tuple[str, Placement]]:
    """Yield random placements of pieces, apart from the edge and from each other if fifty tries suffice."""
    from shapely import Polygon, box

    table = box(0, 0, *WORK_AREA)
    taken: list[Polygon] = []
    for piece in pieces:
        for _ in range(50):
            x, y = (round_to_hundredths(rng.uniform(ROOM / 2, side - ROOM / 2)) for side in WORK_AREA)
            place = Placement(x, y, rng.randrange(0, 360, step), has_two_sides(piece) and rng.random() < 0.5)
            shape = Polygon(compute_corners(piece, place))
            if table.contains(shape) and all(other.distance(shape) > UNIT / 10 for other in taken):
                taken.append(shape)
                yield piece, place
                break
