"""The linear mixed model against lme4's printed output, analysis of variance by hand, statsmodels, and its own gradient."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import InputError
from referee.statistics.crossed import CrossedFit, _Products, fit_crossed

# Davies & Goldsmith 1972, section 6.6: diameters of six samples of penicillin (columns) on 24 plates (rows), lme4's example of crossed effects
PENICILLIN = np.array(
    [
        [27, 23, 26, 23, 23, 21], [27, 23, 26, 23, 23, 21], [25, 21, 25, 24, 24, 20], [26, 23, 25, 23, 23, 20],
        [25, 22, 26, 22, 23, 20], [24, 22, 25, 23, 22, 19], [24, 20, 23, 21, 22, 19], [26, 22, 26, 24, 24, 21],
        [24, 21, 24, 22, 22, 20], [24, 21, 24, 23, 22, 19], [26, 23, 26, 24, 24, 21], [25, 22, 26, 24, 24, 20],
        [26, 24, 26, 24, 25, 22], [26, 23, 26, 23, 23, 20], [26, 23, 25, 24, 24, 22], [25, 22, 25, 23, 23, 20],
        [25, 21, 24, 23, 23, 20], [25, 22, 24, 23, 23, 19], [24, 21, 23, 21, 21, 19], [26, 23, 26, 24, 24, 21],
        [25, 21, 24, 22, 22, 18], [25, 22, 25, 22, 22, 20], [24, 21, 24, 22, 24, 19], [24, 21, 24, 22, 21, 18],
    ],
    dtype=float,
)  # fmt: skip
# Box & Tiao 1973, section 5.1.2 (lme4's Dyestuff2): six batches (rows) that differ less than chance would make them
DYESTUFF2 = np.array(
    [
        [7.298, 3.846, 2.434, 9.566, 7.990], [5.220, 6.556, 0.608, 11.788, -0.892], [0.110, 10.386, 13.434, 5.510, 8.166],
        [2.212, 4.852, 7.092, 9.288, 4.980], [0.282, 9.014, 4.458, 9.446, 7.198], [1.722, 4.782, 8.106, 0.758, 3.758],
    ]
)  # fmt: skip


def fit_table(table: np.ndarray) -> CrossedFit:
    """Rows and columns of a table as crossed random effects."""
    row, column = (g.ravel() for g in np.indices(table.shape))
    return fit_crossed(table.ravel(), np.ones((table.size, 1)), {"row": row, "column": column}, columns=["1"])


def unbalanced(seed: int = 5, n: int = 150) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    group, person, item = (rng.integers(0, k, n) for k in (3, 12, 9))
    y = 7 + 0.2 * group + rng.normal(0, 0.5, 12)[person] + rng.normal(0, 0.3, 9)[item] + rng.normal(0, 0.6, n)
    return y, np.column_stack([np.ones(n), group == 1, group == 2]).astype(float), {"person": person, "item": item}


def test_the_crossed_example_of_lme4_is_reproduced() -> None:
    """lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin) prints REML criterion 330.8606, SDs 0.8467, 1.9316, 0.5499, intercept 22.97;
    the error 0.808573 is that of Metida.jl's tests for the same model."""
    found = fit_table(PENICILLIN)
    assert -2 * found.log_likelihood == pytest.approx(330.8606, abs=5e-5)
    assert [found.sds["row"], found.sds["column"], found.residual] == pytest.approx([0.8467, 1.9316, 0.5499], abs=5e-5)
    assert found.coefficients[0] == pytest.approx(22.9722, abs=5e-5)
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(0.808573, abs=5e-6)
    assert found.converged


def test_variances_in_a_balanced_table_are_those_of_the_analysis_of_variance() -> None:
    """With r rows and c columns: residual MSE, rows (MSR - MSE)/c, columns (MSC - MSE)/r, error of the mean from MSR + MSC - MSE."""
    r, c = PENICILLIN.shape
    rows, columns = PENICILLIN.mean(axis=1), PENICILLIN.mean(axis=0)
    msr, msc = c * rows.var(ddof=1), r * columns.var(ddof=1)
    rest = PENICILLIN - rows[:, None] - columns + PENICILLIN.mean()
    mse = (rest**2).sum() / ((r - 1) * (c - 1))
    found = fit_table(PENICILLIN)
    variances = [found.sds["row"] ** 2, found.sds["column"] ** 2, found.residual**2]
    assert variances == pytest.approx([(msr - mse) / c, (msc - mse) / r, mse], rel=1e-6)
    assert found.covariance[0, 0] == pytest.approx((msr + msc - mse) / PENICILLIN.size, rel=1e-6)


def test_a_variance_of_exactly_zero_is_an_answer() -> None:
    """Batches of Dyestuff2 differ less than chance: the model is the mean, whose REML criterion is (n - 1)(1 + log 2πs²) + log n."""
    y = DYESTUFF2.ravel()
    found = fit_crossed(y, np.ones((30, 1)), {"batch": np.repeat(np.arange(6), 5)}, columns=["1"])
    assert found.sds == {"batch": 0.0}
    assert found.converged
    assert found.residual == pytest.approx(y.std(ddof=1), rel=1e-12)
    assert found.covariance[0, 0] == pytest.approx(y.var(ddof=1) / 30, rel=1e-12)
    by_hand = 29 * (1 + np.log(2 * np.pi * y.var(ddof=1))) + np.log(30)
    assert -2 * found.log_likelihood == pytest.approx(by_hand, rel=1e-12)


def test_unbalanced_data_agree_with_statsmodels() -> None:
    """Errors are those of its information about the fixed effects, as in lme4; its `bse` also mixes in chance products with the variances."""
    import pandas as pd
    import statsmodels.formula.api as smf

    y, design, groups = unbalanced()
    y *= 4  # statsmodels warns of variances that are small in absolute terms
    data = pd.DataFrame({"y": y, "b": design[:, 1], "c": design[:, 2], "all": 1, **groups})
    parts = {name: f"0 + C({name})" for name in groups}
    model = smf.mixedlm("y ~ b + c", data, groups="all", re_formula="0", vc_formula=parts)
    theirs = model.fit(reml=True, method="bfgs", gtol=1e-10)
    errors = np.sqrt(np.diag(np.linalg.inv(-model.hessian(theirs.params_object)[0][:3, :3])))
    found = fit_crossed(y, design, groups, columns=["1", "b", "c"])
    assert found.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
    assert found.coefficients.tolist() == pytest.approx(theirs.fe_params.tolist(), rel=1e-8)
    assert np.sqrt(np.diag(found.covariance)).tolist() == pytest.approx(errors.tolist(), rel=1e-7)
    assert [found.sds["item"], found.sds["person"]] == pytest.approx(np.sqrt(theirs.vcomp).tolist(), rel=1e-7)
    assert found.residual == pytest.approx(np.sqrt(theirs.scale), rel=1e-7)


@pytest.mark.parametrize("ratios", [(0.7, 0.3), (0.0, 0.5), (0.0, 0.0), (40.0, 0.01)])
def test_the_slope_is_that_of_the_criterion_even_at_zero(ratios: tuple[float, float]) -> None:
    y, design, groups = unbalanced()
    products = _Products(y, design, list(groups.values()))
    at, step = np.array(ratios), 1e-5

    def upwards(k: int) -> float:
        """The one-sided slope, to second order."""
        one, two = (products.compute_profile(at + n * step * np.eye(2)[k]).criterion for n in (1, 2))
        return (4 * one - two - 3 * products.compute_profile(at).criterion) / (2 * step)

    assert products.compute_profile(at).slope.tolist() == pytest.approx([upwards(0), upwards(1)], rel=1e-4, abs=1e-3)


def test_a_shift_of_all_values_moves_the_intercept_alone() -> None:
    y, design, groups = unbalanced()
    found, moved = (fit_crossed(y + by, design, groups, columns=["1", "b", "c"]) for by in (0.0, 1e4))
    assert (moved.coefficients - found.coefficients).tolist() == pytest.approx([1e4, 0, 0], abs=1e-6)
    assert moved.sds == pytest.approx(found.sds, rel=1e-5)


def test_a_level_that_never_occurs_changes_nothing() -> None:
    y, design, groups = unbalanced()
    gap = {**groups, "item": np.where(groups["item"] > 3, groups["item"] + 2, groups["item"])}
    found, with_gap = (fit_crossed(y, design, g, columns=["1", "b", "c"]) for g in (groups, gap))
    assert with_gap.log_likelihood == pytest.approx(found.log_likelihood, rel=1e-10)
    assert with_gap.sds == pytest.approx(found.sds, rel=1e-5)


def test_what_cannot_be_fitted_is_named() -> None:
    y, design, groups = unbalanced()
    names = ["1", "b", "c"]
    with pytest.raises(InputError, match="'twice b'"):
        fit_crossed(y, np.column_stack([design, 2 * design[:, 1]]), groups, columns=[*names, "twice b"])
    with pytest.raises(InputError, match="'item' has fewer than two levels"):
        fit_crossed(y, design, {**groups, "item": np.zeros(150, dtype=int)}, columns=names)
    with pytest.raises(InputError, match="'item' has one level for each row"):
        fit_crossed(y, design, {**groups, "item": np.arange(150)}, columns=names)
    with pytest.raises(InputError, match="'person' and 'double'"):
        fit_crossed(y, design, {**groups, "double": 11 - groups["person"]}, columns=names)
    with pytest.raises(InputError, match="5 rows are too few for 3 fixed effects and 2 groupings"):
        fit_crossed(y[:5], design[:5], {"a": np.array([0, 0, 1, 1, 1]), "b": np.array([0, 1, 0, 1, 1])}, columns=names)
    with pytest.raises(InputError, match="fixed effects explain the values"):
        fit_crossed(design @ [7.0, 0.1, 0.3], design, groups, columns=names)
    with pytest.raises(InputError, match="random effects explain the values"):
        fit_crossed(design[:, 1] + groups["person"] + groups["item"], design, groups, columns=names)
