"""Measures of descriptions with a meaning: parts are compared with parts, and scenes are asked for the denotation.

Expected values are worked out by hand beside each case.
"""

from __future__ import annotations

from math import isnan

import pytest

from referee import create
from referee.contracts import Batch
from referee.meaning import Meaning
from referee.metrics.sets import TreeEdit
from referee.records import Description, Entity, Property, Relation, Scene, Trial


def entity(name: str, *relations: tuple[str, str], **attributes: str) -> Entity:
    pairs = tuple(Property(k, v) for k, v in attributes.items())
    return Entity(id=name, attributes=pairs, relations=tuple(Relation(*r) for r in relations))


FURNITURE = Scene(
    entities=(
        entity("a", type="chair", colour="red"),
        entity("b", type="desk", colour="blue"),
        entity("c", type="desk", colour="red"),
    )
)
TABLES = Scene(
    entities=(
        entity("cup1", ("near", "plate"), ("on", "table1"), type="cup"),
        entity("cup2", ("near", "plate"), ("on", "table2"), type="cup"),
        entity("cup3", ("on", "table1"), type="cup"),
        entity("plate", type="plate", colour="white"),
        entity("table1", type="table", colour="black"),
        entity("table2", type="table", colour="brown"),
    )
)


def in_parts(chair: str, desk: str) -> Meaning:
    return (
        "parts",
        (1, ("and", ("type", "chair"), ("colour", chair))),
        (1, ("and", ("type", "desk"), ("colour", desk))),
    )


def measure(name: str, form: Meaning, reference: Meaning | None, scene: Scene, *targets: str) -> float:
    references = () if reference is None else (Description(meaning=reference),)
    trial = Trial(id="t", scene=scene, targets=targets, references=references)
    rows = create("metric", name).statistics(Batch.of([Description(meaning=form)], [trial]))
    return float(rows[0, 0])


@pytest.mark.parametrize(
    ("name", "swapped", "right"),
    [
        # Plain pairs are the same: chair, red, desk, blue.
        ("set/dice", 1.0, 1.0),
        # Each part has 3 properties (number, type, colour) and shares 2: 2 · 4 / 12.
        ("set/dice.parts", 2 / 3, 1.0),
        # 4 shared of 6 + 6 - 4 = 8; overlap: a third of it.
        ("set/jaccard", 4 / 8, 1.0),
        ("set/masi", 4 / 8 / 3, 1.0),
        ("set/exact", 0.0, 1.0),
        # Two colours are relabelled.
        ("set/edit.tree", 2.0, 0.0),
        # "the blue chair" denotes nothing, "the red desk" denotes c, which is no target.
        ("meaning/denotation", 0.0, 1.0),
        ("scene/unique", 0.0, 1.0),
        ("scene/remaining", 1.0, 0.0),
    ],
)
def test_colours_of_two_parts_exchanged(name: str, swapped: float, right: float) -> None:
    reference = in_parts("red", "blue")
    assert measure(name, in_parts("blue", "red"), reference, FURNITURE, "a", "b") == pytest.approx(swapped)
    assert measure(name, reference, reference, FURNITURE, "a", "b") == pytest.approx(right)


def test_the_order_of_parts_and_of_conjuncts_does_not_matter() -> None:
    ours = (
        "parts",
        (1, ("and", ("colour", "blue"), ("type", "desk"))),
        (1, ("and", ("colour", "red"), ("type", "chair"))),
    )
    for name in ("set/exact", "set/dice.parts", "meaning/denotation"):
        assert measure(name, ours, in_parts("red", "blue"), FURNITURE, "a", "b") == 1.0


def test_or_is_not_and() -> None:
    either, both = ("or", ("colour", "red"), ("colour", "blue")), ("and", ("colour", "red"), ("colour", "blue"))
    assert measure("set/exact", either, both, FURNITURE, "a") == 0.0
    assert measure("set/exact", either, either, FURNITURE, "a") == 1.0


def test_two_landmarks_of_one_object() -> None:
    form = (
        "and",
        ("type", "cup"),
        ("rel", "near", ("and", ("colour", "white"), ("type", "plate"))),
        ("rel", "on", ("and", ("colour", "black"), ("type", "table"))),
    )
    assert measure("scene/unique", form, None, TABLES, "cup1") == 1.0
    # Without either relation another cup fits; cup, white, plate and table can go (7 atoms and 2 relations, near and on black stay).
    assert measure("scene/surplus", form, None, TABLES, "cup1") == 4.0
    assert measure("scene/minimal", form, None, TABLES, "cup1") == 0.0
    smallest = ("and", ("rel", "near", ("and",)), ("rel", "on", ("colour", "black")))
    assert measure("scene/minimal", smallest, None, TABLES, "cup1") == 1.0


def test_a_wrong_number_does_not_single_out() -> None:
    """Two targets are meant, and the words count three."""
    scene = Scene(entities=tuple(entity(x, type="cup") for x in "ab"))
    assert measure("scene/unique", ("parts", (2, ("type", "cup"))), None, scene, "a", "b") == 1.0
    assert measure("scene/unique", ("parts", (3, ("type", "cup"))), None, scene, "a", "b") == 0.0
    assert measure("scene/unique", ("parts", ("all", ("type", "cup"))), None, scene, "a", "b") == 1.0


def test_deficit_adds_to_each_part_what_it_needs() -> None:
    # "the chair and the desk": the first part is sharp, the second needs its colour.
    form = ("parts", (1, ("type", "chair")), (1, ("type", "desk")))
    assert measure("scene/deficit", form, None, FURNITURE, "a", "b") == 1.0
    # False of a target: nothing to add helps.
    assert isnan(measure("scene/deficit", in_parts("blue", "blue"), None, FURNITURE, "a", "b"))


def test_negation_in_a_list_of_properties_is_a_denial() -> None:
    said = Description(properties=(Property("type", "desk"), Property("not.colour", "red")))
    trial = Trial(id="t", scene=FURNITURE, targets=("b",))
    assert create("metric", "scene/unique").statistics(Batch.of([said], [trial]))[0, 0] == 1.0


def test_the_tree_distance_of_parts() -> None:
    """By hand: one part too few costs its node and its two properties; of two references the nearer one counts with ``best``."""
    red, both = ("parts", (1, ("and", ("type", "chair"), ("colour", "red")))), in_parts("red", "blue")
    assert measure("set/edit.tree", red, both, FURNITURE, "a", "b") == 3.0
    trial = Trial(
        id="t", scene=FURNITURE, targets=("a", "b"), references=(Description(meaning=both), Description(meaning=red))
    )
    batch = Batch.of([Description(meaning=red)], [trial])
    measures = [TreeEdit(references=references) for references in ("average", "best")]
    assert [float(m.statistics(batch)[0, 0]) for m in measures] == [1.5, 0.0]
    plain = Trial(
        id="p",
        scene=FURNITURE,
        targets=("a",),
        references=(Description(properties=(("type", "chair"), ("colour", "red"))),),
    )
    output = Description(properties=(("type", "chair"), ("colour", "blue"), ("size", "large")))
    assert create("metric", "set/edit.tree").statistics(Batch.of([output], [plain]))[0, 0] == 2.0
