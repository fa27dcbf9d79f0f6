"""Measures inside harnesses: functions of one answer, and inspect_ai's scorers where that package is installed."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from referee.errors import InputError
from referee.harness import measure_choice, measure_description, measure_place, process_description, process_place


def test_descriptions() -> None:
    assert measure_description("The red cup", ["the red cup"], "string/exact") == 1.0
    assert measure_description("", ["the red cup"]) is None
    # By hand: one word of three differs, and a substitution costs 2.
    assert process_description({"answer": ["the red cup"]}, [["the blue cup"]], ["string/edit"]) == {"string_edit": 2.0}
    with pytest.raises(InputError, match="references"):
        process_description({"question": "?"}, ["x"])


def test_places() -> None:
    found = measure_place("[0, 0, 600, 1000]", [0, 0, 640, 480], convention="0-1000 xyxy", size=(640, 480))
    # By hand: six tenths of the picture.
    assert (found["iou"], found["accuracy"], found["point"]) == (pytest.approx(0.6), 1.0, 1.0)
    assert (
        measure_place("I cannot see it", [0, 0, 1, 1], convention="0-1 xyxy", gold_convention="0-1 xyxy", size=(1, 1))[
            "iou"
        ]
        == 0.0
    )
    assert (
        process_place({"bbox": [0, 0, 1, 1]}, ["[0, 0, 1, 0.5]"], convention="0-1 xyxy", gold_convention="0-1 xyxy")[
            "iou"
        ]
        == 0.5
    )
    with pytest.raises(InputError, match="convention"):
        measure_place("[0, 0, 1, 1]", [0, 0, 1, 1], convention="metres")


def test_choices() -> None:
    assert measure_choice("2", 3, 2) == (1.0, "2")
    assert measure_choice("???", 3, 2) == (0.0, "unparsable")


def test_scorers_of_inspect() -> None:
    scorers = pytest.importorskip("referee.inspect", exc_type=ImportError)
    from inspect_ai.scorer import Target

    state = SimpleNamespace(output=SimpleNamespace(completion="the red cup"), metadata={})
    assert asyncio.run(scorers.description("string/exact")(state, Target(["the red cup"]))).value == 1.0
    chosen = SimpleNamespace(output=SimpleNamespace(completion="2"), metadata={"places": ["a", "b"]})
    assert asyncio.run(scorers.choice()(chosen, Target("2"))).value == 1.0
    box = SimpleNamespace(
        output=SimpleNamespace(completion="[0, 0, 500, 1000]"),
        metadata={"bbox": [0, 0, 640, 480], "image_size": [640, 480]},
    )
    assert asyncio.run(scorers.grounding("0-1000 xyxy", measure="iou")(box, Target(""))).value == 0.5
