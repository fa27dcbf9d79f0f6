"""Scenes and entities as SVG: what differs is seen, what is alike is alike, and nothing from outside becomes mark-up."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from referee.errors import InputError
from referee.records import Entity, Property, Scene
from referee.show.drawing import Place, can_draw, draw_entity, draw_numbered, draw_scene, get_painter_name, place
from referee.show.drawing.scene_pictures import FRAME

SVG = "{http://www.w3.org/2000/svg}"


def thing(entity_id: str = "a", /, **values: str) -> Entity:
    return Entity(id=entity_id, attributes=tuple(Property(name, value) for name, value in values.items()))


def words_in(svg: str) -> list[str]:
    return [element.text or "" for element in etree.fromstring(svg.encode()).iter(f"{SVG}text")]


TWO = Scene(entities=(thing("a", type="chair", colour="red"), thing("b", type="sofa", colour="blue")))


def test_the_same_attributes_give_the_same_picture_whatever_the_id() -> None:
    one, other = thing("a", type="fan", colour="red"), thing("target", type="fan", colour="red")
    assert draw_entity(one) == draw_entity(other)


def test_a_picture_has_no_words_ids_scripts_or_references() -> None:
    svg = draw_scene(TWO)
    root = etree.fromstring(svg.encode())
    assert words_in(svg) == []
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        "svg",
        "g",
        "rect",
        "polygon",
        "ellipse",
        "circle",
        "path",
    }
    names = {name for e in root.iter() for name in e.attrib}
    assert not names & {"id", "class", "style", "href", "onclick"}
    assert (root.get("role"), root.get("aria-label")) == ("img", "scene")
    assert not any(word in svg for word in ("chair", "sofa", "blue"))


def test_nothing_tells_the_target_unless_it_is_asked_for() -> None:
    assert FRAME not in draw_scene(TWO)
    assert draw_scene(TWO, mark=["a"]).count(FRAME) == 1
    assert draw_scene(TWO, mark=["a"]) != draw_scene(TWO, mark=["b"])


def test_numbers_stand_beside_the_entities_they_name() -> None:
    svg = draw_scene(TWO, numbers={"b": "1", "a": "2"})
    assert words_in(svg) == ["2", "1"]
    assert "translate(6 6)" in svg.split(">2</text>")[0].rsplit("<g", 2)[1]


@pytest.mark.parametrize("wrong", [{"mark": ["zz"]}, {"numbers": {"zz": "1"}}])
def test_an_entity_that_is_not_there_cannot_be_marked(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=r"zz.*\n.*a, b"):
        draw_scene(TWO, **wrong)  # type: ignore[arg-type]


def test_a_layout_has_to_fit_the_scene() -> None:
    with pytest.raises(InputError, match="no position for 'b'"):
        draw_scene(TWO, layout=place(Scene(entities=TWO.entities[:1])))


def test_what_a_picture_cannot_show_is_written_below_it() -> None:
    assert words_in(draw_entity(thing(type="chair", colour="beige", price="3"))) == ["colour: beige", "price: 3"]
    assert words_in(draw_entity(thing(type="chair", orientation="up"))) == ["orientation: up"]
    assert not can_draw(Scene(entities=(thing(type="chair", price="3"),)))
    assert can_draw(TWO)
    assert not can_draw(Scene(entities=()))


def test_a_second_value_of_a_name_is_written_since_the_picture_shows_the_first() -> None:
    twice = Entity(id="a", attributes=(Property("type", "cube"), Property("colour", "red"), Property("colour", "blue")))
    assert words_in(draw_entity(twice)) == ["colour: blue"]


def test_what_all_entities_share_is_not_worth_words() -> None:
    scene = Scene(entities=(thing("a", type="bank", city="x"), thing("b", type="pub", city="x")))
    assert words_in(draw_scene(scene)) == ["bank", "pub"]


def test_places_are_shown_and_not_written() -> None:
    placed = Entity(id="a", attributes=(Property("type", "star"), Property("hpos", "left"), Property("vpos", "top")))
    assert words_in(draw_entity(placed)) == []


def test_a_shift_makes_room_instead_of_cutting_things_off() -> None:
    def corners(svg: str) -> list[tuple[float, float]]:
        moves = etree.fromstring(svg.encode()).findall(f"{SVG}g")
        return [(float(x), float(y)) for x, y in (m.get("transform")[10:-1].split() for m in moves)]

    for seed in range(20):
        svg = draw_scene(TWO, jitter=0.3, seed=seed)
        width, height = map(float, etree.fromstring(svg.encode()).get("viewBox").split()[2:])
        assert all(0 <= x <= width - 100 and 0 <= y <= height - 100 for x, y in corners(svg))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"type": "desk"}, "furniture"),
        ({"type": "person"}, "person"),
        ({"hasBeard": "1"}, "person"),
        ({"type": "ball"}, "shape"),
        ({"shape": "goose"}, "figure"),
        ({"shape": "W"}, "pentomino"),
        ({"species": "sx"}, "creature"),
        ({"h": "20", "s": "50", "l": "50"}, "patch"),
        ({"type": "cup", "colour": "red"}, "object"),
        ({"type": "cup"}, "card"),
        ({}, "card"),
    ],
)
def test_the_attributes_say_what_kind_of_picture_it_is(values: dict[str, str], kind: str) -> None:
    assert get_painter_name(thing(**values)) == kind
    etree.fromstring(draw_entity(thing(**values)).encode())


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["<script>alert(1)</script>", '"onload="x', "]]>", "&amp;", "\x00\ud800", ""]
)
NAMES = st.sampled_from(
    ["type", "name", "colour", "size", "h", "rgb", "shape", "hasBeard", "x-dimension", "<b>"]
) | TEXTS.filter(str.strip)


@given(st.lists(st.lists(st.tuples(NAMES, TEXTS), max_size=4), max_size=4), TEXTS)
def test_nothing_from_outside_becomes_mark_up(looks: list[list[tuple[str, str]]], label: str) -> None:
    entities = tuple(
        Entity(id=str(i), attributes=tuple(Property(*pair) for pair in look)) for i, look in enumerate(looks)
    )
    svg = draw_scene(Scene(entities=entities), numbers={e.id: label for e in entities})
    root = etree.fromstring(svg.encode())
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        *("svg", "g", "rect", "polygon", "ellipse", "circle", "path", "line", "text")
    }
    assert not any(name.startswith("on") for e in root.iter() for name in e.attrib)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=3, unique_by=lambda p: p[0]))
def test_different_attributes_never_give_the_same_card(pairs: list[tuple[str, str]]) -> None:
    drawn = draw_entity(thing(**dict(pairs)))
    for name, value in product("abc", "xyz"):
        changed = dict(pairs) | {name: value}
        assert (draw_entity(thing(**changed)) == drawn) == (changed == dict(pairs))


def test_the_numbered_picture_is_a_png_of_a_bounded_size() -> None:
    many = Scene(entities=tuple(thing(str(i), type="cube", colour="red") for i in range(60)))
    for scene in (TWO, many):
        png = draw_numbered(scene)
        assert png.startswith(b"\x89PNG")
        width, height = (int.from_bytes(png[i : i + 4]) for i in (16, 20))
        assert max(width, height) <= 1600 * 1.02
    assert isinstance(place(TWO)["a"], Place)
