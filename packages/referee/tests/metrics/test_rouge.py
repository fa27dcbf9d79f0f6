"""ROUGE-2 and ROUGE-SU4 by definition, against rouge-metric (which follows ROUGE-1.5.5) and against rouge-score."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from phrases import ITEMS, compiled, hold, invent
from rouge_metric import PyRouge
from rouge_score.rouge_scorer import RougeScorer

from referee.errors import UnknownName
from referee.metrics.rouge import Rouge2, RougeSU4
from referee.metrics.tokens import split_words

STATISTICS = {"f": "f", "recall": "r", "precision": "p"}


def by_rouge_metric(outputs, references, mode):
    rouge = PyRouge(
        rouge_n=(2,),
        rouge_l=False,
        rouge_w=False,
        rouge_s=False,
        rouge_su=True,
        skip_gap=4,
        multi_ref_mode=mode,
        mode="individual",
    )
    words = [[text.lower().split()] for text in outputs]
    wanted = [[[text.lower().split()] for text in texts] for texts in references]
    return rouge.evaluate_tokenized(words, wanted)


@pytest.mark.parametrize("mode", ["average", "best"])
@settings(deadline=None)
@given(items=ITEMS)
def test_every_item_equals_rouge_metric(mode, items):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    expected = by_rouge_metric(outputs, references, mode)
    for statistic, short in STATISTICS.items():
        for name, metric in (("rouge-2", Rouge2), ("rouge-su4", RougeSU4)):
            rows = metric(statistic=statistic, references=mode, tokens="words").statistics(hold(outputs, references))
            np.testing.assert_allclose(rows[:, 0], [item[name][short] for item in expected], atol=1e-12)


def test_compiled_rouge_equals_rouge_metric_on_many_items():
    outputs, references = invent(1000, seed=2)
    expected = by_rouge_metric(outputs, references, "average")
    for name, metric in (("rouge-2", Rouge2()), ("rouge-su4", RougeSU4())):
        with compiled():
            rows = metric.statistics(hold(outputs, references))
        np.testing.assert_allclose(rows[:, 0], [item[name]["f"] for item in expected], atol=1e-12)


@settings(deadline=None)
@given(items=ITEMS)
def test_rouge_2_equals_rouge_score_with_one_reference(items):
    # rouge-score drops everything but ASCII letters and digits, so its texts are prepared accordingly.
    outputs = [o.replace(".", "").replace(",", "").replace("-", "") for o, _ in items]
    references = [r[0].replace(".", "").replace(",", "").replace("-", "") for _, r in items]
    scorer = RougeScorer(["rouge2"])
    expected = [scorer.score(r, o)["rouge2"] for o, r in zip(outputs, references, strict=True)]
    batch = hold(outputs, [[r] for r in references])
    np.testing.assert_allclose(Rouge2().statistics(batch)[:, 0], [s.fmeasure for s in expected], atol=1e-12)
    np.testing.assert_allclose(
        Rouge2(statistic="recall").statistics(batch)[:, 0], [s.recall for s in expected], atol=1e-12
    )


def units(words, variant):
    pairs = [(words[i], words[j]) for i, j in combinations(range(len(words)), 2) if j - i <= 5]
    singles = words[:-1] if variant == "1.5.5" else words
    return Counter(pairs) + Counter((word,) for word in singles)


@pytest.mark.parametrize("variant", ["1.5.5", "textbook"])
@settings(deadline=None)
@given(items=ITEMS)
def test_su4_follows_its_definition(variant, items):
    outputs, references = [o for o, _ in items], [r[0] for _, r in items]
    expected = []
    for output, reference in zip(outputs, references, strict=True):
        said, wanted = units(output.lower().split(), variant), units(reference.lower().split(), variant)
        everything = said.total() + wanted.total()
        expected.append(2 * (said & wanted).total() / everything if everything else 0.0)
    rows = RougeSU4(variant=variant, tokens="words").statistics(hold(outputs, [[r] for r in references]))
    np.testing.assert_allclose(rows[:, 0], expected, atol=1e-12)


def test_the_official_script_never_counts_the_last_word():
    """ROUGE-1.5.5: one word has no units at all; "a b" has a pair and the single word a."""
    assert RougeSU4().score(hold(["chair"], [["chair"]])).value == 0.0
    assert RougeSU4(variant="textbook").score(hold(["chair"], [["chair"]])).value == 1.0
    # a b against c b: 0 of 2 units; counting the last word 1 of 3.
    assert RougeSU4().score(hold(["a b"], [["c b"]])).value == 0.0
    assert RougeSU4(variant="textbook").score(hold(["a b"], [["c b"]])).value == pytest.approx(1 / 3)


def test_five_words_between_are_too_many():
    # Words 1 and 7 have five words between and make no pair: 6 + 5 + 4 + 3 + 2 = 20 pairs, 6 single words.
    batch = hold(["a x"], [["a b c d e f x"]])
    assert RougeSU4(statistic="recall").score(batch).value == pytest.approx(1 / 26)


def test_the_corpus_value_is_the_mean_over_items():
    batch = hold(["a b", "a b c"], [["a b"], ["x y"]])
    assert Rouge2().score(batch).value == pytest.approx(0.5)


def test_nothing_is_not_zero_but_silence_is():
    for metric in (Rouge2(), RougeSU4()):
        score = metric.score(hold([None, "a b"], [["a b"], []]))
        assert (score.value, score.n) == (None, 0)
        assert metric.score(hold([""], [["a b"]])).value == 0.0


def test_unknown_switches_are_refused():
    for metric in (Rouge2(statistic="f1"), Rouge2(references="any"), RougeSU4(variant="1.5")):
        with pytest.raises(UnknownName):
            metric.score(hold(["a b"], [["a b"]]))


@pytest.mark.parametrize("metric", [Rouge2(), RougeSU4(), RougeSU4(variant="textbook", references="best")])
@settings(deadline=None, max_examples=50)
@given(items=ITEMS)
def test_both_paths_measure_the_same(metric, items):
    outputs, references = [o for o, _ in items], [r for _, r in items]
    plain = metric.statistics(hold(outputs, references))
    with compiled():
        np.testing.assert_array_equal(metric.statistics(hold(outputs, references)), plain)


SCRIPT_OUTPUTS = (
    "The large red chair, facing left.",
    "a green-blue sofa (small)",
    "the man's beard",
    "sofá à esquerda",
    "chair",
    "- -- !",
    "The 2nd desk: grey; top-right",
)
SCRIPT_REFERENCES = (
    ("the large red chair facing left", "a large, red chair"),
    ("the small green blue sofa",),
    ("man with the beard", "the bearded man."),
    ("o sofá à esquerda",),
    ("a chair",),
    ("the fan",),
    ("grey desk on the top right", "the second desk; top-right."),
)
# recall, precision and F that the Perl script ROUGE-1.5.5 itself prints (options -n 2 -x -2 4 -u -f A -p 0.5 -d), to its five decimals
SCRIPT_VALUES = {
    Rouge2: (
        (0.87500, 0.70000, 0.77778),
        (0.50000, 0.50000, 0.50000),
        (0.00000, 0.00000, 0.00000),
        (0.50000, 1.00000, 0.66667),
        (0.00000, 0.00000, 0.00000),
        (0.00000, 0.00000, 0.00000),
        (0.22222, 0.20000, 0.21053),
    ),
    RougeSU4: (
        (0.86207, 0.62500, 0.72464),
        (0.35714, 0.35714, 0.35714),
        (0.42857, 0.33333, 0.37500),
        (0.40000, 1.00000, 0.57143),
        (0.00000, 0.00000, 0.00000),
        (0.00000, 0.00000, 0.00000),
        (0.58824, 0.50000, 0.54054),
    ),
}


@pytest.mark.parametrize("metric", SCRIPT_VALUES)
def test_marks_hyphens_and_accents_are_read_as_the_perl_script_reads_them(metric):
    batch = hold(SCRIPT_OUTPUTS, SCRIPT_REFERENCES)
    for column, statistic in enumerate(("recall", "precision", "f")):
        rows = metric(statistic=statistic).statistics(batch)[:, 0]
        np.testing.assert_allclose(rows, [values[column] for values in SCRIPT_VALUES[metric]], atol=1.1e-5)


def test_a_letter_that_only_looks_like_ascii_is_none():
    """The Kelvin sign folds to k, but the script replaces its bytes by blanks."""
    assert split_words("5 \u212a", tokens="rouge-1.5.5") == ["5"]
