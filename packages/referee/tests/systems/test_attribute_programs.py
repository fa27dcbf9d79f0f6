"""The submitted programs of OSU-GP, and the language they are written in."""

from __future__ import annotations

import pytest
from rooms import room, trial, written

from referee.errors import InputError
from referee.selection.contrast import get_contrast
from referee.systems.attribute_programs import (
    CAN_USE_LOCATION,
    CURRENT,
    OTHERS,
    REST,
    Programs,
    ProgramView,
    evaluate_program,
)

SOFAS = room(
    "type:sofa colour:red size:large orientation:left x-dimension:1 y-dimension:2",
    "type:sofa colour:red size:small orientation:left x-dimension:1 y-dimension:2",
    "type:sofa colour:blue size:large orientation:left x-dimension:1 y-dimension:2",
)
FACES = room("type:person hairColour:dark hasGlasses:0 hasBeard:1 hasSuit:0 hasTie:0", "type:person hairColour:light")


@pytest.mark.parametrize(
    ("domain", "condition", "expected"),
    [
        ("furniture", "+LOC", "orientation:left size:large colour:red"),
        ("furniture", "-LOC", "orientation:left size:large colour:red type:sofa"),
        ("people", "+LOC", "hairColour:dark hasGlasses:0 hasBeard:1 hasSuit:0"),
        ("people", "-LOC", "hairColour:dark hasGlasses:0 hasBeard:1"),
    ],
)
def test_the_submitted_programs_say_what_king_2008_prints(domain: str, condition: str, expected: str) -> None:
    scene = SOFAS if domain == "furniture" else FACES
    assert written(Programs().select(trial(scene, domain=domain, condition=condition).for_speaker())) == expected


def test_a_domain_without_a_program_is_an_error_that_says_which_there_are() -> None:
    with pytest.raises(InputError, match="furniture, people"):
        Programs().select(trial(SOFAS, domain="tangrams").for_speaker())


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (("list", "type"), ("type",)),
        (("add", ("list", "type"), "size"), ("type", "size")),
        (("add", ("list", "type"), "type"), ("type",)),
        (("remove", ("list", "type", "size"), "type"), ("size",)),
        (("join", ("list", "type"), ("list", "size", "type")), ("type", "size")),
        # the incremental algorithm, put together: keep what leaves fewer of those who are still there
        (
            ("each", ("list", "type", "colour", "size", "orientation"), ("fewer", ("agreeing", REST, CURRENT), REST)),
            ("colour", "size"),
        ),
        (("each", ("list", "type", "colour"), ("not", ("among", CURRENT, ("list", "type")))), ("colour",)),
        (("empty", ("agreeing", ("agreeing", OTHERS, "colour"), "size")), True),
        (("if", CAN_USE_LOCATION, ("list", "a"), ("list", "b")), ("a",)),
        (("add", ("list",), ("which", CAN_USE_LOCATION, "size", "colour")), ("size",)),
        (("enough", ("list", "size", "colour")), True),
        (("enough", ("list", "type")), False),
        (("and", CAN_USE_LOCATION, ("not", CAN_USE_LOCATION)), False),
        (("or", CAN_USE_LOCATION, ("not", CAN_USE_LOCATION)), True),
    ],
)
def test_operations_mean_what_they_say(program: tuple[object, ...], expected: object) -> None:
    situation = ProgramView(get_contrast(trial(SOFAS).for_speaker()), can_use_location=True)
    assert evaluate_program(program, situation) == expected
