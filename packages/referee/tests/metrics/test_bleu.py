"""BLEU equals sacrebleu on short texts, where other programs do not."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phrases import ITEMS, compiled, hold, invent
from sacrebleu.metrics import BLEU

from referee.errors import InputError
from referee.metrics.bleu import Bleu
from referee.metrics.chrf import Chrf
from referee.metrics.nist import Nist


def by_sacrebleu(outputs, references, tokens, order):
    most = max(map(len, references))
    streams = [[r[k] if k < len(r) else None for r in references] for k in range(most)]
    oracle = BLEU(lowercase=True, tokenize=tokens, force=True, smooth_method="none", max_ngram_order=order)
    return oracle.corpus_score(outputs, streams).score / 100


@pytest.mark.parametrize("way", [("words", "none"), ("mteval", "13a")])
@settings(deadline=None)
@given(items=ITEMS, order=st.integers(1, 4))
def test_bleu_equals_sacrebleu_with_any_number_of_references(way, items, order):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    expected = by_sacrebleu(outputs, references, way[1], order)
    assert Bleu(order=order, tokens=way[0]).score(hold(outputs, references)).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_compiled_bleu_equals_sacrebleu_on_thousands_of_items(order):
    outputs, references = invent(2000, seed=order)
    with compiled():
        value = Bleu(order=order).score(hold(outputs, references)).value
    assert value == pytest.approx(by_sacrebleu(outputs, references, "13a", order), abs=1e-9)
    assert 0 < value < 1


def test_a_copy_of_the_references_scores_one_even_when_a_text_is_short():
    """nltk 3.10.4 prints 0.9306 for such data (one item of 3 words, one of 6); sacrebleu 100."""
    texts = ["the red chair", "the large blue sofa facing left"]
    assert Bleu().score(hold(texts, [[t] for t in texts])).value == pytest.approx(1.0, abs=1e-12)


def test_the_brevity_penalty_takes_the_closest_or_the_shortest_reference():
    # Output of 3 words, references of 2 and 4: both are equally close and the shorter one counts, so there is no penalty.
    near = hold(["a b c"], [["a b c d", "a b"]])
    assert Bleu(order=1).score(near).value == pytest.approx(1.0)
    # References of 5 and 2 with 4 words said: the closest asks for 5, exp(1 - 5/4); the shortest for none.
    far = hold(["a b c d"], [["a b c d e", "a b"]])
    assert Bleu(order=1).score(far).value == pytest.approx(exp(-0.25))
    assert Bleu(order=1, brevity="shortest").score(far).value == pytest.approx(1.0)


def test_matches_are_clipped_by_the_reference_that_has_a_word_most_often():
    """Papineni et al. 2002, section 2.1: seven times "the" against two references scores 2/7."""
    batch = hold(["the the the the the the the"], [["the cat is on the mat", "there is a cat on the mat"]])
    assert Bleu(order=1).score(batch).value == pytest.approx(2 / 7)


def test_an_order_without_a_match_gives_zero():
    assert Bleu(order=2).score(hold(["b a"], [["a b"]])).value == 0.0
    assert Bleu(order=4).score(hold(["a b"], [["a b"]])).value == 0.0
    assert Bleu(order=1).score(hold([""], [["a b"]])).value == 0.0


def test_nothing_is_not_zero():
    score = Bleu().score(hold([None, "a"], [["a"], []]))
    assert (score.value, score.n) == (None, 0)
    rows = Bleu().statistics(hold(["a", None], [["a"], ["a"]]))
    assert np.isnan(rows[1]).all()
    assert not np.isnan(rows[0]).any()


@pytest.mark.parametrize("metric", [Bleu, Nist, Chrf])
@pytest.mark.parametrize("order", [0, 31])
def test_an_order_that_cannot_be_counted_is_refused(metric, order):
    with pytest.raises(InputError, match="1 to 30"):
        metric(order=order).score(hold(["a"], [["a"]]))


def test_every_switch_is_in_the_signature():
    signature = Bleu(order=3, brevity="shortest").score(hold(["a"], [["a"]])).signature
    assert "order:3|case:lower|tokens:mteval|brevity:shortest" in signature


@settings(deadline=None, max_examples=50)
@given(items=ITEMS, order=st.integers(1, 6))
def test_both_paths_count_the_same(items, order):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    plain = Bleu(order=order).statistics(hold(outputs, references))
    with compiled():
        np.testing.assert_array_equal(Bleu(order=order).statistics(hold(outputs, references)), plain)


def test_rows_finish_in_any_shape():
    rows = Bleu(order=2).statistics(hold(["a b c", "a b"], [["a b c"], ["b a"]]))
    values = Bleu(order=2).finish(np.stack([rows.sum(axis=0), rows[0], 0 * rows[0]]), np.array([2.0, 1.0, 0.0]))
    # By hand: 5/5 words and 2/3 pairs, no penalty; 1 for the first alone; nothing counted.
    np.testing.assert_allclose(values, [(2 / 3) ** 0.5, 1.0, np.nan])
