"""Where things stand: as the scene says, where it says something, and the same for every order of its entities."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from referee import catalogue
from referee.errors import InputError
from referee.records import Entity, Property, Relation, Scene
from referee.show.drawing import Layout, place


def at(
    entity_id: str, *relations: tuple[str, str], position: tuple[float, ...] | None = None, **values: object
) -> Entity:
    attributes = tuple(Property(name.replace("_", "-"), value) for name, value in values.items())
    return Entity(
        id=entity_id, attributes=attributes, position=position, relations=tuple(Relation(*r) for r in relations)
    )


def point(layout: Layout, entity_id: str) -> tuple[float, float]:
    found = layout[entity_id]
    return found.column + found.dx, found.row + found.dy


def shuffled(scene: Scene) -> Scene:
    entities = list(scene.entities)
    Random(3).shuffle(entities)
    return Scene(entities=tuple(entities))


TUNA = Scene(entities=tuple(at(str(i), type="chair", x_dimension=1 + i % 5, y_dimension=1 + i // 3) for i in range(7)))


def test_tunas_grid_is_five_by_three_and_counted_from_the_top_left() -> None:
    layout = place(Scene(entities=(at("a", x_dimension=5, y_dimension=2),)))
    assert (layout.columns, layout.rows, layout["a"]) == (5, 3, (4, 1, 0, 0))


def test_unknown_cells_are_dealt_from_the_free_ones() -> None:
    known = at("k", x_dimension=3, y_dimension=2)
    lost = [at(f"u{i}", x_dimension="unknown", y_dimension="unknown") for i in range(6)]
    layout = place(Scene(entities=(known, *lost)))
    assert layout["k"][:2] == (2, 1)
    assert len(set(layout.values())) == 7
    assert all(0 <= p.column < 5 and 0 <= p.row < 3 for p in layout.values())
    assert layout != place(Scene(entities=(known, *lost)), seed=1)


def test_two_in_one_cell_are_parted() -> None:
    layout = place(Scene(entities=(at("a", x_dimension=1, y_dimension=1), at("b", x_dimension=1, y_dimension=1))))
    assert layout["a"] != layout["b"]


def test_a_grid_larger_than_tunas_grows() -> None:
    layout = place(Scene(entities=(at("a", x_dimension=10, y_dimension=6),)))
    assert (layout.columns, layout.rows) == (10, 6)


def test_the_order_of_the_entities_changes_no_place() -> None:
    lost = Scene(entities=tuple(at(str(i), x_dimension="unknown", y_dimension="unknown") for i in range(7)))
    for scene in (TUNA, lost):
        assert dict(place(scene, jitter=0.1)) == dict(place(shuffled(scene), jitter=0.1))


def test_jitter_is_slight_seeded_and_each_entitys_own() -> None:
    plain, moved = place(TUNA), place(TUNA, jitter=0.15)
    assert moved == place(TUNA, jitter=0.15)
    assert moved != place(TUNA, jitter=0.15, seed=1)
    assert all(plain[i][:2] == moved[i][:2] and 0 < abs(moved[i].dx) <= 0.15 >= abs(moved[i].dy) for i in plain)
    alone = place(Scene(entities=TUNA.entities[:1]), jitter=0.15)
    assert alone["0"] == moved["0"]


@pytest.mark.parametrize("wrong", [{"jitter": 0.6}, {"jitter": -0.1}, {"jitter": float("nan")}, {"columns": 0}])
def test_impossible_layouts_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="→"):
        place(TUNA, **wrong)  # type: ignore[arg-type]


def test_without_places_things_stand_in_reading_order() -> None:
    scene = Scene(entities=tuple(at(c, type="x") for c in "abcdef"))
    layout = place(scene)
    assert (layout.columns, layout.rows) == (3, 2)
    assert [layout[c][:2] for c in "abcd"] == [(0, 0), (1, 0), (2, 0), (0, 1)]
    assert place(scene, columns=2)["c"][:2] == (0, 1)


def test_one_number_is_a_place_in_a_row() -> None:
    layout = place(Scene(entities=tuple(at(f"c{i}", position=(float(i),)) for i in (3, 1, 2))))
    assert (layout.columns, layout.rows) == (3, 1)
    assert sorted(layout, key=lambda i: layout[i].column) == ["c1", "c2", "c3"]


def test_shares_of_a_board_keep_their_distances() -> None:
    layout = place(
        Scene(entities=(at("a", position=(0.1, 0.9)), at("b", position=(0.35, 0.2)), at("c", position=(0.9, 0.5))))
    )
    assert (layout.columns, layout.rows) == (5, 5)
    assert point(layout, "a") == pytest.approx((0, 4))
    assert point(layout, "b") == pytest.approx((1.25, 0.5))


def test_of_three_coordinates_the_middle_one_is_height() -> None:
    layout = place(
        Scene(entities=(at("a", position=(2, 9, 1)), at("b", position=(3, 0, 4)), at("c", position=(2, 0, 2))))
    )
    assert (point(layout, "a"), point(layout, "b"), point(layout, "c")) == ((0, 0), (1, 3), (0, 1))


def test_objects_in_one_spot_fall_back_to_reading_order() -> None:
    layout = place(Scene(entities=(at("a", position=(1, 1)), at("b", position=(1, 1)))))
    assert layout["a"] != layout["b"]


def test_what_is_on_top_stands_above_its_support() -> None:
    cube = at("c", ("under", "b"), type="cube", size="large", location="left-hand")
    ball = at("b", ("on-top-of", "c"), type="ball", size="small", location="left-hand")
    other = at("d", type="cube", size="large", location="right-hand")
    layout = place(Scene(entities=(ball, other, cube)))
    (bx, by), (cx, cy), (dx, dy) = (point(layout, i) for i in "bcd")
    assert bx == cx < dx
    assert cy == dy
    assert cy - by == pytest.approx(
        0.72
    )  # the height of a large cube: 62 of 100 to its upper edge, and half of that face


def test_columns_follow_left_of_and_what_is_next_to_each_other_stays_together() -> None:
    a = at("a", ("left-of", "b"), ("next-to", "b"), location="centre")
    b = at("b", ("right-of", "a"), ("next-to", "a"), location="centre")
    lone = at("z", location="centre")
    layout = place(Scene(entities=(b, lone, a)))
    (ax, _), (bx, _), (zx, _) = (point(layout, i) for i in "abz")
    assert bx - ax == 1
    assert min(abs(zx - ax), abs(zx - bx)) == 1.5


def test_what_is_in_front_is_nearer_to_the_lower_edge() -> None:
    front = at("f", ("in-front-of", "r"), location="left-hand")
    rear = at("r", ("behind", "f"), location="left-hand")
    layout = place(Scene(entities=(rear, front)))
    assert point(layout, "f")[1] > point(layout, "r")[1]


def test_regions_order_what_relations_do_not() -> None:
    layout = place(Scene(entities=(at("r", hpos="right", vpos="bottom"), at("l", hpos="left", vpos="top"))))
    assert point(layout, "l") < point(layout, "r")
    assert point(layout, "l")[1] < point(layout, "r")[1]


def test_relations_that_contradict_each_other_still_give_a_layout() -> None:
    a = at("a", ("left-of", "b"), ("on-top-of", "b"), location="centre")
    b = at("b", ("left-of", "a"), ("on-top-of", "a"), location="centre")
    layout = place(Scene(entities=(a, b)))
    assert len({point(layout, i) for i in "ab"}) == 2


def test_an_empty_scene_has_a_layout_without_places() -> None:
    assert len(place(Scene(entities=()))) == 0


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["gre3d3", "gre3d7", "stars", "stars2", "kth-tangrams", "pento-take", "colors", "give2"]
)
def test_real_scenes_keep_everything_on_the_page_and_apart(name: str, data_folder: Path) -> None:
    scenes = {
        t.scene.id or t.id: t.scene for t in islice(catalogue.create("corpus", name, data=data_folder).trials(), 400)
    }
    for scene in scenes.values():
        layout = place(scene)
        points = [point(layout, e.id) for e in scene.entities]
        assert len(set(points)) == len(points)
        assert all(-0.5 <= x <= layout.columns - 0.5 and -0.5 <= y <= layout.rows - 0.5 for x, y in points)
