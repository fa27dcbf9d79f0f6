"""PRO: probabilities by hand, by enumeration of draws, and recovered from samples."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from contexts import props, random_scenes, scene, view
from hypothesis import given

from referee.errors import InputError, NotTrained
from referee.records import Description, Property, Trial
from referee.selection.overspecification import Overspecification

# Colour alone does, size alone does, both may be said: the two-attribute condition of van Gompel et al.
BOTH = scene(t="type:cup colour:red size:big", a="type:cup colour:blue size:small")
ONLY_SIZE = scene(t="type:cup colour:red size:big", a="type:cup colour:red size:small")
MODEL = Overspecification(preferences={"colour": 0.8, "size": 0.2}, eagerness=0.5)


def chances(where, model=MODEL):
    return {frozenset(p.name for p in said): chance for said, chance in model.distribution(view(where, "t"))}


def test_either_property_does_by_hand():
    """By hand: colour drawn .8, size then added with .5 · .2; size drawn .2, colour then added with .5 · .8."""
    model = Overspecification(preferences={"colour": 0.8, "size": 0.2}, eagerness=0.5)
    assert chances(BOTH, model) == {
        frozenset({"type", "colour"}): pytest.approx(0.8 * 0.9),
        frozenset({"type", "size"}): pytest.approx(0.2 * 0.6),
        frozenset({"type", "colour", "size"}): pytest.approx(0.8 * 0.1 + 0.2 * 0.4),
    }


def test_redundant_colour_is_likelier_than_redundant_size():
    assert chances(ONLY_SIZE)[frozenset({"type", "colour", "size"})] == pytest.approx(0.5 * 0.8)


def test_two_needed_properties_are_drawn_in_either_order():
    where = scene(
        t="type:cup colour:red size:big", a="type:cup colour:blue size:big", b="type:cup colour:red size:small"
    )
    assert chances(where) == {frozenset({"type", "colour", "size"}): pytest.approx(1.0)}


@given(random_scenes())
def test_probabilities_sum_to_one_and_the_mode_is_said(where):
    model = Overspecification(preferences={"colour": 0.9, "size": 0.5, "shape": 0.3, "place": 0.1}, eagerness=0.6)
    found = model.distribution(view(where, "t"))
    assert sum(chance for _, chance in found) == pytest.approx(1.0)
    assert frozenset(model.select(view(where, "t"))) == found[0][0]


def test_samples_follow_the_distribution():
    drawn = Counter(
        frozenset(
            p.name
            for p in Overspecification(MODEL.preferences, MODEL.eagerness, seed=1).select(view(BOTH, "t", name=str(i)))
        )
        for i in range(2000)
    )
    for said, chance in chances(BOTH).items():
        assert drawn[said] / 2000 == pytest.approx(chance, abs=0.03)


def test_training_recovers_the_parameters_of_samples():
    rng = Random(2)
    trials = []
    for i in range(3000):
        where = BOTH if i % 2 else ONLY_SIZE
        sets, weights = zip(*MODEL.distribution(view(where, "t")), strict=True)
        said = tuple(rng.choices(sets, weights)[0])
        trials.append(Trial(id=str(i), scene=where, targets=("t",), references=(Description(properties=said),)))
    fitted = Overspecification().fit(trials)
    preferences, eagerness = fitted.fitted_[(None,)]
    # The largest preference is scaled to 1: 0.2 / 0.8 and 0.5 · 0.8.
    assert preferences["colour"] == 1.0
    assert preferences["size"] == pytest.approx(0.25, abs=0.04)
    assert eagerness == pytest.approx(0.4, abs=0.04)
    assert fitted.left_out_ == 0


def test_descriptions_the_model_cannot_say_are_counted_and_left_out():
    silent = Trial(
        id="x", scene=ONLY_SIZE, targets=("t",), references=(Description(properties=props("type:cup colour:red")),)
    )
    told = Trial(
        id="y", scene=ONLY_SIZE, targets=("t",), references=(Description(properties=props("type:cup size:big")),)
    )
    fitted = Overspecification().fit([silent, told])
    assert fitted.left_out_ == 1
    assert Property("size", "big") in fitted.select(view(ONLY_SIZE, "t"))


def test_it_needs_training_unless_both_parameters_are_given():
    with pytest.raises(NotTrained):
        Overspecification(eagerness=0.5).select(view(BOTH, "t"))


def test_a_group_never_seen_is_named():
    told = Trial(
        id="y", scene=BOTH, targets=("t",), domain="home", references=(Description(properties=props("size:big")),)
    )
    with pytest.raises(InputError, match="no training data for domain = moon") as caught:
        Overspecification().fit([told]).select(view(BOTH, "t", domain="moon"))
    assert "seen: home" in caught.value.remedy
