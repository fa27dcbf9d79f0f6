"""The convention detective: which reading of the numbers fits what was meant, over a whole set, and how sure that is. Never chosen item by item.

Every reading (order of the numbers, unit, picture as sent or original, and the order in which the boxes meant are written) is held against all items. The
best is named with the share of items it puts right, the runner-up that differs, and the exact sign test between the two. Units that are shares of a
picture need its size; without sizes the range of the numbers tells them, and what is said then is that the size is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.geometry import Convention, Order, Resize, Size, Unit
from referee.grounding.overlap import inside, iou, on_pixels, points_on_pixels

__all__ = ["ConventionFinding", "NumberReading", "Written", "investigate"]

Truths = npt.NDArray[np.bool_]
BOX_ORDERS = (Order.XYXY, Order.XYWH, Order.CXCYWH, Order.YXYX)
POINT_ORDERS = (Order.XY, Order.YX)
GOLD_ORDERS = (Order.XYXY, Order.XYWH)
SHARES = (Unit.SHARE, Unit.PERCENT, Unit.OF_999, Unit.OF_1000, Unit.OF_1024)
RIGHT = 0.5
"""The overlap at which a box counts as right."""
SURE, LIKELY = 1e-6, 0.01
SLIGHT = 0.01
"""A reading that puts fewer items than this right above another one is not better in any way that matters."""
POOR = 0.25
"""Below this share of right items, what the range of the numbers says counts for more than what fits best."""
FEWEST = 10
STEP = 28
CREDIBLE, NEARLY_ALL = 0.9, 0.97


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Answers of one model as they were written, beside what was meant as it was written.

    Args:
        numbers: (n, 4) for boxes or (n, 2) for points; NaN where there is no one place.
        gold: (n, 4), NaN where there is none.
        sizes: of the pictures; None where unknown.
        declared: how the answers are said to be meant.
        gold_order: how the boxes meant are said to be written; None where nobody says.
    """

    numbers: FloatArray
    gold: FloatArray
    sizes: Sequence[Size | None]
    declared: Convention | None = None
    gold_order: Order | None = None

    @property
    def points(self) -> bool:
        return int(self.numbers.shape[1]) == 2


class NumberReading(NamedTuple):
    """One way of taking the numbers, and the share of items that come out right with it."""

    convention: Convention
    gold: Order
    right: int
    n: int

    @property
    def fit(self) -> float:
        return self.right / self.n if self.n else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConventionFinding:
    """What the detective says about one model's answers.

    Args:
        best: the reading that fits; None where nothing does or too little is there.
        declared: the declared reading and how well it fits; None where nobody declared one.
        fits: whether the declared reading is as good as the best.
        runner_up: the best reading that differs.
        p: of the exact sign test between the two.
        sure: certain, likely, open, or by range (told by the numbers' range alone).
        needs_size: whether pictures' sizes are needed to go on.
        inverted: how many boxes meant are inverted as declared (or as found).
        n: items with one place and a usable box meant.
        remarks: what else a reader should know, in sentences.
    """

    best: NumberReading | None
    declared: NumberReading | None
    fits: bool
    runner_up: NumberReading | None = None
    p: float = float("nan")
    sure: str = "open"
    needs_size: bool = False
    inverted: int = 0
    n: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class _Trial:
    """A reading with what it makes of every item."""

    convention: Convention
    gold: Order
    right: Truths
    usable: Truths
    plain: int = field(default=0)

    def reading(self, usable: Truths) -> NumberReading:
        """Over the items that the best reading can use: boxes meant that only this one takes for inverted count against it."""
        return NumberReading(self.convention, self.gold, int((self.right & usable).sum()), int(usable.sum()))


def investigate(evidence: Written) -> ConventionFinding:
    """The reading of the numbers that fits, how sure that is, and whether the declared one does."""
    orders = _gold_orders(evidence)
    declared_gold = evidence.gold_order or orders[0]
    inverted = int((_corners(evidence.gold, declared_gold)[2] & ~np.isnan(evidence.gold[:, 0])).sum())
    present = ~np.isnan(evidence.numbers[:, 0]) & ~np.isnan(evidence.gold[:, 0])
    if present.sum() < FEWEST:
        remark = f"{int(present.sum())} answers with one place are too few to tell"
        return ConventionFinding(
            best=None, declared=None, fits=True, inverted=inverted, n=int(present.sum()), remarks=(remark,)
        )
    tried = sorted(_tried(evidence, orders), key=lambda t: (-int(t.right.sum()), t.plain))
    declared = _declared(evidence, declared_gold)
    return _judge(evidence, tried, declared, inverted)


def _gold_orders(evidence: Written) -> list[Order]:
    """Orders that the boxes meant can be written in; the declared one first."""
    good = [o for o in GOLD_ORDERS if o in _credible(evidence.gold)]
    declared = [evidence.gold_order] if evidence.gold_order in good else []
    return [*declared, *(o for o in good if o not in declared)] or [evidence.gold_order or Order.XYXY]


def _credible(numbers: FloatArray) -> set[Order]:
    """Orders that boxes can be written in, by the numbers alone. Two corners: nearly all have the second one below and right of the first. Corner and size:
    not nearly all do, for things are seldom wider than their distance from the left edge. Read as sizes, second corners make boxes so large that all of
    them overlap: without this, such a reading would fit best of all."""
    a, b, c, d = numbers[~np.isnan(numbers[:, 0])].T
    ordered = float(((c > a) & (d > b)).mean()) if len(a) else 1.0
    corners = {Order.XYXY, Order.YXYX} if ordered >= CREDIBLE else set()
    return corners | ({Order.XYWH, Order.CXCYWH} if ordered < NEARLY_ALL else set())


def _corners(gold: FloatArray, order: Order) -> tuple[FloatArray, Truths, Truths]:
    """The boxes meant on their pictures, which of them are empty, and which of these are inverted."""
    boxes = on_pixels(gold, Convention(order=order), [None] * len(gold))
    wide, tall = (boxes[:, 2:] - boxes[:, :2]).T
    return boxes, (wide <= 0) | (tall <= 0), (wide < 0) | (tall < 0)


def _tried(evidence: Written, orders: Sequence[Order]) -> Iterator[_Trial]:
    for gold in orders:
        for convention, plain in _conventions(evidence, gold):
            tried = _try(evidence, convention, gold)
            # Of readings that are right equally often the plainest is named: gold as declared, pixels, x before y.
            tried.plain = plain + 100 * (evidence.gold_order is not None and gold is not evidence.gold_order)
            yield tried


def _conventions(evidence: Written, gold: Order) -> Iterator[tuple[Convention, int]]:
    credible = set(POINT_ORDERS) if evidence.points else _credible(evidence.numbers)
    orders = [o for o in (POINT_ORDERS if evidence.points else BOX_ORDERS) if o in credible]
    sized = _sized(evidence)
    for i, order in enumerate(orders):
        plain = Convention(Unit.PIXELS, order)
        yield plain, i
        if sized:
            yield Convention(Unit.PIXELS, order, Resize("qwen28")), i + 10
            yield from ((Convention(unit, order), i + 20 + k) for k, unit in enumerate(SHARES))
        else:
            factor = _common_factor(evidence, order, gold)
            if factor is not None:
                yield Convention(Unit.PIXELS, order, factor), i + 30
    if evidence.declared is not None:
        yield evidence.declared, 5


def _sized(evidence: Written) -> bool:
    return sum(size is not None for size in evidence.sizes) >= max(FEWEST, len(evidence.sizes) // 2)


def _placed(evidence: Written, convention: Convention) -> FloatArray:
    bring = points_on_pixels if evidence.points else on_pixels
    return bring(evidence.numbers, convention, evidence.sizes)


def _try(evidence: Written, convention: Convention, gold: Order) -> _Trial:
    boxes, empty, _ = _corners(evidence.gold, gold)
    places = _placed(evidence, convention)
    usable = ~np.isnan(evidence.numbers[:, 0]) & ~np.isnan(boxes[:, 0]) & ~empty
    with np.errstate(invalid="ignore"):
        right = inside(places, boxes) if evidence.points else iou(places, boxes) >= RIGHT
    return _Trial(convention, gold, right & usable, usable)


def _declared(evidence: Written, gold: Order) -> _Trial | None:
    return None if evidence.declared is None else _try(evidence, evidence.declared, gold)


# -- pictures as sent, where sizes are not known ------------------------------------------------------------------------------


def _common_factor(evidence: Written, order: Order, gold: Order) -> Resize | None:
    """The one factor between pixels as sent and pixels of the original, where all pictures were resized alike; None where there is none worth naming."""
    boxes, empty, _ = _corners(evidence.gold, gold)
    places = _placed(evidence, Convention(Unit.PIXELS, order))
    middle = places if evidence.points else (places[:, :2] + places[:, 2:]) / 2
    meant = (boxes[:, :2] + boxes[:, 2:]) / 2
    usable = ~np.isnan(middle[:, 0]) & ~np.isnan(meant[:, 0]) & ~empty & (meant > 0).all(axis=1)
    if usable.sum() < FEWEST:
        return None
    factor = float(np.median(middle[usable] / meant[usable]))
    # Nearer to 1 than half a step in a large picture is no resizing; farther is no rounding to a grid.
    if not 0.002 < abs(factor - 1) < 0.1:
        return None
    return Resize(f"by-{_on_a_grid(factor, evidence.numbers, boxes[~empty]):.8f}".rstrip("0"))


def _on_a_grid(factor: float, numbers: FloatArray, boxes: FloatArray) -> float:
    """The factor of a picture of a round size whose side was rounded to a multiple of 28, if the largest number is such a side; else as measured."""
    side, least = float(np.nanmax(numbers)), float(np.nanmax(boxes))
    if side % STEP or side <= least:
        return factor
    sizes = [
        s
        for s in range(int(least), int(side * 1.05))
        if round(s / STEP) * STEP == side and abs(side / s - factor) < 0.005
    ]
    return side / max(sizes, key=_roundness) if sizes else factor


def _roundness(size: int) -> int:
    """How round a number is: the largest power of two, or of ten, in it."""
    return max(size & -size, max((ten for ten in (10, 100, 1000) if size % ten == 0), default=1))


# -- the verdict --------------------------------------------------------------------------------------------------------------


def _judge(evidence: Written, tried: list[_Trial], declared: _Trial | None, inverted: int) -> ConventionFinding:
    best = tried[0]
    told = _by_range(evidence) if not _sized(evidence) else None
    usable = best.usable
    n, fit = int(usable.sum()), best.reading(usable).fit
    as_declared = None if declared is None else declared.reading(usable)
    if told is not None and fit < POOR:
        return _needing_size(told, as_declared, evidence, inverted, n)
    if fit < 2 * SLIGHT:
        remark = (
            "no reading of the numbers fits; without the pictures' sizes more cannot be tried"
            if not _sized(evidence)
            else "no reading of the numbers fits"
        )
        return ConventionFinding(best=None, declared=as_declared, fits=False, inverted=inverted, n=n, remarks=(remark,))
    rival = next((t for t in tried[1:] if _differ(best, t)), None)
    p = 1.0 if rival is None else _sign_test(best.right, rival.right)
    fits = declared is None or not _is_worse(declared, best)
    # Whoever declared a reading that is as good keeps it; otherwise the plainest of those that are as good is named.
    as_good = min((t for t in tried if not _is_worse(t, best)), key=lambda t: t.plain)
    named = declared if declared is not None and fits else as_good
    return ConventionFinding(
        best=named.reading(usable),
        declared=as_declared,
        fits=fits,
        runner_up=None if rival is None else rival.reading(usable),
        p=p,
        sure="certain" if p < SURE else "likely" if p < LIKELY else "open",
        needs_size=False,
        inverted=inverted,
        n=n,
        remarks=tuple(_remarks(evidence, named)),
    )


def _needing_size(
    unit: Unit, declared: NumberReading | None, evidence: Written, inverted: int, n: int
) -> ConventionFinding:
    order = Order.XY if evidence.points else Order.XYXY
    fits = evidence.declared is not None and evidence.declared.unit is unit
    gold = _gold_orders(evidence)[0]
    return ConventionFinding(
        best=NumberReading(Convention(unit, order), gold, 0, 0),
        declared=declared,
        fits=fits,
        sure="by range",
        needs_size=True,
        inverted=inverted,
        n=n,
        remarks=(f"{unit}: needs the picture's size, which is not known",),
    )


def _by_range(evidence: Written) -> Unit | None:
    """The unit that the range tells, where numbers cannot be pixels: within 1 or 100 while what was meant goes far beyond, or beyond it up to 1000."""
    if evidence.declared is not None and evidence.declared.unit.steps is not None:
        return evidence.declared.unit
    # A stray number must not hide what all others say.
    largest = float(np.nanquantile(evidence.numbers, 0.99))
    reach = float(np.nanquantile(_corners(evidence.gold, _gold_orders(evidence)[0])[0], 0.99))
    if largest <= 1.0 < reach:
        return Unit.SHARE
    if largest <= 100.0 and reach > 150:
        return Unit.PERCENT
    return Unit.OF_1000 if reach * 1.15 < largest <= 1024 else None


def _differ(one: _Trial, other: _Trial) -> bool:
    """Whether two readings are two: those that put the same items right, but for a few, cannot be told apart here."""
    return bool((one.right != other.right).sum() > SLIGHT * max(1, one.usable.sum()))


def _is_worse(one: _Trial, best: _Trial) -> bool:
    gap = int(best.right.sum()) - int(one.right.sum())
    return gap > SLIGHT * int(best.usable.sum()) and _sign_test(best.right, one.right) < LIKELY


def _sign_test(one: Truths, other: Truths) -> float:
    """Exact two-sided p of the items that only one of two readings puts right."""
    from scipy.stats import binomtest

    only, others = int((one & ~other).sum()), int((other & ~one).sum())
    return float(binomtest(only, only + others).pvalue) if only + others else 1.0


def _remarks(evidence: Written, named: _Trial) -> Iterator[str]:
    sent = named.convention.sent
    if sent is not None and sent.rule.startswith("by-"):
        side = float(np.nanmax(evidence.numbers))
        factor = float(sent.rule[3:])
        size = floor(side / factor + 0.5)
        example = f": for example {size} x {size}, sent as {side:.0f} x {side:.0f}" if side % STEP == 0 else ""
        yield f"pixels of the picture as resized, by {factor:.4f}{example}"
    elif not _sized(evidence) and named.convention.unit is Unit.PIXELS and not evidence.points:
        side, reach = float(np.nanmax(evidence.numbers)), float(np.nanmax(_corners(evidence.gold, named.gold)[0]))
        if side > reach and side % STEP == 0 and side < reach * 1.05:
            yield f"numbers go up to {side:.0f}, a multiple of 28 beyond {reach:.0f}: without sizes, pixels as sent cannot be told from pixels of the original"
