"""The exact search against enumeration, and against the design of the TUNA furniture domains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import descriptions, fewest_by_enumeration, kept_by_enumeration, props, scene, scenes

from referee.metrics.smallest import count_fewest_to_add, count_fewest_to_keep, is_as_sharp
from referee.records import Entity, Property, Relation, Scene


def furniture(target: str, bundles: str, second: str) -> Scene:
    """A TUNA domain: the target, three property bundles of its type and the same three of a second type."""
    kind, rest = target.split(maxsplit=1)
    rivals = [f"{t} {b}" for t in (kind, second) for b in bundles.split(";")]
    names = ("type", "colour", "size", "orientation")
    return scene(
        *(" ".join(map(":".join, zip(names, words.split(), strict=True))) for words in (f"{kind} {rest}", *rivals))
    )


# The seven singular furniture domains of the TUNA corpus and the attributes of their minimal descriptions
# (balanced design of Gatt, van der Sluis & van Deemter 2007; read off the released corpus).
DOMAINS = [
    ("desk grey large front", "blue large front;red large back;green small left", "fan", 1),
    ("chair red small right", "red small left;blue small back;grey large front", "sofa", 1),
    ("sofa red large right", "red small right;blue small right;green small back", "desk", 1),
    ("fan blue small left", "green small left;blue large left;red large back", "sofa", 2),
    ("chair blue large left", "blue large back;green large left;grey small front", "fan", 2),
    ("desk green small front", "green small right;green large front;grey large left", "chair", 2),
    ("chair grey large back", "grey large front;red large back;grey small back", "desk", 3),
]


@pytest.mark.parametrize(("target", "bundles", "second", "size"), DOMAINS)
def test_the_furniture_design_runs_through_all_sizes_and_never_needs_the_type(
    target: str, bundles: str, second: str, size: int
) -> None:
    domain = furniture(target, bundles, second)
    assert count_fewest_to_add(domain, 1) == size
    assert count_fewest_to_add(domain, 1, props(f"type:{target.split()[0]}")) == size


def test_nothing_distinguishes_twins() -> None:
    assert count_fewest_to_add(scene("colour:red", "colour:red"), 1) is None


def test_a_false_start_cannot_be_completed() -> None:
    assert count_fewest_to_add(scene("colour:red", "colour:blue"), 1, props("colour:blue")) is None


def test_two_targets_need_what_both_have() -> None:
    where = scene("colour:red size:big", "colour:red size:small", "colour:blue size:big")
    assert count_fewest_to_add(where, 0b011) == 1
    assert count_fewest_to_add(where, 0b101) == 1
    assert count_fewest_to_add(where, 0b110) is None


def test_alone_in_the_scene_needs_no_words() -> None:
    assert count_fewest_to_add(scene("colour:red"), 1) == 0


def test_a_landmark_can_be_the_only_way_out() -> None:
    # two red balls, one of them left of a cube: "the ball left of a cube" or just "the one next to a cube"
    ball = props("type:ball colour:red")
    where = Scene(
        entities=(
            Entity(id="a", attributes=ball, relations=(Relation("left-of", "c"),)),
            Entity(id="b", attributes=ball, relations=(Relation("left-of", "a"),)),
            Entity(id="c", attributes=props("type:cube")),
        )
    )
    assert count_fewest_to_add(where, 1) == 1
    assert count_fewest_to_add(where, 1, props("left-of:c")) == 1
    assert count_fewest_to_add(where, 1, props("left-of:c landmark.type:cube")) == 0


def test_the_landmark_s_name_is_hidden_from_the_hearer() -> None:
    twin = props("type:ball")
    where = Scene(
        entities=(
            Entity(id="a", attributes=twin, relations=(Relation("near", "b"),)),
            Entity(id="b", attributes=twin, relations=(Relation("near", "a"),)),
        )
    )
    assert count_fewest_to_add(where, 1) is None


def test_a_landmark_that_does_not_help_is_not_taken() -> None:
    fans = ("type:fan colour:red", "type:fan colour:blue", "type:desk colour:red")
    near = tuple(Relation("near", str(i)) for i in range(3))
    where = Scene(
        entities=tuple(Entity(id=str(i), attributes=props(fan), relations=near) for i, fan in enumerate(fans))
    )
    assert count_fewest_to_add(where, 1) == 2


def test_dropping_the_second_landmark_can_lose_the_target() -> None:
    # left of the red one and on the blue one; with one landmark only, both relations have to lead to it
    where = Scene(
        entities=(
            Entity(id="0", relations=(Relation("left", "1"), Relation("on", "2"))),
            Entity(id="1", attributes=props("colour:red")),
            Entity(id="2", attributes=props("colour:blue")),
        )
    )
    whole = props("left: on: landmark.colour:red landmark2.colour:blue")
    assert where.denotation(whole) == 1
    assert is_as_sharp(where, 1, props("left: landmark.colour:red"), whole)
    assert not is_as_sharp(where, 1, props("left: on: landmark.colour:red"), whole)


def test_what_can_go_is_what_rules_nobody_out_alone() -> None:
    where = scene("type:fan colour:red size:big", "type:fan colour:blue size:small", "type:desk colour:red size:big")
    assert count_fewest_to_keep(where, 1, props("type:fan colour:red size:big")) == 2
    assert count_fewest_to_keep(where, 1, props("colour:red size:big")) == 1
    assert count_fewest_to_keep(where, 1, props("colour:red size:big"), free=props("type:fan")) == 1


@given(scenes(most=5), descriptions(most=3), st.integers(0, 1))
def test_plain_additions_are_what_enumeration_finds(where: Scene, start: tuple[Property, ...], last: int) -> None:
    targets = {e.id for e in where.entities[: last + 1]}
    assert count_fewest_to_add(where, where.mask(targets), start) == fewest_by_enumeration(where, targets, start)


@given(scenes(related=True, most=4), descriptions(related=True, most=2), st.integers(0, 1))
def test_additions_with_landmarks_are_what_enumeration_finds(
    where: Scene, start: tuple[Property, ...], last: int
) -> None:
    targets = {e.id for e in where.entities[: last + 1]}
    assert count_fewest_to_add(where, where.mask(targets), start) == fewest_by_enumeration(where, targets, start)


@given(scenes(related=True, most=5), descriptions(related=True, most=4).map(lambda d: tuple(dict.fromkeys(d))))
def test_what_is_kept_is_what_enumeration_finds(where: Scene, description: tuple[Property, ...]) -> None:
    assert count_fewest_to_keep(where, 1, description) == kept_by_enumeration(where, {"0"}, description)
