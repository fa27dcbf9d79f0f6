"""Compares answered places with gold regions: IoU, accuracy, points inside, identified entities, and absence.

Every measure is over all items: an answer without a box has not found the target. Outcomes without a place (unparsable,
refused, empty, none) are counted separately and never become a box of zeros; `value_answered` is over the items with a
place. A system that answers with points has no accuracy of boxes (not 0), and proportions of a picture of unknown size
are not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import hypot
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.geometry import Box, Place, Point, Region, Size
from referee.grounding.overlap import distance, inside, iou, region_area, region_distance, region_holds, region_iou
from referee.metrics.measure import Measure
from referee.metrics.place_arrays import PlaceArrays, convert_boxes, is_broken, is_readable, make_place_arrays
from referee.records import Entity, Outcome, Response, Trial

Truths = npt.NDArray[np.bool_]
UNKNOWN = Size(1, 1)


class _Grounding(Measure):
    """The base of grounding measures, with two statistics per item: its value, and whether it has a place."""

    needs = "place"
    width: ClassVar[int] = 2

    def statistics(self, batch: Batch) -> FloatArray:
        """Return value and presence of a place for every item; NaN for items that cannot be measured."""
        arrays = make_place_arrays(batch)
        places = self._find_usable(arrays)
        values = np.zeros(len(batch))
        measured = arrays.scorable & (arrays.readable | ~(arrays.has_box | arrays.has_point))
        # No answer can be related to its picture, or all are of another kind: the value is unknown, not 0.
        if (arrays.has_box | arrays.has_point).any() and not (places & measured).any():
            measured[:] = False
        answered = places & measured
        self._fill_values(values, answered, arrays, batch)
        absent = self._find_correct_rejections(arrays)
        values[absent] = 1.0
        rows = np.stack([values, (answered | absent).astype(float)], axis=1)
        rows[~measured] = np.nan
        return rows

    def answered(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the value over the items with a place, and their number."""
        totals = np.asarray(totals, dtype=float)
        counts = totals[..., 1]
        return np.divide(totals[..., 0], counts, out=np.full(counts.shape, np.nan), where=counts > 0), counts

    def _find_usable(self, arrays: PlaceArrays) -> Truths:
        """Return the items whose answer has coordinates of a kind that the measure can use."""
        return arrays.has_box

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in the values of answered items; subclasses define it."""
        raise NotImplementedError

    def _find_correct_rejections(self, arrays: PlaceArrays) -> Truths:
        """Return the items without a target whose answer is "none"."""
        absent: Truths = arrays.counts == 0
        for i in np.flatnonzero(absent).tolist():
            absent[i] = arrays.outcomes[i] is Outcome.NONE
        return absent


def _list_set_items(arrays: PlaceArrays, answered: Truths) -> list[int]:
    """List the answered items with several gold regions."""
    return np.flatnonzero(answered & (arrays.counts > 1)).tolist()


def _tabulate_ious(places: tuple[Place, ...], regions: tuple[Region, ...], size: Size | None) -> FloatArray:
    """Return the IoU of every place with every region."""
    ious = np.zeros((len(places), len(regions)))
    for i, place in enumerate(places):
        for j, region in enumerate(regions):
            ious[i, j] = 0.0 if isinstance(place, Point) else region_iou(place, region, size)
    return ious


def _pair_best(table: FloatArray) -> FloatArray:
    """Return the IoUs of the best one-to-one pairing of places and regions."""
    from scipy.optimize import linear_sum_assignment

    chosen: FloatArray = table[linear_sum_assignment(table, maximize=True)]
    return chosen


class Iou(_Grounding):
    """Intersection over union of the answer's box (outline, mask) and the target's; higher is better.

    Several gold regions: the best one-to-one pairing, summed and divided by the larger number. Several places for one
    region: 0, because no place is selected for the model.
    """

    name = "ground/iou"

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in the IoU of answered items."""
        shares = arrays.compute_overlaps()
        values[answered] = np.nan_to_num(shares[answered])
        for i in _list_set_items(arrays, answered):
            table = _tabulate_ious(arrays.answers[i], arrays.regions[i] or (), arrays.sizes[i])
            values[i] = _pair_best(table).sum() / max(table.shape)


class CumulativeIou(_Grounding):
    """The sum of intersections over the sum of unions (cIoU); large regions count more.

    The mean over items is `Iou` (gIoU).

    A missing answer has no intersection, and its union is the target. Areas are pixels, so that items whose picture has
    no size, and items with several regions, are not measured. Higher is better.
    """

    name = "ground/iou.cumulative"
    width: ClassVar[int] = 5

    def statistics(self, batch: Batch) -> FloatArray:
        """Return intersection, union, both again for items with a place, and whether there is one."""
        arrays = make_place_arrays(batch)
        rows = np.full((len(batch), self.width), np.nan)
        measured = ~np.isnan(super().statistics(batch)[:, 0])
        shares = np.nan_to_num(arrays.compute_overlaps())
        for i in np.flatnonzero(measured & (arrays.counts <= 1)).tolist():
            regions, size = arrays.regions[i] or (), arrays.sizes[i]
            if size == UNKNOWN:
                continue
            boxes = [place for place in arrays.answers[i] if not isinstance(place, Point)]
            ours, theirs = (sum(region_area(r, size) for r in part) for part in (boxes, regions))
            intersection = shares[i] * (ours + theirs) / (1 + shares[i])
            union = ours + theirs - intersection
            rows[i] = intersection, union, *((intersection, union, 1.0) if boxes else (0.0, 0.0, 0.0))
        return rows

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the summed intersections over the summed unions."""
        totals = np.asarray(totals, dtype=float)
        return _divide(totals[..., 0], totals[..., 1])

    def answered(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the value over the items with a place, and their number."""
        totals = np.asarray(totals, dtype=float)
        return _divide(totals[..., 2], totals[..., 3]), totals[..., 4]

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Leave the values at 0: only the mask of measured items is used."""


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return quotients; NaN where the denominator is 0."""
    quotient: FloatArray = np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)
    return quotient


@dataclass(eq=False, repr=False, kw_only=True)
class BoxAccuracy(_Grounding):
    """The proportion of items with IoU >= `iou` (RefCOCO's measure, .5 by default).

    Several gold regions: correct only if each has its own box and no box is left over (Pr@F1=1 of GREC, He et al.
    2023). No target: correct if the answer is "none".
    """

    name = "ground/accuracy"
    iou: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.iou <= 1:
            raise InputError(
                f"the option 'iou' of ground/accuracy is {self.iou:g}", remedy="use a threshold above 0 and at most 1"
            )

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in whether answered items reach the threshold."""
        shares = arrays.compute_overlaps()
        # A missing overlap compares as false.
        values[answered] = shares[answered] >= self.iou
        for i in _list_set_items(arrays, answered):
            values[i] = _has_all_regions(
                _tabulate_ious(arrays.answers[i], arrays.regions[i] or (), arrays.sizes[i]), self.iou
            )


def _has_all_regions(table: FloatArray, threshold: float) -> bool:
    """Return whether places and regions can be paired one to one, all above the threshold."""
    return table.shape[0] == table.shape[1] and bool(_pair_best((table >= threshold).astype(float)).all())


class MeanAccuracy(_Grounding):
    """The mean of ground/accuracy over the thresholds .50, .55 … .95, in [0, 1]; higher is better.

    They are the ten of COCO's average precision.
    """

    name = "ground/accuracy.mean"
    THRESHOLDS: ClassVar[tuple[float, ...]] = tuple(percent / 100 for percent in range(50, 100, 5))

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in the mean over thresholds."""
        shares = np.nan_to_num(arrays.compute_overlaps()[answered])
        values[answered] = (shares[:, None] >= np.array(self.THRESHOLDS)).mean(axis=1)
        for i in _list_set_items(arrays, answered):
            table = _tabulate_ious(arrays.answers[i], arrays.regions[i] or (), arrays.sizes[i])
            values[i] = float(np.mean([_has_all_regions(table, t) for t in self.THRESHOLDS]))


class _Pointing(_Grounding):
    """Measures of where an answer points: a box points to its middle."""

    def _find_usable(self, arrays: PlaceArrays) -> Truths:
        """Return the items whose answer has a box or a point."""
        return arrays.has_box | arrays.has_point


class PointInside(_Pointing):
    """The proportion of items whose point lies in the target region or on its border (ScreenSpot).

    The point of a box is its centre. Higher is better.

    Several gold regions: any of them. Several points: not found, because no point is selected for the model.
    """

    name = "ground/point"

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in whether points lie inside."""
        simple = ~np.isnan(arrays.gold[:, 0])
        held = inside(arrays.points, arrays.gold)
        values[answered & simple] = held[answered & simple]
        for i in np.flatnonzero(answered & ~simple & ~np.isnan(arrays.points[:, 0])):
            x, y = arrays.points[i]
            values[i] = any(region_holds(r, x, y, arrays.sizes[i]) for r in arrays.regions[i] or ())


@dataclass(eq=False, repr=False, kw_only=True)
class Distance(_Pointing):
    """The distance of the point from the target region, as a proportion of a diagonal; 0 inside.

    The diagonal is the picture's, or (``by:region``) that of the box around the region.

    Lower is better. Only items with a place have a distance, so here `value` and `value_answered` are the same.
    """

    name = "ground/distance"
    range = (0.0, None)
    direction = "lower"
    by: str = "picture"

    def __post_init__(self) -> None:
        if self.by not in ("picture", "region"):
            raise InputError(f"the option 'by' of ground/distance is {self.by!r}", remedy="use by:picture or by:region")

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one distance for each item, and whether the answer has a point."""
        rows = super().statistics(batch)
        rows[(rows[:, 1] == 0) | np.isnan(rows[:, 0])] = np.nan
        return rows

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in the distances of answered points."""
        values[answered] = np.nan
        pointed = answered & (arrays.counts == 1) & ~np.isnan(arrays.points[:, 0])
        boxes = pointed & ~np.isnan(arrays.gold[:, 0])
        values[boxes] = distance(arrays.points[boxes], arrays.gold[boxes]) / self._measure_diagonals(arrays, boxes)
        for i in np.flatnonzero(pointed & ~boxes).tolist():
            (region,) = arrays.regions[i] or ()
            size = arrays.sizes[i]
            if size != Size(1, 1):
                x, y = arrays.points[i].tolist()
                values[i] = region_distance(region, x, y, size) / _measure_diagonal(region, size, self.by)

    def _measure_diagonals(self, arrays: PlaceArrays, chosen: Truths) -> FloatArray:
        """Return the diagonals that distances are divided by; NaN for a picture of unknown shape."""
        sizes = [arrays.sizes[i] or UNKNOWN for i in np.flatnonzero(chosen).tolist()]
        sides = np.fromiter(chain.from_iterable((s.width, s.height) for s in sizes), dtype=float).reshape(-1, 2)
        unknown = (sides == 1).all(axis=1)
        if self.by == "region":
            # Pixels need no size of the picture.
            unknown &= np.array([size is not UNKNOWN for size in sizes], dtype=bool)
            sides = arrays.gold[chosen, 2:] - arrays.gold[chosen, :2]
        whole: FloatArray = np.where(unknown, np.nan, np.hypot(*sides.T))
        return whole

    def _find_correct_rejections(self, arrays: PlaceArrays) -> Truths:
        """Return no item: a distance needs a target."""
        return np.zeros(len(arrays.outcomes), dtype=bool)


def _measure_diagonal(region: Region, size: Size | None, by: str) -> float:
    """Return the diagonal of the picture or of the region's box; NaN if unknown."""
    if by == "picture":
        # Of a picture whose shape is unknown (shares of it, all of one by one) the diagonal is unknown, too.
        return hypot(size.width, size.height) if size is not None and size != Size(1, 1) else float("nan")
    left, top, right, bottom = region.on(size) if isinstance(region, Box) else region.bounds(size)
    return hypot(right - left, bottom - top)


class EntityFound(_Pointing):
    """The proportion of items whose answer hits the target entity; higher is better.

    Boxes hit by overlap, points by containment.

    Entities that are hit equally share the credit: 1 / k with k of them. Measured where a scene has at least two entities with regions.
    """

    name = "ground/found"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one value for each item, and whether the answer has coordinates."""
        rows = super().statistics(batch)
        rows[[sum(e.region is not None for e in t.scene.entities) < 2 for t in batch.trials]] = np.nan
        return rows

    def _fill_values(self, values: FloatArray, answered: Truths, arrays: PlaceArrays, batch: Batch) -> None:
        """Fill in whether answers identify the target."""
        rest = _share_hits(values, answered & ~np.isnan(arrays.points[:, 0]), arrays, batch.trials)
        for i in np.flatnonzero(answered & rest).tolist():
            if len(arrays.answers[i]) == 1:
                hit = _find_best_entities(batch.trials[i], arrays, i)
                meant = len(hit & set(batch.trials[i].targets))
                values[i] = meant / len(hit) if hit else 0.0


def _share_hits(values: FloatArray, asked: Truths, arrays: PlaceArrays, trials: Sequence[Trial]) -> Truths:
    """Fill in the credit of answers in scenes of boxes; return the items that need another method.

    Gives back which items are of another kind.
    """
    asked = asked & (arrays.has_point | ~np.isnan(arrays.boxes[:, 0]))
    items, meant, regions = _list_candidates(asked, trials)
    asked = np.isin(np.arange(len(trials)), items)
    ours, theirs = arrays.boxes[items], convert_boxes(regions, [arrays.sizes[i] for i in items.tolist()])
    whole = ~np.isnan(theirs[:, 0])
    share = np.where(arrays.has_point[items], inside(arrays.points[items], theirs), iou(ours, theirs))
    share = np.where(whole, share, 0.0)
    best = np.zeros(len(trials))
    np.maximum.at(best, items, share)
    hit = (share > 0) & (share == best[items])
    number = np.bincount(items[hit], minlength=len(trials))
    right = np.bincount(items[hit & meant], minlength=len(trials))
    values[asked] = np.divide(right, number, out=np.zeros(len(trials)), where=number > 0)[asked]
    return ~asked


def _list_candidates(asked: Truths, trials: Sequence[Trial]) -> tuple[npt.NDArray[np.int_], Truths, list[Region]]:
    """Return the entities of scenes whose regions are all boxes.

    Three columns: the index of the item, whether the entity is a target there, and its box.
    """
    items, meant, regions = [], [], []
    for i in np.flatnonzero(asked).tolist():
        named_regions = [(e.id, e.region) for e in trials[i].scene.entities if e.region is not None]
        if all(type(region) is Box for _, region in named_regions):
            targets = trials[i].targets
            for name, region in named_regions:
                items.append(i)
                meant.append(name in targets)
                regions.append(region)
    return np.array(items, dtype=int), np.array(meant, dtype=bool), regions


def _find_best_entities(trial: Trial, arrays: PlaceArrays, i: int) -> set[str]:
    """Return the entities that an answer hits best."""
    size = arrays.sizes[i]
    valid_regions = [(e, e.region) for e in trial.scene.entities if e.region is not None and not is_broken(e.region)]
    regions = [(e, region) for e, region in valid_regions if is_readable((region,), size)]
    if arrays.has_point[i]:
        x, y = arrays.points[i]
        return {e.id for e, region in regions if region_holds(region, x, y, size)}
    shares = _measure_overlaps(regions, arrays, i)
    best = max(shares.values(), default=0.0)
    return {e for e, share in shares.items() if best and share == best}


def _measure_overlaps(regions: list[tuple[Entity, Region]], arrays: PlaceArrays, i: int) -> dict[str, float]:
    """Return the IoU of a place with every entity's region."""
    place: Any = arrays.answers[i][0]
    size = arrays.sizes[i]
    if isinstance(place, Box) and all(isinstance(r, Box) for _, r in regions):
        theirs = np.array([r.on(size) for _, r in regions if isinstance(r, Box)]).reshape(-1, 4)
        ours = np.broadcast_to(arrays.boxes[i], theirs.shape)
        return {e.id: float(share) for (e, _), share in zip(regions, iou(ours, theirs), strict=True)}
    return {e.id: region_iou(place, r, size) for e, r in regions}


@dataclass(eq=False, repr=False, kw_only=True)
class NoTarget(_Grounding):
    """Whether the answer is right about there being a target (gRefCOCO's N-acc and T-acc).

        ``target:no`` is N-acc, over items without a target; ``target:yes`` is T-acc, over items with one. ``refused:yes`` counts a refusal as "none"
    (an agent that declines an impossible instruction). Higher is better.
    """

    name = "ground/none"
    target: bool = False
    refused: bool = False

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one value for each item of the chosen kind; NaN for the others."""
        arrays = make_place_arrays(batch)
        nothing = {Outcome.NONE, Outcome.REFUSED} if self.refused else {Outcome.NONE}
        says_nothing = np.array([outcome in nothing for outcome in arrays.outcomes], dtype=bool)
        asked = (arrays.counts > 0 if self.target else arrays.counts == 0) & arrays.answered
        rows = np.stack([says_nothing != self.target, says_nothing | arrays.has_box | arrays.has_point], axis=1).astype(
            float
        )
        # An unreadable answer does not claim that an object is present.
        rows[:, 0] *= rows[:, 1]
        rows[~asked] = np.nan
        return rows


def is_hit(response: Response, trial: Trial) -> bool:
    """Return whether an answer identifies the target: a point inside it, or a box with IoU >= .5.

    The rule is the same for people, simulated hearers and models.
    """
    return are_hits([(trial, response)])[0]


def are_hits(answers: Sequence[tuple[Trial, Response]]) -> list[bool]:
    """Return `is_hit` for many answers at once, which is much faster."""
    is_hit = np.zeros(len(answers), dtype=bool)
    pointing = np.array([any(isinstance(p, Point) for p in response.places) for _, response in answers], dtype=bool)
    for measure, chosen in ((PointInside(), np.flatnonzero(pointing)), (BoxAccuracy(), np.flatnonzero(~pointing))):
        part = [answers[i] for i in chosen.tolist()]
        batch = Batch([None] * len(part), [t for t, _ in part], [()] * len(part), answers=[r for _, r in part])
        is_hit[chosen] = measure.statistics(batch)[:, 0] == 1
    return is_hit.tolist()
