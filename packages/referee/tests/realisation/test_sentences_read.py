"""Sentences that a person read beside their scenes (kitchen, garage, faces, trees, screens …): true, and English.

`sentences_read.jsonl` holds 210 random scenes, each with its sentence. A sentence that changes is read again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.jobs.describe import describe
from referee.realisation.language import Noun
from referee.realisation.portuguese import PORTUGUESE

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


@pytest.mark.parametrize(
    ("language", "attributes", "text"),
    [
        # A straw is a thing, straw is a material: which one is meant is not known.
        ("en", {"type": "hat", "made_of": "straw"}, 'with "made of: straw"'),
        ("en", {"type": "hat", "made_of": "felt"}, "made of felt"),
        # The customers wear no apron.
        ("en", {"type": "baker", "customers": "many", "wears": "apron"}, "with many customers and wearing an apron"),
        ("en", {"type": "clock", "stopped_at": "none"}, 'with "stopped at: none"'),
        ("en", {"type": "tyre", "pressure_bar": 1.1}, "with a pressure of 1.1 bar"),
        ("en", {"type": "motorbike", "engine_cc": 600}, "with an engine of 600 cc"),
        ("en", {"type": "lamp", "power_w": 40}, "with a power of 40 W"),
        ("en", {"type": "hive", "honey_kg": 12}, "with 12 kg of honey"),
        ("en", {"type": "vat", "sugar_g": 400}, "with 400 g of sugar"),
        ("en", {"type": "sticker", "rotation_deg": 45}, "with a rotation of 45°"),
        ("en", {"type": "screen", "menu_bar": 3}, "menu bar"),
        ("en", {"type": "room", "temperature_min": 5}, "temperature min"),
        ("en", {"type": "can", "shelfNo": 3}, "with shelf number 3"),
        ("en", {"type": "table", "cols": 5}, "with five columns"),
        ("en", {"type": "sample", "ph": 4.5}, "with a pH of 4.5"),
        ("de", {"type": "Baum", "Stamm": "gerade"}, "mit geradem Stamm"),
        ("de", {"type": "Hund", "Fell": "dunkel"}, "mit dunklem Fell"),
        ("de", {"type": "Mann", "Mantel": "teuer"}, "mit teurem Mantel"),
        ("de", {"type": "Katze", "Stimmung": "müde"}, "die müde Katze"),
        ("de", {"type": "Tasse", "Farbe": "türkis"}, "die türkisfarbene Tasse"),
        ("de", {"type": "Flasche", "Herkunft": "Bach"}, "mit „Herkunft: Bach“"),
        ("de", {"type": "Getriebe", "Zustand": "alt"}, "das alte Getriebe"),
        ("de", {"type": "Schrank", "Länge_cm": 90}, "mit „Länge: 90 cm“"),
        ("de", {"type": "Katze", "Fell": "nass", "Halsband": "keins"}, "mit nassem Fell und ohne Halsband"),
        ("pt", {"type": "barril", "volume_l": 60}, "com volume de 60 l"),
    ],
)
def test_attributes_of_strangers_have_words(language: str, attributes: dict[str, object], text: str) -> None:
    scene = {"language": language, **make_scene(attributes, {"type": "x"})}
    assert text in (describe(scene, ["a"], "baseline/everything").text or "")


def test_pixels_are_no_columns_and_rows_even_if_one_of_them_is_small() -> None:
    scene = make_scene(*({"type": "icon", "x": x, "y": y} for x, y in ((10, 10), (60, 10), (110, 90))))
    assert describe(scene, ["b"], "baseline/everything").text == "the icon with an x of 60 and a y of 10"


def test_superlatives_of_amounts_have_no_unit() -> None:
    scene = make_scene(*({"type": "sticker", "rotation_deg": n} for n in (10, 45, 90)))
    assert describe(scene, ["c"], "classic/gradable").text == "the sticker with the highest rotation"


def test_german_men_in_e_have_an_ending_behind_a_preposition() -> None:
    scene = {"language": "de", **make_scene({"type": "Katze"}, {"type": "Hase"}, {"type": "Katze"})}
    scene["entities"][0]["relations"] = [["near", "b"]]  # type: ignore[index]
    assert describe(scene, ["a"], "classic/relational").text == "die Katze beim Hasen"


# Plurals of Cunha & Cintra, Nova Gramática do Português Contemporâneo.
@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("pão", "pães"), ("cão", "cães"), ("capitão", "capitães"), ("mão", "mãos"), ("irmão", "irmãos"), ("limão", "limões"), ("balcão", "balcões"),
        ("pão de queijo", "pães de queijo"), ("barril", "barris"), ("papel", "papéis"), ("lençol", "lençóis"), ("túnel", "túneis"), ("lápis", "lápis"),
        ("ônibus", "ônibus"), ("país", "países"),
    ],
)  # fmt: skip
def test_portuguese_plurals(one: str, many: str) -> None:
    assert PORTUGUESE.several(Noun(one)).word == many


def test_lengths_in_several_units_are_compared() -> None:
    scene = make_scene(*({"type": "snake", "length": n} for n in ("2.5 m", "40 cm", "1 m")))
    # 40 cm < 1 m < 2.5 m
    assert describe(scene, ["a"]).text == "the longest snake"
    assert describe(scene, ["b"], "classic/gradable").meaning == ("and", ("type", "snake"), ("least", "length", 1))
    assert describe(scene, ["b"]).text == "the shortest snake"
