"""Answers and gold regions as pixel arrays, converted once per batch and shared by all grounding measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.geometry import (
    Box,
    Convention,
    Mask,
    NeedsSize,
    Order,
    Place,
    Point,
    Polygon,
    Region,
    Size,
    WrongConvention,
)
from referee.grounding.overlap import centres, iou, on_pixels, points_on_pixels, region_iou
from referee.records import Outcome, Response, Trial

Truths = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int_]
PLACED = frozenset({Outcome.BOX, Outcome.POINT, Outcome.SEVERAL, Outcome.ENTITY})
Meant = tuple[Region, ...]


@dataclass(slots=True)
class PlaceArrays:
    """Coordinates of answers and targets as arrays, one entry an item.

        `boxes`, `points` and `gold` are NaN where the answer has none, or the trial has not one box. `regions` is None where the trial cannot be
    scored, and `counts` is their number (-1 for None). `answered` is whether there is an answer, `readable` whether its coordinates fit the picture.
    """

    outcomes: list[Outcome | None]
    answers: list[tuple[Place, ...]]
    regions: list[Meant | None]
    sizes: list[Size | None]
    boxes: FloatArray
    points: FloatArray
    gold: FloatArray
    answered: Truths
    readable: Truths
    has_box: Truths
    has_point: Truths
    counts: Indices

    @property
    def scorable(self) -> Truths:
        """The items with an answer and a gold region to compare it with."""
        is_scorable: Truths = (self.counts >= 0) & self.answered
        return is_scorable

    def compute_overlaps(self) -> FloatArray:
        """Return the IoU of each answer with its gold region; NaN unless both are single regions."""
        shares = iou(self.boxes, self.gold)
        for i in np.flatnonzero(self.has_box & self.readable & np.isnan(shares)):
            regions, places = self.regions[i], self.answers[i]
            if regions is not None and len(regions) == 1 and len(places) == 1 and not isinstance(places[0], Point):
                shares[i] = region_iou(places[0], regions[0], self.sizes[i])
        return shares


def make_place_arrays(batch: Batch) -> PlaceArrays:
    """Return the coordinate arrays of a batch, built once."""
    if "places" not in batch.cache:
        batch.cache["places"] = _build_arrays(batch)
    arrays: PlaceArrays = batch.cache["places"]
    return arrays


def is_broken(region: Region) -> bool:
    """Return whether a gold region is unusable: an empty or inverted box, or an empty mask."""
    return region.empty if isinstance(region, Box) else isinstance(region, Mask) and not region.area


def list_target_regions(trial: Trial) -> Meant | None:
    """Return the regions of the targets, empty for no target; None if a region is missing or broken."""
    regions = [trial.scene.entity(target).region for target in trial.targets]
    if any(region is None or is_broken(region) for region in regions):
        return None
    # Without a picture, a trial without targets is no question about places.
    return tuple(r for r in regions if r is not None) if regions or trial.scene.picture else None


def _find_size(trial: Trial) -> Size | None:
    """Return the size of a trial's picture; None if it is unknown."""
    return trial.scene.picture.size if trial.scene.picture else None


def _choose_frame(trial: Trial, meant: Meant | None, places: tuple[Place, ...]) -> Size | None:
    """Return the picture's size, or 1 x 1 where it is unknown and all coordinates are proportions."""
    size = _find_size(trial)
    if size is None and meant and all(_is_proportional(place) for place in (*meant, *places)):
        return Size(1, 1)
    return size


def _is_proportional(place: Place) -> bool:
    """Return whether coordinates are proportions of the picture, whatever its shape."""
    if isinstance(place, Mask) or place.convention.unit.steps is None:
        return False
    return place.convention.sent is None or not place.convention.sent.pads


def _build_arrays(batch: Batch) -> PlaceArrays:
    """Return the coordinate arrays of a batch; single boxes and points by columns, others one by one.

    Others one by one.
    """
    answers: Sequence[Response | None] = batch.answers or [None] * len(batch.trials)
    meant, sizes = _list_regions(batch.trials)
    places = _list_all_places(answers, batch.trials)
    single = [p[0] if len(p) == 1 else None for p in places]
    golds = list(_group_by_convention([r[0] if r is not None and len(r) == 1 else None for r in meant], Box, 4))
    _add_sizes(sizes, batch.trials, meant, places, golds)
    gold = _convert_gold(meant, golds, sizes)
    boxes = _convert_to_pixels(_group_by_convention(single, Box, 4), sizes, 4, on_pixels)
    points = _convert_to_pixels(_group_by_convention(single, Point, 2), sizes, 2, points_on_pixels)
    is_box, is_point = ~np.isnan(boxes[:, 0]), ~np.isnan(points[:, 0])
    has_box, has_point, readable = is_box.copy(), is_point.copy(), np.ones(len(places), dtype=bool)
    for i in np.flatnonzero(~(is_box | is_point)).tolist():
        has_box[i] = any(not isinstance(p, Point) for p in places[i])
        has_point[i] = any(isinstance(p, Point) for p in places[i])
        readable[i] = is_readable(places[i], sizes[i])
    points[is_box] = centres(boxes[is_box])
    _add_middles(points, single, sizes, np.flatnonzero(readable & has_box & ~is_box))
    answered = np.fromiter((a is not None for a in answers), dtype=bool, count=len(answers))
    return PlaceArrays(
        outcomes=[None if a is None else a.outcome for a in answers],
        answers=places,
        regions=meant,
        sizes=sizes,
        boxes=boxes,
        points=points,
        gold=gold,
        answered=answered,
        readable=readable,
        has_box=has_box,
        has_point=has_point,
        counts=np.fromiter((-1 if m is None else len(m) for m in meant), dtype=int, count=len(meant)),
    )


def _list_regions(trials: Sequence[Trial]) -> tuple[list[Meant | None], list[Size | None]]:
    """Return the gold regions by `list_target_regions`, and the pictures' sizes.

    Broken single boxes are detected later by `_convert_gold`, for all at once.
    """
    meant: list[Meant | None] = []
    sizes: list[Size | None] = []
    for trial in trials:
        scene = trial.scene
        picture = scene.picture
        sizes.append(None if picture is None else picture.size)
        targets = trial.targets
        if len(targets) == 1:
            # Mostly the first, or even the only one: then the scene needs no index.
            entity = scene.entities[0]
            region = (entity if entity.id == targets[0] else scene.entity(targets[0])).region
            if type(region) is Box:
                meant.append((region,))
                continue
        meant.append(list_target_regions(trial))
    return meant, sizes


def _list_all_places(answers: Sequence[Response | None], trials: Sequence[Trial]) -> list[tuple[Place, ...]]:
    """Return the places of all answers, as `_list_places` does; simple cases without a call."""
    box, point = Outcome.BOX, Outcome.POINT
    places = [
        a.places if a is not None and ((outcome := a.outcome) is box or outcome is point) else _list_places(a, t)
        for a, t in zip(answers, trials, strict=True)
    ]
    return [_orient_masks(p, t) if p and type(p[0]) is Mask else p for p, t in zip(places, trials, strict=True)]


def _orient_masks(places: tuple[Place, ...], trial: Trial) -> tuple[Place, ...]:
    """Return the masks of an answer in the orientation of the picture, or of the gold mask."""
    regions = [trial.scene.entity(target).region for target in trial.targets]
    sizes = [
        trial.scene.picture.size if trial.scene.picture else None,
        *(r.size for r in regions if isinstance(r, Mask)),
    ]
    size = next((s for s in sizes if s is not None), None)
    masks = [place for place in places if isinstance(place, Mask)]
    try:
        if size is not None:
            return tuple(p.oriented(size) if isinstance(p, Mask) else p for p in places)
    except WrongConvention as wrong:
        raise InputError(
            f"trial {trial.id!r}: {wrong}", remedy="write the picture's width and height as the size of the mask"
        ) from None
    if any(mask.size.width != mask.size.height for mask in masks):
        raise InputError(
            f"trial {trial.id!r}: the picture's size is unknown, so width and height of a mask cannot be distinguished",
            remedy='give the trial its picture with its size: "picture": {"path": "1.png", "size": [640, 480]}',
        )
    return places


def _add_sizes(
    sizes: list[Size | None],
    trials: Sequence[Trial],
    meant: Sequence[Meant | None],
    places: Sequence[tuple[Place, ...]],
    golds: Sequence[Alike],
) -> None:
    """Add sizes to pictures of unknown size whose places are all in proportions."""
    in_pixels = sum(len(alike.where) for alike in golds if alike.convention.unit.steps is None)
    # Single boxes in pixels, as most are, need no frame.
    if in_pixels == len(meant) or None not in sizes:
        return
    for i, (size, regions) in enumerate(zip(sizes, meant, strict=True)):
        if size is None and regions:
            sizes[i] = _choose_frame(trials[i], regions, places[i])


def convert_boxes(places: Sequence[Place | None], sizes: Sequence[Size | None]) -> FloatArray:
    """Return boxes as pixels; NaN where an answer has no valid box, or no picture size is known."""
    groups = list(_group_by_convention(places, Box, 4))
    boxes = _convert_to_pixels(groups, sizes, 4, on_pixels)
    for alike in groups:
        boxes[alike.where[_find_empty_boxes(alike)]] = np.nan
    return boxes


def _find_empty_boxes(boxes: Alike) -> Truths:
    """Return the boxes that are empty by `Box.empty`, from the original numbers, because conversions round."""
    a, b, c, d = boxes.columns
    sides = boxes.convention.order in (Order.XYWH, Order.CXCYWH)
    empty: Truths = (c <= 0) | (d <= 0) if sides else (c <= a) | (d <= b)
    return empty


def _convert_gold(meant: list[Meant | None], golds: Sequence[Alike], sizes: Sequence[Size | None]) -> FloatArray:
    """Return the single gold boxes; broken and unreadable ones become None in `meant`.

    Broken ones, and those that cannot be related to their picture, become None.
    """
    gold = _convert_to_pixels(golds, sizes, 4, on_pixels)
    for alike in golds:
        broken = alike.where[_find_empty_boxes(alike)]
        gold[broken] = np.nan
        for i in broken.tolist():
            meant[i] = None
    for i in np.flatnonzero(np.isnan(gold[:, 0])).tolist():
        regions = meant[i]
        if regions and not is_readable(regions, sizes[i]):
            meant[i] = None
    return gold


def _list_places(answer: Response | None, trial: Trial) -> tuple[Place, ...]:
    """Return the places of an answer; a chosen entity gives its region."""
    if answer is None or answer.outcome not in PLACED:
        return ()
    if answer.outcome is Outcome.ENTITY and not answer.places and answer.entity is not None:
        region = trial.scene.entity(answer.entity).region
        return () if region is None else (region,)
    return answer.places


def is_readable(places: Sequence[Place], size: Size | None) -> bool:
    """Return whether coordinates can be converted to pixels of a picture, whose size may be unknown."""
    try:
        for place in places:
            if not isinstance(place, Mask):
                place.convention.factors(size)
    except NeedsSize:
        return False
    return True


class Alike(NamedTuple):
    """Places of one convention: which they are, and a column for each of their numbers."""

    convention: Convention
    where: Indices
    columns: FloatArray


def _group_by_convention(places: Sequence[Any], kind: type[Any], width: int) -> Iterator[Alike]:
    """Yield the places of one class, grouped by their convention of coordinates."""
    kinds = list(map(type, places))
    number = kinds.count(kind)
    if not number:
        return
    where = np.arange(len(places)) if number == len(places) else np.flatnonzero([k is kind for k in kinds])
    chosen = places if number == len(places) else [places[i] for i in where.tolist()]
    columns = np.fromiter(chain.from_iterable(map(NUMBERS, chosen)), dtype=float, count=width * number)
    columns = columns.reshape(-1, width).T
    conventions = list(map(CONVENTION, chosen))
    # Compared by identity first: there are few conventions, and a million comparisons would take longer than measuring.
    marks = np.fromiter(map(id, conventions), dtype=np.int64, count=number)
    equal: dict[Convention, list[int]] = defaultdict(list)
    for mark, first in zip(*np.unique(marks, return_index=True), strict=True):
        equal[conventions[first]].append(int(mark))
    for convention, theirs in equal.items():
        members = slice(None) if len(equal) == 1 else np.isin(marks, theirs)
        yield Alike(convention, where[members], columns[:, members])


NUMBERS, CONVENTION = attrgetter("numbers"), attrgetter("convention")
Bring = Callable[[FloatArray, Convention, Sequence[Size | None]], FloatArray]


def _convert_to_pixels(groups: Iterable[Alike], sizes: Sequence[Size | None], width: int, bring: Bring) -> FloatArray:
    """Return pixels of the original pictures; NaN without a place, or if a needed size is unknown."""
    pixels = np.full((len(sizes), width), np.nan)
    for convention, where, columns in groups:
        theirs = sizes if len(where) == len(sizes) else [sizes[i] for i in where.tolist()]
        pixels[where] = bring(columns.T, convention, theirs)
    return pixels


def _add_middles(
    points: FloatArray, places: Sequence[Place | None], sizes: Sequence[Size | None], where: Indices
) -> None:
    """Fill in the centres of the boxes around outlines and masks."""
    for i in where.tolist():
        place = places[i]
        if isinstance(place, Polygon | Mask):
            left, top, right, bottom = place.bounds(sizes[i])
            points[i] = (left + right) / 2, (top + bottom) / 2
