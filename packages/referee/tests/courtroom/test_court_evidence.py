"""The court, held against printed tables, scipy, scikit-learn and hand calculation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from referee.courtroom.evidence import ALL, PEOPLE, Evidence, SystemScores, pairwise_accuracy, try_sheet
from referee.courtroom.item_evidence import Association, auc, rank_correlation
from referee.courtroom.printed_evidence import read_paper_sheets
from referee.courtroom.verdicts import make_case, summarise_items, summarise_systems
from referee.errors import InputError


@cache
def whole_evidence(paper: str) -> list[Evidence]:
    sheets, _ = read_paper_sheets(paper)
    return [e for sheet in sheets for e in try_sheet(sheet)]


def evidence(paper: str, automatic: str, hearer: str, rows: str = ALL, domain: str | None = None) -> Evidence:
    (one,) = [
        e
        for e in whole_evidence(paper)
        if (e.automatic, e.hearer, e.rows, e.domain) == (automatic, hearer, rows, domain)
    ]
    return one


def straight(values: list[float | None], hearer: list[float | None], **more: object) -> SystemScores:
    systems = tuple(f"s{i}" for i in range(len(values)))
    return SystemScores(systems=systems, automatic={"A": values}, hearer={"H": hearer}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("automatic", "hearer", "printed"),
    # Belz & Gatt 2008, Table 2
    [("Dice", "IT", -0.28), ("Min", "IT", 0.56), ("NIST", "RT", 0.54), ("BLEU", "RT", 0.39), ("R2", "IT", -0.33)],
)
def test_the_printed_table_of_belz_and_gatt_comes_out_again(automatic: str, hearer: str, printed: float) -> None:
    found = evidence("belz-gatt-2008", automatic, hearer)
    assert found.n == 15
    assert found.pearson.r == pytest.approx(printed, abs=0.006)


def test_one_system_moves_dice_against_identification_time_from_minus_28_to_plus_42() -> None:
    found = evidence("belz-gatt-2008", "Dice", "IT")  # recomputed by hand from the printed table
    assert found.highest is not None
    assert found.highest.who == "IS-FBS"
    assert found.highest.r == pytest.approx(0.42, abs=0.005)
    case = make_case(found)
    assert case.finding == "unsettled"
    # numpy.corrcoef over the means of the eight families, and of the seven others
    assert "r = -.39" in case.sentence
    assert "without IS-FBS +.48" in case.sentence


def test_no_automatic_measure_of_belz_and_gatt_predicts_a_hearer_measure() -> None:
    sheets, _ = read_paper_sheets("belz-gatt-2008")
    assert not [e for e in try_sheet(sheets[0]) if make_case(e).finding == "predicts"]


def test_one_model_hides_what_spice_does_and_the_human_row_turns_its_sign() -> None:
    apart, together = (evidence("refoi-2025", "SPICE", "human success", rows) for rows in (ALL, PEOPLE))
    assert apart.pearson.r == pytest.approx(-0.05, abs=0.005)  # Ma et al. 2025, Table 1, eight models twice
    assert apart.lowest is not None
    assert (apart.lowest.who, apart.lowest.found.n) == ("GLaMM", 14)
    assert apart.lowest.r == pytest.approx(-0.83, abs=0.005)
    assert (apart.n, together.n) == (16, 17)
    case = make_case(apart, together)
    # over the means of the eight models r is +.10, and -.83 without GLaMM: the sign hangs on one
    assert case.finding == "unsettled"
    assert "n = 8 families; over 16 systems r = -.05" in case.sentence
    assert "Adding people turns its sign to r = +.43" in case.sentence


def test_judged_adequacy_goes_with_finding_in_2009_and_four_families_are_too_few_to_show_it() -> None:
    adequacy = evidence("tunareg2009", "Adequacy", "ID accuracy")
    assert adequacy.pearson.r == pytest.approx(0.95, abs=0.006)  # TUNA-REG 2009, Table 10, **
    assert adequacy.pearson.stars == "**"
    assert adequacy.families is not None
    assert adequacy.families.n == 4  # three entries of NIL-UCM are one
    assert make_case(adequacy).finding != "predicts"
    sheets, _ = read_paper_sheets("tunareg2009")
    alone = try_sheet(replace(sheets[0], families={}))
    words = {e.automatic: make_case(e).finding for e in alone if e.hearer == "ID accuracy" and e.rows == ALL}
    assert words["Adequacy"] == "predicts"
    assert words["BLEU"] != "predicts"


def test_a_system_under_two_names_counts_once() -> None:
    assert evidence("tuna2008", "Edit", "RT").n == 10  # Table 11 has twelve rows, two of them people


def test_domains_are_tried_apart() -> None:
    furniture, people = (evidence("tuna2008", "Edit", "IT", domain=d) for d in ("furniture", "people"))
    assert furniture.pearson.r == pytest.approx(0.76, abs=0.005)  # numpy.corrcoef of the printed columns
    assert people.pearson.r == pytest.approx(0.65, abs=0.005)
    assert {make_case(e).domain for e in (furniture, people)} == {"furniture", "people"}


def test_a_column_that_does_not_vary_has_no_correlation_and_no_ranking() -> None:
    (found,) = try_sheet(straight([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]))
    assert found.pearson.r is None
    assert found.accuracy is None
    case = make_case(found)
    assert case.finding == "untried"
    assert "does not vary" in case.sentence


def test_one_system_and_two_systems_cannot_be_tried() -> None:
    for n, word in ((1, "1 system with"), (2, "2 systems with")):
        (found,) = try_sheet(straight([0.1, 0.2][:n], [3, 4][:n]))
        assert found.pearson.r is None, "two points always lie on a line"
        assert word in make_case(found).sentence


def test_missing_values_leave_the_pair_out_and_n_says_so() -> None:
    (found,) = try_sheet(straight([1, 2, None, 4, float("nan"), 6], [2, 4, 6, 9, 10, None]))
    assert found.n == 3


def test_a_measure_where_less_is_better_is_right_when_it_correlates_negatively() -> None:
    values: list[float | None] = [1, 2, 3, 4, 5, 6]
    turned: list[float | None] = [6, 5, 4.1, 3, 2, 1]
    (good,) = try_sheet(straight(values, turned, better={"A": "lower"}))
    (bad,) = try_sheet(straight(values, turned))
    (neither,) = try_sheet(straight(values, turned, better={"A": "none"}))
    assert [make_case(e).finding for e in (good, bad, neither)] == ["predicts", "reversed", "related"]
    assert (good.accuracy, bad.accuracy, neither.accuracy) == (1.0, 0.0, None)


def test_families_leave_together() -> None:
    families = {"s0": "f", "s1": "f"}
    (found,) = try_sheet(straight([9, 9.5, 1, 2, 3, 4], [9, 9.5, 4, 3, 2, 1], families=families))
    assert found.lowest is not None
    assert (found.lowest.who, found.lowest.found.n) == ("f", 4)
    assert found.lowest.r == pytest.approx(-1)


def test_losing_only_a_system_is_no_reason_to_call_a_correlation_carried() -> None:
    (found,) = try_sheet(straight([1, 2, 3, 4, 5], [1, 2.1, 2.9, 4, 5.2]))
    assert found.families is not None
    assert found.families.p_linear == pytest.approx(
        2 / 120, abs=1 / 120
    )  # one or two of all 120 orders are as straight
    assert make_case(found).finding == "predicts", "four systems could never be significant: 2 of 24 orders are .08"


def test_pairs_that_hearers_do_not_tell_apart_are_no_pairs_and_ties_are_half_right() -> None:
    # 4 systems, hearers tie one pair: 5 pairs. Order by hand: (1,2) right, (1,3) right, (1,4) right, (2,4) tie in x, (3,4) wrong.
    assert pairwise_accuracy([1, 2, 3, 2], [1, 5, 5, 6]) == (pytest.approx(3.5 / 5), 5)


def test_a_verdict_counts_what_it_found() -> None:
    sheets, _ = read_paper_sheets("tunareg2009")
    alone = try_sheet(replace(sheets[0], families={}))
    cases = [make_case(e) for e in alone if e.automatic == "Adequacy" and e.rows == ALL]
    assert summarise_systems("Adequacy", cases).startswith(
        "Adequacy predicts 1 of 2 hearer measures: holds for ID accuracy;"
    )


def test_a_verdict_over_items_follows_the_corrected_p_and_the_direction() -> None:
    def sentence(kind: str, better: str, value: float, p: float | None = 0.01) -> str:
        found = Association(value=value, n=9, clusters=7, low=value - 0.1, high=value + 0.1, p_corrected=p)
        return summarise_items([("h", kind, better, found)])

    assert sentence("auc", "lower", 0.7) == "Over items: holds for h (AUC .70 [.60, .80], n = 9, p = .010)."
    assert sentence("auc", "higher", 0.3).startswith("Over items: the wrong way for h")
    assert sentence("auc", "higher", 0.7, 0.2).startswith("Over items: not shown for h")
    assert sentence("auc", "higher", 0.7, None).startswith(
        "Over items: cannot be tested against h: fewer than 6 clusters"
    )
    assert sentence("rho", "higher", -0.3) == "Over items: holds for h (rho -.30 [-.40, -.20], n = 9, p = .010)."
    assert sentence("rho", "lower", -0.3).startswith("Over items: the wrong way for h")
    assert sentence("rho", "none", -0.3).startswith("Over items: related to h")
    assert summarise_items([("h", "auc", "higher", Association(value=None, n=0, clusters=0))]) == ""


def test_columns_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="2 values for 3 systems"):
        try_sheet(SystemScores(systems=("a", "b", "c"), automatic={"A": [1, 2]}, hearer={"H": [1, 2, 3]}))


# -- items ---------------------------------------------------------------------------------------------------------------------


def test_auc_is_that_of_scikit_learn_with_ties() -> None:
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(3)
    scores, success = rng.integers(0, 6, 200).astype(float), rng.integers(0, 2, 200).astype(float)
    found = auc(scores, success)
    assert found.value == pytest.approx(roc_auc_score(success, scores), abs=1e-12)
    assert (found.n, found.clusters) == (200, 200)


def test_rank_correlation_is_that_of_scipy_with_ties() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 6, 150).astype(float), rng.normal(size=150)
    assert rank_correlation(x, y).value == pytest.approx(spearmanr(x, y)[0], abs=1e-12)


def test_items_have_the_interval_of_leaving_out_clusters() -> None:
    """CR2 with Satterthwaite's degrees of freedom, written out: 8 clusters of 10 answers, the area by scikit-learn without each."""
    from scipy import stats
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(9)
    x, y, clusters = rng.normal(size=80), rng.integers(0, 2, 80).astype(float), np.repeat(np.arange(8), 10)
    value = roc_auc_score(y, x)
    without = np.array([roc_auc_score(y[clusters != c], x[clusters != c]) for c in range(8)])
    error = np.sqrt(7 / 8 * ((without - value) ** 2).sum())
    association = auc(x, y, clusters)
    assert (association.low, association.high) == pytest.approx(stats.t.interval(0.95, 7, value, error))
    assert association.p == pytest.approx(2 * stats.t.sf(abs(value - 0.5) / error, 7))


def test_scores_that_say_nothing_are_seldom_significant() -> None:
    """12 clusters whose scores and times are both alike: of 300 such samples about 5 % are significant (a percentile bootstrap: .08 to .11)."""
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(12), 10)
    rejections = 0
    for _ in range(300):
        x, y = (rng.normal(size=12)[clusters] + rng.normal(size=120) for _ in range(2))
        rejections += (rank_correlation(x, y, clusters).p or 1) <= 0.05
    assert rejections <= 24


def test_fewer_than_six_clusters_have_no_p() -> None:
    association = auc([1, 2, 3, 1, 2, 3], [0, 0, 1, 1, 1, 0], ["a"] * 3 + ["b"] * 3)
    assert association.value is not None
    assert association.p is None


def test_answers_of_one_cluster_are_not_counted_as_independent() -> None:
    rng = np.random.default_rng(5)
    level = np.repeat(rng.normal(size=20), 25)
    x, y = level + rng.normal(size=500) * 0.1, (level + rng.normal(size=500) * 0.5 > 0).astype(float)
    naive, clustered = auc(x, y), auc(x, y, np.repeat(np.arange(20), 25))
    assert naive.low is not None
    assert naive.high is not None
    assert clustered.low is not None
    assert clustered.high is not None
    assert clustered.high - clustered.low > 1.5 * (naive.high - naive.low)


def test_success_that_never_varies_has_no_auc() -> None:
    assert auc([1, 2, 3], [1, 1, 1]).value is None
    assert auc([], []).n == 0
    with pytest.raises(InputError, match="0 and 1"):
        auc([1, 2], [1, 2])
