"""The detective names the convention that invented answers were written in, and says when it cannot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.geometry import Box, Convention, Order, Point, Size
from referee.grounding.detective import Written, investigate

N = 200


def scenes(seed: int = 1) -> tuple[np.ndarray, list[Size]]:
    """Boxes in pictures of several sizes; things stand anywhere, and most are narrower than their distance from the left edge."""
    rng = np.random.default_rng(seed)
    sizes = [Size(640, 480) if i % 3 else Size(427, 640) for i in range(N)]
    whole = np.array([(s.width, s.height) for s in sizes])
    low = rng.uniform(0.05, 0.7, (N, 2)) * whole
    return np.hstack([low, low + rng.uniform(0.08, 0.25, (N, 2)) * whole]), sizes


def answered(boxes: np.ndarray, sizes: list[Size], convention: str, seed: int = 2) -> np.ndarray:
    """What somebody who is right four times in five writes."""
    rng = np.random.default_rng(seed)
    near = boxes + rng.normal(0, 3, boxes.shape)
    wrong = rng.random(len(boxes)) < 0.2
    near[wrong] = boxes[rng.permutation(len(boxes))][wrong]
    return np.array(
        [Box(tuple(b), Convention()).to(Convention.of(convention), s).numbers for b, s in zip(near, sizes, strict=True)]
    )


def evidence(convention: str, declared: str | None = None, gold: Order = Order.XYXY, known: bool = True) -> Written:
    boxes, sizes = scenes()
    written = np.array([Box(tuple(b)).to(Convention(order=gold), None).numbers for b in boxes])
    return Written(
        numbers=answered(boxes, sizes, convention),
        gold=written,
        sizes=sizes if known else [None] * N,
        declared=Convention.of(declared) if declared else None,
        gold_order=gold,
    )


CONVENTIONS = [
    "pixels xyxy",
    "pixels xywh",
    "pixels cxcywh",
    "pixels yxyx",
    "0-1 xyxy",
    "0-1 cxcywh",
    "percent xyxy",
    "0-1000 xyxy",
    "0-1000 yxyx",
]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_convention_is_named_and_is_certain(convention: str) -> None:
    found = investigate(evidence(convention))
    assert found.best is not None
    # 0-999 and 0-1000 differ by a thousandth: whichever is named puts the same items right.
    assert str(found.best.convention).replace("0-999", "0-1000") == convention
    assert (found.sure, found.best.fit > 0.7) == ("certain", True)


@pytest.mark.parametrize("convention", ["0-1000 xyxy", "pixels xywh", "0-1 cxcywh"])
def test_a_wrong_declaration_is_warned_of(convention: str) -> None:
    found = investigate(evidence(convention, declared="pixels xyxy"))
    assert found.declared is not None
    assert not found.fits
    assert found.declared.fit < 0.3


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_right_declaration_is_kept(convention: str) -> None:
    found = investigate(evidence(convention, declared=convention))
    assert found.fits
    assert found.best is not None
    assert str(found.best.convention) == convention


@pytest.mark.parametrize(("gold", "said"), [(Order.XYWH, Order.XYXY), (Order.XYXY, Order.XYWH)])
def test_boxes_meant_that_are_read_in_the_wrong_order_are_told(gold: Order, said: Order) -> None:
    found = investigate(replace(evidence("pixels xyxy", declared="pixels xyxy", gold=gold), gold_order=said))
    assert found.best is not None
    assert (found.best.gold, found.fits) == (gold, False)


def test_large_boxes_fit_everything_and_are_not_believed() -> None:
    """Second corners taken for sizes, on both sides: nearly all boxes then overlap, and yet it is wrong."""
    found = investigate(evidence("pixels xyxy", declared="pixels xyxy"))
    assert found.best is not None
    assert (str(found.best.convention), found.best.gold) == ("pixels xyxy", Order.XYXY)


def test_pictures_that_were_all_resized_alike() -> None:
    boxes, _ = scenes()
    square = boxes / 640 * 1024
    square[0] = (900, 900, 1020, 1020)
    sent = answered(square, [Size(1024, 1024)] * N, "pixels xyxy sent:qwen28", seed=3)
    sent[0] = (910, 910, 1036, 1036)
    # Small boxes: two hundredths of the picture, so that one hundredth of resizing matters.
    middle = (square[1:, :2] + square[1:, 2:]) / 2
    square[1:] = np.hstack([middle - 8, middle + 8])
    sent[1:] = np.hstack([middle - 8, middle + 8]) * 1036 / 1024
    found = investigate(Written(numbers=sent, gold=square, sizes=[None] * N, declared=Convention()))
    assert found.best is not None
    assert str(found.best.convention) == "pixels xyxy sent:by-1.01171875"
    assert any("1024 x 1024, sent as 1036 x 1036" in remark for remark in found.remarks)


@pytest.mark.parametrize(("unit", "told"), [("percent xy", "percent"), ("0-1 xy", "0-1")])
def test_shares_of_unknown_pictures_need_their_size(unit: str, told: str) -> None:
    boxes, sizes = scenes()
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    points = np.array([Point(tuple(p)).to(Convention.of(unit), s).numbers for p, s in zip(middle, sizes, strict=True)])
    blind = Written(numbers=points, gold=boxes, sizes=[None] * N)
    found = investigate(blind)
    assert found.best is not None
    assert (found.needs_size, str(found.best.convention.unit), found.sure) == (True, told, "by range")
    seeing = investigate(replace(blind, sizes=sizes))
    assert seeing.best is not None
    assert (str(seeing.best.convention), seeing.best.fit) == (unit, 1.0)


def test_few_answers_and_noise_are_told_from_a_finding() -> None:
    few = evidence("pixels xyxy")
    assert investigate(Written(numbers=few.numbers[:5], gold=few.gold[:5], sizes=few.sizes[:5])).best is None
    noise = np.random.default_rng(5).uniform(5000, 9000, (N, 4))
    found = investigate(replace(few, numbers=noise, declared=Convention()))
    assert (found.best, found.fits) == (None, False)


RESIZED = ["longest-400", "longest-768-always", "448x448", "square-336", "area-200704", "square"]


@pytest.mark.parametrize("rule", RESIZED)
def test_pixels_of_a_resized_picture_are_named_by_their_rule(rule: str) -> None:
    """The expected rule is the one that the answers were written with."""
    finding = investigate(evidence(f"pixels xyxy sent:{rule}", declared="pixels xyxy"))
    assert finding.best is not None
    assert str(finding.best.convention) == f"pixels xyxy sent:{rule}"
    assert (finding.fits, finding.confidence in ("certain", "likely")) == (False, True)


@pytest.mark.parametrize("unit", ["0-1", "0-1000"])
def test_boxes_meant_may_be_proportions(unit: str) -> None:
    boxes, sizes = scenes()
    gold = [Box(tuple(b)).to(Convention.of(f"{unit} xyxy"), s).numbers for b, s in zip(boxes, sizes, strict=True)]
    finding = investigate(Written(numbers=answered(boxes, sizes, "pixels xyxy"), gold=np.array(gold), sizes=sizes))
    assert finding.best is not None
    assert (str(finding.best.convention), finding.best.gold_text) == ("pixels xyxy", f"{unit} xyxy")
    assert finding.confidence == "certain"


def test_units_that_differ_by_a_fortieth_are_told_apart_or_left_open() -> None:
    """0-1024 and 0-1000 differ by 2.4 %: boxes that are off by a hundredth tell them apart, rough ones do not."""
    boxes, sizes = scenes()
    exact = investigate(evidence("0-1024 xyxy"))
    assert exact.best is not None
    assert (str(exact.best.convention.unit), exact.confidence) == ("0-1024", "certain")
    rough = answered(boxes, sizes, "0-1024 xyxy") + np.random.default_rng(7).normal(0, 60, boxes.shape)
    unclear = investigate(Written(numbers=rough[:40], gold=boxes[:40], sizes=sizes[:40]))
    assert unclear.confidence != "certain"


def test_answers_about_other_items_fit_nothing() -> None:
    boxes, sizes = scenes()
    shuffled = answered(boxes, sizes, "pixels xyxy")[np.random.default_rng(3).permutation(N)]
    finding = investigate(Written(numbers=shuffled, gold=boxes, sizes=sizes))
    assert (finding.best, finding.confidence) == (None, "nothing fits")


def test_a_mask_or_polygon_stands_in_the_check_by_the_box_around_it() -> None:
    from referee.geometry import Box, Convention, Mask, Order, Polygon, Size, Unit
    from referee.jobs.grounding import extract_question
    from referee.records import Entity, Scene, ScenePicture, Trial

    pixels, shares = Convention(Unit.PIXELS, Order.XY), Convention(Unit.SHARE, Order.XY)
    regions = {
        # Columns 1 and 2, rows 1 and 2 of a picture four wide and three high.
        Mask(Size(4, 3), (4, 2, 1, 2, 3)): (1.0, 1.0, 3.0, 3.0),
        Polygon(((1.0, 0.0), (3.0, 1.0), (2.0, 2.0)), pixels): (1.0, 0.0, 3.0, 2.0),
        Polygon(((0.25, 0.0), (0.75, 1.0), (0.5, 0.5)), shares): (1.0, 0.0, 3.0, 3.0),
    }
    for region, corners in regions.items():
        entity = Entity(id="a", attributes=(), region=region)
        picture = ScenePicture(path="a.png", size=Size(4, 3), sha256="0" * 64)
        question = extract_question(Trial(id="t", scene=Scene(entities=(entity,), picture=picture), targets=("a",)))
        assert question.gold == Box(corners, Convention(Unit.PIXELS, Order.XYXY)), region
