"""Numbers that carry what they mean: every convention into every other, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.geometry import (
    Box,
    Convention,
    Mask,
    NeedsSize,
    Order,
    Point,
    Polygon,
    Resize,
    Size,
    Unit,
    WrongConvention,
)

PICTURE = Size(640, 480)
# One box, by hand: left 64, top 120, right 320, bottom 240 of 640 x 480, in every form. 0-999: 64 / 640 * 999 = 99.9.
TABLE = {
    "pixels xyxy": (64, 120, 320, 240),
    "pixels xywh": (64, 120, 256, 120),
    "pixels cxcywh": (192, 180, 256, 120),
    "pixels yxyx": (120, 64, 240, 320),
    "0-1 xyxy": (0.1, 0.25, 0.5, 0.5),
    "0-1 cxcywh": (0.3, 0.375, 0.4, 0.25),
    "percent xyxy": (10, 25, 50, 50),
    "0-999 xyxy": (99.9, 249.75, 499.5, 499.5),
    "0-1000 xyxy": (100, 250, 500, 500),
    "0-1000 yxyx": (250, 100, 500, 500),
    "0-1024 yxyx": (256, 102.4, 512, 512),
    # 640 x 480 becomes 644 x 476: multiples of 28 (22.86 -> 23, 17.14 -> 17).
    "pixels xyxy sent:qwen28": (64.4, 119, 322, 238),
    "pixels xyxy sent:longest-320": (32, 60, 160, 120),
    "pixels xyxy sent:1280x960": (128, 240, 640, 480),
    "pixels xyxy sent:by-0.5": (32, 60, 160, 120),
    # 640 x 480 in a square of 640: 80 rows of nothing on top. 0-1: (120 + 80) / 640.
    "pixels xyxy sent:square": (64, 200, 320, 320),
    "0-1 xyxy sent:square": (0.1, 0.3125, 0.5, 0.5),
}


@pytest.mark.parametrize("target", TABLE)
@pytest.mark.parametrize("source", TABLE)
def test_every_convention_becomes_every_other(source: str, target: str) -> None:
    box = Box(TABLE[source], Convention.of(source))
    assert box.to(Convention.of(target), PICTURE).numbers == pytest.approx(TABLE[target], abs=1e-9)


@pytest.mark.parametrize("text", TABLE)
def test_a_convention_is_read_back_from_its_text(text: str) -> None:
    assert str(Convention.of(text)) == text


@given(st.tuples(*[st.integers(0, 4000)] * 4), st.sampled_from(list(Order)[:4]), st.sampled_from(list(Unit)))
def test_one_conversion_is_rounded_once(numbers: tuple[int, int, int, int], order: Order, unit: Unit) -> None:
    size = Size(333, 777)
    left, top, *_ = Box(numbers, Convention(unit, order)).on(size)
    corner = order.corners(*map(Fraction, numbers))
    steps = unit.steps
    assert (left, top) == (
        float(corner[0] if steps is None else corner[0] * 333 / steps),
        float(corner[1] if steps is None else corner[1] * 777 / steps),
    )


# Checked against smart_resize of qwen_vl_utils/vision_process.py (factor 28): 1024 -> 36.57 -> 37 * 28; 427 -> 15.25 -> 15 * 28;
# 1920 -> 68.57 -> 69 * 28, 1080 -> 38.57 -> 39 * 28; 20 x 20 -> one step is below 4 * 28 * 28 pixels: enlarged to 2 x 2 steps.
@pytest.mark.parametrize(
    ("size", "sent"),
    [((1024, 1024), (1036, 1036)), ((640, 427), (644, 420)), ((1920, 1080), (1932, 1092)), ((20, 20), (56, 56))],
)
def test_pictures_are_resized_as_qwen_does(size: tuple[int, int], sent: tuple[int, int]) -> None:
    assert Resize("qwen28").sent(Size(*size)) == Size(*sent)


def test_a_limit_on_pixels_shrinks_large_pictures() -> None:
    # 1,003,520 = 14 * 14 * 4 * 1280, the image processor's limit: beta = 1.4375; floor(1920 / beta / 28) = 47, floor(1080 / beta / 28) = 26.
    assert Resize("qwen28-1003520").sent(Size(1920, 1080)) == Size(47 * 28, 26 * 28)


def test_points_of_a_picture_padded_to_a_square() -> None:
    """By hand: 480 x 640 in 640 x 640 has 80 columns of nothing on the left; the middle stays the middle."""
    square = Convention.of("0-1 xy sent:square")
    assert Point((0.5, 0.5), square).on(Size(480, 640)) == (240, 320)
    assert Point((0.125, 0.0), square).on(Size(480, 640)) == (0, 0)
    assert Point((0, 0), Convention.of("pixels xy")).to(square, Size(480, 640)).numbers == (0.125, 0)
    # An odd number of rows: the makers' code puts the smaller half on top (Shikra, mllm/dataset/utils/transform.py).
    assert Point((0, 2), Convention.of("pixels xy sent:square")).on(Size(10, 5)) == (0, 0)


def test_shares_of_a_picture_need_its_size() -> None:
    with pytest.raises(NeedsSize, match="percent needs the picture's size"):
        Point((10, 10), Convention.of("percent xy")).on(None)
    assert Box((1, 2, 3, 4)).on(None) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    "text", ["pixel xyxy", "0-1000 xyxz", "pixels sent:qwen", "sent:by-", "sent:0x3", "percent percents"]
)
def test_what_names_no_convention_is_refused(text: str) -> None:
    with pytest.raises(WrongConvention):
        Convention.of(text)


@pytest.mark.parametrize("numbers", [(1, 2, 3, float("nan")), (1, 2, 3, float("inf")), (1, 2, 3, 10**400)])
def test_what_is_no_number_is_refused(numbers: tuple[float, float, float, float]) -> None:
    with pytest.raises(WrongConvention):
        Box(numbers)


def test_a_box_has_four_numbers_and_a_point_two() -> None:
    with pytest.raises(WrongConvention):
        Box((1, 2, 3, 4), Convention.of("pixels xy"))
    with pytest.raises(WrongConvention):
        Point((1, 2), Convention.of("pixels xyxy"))


def test_inverted_and_empty_boxes_are_told() -> None:
    assert Box((493, 692, 482, 710)).inverted
    assert Box((0, 0, 0, 0)).empty
    assert not Box((0, 0, 0, 0)).inverted
    assert not Box((493, 692, 11, 18), Convention.of("pixels xywh")).empty


def test_a_mask_knows_its_area_and_its_box() -> None:
    # Three columns of two: the second and third hold the last, the first and the last pixel (runs go down the columns).
    mask = Mask(Size(3, 2), (3, 3))
    assert (mask.area, mask.bounds()) == (3, (1.0, 0.0, 3.0, 2.0))
    assert Mask(Size(2, 2), (4,)).bounds() == (0, 0, 0, 0)
    with pytest.raises(WrongConvention):
        Mask(Size(2, 2), (1, 2))


def test_an_outline_has_three_corners() -> None:
    with pytest.raises(WrongConvention):
        Polygon(((0, 0), (1, 1)))


@pytest.mark.parametrize(
    ("rule", "size", "sent"),
    [
        ("longest-768", (400, 300), (400, 300)),
        ("longest-768-always", (400, 300), (768, 576)),  # 768 / 400 = 1.92; 300 x 1.92 = 576
        ("longest-768-always", (1536, 512), (768, 256)),
        ("area-10000", (400, 100), (200, 50)),  # 40,000 pixels: half as wide, half as high
        ("area-10000", (50, 100), (50, 100)),
        ("square-336", (400, 300), (336, 336)),
    ],
)
def test_sizes_of_pictures_as_sent(rule: str, size: tuple[int, int], sent: tuple[int, int]) -> None:
    assert Resize(rule).sent(Size(*size)) == Size(*sent)


def test_a_padded_and_resized_picture() -> None:
    """400 x 300 padded to 400 x 400 (50 pixels above and below), then halved."""
    box = Box((100, 50, 200, 150)).to(Convention.of("pixels xyxy sent:square-200"), Size(400, 300))
    assert box.numbers == (50.0, 50.0, 100.0, 100.0)
    assert box.on(Size(400, 300)) == (100.0, 50.0, 200.0, 150.0)


def test_masks_take_the_order_of_their_size_from_the_picture() -> None:
    """A column of 2 x 3 pixels, its first column inside: COCO writes 3 (height) before 2 (width)."""
    mask = Mask(Size(3, 2), (0, 3, 3))
    assert mask.oriented(Size(2, 3)) == Mask(Size(2, 3), (0, 3, 3))
    assert mask.oriented(Size(2, 3)).bounds() == (0.0, 0.0, 1.0, 3.0)
    with pytest.raises(WrongConvention, match="a mask of 3x2 pixels in a picture of 6x1"):
        mask.oriented(Size(6, 1))
