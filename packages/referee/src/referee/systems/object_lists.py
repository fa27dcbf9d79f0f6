"""The objects of a scene as a list for a model: numbered or not, with places as coordinates, as words, or left out."""

from __future__ import annotations

from collections.abc import Sequence

from referee.errors import InputError
from referee.models.object_lines import format_object
from referee.records import Entity, Scene
from referee.show.drawing.place_words import describe_positions
from referee.show.drawing.placement import PLACE_NAMES

PLACES = ("coordinates", "words", "none")


def check_places(places: str) -> None:
    if places not in PLACES:
        raise InputError(f"places cannot be {places!r}", remedy=f"places: is one of {', '.join(PLACES)}")


def format_objects(entities: Sequence[Entity], places: str = "coordinates") -> list[str]:
    """Return one line per entity, in the given order; relations name other entities by their numbers."""
    numbers = {e.id: i for i, e in enumerate(entities, 1)}
    if places == "coordinates":
        return [format_object(e, numbers) for e in entities]
    words = describe_positions(Scene(entities=tuple(entities))) if places == "words" else {}
    return [format_object(e, numbers, words.get(e.id, ""), PLACE_NAMES) for e in entities]
