"""Custom goal figures: laid on a board, checked, and stored in a file (JSON or TOML) for the game.

A figure can be solved if its pieces do not overlap and are connected: then its layout is a solution. Its symmetry (left
to right) is computed. A Tangram uses all seven pieces; of other sets the connected ones count, and the rest is left
out. Custom pieces (`own_pieces`) are included in the file of the figures, which needs no other file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee_lab.tangram.game.board import WORK_AREA, Placement, compute_corners, round_to_hundredths
from referee_lab.tangram.game.goals import HAIR, Goal, get_outline, is_shipped
from referee_lab.tangram.game.own_pieces import load_data, register_from_data
from referee_lab.tangram.game.piece_sets import PIECES, find_set_of

if TYPE_CHECKING:
    from shapely import Polygon


EXAMPLE = 'give each figure a name and pieces: {"goals": [{"name": "kite", "pieces": {"1": [x, y, rotation, turned over], …}}]}'
# Shares of the figure's area: the maximal overlap, and the maximal difference from the mirror image of a symmetric
# figure.
DOUBLED, ALIKE = 0.01, 0.02
FEWEST = 2
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class CheckedGoal:
    """A figure with its problems; `goal` is set only if it has none."""

    name: str
    goal: Goal | None
    problems: tuple[str, ...] = ()


def check_figure(name: str, placements: Mapping[str, Placement]) -> CheckedGoal:
    """Return a figure with its problems in sentences; with the goal, centred, if it has none."""
    from shapely.affinity import scale

    problems = _check_pieces(placements)
    if not _NAME.fullmatch(name):
        problems.append(
            f"{name!r} is not a name for a figure: small letters, digits and hyphens, beginning with a letter"
        )
    if is_shipped(name):
        problems.append(f"{name} is a figure of this package: choose another name")
    if not problems:
        problems += _check_shape(placements)
    if problems:
        return CheckedGoal(name, None, tuple(problems))
    goal = Goal(name, False, MappingProxyType(_move_to_middle(placements)))
    figure = get_outline(goal)
    mirrored = scale(figure, -1, 1, origin=figure.centroid)
    is_symmetric = figure.symmetric_difference(mirrored).area <= ALIKE * figure.area
    return CheckedGoal(name, replace(goal, symmetric=bool(is_symmetric)))


def _check_pieces(placements: Mapping[str, Placement]) -> list[str]:
    """Return the problems of a figure's pieces: mixed sets, or missing pieces."""
    kind = find_set_of(placements)
    if kind is None:
        return [
            "the pieces are not of one set: 1 to 7 for a Tangram, 11 to 22 for pentominoes, own ones as in their file"
        ]
    if kind == "tangram" and len(placements) < len(PIECES):
        lacking = ", ".join(piece for piece in PIECES if piece not in placements)
        return [f"a figure of the Tangram has all seven pieces; {lacking} is missing"]
    return ["a figure has two pieces or more"] if len(placements) < FEWEST else []


def _check_shape(placements: Mapping[str, Placement]) -> list[str]:
    """Return the problems of a figure's shape: overlaps, or unconnected parts."""
    from shapely import unary_union

    problems = []
    shapes = _make_polygons(placements)
    whole = unary_union(list(shapes.values()))
    doubled = sum(shape.area for shape in shapes.values()) - whole.area
    if doubled > DOUBLED * whole.area:
        pairs = [
            f"{a} and {b}"
            for a in shapes
            for b in shapes
            if int(a) < int(b) and shapes[a].intersection(shapes[b]).area > DOUBLED * whole.area / 10
        ]
        problems.append(f"pieces lie over each other: {', '.join(pairs)}")
    groups = _group_connected(placements)
    if len(groups) > 1:
        apart = sorted((piece for group in sorted(groups, key=len)[:-1] for piece in group), key=int)
        problems.append(f"the figure falls apart: {', '.join(apart)} touches the rest at no side")
    left, top, right, bottom = whole.bounds
    if right - left > WORK_AREA[0] or bottom - top > WORK_AREA[1]:
        problems.append(f"the figure does not fit on a board of {WORK_AREA[0]:g} by {WORK_AREA[1]:g}")
    return problems


def _make_polygons(placements: Mapping[str, Placement]) -> dict[str, Polygon]:
    """Return the pieces as polygons."""
    from shapely import Polygon

    return {piece: Polygon(compute_corners(piece, place)) for piece, place in placements.items()}


def _group_connected(placements: Mapping[str, Placement]) -> list[set[str]]:
    """Return the groups of pieces that are connected by their sides."""
    shapes = {piece: shape.buffer(HAIR, join_style="mitre") for piece, shape in _make_polygons(placements).items()}
    groups: list[set[str]] = []
    for piece, shape in shapes.items():
        # A shared corner does not connect pieces: the overlap of expanded pieces there is negligible.
        touched = [g for g in groups if any(shapes[other].intersection(shape).area > HAIR for other in g)]
        groups = [g for g in groups if g not in touched]
        groups.append({piece}.union(*touched))
    return groups


def _move_to_middle(placements: Mapping[str, Placement]) -> dict[str, Placement]:
    """Return the placements relative to the middle of the figure."""
    from shapely import unary_union

    left, top, right, bottom = unary_union(list(_make_polygons(placements).values())).bounds
    x, y = (left + right) / 2, (top + bottom) / 2
    return {
        piece: p._replace(x=round_to_hundredths(p.x - x), y=round_to_hundredths(p.y - y))
        for piece, p in sorted(placements.items(), key=lambda row: int(row[0]))
    }


# -- files -----------------------------------------------------------------------------------------------------------------


def read_goals(path: Path) -> list[Goal]:
    """Return the figures of a file. Raises InputError, with the name, for an impossible figure."""
    goals = []
    for checked in check_goals(path):
        if checked.goal is None:
            raise InputError(
                f"the figure {checked.name!r} cannot be laid: {'; '.join(checked.problems)}",
                where=path,
                remedy=f"correct it, and run `referee tangram goals check {path}`",
            )
        goals.append(checked.goal)
    return goals


def check_goals(path: Path) -> list[CheckedGoal]:
    """Return every figure of a file with its problems."""
    rows = _read_rows(path)
    checked_goals, names = [], set[str]()
    for number, row in enumerate(rows, 1):
        checked = _check_row(row, path, number)
        if checked.name in names:
            checked = CheckedGoal(checked.name, None, ("another figure of the file has the same name",))
        names.add(checked.name)
        checked_goals.append(checked)
    return checked_goals


def _read_rows(path: Path) -> list[Any]:
    """Return the figures of a JSON or TOML file. Raises InputError for an unreadable one."""
    data = load_data(path, "a file of figures", "write JSON, or TOML with the ending .toml")
    rows = data.get("goals") if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(data.get("own"), dict):
        register_from_data(data["own"])
    if not isinstance(rows, list) or not rows:
        raise InputError("the file has no figures", where=path, remedy=EXAMPLE)
    return rows


def _check_row(row: Any, path: Path, number: int) -> CheckedGoal:
    """Return one figure of a file with its problems. Raises InputError for an invalid format."""
    try:
        name = str(row["name"])
        placed = {
            str(piece): Placement(float(x), float(y), int(rotation) % 360, bool(flipped))
            for piece, (x, y, rotation, flipped) in row["pieces"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"figure {number} does not have the form of a figure",
            where=path,
            remedy=EXAMPLE,
        ) from None
    return check_figure(name, placed)
