"""One parser for all answers of models: choices, descriptions, ratings and places. In doubt an answer is unread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from referee.errors import InputError
from referee.geometry import Box, Convention, Order, Place, Point, Size
from referee.models.answers.choices import parse_choice
from referee.models.answers.cleaning import clean_answer, is_refusal
from referee.models.answers.descriptions import parse_description, parse_properties
from referee.models.answers.json_objects import has_open_json, unwrap_call
from referee.models.answers.ratings import parse_rating
from referee.models.answers.vocabulary import words

READ, UNREAD, REFUSED, CUT_OFF = "read", "unread", "refused", "cut-off"
KINDS_OF_ANSWERS = ("choice", "description", "properties", "rating", "place")
# Reasons of endpoints for ending an answer: OpenAI's, Anthropic's, Gemini's, Responses'.
_LENGTH = {"length", "max_tokens", "max_output_tokens", "model_length", "incomplete", "model_context_window_exceeded"}
_FILTERED = words("content_filter refusal safety prohibited_content blocklist recitation spii image_safety")


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A parsed answer of a model: its outcome and its value.

    Args:
        outcome: "read", "unread", "refused" or "cut-off".
        value: for a choice the number from 1, "several", "none" or "unknown"; for a description the phrase; for a rating the number; for a place a tuple of
            two or four numbers in the form's order and unit, a list of such tuples, or "none". None unless read.
        places: for a place, the same with its convention.
        is_second: whether it is the answer to a repeated question.
    """

    outcome: str
    value: Any = None
    places: tuple[Place, ...] = ()
    is_second: bool = False


def parse_answer(
    text: str | None,
    kind: str,
    *,
    options: int | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    form: str | None = None,
    size: tuple[int, int] | Size | None = None,
    language: str | None = None,
    finish: str | None = None,
) -> ParsedAnswer:
    """Parse a model's answer; an ambiguous one is unread.

    Args:
        text: the raw answer.
        kind: "choice", "description", "rating" or "place" ("properties": a description with its attribute values, as JSON).
        options: for a choice, their number, or their names in the order shown.
        scale: for a rating, its lowest and highest number.
        form: for a place, the model's format (`referee.models.answers.place_forms.FORMS`).
        size: for a place, width and height of the picture as sent; coordinates beyond it are unread.
        language: of number words; None means any.
        finish: the endpoint's reason for ending the answer.

    Raises:
        InputError: if the kind is unknown, or options, scale or form are missing.

    >>> parse_answer("I'm not sure, but I'd say 3.", "choice", options=5).value
    3
    >>> parse_answer("8/10", "rating", scale=(0, 100)).value
    80.0
    >>> parse_answer("<think>[1, 2, 3, 4]</think>[5, 6, 7, 8]", "place", form="json").value
    (5.0, 6.0, 7.0, 8.0)
    """
    if kind not in KINDS_OF_ANSWERS:
        raise InputError(f"no kind of answer is called {kind!r}", remedy=f"one of {', '.join(KINDS_OF_ANSWERS)}")
    if kind == "place":
        return parse_place(text, form or "json", size=size, finish=finish)
    if kind == "choice" and (options is None or not (options if isinstance(options, int) else len(options))):
        raise InputError("a choice needs its options", remedy="options=5, or options=['left', 'right']")
    if kind == "rating" and scale is None:
        raise InputError("a rating needs its scale", remedy="scale=(1, 7)")
    cleaned, ended = _prepare_text(text, finish)
    cleaned = unwrap_call(cleaned)
    value: Any = None
    if ended is None or (ended.outcome == REFUSED and kind == "choice" and cleaned):
        if kind == "choice":
            assert options is not None
            value = parse_choice(cleaned if ended is None else _skip_apology(cleaned), options, language)
        elif kind == "rating":
            assert scale is not None
            value = parse_rating(cleaned, *scale, language)
        else:
            value = parse_description(cleaned) if kind == "description" else parse_properties(cleaned)
    if ended is not None and not isinstance(value, int):
        return ended
    return ParsedAnswer(UNREAD) if value is None else ParsedAnswer(READ, value)


def _skip_apology(text: str) -> str:
    """Return the text after the sentence of refusal: a model may decline to be certain, and then answer."""
    end = re.search(r"\.\s+|\n|[,;]\s+(?:but|however|nevertheless|still)\b,?", text)
    return text[end.end() :].strip() if end else ""


def _prepare_text(text: str | None, finish: str | None) -> tuple[str, ParsedAnswer | None]:
    """The answer proper, and the outcome where it is already decided: refused, cut off, or empty."""
    reason = (finish or "").lower()
    cleaned = clean_answer(text or "")
    if reason in _FILTERED:
        return "", ParsedAnswer(REFUSED)
    # Half a refusal is a refusal.
    if is_refusal(cleaned.text):
        return cleaned.text, ParsedAnswer(REFUSED)
    if reason in _LENGTH or cleaned.is_cut_off or has_open_json(cleaned.text):
        return cleaned.text, ParsedAnswer(CUT_OFF)
    return cleaned.text, None if cleaned.text else ParsedAnswer(UNREAD)


def parse_place(
    text: str | None,
    form: str,
    *,
    convention: Convention | None = None,
    size: tuple[int, int] | Size | None = None,
    finish: str | None = None,
) -> ParsedAnswer:
    """The boxes or points of an answer.

    `convention` where the numbers mean something else than usual for the form.
    """
    from referee.models.answers.place_forms import form_named, is_absent, is_declined, read_places

    chosen = form_named(form)
    cleaned, ended = _prepare_text(text, finish)
    if ended is not None and ended.outcome == CUT_OFF:
        return ended
    meaning = convention or Convention.of(chosen.convention)
    places = tuple(read_places(cleaned, chosen, meaning))
    # A question that names a place asks about it.
    if places and cleaned.rstrip(" \"'*)").endswith(("?", "？")):
        return ParsedAnswer(UNREAD)
    # Some models write -1 for "nowhere".
    if any(isinstance(place, Box | Point) and max(place.numbers) < 0 for place in places):
        return ParsedAnswer(UNREAD)
    if places:
        if size is not None and not all(is_inside(p, size if isinstance(size, Size) else Size(*size)) for p in places):
            return ParsedAnswer(UNREAD)
        numbers = [_convert_to_form(place, meaning, chosen.half_bin) for place in places]
        return ParsedAnswer(READ, numbers[0] if len(numbers) == 1 else numbers, places)
    if is_absent(cleaned):
        return ParsedAnswer(READ, "none")
    if cleaned.strip(" .\"'`*").lower() == "several":
        return ParsedAnswer(READ, "several")
    return ended or ParsedAnswer(REFUSED if is_declined(cleaned) else UNREAD)


def _convert_to_form(place: Place, meaning: Convention, half_bin: float) -> tuple[float, ...]:
    """Return a place's numbers as its form writes them: its order (an answer may name its sides in any), its bins."""
    assert isinstance(place, Box | Point)
    if half_bin and place.convention.unit is meaning.unit:
        return tuple(number - half_bin for number in place.numbers)
    order = place.convention.order
    is_turned = meaning.order in (Order.YX, Order.YXYX)
    if isinstance(place, Point):
        target = Order.YX if is_turned else Order.XY
    else:
        target = {Order.XY: Order.XYXY, Order.YX: Order.YXYX}.get(meaning.order, meaning.order)
    if order is target or place.convention.unit is not meaning.unit:
        return place.numbers
    if isinstance(place, Point):
        return place.numbers[::-1]
    return tuple(map(float, target.written(*order.corners(*map(Fraction, place.numbers)))))


def is_inside(place: Place, size: Size) -> bool:
    """Return whether a place lies within the picture as sent, up to rounding at its border."""
    if isinstance(place, Box):
        corners = place.convention.order.corners(*map(Fraction, place.numbers))
        numbers = [(corners[0], corners[1]), (corners[2], corners[3])]
    elif isinstance(place, Point):
        x, y = place.numbers if place.convention.order is Order.XY else place.numbers[::-1]
        numbers = [(Fraction(x), Fraction(y))]
    else:
        return True
    steps = place.convention.unit.steps
    width, height = (steps, steps) if steps is not None else (size.width, size.height)
    slack = Fraction(1, 50)
    return all(
        -width * slack <= x <= width * (1 + slack) and -height * slack <= y <= height * (1 + slack) for x, y in numbers
    )
