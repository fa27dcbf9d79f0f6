"""Pointing in a photograph: click a point, draw a box, or choose a numbered mark.

Or answer that several fit, or that the object is not visible.

The page sends pixels of the picture at any zoom; the server finds the object at that point. Open-choice identification
in photographs is RefOI's experiment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from referee.capabilities import SeesMarks
from referee.contracts import Hearer
from referee.geometry import Box, Convention, Corners, Order, Place, Point, Size
from referee.grounding.marks import bounds_of
from referee.grounding.overlap import region_holds
from referee.records import HearerView, Outcome, Response
from referee_lab.study.folder.photographs import Photograph, find_entity_at, make_photograph
from referee_lab.study.protocols.checked_answers import (
    CHOSEN,
    CLOCKS,
    AnyProtocol,
    check_choice,
    check_recorded,
    make_choice_response,
    make_field_error,
    make_time_column,
)
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.scene import get_language
from referee_lab.study.protocols.simulated_answers import draw_times
from referee_lab.study.protocols.spoken import (
    HEARD,
    HEARD_TIMES,
    check_heard,
    estimate_heard_ms,
    show_words,
    simulate_heard,
)

WAYS = ("point", "box", "mark")
CHOICES = ("several", "none", "dont-know")
XY = Convention(order=Order.XY)
_ANSWER = {
    "outcome": RecordedColumn(
        type="text", about="what was answered", values=("point", "box", "entity", *CHOICES, "timeout")
    ),
    "x": RecordedColumn(type="number", about="position of the click, from the left", unit="pixels of the picture"),
    "y": RecordedColumn(type="number", about="position of the click, from the top", unit="pixels of the picture"),
    "box": RecordedColumn(type="list", about="the box drawn: left, top, right, bottom", unit="pixels of the picture"),
    "entity": RecordedColumn(type="text", about="label of the mark chosen"),
    "guess_x": RecordedColumn(
        type="number", about="best guess after another answer, from the left", unit="pixels of the picture"
    ),
    "guess_y": RecordedColumn(
        type="number", about="best guess after another answer, from the top", unit="pixels of the picture"
    ),
    "zoom": RecordedColumn(type="number", about="number of times that the picture was zoomed"),
    "repeats": RecordedColumn(type="number", about="how often the description was asked for again"),
    **CHOSEN,
}
_TIMES = {
    "combined_ms": make_time_column("from the onset of picture and description to the answer"),
    **CLOCKS,
    **HEARD_TIMES,
}


def _declare_protocol(name: str, title: str, source: str, choices: tuple[str, ...], best_guess: bool) -> Info:
    """Return the declaration of a pointing protocol with its answers beside pointing."""
    parameters = {
        "way": Parameter(
            default="point", about="point: click; box: draw a box; mark: choose a numbered mark.", values=WAYS
        ),
        "choices": Parameter(
            default=list(choices),
            about="Answers offered besides: several, none (cannot see it), dont-know.",
            values=CHOICES,
        ),
        "best_guess": Parameter(
            default=best_guess, about="After one of those answers, ask for a click as the best guess."
        ),
        "confirm": Parameter(default=True, about="An answer has to be confirmed, and can be taken back before."),
        "timeout_ms": Parameter(
            default=0, about="Time limit, after which the trial ends without an answer; 0 for none.", unit="ms", low=0
        ),
        **HEARD,
    }
    return Info(
        name=name, title=title, source=source, plugin="locate", parameters=parameters, answer=_ANSWER, times=_TIMES
    )


class Pointing(AnyProtocol):
    """Click a point, draw a box or choose a mark in a photograph; several and cannot see it are answers.

    Show where it is: a click, a box or a mark in a photograph.
    """

    info = _declare_protocol(
        "point",
        "Point in the picture",
        "RefCOCO, ScreenSpot and similar corpora, answered by people",
        ("several", "none"),
        False,
    )

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return description and photograph.

        Regions are shown only as marks, all of them, under public numbers in an independent order.
        """
        seen = make_photograph(stimulus.trial)
        labels = _number_marks(seen) if settings["way"] == "mark" else {}
        marks = [
            {"id": label, "box": [round(n, 2) for n in bounds_of(seen.regions[e], seen.size)]}
            for label, e in labels.items()
        ]
        choices = list(settings["choices"])
        parameters = {
            **show_words(stimulus, settings),
            **get_language(stimulus.trial),
            "photo": {
                "picture": seen.name,
                "drawn": bool(seen.svg),
                "width": seen.size.width,
                "height": seen.size.height,
            },
            "way": settings["way"],
            "marks": marks,
            "choices": choices,
            "best_guess": bool(choices) and bool(settings["best_guess"]),
            "confirm": settings["confirm"],
            "timeout_ms": settings["timeout_ms"],
        }
        return Shown(parameters=parameters, labels=labels)

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the answer is a point, box or mark inside the picture, or an offered answer."""
        check_recorded(answer, self.info)
        check_heard(answer, shown)
        fields, asked = answer.answer, shown.parameters
        expected = "entity" if asked["way"] == "mark" else asked["way"]
        outcome = fields.get("outcome")
        timeout = ("timeout",) if asked["timeout_ms"] else ()
        check_choice(answer, (expected, *asked["choices"], *timeout), shown.labels)
        size = Size(asked["photo"]["width"], asked["photo"]["height"])
        _check_pair(fields, ("x", "y"), outcome == "point", size)
        _check_pair(
            fields, ("guess_x", "guess_y"), None if asked["best_guess"] and outcome in asked["choices"] else False, size
        )
        _check_box(fields.get("box"), outcome == "box", size)
        if outcome != "timeout" and answer.times.get("combined_ms") is None:
            raise make_field_error("times.combined_ms", "this time is missing")

    def respond(self, answer: GivenAnswer, stimulus: Stimulus, shown: Shown, hearer: str) -> Response | None:
        """Return the response with the object at the chosen position; outside all objects it has no entity."""
        response = make_choice_response(answer, stimulus, shown, hearer, None, answer.times.get("combined_ms"))
        fields, seen = answer.answer, make_photograph(stimulus.trial)
        if response.outcome is Outcome.POINT:
            place: Place = Point((fields["x"], fields["y"]), XY)
            hit = find_entity_at(seen, fields["x"], fields["y"])
        elif response.outcome is Outcome.BOX:
            left, top, right, bottom = fields["box"]
            place = Box((left, top, right, bottom))
            hit = _find_overlapped(place, seen)
        else:
            return response
        outcome = response.outcome if hit is None else Outcome.ENTITY
        return replace(response, outcome=outcome, entity=hit, places=(place,))

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the answer of a simulated hearer: its point, or a point in the region of its choice."""
        seen = make_photograph(stimulus.trial)
        response = hearer.resolve(stimulus.description, _make_view(stimulus, hearer, rng))
        asked = shown.parameters
        fields: dict[str, Any] = {
            **dict.fromkeys(("x", "y", "box", "entity", "guess_x", "guess_y")),
            "zoom": 0,
            "repeats": 0,
        }
        fields |= {"corrected": False, "pointer": "mouse", "trusted": True}
        outcome = Outcome.DONT_KNOW if response.outcome in (Outcome.UNPARSABLE, Outcome.REFUSED) else response.outcome
        if str(outcome) in asked["choices"]:
            fields["outcome"] = str(outcome)
            if asked["best_guess"]:
                fields["guess_x"], fields["guess_y"] = _draw_point(response, seen, rng)
        else:
            fields |= _convert_simulated(response, seen, shown, rng)
        times = draw_times(
            response,
            Shown(parameters={**asked, "reading": "together", "fixation_ms": 0}, labels={}),
            rng,
            estimate_heard_ms(stimulus) if "media" in asked else 0.0,
        )
        recorded = {name: value for name, value in times.items() if name in _TIMES}
        recorded |= simulate_heard(stimulus, shown, times["text_onset"], rng)
        limit = settings["timeout_ms"]
        if limit and recorded["combined_ms"] > limit:
            fields |= {**dict.fromkeys(("x", "y", "box", "entity", "guess_x", "guess_y")), "outcome": "timeout"}
            recorded |= dict.fromkeys(("combined_ms", "t_response", "t_handler"))
        return GivenAnswer(answer=fields, times=recorded)


class RefOiChoice(Pointing):
    """Open-choice identification in photographs, with a best guess (RefOI).

    RefOI's open choice: click on it, or say that several match or that you cannot see it, each with a best guess.
    """

    info = _declare_protocol(
        "refoi",
        "Find it in the photograph, or say why not",
        "open-choice identification: Ma et al. (2025), RefOI; their results: refoi_2025_table2.csv",
        ("several", "none"),
        True,
    )


def _number_marks(seen: Photograph) -> dict[str, str]:
    """Return marks numbered from left to right and top to bottom, which reveals nothing else."""

    def corner(name: str) -> tuple[float, ...]:
        left, top, right, bottom = bounds_of(seen.regions[name], seen.size)
        return left, top, right, bottom

    return {f"e{n}": name for n, name in enumerate(sorted(seen.regions, key=corner), 1)}


def _check_pair(fields: Mapping[str, Any], names: tuple[str, str], is_asked: bool | None, size: Size) -> None:
    """Raise InputError unless two numbers inside the picture are present, absent, or either.

    `is_asked` is True, False or None for these three.
    """
    x, y = (fields.get(name) for name in names)
    has_point = x is not None and y is not None
    if (x is None) != (y is None) or (is_asked is not None and has_point != is_asked):
        raise make_field_error(f"answer.{names[0]}", "give a position if and only if it was requested")
    if has_point and not (0 <= x <= size.width and 0 <= y <= size.height):  # type: ignore[operator]
        raise make_field_error(f"answer.{names[0]}", "this is outside the picture")


def _check_box(box: Any, is_asked: bool, size: Size) -> None:
    """Raise InputError unless a box inside the picture is present exactly when it is requested."""
    if (box is not None) != is_asked:
        raise make_field_error("answer.box", "give a box if and only if it was requested")
    if box is None:
        return
    if len(box) != 4 or not (0 <= box[0] < box[2] <= size.width and 0 <= box[1] < box[3] <= size.height):
        raise make_field_error("answer.box", "left, top, right, bottom within the picture, with an area above 0")


def _find_overlapped(box: Box, seen: Photograph) -> str | None:
    """Return the entity that a box overlaps most, if their IoU is at least .5."""
    from referee.grounding.overlap import region_iou

    shares = {name: region_iou(box, region, seen.size) for name, region in seen.regions.items()}
    best = max(shares, key=lambda name: shares[name], default=None)
    return best if best is not None and shares[best] >= 0.5 else None


# -- simulated people --------------------------------------------------------------------------------------------------------


def _make_view(stimulus: Stimulus, hearer: Hearer, rng: Random) -> HearerView:
    return stimulus.trial.for_hearer(rng, marks=isinstance(hearer, SeesMarks) and hearer.marks)


def _convert_simulated(response: Response, seen: Photograph, shown: Shown, rng: Random) -> dict[str, Any]:
    """Return a simulated response as the fields of an answer, in the requested way of pointing."""
    way = shown.parameters["way"]
    x, y = _draw_point(response, seen, rng)
    if way == "point":
        return {"outcome": "point", "x": x, "y": y}
    if way == "mark":
        entity = response.entity or find_entity_at(seen, x, y)
        label = next((label for label, name in shown.labels.items() if name == entity), None)
        return {"outcome": "entity", "entity": label or rng.choice(sorted(shown.labels))}
    region = seen.regions.get(response.entity or "")
    box = bounds_of(region, seen.size) if region is not None else _make_box_around(x, y, seen.size)
    return {"outcome": "box", "box": list(_clip_box(box, seen.size))}


def _draw_point(response: Response, seen: Photograph, rng: Random) -> tuple[float, float]:
    """Return a point: that of the response, one inside the region of its entity, or a random one."""
    if response.places:
        place = response.places[0]
        if isinstance(place, Point):
            return place.on(seen.size)
        left, top, right, bottom = _clip_box(bounds_of(place, seen.size), seen.size)
        return (left + right) / 2, (top + bottom) / 2
    name = response.entity or rng.choice(sorted(_find_most_probable(response, seen)))
    region = seen.regions.get(name)
    if region is None:
        return rng.uniform(0, seen.size.width), rng.uniform(0, seen.size.height)
    left, top, right, bottom = _clip_box(bounds_of(region, seen.size), seen.size)
    for _ in range(50):
        x, y = rng.uniform(left, right), rng.uniform(top, bottom)
        if region_holds(region, x, y, seen.size):
            return x, y
    return (left + right) / 2, (top + bottom) / 2


def _find_most_probable(response: Response, seen: Photograph) -> list[str]:
    """Return the entities with the highest probability; all if the response has none."""
    shares = {e: p for e, p in response.probabilities or () if e in seen.regions}
    best = max(shares.values(), default=0.0)
    return [e for e, p in shares.items() if p >= best - 1e-9] or list(seen.regions) or [""]


def _make_box_around(x: float, y: float, size: Size) -> Corners:
    return x - size.width / 10, y - size.height / 10, x + size.width / 10, y + size.height / 10


def _clip_box(box: Corners, size: Size) -> Corners:
    left, top, right, bottom = box
    return max(0.0, left), max(0.0, top), min(float(size.width), right), min(float(size.height), bottom)
