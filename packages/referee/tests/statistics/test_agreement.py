"""Agreement against published worked examples, scikit-learn and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as theirs_of_fleiss

from referee.errors import InputError
from referee.statistics.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units, gaps
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]

# Fleiss 1971 as quoted in textbooks: ten subjects, fourteen raters, five categories; kappa = 0.210
FLEISS = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_worked_example(level: str, alpha: float) -> None:
    found = krippendorff_alpha(UNITS, level=level, resamples=200)
    assert found.value == pytest.approx(alpha, abs=0.0006)
    assert (found.items, found.ratings) == (11, 40)
    assert found.low is not None
    assert found.high is not None
    assert found.low < alpha < found.high


def test_alpha_of_two_raters_by_hand() -> None:
    # values a a | a b | b b | b b: o_ab = 2 of 8; n_a = 3, n_b = 5; D_e = 2·15/7: alpha = 1 - 7·2/30
    found = krippendorff_alpha([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]], resamples=0)
    assert found.value == pytest.approx(1 - 14 / 30)
    assert found.low is None


def test_no_variation_is_no_agreement_to_speak_of() -> None:
    assert krippendorff_alpha([[1, 1], [1, 1]]).value is None
    assert cohen_kappa([1, 1], [1, 1]).value is None
    assert fleiss_kappa([[1, 1], [1, 1]]).value is None
    assert krippendorff_alpha([]).items == 0
    assert krippendorff_alpha([[1, None], [None, 2]]).value is None


def test_perfect_agreement_is_one() -> None:
    assert krippendorff_alpha([[1, 1], [2, 2], [3, 3]], level="ordinal").value == pytest.approx(1.0)
    assert cohen_kappa(["x", "y", "x"], ["x", "y", "x"]).value == pytest.approx(1.0)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohens_kappa_agrees_with_scikit_learn(weights: str | None) -> None:
    rng = np.random.default_rng(8)
    a = rng.integers(1, 5, 60)
    b = np.clip(a + rng.integers(-1, 2, 60), 1, 4)
    found = cohen_kappa(a.tolist(), b.tolist(), weights=weights)
    assert found.value == pytest.approx(cohen_kappa_score(a, b, weights=weights), rel=1e-9)
    assert found.low is not None
    assert found.value is not None
    assert found.low < found.value


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(5))
def test_cohens_kappa_and_its_interval_agree_with_statsmodels(weights: str | None, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, 50)
    b = np.where(rng.random(50) < 0.6, a, rng.integers(0, 4, 50))
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    theirs, ours = cohens_kappa(table, wt=weights), cohen_kappa(a.tolist(), b.tolist(), weights=weights)
    assert ours.value == pytest.approx(theirs.kappa, rel=1e-12)
    assert (ours.low, ours.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_kappa_agrees_with_statsmodels(seed: int) -> None:
    ratings = np.random.default_rng(seed).integers(0, 3, (20, 5))
    table = np.stack([np.bincount(row, minlength=3) for row in ratings])
    ours = fleiss_kappa(ratings.tolist(), resamples=0)
    assert ours.value == pytest.approx(theirs_of_fleiss(table), rel=1e-12)


def test_fleiss_kappa_of_the_textbook_example() -> None:
    ratings = [[value for value, n in enumerate(row) for _ in range(n)] for row in FLEISS]
    found = fleiss_kappa(ratings, resamples=100)
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert (found.items, found.ratings) == (10, 140)


def test_gaps_unknown_levels_and_unordered_values_are_refused() -> None:
    with pytest.raises(InputError, match="use krippendorff_alpha"):
        fleiss_kappa([[1, 2], [1, None]])
    with pytest.raises(InputError, match="ratio"):
        krippendorff_alpha(UNITS, level="ratio")
    with pytest.raises(InputError, match="cannot be ordered"):
        krippendorff_alpha([["a", "b"], ["b", "b"]], level="interval")
    with pytest.raises(InputError, match="cubic"):
        cohen_kappa([1, 2], [1, 2], weights="cubic")
    with pytest.raises(InputError, match="2 ratings and the second 1"):
        cohen_kappa([1, 2], [1])


def test_the_same_seed_gives_the_same_interval() -> None:
    assert krippendorff_alpha(UNITS, seed=5, resamples=50) == krippendorff_alpha(UNITS, seed=5, resamples=50)


def test_kappas_interval_ends_at_one_and_is_no_point_where_all_agree() -> None:
    a, b = [1, 2] * 10, [1, 2] * 9 + [1, 1]
    assert cohen_kappa(a, b).high == 1.0
    found = cohen_kappa([1, 2] * 4, [1, 2] * 4)
    # Wilson's lower end for 8 of 8 is 8 / (8 + 1.96^2) = .6756; chance is .5.
    assert (found.value, found.low, found.high) == (pytest.approx(1.0), pytest.approx(2 * 0.6756 - 1, abs=1e-3), 1.0)


def test_perfect_agreement_on_a_few_items_is_no_certainty() -> None:
    # Ten items, five of each kind: Wilson's lower end of 10 of 10 is 1 / (1 + 1.96² / 10) = .7225, chance one half: (.7225 - .5) / .5 = .445.
    alpha = krippendorff_alpha([["a", "a"]] * 5 + [["b", "b"]] * 5)
    kappa = cohen_kappa([1, 2] * 5, [1, 2] * 5)
    for found in (alpha, kappa):
        assert found.value == 1.0
        assert found.low == pytest.approx(0.445, abs=0.001)
        assert found.high == 1.0
