"""Words for scenes with attributes that no table knows: numbers, counts, parts, what is denied; in three languages. Expected texts: written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from referee.jobs.describe import describe, make_view
from referee.meaning import parse
from referee.realisation.english import ENGLISH
from referee.realisation.wording import Wording, language_of
from referee.records import Entity, Property, Relation, Scene, SpeakerView

THREE_MICE = [{"type": "mouse", "size": n} for n in (10, 14, 12)]
CARS = [{"type": "car", "price": n} for n in (12000, 9000, 15000)]
ROW = [{"type": "chair", "x": n, "y": 1} for n in (1, 2, 3)]
MUGS = [{"type": "mug", "broken": b, "handle": h} for b, h in ((True, True), (False, True), (True, False))]
INCREMENTAL, EVERYTHING, BOOLEAN = "classic/incremental", "baseline/everything", "classic/boolean"


def said(things: list[dict[str, Any]], targets: str, system: str, language: str = "en") -> str | None:
    entities = [{"id": name, "attributes": own} for name, own in zip("abcdef", things, strict=False)]
    found = describe({"language": language, "entities": entities}, list(targets), system)
    assert (found.dropped, found.false) == ((), ())
    return found.text


@pytest.mark.parametrize(
    ("things", "targets", "system", "text"),
    [
        ([{"type": "car", "speed": "50 km/h"}, {"type": "car", "speed": "80 km/h"}], "b", INCREMENTAL, "the faster car"),
        ([{"type": "die", "dots": n} for n in (3, 5, 1)], "a", INCREMENTAL, "the die with three dots"),
        ([{"type": "die", "dots": n} for n in (3, 5, 1)], "c", INCREMENTAL, "the die with one dot"),
        ([{"type": "robot", "wheels": n} for n in (0, 3)], "a", INCREMENTAL, "the robot without wheels"),
        ([{"type": "robot", "numberOfArms": n} for n in (2, 4)], "a", INCREMENTAL, "the robot with two arms"),
        ([{"type": "robot", "battery_level": v} for v in ("high", "low")], "a", INCREMENTAL, "the robot whose battery level is high"),
        ([{"type": "child", "hair": v} for v in ("brown", "blond")], "a", INCREMENTAL, "the child with brown hair"),
        ([{"type": "woman", "hatColour": v} for v in ("red", "blue")], "a", INCREMENTAL, "the woman whose hat colour is red"),
        ([{"type": "shirt", "pattern": "striped", "sleeves": v} for v in ("long", "short")], "a", EVERYTHING, "the striped shirt with long sleeves"),
        ([{"type": "umbrella", "colour": "orange", "open": v} for v in ("yes", "no")], "a", EVERYTHING, "the open orange umbrella"),
        ([{"type": "chair", "material": v} for v in ("wood", "metal")], "a", INCREMENTAL, "the wooden chair"),
        (THREE_MICE, "ab", BOOLEAN, "the two that do not have a size of 12"),
        (ROW, "ab", BOOLEAN, "the two that are not in column 3"),
        ([{"x-dimension": n} for n in (1, 2, 4)], "ab", BOOLEAN, "the two that are not on the right"),
        (ROW, "a", EVERYTHING, "the leftmost chair in row 1"),
        (MUGS, "ab", BOOLEAN, "the two with a handle"),
        ([{"type": "box", "colour": "grey", "weight": n} for n in (3, 8)], "a", EVERYTHING, "the less heavy grey box"),
        ([{"type": "man", "looking": v} for v in ("up", "left")], "a", INCREMENTAL, "the man looking up"),
        ([{"type": "man", "hat": "red", "looking": v} for v in ("up", "left")], "a", EVERYTHING, "the man with a red hat and looking up"),
        ([{"type": "man", "eye_colour": v} for v in ("brown", "green")], "a", INCREMENTAL, "the man with brown eyes"),
        ([{"type": "man", "skin": v} for v in ("pale", "dark")], "a", INCREMENTAL, "the man with pale skin"),
        ([{"type": "tree", "planted": v} for v in ("1990", "2005")], "a", INCREMENTAL, "the tree planted in 1990"),
        ([{"type": "bike", "flat_tyre": v} for v in ("yes", "no")], "a", INCREMENTAL, "the bike with a flat tyre"),
        ([{"type": t} for t in ("loaf of bread", "loaf of bread", "cheese")], "ab", INCREMENTAL, "the two loaves of bread"),
    ],
)  # fmt: skip
def test_english(things: list[dict[str, Any]], targets: str, system: str, text: str) -> None:
    assert said(things, targets, system) == text


@pytest.mark.parametrize(
    ("things", "targets", "system", "german", "portuguese"),
    [
        ([{"type": "table", "width": n} for n in (120, 80)], "a", INCREMENTAL, "der breitere Tisch", "a mesa mais larga"),
        (CARS, "ab", INCREMENTAL, "die zwei billigsten Autos", "os dois carros mais baratos"),
        (THREE_MICE, "ab", BOOLEAN, "die zwei, die nicht Größe 12 haben", "os dois que não têm tamanho 12"),
        ([{"colour": c} for c in ("red", "blue", "green")], "ab", BOOLEAN, "die zwei, die nicht grün sind", "os dois que não são verdes"),
        ([{"type": "cube", "shade": v, "colour": "blue"} for v in ("dark", "light")], "a", EVERYTHING, "der dunkle blaue Würfel", "o cubo azul escuro"),
        ([{"type": "cube", "hpos": v, "vpos": "centre"} for v in ("centre", "left")], "a", EVERYTHING, "der Würfel in der Mitte", "o cubo no centro no meio"),
        ([{"name": v} for v in ("Ana", "Rita", "Eva")], "ab", BOOLEAN, "die zwei, die nicht Eva sind", "os dois que não são chamados Eva"),
        ([{"type": "cube", "vpos": v} for v in ("bottom", "bottom", "top")], "ab", INCREMENTAL, "die zwei Würfel unten", "os dois cubos embaixo"),
        (ROW, "a", EVERYTHING, "der äußerste linke Stuhl in Zeile 1", "a cadeira mais à esquerda na linha 1"),
        ([{"type": "chair", "size": n} for n in (10, 14, 12)], "c", INCREMENTAL, "der zweitgrößte Stuhl", "a cadeira com tamanho 12"),
        (
            [{"type": "chair", "colour": "red", "size": s} for s in ("regular", "small")], "a", EVERYTHING,
            "der mittelgroße rote Stuhl", "a cadeira vermelha de tamanho médio",
        ),
    ],
)  # fmt: skip
def test_german_and_portuguese(
    things: list[dict[str, Any]], targets: str, system: str, german: str, portuguese: str
) -> None:
    assert (said(things, targets, system, "de"), said(things, targets, system, "pt")) == (german, portuguese)


def related(
    relations: dict[str, list[list[str]]], things: dict[str, dict[str, str]], language: str = "en"
) -> str | None:
    entities = [{"id": i, "attributes": own, "relations": relations.get(i, [])} for i, own in things.items()]
    found = describe({"language": language, "entities": entities}, "a", "classic/relational")
    assert (found.distinguishing, found.dropped, found.false) == (True, (), ())
    return found.text


BETWEEN = {"a": [["between", "x"], ["between", "y"]]}
BALLS = {"a": {"type": "ball"}, "b": {"type": "ball"}, "x": {"type": "cube"}, "y": {"type": "cube"}}
COLOURED = BALLS | {"x": {"type": "cube", "colour": "red"}, "y": {"type": "cube", "colour": "blue"}}


@pytest.mark.parametrize(
    ("language", "alike", "different"),
    [
        ("en", "the ball between the two cubes", "the ball between the red cube and the blue cube"),
        ("de", "der Ball zwischen den zwei Würfeln", "der Ball zwischen dem roten Würfel und dem blauen Würfel"),
        ("pt", "a bola entre os dois cubos", "a bola entre o cubo vermelho e o cubo azul"),
    ],
)
def test_both_sides_of_between(language: str, alike: str, different: str) -> None:
    assert (related(BETWEEN, BALLS, language), related(BETWEEN, COLOURED, language)) == (alike, different)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "the house with the tree between it and the man"),
        ("de", "das Haus, zwischen welchem und dem Mann der Baum ist"),
        ("pt", "a casa entre a qual e o homem está a árvore"),
    ],
)
def test_between_from_its_other_end_names_both_sides(language: str, text: str) -> None:
    things = {"a": {"type": "house"}, "b": {"type": "house"}, "c": {"type": "tree"}, "d": {"type": "man"}}
    assert related({"c": [["between", "a"], ["between", "d"]]}, things, language) == text


def test_a_relation_that_no_table_knows_is_said_by_its_name() -> None:
    things = {"a": {"type": "man"}, "b": {"type": "woman"}, "c": {"type": "man"}}
    assert related({"a": [["isLookingAt", "b"]]}, things) == "the man looking at the woman"
    cups = {"a": {"type": "cup"}, "b": {"type": "cup"}, "t": {"type": "table"}}
    assert related({"a": [["on", "t"]]}, cups, "pt") == "a xícara sobre a mesa"


@pytest.mark.parametrize(
    ("things", "text"),
    [
        ([{"type": "house", "floors": n} for n in (1, 3)], "the house with one floor"),
        ([{"type": "boy", "holding": v} for v in ("ball", "umbrella")], "the boy holding a ball"),
        ([{"type": "man", "beard": v} for v in ("none", "long")], "the man without a beard"),
        ([{"type": "man", "eyes": v} for v in ("blue", "brown")], "the man with blue eyes"),
        ([{"type": "barn", "garden": v} for v in ("small", "large")], "the barn with a small garden"),
        ([{"type": "ladder", "owner": v} for v in ("Bob", "Anna")], "the ladder owned by Bob"),
        ([{"type": "tyre", "brand": v} for v in ("Volvo", "Ford")], "the Volvo tyre"),
        ([{"type": "church", "for_sale": v} for v in (False, True)], "the church that is not for sale"),
        ([{"type": "button", "label": v} for v in ("OK", "Cancel")], 'the button labelled "OK"'),
        ([{"type": "oak", "alive": v} for v in (True, False)], "the living oak"),
        ([{"type": "tree", "nest": v} for v in (False, True)], "the tree without a nest"),
        ([{"type": "square", "row": v} for v in (1, 2)], "the square in row 1"),
        ([{"type": "pan", "nonStick": v} for v in (False, True)], 'the pan with "non stick: no"'),
        ([{"type": "bottle", "cap": v} for v in ("on", "off")], "the bottle with the cap on"),
        ([{"type": "bowl", "contents": v} for v in ("empty", "soup")], "the bowl with empty contents"),
        ([{"type": "door", "open": v} for v in ("ajar", "shut")], 'the door with "open: ajar"'),
        ([{"type": "plant", "watered": v} for v in ("today", "never")], "the plant watered today"),
        ([{"type": "flag", "star": v} for v in ("one", "many")], 'the flag whose star is "one"'),
        ([{"type": "man", "hatColour": v} for v in ("none", "red")], "the man with no hat colour"),
        ([{"type": "cake", "topping": v} for v in ("cherries", "none")], 'the cake whose topping is "cherries"'),
        ([{"type": "chair", "x-dimension": v} for v in (5, 7, 8)], "the leftmost chair"),
        ([{"type": "chair", "colour": ""}, {"type": "chair", "colour": "red"}], "the chair"),
    ],
)
def test_values_that_are_no_adjectives_of_the_whole_thing(things: list[dict[str, Any]], text: str) -> None:
    assert said(things, "a", INCREMENTAL) == text


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("full:half", 'the one with "full: half"'),
        ("worn:often", 'the one with "worn: often"'),
        ("built:1975", "the one built in 1975"),
        ("published:2020", "the one published in 2020"),
        ("played_by:Ben", "the one played by Ben"),
        ("sitting_on:chair", "the one sitting on a chair"),
        ("expires:2026", "the one expiring in 2026"),
        ("dressing:vinaigrette", 'the one whose dressing is "vinaigrette"'),
        ("heading:north", "the one heading north"),
        ("on_sale:no", "the one that is not on sale"),
        ("plugged_in:yes", "the one that is plugged in"),
        ("missing_parts:a wheel", 'the one with "missing parts: a wheel"'),
        ("tattoos:on the arm", 'the one whose tattoos are "on the arm"'),
        ("location:on the shelf", 'the one whose location is "on the shelf"'),
        ("posture:sitting", "the sitting one"),
        ("origin:Spain", "the one from Spain"),
        ("origin:Spanish", 'the one whose origin is "Spanish"'),
        ("size:XL", 'the one whose size is "XL"'),
        ("blood_type:B", 'the one whose blood type is "B"'),
        ("pregnant:no", "the non-pregnant one"),
        ("smoker:no", 'the one with "smoker: no"'),
        ("missing_eye:no", "the one without a missing eye"),
        ("facial_hair:full beard", 'the one whose facial hair is "full beard"'),
        ("broken:leg", 'the one with "broken: leg"'),
        ("pattern:none", "the one without a pattern"),
        ("table:yes", "the one with a table"),
        ("floor:2", "the one on floor 2"),
        ("needs_sun:no", 'the one with "needs sun: no"'),
        ("on:yes", 'the one with "on: yes"'),
        ("on:no", 'the one with "on: no"'),
        ("visible:clearly", 'the one with "visible: clearly"'),
        ("seat_number:12", "the one with seat number 12"),
        ("vintage:1998", 'the one with "vintage: 1998"'),
        ("burned_down:half", 'the one with "burned down: half"'),
        ("compartment:family", 'the one whose compartment is "family"'),
        ("weapon:bow", "the one with a bow"),
        ("colour:red with dots", "the one whose colour is red with dots"),
        ("age:10 years", "the 10-year-old one"),
        ("due:today", 'the one with "due: today"'),
        ("flying:high", "the one flying high"),
        ("teeth:fine", "the one with fine teeth"),
        ("bitten:yes", "the bitten one"),
        ("crumbly:yes", "the crumbly one"),
        ("on_ladder:yes", 'the one with "on ladder: yes"'),
        ("hand_raised:no", 'the one with "hand raised: no"'),
        ("headphone_jack:no", "the one without a headphone jack"),
        ("chewing_gum:yes", "the one with chewing gum"),
        ("can_fly:no", 'the one with "can fly: no"'),
        ("lights_on:yes", 'the one with "lights on: yes"'),
        ("second_hand:yes", 'the one with "second hand: yes"'),
        ("visible_from:here", 'the one with "visible from: here"'),
        ("contains:milk", "the one containing milk"),
        ("in:box", 'the one with "in: box"'),
        ("hair:tied back", "the one with tied back hair"),
        ("antennae:2", "the one with two antennae"),
        ("unread:3", 'the one with "unread: 3"'),
        ("size:12 MB", "the one with a size of 12 MB"),
        ("label:none", "the one without a label"),
        ("text:{0} {}", 'the one with the text "{0} {}"'),
        ("colour:🔴", 'the one whose colour is "🔴"'),
        ("n:7", "the one with an n of 7"),
        ("leaning_against:wall", 'the one with "leaning against: wall"'),
        ("cut_into:slices", 'the one with "cut into: slices"'),
        ("unsaved:no", "the saved one"),
        ("underlined:no", "the non-underlined one"),
        ("shade:torn", "the one with a torn shade"),
        ("shade:dark green", "the one with a dark green shade"),
        ("interior:leather", "the one with a leather interior"),
        ("full:0.5", 'the one with "full: 0.5"'),
        ("muted:on", 'the one with "muted: on"'),
        ("leaves:turning yellow", 'the one whose leaves are "turning yellow"'),
        ("damage:front window", 'the one whose damage is "front window"'),
        ("corner:upper right", 'the one whose corner is "upper right"'),
        ("team:red", "the one whose team is red"),
        ("x:640", "the one with an x of 640"),
        ("departs:10:15", "the one departing at 10:15"),
        ("plays:4", 'the one with "plays: 4"'),
        ("weight_kg:2.5", "the one with a weight of 2.5 kg"),
        ("earring:left ear", 'the one whose earring is "left ear"'),
        ("pets_allowed:no", 'the one with "pets allowed: no"'),
        ("made:China", "the one from China"),
        ("radius:5", "the one with a radius of 5"),
        ("tongue:out", 'the one whose tongue is "out"'),
        ("drawing:horse", "the one drawing a horse"),
        ("state:off", 'the one whose state is "off"'),
        ("snow-covered:no", 'the one with "snow covered: no"'),
        ("cover:leather", "the one with a leather cover"),
        ("variant:a", 'the one whose variant is "a"'),
        ("job:retired", "the retired one"),
        ("gender:girl", "the female person"),
    ],
)
def test_an_attribute_without_a_phrase(attribute: str, text: str) -> None:
    name, value = attribute.split(":", 1)
    assert said([{name: value}, {"type": "other"}], "a", EVERYTHING) == text


@pytest.mark.parametrize(
    ("relation", "language", "first", "second"),
    [
        ("isLeftOf", "en", "the man to the left of the dog", "the dog with the man to the left of it"),
        ("owns", "en", "the man owning the dog", "the dog that the man owns"),
        ("part_of", "en", "the man belonging to the dog", "the dog that the man belongs to"),
        ("same_row_as", "en", "the man in the same row as the dog", "the dog with the man in the same row as it"),
        ("friendOf", "en", "the man being the friend of the dog", "the dog that the man is the friend of"),
        ("carry", "en", "the man carrying the dog", "the dog that the man is carrying"),
        ("on_left_of", "en", "the man to the left of the dog", "the dog with the man to the left of it"),
        ("next_to", "pt", "o homem ao lado do cachorro", "o cachorro ao lado do qual está o homem"),
    ],
)
def test_relations_under_names_of_other_spelling(relation: str, language: str, first: str, second: str) -> None:
    entities: list[dict[str, Any]] = [
        {"id": i, "attributes": {"type": t}} for i, t in zip("abcd", ("man", "dog") * 2, strict=True)
    ]
    entities[0]["relations"] = [[relation, "b"]]
    scene = {"entities": entities, "language": language}
    assert [describe(scene, target, "classic/relational").text for target in "ab"] == [first, second]


def test_a_place_is_denied_with_the_verb_of_places() -> None:
    """Portuguese places take estar: não estão em cima."""
    things = [{"type": "cone", "vpos": v} for v in ("top", "bottom", "centre")]
    assert said(things, "bc", BOOLEAN, "pt") == "os dois que não estão em cima"


def test_equal_numbers_in_other_words_are_not_told_apart() -> None:
    entities = [
        {"id": name, "attributes": {"type": "cup", "size": v}}
        for name, v in zip("abc", ("3", "3.0", "3 cm"), strict=True)
    ]
    assert describe({"entities": entities}, "a", INCREMENTAL).distinguishing is False


def test_a_denial_that_would_be_false_of_a_shade_is_not_said() -> None:
    things = [{"colour": v} for v in ("dark blue", "light red", "blue")]
    entities = [{"id": name, "attributes": own} for name, own in zip("abc", things, strict=True)]
    described = describe({"entities": entities}, ["a", "b"], BOOLEAN)
    assert described.dropped == (Property("not.colour", "blue"),)
    assert described.text == "the two"


def test_a_zero_among_letters_is_a_code() -> None:
    assert said([{"blood_type": v} for v in ("0", "A", "B")], "a", EVERYTHING) == "the one with blood type 0"


def test_words_that_are_true_of_others_are_not_used_alone() -> None:
    """Columns 1, 2 and 4: what is on the far left is on the left, too."""
    row = [{"type": "chair", "colour": "red", "x-dimension": n} for n in (1, 2, 4)]
    entities = [{"id": name, "attributes": own} for name, own in zip("abc", row, strict=True)]
    described = describe({"entities": entities}, "b", INCREMENTAL)
    assert (described.text, described.distinguishing) == ("the chair second from the right", True)


@pytest.mark.parametrize(
    ("language", "hat", "dog"),
    [
        ("en", "the box with the cup in it", "the ball that the cup is holding"),
        ("de", "die Kiste, in welcher die Tasse ist", None),
        ("pt", "o quadrado no qual está a xícara", None),
    ],
)
def test_relations_from_their_other_end(language: str, hat: str, dog: str | None) -> None:
    boxes = {"a": {"type": "box"}, "b": {"type": "box"}, "c": {"type": "cup"}, "d": {"type": "cup"}}
    assert related({"c": [["in", "a"]]}, boxes, language) == hat
    balls = {"a": {"type": "ball"}, "b": {"type": "ball"}, "c": {"type": "cup"}}
    if dog is not None:
        assert related({"c": [["holds", "a"]]}, balls, language) == dog


@pytest.mark.parametrize(("name", "values"), [("beard", ("yes", "long")), ("colour", ("blue", "light blue"))])
def test_a_word_is_true_of_what_is_more_special(name: str, values: tuple[str, str]) -> None:
    entities = [{"id": i, "attributes": {"type": "man", name: value}} for i, value in zip("ab", values, strict=True)]
    plain, special = (describe({"entities": entities}, i, INCREMENTAL) for i in "ab")
    assert (plain.distinguishing, plain.also, special.distinguishing) == (False, ("b",), True)


@pytest.mark.parametrize(
    ("target", "text"),
    [("a", "the top chair"), ("b", "the chair second from the top"), ("cd", "the two bottom chairs")],
)
def test_rows_are_compared_as_places(target: str, text: str) -> None:
    assert said([{"type": "chair", "row": n} for n in (1, 2, 3, 3)], target, "classic/gradable") == text


def test_an_ordinal_of_places_stands_behind_the_noun() -> None:
    column = [
        {"id": i, "attributes": {"type": "chair", "colour": "red"}, "position": [0, y]} for y, i in enumerate("abcdef")
    ]
    assert describe({"entities": column}, "d", EVERYTHING).text == "the red chair third from the bottom"


def test_a_pronoun_agrees_with_its_noun() -> None:
    people = {"a": {"type": "man"}, "b": {"type": "man"}, "c": {"type": "dog"}}
    assert related({"c": [["next-to", "a"]]}, people, "en") == "the man with the dog next to him"


def test_superlatives_whose_order_matters_are_not_both_said() -> None:
    """Among bikes with 3, 7, 7 and 21 gears, the right one of those second in gears is not second in gears of the rightmost."""
    row = [{"type": "bike", "gears": n, "x": x} for x, n in enumerate((3, 7, 7, 21), 1)]
    scene = make_view({"entities": [{"id": i, "attributes": own} for i, own in zip("abcd", row, strict=True)]}, "c")
    form = parse(["and", ["type", "bike"], ["nth", "gears", 2, "left"], ["most", "x"]])
    assert scene.scene.denotation(form) == scene.scene.mask("c")
    worded = Wording(ENGLISH, scene.scene).phrase("c", form, where=False)
    assert worded.dropped
    assert scene.scene.denotation(worded.meaning) & scene.target_mask


def test_landmarks_of_one_relation_are_no_parts() -> None:
    """ "Near the box and the table" could be the cup near the box, and the table."""
    cup, things = (
        {"id": "a", "attributes": {"type": "cup"}, "relations": [["near", "b"], ["near", "c"]]},
        ("box", "table"),
    )
    view = make_view(
        {"entities": [cup, *({"id": i, "attributes": {"type": t}} for i, t in zip("bc", things, strict=True))]}, "a"
    )
    form = parse(["and", ["type", "cup"], ["rel", "near", ["type", "box"]], ["rel", "near", ["type", "table"]]])
    assert Wording(ENGLISH, view.scene).phrase("a", form).text == "the cup near the box and near the table"


NEAR_TABLE = {
    "en": "the cup near the plate that is on the table",
    "de": "die Tasse beim Teller, der auf dem Tisch ist",
    "pt": "a xícara perto do prato que está sobre a mesa",
}


@pytest.mark.parametrize("language", NEAR_TABLE)
def test_landmarks_of_landmarks_are_not_said_of_the_whole(language: str) -> None:
    """With "on the table" said of the cup, the words would be true of the other cup."""
    kinds = {"cup1": "cup", "cup2": "cup", "plate1": "plate", "plate2": "plate", "table": "table"}
    links = {
        "cup1": [("near", "plate1")],
        "plate1": [("on", "table")],
        "cup2": [("near", "plate2"), ("on", "table")],
    }
    entities = tuple(
        Entity(
            id=i, attributes=(Property("type", kind),), relations=tuple(Relation(*link) for link in links.get(i, []))
        )
        for i, kind in kinds.items()
    )
    nested = parse(
        ["and", ["type", "cup"], ["rel", "near", ["and", ["type", "plate"], ["rel", "on", ["type", "table"]]]]]
    )
    view = SpeakerView(id="t", scene=Scene(entities=entities), targets=("cup1",), language=language)
    wording = Wording(language_of(view), view.scene)
    assert wording.phrase(["cup1"], nested).text == NEAR_TABLE[language]
    # Without the other cup, nothing can be misunderstood.
    alone = Scene(entities=tuple(e for e in entities if e.id != "cup2"))
    assert " that " not in Wording(ENGLISH, alone).phrase(["cup1"], nested).text


def test_a_rank_is_heard_among_what_all_other_words_are_true_of() -> None:
    """In column 3 there is one cup, which is not second largest there."""
    cups = [{"type": "cup", "size": n, "x": x} for n, x in ((30, 1), (10, 1), (20, 3))]
    assert (
        said([*cups, {"type": "lamp", "size": 10, "x": 3}], "c", EVERYTHING) == "the cup with a size of 20 in column 3"
    )


def test_landmarks_of_landmarks_of_several_targets_get_no_type_that_they_do_not_share() -> None:
    things = {"a": "cup", "b": "cup", "c": "tray", "d": "shelf", "e": "dog", "f": "cat"}
    relations = {"a": [["on", "c"]], "b": [["on", "d"]], "c": [["near", "e"]], "d": [["near", "f"]]}
    entities = [{"id": i, "attributes": {"type": t}, "relations": relations.get(i, [])} for i, t in things.items()]
    view = make_view({"entities": entities}, ["a", "b"])
    worded = Wording(ENGLISH, view.scene).phrase(view.targets, parse(["rel", "on", ["rel", "near", ["and"]]]))
    assert view.scene.denotation(worded.meaning) == view.target_mask


def test_a_landmark_that_every_target_has_one_of_is_indefinite() -> None:
    entities = [
        {"id": i, "attributes": {"type": t}, "relations": r}
        for i, t, r in (
            ("a", "cup", [["on", "d"]]),
            ("b", "cup", [["on", "e"]]),
            ("c", "cup", []),
            ("d", "tray", []),
            ("e", "tray", []),
        )
    ]
    view = make_view({"entities": entities}, ["a", "b"])
    form = parse(["and", ["type", "cup"], ["rel", "on", ["type", "tray"]]])
    assert Wording(ENGLISH, view.scene).phrase(view.targets, form).text == "the two cups on a tray"


def test_few_are_not_lacked() -> None:
    palms = [{"type": "palm", "coconuts": n} for n in ("many", "none", "few")]
    assert said(palms, "ab", BOOLEAN) == "the two that do not have few coconuts"
