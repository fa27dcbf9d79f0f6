"""Convention detection.

Finds the convention under which a whole set of numbers fits the gold regions, with its certainty. Never chosen item
by item.

Every hypothesis (order and unit of the numbers, resizing of the picture, order and unit of the gold boxes) is compared
with all items by mean IoU. Hypotheses with equal places are one. The simplest of the best-fitting ones is reported,
unless a rival explains the numbers as well. Units in proportions of a picture, and pixels of a resized picture, need
its size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.geometry import Convention, Order, Resize, Size, Unit
from referee.grounding.overlap import centres, inside, iou, on_pixels, points_on_pixels

Truths = npt.NDArray[np.bool_]
BOX_ORDERS = (Order.XYXY, Order.XYWH, Order.CXCYWH, Order.YXYX)
POINT_ORDERS = (Order.XY, Order.YX)
GOLD_ORDERS = (Order.XYXY, Order.XYWH)
GOLD_UNITS = (Unit.PIXELS, Unit.SHARE, Unit.OF_1000)
# The second of the two is named only where the first does not fit: they differ by a thousandth.
SHARES = (Unit.OF_1000, Unit.SHARE, Unit.PERCENT, Unit.OF_1024, Unit.OF_999)
RIGHT = 0.5
"""The overlap at which a box counts as right."""
P_CERTAIN, P_LIKELY = 1e-6, 0.01
"""Below these p values of a paired test a conclusion is certain, or likely."""
SLIGHT_DIFFERENCE = 0.01
"""A difference in mean IoU, or in places as a proportion of the picture, below which two hypotheses are the same."""
LARGE_DIFFERENCE = 0.08
"""How far the mean IoU must lie above that of shuffled answers to fit, or above that of a hypothesis that fits worse."""
GOOD = 0.3
"""The mean IoU below which nothing is certain."""
DRIFT, FAR_DRIFT = 0.008, 0.03
"""Scale errors of placed answers: beyond the first nothing is certain, beyond the second nothing is likely. The rule may be one that was not tried."""
NEAR = 0.2
"""The overlap above which an answer is about the right object."""
FEWEST = 10
MOST = 3000
"""Hypotheses are compared on at most this many items, evenly spaced."""
STEP = 28
CREDIBLE, NEARLY_ALL = 0.9, 0.97
# Sides and areas that loaders of models use; an estimate near one of them is taken for it.
SIDES = (
    224, 256, 280, 320, 336, 364, 384, 400, 420, 448, 480, 490, 500, 504, 512, 518, 560, 576, 588, 600, 616, 640, 672, 700, 720, 728, 756, 768, 784, 800,
    840, 854, 896, 900, 952, 960, 980, 1000, 1008, 1024, 1036, 1064, 1080, 1092, 1120, 1152, 1176, 1200, 1280, 1333, 1344, 1366, 1400, 1440, 1500, 1512,
    1536, 1540, 1568, 1600, 1680, 1792, 1800, 1920, 2000, 2048, 2560, 3840,
)  # fmt: skip
AREAS = (
    200704, 262144, 313600, 401408, 501760, 589824, 602112, 786432, 802816, 1003520, 1048576, 1166400, 1310720, 1605632, 2007040, 2073600, 4194304,
    12845056,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The answers of one model as written, with the gold regions as written.

    Args:
        numbers: (n, 4) for boxes or (n, 2) for points; NaN without exactly one place.
        gold: (n, 4), NaN without a gold box.
        sizes: of the pictures; None if unknown.
        declared: the declared convention of the answers.
        gold_order: the declared order of the gold boxes; None if not declared.
        gold_unit: the declared unit of the gold boxes; None if not declared.
    """

    numbers: FloatArray
    gold: FloatArray
    sizes: Sequence[Size | None]
    declared: Convention | None = None
    gold_order: Order | None = None
    gold_unit: Unit | None = None

    @property
    def points(self) -> bool:
        return int(self.numbers.shape[1]) == 2

    @property
    def present(self) -> Truths:
        usable: Truths = ~np.isnan(self.numbers[:, 0]) & ~np.isnan(self.gold[:, 0])
        return usable

    @property
    def is_sized(self) -> bool:
        """Whether most pictures have a size."""
        return sum(size is not None for size in self.sizes) >= max(FEWEST, len(self.sizes) // 2)

    def sampled(self) -> Written:
        """Return at most `MOST` items, evenly spaced."""
        step = -(-len(self.numbers) // MOST)
        return replace(self, numbers=self.numbers[::step], gold=self.gold[::step], sizes=self.sizes[::step])


class NumberReading(NamedTuple):
    """One way of taking the numbers, and the proportion of items that come out right with it."""

    convention: Convention
    gold: Order
    right: int
    n: int
    gold_unit: Unit = Unit.PIXELS

    @property
    def fit(self) -> float:
        return self.right / self.n if self.n else float("nan")

    @property
    def gold_text(self) -> str:
        """How the boxes meant are written: their order, and their unit unless it is pixels."""
        return str(self.gold) if self.gold_unit is Unit.PIXELS else f"{self.gold_unit} {self.gold}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConventionFinding:
    """The result of convention detection for one model's answers.

    Args:
        best: the convention that fits; None if none does or there are too few answers.
        declared: the declared convention and its fit; None without one.
        fits: whether the declared convention is as good as the best.
        runner_up: the best convention that differs.
        p: of the test between the two.
        sure: certain, likely or open by the test against the runner-up alone; by range if only the numbers' range decides.
        confidence: certain, likely, open, nothing fits, or needs size; by all rivals, and by a common factor of the fitting answers.
        needs_size: whether pictures' sizes are needed to continue.
        inverted: number of gold boxes that are inverted as declared (or as inferred).
        n: items with one place and a usable gold box.
        remarks: further facts for the reader, in sentences.
    """

    best: NumberReading | None
    declared: NumberReading | None
    fits: bool
    runner_up: NumberReading | None = None
    p: float = float("nan")
    sure: str = "open"
    confidence: str = "open"
    needs_size: bool = False
    inverted: int = 0
    n: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Hypothesis:
    """A reading of the numbers, and where it puts every answer and every box meant."""

    convention: Convention
    gold_order: Order
    gold_unit: Unit
    evidence: Written
    plain: float
    """How plain it is, lower is plainer: pixels, x before y, the declared gold."""

    @property
    def is_estimated(self) -> bool:
        """Whether its rule has a side, area or factor that no loader is known to use."""
        sent = self.convention.sent
        numbers = [] if sent is None else [int(n) for n in re.findall(r"\d{2,}", sent.rule.removeprefix("qwen28"))]
        return sent is not None and (sent.rule[:3] == "by-" or not {*numbers} <= {*SIDES, *AREAS})

    @cached_property
    def meant(self) -> FloatArray:
        return _convert_gold_to_pixels(self.evidence, self.gold_order, self.gold_unit)

    @cached_property
    def places(self) -> FloatArray:
        bring = points_on_pixels if self.evidence.points else on_pixels
        return bring(self.evidence.numbers, self.convention, _make_frames(self.evidence, self.gold_unit))

    @cached_property
    def usable(self) -> Truths:
        """The items with an answer and a proper gold box."""
        wide, tall = (self.meant[:, 2:] - self.meant[:, :2]).T
        usable: Truths = self.evidence.present & (wide > 0) & (tall > 0)
        return usable

    @cached_property
    def right(self) -> Truths:
        """The items that the hypothesis makes correct."""
        with np.errstate(invalid="ignore"):
            hits = inside(self.places, self.meant) if self.evidence.points else self.overlap >= RIGHT
        return hits & self.usable

    @cached_property
    def overlap(self) -> FloatArray:
        """IoU of boxes; of points, how near the middle of the box they are. 0 where there is none."""
        return _overlap(self.places, self.meant, self.evidence.points) * self.usable

    @cached_property
    def error(self) -> FloatArray:
        """How far corners (or points from the middle) are off, in diagonals of the box meant, at most 1."""
        diagonal = np.maximum(np.hypot(*(self.meant[:, 2:] - self.meant[:, :2]).T), 1e-9)
        is_point, middle = self.evidence.points, centres(self.meant)
        off = np.hypot(*(self.places - middle).T) if is_point else np.abs(self.places - self.meant).mean(axis=1)
        error: FloatArray = np.nan_to_num(np.clip(off / diagonal, 0, 1), nan=1.0)
        return error

    @cached_property
    def mean(self) -> float:
        return float(self.overlap[self.usable].mean()) if self.usable.any() else 0.0

    def above_chance(self) -> bool:
        """Return whether the answers fit their own boxes better than those of other items."""
        chosen = np.flatnonzero(self.usable)
        places, meant = self.places[chosen], self.meant[chosen]
        turns = np.linspace(1, len(chosen) - 1, min(30, len(chosen) - 1), dtype=int)
        means = [_overlap(places, np.roll(meant, k, axis=0), self.evidence.points).mean() for k in turns]
        above = self.mean - float(np.mean(means))
        return above > LARGE_DIFFERENCE and above > 4 * float(np.std(means))

    def reading(self, usable: Truths) -> NumberReading:
        """Return a score over usable items: gold boxes that only this interpretation inverts count against it."""
        right, n = int((self.right & usable).sum()), int(usable.sum())
        return NumberReading(self.convention, self.gold_order, right, n, self.gold_unit)

    def on(self, evidence: Written) -> _Hypothesis:
        """Return the same hypothesis about all items."""
        return _Hypothesis(self.convention, self.gold_order, self.gold_unit, evidence, self.plain)


def _overlap(places: FloatArray, meant: FloatArray, points: bool) -> FloatArray:
    """Return the IoU of boxes, or the closeness of points, with the gold boxes."""
    with np.errstate(invalid="ignore"):
        if not points:
            return np.asarray(np.nan_to_num(iou(places, meant)))
        diagonal = np.maximum(np.hypot(*(meant[:, 2:] - meant[:, :2]).T), 1e-9)
        near = np.clip(1 - np.hypot(*(places - centres(meant)).T) / diagonal, 0, 1)
        return np.asarray(np.nan_to_num((inside(places, meant) + near) / 2))


def investigate(evidence: Written) -> ConventionFinding:
    """Return the interpretation of the numbers that fits, its certainty, and whether the declared one fits."""
    golds = _list_gold_candidates(evidence)
    declared_gold = (evidence.gold_order or golds[0][0], evidence.gold_unit or golds[0][1])
    meant = _convert_gold_to_pixels(evidence, *declared_gold)
    inverted = int((((meant[:, 2:] - meant[:, :2]) < 0).any(axis=1) & ~np.isnan(evidence.gold[:, 0])).sum())
    if evidence.present.sum() < FEWEST:
        n = int(evidence.present.sum())
        remark = f"{n} answers with one place are too few to tell"
        return ConventionFinding(best=None, declared=None, fits=True, inverted=inverted, n=n, remarks=(remark,))
    sample = evidence.sampled()
    tried = sorted(_iterate_hypotheses(sample, golds), key=lambda h: (-round(h.mean, 6), h.plain))
    declared = None
    if evidence.declared is not None:
        declared = _Hypothesis(evidence.declared, *declared_gold, sample, -1.0)
    return _judge(evidence, tried, declared, inverted)


# -- hypotheses ---------------------------------------------------------------------------------------------------------------


def _make_frames(evidence: Written, gold_unit: Unit) -> Sequence[Size | None]:
    """Return the sizes of the pictures; if they are unknown and gold boxes are proportions, one size for all."""
    return [s or UNIT_FRAME for s in evidence.sizes] if gold_unit is not Unit.PIXELS else evidence.sizes


UNIT_FRAME = Size(10_000, 10_000)


def _convert_gold_to_pixels(evidence: Written, order: Order, unit: Unit) -> FloatArray:
    """Return the gold boxes in pixels."""
    return on_pixels(evidence.gold, Convention(unit, order), _make_frames(evidence, unit))


def _list_gold_candidates(evidence: Written) -> list[tuple[Order, Unit]]:
    """Return the orders and units in which the gold boxes can be written, the declared ones first."""
    orders = [o for o in GOLD_ORDERS if o in _list_possible_orders(evidence.gold)] or [
        evidence.gold_order or Order.XYXY
    ]
    largest = float(np.nanquantile(evidence.gold, 0.99)) if not np.isnan(evidence.gold).all() else 2.0
    units = [Unit.SHARE] if largest <= 1.02 else [Unit.PIXELS]
    if evidence.gold_unit is not None:
        units = [evidence.gold_unit, *(u for u in units if u is not evidence.gold_unit and u is Unit.SHARE)]
    elif units == [Unit.PIXELS] and evidence.is_sized and largest <= 1020:
        # Boxes that fill a corner of every picture, or lie beyond it, are written in another unit.
        spans = [
            _measure_extent(_convert_gold_to_pixels(evidence, order, Unit.PIXELS), evidence.sizes) for order in orders
        ]
        units = [Unit.PIXELS] if any(s.is_inside and s.reach >= 0.8 for s in spans) else [Unit.PIXELS, Unit.OF_1000]
    pairs = [(order, unit) for unit in units for order in orders]
    held = (
        {pair: _measure_extent(_convert_gold_to_pixels(evidence, *pair), evidence.sizes) for pair in pairs}
        if evidence.is_sized
        else {}
    )
    fitting = [pair for pair in pairs if pair not in held or held[pair].is_inside]
    if any(held[pair].reach >= 0.9 for pair in fitting if pair in held):
        fitting = [pair for pair in fitting if held[pair].reach >= 0.75 or pair[1] is evidence.gold_unit]
    first = [pair for pair in fitting if pair[0] is evidence.gold_order]
    return [*first, *(pair for pair in fitting if pair not in first)] or pairs[:1]


class _Extent(NamedTuple):
    """Whether nearly all boxes are inside their pictures, and their largest extent as a proportion of the sides."""

    is_inside: bool
    reach: float


def _measure_extent(places: FloatArray, sizes: Sequence[Size | None], part: float = 0.97) -> _Extent:
    """Return whether boxes are inside their pictures, and their extent."""
    whole = np.array([(np.nan, np.nan) if s is None else (s.width, s.height) for s in sizes], dtype=float)
    relative = np.concatenate([places[:, i : i + 2] / whole for i in range(0, places.shape[1], 2)], axis=1)
    relative = relative[~np.isnan(relative).any(axis=1)]
    if not len(relative):
        return _Extent(False, 0.0)
    held = ((relative > -0.03) & (relative < 1.03)).all(axis=1)
    last = relative[:, -2:]
    return _Extent(float(held.mean()) >= part, float(min(np.quantile(last, 0.99, axis=0))))


def _list_possible_orders(numbers: FloatArray) -> set[Order]:
    """Return the orders in which boxes can be written, judged by the numbers alone.

    Two corners: nearly all have the second one below and right of the first. Corner and size: not nearly all do, for
    things are seldom wider than their distance from the left edge. Read as sizes, second corners make boxes so large
    that all of them overlap: without this, such a reading would fit best of all.
    """
    a, b, c, d = numbers[~np.isnan(numbers[:, 0])].T
    ordered = float(((c > a) & (d > b)).mean()) if len(a) else 1.0
    corners = {Order.XYXY, Order.YXYX} if ordered >= CREDIBLE else set()
    return corners | ({Order.XYWH, Order.CXCYWH} if ordered < NEARLY_ALL else set())


def _iterate_hypotheses(evidence: Written, golds: Sequence[tuple[Order, Unit]]) -> Iterator[_Hypothesis]:
    """Yield the hypotheses for orders, units and gold conventions."""
    credible = set(POINT_ORDERS) if evidence.points else _list_possible_orders(evidence.numbers)
    orders = [o for o in (POINT_ORDERS if evidence.points else BOX_ORDERS) if o in credible]
    for k, (gold_order, gold_unit) in enumerate(golds):
        meant = _convert_gold_to_pixels(evidence, gold_order, gold_unit)
        for i, order in enumerate(orders):
            for convention, plain in _iterate_conventions(evidence, order, gold_unit, meant):
                hypothesis = _Hypothesis(convention, gold_order, gold_unit, evidence, plain + 0.1 * i + 20 * k)
                if _is_possible(hypothesis):
                    yield hypothesis
        if evidence.declared is not None:
            yield _Hypothesis(evidence.declared, gold_order, gold_unit, evidence, 0.5 + 20 * k)


def _is_possible(hypothesis: _Hypothesis) -> bool:
    """Return whether most answers are inside their pictures."""
    evidence = hypothesis.evidence
    if hypothesis.gold_unit is Unit.PIXELS and not evidence.is_sized:
        return True
    return _measure_extent(hypothesis.places, _make_frames(evidence, hypothesis.gold_unit), 0.85).is_inside


def _iterate_conventions(
    evidence: Written, order: Order, gold_unit: Unit, meant: FloatArray
) -> Iterator[tuple[Convention, float]]:
    """Yield the possible conventions of an order, with their complexity."""
    is_placed = evidence.is_sized or gold_unit is not Unit.PIXELS
    if evidence.is_sized or gold_unit is Unit.PIXELS:
        yield Convention(Unit.PIXELS, order), 0.0
    if is_placed:
        yield from ((Convention(unit, order), 1.0 + k) for k, unit in enumerate(SHARES))
    if not evidence.is_sized:
        factor = _estimate_common_factor(evidence, order, meant) if gold_unit is Unit.PIXELS else None
        if factor is not None:
            yield Convention(Unit.PIXELS, order, factor), 9.0
        return
    for unit in (*SHARES[:2], Unit.PERCENT):
        yield Convention(unit, order, Resize("square")), 7.0
    for rule, plain in _resize_rules(evidence, order, meant):
        yield Convention(Unit.PIXELS, order, rule), plain


# -- how the picture was resized ----------------------------------------------------------------------------------------------


def _compute_raw_centres(evidence: Written, order: Order) -> FloatArray:
    """Return the centres of the answers, in their own numbers."""
    plain = Convention(Unit.PIXELS, order)
    blank = [None] * len(evidence.numbers)
    if evidence.points:
        return points_on_pixels(evidence.numbers, plain, blank)
    return centres(on_pixels(evidence.numbers, plain, blank))


def _resize_rules(evidence: Written, order: Order, meant: FloatArray) -> Iterator[tuple[Resize, float]]:
    """Yield resizing rules under which answers in resized pixels fit.

    Sizes are estimated from the ratio of answers to gold boxes.
    """
    answered, middle = _compute_raw_centres(evidence, order), centres(meant)
    whole = np.array([(np.nan, np.nan) if s is None else (s.width, s.height) for s in evidence.sizes], dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        usable = evidence.present & (middle > 0.03 * whole).all(axis=1) & (answered > 0).all(axis=1)
    if usable.sum() < FEWEST:
        return
    answered, middle, whole = answered[usable], middle[usable], whole[usable]
    factor, longest = answered / middle, whole.max(axis=1)
    area = whole.prod(axis=1)
    yield Resize("qwen28"), 3.0
    yield Resize("square"), 6.0
    for side, is_common in _list_near_sizes(_find_modes((factor * longest[:, None]).ravel()), SIDES):
        odd = 0.0 if is_common else 2.0
        yield Resize(f"longest-{side}"), 4.0 + odd
        yield Resize(f"longest-{side}-always"), 4.5 + odd
    padded = answered / (middle + (longest[:, None] - whole) / 2) * longest[:, None]
    for side, is_common in _list_near_sizes(_find_modes(padded.ravel()), SIDES):
        yield Resize(f"square-{side}"), 6.5 + (0.0 if is_common else 2.0)
    for width, height in _estimate_frame_sizes(factor * whole):
        is_common = width in SIDES and height in SIDES
        yield Resize(f"{width}x{height}"), 5.0 + (0.0 if is_common else 2.0)
    for pixels, is_common in _list_near_sizes(_find_modes(factor.prod(axis=1) * area), AREAS, 0.05):
        yield Resize(f"qwen28-{pixels}"), 5.5 + (0.0 if is_common else 2.0)
        yield Resize(f"area-{pixels}"), 5.7 + (0.0 if is_common else 2.0)
    for by in _find_modes(factor.ravel(), 1):
        if 0.02 < by < 50 and abs(by - 1) > 0.002:
            yield Resize(f"by-{by:.4f}"), 9.0


def _estimate_frame_sizes(sides: FloatArray) -> Iterator[tuple[int, int]]:
    """Return the widths and heights to which all pictures may have been resized; nearly square sizes count as square."""
    widths, heights = (
        [s for s in _find_modes(sides[:, axis], 2) if SIDES[0] / 10 < s < SIDES[-1] * 10] for axis in (0, 1)
    )
    for width in widths:
        for height in heights:
            if abs(width / height - 1) < 0.025:
                yield from ((side, side) for side, _ in _list_near_sizes([(width + height) / 2], SIDES))
            else:
                near = [next(_list_near_sizes([side], SIDES))[0] for side in (width, height)]
                yield near[0], near[1]
                yield round(width), round(height)


def _find_modes(values: FloatArray, most: int = 3, width: float = 0.012) -> list[float]:
    """Return values with many others close by, the most frequent first.

    Scattered wrong answers do not count.
    """
    logs = np.sort(np.log(values[np.isfinite(values) & (values > 0)]))
    modes: list[float] = []
    while len(logs) and len(modes) < most:
        low, high = np.searchsorted(logs, logs - width), np.searchsorted(logs, logs + width, side="right")
        best = int((high - low).argmax())
        if high[best] - low[best] < max(5, 0.04 * len(values)):
            break
        modes.append(float(np.exp(np.median(logs[low[best] : high[best]]))))
        logs = logs[np.abs(logs - np.log(modes[-1])) > 3 * width]
    return modes


def _list_near_sizes(
    estimates: Iterable[float], common: Sequence[int], within: float = 0.02
) -> Iterator[tuple[int, bool]]:
    """Return estimates as whole numbers and common sizes near them, each with whether it is common."""
    seen: set[int] = set()
    for estimate in estimates:
        near = sorted((abs(c / estimate - 1), c) for c in common if abs(c / estimate - 1) < within)[:3]
        for number in (*(c for _, c in near), round(estimate)):
            if common[0] / 20 <= number <= common[-1] * 20 and number not in seen:
                seen.add(number)
                yield number, number in common


def _estimate_common_factor(evidence: Written, order: Order, meant: FloatArray) -> Resize | None:
    """Return the common factor between sent and original pixels if all pictures were resized alike.

    None without a relevant one.
    """
    answered, middle = _compute_raw_centres(evidence, order), centres(meant)
    usable = evidence.present & (meant[:, 2:] > meant[:, :2]).all(axis=1) & (middle > 0).all(axis=1)
    if usable.sum() < FEWEST:
        return None
    factor = float(np.median(answered[usable] / middle[usable]))
    # Nearer to 1 than half a step in a large picture is no resizing; farther is no rounding to a grid.
    if not 0.002 < abs(factor - 1) < 0.1:
        return None
    return Resize(f"by-{_estimate_grid_factor(factor, evidence.numbers, meant[usable]):.8f}".rstrip("0"))


def _estimate_grid_factor(factor: float, numbers: FloatArray, boxes: FloatArray) -> float:
    """Return the factor of a picture whose side was rounded to a multiple of 28, if the largest number is such a side."""
    side, least = float(np.nanmax(numbers)), float(np.nanmax(boxes))
    if side % STEP or side <= least:
        return factor
    sizes = [
        s
        for s in range(int(least), int(side * 1.05))
        if round(s / STEP) * STEP == side and abs(side / s - factor) < 0.005
    ]
    return side / max(sizes, key=_measure_roundness) if sizes else factor


def _measure_roundness(size: int) -> int:
    """Return how round a number is: its largest factor that is a power of two or of ten."""
    return max(size & -size, max((ten for ten in (10, 100, 1000) if size % ten == 0), default=1))


# -- the verdict --------------------------------------------------------------------------------------------------------------


def _judge(
    evidence: Written, tried: list[_Hypothesis], declared: _Hypothesis | None, inverted: int
) -> ConventionFinding:
    """Return the result of comparing all hypotheses."""
    best = tried[0] if tried else None
    if best is None or not best.above_chance():
        return _conclude_without_fit(evidence, best, declared, inverted)
    as_good = min((h for h in tried if not _is_worse(h, best)), key=lambda h: h.plain)
    fits = declared is None or not _is_worse(declared, best)
    named = declared if declared is not None and fits else as_good
    # Rivals put the answers elsewhere; a hypothesis that differs by less than the precision of answers is the same.
    rivals = [h for h in tried if not _is_same(h, named, 0.03 if h.is_estimated else 0.004)]
    rival = max(rivals, key=lambda h: (round(h.mean, 6), -h.plain), default=None)
    p = 1e-300 if rival is None else _compute_paired_p(_compute_differences(named, rival))
    confidence = _compute_confidence(named, rivals, p)
    whole = best.on(evidence).usable
    return ConventionFinding(
        best=named.on(evidence).reading(whole),
        declared=None if declared is None else declared.on(evidence).reading(whole),
        fits=fits,
        runner_up=None if rival is None else rival.on(evidence).reading(whole),
        p=p,
        sure="certain" if p < P_CERTAIN else "likely" if p < P_LIKELY else "open",
        confidence=confidence,
        inverted=inverted,
        n=int(whole.sum()),
        remarks=tuple(_iterate_remarks(evidence, named)),
    )


def _compute_confidence(named: _Hypothesis, rivals: Sequence[_Hypothesis], p: float) -> str:
    """Return the certainty of a hypothesis, given its rivals."""
    close = [(h, _compute_paired_p(_compute_differences(named, h))) for h in rivals if named.mean - h.mean < 0.15]
    gap = min((named.mean - h.mean for h in rivals), default=1.0)
    is_odd = named.is_estimated if named.evidence.is_sized else named.mean < GOOD or _is_mixed(named)
    if (
        max([p, *(q for _, q in close)]) >= P_LIKELY
        or is_odd
        or _has_drift(named, FAR_DRIFT)
        or _is_gold_unit_ambiguous(named)
    ):
        return "open"
    # A rival that is far less plain needs more evidence for itself, and less against it.
    is_certain = p < P_CERTAIN and all(q < (1e-3 if h.plain > named.plain + 2.5 else P_CERTAIN) for h, q in close)
    # Without sizes, resizing to multiples of 28 explains pixels as well.
    is_certain = is_certain and (named.evidence.is_sized or named.gold_unit is not Unit.PIXELS)
    is_certain = is_certain and gap >= SLIGHT_DIFFERENCE / 2 and named.mean >= GOOD and not named.is_estimated
    return "certain" if is_certain and not _has_drift(named, DRIFT) else "likely"


def _compute_differences(better: _Hypothesis, other: _Hypothesis) -> FloatArray:
    """Return how much farther off the other hypothesis is for each answer, ignoring answers that are far off under
    both.
    """
    near = better.usable & ((better.overlap > NEAR) | (other.overlap > NEAR))
    difference: FloatArray = (other.error - better.error)[near]
    return difference


def _compute_paired_p(differences: FloatArray) -> float:
    """Return the larger of the two-sided p of a sign test and of a t test, so that small differences and single items
    do not decide.
    """
    from scipy.stats import binomtest, ttest_1samp

    moved = differences[np.abs(differences) > 1e-9]
    above = int((moved > 0).sum())
    if not len(moved) or above * 2 <= len(moved) or moved.mean() <= 0:
        return 1.0
    sign = float(binomtest(above, len(moved)).pvalue)
    spread = float(moved.std())
    return max(sign, float(ttest_1samp(moved, 0).pvalue) if spread > 1e-12 else 0.0)


def _is_worse(hypothesis: _Hypothesis, best: _Hypothesis) -> bool:
    """Return whether a hypothesis fits clearly worse than the best.

    Its mean is much lower, or a paired test is significant and either the difference more than slight or p tiny.
    """
    if _is_same(hypothesis, best):
        return False
    if best.mean - hypothesis.mean > LARGE_DIFFERENCE:
        return True
    p = _compute_paired_p(_compute_differences(best, hypothesis))
    return p < P_LIKELY and (best.mean - hypothesis.mean > SLIGHT_DIFFERENCE / 2 or p < P_CERTAIN)


def _is_same(hypothesis: _Hypothesis, other: _Hypothesis, within: float = 0.004) -> bool:
    """Return whether two hypotheses place the answers at the same coordinates, within the precision of models."""
    if (hypothesis.gold_order, hypothesis.gold_unit) != (other.gold_order, other.gold_unit):
        return False
    if {hypothesis.convention.unit, other.convention.unit} == {Unit.OF_999, Unit.OF_1000}:
        return (
            hypothesis.convention.order is other.convention.order
            and hypothesis.convention.sent == other.convention.sent
        )
    usable = hypothesis.usable & other.usable
    moved = np.abs(hypothesis.places - other.places)[usable].max(axis=1)
    reach = np.abs(hypothesis.meant[usable]).max(axis=1) + 1e-9
    moved = moved[np.isfinite(moved)] if len(moved) else moved
    if len(moved) < usable.sum() * 0.9:
        return False
    relative = moved / reach[: len(moved)] if len(moved) == len(reach) else moved / np.median(reach)
    return bool(np.quantile(relative, 0.95) < within) if len(relative) else True


def _is_gold_unit_ambiguous(named: _Hypothesis) -> bool:
    """Return whether gold boxes taken for pixels could as well be thousandths, because they end at 1000."""
    evidence = named.evidence
    if evidence.gold_unit is not None or named.gold_unit is not Unit.PIXELS:
        return False
    longest = max((max(s.width, s.height) for s in evidence.sizes if s is not None), default=1001)
    return longest > 1000 and float(np.nanquantile(named.meant, 0.995)) >= 930 and float(np.nanmax(named.meant)) <= 1001


def _is_mixed(named: _Hypothesis) -> bool:
    """Return whether wrong answers differ by a common factor because some pictures were resized to unknown sizes."""
    chosen = named.usable & ~named.right
    middle = centres(named.meant)[chosen]
    placed = named.places[chosen] if named.evidence.points else centres(named.places[chosen])
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = placed / middle
    factor = factor[np.isfinite(factor).all(axis=1) & (factor > 0).all(axis=1)]
    if len(factor) < FEWEST:
        return False
    across, down = np.log(factor).T
    is_alike = (np.abs(across - down) < 0.03) & (np.abs(across) > 0.05)
    modes = [mode for mode in _find_modes(factor.ravel(), 2) if abs(mode - 1) > 0.05]
    is_frequent = any((np.abs(factor / mode - 1) < 0.02).mean() > 0.15 for mode in modes)
    return float(is_alike.mean()) > 0.25 or is_frequent


def _has_drift(named: _Hypothesis, most: float) -> bool:
    """Return whether correct answers are off by more than a scale error or shift, on average."""
    chosen = named.usable & (named.overlap > GOOD)
    if chosen.sum() < FEWEST:
        return False
    middle = centres(named.meant)[chosen]
    placed = named.places[chosen] if named.evidence.points else centres(named.places[chosen])
    for axis in (0, 1):
        reach = float(np.quantile(middle[:, axis], 0.98)) or 1.0
        x = middle[:, axis] / reach
        y = np.clip((placed - middle)[:, axis] / reach, -0.06, 0.06)
        centred = x - x.mean()
        spread = float((centred**2).sum())
        if spread <= 0:
            continue
        slope = float((centred * (y - y.mean())).sum() / spread)
        rest = y - y.mean() - slope * centred
        error = max(float(np.sqrt((rest**2).sum() / max(1, len(x) - 2) / spread)), 1e-6)
        shift, shift_error = float(y.mean()), max(float(y.std()) / len(y) ** 0.5, 1e-6)
        if (abs(slope) > most and abs(slope) > 5 * error) or (abs(shift) > 1.5 * most and abs(shift) > 5 * shift_error):
            return True
    return False


def _conclude_without_fit(
    evidence: Written, best: _Hypothesis | None, declared: _Hypothesis | None, inverted: int
) -> ConventionFinding:
    """Return the result if no hypothesis fits better than chance: a unit by the range of the numbers if sizes are
    missing, or none.
    """
    n = int(evidence.present.sum())
    as_declared = None if declared is None else declared.on(evidence).reading(evidence.present)
    unit = None if evidence.is_sized else _infer_unit_by_range(evidence)
    if unit is None:
        is_related = not evidence.is_sized and _is_related(evidence)
        remark = "no convention fits the coordinates"
        if not evidence.is_sized:
            remark += "; without the pictures' sizes more cannot be tried"
        return ConventionFinding(
            best=None,
            declared=as_declared,
            fits=False,
            confidence="needs size" if is_related else "nothing fits",
            needs_size=is_related,
            inverted=inverted,
            n=n,
            remarks=(remark,),
        )
    gold_order, gold_unit = _list_gold_candidates(evidence)[0]
    order = _order_by_rank(evidence, gold_order, gold_unit)
    return ConventionFinding(
        best=NumberReading(Convention(unit, order), gold_order, 0, 0, gold_unit),
        declared=as_declared,
        fits=evidence.declared is not None and evidence.declared.unit is unit,
        sure="by range",
        confidence="needs size",
        needs_size=True,
        inverted=inverted,
        n=n,
        remarks=(f"{unit}: needs the picture's size, which is not known",),
    )


def _infer_unit_by_range(evidence: Written) -> Unit | None:
    """Return the unit for numbers that cannot be pixels: within 1 or 100 while gold goes far beyond, or up to 1000."""
    if evidence.declared is not None and evidence.declared.unit.steps is not None:
        return evidence.declared.unit
    # A stray number must not hide the range of all others.
    largest = float(np.nanquantile(evidence.numbers, 0.99))
    gold_order, gold_unit = _list_gold_candidates(evidence)[0]
    reach = float(np.nanquantile(_convert_gold_to_pixels(evidence, gold_order, gold_unit), 0.99))
    if largest <= 1.0 < reach:
        return Unit.SHARE
    if largest <= 100.0 and reach > 150:
        return Unit.PERCENT
    return Unit.OF_1000 if reach * 1.15 < largest and float(np.nanquantile(evidence.numbers, 0.999)) <= 1000 else None


def _rank_correlation(evidence: Written, order: Order, meant: FloatArray) -> float:
    """Return the mean rank correlation of answers and gold boxes, horizontally and vertically."""
    from scipy.stats import spearmanr

    answered, middle = _compute_raw_centres(evidence, order), centres(meant)
    pairs = [(answered[evidence.present, axis], middle[evidence.present, axis]) for axis in (0, 1)]
    # A column of equal numbers has no ranks.
    return float(np.mean([spearmanr(a, b)[0] if np.ptp(a) > 0 and np.ptp(b) > 0 else 0.0 for a, b in pairs]))


def _order_by_rank(evidence: Written, gold_order: Order, gold_unit: Unit) -> Order:
    """Return the order of coordinates (xyxy, xywh …) in which answers grow with the gold boxes; for units that differ."""
    credible = set(POINT_ORDERS) if evidence.points else _list_possible_orders(evidence.numbers)
    orders = [o for o in (POINT_ORDERS if evidence.points else BOX_ORDERS) if o in credible]
    meant = _convert_gold_to_pixels(evidence, gold_order, gold_unit)
    return max(orders, key=lambda order: (round(_rank_correlation(evidence, order, meant), 2), -orders.index(order)))


def _is_related(evidence: Written) -> bool:
    """Return whether answers correlate with gold boxes."""
    gold_order, gold_unit = _list_gold_candidates(evidence)[0]
    order = _order_by_rank(evidence, gold_order, gold_unit)
    correlation = _rank_correlation(evidence, order, _convert_gold_to_pixels(evidence, gold_order, gold_unit))
    return bool(correlation > max(0.15, 3 / float(evidence.present.sum()) ** 0.5))


def _iterate_remarks(evidence: Written, named: _Hypothesis) -> Iterator[str]:
    """Yield remarks on the reported convention."""
    sent = named.convention.sent
    if sent is not None and sent.rule.startswith("by-"):
        side = float(np.nanmax(evidence.numbers))
        factor = float(sent.rule[3:])
        size = floor(side / factor + 0.5)
        example = f": for example {size} x {size}, sent as {side:.0f} x {side:.0f}" if side % STEP == 0 else ""
        yield f"pixels of the picture as resized, by {factor:.4f}{example}"
    elif not evidence.is_sized and named.convention.unit is Unit.PIXELS and not evidence.points:
        side, reach = float(np.nanmax(evidence.numbers)), float(np.nanmax(named.meant))
        if side > reach and side % STEP == 0 and side < reach * 1.05:
            yield (
                f"coordinates go up to {side:.0f}, a multiple of 28 above {reach:.0f}: they may be pixels of the picture as resized for the "
                "model, or of the original; give the picture sizes to decide"
            )
