"""NIST has the values of the official script, one batch or many, compiled or plain."""

from __future__ import annotations

from contextlib import nullcontext
from math import exp, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from phrases import ITEMS, compiled, hold, invent

from referee.errors import InputError
from referee.metrics.nist import Nist

# The example of nltk.translate.nist_score, whose own values (3.3709…, 1.4619…) are not the official script's.
REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]
FIRST = "It is a guide to action which ensures that the military always obeys the commands of the party"
SECOND = "It is to insure the troops forever hearing the activity guidebook that party direct"


@pytest.mark.parametrize(("output", "expected"), [(FIRST, 5.0379202), (SECOND, 2.1138746)])
def test_nist_has_the_values_of_the_official_formula(output, expected):
    """Values of pymteval (the mteval module of e2e-metrics), quoted in nltk/nltk#3901."""
    score = Nist(case="keep", tokens="words").score(hold([output], [REFERENCES]))
    assert score.value == pytest.approx(expected, abs=5e-8)


def test_nist_by_hand():
    """References "a b" and "a c": 4 words, a twice, b and c once; so a weighs log2(4/2) = 1, b log2(4/1) = 2, "a b" log2(2/1) = 1.

    The output "a b b" has 3 words (a and one b match: 3 bits) and 2 pairs ("a b" matches: 1 bit): 3/3 + 1/2, longer than the references, no penalty.
    """
    assert Nist(order=2).score(hold(["a b b"], [["a b", "a c"]])).value == pytest.approx(1.5)


def test_two_thirds_of_the_length_halve_the_score():
    batch = hold(["a b"], [["a b c"]])
    # Three words once each: log2 3 bits a word; pairs add nothing. Doddington's penalty is 1/2 at a ratio of 2/3.
    assert Nist(order=1).score(batch).value == pytest.approx(log2(3) / 2)


def test_the_length_ratio_uses_the_mean_reference_length():
    batch = hold(["a"], [["a", "b c d"]])
    beta = log(2) / log(1.5) ** 2
    assert Nist(order=1).score(batch).value == pytest.approx(2 * exp(-beta * log(1 / 2) ** 2))


def test_outputs_shorter_than_the_order_are_no_mistake():
    """nltk stops with a ZeroDivisionError where no output has five words."""
    assert Nist().score(hold(["a b"], [["a b"]])).value == pytest.approx(1.0)


def test_weights_come_from_the_whole_test_set():
    outputs, references = invent(60, seed=3)
    together = Nist().statistics(hold(outputs, references))
    parts = [hold(outputs[k : k + 7], references[k : k + 7]) for k in range(0, 60, 7)]
    nist = Nist()
    for part in parts:
        nist.learn(part)
    np.testing.assert_allclose(np.vstack([nist.statistics(part) for part in parts]), together, rtol=1e-12)
    alone = np.vstack([Nist().statistics(part) for part in parts])
    assert not np.allclose(alone, together)


def test_learning_in_batches_gives_the_same_on_the_compiled_path():
    outputs, references = invent(3000, seed=4)
    plain = Nist()
    swift = Nist()
    for k in range(0, 3000, 750):
        plain.learn(hold(outputs[k : k + 750], references[k : k + 750]))
    with compiled():
        for k in range(0, 3000, 1250):
            swift.learn(hold(outputs[k : k + 1250], references[k : k + 1250]))
        rows = swift.statistics(hold(outputs, references))
    expected = np.vstack(
        [plain.statistics(hold(outputs[k : k + 750], references[k : k + 750])) for k in range(0, 3000, 750)]
    )
    np.testing.assert_allclose(rows, expected, rtol=1e-12)


@pytest.mark.parametrize("path", [nullcontext, compiled])
def test_a_reference_that_was_not_learnt_is_refused(path):
    with path():
        nist = Nist().learn(hold(["a"], [["a b"]]))
        with pytest.raises(InputError, match="learn"):
            nist.statistics(hold(["x"], [["x y"]]))


@settings(deadline=None, max_examples=50)
@given(items=ITEMS)
def test_both_paths_measure_the_same(items):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    plain = Nist().statistics(hold(outputs, references))
    with compiled():
        np.testing.assert_allclose(Nist().statistics(hold(outputs, references)), plain, rtol=1e-12, atol=1e-12)


def test_nothing_is_not_zero_but_silence_is():
    score = Nist().score(hold([None, "a"], [["a"], [None]]))
    assert (score.value, score.n) == (None, 0)
    assert Nist().score(hold([""], [["a"]])).value == 0.0
    assert Nist().score(hold([], [])).n == 0
