"""Answers and what was meant, as arrays of pixels: brought together once for a batch, so that all measures of grounding share them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch, FloatArray
from referee.places import Box, Convention, Mask, NeedsSize, Place, Point, Polygon, Region, Size
from referee.records import Outcome, Response, Trial
from referee.sight.overlap import centres, iou, on_pixels, points_on_pixels, region_iou

__all__ = ["Meant", "PlaceArrays", "arrange", "is_broken", "meant_by"]

Truths = npt.NDArray[np.bool_]
PLACED = frozenset({Outcome.BOX, Outcome.POINT, Outcome.SEVERAL, Outcome.ENTITY})
Meant = tuple[Region, ...]


@dataclass(slots=True)
class PlaceArrays:
    """One entry an item. `boxes`, `points` and `gold` are NaN where the answer has no such place, or the trial not one box; `regions` is None where the trial
    cannot be scored; `known` is whether there is an answer at all, `readable` whether its place can be put on the picture."""

    outcomes: list[Outcome | None]
    answers: list[tuple[Place, ...]]
    regions: list[Meant | None]
    sizes: list[Size | None]
    boxes: FloatArray
    points: FloatArray
    gold: FloatArray
    known: Truths
    readable: Truths
    has_box: Truths
    has_point: Truths

    @property
    def scorable(self) -> Truths:
        """Items with an answer and something to hold it against."""
        there: Truths = np.array([r is not None for r in self.regions], dtype=bool)
        there &= self.known
        return there

    def overlaps(self) -> FloatArray:
        """IoU of one answer with the one region meant; NaN where either is not one."""
        shares = iou(self.boxes, self.gold)
        for i in np.flatnonzero(self.has_box & self.readable & np.isnan(shares)):
            regions, places = self.regions[i], self.answers[i]
            if regions is not None and len(regions) == 1 and len(places) == 1 and not isinstance(places[0], Point):
                shares[i] = region_iou(places[0], regions[0], self.sizes[i])
        return shares


def arrange(batch: Batch) -> PlaceArrays:
    """The arrays of a batch, built once."""
    if "places" not in batch.cache:
        batch.cache["places"] = _arrange(batch)
    arrays: PlaceArrays = batch.cache["places"]
    return arrays


def is_broken(region: Region) -> bool:
    """Whether what was meant cannot be held against anything: an empty or inverted box, a mask of nothing."""
    return region.empty if isinstance(region, Box) else isinstance(region, Mask) and not region.area


def meant_by(trial: Trial) -> Meant | None:
    """The regions of the targets: none of them where nothing was meant; None where one is missing or broken."""
    found = [trial.scene.entity(target).region for target in trial.targets]
    if any(region is None or is_broken(region) for region in found):
        return None
    # Without a picture, a trial without targets is no question about places.
    return tuple(r for r in found if r is not None) if found or trial.scene.picture else None


def _size(trial: Trial) -> Size | None:
    return trial.scene.picture.size if trial.scene.picture else None


def _frame(trial: Trial, meant: Meant | None, places: tuple[Place, ...]) -> Size | None:
    """The picture's size; where it is unknown and all places are shares of it, any will do (overlaps do not depend on it)."""
    size = _size(trial)
    if size is None and meant and all(_is_share(place) for place in (*meant, *places)):
        return Size(1, 1)
    return size


def _is_share(place: Place) -> bool:
    return not isinstance(place, Mask) and place.convention.unit.steps is not None


def _arrange(batch: Batch) -> PlaceArrays:
    answers: Sequence[Response | None] = batch.answers or [None] * len(batch.trials)
    places = [_places(a, t) for a, t in zip(answers, batch.trials, strict=True)]
    meant = [meant_by(t) for t in batch.trials]
    sizes = [_frame(t, m, p) for t, m, p in zip(batch.trials, meant, places, strict=True)]
    regions = [m if m is None or _is_readable(m, s) else None for m, s in zip(meant, sizes, strict=True)]
    single = [p[0] if len(p) == 1 else None for p in places]
    boxes = _boxes(single, sizes)
    points = _points(single, sizes)
    middle = np.isnan(points[:, 0]) & ~np.isnan(boxes[:, 0])
    points[middle] = centres(boxes[middle])
    _add_middles(points, single, sizes)
    single_meant = [r[0] if r is not None and len(r) == 1 and isinstance(r[0], Box) else None for r in regions]
    has_box = np.array([any(not isinstance(p, Point) for p in ps) for ps in places], dtype=bool)
    has_point = np.array([any(isinstance(p, Point) for p in ps) for ps in places], dtype=bool)
    return PlaceArrays(
        outcomes=[None if a is None else a.outcome for a in answers],
        answers=places,
        regions=regions,
        sizes=sizes,
        boxes=boxes,
        points=points,
        gold=_boxes(single_meant, sizes),
        known=np.array([a is not None for a in answers], dtype=bool),
        readable=np.array([_is_readable(ps, s) for ps, s in zip(places, sizes, strict=True)], dtype=bool),
        has_box=has_box,
        has_point=has_point,
    )


def _places(answer: Response | None, trial: Trial) -> tuple[Place, ...]:
    """Where an answer points; whoever chose an entity chose its region."""
    if answer is None or answer.outcome not in PLACED:
        return ()
    if answer.outcome is Outcome.ENTITY and not answer.places and answer.entity is not None:
        region = trial.scene.entity(answer.entity).region
        return () if region is None else (region,)
    return answer.places


def _is_readable(places: Sequence[Place], size: Size | None) -> bool:
    try:
        for place in places:
            if not isinstance(place, Mask):
                place.convention.factors(size)
    except NeedsSize:
        return False
    return True


Bring = Callable[[Any, Convention, Sequence[Size | None]], FloatArray]


def _boxes(places: Sequence[Place | None], sizes: Sequence[Size | None]) -> FloatArray:
    return _brought(places, sizes, Box, 4, on_pixels)


def _points(places: Sequence[Place | None], sizes: Sequence[Size | None]) -> FloatArray:
    return _brought(places, sizes, Point, 2, points_on_pixels)


def _brought(
    places: Sequence[Any], sizes: Sequence[Size | None], kind: type[Any], width: int, bring: Bring
) -> FloatArray:
    """Places of one kind on their pictures, all of one convention at a time."""
    found = np.full((len(places), width), np.nan)
    groups: dict[Convention, list[int]] = defaultdict(list)
    for i, place in enumerate(places):
        if isinstance(place, kind):
            groups[place.convention].append(i)
    for convention, where in groups.items():
        found[where] = bring([places[i].numbers for i in where], convention, [sizes[i] for i in where])
    return found


def _add_middles(points: FloatArray, places: Sequence[Place | None], sizes: Sequence[Size | None]) -> None:
    """Outlines and masks point to the middle of the box around them."""
    for i, place in enumerate(places):
        if isinstance(place, Polygon | Mask) and _is_readable((place,), sizes[i]):
            left, top, right, bottom = place.bounds(sizes[i])
            points[i] = (left + right) / 2, (top + bottom) / 2
