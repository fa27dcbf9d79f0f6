"""Hearers of pictures without trained weights.

The centre, the largest region, text recognition on screens, and an interface for detectors.

The first two ignore the description: their accuracy is the chance level of a corpus of pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from referee.errors import InputError, UnknownName, naming_extra
from referee.geometry import Box, Convention, Mask, Order, Place, Point, Polygon, ScenePicture, Size, Unit
from referee.grounding.pictures import checked
from referee.hearers.answering import Listener, answer, make_undecided_response
from referee.records import Description, HearerView, Outcome, Response, Trial

Detection = tuple[Sequence[float], float]
"""Left, top, right, bottom in pixels of the picture, and a score."""


class _Onlooker(Listener):
    """The base of picture hearers without training, which answer with coordinates."""

    learns = False

    def fit(self, trials: Iterable[Trial]) -> Self:
        return self

    def _make_response(self, view: HearerView, place: Place) -> Response:
        outcome = Outcome.POINT if isinstance(place, Point) else Outcome.BOX
        return Response(trial=view.id, hearer=self.name, outcome=outcome, places=(place,))


class Centre(_Onlooker):
    """Points at the middle of the picture, or (``box:yes``) gives its middle half as a box, whatever the description:
    photographs often have their subject there.
    """

    name = "sight/centre"

    def __init__(self, box: bool = False) -> None:
        self.box = box

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the middle as a point or a box."""
        if self.box:
            return self._make_response(view, Box((0.25, 0.25, 0.75, 0.75), Convention(Unit.SHARE)))
        return self._make_response(view, Point((0.5, 0.5), Convention(Unit.SHARE, Order.XY)))


class Largest(_Onlooker):
    """Chooses the largest of the marked regions, whatever the description.

    Compare it only with hearers that also see all candidates outlined.
    """

    name = "sight/largest"
    marks = True

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the largest region."""
        size = view.scene.picture.size if view.scene.picture else None
        areas = [_compute_area(e.region, size) for e in view.scene.entities]
        if not any(areas):
            return make_undecided_response(self.name, view, Outcome.DONT_KNOW)
        return answer(self.name, view, [float(area == max(areas)) for area in areas])


def _compute_area(region: object, size: Size | None) -> float:
    """Return the area of a region in pixels."""
    if isinstance(region, Mask):
        return float(region.area)
    if isinstance(region, Box):
        left, top, right, bottom = region.on(size or Size(1, 1))
        return max(0.0, right - left) * max(0.0, bottom - top)
    if isinstance(region, Polygon):
        points = region.on(size or Size(1, 1))
        # Half the sum of cross products around the outline.
        turns = zip(points, points[1:] + points[:1], strict=True)
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in turns)) / 2
    return 0.0


class _Looker(_Onlooker):
    """Looks at the picture itself: `pictures` is the folder that its path begins in."""

    def __init__(self, pictures: str = "") -> None:
        self.pictures = pictures

    def _get_picture_file(self, view: HearerView) -> Path:
        """Return the picture file, with size and hash checked. Raises InputError if it is missing."""
        if view.scene.picture is None:
            raise InputError(f"trial {view.id!r} has no picture", remedy="choose a corpus of pictures")
        if not self.pictures:
            remedy = f'name the folder of the pictures: --hearer "{self.name}|pictures:FOLDER"'
            raise InputError("the folder of the pictures is unknown", remedy=remedy)
        # Shown as they are on disk; sizes and hashes are checked, for places are about this very picture.
        return checked(self.pictures, ScenePicture(path=view.scene.picture.path, size=view.scene.picture.size))


class ScreenReader(_Looker):
    """Recognises the text on a screen (``rapidocr``, extra ``ocr``) and points at the middle of the line most similar
    to the instruction.

    With ``box:yes`` it gives the line's box. The similarity must be at least `least` of 100; otherwise the outcome is
    NONE.
    """

    name = "sight/ocr"

    def __init__(self, pictures: str = "", least: float = 60.0, box: bool = False) -> None:
        super().__init__(pictures)
        self.least, self.box = least, box

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the place of the most similar line."""
        from rapidfuzz import fuzz

        words = (description.text or "").lower()
        lines = read_screen(str(self._get_picture_file(view)))
        scored = [(fuzz.token_set_ratio(words, text.lower()), box) for box, text in lines if text.strip()]
        if not scored or max(scored)[0] < self.least:
            return make_undecided_response(self.name, view, Outcome.NONE)
        left, top, right, bottom = max(scored, key=lambda detections: detections[0])[1]
        if self.box:
            return self._make_response(view, Box((left, top, right, bottom)))
        return self._make_response(view, Point(((left + right) / 2, (top + bottom) / 2), Convention(order=Order.XY)))


@lru_cache(maxsize=512)
def read_screen(path: str) -> tuple[tuple[tuple[float, float, float, float], str], ...]:
    """Return the lines of text on a picture, each with the box around it."""
    detections = _load_reader()(path)
    boxes, texts = getattr(detections, "boxes", None), getattr(detections, "txts", None)
    if boxes is None or texts is None:
        return ()
    return tuple((_bound_corners(box), str(text)) for box, text in zip(boxes, texts, strict=True))


def _bound_corners(corners: Any) -> tuple[float, float, float, float]:
    xs, ys = [float(c[0]) for c in corners], [float(c[1]) for c in corners]
    return min(xs), min(ys), max(xs), max(ys)


@lru_cache(maxsize=1)
def _load_reader() -> Any:
    """Return the text recogniser, loaded once."""
    with naming_extra():
        from rapidocr import RapidOCR

    # It would tell standard error which files it found.
    return RapidOCR(params={"Global.log_level": "error"})


class Detector(_Looker):
    """The plug-in point for detectors.

    `detector` is ``MODULE:FUNCTION``, a function of a picture's path and a text that gives boxes with scores
    (``[([left, top, right, bottom], score), …]``, pixels). The highest score at or above `least` is the answer; NONE
    where there is none.
    """

    name = "sight/detector"

    def __init__(self, detector: str = "", pictures: str = "", least: float = 0.0) -> None:
        super().__init__(pictures)
        self.detector, self.least = detector, least

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the box with the highest confidence."""
        file = str(self._get_picture_file(view))
        detections = [d for d in _import_detector(self.detector)(file, description.text or "") if d[1] >= self.least]
        if not detections:
            return make_undecided_response(self.name, view, Outcome.NONE)
        left, top, right, bottom = max(detections, key=lambda d: d[1])[0]
        return self._make_response(view, Box((left, top, right, bottom)))


@lru_cache(maxsize=8)
def _import_detector(where: str) -> Callable[[str, str], Iterable[Detection]]:
    """Return the detector function from MODULE:FUNCTION. Raises UnknownName if it cannot be imported."""
    module, _, name = where.partition(":")
    try:
        detections = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise UnknownName(
            "detector", where or "(none)", (), hint="name it as detector:MODULE:FUNCTION, importable from here"
        ) from None
    detect: Callable[[str, str], Iterable[Detection]] = detections
    return detect
