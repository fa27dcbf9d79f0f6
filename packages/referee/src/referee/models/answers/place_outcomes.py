"""Answers about places as outcomes of responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from referee.geometry import Box, Convention, Place, Point, Size
from referee.records import Outcome

if TYPE_CHECKING:
    from referee.models.answers.parsing import ParsedAnswer


class PlaceAnswer(NamedTuple):
    """The outcome of an answer about places, and the places."""

    outcome: Outcome
    places: tuple[Place, ...] = ()


def parse_place_answer(
    text: str, form: str, convention: Convention | None = None, size: Size | None = None
) -> PlaceAnswer:
    """The outcome and places of an answer in words (see `parse_place`)."""
    # The parser is imported when there is something to parse: its patterns take a tenth of a second.
    from referee.models.answers.parsing import UNREAD, parse_place

    parsed = parse_place(text, form, convention=convention, size=size)
    return PlaceAnswer(Outcome.EMPTY) if parsed.outcome == UNREAD and not text.strip() else as_place_answer(parsed)


def as_place_answer(parsed: ParsedAnswer) -> PlaceAnswer:
    """Return a parsed answer as an outcome: unread or cut off is UNPARSABLE."""
    from referee.models.answers.parsing import REFUSED

    if parsed.places:
        return place_answer_of(parsed.places)
    words = {"none": Outcome.NONE, "several": Outcome.SEVERAL}
    if isinstance(parsed.value, str):
        return PlaceAnswer(words[parsed.value])
    return PlaceAnswer(Outcome.REFUSED if parsed.outcome == REFUSED else Outcome.UNPARSABLE)


def place_answer_of(places: Sequence[Place]) -> PlaceAnswer:
    """Return the outcome of one place or several; a box without area is EMPTY."""
    if len(places) > 1:
        return PlaceAnswer(Outcome.SEVERAL, tuple(places))
    (place,) = places
    if isinstance(place, Point):
        return PlaceAnswer(Outcome.POINT, (place,))
    return PlaceAnswer(Outcome.EMPTY if isinstance(place, Box) and place.empty else Outcome.BOX, (place,))
