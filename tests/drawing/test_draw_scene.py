"""Scenes and entities as SVG: what differs is seen, what is alike is alike, and nothing from outside becomes mark-up."""

from __future__ import annotations

from lxml import etree

from referee.drawing import draw_entity, draw_scene, place
from referee.records import Entity, Property, Scene


def test_a_scene_on_tunas_grid_is_five_by_three() -> None:
    chair = Entity(
        id="a", attributes=(Property("type", "chair"), Property("x-dimension", "5"), Property("y-dimension", "2"))
    )
    layout = place(Scene(entities=(chair,)))
    assert (layout.columns, layout.rows) == (5, 3)
    assert layout["a"] == (4, 1, 0, 0)


def test_pictures_are_well_formed() -> None:
    chair = Entity(id="a", attributes=(Property("type", "chair"),))
    etree.fromstring(draw_entity(chair))
    etree.fromstring(draw_scene(Scene(entities=(chair,)), mark=["a"], numbers={"a": "1"}))
