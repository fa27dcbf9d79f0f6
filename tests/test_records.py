"""Scenes answer with bit sets, and no view of a trial lets the answer out."""

from __future__ import annotations

import pickle
from dataclasses import asdict, fields, replace
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.geometry import Box
from referee.records import Description, Entity, Event, Property, Relation, Scene, SceneNotes, Trial, as_value


def scene_of(*rows: dict[str, object]) -> Scene:
    return Scene(
        entities=tuple(
            Entity(id=f"e{i}", attributes=tuple(Property(*p) for p in row.items())) for i, row in enumerate(rows)
        )
    )


def trial_with(**changes: object) -> Trial:
    scene = scene_of(
        {"type": "chair", "colour": "red"}, {"type": "chair", "colour": "blue"}, {"type": "desk", "colour": "red"}
    )
    base = Trial(
        id="t1",
        scene=scene,
        targets=("e1",),
        references=(Description(properties=(Property("colour", "blue"),), text="SECRET words"),),
        episode=(Event(kind="click", by="listener", entities=("e1",)),),
        meta={"answer": "e1"},
    )
    return replace(base, **changes)


@pytest.mark.parametrize(
    ("given_value", "text"), [(True, "1"), (False, "0"), (3, "3"), (3.0, "3"), (2.5, "2.5"), (" old ", "old")]
)
def test_values_have_one_text_form(given_value: object, text: str) -> None:
    assert as_value(given_value) == text


def test_properties_with_number_boolean_or_text_values_are_equal() -> None:
    assert Property("hasBeard", True) == Property("hasBeard", 1) == Property("hasBeard", "1")


def test_records_are_frozen_and_keyword_only() -> None:
    with pytest.raises(AttributeError):
        trial_with().id = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Entity("e1")  # type: ignore[misc]


def test_the_empty_description_denotes_everything_and_a_false_one_nothing() -> None:
    scene = trial_with().scene
    assert scene.denotation([]) == scene.everything == 0b111
    assert scene.denotation([Property("colour", "green")]) == 0


def test_denotation_is_the_intersection_of_extensions() -> None:
    scene = trial_with().scene
    assert scene.extension(Property("type", "chair")) == 0b011
    assert scene.denotation([Property("type", "chair"), Property("colour", "red")]) == scene.mask(["e0"])


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=9), st.data())
def test_denotation_agrees_with_asking_each_entity(rows: list[dict[str, object]], data: st.DataObject) -> None:
    scene = scene_of(*rows)
    said = data.draw(st.lists(st.builds(Property, st.sampled_from("abc"), st.sampled_from("xyz")), max_size=3))
    expected = sum(1 << i for i, e in enumerate(scene.entities) if all(e.has(p) for p in said))
    assert scene.denotation(said) == expected


def relational_scene() -> Scene:
    """Two balls, each left of a box: b1 of the red box, b2 of the blue one."""
    return Scene(
        entities=(
            Entity(id="b1", attributes=(Property("type", "ball"),), relations=(Relation("left-of", "x1"),)),
            Entity(id="b2", attributes=(Property("type", "ball"),), relations=(Relation("left-of", "x2"),)),
            Entity(id="x1", attributes=(Property("type", "box"), Property("colour", "red"))),
            Entity(id="x2", attributes=(Property("type", "box"), Property("colour", "blue"))),
        )
    )


def test_a_landmark_is_found_by_its_properties_not_by_its_id() -> None:
    scene = relational_scene()
    ball, left = Property("type", "ball"), Property("left-of", "x1")
    assert scene.denotation([ball, left]) == scene.mask(["b1", "b2"]), "a hearer cannot see ids"
    assert scene.denotation([ball, left, Property("landmark.type", "box")]) == scene.mask(["b1", "b2"])
    assert scene.denotation([ball, left, Property("landmark.colour", "red")]) == scene.mask(["b1"])


def test_landmark_properties_must_hold_of_the_same_landmark() -> None:
    scene = relational_scene()
    said = [Property("left-of", ""), Property("landmark.colour", "red"), Property("landmark.type", "ball")]
    assert scene.denotation(said) == 0


def test_the_speakers_view_does_not_depend_on_what_people_said_or_did() -> None:
    changed = trial_with(references=(), episode=(), meta={})
    assert trial_with().for_speaker() == changed.for_speaker()
    assert "SECRET" not in repr(trial_with().for_speaker())


def test_the_hearers_view_does_not_depend_on_the_target() -> None:
    views = [
        trial_with(targets=(t,), references=(), episode=(), meta={}).for_hearer(Random(4)) for t in ("e0", "e1", "e2")
    ]
    assert views[0] == views[1] == views[2] == trial_with().for_hearer(Random(4))
    assert "SECRET" not in repr(views[0])


def test_the_hearers_view_has_an_order_of_its_own() -> None:
    orders = {tuple(e.id for e in trial_with().for_hearer(Random(seed)).scene.entities) for seed in range(40)}
    assert len(orders) == 6, "all orders of three entities occur"


def test_the_views_have_no_field_that_could_hold_the_answer() -> None:
    hearer, speaker = trial_with().for_hearer(Random(1)), trial_with().for_speaker()
    assert not {"targets", "references", "episode", "meta"} & set(hearer.__dataclass_fields__)
    assert not {"references", "episode", "meta"} & set(speaker.__dataclass_fields__)


def test_no_hearer_sees_an_outline_unless_it_is_drawn_for_it() -> None:
    """Where only what is meant is outlined, the outline gives it away."""
    chair = Entity(id="a", region=Box((1, 2, 3, 4)))
    trial = Trial(id="t", scene=Scene(entities=(chair, Entity(id="b"))), targets=("a",))
    assert all(e.region is None for e in trial.for_hearer(Random(1)).scene.entities)
    assert trial.for_hearer(Random(1), marks=True).scene.entity("a").region == chair.region
    assert trial.for_speaker().scene.entity("a").region == chair.region


def test_the_module_dataclasses_works_on_records() -> None:
    """`replace`, `fields` and `asdict` are what programs that use records call."""
    entity = Entity(id="a", attributes=(Property("colour", "red"),))
    assert replace(entity, id="b") == Entity(id="b", attributes=entity.attributes)
    assert [f.name for f in fields(entity)][:2] == ["id", "attributes"]
    assert asdict(Description(text="x"))["text"] == "x"
    with pytest.raises(TypeError):
        replace(entity, colour="red")


def test_a_record_has_values_of_text_however_it_is_made() -> None:
    written = msgspec.json.decode(
        b'{"id": "a", "attributes": {"new": true, "size": 3.0, "colour": " red "}}', type=Entity
    )
    assert written.attributes == (Property("new", "1"), Property("size", "3"), Property("colour", "red"))
    assert all(type(p) is Property for p in written.attributes)


def test_scenes_and_descriptions_survive_pickling() -> None:
    scene = trial_with().scene
    notes: SceneNotes[str, int] = SceneNotes("pickled")
    notes.of(scene)["n"] = 3
    again = pickle.loads(pickle.dumps((scene, trial_with().references)))
    assert again == (scene, trial_with().references)
    assert hash(again) == hash((scene, trial_with().references))
    assert notes.of(again[0]) == {"n": 3}
    assert notes.of(replace(scene, id="other")) == {}
