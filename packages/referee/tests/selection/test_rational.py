"""Rational speakers, against hand calculation."""

from __future__ import annotations

from math import exp

import pytest
from contexts import props, random_scenes, remaining, scene, view
from hypothesis import given

from referee.records import Entity, Property, Relation, Scene, SpeakerView
from referee.selection.rational import RationalSpeaker

# The scene of Frank & Goodman (2012): a blue square, a blue circle, a green square.
SHAPES = scene(t="colour:blue shape:square", a="colour:blue shape:circle", b="colour:green shape:square")


def chances(speaker, where=SHAPES, target="t"):
    return {" ".join(sorted(map(str, said))): chance for said, chance in speaker.distribution(view(where, target))}


def test_the_literal_speaker_says_every_true_message_equally_often():
    assert chances(RationalSpeaker(depth=0)) == {
        m: pytest.approx(1 / 4) for m in ("", "colour:blue", "shape:square", "colour:blue shape:square")
    }


def test_the_pragmatic_speaker_by_hand():
    # S0: the target has 4 true messages, each neighbour 2. L1("") = 1/4 : 1/2 : 1/2 -> .2; L1(blue) = 1/4 : 1/2 -> 1/3, and so on.
    heard = {"": 0.2, "colour:blue": 1 / 3, "shape:square": 1 / 3, "colour:blue shape:square": 1.0}
    total = sum(heard.values())
    assert chances(RationalSpeaker(depth=1)) == {m: pytest.approx(h / total) for m, h in heard.items()}
    assert RationalSpeaker(depth=1).select(view(SHAPES, "t")) == props("colour:blue shape:square")


def test_rationality_sharpens_and_cost_shortens():
    heard = {"": 0.2, "colour:blue": 1 / 3, "shape:square": 1 / 3, "colour:blue shape:square": 1.0}
    sharp = {m: h**4 for m, h in heard.items()}
    found = chances(RationalSpeaker(alpha=4.0))
    assert found == {m: pytest.approx(h / sum(sharp.values())) for m, h in sharp.items()}
    dear = chances(RationalSpeaker(cost=1.0, depth=0))
    assert dear["colour:blue shape:square"] / dear["colour:blue"] == pytest.approx(exp(-1))


def test_the_unique_property_is_enough_for_a_neighbour():
    found = chances(RationalSpeaker(depth=1), target="a")
    assert found["shape:circle"] == pytest.approx(max(found.values()))
    assert RationalSpeaker(depth=1).select(view(SHAPES, "a")) == (Property("shape", "circle"),)


def test_a_seed_breaks_ties_at_random():
    twins = scene(t="colour:red size:big", a="colour:blue size:small")
    assert RationalSpeaker().select(view(twins, "t")) == props("colour:red")
    chosen = {RationalSpeaker(seed=1).select(view(twins, "t", name=str(i))) for i in range(40)}
    assert chosen == {props("colour:red"), props("size:big"), props("colour:red size:big")}


@pytest.mark.parametrize("depth", [1, 2])
@given(where=random_scenes())
def test_what_is_said_is_true_and_as_clear_as_can_be(depth, where):
    speaker = RationalSpeaker(depth=depth)
    assert sum(chance for _, chance in speaker.distribution(view(where, "t"))) == pytest.approx(1.0)
    own = where.entity("t").attributes
    if not remaining(where, own):
        assert not remaining(where, speaker.select(view(where, "t")))


def test_relations_are_messages_of_the_rational_speaker_with_landmarks() -> None:
    """Two rabbits and two hats, one rabbit in a hat: of it S0 says four messages with 1/4 each, of the other rabbit two with 1/2, of hats nothing."""
    kinds = {"r": "rabbit", "other": "rabbit", "h": "hat", "hat": "hat"}
    entities = tuple(
        Entity(id=i, attributes=(Property("type", kind),), relations=(Relation("in", "h"),) if i == "r" else ())
        for i, kind in kinds.items()
    )
    view = SpeakerView(id="v", scene=Scene(entities=entities), targets=("r",))
    said = RationalSpeaker(landmarks=True).select_description(view)
    assert said.meaning == ("rel", "in", ("type", "hat"))
    assert said.properties == (Property("in", "h"), Property("landmark.type", "hat"))
    assert view.scene.denotation(said.meaning) == view.scene.mask("r")
    chances = {len(message): chance for message, chance in RationalSpeaker(landmarks=True).distribution(view)}
    # L1: 1/11 for nothing (1/4 of 1/4 + 1/2 + 1 + 1), 1/3 for rabbit (1/4 of 3/4), 1 for either with the relation; S1 normalises them.
    assert chances[0] == pytest.approx((1 / 11) / (1 / 11 + 1 / 3 + 2))
    assert RationalSpeaker().select_description(view).meaning is None
