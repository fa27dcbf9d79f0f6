"""Gradable properties: superlatives, ordinals and comparisons in place of numbers (after van Deemter 2006)."""

from __future__ import annotations

import pytest
from contexts import scene, view

from naive_meaning import fitting
from referee.jobs.describe import describe_view
from referee.selection.gradable import Gradable

# Four mice and a large rat; the sizes are centimetres.
MICE = scene(
    a="type:mouse size:6 colour:grey",
    b="type:mouse size:10 colour:grey",
    c="type:mouse size:12 colour:grey",
    d="type:mouse size:14 colour:white",
    r="type:rat size:30 colour:grey",
)


@pytest.mark.parametrize(
    ("targets", "comparison", "text"),
    [
        ("a", ("least", "size", 1), "the smallest grey mouse"),
        ("b", ("nth", "size", 2, "right"), "the second largest grey mouse"),
        ("c", ("most", "size", 1), "the largest grey mouse"),
        ("d", ("colour", "white"), "the white mouse"),
        ("ab", ("least", "size", 2), "the two smallest grey mice"),
        ("cd", ("most", "size", 2), "the two largest mice"),
    ],
)
def test_mice_by_size(targets: str, comparison: tuple, text: str) -> None:
    """Worked out by hand: grey leaves mice of 6, 10 and 12 cm; c and d share no colour, and mice of 12 and 14 cm are the two largest of four."""
    seen = view(MICE, *targets)
    form = Gradable().select_meaning(seen)
    assert form[-1] == comparison
    assert fitting(form, MICE) == set(targets)
    described = describe_view(seen, "classic/gradable")
    assert (described.text, described.distinguishing, described.dropped) == (text, True, ())


def test_what_lies_between_is_compared_with_numbers() -> None:
    room = scene(a="type:box size:10", b="type:box size:20", c="type:box size:30", d="type:box size:40")
    form = Gradable().select_meaning(view(room, "b", "c"))
    assert form == ("and", ("type", "box"), (">", "size", 10), ("<", "size", 40))
    text = describe_view(view(room, "b", "c"), "classic/gradable").text
    assert text == "the two boxes that are larger than 10 and that are smaller than 40"


def test_without_another_difference_positions_are_compared() -> None:
    from dataclasses import replace

    row = scene(a="type:chair", b="type:chair", c="type:chair")
    places = {"a": (5.0, 0.0), "b": (1.0, 0.0), "c": (9.0, 0.0)}
    room = replace(row, entities=tuple(replace(e, position=places[e.id]) for e in row.entities))
    assert describe_view(view(room, "b"), "classic/gradable").text == "the leftmost chair"
    assert describe_view(view(room, "a"), "classic/gradable").distinguishing
