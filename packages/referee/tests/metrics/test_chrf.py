"""chrF equals sacrebleu's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phrases import ITEMS, compiled, hold, invent
from sacrebleu.metrics import CHRF

from referee.metrics.chrf import Chrf


def by_sacrebleu(outputs, references, **options):
    most = max(map(len, references))
    streams = [[r[k] if k < len(r) else None for r in references] for k in range(most)]
    return CHRF(**options).corpus_score(outputs, streams).score / 100


@settings(deadline=None)
@given(items=ITEMS)
def test_chrf_equals_sacrebleu_with_any_number_of_references(items):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    expected = by_sacrebleu(outputs, references)
    assert Chrf().score(hold(outputs, references)).value == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(items=ITEMS, order=st.integers(1, 7), beta=st.integers(1, 3))
def test_chrf_equals_sacrebleu_with_other_switches(items, order, beta):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    expected = by_sacrebleu(outputs, references, char_order=order, beta=beta, lowercase=True)
    value = Chrf(order=order, beta=beta, case="lower").score(hold(outputs, references)).value
    assert value == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(st.text(max_size=12), st.text(max_size=12))
def test_chrf_equals_sacrebleu_on_any_characters(output, reference):
    expected = by_sacrebleu([output], [[reference]])
    assert Chrf().score(hold([output], [[reference]])).value == pytest.approx(expected, abs=1e-9)


def test_compiled_chrf_equals_sacrebleu_on_many_items():
    outputs, references = invent(1000, seed=5)
    with compiled():
        value = Chrf().score(hold(outputs, references)).value
    assert value == pytest.approx(by_sacrebleu(outputs, references), abs=1e-9)
    assert 0 < value < 1


def test_chrf_by_hand():
    # "ab" against "abc" with orders 1 and 2: precision (2/2 + 1/1)/2 = 1, recall (2/3 + 1/2)/2 = 7/12; F2 = 5·7/12 / (4 + 7/12).
    value = Chrf(order=2).score(hold(["a b"], [["abc"]])).value
    assert value == pytest.approx(5 * (7 / 12) / (4 + 7 / 12))


def test_nothing_is_not_zero_but_silence_is():
    score = Chrf().score(hold([None, "a"], [["a"], []]))
    assert (score.value, score.n) == (None, 0)
    assert Chrf().score(hold([""], [["a"]])).value == 0.0


@settings(deadline=None, max_examples=50)
@given(items=ITEMS)
def test_both_paths_measure_the_same(items):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    plain = Chrf().statistics(hold(outputs, references))
    with compiled():
        np.testing.assert_array_equal(Chrf().statistics(hold(outputs, references)), plain)
