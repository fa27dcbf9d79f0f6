"""Letters against printed tables, statsmodels, scikit-posthocs and their own definition."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import InputError
from referee.statistics.homogeneous_subsets import (
    Subsets,
    compact_letters,
    find_studentised_range,
    homogeneous_subsets,
    tukey_kramer,
    tukey_letters,
)
from referee.statistics.variance import two_way_from_summaries

# Gatt, Belz & Kow 2009, Table 8: identification speed (ms), 56 people and 56 furniture items; Table 9: letters
SPEED_2009 = {
    "USP-EACH": (3262.79, 865.61, 2871.53, 730.15, "A"),
    "GRAPH": (3081.01, 767.62, 3057.31, 984.60, "A"),
    "NIL-UCM-EvoTAP": (3375.17, 948.46, 2943.65, 824.17, "AB"),
    "IS-FP-GT": (2980.30, 750.78, 3353.91, 1114.68, "AB"),
    "NIL-UCM-ValuesCBR": (3447.50, 1003.21, 3077.56, 916.87, "AB"),
    "NIL-UCM-EvoCBR": (3779.64, 831.91, 2944.80, 748.69, "AB"),
    "HUMAN-2": (3647.41, 1045.95, 3280.35, 927.79, "B"),
    "HUMAN-1": (3323.76, 764.59, 3711.41, 1214.55, "B"),
}


@pytest.mark.parametrize(
    ("k", "df", "q"),
    # quantiles of the studentised range, checked against five printed subset tables
    [(14, 1540, 4.7504), (12, 1409, 4.6295), (12, 1412, 4.6295), (8, 880, 4.2967)],
)
def test_the_studentised_range_has_its_known_quantiles(k: int, df: int, q: float) -> None:
    assert find_studentised_range(k, df) == pytest.approx(q, abs=0.0001)


def test_identification_speed_of_2009_gets_its_printed_letters() -> None:
    means = [(people, furniture) for people, _, furniture, _, _ in SPEED_2009.values()]
    sds = [(people, furniture) for _, people, _, furniture, _ in SPEED_2009.values()]
    model = two_way_from_summaries(means, 56, sds)
    both = {system: (m[0] + m[1]) / 2 for system, m in zip(SPEED_2009, means, strict=True)}
    found = homogeneous_subsets(both, error_ms=model.error_ms, error_df=model.error_df, counts=112)
    assert dict(zip(found.systems, found.letters, strict=True)) == {s: row[-1] for s, row in SPEED_2009.items()}
    assert found.systems == tuple(SPEED_2009)


def _check_definition(found: Subsets) -> None:
    for (a, m), (b, n) in combinations(zip(found.letters, found.means, strict=True), 2):
        assert bool(set(a) & set(b)) == (abs(m - n) <= found.hsd)


@pytest.mark.data
@pytest.mark.parametrize(
    ("scores", "letters", "measure", "prefix", "each", "descending"),
    [
        ("tuna2008_table3_as.csv", "tuna2008_table4_as_subsets.csv", "Dice", "dice", 56, False),
        ("tuna2008_table3_as.csv", "tuna2008_table4_as_subsets.csv", "MASI", "masi", 56, False),
        ("tuna2008_table8_reg.csv", "tuna2008_table9_reg_subsets.csv", None, "edit", 56, False),
        ("tuna2008_table11_extrinsic.csv", "tuna2008_table12_extrinsic_subsets.csv", "IT", "it", 60, False),
        ("tuna2008_table11_extrinsic.csv", "tuna2008_table12_extrinsic_subsets.csv", "RT", "rt", 60, False),
    ],
)
def test_printed_letters_of_2008_follow_from_printed_means(
    data_folder: Path, scores: str, letters: str, measure: str | None, prefix: str, each: int, descending: bool
) -> None:
    table = pl.read_csv(data_folder.parent / "published" / scores)
    printed = pl.read_csv(data_folder.parent / "published" / letters)
    if measure is not None:
        printed = printed.filter(pl.col("measure") == measure)
    model = two_way_from_summaries(
        table.select(f"{prefix}_furniture", f"{prefix}_people").to_numpy(), each, table[f"{prefix}_sd"].to_numpy()
    )
    means = dict(table.select("system", f"{prefix}_both").iter_rows())
    found = homogeneous_subsets(
        means, error_ms=model.error_ms, error_df=model.error_df, counts=2 * each, descending=descending
    )
    _check_definition(found)
    wanted = dict(printed.select("system", printed.columns[-1]).iter_rows())
    assert dict(zip(found.systems, found.letters, strict=True)) == wanted


@pytest.mark.data
@pytest.mark.parametrize("measure", ["adequacy", "fluency"])
def test_printed_letters_of_2009_start_at_the_largest_mean(data_folder: Path, measure: str) -> None:
    table = pl.read_csv(data_folder.parent / "published" / "tunareg2009_table6_human_intrinsic.csv")
    printed = pl.read_csv(data_folder.parent / "published" / "tunareg2009_table7_subsets.csv")
    means, sds = ([f"{measure}_{d}{end}" for d in ("people", "furniture")] for end in ("", "_sd"))
    model = two_way_from_summaries(table.select(means).to_numpy(), 56, table.select(sds).to_numpy())
    both = dict(table.select("system", f"{measure}_all").iter_rows())
    found = homogeneous_subsets(both, error_ms=model.error_ms, error_df=model.error_df, counts=112, descending=True)
    wanted = dict(printed.filter(pl.col("measure") == measure).select("system", "letters").iter_rows())
    assert dict(zip(found.systems, found.letters, strict=True)) == wanted


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=10))
def test_systems_share_a_letter_exactly_when_their_means_lie_within_the_critical_range(means: list[float]) -> None:
    named = {f"s{i}": m for i, m in enumerate(means)}
    # one fixed k keeps the quantile in memory; the definition holds for any critical range
    q = find_studentised_range(8, 880)
    found = homogeneous_subsets(
        named, error_ms=(q / find_studentised_range(len(named), 880)) ** 2, error_df=880, counts=9
    )
    _check_definition(found)
    assert all(found.letters)


def test_unequal_groups_enter_by_their_harmonic_mean() -> None:
    means = {"a": 1.0, "b": 2.0, "c": 3.0}
    found = homogeneous_subsets(means, error_ms=2.0, error_df=30, counts={"a": 5, "b": 10, "c": 20})
    assert found.n == pytest.approx(3 / (1 / 5 + 1 / 10 + 1 / 20))
    assert found.hsd == pytest.approx(found.q * (2.0 / found.n) ** 0.5)


def test_pairwise_tukey_agrees_with_statsmodels_when_groups_are_unequal() -> None:
    from statsmodels.stats.multicomp import pairwise_tukeyhsd

    rng = np.random.default_rng(5)
    groups = {name: rng.normal(shift, 1, size=n) for name, shift, n in [("a", 0, 8), ("b", 0.8, 13), ("c", 2, 6)]}
    values, labels = np.concatenate(list(groups.values())), np.repeat(list(groups), [len(g) for g in groups.values()])
    theirs = pairwise_tukeyhsd(values, labels)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups.values())
    df = len(values) - 3
    ours = tukey_kramer(
        {n: float(g.mean()) for n, g in groups.items()},
        error_ms=within / df,
        error_df=df,
        counts={n: len(g) for n, g in groups.items()},
    )
    assert ours["p"].to_list() == pytest.approx(theirs.pvalues.tolist(), abs=1e-6)
    assert (-ours["high"]).to_list() == pytest.approx(theirs.confint[:, 0].tolist(), abs=1e-4)
    assert ours["differ"].to_list() == theirs.reject.tolist()


def _meets(letters: dict[str, str]) -> set[tuple[str, str]]:
    return {(a, b) for a, b in combinations(letters, 2) if set(letters[a]) & set(letters[b])}


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 7), st.data())
def test_compact_letters_say_exactly_which_pairs_do_not_differ(k: int, data: st.DataObject) -> None:
    systems = [f"s{i}" for i in range(k)]
    pairs = list(combinations(systems, 2))
    differ = {p for p in pairs if data.draw(st.booleans())}
    letters = compact_letters(systems, differ)
    assert _meets(letters) == set(pairs) - differ
    assert all(letters.values())


def test_compact_letters_need_no_more_letters_than_scikit_posthocs() -> None:
    import pandas as pd
    from scikit_posthocs import compact_letter_display

    rng = np.random.default_rng(11)
    for _ in range(20):
        systems = [f"s{i}" for i in range(8)]
        p = np.ones((8, 8))
        for i, j in combinations(range(8), 2):
            p[i, j] = p[j, i] = rng.choice([0.001, 0.9], p=[0.4, 0.6])
        differ = {(systems[i], systems[j]) for i, j in combinations(range(8), 2) if p[i, j] < 0.05}
        ours = compact_letters(systems, differ)
        theirs = compact_letter_display(pd.DataFrame(p, systems, systems), alpha=0.05)
        their_letters = {s: str(v).replace(" ", "") for s, v in dict(theirs).items()}
        assert _meets(ours) == _meets(their_letters)
        assert len(set("".join(ours.values()))) <= len(set("".join(their_letters.values())))


def test_letters_of_unequal_groups_follow_the_pairwise_criterion() -> None:
    means = {"a": 0.0, "b": 1.0, "c": 1.2}
    counts = {"a": 40, "b": 40, "c": 3}
    pairs = tukey_kramer(means, error_ms=1.0, error_df=80, counts=counts, p=False)
    letters = tukey_letters(means, error_ms=1.0, error_df=80, counts=counts)
    ties = {(a, b) for a, b, differ in pairs.select("system_a", "system_b", "differ").iter_rows() if not differ}
    # c is furthest from a and yet does not differ from it: three observations are too few
    assert ties == {("a", "c"), ("b", "c")}
    assert _meets(letters) == ties


def test_one_system_an_empty_one_and_an_unknown_one_are_refused() -> None:
    with pytest.raises(InputError, match="fewer than two systems"):
        homogeneous_subsets({"a": 1.0}, error_ms=1, error_df=9, counts=5)
    with pytest.raises(InputError, match="no observations: b"):
        homogeneous_subsets({"a": 1.0, "b": 2.0}, error_ms=1, error_df=9, counts={"a": 5, "b": 0})
    with pytest.raises(InputError, match="no observations: b"):
        tukey_kramer({"a": 1.0, "b": 2.0}, error_ms=1, error_df=9, counts={"a": 5})
    with pytest.raises(InputError, match="no observations: b"):
        tukey_letters({"a": 1.0, "b": float("nan")}, error_ms=1, error_df=9, counts=5)
    with pytest.raises(InputError, match="'error_ms' is 0"):
        tukey_kramer({"a": 1.0, "b": 2.0}, error_ms=0, error_df=9, counts=5)
    with pytest.raises(InputError, match="'systems': z"):
        compact_letters(["a", "b"], [("a", "z")])


def test_the_frame_lists_systems_in_order_of_their_means() -> None:
    found = homogeneous_subsets({"b": 9.0, "a": 1.0}, error_ms=1, error_df=20, counts=10)
    assert found.frame().rows() == [(1, "a", 1.0, "A"), (2, "b", 9.0, "B")]
    assert found.letters_of("b") == "B"
