"""The literal hearer, and the rule by which an outcome follows from probabilities."""

from __future__ import annotations

from random import Random

import pytest

from referee import create
from referee.errors import InvalidDescription
from referee.hearers.answering import answer, decide, understand
from referee.hearers.literal import Literal
from referee.metrics.hearing import MEASURES, group_responses
from referee.records import Description, Entity, HearerView, Outcome, Property, Relation, Response, Scene, Trial


def thing(name: str, **attributes: str) -> Entity:
    return Entity(id=name, attributes=tuple(Property(k, v) for k, v in attributes.items()))


def view(*entities: Entity) -> HearerView:
    return HearerView(id="t", scene=Scene(entities=entities))


ROOM = view(
    thing("a", type="chair", colour="red"),
    thing("b", type="chair", colour="blue"),
    thing("c", type="sofa", colour="red"),
)


def hear(view: HearerView = ROOM, text: str | None = None, **said: str) -> Response:
    properties = tuple(Property(k, v) for k, v in said.items()) if said or text is None else None
    return Literal().resolve(Description(properties=properties, text=text), view)


def test_one_entity_left_is_an_answer() -> None:
    response = hear(type="chair", colour="red")
    assert (response.outcome, response.entity) == (Outcome.ENTITY, "a")
    assert dict(response.probabilities or ()) == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_several_left_are_several_with_even_chances() -> None:
    response = hear(colour="red")
    assert (response.outcome, response.entity) == (Outcome.SEVERAL, None)
    assert dict(response.probabilities or ()) == {"a": 0.5, "b": 0.0, "c": 0.5}


@pytest.mark.parametrize("said", [{"type": "sofa", "colour": "blue"}, {"type": "unicorn"}, {"mood": "sad"}])
def test_nothing_left_is_none(said: dict[str, str]) -> None:
    response = hear(**said)
    assert response.outcome == Outcome.NONE
    assert dict(response.probabilities or ()) == {"a": 0.0, "b": 0.0, "c": 0.0, "none": 1.0}


def test_the_empty_description_is_true_of_everything() -> None:
    assert hear().outcome == Outcome.SEVERAL
    alone = hear(view(thing("a", type="chair")))
    assert (alone.outcome, alone.entity) == (Outcome.ENTITY, "a")


def test_a_scene_of_nothing_has_none() -> None:
    assert hear(view(), type="chair").outcome == Outcome.NONE


def test_words_are_heard_where_they_are_values_of_one_attribute() -> None:
    assert hear(text="The RED chair, please!").entity == "a"
    assert hear(text="the sofa").entity == "c"
    both = Scene(entities=(thing("a", shade="light", weight="light"), thing("b", shade="dark", weight="heavy")))
    assert understand(Description(text="light"), both) == Outcome.UNPARSABLE, "it could mean either attribute"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", Outcome.DONT_KNOW),
        ("   ", Outcome.DONT_KNOW),
        ("xyzzy plugh", Outcome.UNPARSABLE),
        ("!?…", Outcome.UNPARSABLE),
    ],
)
def test_nothing_said_and_nothing_understood_are_two_outcomes(text: str, outcome: Outcome) -> None:
    response = hear(text=text)
    assert response.outcome == outcome
    assert dict(response.probabilities or ()) == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})


def test_a_description_with_neither_properties_nor_words_is_not_known() -> None:
    assert Literal().resolve(Description(), ROOM).outcome == Outcome.DONT_KNOW


def test_landmarks_are_read_with_their_relation() -> None:
    left = Entity(id="x", attributes=(Property("type", "ball"),), relations=(Relation("left-of", "y"),))
    scene = view(left, thing("y", type="cube"), thing("z", type="ball"))
    said = (Property("type", "ball"), Property("left-of", ""), Property("landmark.type", "cube"))
    assert Literal().resolve(Description(properties=said), scene).entity == "x"


@pytest.mark.parametrize(
    ("shares", "several", "none", "expected"),
    [
        ([0.5, 0.3], 0.1, 0.1, (Outcome.ENTITY, 0)),
        ([0.4, 0.4], 0.1, 0.1, (Outcome.SEVERAL, None)),
        ([0.3, 0.2], 0.4, 0.1, (Outcome.SEVERAL, None)),
        ([0.3, 0.2], 0.1, 0.4, (Outcome.NONE, None)),
        ([0.5, 0.0], 0.0, 0.5, (Outcome.NONE, None)),
        ([0.5, 0.0], 0.5, 0.0, (Outcome.SEVERAL, None)),
    ],
)
def test_the_largest_share_decides_and_who_is_undecided_does_not_point(
    shares: list[float], several: float, none: float, expected: tuple[Outcome, int | None]
) -> None:
    assert decide(shares, several, none) == expected


def test_many_answers_are_those_of_one_by_one() -> None:
    said = [Description(properties=(Property("colour", c),)) for c in ("red", "blue", "red", "green")]
    hearer = Literal()
    assert hearer.resolve_many([(d, ROOM) for d in said]) == [hearer.resolve(d, ROOM) for d in said]


def test_an_entity_called_none_is_refused_where_it_would_be_confused() -> None:
    scene = view(thing("none", type="chair"), thing("b", type="sofa"))
    with pytest.raises(InvalidDescription, match="another id"):
        answer("toy", scene, [0.0, 0.0], none=1.0)


def test_several_targets_are_chosen_as_a_set() -> None:
    """A description in parts: the red chair (a) and the blue desk (b); another red desk is there."""
    looks = {"a": ("chair", "red"), "b": ("desk", "blue"), "c": ("desk", "red")}
    entities = tuple(
        Entity(id=i, attributes=(Property("type", t), Property("colour", c))) for i, (t, c) in looks.items()
    )
    trial = Trial(id="t", scene=Scene(entities=entities), targets=("a", "b"))
    right = Description(meaning=("parts", (1, ("type", "chair")), (1, ("and", ("type", "desk"), ("colour", "blue")))))
    wrong = Description(meaning=("parts", (1, ("type", "chair")), (1, ("and", ("type", "desk"), ("colour", "red")))))
    for name in ("literal", "noisy", "rsa"):
        hearer = create("hearer", name)
        view = trial.for_hearer(Random(1))
        responses = [hearer.resolve(said, view) for said in (right, wrong)]
        assert [sorted(r.entities) for r in responses] == [["a", "b"], ["a", "c"]]
        hearings, excluded = group_responses(responses, {"t": trial})
        assert not any(excluded.values())
        # One of two responses chose exactly the set of targets.
        assert next(iter(hearings.values())).measure()[MEASURES.index("ir")] == 0.5
