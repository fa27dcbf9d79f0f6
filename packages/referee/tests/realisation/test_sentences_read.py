"""Sentences that a person read beside their scenes (kitchen, garage, faces, trees, screens …): true, and English.

`sentences_read.jsonl` holds 210 random scenes, each with its sentence. A sentence that changes is read again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.jobs.describe import describe

LINES = [json.loads(line) for line in Path(__file__).with_name("sentences_read.jsonl").read_text("utf-8").splitlines()]


def test_the_sentences_are_those_that_were_read() -> None:
    changed = {}
    for line in LINES:
        described = describe({"entities": line["entities"]}, line["targets"], line["system"])
        assert (described.dropped, described.false) == ((), ()), line
        if described.text != line["text"]:
            changed[line["text"]] = described.text
    assert len(LINES) >= 200
    assert changed == {}


def make_scene(*entities: Mapping[str, object]) -> dict[str, object]:
    return {"entities": [{"id": "abcd"[i], "attributes": attributes} for i, attributes in enumerate(entities)]}


@pytest.mark.parametrize(
    ("attributes", "others", "text"),
    [
        (
            {"type": "screen", "diagonal": "27 inch"},
            {"type": "screen", "diagonal": "24 inch"},
            'with "diagonal: 27 inch"',
        ),
        ({"type": "shirt", "price": "$25"}, {"type": "shirt", "price": "$40"}, "with a price of $25"),
        ({"type": "lamp", "bulb": "LED"}, {"type": "lamp", "bulb": "halogen"}, "with an LED bulb"),
        (
            {"type": "printer", "connection": "USB"},
            {"type": "printer", "connection": "none"},
            'whose connection is "USB"',
        ),
        (
            {"type": "desk", "tidiness": "cluttered"},
            {"type": "desk", "tidiness": "tidy"},
            "whose tidiness is cluttered",
        ),
        ({"type": "tree", "kind": "deciduous"}, {"type": "tree", "kind": "coniferous"}, "the deciduous tree"),
        ({"type": "hat", "kind": "bowler"}, {"type": "hat", "kind": "top"}, "the bowler hat"),
        ({"type": "lion", "born_in_zoo": True}, {"type": "lion", "born_in_zoo": False}, 'with "born in zoo: yes"'),
        ({"type": "woman", "ear_piercing": True}, {"type": "woman", "ear_piercing": False}, "with an ear piercing"),
        (
            {"type": "man", "years_of_experience": 3},
            {"type": "man", "years_of_experience": 7},
            "three years of experience",
        ),
        ({"type": "can", "fullness": "half-full"}, {"type": "can", "fullness": "full"}, "whose fullness is half-full"),
        (
            {"type": "tree", "type_of_bark": "smooth"},
            {"type": "tree", "type_of_bark": "rough"},
            "whose type of bark is smooth",
        ),
        (
            {"type": "bird", "standing_on": "one leg"},
            {"type": "bird", "standing_on": "ice"},
            'with "standing on: one leg"',
        ),
        ({"type": "gift", "wrapping": "foil"}, {"type": "gift", "wrapping": "none"}, "whose wrapping is foil"),
        (
            {"type": "girl", "teeth_visible": True},
            {"type": "girl", "teeth_visible": False},
            'with "teeth visible: yes"',
        ),
        ({"type": "text", "read": False}, {"type": "text", "read": True}, "the unread text"),
        (
            {"type": "pan", "handle_material": "steel"},
            {"type": "pan", "handle_material": "cork"},
            "whose handle material is steel",
        ),
    ],
)
def test_attributes_of_strangers_have_english_words(
    attributes: dict[str, object], others: dict[str, object], text: str
) -> None:
    assert text in (describe(make_scene(attributes, others), ["a"], "baseline/everything").text or "")


def test_lengths_in_several_units_are_compared() -> None:
    scene = make_scene(*({"type": "snake", "length": n} for n in ("2.5 m", "40 cm", "1 m")))
    # 40 cm < 1 m < 2.5 m
    assert describe(scene, ["a"]).text == "the longest snake"
    assert describe(scene, ["b"], "classic/gradable").meaning == ("and", ("type", "snake"), ("least", "length", 1))
    assert describe(scene, ["b"]).text == "the shortest snake"
