"""Exact match, edit distance and string accuracy against hand calculation, brute force and another program."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phrases import ITEMS, compiled, hold, invent
from rapidfuzz.distance import Indel, Levenshtein

from referee.errors import InputError, UnknownName
from referee.metrics.strings import Edit, Exact, Seb

# Invented, with the counts of the worked example of Bangalore, Rambow & Whittaker 2000: 9 words; 1 substitution, 2 insertions and
# 2 deletions, one word being both inserted and deleted.
WANTED = "we saw no spare chair near the big table"
SAID = "we saw chair near table the big no spare"


def value(metric, output, *references):
    return metric.score(hold([output], [references])).value


def edit_by_definition(a, b, substitution):
    @cache
    def distance(i, j):
        if not i or not j:
            return i + j
        paired = distance(i - 1, j - 1) + (substitution if a[i - 1] != b[j - 1] else 0)
        return min(paired, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(a), len(b))


def test_exact_asks_for_one_equal_reference_unless_told_to_average():
    assert value(Exact(), "The red chair", "a chair", "the red chair") == 1.0
    assert value(Exact(references="average"), "The red chair", "a chair", "the red chair") == 0.5
    assert value(Exact(case="keep"), "The red chair", "the red chair") == 0.0
    assert value(Exact(), "red chair the", "the red chair") == 0.0


def test_a_substitution_costs_two_unless_told_otherwise():
    assert value(Edit(), "the red chair", "the blue chair") == 2.0
    assert value(Edit(substitution=1), "the red chair", "the blue chair") == 1.0


@pytest.mark.parametrize("substitution", [-1, 1.5])
def test_a_substitution_must_cost_a_whole_number(substitution):
    with pytest.raises(InputError, match="whole number"):
        value(Edit(substitution=substitution), "a", "b")


def test_edit_distance_is_averaged_over_references_unless_told_otherwise():
    assert value(Edit(), "a b", "a b", "a b c d") == 1.0
    assert value(Edit(references="best"), "a b", "a b", "a b c d") == 0.0


def test_normalised_edit_distance_is_per_reference_word():
    # One deletion of four words, and two substitutions (4) of two words: (1/4 + 4/2) / 2.
    assert value(Edit(normalise=True), "x y z", "w x y z", "p q") == pytest.approx((1 / 4 + 5 / 2) / 2)


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcd"), max_size=7), st.lists(st.sampled_from("abcd"), max_size=7), st.integers(1, 3))
def test_edit_distance_follows_its_definition(a, b, substitution):
    expected = edit_by_definition(tuple(a), tuple(b), substitution)
    assert value(Edit(substitution=substitution), " ".join(a), " ".join(b)) == expected


def test_compiled_edit_distances_equal_rapidfuzz():
    outputs, references = invent(2000, seed=1)
    batch = hold(outputs, [r[:1] for r in references])
    pairs = [(o.split(), r[0].split()) for o, r in zip(outputs, references, strict=True)]
    with compiled():
        official, unit = Edit().statistics(batch)[:, 0], Edit(substitution=1).statistics(batch)[:, 0]
    np.testing.assert_array_equal(official, [Indel.distance(*pair) for pair in pairs])
    np.testing.assert_array_equal(unit, [Levenshtein.distance(*pair) for pair in pairs])


def test_string_accuracy_has_the_values_of_the_worked_example_of_bangalore_and_colleagues():
    """Printed as .44 and .56: 1 - 5/9, and 1 - 4/9 where a moved word is one error."""
    assert value(Seb(), SAID, WANTED) == pytest.approx(1 - 5 / 9)
    assert value(Seb(moves=True), SAID, WANTED) == pytest.approx(1 - 4 / 9)


def test_a_word_that_changed_places_is_one_error_with_moves():
    # One unit-cost alignment substitutes both words, another deletes and inserts: the second shows the move.
    assert value(Seb(), "b a", "a b") == 0.0
    assert value(Seb(moves=True), "b a", "a b") == 0.5


def test_string_accuracy_can_go_below_zero():
    assert value(Seb(), "a b c d", "x") == -3.0
    assert value(Seb(references="best"), "a b c d", "x", "a b c d") == 1.0


@settings(deadline=None)
@given(ITEMS)
def test_moves_never_lower_the_accuracy_and_at_most_halve_the_errors(items):
    batch = hold([o for o, _ in items], [r for _, r in items])
    without, with_moves = Seb().statistics(batch), Seb(moves=True).statistics(batch)
    known = ~np.isnan(without)
    assert (with_moves[known] >= without[known] - 1e-12).all()
    assert (1 - with_moves[known] >= (1 - without[known]) / 2 - 1e-12).all()


def test_an_empty_text_is_measured_and_no_text_is_not():
    assert value(Exact(), "", "") == 1.0
    assert value(Exact(), "", "a") == 0.0
    assert value(Edit(), "", "a b") == 2.0
    assert value(Seb(), "", "a b") == 0.0
    for metric in (Exact(), Edit(), Seb(), Seb(moves=True)):
        score = metric.score(hold([None, "a"], [["a"], []]))
        assert (score.value, score.n) == (None, 0)


def test_a_reference_without_words_has_nothing_to_divide_by():
    for metric in (Seb(), Seb(references="best"), Edit(normalise=True), Edit(normalise=True, references="best")):
        assert metric.score(hold(["a"], [[""]])).n == 0
    assert value(Seb(), "a", "", "a") == 1.0


def test_an_unknown_way_to_join_references_is_refused():
    for metric in (Exact(references="best"), Edit(references="any"), Seb(references="any")):
        with pytest.raises(UnknownName, match="average"):
            value(metric, "a", "a")


@pytest.mark.parametrize(
    "metric",
    [
        Exact(),
        Exact(references="average"),
        Edit(),
        Edit(substitution=1, references="best"),
        Edit(normalise=True),
        Seb(),
        Seb(moves=True),
        Seb(moves=True, references="best"),
    ],
)
@settings(deadline=None, max_examples=50)
@given(items=ITEMS)
def test_both_paths_measure_the_same(metric, items):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    plain = metric.statistics(hold(outputs, references))
    with compiled():
        np.testing.assert_array_equal(metric.statistics(hold(outputs, references)), plain)
