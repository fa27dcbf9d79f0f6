"""Overlaps of boxes, outlines and masks, against hand calculations, shapely and a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from referee.geometry import Box, Convention, Mask, Polygon, Size
from referee.grounding import overlap
from referee.grounding.overlap import distance, inside, iou, on_pixels, region_distance, region_holds, region_iou


def random_boxes(n: int, seed: int) -> np.ndarray:
    boxes = np.random.default_rng(seed).uniform(0, 100, (n, 4))
    boxes[:, 2:] += boxes[:, :2]
    return boxes


def test_overlaps_by_hand() -> None:
    # 2 x 2 and 2 x 2 share 1 x 2: 2 / 6. A box in itself: 1. Apart: 0. Touching edges: 0. Half of it: 1 / 2.
    one = np.array([[0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 2, 1]], dtype=float)
    other = np.array([[1, 0, 3, 2], [0, 0, 2, 2], [5, 5, 6, 6], [1, 0, 2, 1], [0, 0, 1, 1]], dtype=float)
    assert iou(one, other) == pytest.approx([1 / 3, 1, 0, 0, 0.5])


def test_empty_boxes_overlap_with_nothing_and_missing_ones_are_missing() -> None:
    one = np.array([[0, 0, 0, 0], [5, 5, 1, 1], [np.nan] * 4])
    other = np.array([[0, 0, 0, 0], [0, 0, 9, 9], [0, 0, 1, 1]], dtype=float)
    found = iou(one, other)
    assert list(found[:2]) == [0, 0]
    assert np.isnan(found[2])


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = random_boxes(1000, 1), random_boxes(1000, 2)
    whole = iou(one, other)
    monkeypatch.setattr(overlap, "BLOCK", 7)
    assert np.array_equal(iou(one, other), whole)


def test_boxes_agree_with_shapely() -> None:
    one, other = random_boxes(50, 3), random_boxes(50, 4)
    theirs = [
        (a := shapely.box(*p)).intersection(b := shapely.box(*q)).area / a.union(b).area
        for p, q in zip(one, other, strict=True)
    ]
    assert iou(one, other) == pytest.approx(theirs)


def test_many_boxes_are_put_on_pictures_as_one_is() -> None:
    sizes = [Size(640, 480), Size(100, 300), None]
    convention = Convention.of("0-999 yxyx")
    numbers = np.array([[10, 20, 500, 600]] * 3, dtype=float)
    found = on_pixels(numbers, convention, sizes)
    for row, size in zip(found[:2], sizes, strict=False):
        assert row == pytest.approx(Box((10, 20, 500, 600), convention).on(size))
    assert np.isnan(found[2]).all()


def test_a_point_on_the_border_is_inside() -> None:
    boxes = np.array([[1.0, 1, 3, 3]] * 4)
    assert list(inside(np.array([[1.0, 2], [3, 3], [0.999, 2], [2, 3.001]]), boxes)) == [True, True, False, False]
    triangle = Polygon(((0, 0), (4, 0), (0, 4)))
    assert region_holds(triangle, 2, 2, None)
    assert region_holds(triangle, 0, 0, None)
    assert not region_holds(triangle, 2.1, 2, None)


def test_distances_by_hand() -> None:
    # 3 to the right and 4 below the corner: 5.
    assert distance(np.array([[6.0, 7], [2, 2]]), np.array([[1.0, 1, 3, 3]] * 2)) == pytest.approx([5, 0])
    assert region_distance(Polygon(((0, 0), (3, 0), (3, 3), (0, 3))), 6, 7, None) == pytest.approx(5)
    assert region_distance(Mask(Size(3, 3), (0, 9)), 6, 7, None) == pytest.approx(5)


def test_outlines_and_masks_overlap() -> None:
    # A triangle covers half of its box.
    assert region_iou(Polygon(((0, 0), (4, 0), (0, 4))), Box((0, 0, 4, 4)), None) == pytest.approx(0.5)
    left_half = Mask(Size(4, 2), (0, 4, 4))
    assert region_iou(left_half, Box((0, 0, 4, 2)), None) == pytest.approx(0.5)
    assert region_iou(left_half, Mask(Size(4, 2), (4, 4)), None) == 0
    assert region_holds(left_half, 2, 1, None)
    assert not region_holds(left_half, 2.5, 1, None)


def test_an_outline_that_crosses_itself_still_encloses_something() -> None:
    bow = Polygon(((0, 0), (2, 2), (2, 0), (0, 2)))
    assert region_holds(bow, 1.8, 1, None)
    assert 0 < region_iou(bow, Box((0, 0, 2, 2)), None) < 1
