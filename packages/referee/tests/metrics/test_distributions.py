"""Distributions over property sets against SciPy and hand calculation, whole and in chunks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import batches, denoted, props, said, scene

from referee import create
from referee.contracts import Batch
from referee.metrics.distributions import Coverage, JensenShannon, Over, Under, compute_jensen_shannon
from referee.metrics.measure import Measure
from referee.records import Description, Entity, Property, Scene, Trial

CHAIRS = Scene(
    entities=scene("type:chair colour:red size:big", "type:chair colour:blue size:big").entities, id="chairs"
)


def told(name: str, *references: str, where: Scene = CHAIRS) -> Trial:
    return Trial(id=name, scene=where, targets=("0",), references=tuple(map(said, references)))


def rows(measure: Measure, outputs: list[Description | None], trials: list[Trial]) -> list[float]:
    return measure.statistics(Batch.of(outputs, trials))[:, 0].tolist()


# three people: {colour} twice, {type, colour} once
PEOPLE = [told("1", "colour:red"), told("2", "colour:red"), told("3", "type:chair colour:red")]


def test_divergence_by_hand() -> None:
    # system always {colour}: p = (1, 0), q = (2/3, 1/3), m = (5/6, 1/6): ½·log2(6/5) + ½·(⅔·log2(4/5) + ⅓·log2(2))
    found = rows(JensenShannon(), [said("colour:red")] * 3, PEOPLE)
    wanted = 0.5 * np.log2(6 / 5) + 0.5 * (2 / 3 * np.log2(4 / 5) + 1 / 3)
    assert found == pytest.approx([wanted] * 3)


def test_divergence_is_0_for_equal_and_1_for_disjoint_habits() -> None:
    same = [said("colour:red"), said("type:chair colour:red"), said("colour:red")]
    assert rows(JensenShannon(), same, PEOPLE) == pytest.approx([0, 0, 0], abs=1e-12)
    assert rows(JensenShannon(), [said("size:big")] * 3, PEOPLE) == pytest.approx([1, 1, 1])


def test_coverage_counts_descriptions_or_sets() -> None:
    outputs: list[Description | None] = [said("colour:red")] * 3
    assert rows(Coverage(), outputs, PEOPLE) == pytest.approx([2 / 3] * 3)
    assert rows(Coverage(distinct=True), outputs, PEOPLE) == pytest.approx([1 / 2] * 3)


def test_a_declared_distribution_comes_before_the_outputs() -> None:
    habit = (
        (frozenset(props("colour:red")), 0.5),
        (frozenset(props("colour:red type:chair")), 0.25),
        (frozenset(props("colour:red")), 0.25),
    )
    output = Description(properties=props("size:big"), distribution=habit)
    wanted = compute_jensen_shannon(Counter(x=3, y=1), Counter(x=2, y=1))
    assert rows(JensenShannon(), [output], PEOPLE[:1]) == pytest.approx(
        [compute_jensen_shannon(Counter(x=3, y=1), Counter(x=1))]
    )
    measure = JensenShannon()
    measure.learn(Batch.of([output] * 3, PEOPLE))
    assert measure.statistics(Batch.of([output], PEOPLE[:1]))[0, 0] == pytest.approx(wanted)
    silent = Description(distribution=habit)
    assert rows(Coverage(), [silent] * 3, PEOPLE) == [1, 1, 1]


def test_the_references_of_a_trial_count_once_however_often_it_is_answered() -> None:
    batch = Batch.of([said("colour:red")] * 4, [PEOPLE[0], PEOPLE[0], PEOPLE[0], PEOPLE[2]])
    assert Coverage().statistics(batch)[:, 0].tolist() == pytest.approx([1 / 2] * 4)


def test_situations_are_told_apart_by_scene_and_target() -> None:
    elsewhere = Scene(entities=CHAIRS.entities, id="elsewhere")
    other = told("4", "size:big", where=elsewhere)
    blue = Trial(id="7", scene=CHAIRS, targets=("1",), references=(said("colour:blue"),))
    assert rows(Coverage(), [said("colour:red")] * 3, [PEOPLE[0], other, blue]) == [1, 0, 0]


def test_nobody_to_compare_with_is_not_zero() -> None:
    empty = Description(properties=props("colour:red"), distribution=())
    found = rows(
        JensenShannon(),
        [None, Description(text="red"), said("colour:red"), empty],
        [PEOPLE[0], PEOPLE[0], told("5", where=scene("type:chair")), PEOPLE[0]],
    )
    assert np.isnan(found).all()


def test_a_situation_that_was_not_learned_is_not_measured() -> None:
    measure = JensenShannon()
    measure.learn(Batch.of([said("colour:red")], PEOPLE[:1]))
    assert np.isnan(
        measure.statistics(Batch.of([said("size:big")], [told("6", "size:big", where=scene("size:big"))]))
    ).all()


@given(batches(length=12), st.integers(1, 5))
def test_chunks_that_were_learned_give_what_the_whole_gives(batch: Batch, size: int) -> None:
    for measure, chunked in ((JensenShannon(), JensenShannon()), (Coverage(), Coverage())):
        parts = [Batch.of(batch.outputs[i : i + size], batch.trials[i : i + size]) for i in range(0, len(batch), size)]
        for part in parts:
            chunked.learn(part)
        found = np.concatenate([chunked.statistics(part) for part in parts])
        np.testing.assert_array_equal(found, measure.statistics(batch))


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4), st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_divergence_is_the_squared_distance_of_scipy(one: list[int], other: list[int]) -> None:
    from scipy.spatial.distance import jensenshannon

    if sum(one) and sum(other):
        sets = [frozenset(props(f"n:{i}")) for i in range(4)]
        ours = compute_jensen_shannon(dict(zip(sets, one, strict=True)), dict(zip(sets, other, strict=True)))
        # rounding leaves a tiny negative under SciPy's root where the two agree
        theirs = (
            0.0
            if np.allclose(np.divide(one, sum(one)), np.divide(other, sum(other)))
            else jensenshannon(one, other, base=2) ** 2
        )
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_over_and_under_by_hand() -> None:
    outputs = [
        said("colour:red"),
        said("type:chair colour:red"),
        said("colour:red size:big"),
        said("size:big"),
        said("colour:blue"),
    ]
    trials = [PEOPLE[0]] * 5
    assert rows(Over(), outputs, trials) == [0, 1, 1, 0, 0]
    assert rows(Over(count_type=False), outputs, trials) == [0, 0, 1, 0, 0]
    assert rows(Under(), outputs, trials) == [0, 0, 0, 1, 1]


@given(batches(related=True))
def test_nothing_is_both_over_and_under(batch: Batch) -> None:
    over, under = Over().statistics(batch)[:, 0], Under().statistics(batch)[:, 0]
    for i, (output, here) in enumerate(zip(batch.outputs, batch.trials, strict=True)):
        if output is None or output.properties is None:
            assert np.isnan([over[i], under[i]]).all()
            continue
        unique = denoted(output.properties, here.scene) == set(here.targets)
        assert under[i] == (not unique)
        assert not (over[i] and under[i])


def test_probabilistic_speakers_are_scored_in_expectation() -> None:
    """Worked by hand: Dice 1 with probability 3/4, 1/2 of two properties ({a}, {a, b}: 2/3) with 1/4."""
    a, b = Property("colour", "red"), Property("size", "large")
    place = Scene(entities=(Entity(id="0", attributes=(a, b)), Entity(id="1")))
    there = Trial(id="t", scene=place, targets=("0",), references=(Description(properties=(a,)),))
    unsure = Description(properties=(a,), distribution=((frozenset({a}), 0.75), (frozenset({a, b}), 0.25)))
    sure = Description(properties=(a, b))
    batch = Batch.of([unsure, sure, Description(text="red")], [there] * 3)
    dice, exact = (create("metric", f"distribution/{name}").statistics(batch)[:, 0] for name in ("dice", "exact"))
    assert dice[:2] == pytest.approx([0.75 + 0.25 * 2 / 3, 2 / 3])
    assert exact[:2] == pytest.approx([0.75, 0])
    assert np.isnan([dice[2], exact[2]]).all()
