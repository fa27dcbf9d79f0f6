"""Positions from regions and relations (GRE3D, Viethen & Dale 2008; Stars).

Within a region, an object on, above or in front of another one shares its column; columns follow the left-of relations,
with half a cell between objects that are not adjacent. Relations across regions are ignored, because the regions imply
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from math import floor

from referee.records import Entity, Property, Scene
from referee.show.drawing.drawn_sizes import height_of

__all__ = ["REGIONS", "relate"]

REGIONS = ("hpos", "vpos", "location")
ACROSS = {"left": 0, "left-hand": 0, "centre": 1, "center": 1, "right": 2, "right-hand": 2}
DOWN = {"top": 0, "centre": 1, "center": 1, "bottom": 2}
LEFT, RIGHT = {"left", "left-of"}, {"right", "right-of"}
ON, UNDER = {"on-top-of"}, {"under"}
ABOVE, BELOW = {"above"}, {"below"}
REAR, FRONT = {"behind"}, {"in-front-of"}
NEAR = {"next-to", "near", *LEFT, *RIGHT}
AIR = 0.5
OVER = (0.0, 1.0)
BEHIND = (0.2, 0.55)  # offset of a partly hidden object behind another one, to the side and upwards
NEARER = 0.3  # how much further down the page the foreground is

Pairs = list[tuple[str, str]]
Point = tuple[float, float]


def relate(scene: Scene) -> dict[str, Point] | None:
    """Return column and row of each entity, with fractions; None if the scene has no regions or relations."""
    if not any(e.value(name) for e in scene.entities for name in REGIONS):
        return None
    regions: dict[tuple[int, int], list[Entity]] = {}
    for entity in scene.entities:
        regions.setdefault(_region(entity), []).append(entity)
    joined = _join({where: _arrange(members) for where, members in regions.items()})
    nearer = {e.id for e in scene.entities if Property("location", "front") in e.attributes}
    return {i: (x, y + NEARER if i in nearer else y) for i, (x, y) in joined.items()}


def _region(entity: Entity) -> tuple[int, int]:
    """Return column and row of an entity's region."""
    locations = [p.value for p in entity.attributes if p.name == "location"]
    across = entity.value("hpos") or next((v for v in locations if v in ACROSS), "centre")
    return ACROSS.get(across, 1), DOWN.get(entity.value("vpos") or "centre", 1)


def _pairs(members: Iterable[Entity], names: set[str], inverse: set[str]) -> Pairs:
    """Return the pairs of a relation, named from either side."""
    ids = {e.id for e in members}
    pairs: Pairs = []
    for e in members:
        for r in e.relations:
            if r.entity in ids and r.entity != e.id:
                pairs += [(e.id, r.entity)] * (r.name in names) + [(r.entity, e.id)] * (r.name in inverse)
    return list(dict.fromkeys(pairs))


def _arrange(members: list[Entity]) -> dict[str, Point]:
    """Return positions within one region.

    Columns from 0, rows from 0 (the floor) upwards as negative numbers.
    """
    ids = [e.id for e in members]
    heights = {e.id: height_of(e) for e in members}
    steps = {pair: (0.0, heights[pair[1]]) for pair in _pairs(members, ON, UNDER)}
    steps |= dict.fromkeys(_pairs(members, ABOVE, BELOW), OVER) | dict.fromkeys(_pairs(members, REAR, FRONT), BEHIND)
    columns = _columns(ids, list(steps))
    near = {frozenset(pair) for pair in _pairs(members, NEAR, set())}
    ordered = _ordered(columns, _pairs(members, LEFT, RIGHT), near)
    places, x = {}, 0.0
    for column, following in pairwise([*ordered, ()]):
        stack = _stack(column, x, steps)
        places.update(stack)
        touching = any(frozenset((a, b)) in near for a in column for b in following)
        x += floor(max(at for at, _ in stack.values()) - x) + (1 if touching else 1 + AIR)
    return places


def _columns(ids: list[str], vertical: Pairs) -> list[tuple[str, ...]]:
    """Entities that share a column, the lowest first."""
    column: dict[str, tuple[str, ...]] = {i: (i,) for i in ids}
    for upper, lower in vertical:
        joined = (*column[lower], *(i for i in column[upper] if i not in column[lower]))
        for i in joined:
            column[i] = joined
    return [_sorted(c, [(lower, upper) for upper, lower in vertical]) for c in dict.fromkeys(column.values())]


def _sorted(ids: tuple[str, ...], pairs: Pairs) -> tuple[str, ...]:
    """Return the entities in order; contradictory relations are ignored."""
    sorter = TopologicalSorter({i: [a for a, b in pairs if b == i and a in ids] for i in ids})
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return ids


def _ordered(columns: list[tuple[str, ...]], left: Pairs, near: set[frozenset[str]]) -> list[tuple[str, ...]]:
    """Return columns from left to right, with adjacent ones together."""
    home = {i: column[0] for column in columns for i in column}
    pairs = [(home[a], home[b]) for a, b in left if home[a] != home[b]]
    clusters = {foot: frozenset({foot}) for foot in home.values()}
    for a, b in (sorted(pair) for pair in near if len(pair) == 2):
        joined = clusters[home[a]] | clusters[home[b]]
        clusters.update(dict.fromkeys(joined, joined))
    feet = _sorted(tuple(clusters), pairs)
    together = [foot for cluster in dict.fromkeys(clusters[f] for f in feet) for foot in feet if foot in cluster]
    return [next(c for c in columns if c[0] == foot) for foot in together]


def _stack(column: tuple[str, ...], x: float, steps: Mapping[tuple[str, str], Point]) -> dict[str, Point]:
    """Return positions in a column at the distance of each relation; several with the same relation are side by side."""
    places: dict[str, Point] = {}
    for entity in column:
        below = next((pair for pair in steps if pair[0] == entity and pair[1] in places), None)
        if below is None:
            places[entity] = (x, min((y for _, y in places.values()), default=1.0) - 1)
        else:
            (px, py), (right, up) = places[below[1]], steps[below]
            beside = sum(y == py - up for _, y in places.values())
            places[entity] = (px + right + beside, py - up)
    return places


def _join(parts: Mapping[tuple[int, int], dict[str, Point]]) -> dict[str, Point]:
    """Return the regions side by side and below each other, each centred in its part."""
    across = _starts({c: max(_width(p) for (k, _), p in parts.items() if k == c) for c, _ in parts})
    down = _starts({r: max(_depth(p) for (_, k), p in parts.items() if k == r) for _, r in parts})
    joined = {}
    for (c, r), part in parts.items():
        shift = (across[c][1] - _width(part)) / 2
        # Regions of one row share a floor.
        floor = down[r][0] + down[r][1] - 1
        joined.update({i: (across[c][0] + shift + x, floor + y) for i, (x, y) in part.items()})
    return joined


def _width(part: dict[str, Point]) -> float:
    return max(x for x, _ in part.values()) + 1


def _depth(part: dict[str, Point]) -> float:
    return 1 - min(y for _, y in part.values())


def _starts(sizes: Mapping[int, float]) -> dict[int, tuple[float, float]]:
    """Where each region begins, and its size."""
    starts, at = {}, 0.0
    for index in sorted(sizes):
        starts[index] = (at, sizes[index])
        at += sizes[index] + AIR
    return starts
