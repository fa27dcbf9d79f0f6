"""Measures of places: by hand, and what is no place."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from random import Random
from types import FrameType

import numpy as np
import pytest

from referee import catalogue
from referee.contracts import Batch
from referee.errors import InputError
from referee.geometry import Box, Convention, Mask, Place, Point, Polygon, Region, ScenePicture, Size
from referee.grounding.overlap import region_distance
from referee.models.answers.place_outcomes import place_answer_of as seen
from referee.records import Description, Entity, Outcome, Response, Scene, Trial

SIZE = Size(100, 100)
MEANT = Box((0, 0, 10, 10))


def trial(*meant: Region, others: tuple[Region, ...] = (), size: Size | None = SIZE) -> Trial:
    entities = [Entity(id=f"t{i}", region=r) for i, r in enumerate(meant)]
    entities += [Entity(id=f"o{i}", region=r) for i, r in enumerate(others)]
    scene = Scene(entities=tuple(entities), picture=ScenePicture(path="p.png", size=size))
    return Trial(id="x", scene=scene, targets=tuple(f"t{i}" for i in range(len(meant))))


def answer(*places: Place, outcome: Outcome | None = None) -> Response:
    return Response(
        trial="x",
        hearer="h",
        outcome=outcome or (seen(places).outcome if places else Outcome.UNPARSABLE),
        places=places,
    )


def rows(metric: str, *pairs: tuple[Response | None, Trial]) -> np.ndarray:
    answers, trials = zip(*pairs, strict=True)
    batch = Batch([Description()] * len(trials), trials, [()] * len(trials), answers=answers)
    return catalogue.configure("metric", metric).statistics(batch)


def value(metric: str, given: Response, asked: Trial) -> float:
    return float(rows(metric, (given, asked))[0, 0])


HALF = Box((0, 0, 10, 5))  # IoU .5 with what is meant
THIRD = Box((5, 0, 15, 10))  # 50 of 150


@pytest.mark.parametrize(
    ("metric", "box", "expected"),
    [
        ("ground/iou", HALF, 0.5),
        ("ground/iou", THIRD, 1 / 3),
        ("ground/accuracy", HALF, 1),
        ("ground/accuracy", THIRD, 0),
        ("ground/accuracy|iou:.7", HALF, 0),
        ("ground/accuracy|iou:.3", THIRD, 1),
        ("ground/accuracy.mean", HALF, 0.1),  # right at the first of ten thresholds
        ("ground/accuracy.mean", MEANT, 1),
        ("ground/point", THIRD, 1),  # its middle lies on the border
        ("ground/point", Box((6, 0, 16, 10)), 0),
    ],
)
def test_boxes_by_hand(metric: str, box: Box, expected: float) -> None:
    assert value(metric, answer(box), trial(MEANT)) == pytest.approx(expected)


def test_shares_of_the_picture_are_put_on_it_and_need_its_size() -> None:
    percent = answer(Point((5, 5), Convention.of("percent xy")))
    assert value("ground/point", percent, trial(Box((4, 4, 6, 6)))) == 1
    assert np.isnan(rows("ground/point", (percent, trial(MEANT, size=None)))).all()


def test_shares_of_a_padded_picture_need_its_size_even_among_themselves() -> None:
    """Two boxes that are shares of one picture overlap alike whatever its size; not so where one is a share of the padded square around it."""
    plain, padded = (Box((0.0, 0.25, 1.0, 0.75), Convention.of(c)) for c in ("0-1 xyxy", "0-1 xyxy sent:square"))
    assert value("ground/iou", answer(plain), trial(plain, size=None)) == 1
    assert np.isnan(rows("ground/iou", (answer(padded), trial(plain, size=None)))).all()
    # 200 x 100: the square's middle half is the whole picture, of which the plain box is one half.
    assert value("ground/iou", answer(padded), trial(plain, size=Size(200, 100))) == 0.5


def test_what_is_no_place_is_not_found_and_not_answered() -> None:
    nothing = [answer(outcome=o) for o in (Outcome.UNPARSABLE, Outcome.REFUSED, Outcome.EMPTY, Outcome.NONE)]
    found = rows("ground/accuracy", (answer(MEANT), trial(MEANT)), *((a, trial(MEANT)) for a in nothing))
    assert found.tolist() == [[1, 1], [0, 0], [0, 0], [0, 0], [0, 0]]
    metric = catalogue.create("metric", "ground/accuracy")
    assert metric.finish(found.sum(axis=0), np.asarray(5.0)) == pytest.approx(0.2)
    assert [float(x) for x in metric.answered(found.sum(axis=0))] == [1, 1]


def test_a_degenerate_box_is_empty_and_no_box() -> None:
    assert answer(Box((0, 0, 0, 0))).outcome is Outcome.EMPTY
    assert rows("ground/iou", (answer(Box((3, 3, 3, 9))), trial(MEANT)), (answer(MEANT), trial(MEANT))).tolist() == [
        [0, 0],
        [1, 1],
    ]


def test_inverted_boxes_meant_are_not_scored() -> None:
    assert np.isnan(rows("ground/accuracy", (answer(MEANT), trial(Box((10, 10, 0, 0)))))).all()


def test_somebody_who_points_has_no_accuracy_of_boxes() -> None:
    pointing = [(answer(Point((5, 5))), trial(MEANT)), (answer(outcome=Outcome.UNPARSABLE), trial(MEANT))]
    assert np.isnan(rows("ground/accuracy", *pointing)).all()
    assert rows("ground/point", *pointing).tolist() == [[1, 1], [0, 0]]


def test_several_places_for_one_region_are_not_chosen_from() -> None:
    several = answer(MEANT, Box((50, 50, 60, 60)))
    assert several.outcome is Outcome.SEVERAL
    for metric in ("ground/iou", "ground/accuracy", "ground/point", "ground/found"):
        assert value(metric, several, trial(MEANT, others=(Box((50, 50, 60, 60)),))) == 0


def test_several_regions_meant_need_a_box_each_and_none_too_many() -> None:
    other = Box((50, 50, 60, 60))
    asked = trial(MEANT, other)
    assert value("ground/accuracy", answer(other, HALF), asked) == 1
    assert value("ground/accuracy", answer(MEANT), asked) == 0
    assert value("ground/accuracy", answer(MEANT, other, THIRD), asked) == 0
    # The best pairing: .5 and 1, over two.
    assert value("ground/iou", answer(other, HALF), asked) == pytest.approx(0.75)


def test_nothing_meant_is_found_by_saying_so() -> None:
    """N-acc and T-acc of gRefCOCO (Liu, Ding & Jiang 2023): right about nothing over items without a target, about something over the others."""
    none, box, unread = answer(outcome=Outcome.NONE), answer(MEANT), answer(outcome=Outcome.UNPARSABLE)
    assert value("ground/accuracy", none, trial()) == 1
    pairs = [
        (none, trial()),
        (box, trial()),
        (unread, trial()),
        (none, trial(MEANT)),
        (box, trial(MEANT)),
        (unread, trial(MEANT)),
    ]
    nothing, something = rows("ground/none", *pairs)[:, 0], rows("ground/none.target", *pairs)[:, 0]
    assert nothing[:3].tolist() == [1, 0, 0]
    assert something[3:].tolist() == [0, 1, 0]
    assert np.isnan(nothing[3:]).all()
    assert np.isnan(something[:3]).all()
    assert value("ground/none|refused:yes", answer(outcome=Outcome.REFUSED), trial()) == 1


def test_the_entity_hit_is_the_nearest_and_ties_share() -> None:
    asked = trial(MEANT, others=(Box((0, 0, 10, 20)), Box((50, 50, 60, 60))))
    assert value("ground/found", answer(Box((0, 0, 9, 10))), asked) == 1
    assert value("ground/found", answer(Box((0, 0, 10, 19))), asked) == 0
    assert value("ground/found", answer(Point((5, 5))), asked) == 0.5
    assert value("ground/found", answer(Point((90, 5))), asked) == 0
    assert np.isnan(rows("ground/found", (answer(MEANT), trial(MEANT)))).all(), "one region: nothing to choose from"


def test_distance_is_a_share_of_the_diagonal() -> None:
    # 3 beyond the right edge, 4 below: 5, of a picture with the diagonal 100 * sqrt(2), or a region with 10 * sqrt(2).
    away = answer(Point((13, 14)))
    assert value("ground/distance", away, trial(MEANT)) == pytest.approx(5 / (100 * 2**0.5))
    assert value("ground/distance|by:region", away, trial(MEANT)) == pytest.approx(5 / (10 * 2**0.5))
    assert np.isnan(rows("ground/distance", (answer(outcome=Outcome.REFUSED), trial(MEANT)))).all()


def test_outlines_and_masks_are_regions_too() -> None:
    triangle = Polygon(((0, 0), (10, 0), (0, 10)))
    assert value("ground/point", answer(Point((2, 2))), trial(triangle)) == 1
    assert value("ground/point", answer(Point((9, 9))), trial(triangle)) == 0
    assert value("ground/iou", answer(MEANT), trial(triangle)) == pytest.approx(0.5)
    left = Mask(Size(4, 2), (0, 4, 4))
    assert value("ground/iou", answer(Box((0, 0, 4, 2))), trial(left, size=Size(4, 2))) == pytest.approx(0.5)
    assert value("ground/distance|by:region", answer(Point((13, 0))), trial(triangle)) == pytest.approx(
        3 / (10 * 2**0.5)
    )


def test_whoever_chose_an_entity_chose_its_region() -> None:
    asked = trial(MEANT, others=(HALF,))
    chosen = Response(trial="x", hearer="p", outcome=Outcome.ENTITY, entity="t0")
    assert value("ground/iou", chosen, asked) == 1


def test_switches_are_checked() -> None:
    for wrong in ("ground/accuracy|iou:1.5", "ground/distance|by:page"):
        with pytest.raises(InputError):
            catalogue.configure("metric", wrong)


CONVENTIONS = (
    "pixels xyxy",
    "pixels xywh",
    "0-1 xyxy",
    "0-1000 cxcywh",
    "percent yxyx",
    "pixels xyxy sent:qwen28",
    "0-1 xyxy sent:square",
)


def drawn_boxes(rng: Random, n: int, sizes: Sequence[Size]) -> list[Box]:
    corners = [(rng.randrange(60), rng.randrange(60), rng.randrange(5, 40), rng.randrange(5, 40)) for _ in range(n)]
    whole = [Box((a, b, a + w, b + h)) for a, b, w, h in corners]
    # Not one object for all that are alike: records from elsewhere bring their own.
    meant = [Convention.of(rng.choice(CONVENTIONS)) for _ in range(n)]
    return [box.to(Convention(c.unit, c.order, c.sent), size) for box, c, size in zip(whole, meant, sizes, strict=True)]


def share_of_union(one: Box, other: Box, size: Size) -> float:
    """By the definition, from the exact corners of either box."""
    a, b = one.on(size), other.on(size)
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    areas = [(x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)]
    return shared / (sum(areas) - shared)


def test_a_batch_of_many_conventions_is_measured_as_its_items_are() -> None:
    rng = Random(3)
    sizes = [rng.choice((Size(100, 100), Size(80, 120))) for _ in range(200)]
    said, meant = drawn_boxes(rng, 200, sizes), drawn_boxes(rng, 200, sizes)
    items = list(zip(said, meant, sizes, strict=True))
    pairs = [(answer(box), trial(region, others=(box,), size=size)) for box, region, size in items]
    expected = [share_of_union(*item) for item in items]
    assert rows("ground/iou", *pairs)[:, 0] == pytest.approx(expected)
    assert rows("ground/accuracy|iou:.3", *pairs)[:, 0].tolist() == [share >= 0.3 for share in expected]
    # The answer is itself one of the candidates, and so the one that is hit, unless both are the same.
    assert rows("ground/found", *pairs)[:, 0].tolist() == [0.5 if share == 1 else 0 for share in expected]
    middles = [((a + c) / 2, (b + d) / 2) for a, b, c, d in (box.on(size) for box, _, size in items)]
    far = [region_distance(region, *middle, size) for (_, region, size), middle in zip(items, middles, strict=True)]
    assert rows("ground/distance", *pairs)[:, 0] == pytest.approx(
        [d / np.hypot(size.width, size.height) for d, size in zip(far, sizes, strict=True)]
    )


def test_candidates_that_cannot_be_put_on_the_picture_are_none() -> None:
    share = Box((0.0, 0.0, 0.1, 0.1), Convention.of("0-1 xyxy"))
    assert value("ground/found", answer(MEANT), trial(MEANT, others=(share,), size=None)) == 1
    outline = Polygon(((50, 50), (60, 50), (60, 60)))
    assert value("ground/found", answer(MEANT), trial(MEANT, others=(share, outline), size=None)) == 1


@pytest.mark.parametrize("metric", ["ground/iou", "ground/accuracy", "ground/point", "ground/distance", "ground/found"])
def test_boxes_are_measured_in_columns(metric: str) -> None:
    """A million boxes take about a second only while nothing is called for every one of them."""
    pairs = [(answer(MEANT), trial(THIRD, others=(HALF,))) for _ in range(500)]
    answers, trials = zip(*pairs, strict=True)
    batch = Batch([None] * 500, trials, [()] * 500, answers=answers)
    measure = catalogue.configure("metric", metric)
    calls = Counter[str]()

    def count(frame: FrameType, event: str, argument: object) -> None:
        # Code of a comprehension or generator is no call of a function.
        if event == "call" and not frame.f_code.co_name.startswith("<"):
            calls[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        measure.statistics(batch)
    finally:
        sys.setprofile(before)
    assert max(calls.values()) < 50, calls.most_common(3)


def test_cumulative_iou_sums_areas_before_it_divides() -> None:
    big, small = Box((0, 0, 20, 20)), Box((0, 0, 10, 10))
    pairs = [
        (answer(Box((0, 0, 20, 10))), trial(big)),
        (answer(small), trial(small)),
        (answer(), trial(small)),
        (answer(Box((0, 0, 10, 5))), trial(Polygon(((0, 0), (10, 0), (10, 10), (0, 10))))),
        (answer(outcome=Outcome.NONE), trial()),
        (answer(small), trial(small, big)),
    ]
    statistics = rows("ground/iou.cumulative", *pairs)
    # By hand: 200 of 400, 100 of 100, 0 of 100, 50 of 100, nothing of nothing; several targets are not measured.
    assert statistics[:5, :2].tolist() == [[200, 400], [100, 100], [0, 100], [50, 100], [0, 0]]
    assert np.isnan(statistics[5]).all()
    metric = catalogue.configure("metric", "ground/iou.cumulative")
    assert metric.combine(statistics).value == pytest.approx(350 / 700)
    value_answered, n = metric.answered(np.nan_to_num(statistics).sum(axis=0))
    assert (float(value_answered), float(n)) == (pytest.approx(350 / 600), 3)
