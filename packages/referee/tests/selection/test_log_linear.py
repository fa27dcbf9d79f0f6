"""The log-linear model of plurals: probabilities worked by hand from its formula, and what the highest likelihood means."""

from __future__ import annotations

from functools import reduce
from math import exp
from operator import or_

import pytest
from contexts import props, scene, trial, view

from referee.corpora.synthetic.plurals import Plurals
from referee.errors import NotTrained
from referee.jobs.describe import describe_with_speaker
from referee.jobs.speak import System
from referee.records import Description
from referee.selection.log_linear import FEATURES, LogLinear, Way, _Ways
from referee.selection.plural import Fragment

ROOM = scene(a="type:chair colour:red", b="type:chair colour:blue", c="type:desk colour:red")
CHAIR, RED, BLUE = props("type:chair colour:red colour:blue")


def weighed(**weights: float) -> LogLinear:
    model = LogLinear()
    model.weights_ = dict.fromkeys(FEATURES, 0.0) | weights
    return model


def test_probabilities_are_those_of_the_formula():
    """By hand from P(z) ∝ exp(w · φ(z)); the paper's own examples are not at hand.

    Of a and b one can say: the chairs (exact, 1 property: 1 - .5 = .5); the red and the blue one (c is red too, 2 properties, 2 parts:
    -1 - 1 = -2); the red chair and the blue chair (exact, 4 properties, 2 parts: 1 - 2 - 1 = -2).
    """
    model = LogLinear()
    model.weights_ = dict.fromkeys(FEATURES, 0.0) | {"exact": 1.0, "length": -0.5, "parts": -1.0}
    found = model.distribution(view(ROOM, "a", "b"))
    total = exp(0.5) + 2 * exp(-2)
    assert [sorted(said) for said, _ in found] == [[CHAIR], sorted([RED, BLUE]), sorted([CHAIR, RED, BLUE])]
    assert [chance for _, chance in found] == pytest.approx([exp(0.5) / total, exp(-2) / total, exp(-2) / total])
    assert found[0][1] == pytest.approx(0.858981, abs=1e-6)


def test_the_likelier_description_is_said_in_parts():
    model = weighed(exact=1.0, parts=2.0, colour=1.0)
    assert model.fragments(view(ROOM, "a", "b")) == (Fragment(("a",), (CHAIR, RED)), Fragment(("b",), (CHAIR, BLUE)))
    assert set(model.select(view(ROOM, "a", "b"))) == {CHAIR, RED, BLUE}
    assert [s.remaining for s in model.explain(view(ROOM, "a", "b"))] == [0, 0, 0, 0]


def test_what_could_go_and_whom_else_it_is_true_of_count():
    """Only the last of the three has an attribute that could go, only the second is true of somebody else (of one of one)."""
    assert weighed(idle=5.0).select(view(ROOM, "a", "b")) == (CHAIR, RED, BLUE)
    assert weighed(others=5.0).select(view(ROOM, "a", "b")) == (RED, BLUE)


@pytest.mark.parametrize("targets", [("a",), ("a", "b"), ("a", "b", "d")])
def test_features_worked_out_together_are_those_of_each_way_spelled_out(targets):
    """Each feature from its definition, way by way, in a scene where an attribute is missing and one value is shared by two names' owners."""
    room = scene(
        a="type:chair colour:red size:large",
        b="type:chair colour:blue size:large",
        c="type:desk colour:red",
        d="type:chair colour:red size:small",
        e="colour:blue size:large",
    )
    names = ("size", "type", "colour", "never-seen")
    seen = view(room, *targets)
    ways = _Ways(seen, names, 3)
    meant = room.mask(targets)
    assert len(ways) == 7
    for way, row in zip(ways, ways.looks(names).tolist(), strict=True):
        assert ways.place(way.flat) is not None

        def true(left_out: str = "", way: Way = way) -> int:
            said = [[p for p in part.properties if p.name != left_out] for part in way.parts]
            return reduce(or_, (room.denotation(properties) for properties in said))

        wrong = (true() & ~meant).bit_count()
        idle = sum(true(name) == true() for name in way.names) if len(way.names) > 1 else 0
        length = sum(len(part.properties) for part in way.parts)
        general = [true() == meant, wrong / (5 - len(targets)), length, len(way.parts) - 1, idle]
        assert row == [*map(float, general), *(float(name in way.names) for name in names)]


def test_learned_weights_make_the_expected_features_those_observed():
    """What the highest likelihood of a log-linear model means: with next to no penalty it mentions every attribute as often as speakers do."""
    trials = list(Plurals(speakers=6).trials())
    model = LogLinear(penalty=1e-6, iterations=2000).fit(trials)
    assert model.left_out_ == 0
    for name in ("type", "colour", "size", "orientation"):
        said = sum(any(p.name == name for p in t.references[0].properties or ()) for t in trials)
        expected = sum(
            chance
            for t in trials
            for way, chance in model.distribution(t.for_speaker())
            if any(p.name == name for p in way)
        )
        assert expected == pytest.approx(said, abs=0.3), name


def test_descriptions_that_are_none_of_the_ways_are_counted_and_not_learned_from():
    odd = trial(ROOM, "colour:blue", "a")
    model = LogLinear().fit([trial(ROOM, "type:chair colour:red", "a"), odd])
    assert model.left_out_ == 1


def test_it_must_be_trained_and_knows_no_limit_of_attributes():
    with pytest.raises(NotTrained):
        LogLinear().select(view(ROOM, "a"))
    wide = scene(**{i: " ".join(f"k{n}:{i}" for n in range(27)) for i in "abcdef"})
    assert LogLinear().fit([trial(ROOM, "type:chair", "a")]).select(view(wide, "a", "b"))


def test_the_words_are_in_parts_and_true():
    trials = list(Plurals(speakers=4).trials())
    speaker = System.read("classic/log-linear").build().fit(trials)
    for one in trials[:20]:
        found = describe_with_speaker(speaker, one.for_speaker(), trials)
        assert (found.false, found.dropped) == ((), ()), found.text
        assert (found.text or "").startswith("the ")


def test_generated_scenes_have_different_things_and_targets_that_their_words_fit():
    trials = list(Plurals().trials())
    assert len(trials) == 400
    assert {len(t.targets) for t in trials} == {2, 3}
    for one in trials:
        assert len({e.attributes for e in one.scene.entities}) == len(one.scene.entities)
        reference: Description = one.references[0]
        for prop in reference.properties or ():
            assert any(one.scene.entity(t).has(prop) for t in one.targets)
    assert list(Plurals(speakers=2).trials()) == trials[:40], "more speakers change nothing for the first ones"
