"""The shipped papers: what follows, what does not, and that the tables are the printed ones."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from referee.auditing.audit import Audit, audit, summarise
from referee.auditing.claims import AuditRow, AuditVerdict
from referee.auditing.paper import TABLES, list_shipped_papers, read_paper, read_shipped_paper
from referee.statistics.correlation import pearson

GOOD = (AuditVerdict.FOLLOWS, AuditVerdict.ROUNDING)


@cache
def audited(name: str) -> Audit:
    return audit(read_shipped_paper(name))


def row(paper: str, table: str, item: str) -> AuditRow:
    return next(r for r in audited(paper).rows if r.source == f"{paper}, {table}" and r.item == item)


def finding(paper: str, *words: str) -> str:
    found = [f.sentence for f in audited(paper).findings if all(w in f.sentence for w in words)]
    assert len(found) == 1, [f.sentence for f in audited(paper).findings]
    return found[0]


def test_all_66_pairs_of_belz_and_gatt_follow_within_rounding_with_the_same_stars() -> None:
    rows = [r for r in audited("belz-gatt-2008").rows if r.source == "belz-gatt-2008, Table 2"]
    values = [r for r in rows if r.item.startswith("r(")]
    stars = [r for r in rows if r.item.startswith("stars")]
    assert (len(values), len(stars)) == (66, 66)
    assert {r.verdict for r in values} <= set(GOOD)
    assert {r.verdict for r in stars} == {AuditVerdict.FOLLOWS}


def test_recomputed_correlations_are_those_of_the_statistics_module() -> None:
    table = read_shipped_paper("belz-gatt-2008").tables["table1"]
    for a, b in (("RT", "IT"), ("Min", "Dice"), ("NIST", "RT")):
        columns = [[n.value if n else None for _, n in table.column(c, ("*IS-FBS",))] for c in (a, b)]
        found = row("belz-gatt-2008", "Table 2", f"r({a}, {b})" if (a, b) != ("NIST", "RT") else "r(RT, NIST)")
        assert found.recomputed == pytest.approx(pearson(*columns).r, abs=1e-12)


def test_one_cell_explains_both_correlations_across_experiments() -> None:
    # NIL prints 1960.31 under RIT and under IT; without NIL the two r are .827 and .671
    sentence = finding("belz-gatt-2008", "Table 1, NIL, RIT: printed 1960.31")
    assert "repeats IT of the same row" in sentence
    assert "consistent values are 2888.21–2896.07" in sentence


def test_a_p_below_one_per_cent_does_not_follow_from_f_193() -> None:
    found = row("belz-gatt-2008", "text", "p of SYSTEM on IT (Exp 2)")
    assert found.verdict is AuditVerdict.DOES_NOT_FOLLOW
    assert found.recomputed == pytest.approx(0.0197, abs=1e-4)  # scipy.stats.f.sf(1.93, 14, 2249)


@pytest.mark.parametrize(
    ("paper", "printed", "right"), [("belz-gatt-2008", 2249, 2235), ("gatt-belz-2008", 2219, 2205)]
)
def test_total_degrees_of_freedom_are_printed_for_those_of_the_error(paper: str, printed: int, right: int) -> None:
    assert f"{printed} is printed, {right} follows; N - 1" in finding(paper, "error df")


# F and chi-square of the running text of the TUNA 2008 report. The recomputed values come from a second program: drop-one-term
# least squares (numpy.linalg.lstsq) on sum-coded cell means, with the cell counts that the overall means imply.
@pytest.mark.parametrize(
    ("item", "recomputed", "verdict"),
    [
        ("TUNA-AS SYSTEM on Dice", 193.177, "rounding"),
        ("TUNA-AS ENTITY TYPE on Dice", 92.169, "rounding"),
        ("TUNA-AS SYSTEM x ENTITY TYPE on Dice", 7.492, "rounding"),
        ("TUNA-AS SYSTEM on MASI", 93.466, "rounding"),
        ("TUNA-AS ENTITY TYPE on MASI", 168.401, "rounding"),
        ("TUNA-AS SYSTEM x ENTITY TYPE on MASI", 7.350, "follows"),
        ("TUNA-R ENTITY TYPE on Edit", 19.995, "rounding"),
        ("TUNA-REG SYSTEM on Edit", 8.600, "follows"),
        ("TUNA-REG ENTITY TYPE on Edit", 47.528, "follows"),
        ("TUNA-REG SYSTEM x ENTITY TYPE on Edit", 5.272, "does-not-follow"),
        ("TUNA-REG extrinsic SYSTEM on IT", 5.657, "follows"),
        ("TUNA-REG extrinsic ENTITY TYPE on IT", 23.507, "follows"),
        ("TUNA-REG extrinsic SYSTEM x ENTITY TYPE on IT", 2.378, "follows"),
        ("TUNA-REG extrinsic SYSTEM on RT", 9.950, "follows"),
        ("TUNA-REG extrinsic ENTITY TYPE on RT", 9.743, "follows"),
        ("TUNA-REG extrinsic SYSTEM x ENTITY TYPE on RT", 2.064, "follows"),
    ],
)
def test_the_statistics_of_tuna_2008(item: str, recomputed: float, verdict: str) -> None:
    found = row("tuna-2008", "text", item)
    assert found.recomputed == pytest.approx(recomputed, abs=6e-4)
    assert found.verdict.value == verdict


def test_the_chi_square_of_the_extrinsic_part_follows() -> None:
    assert row("tuna-2008", "text", "TUNA-REG extrinsic Kruskal-Wallis SYSTEM on ER").verdict in GOOD


def test_a_chi_square_of_another_quantity_is_left_open_and_one_that_no_reading_allows_is_not() -> None:
    # W08-1131: the tests code a match with at least one of two references, Tables 3 and 8 average over both. The bounds come from a
    # second program: scipy.optimize.minimize (L-BFGS-B, 20 starts) of H over the shares that the averages allow.
    found = row("tuna-2008", "text", "TUNA-AS Kruskal-Wallis SYSTEM on Accuracy")
    assert (found.printed, found.recomputed, found.verdict) == (275.01, None, AuditVerdict.UNDETERMINED)
    assert "at least one of 2 references" in found.explanation
    other = row("tuna-2008", "text", "TUNA-REG Kruskal-Wallis SYSTEM on Accuracy")
    assert (other.printed, other.verdict) == (26.27, AuditVerdict.DOES_NOT_FOLLOW)
    assert other.low == pytest.approx(46.35, rel=0.02)
    assert other.high == pytest.approx(143.04, rel=0.02)


@pytest.mark.parametrize("table", ["Table 4, Dice", "Table 4, MASI", "Table 9", "Table 12, IT", "Table 12, RT"])
def test_the_letters_of_tuna_2008_follow(table: str) -> None:
    letters = [
        r for r in audited("tuna-2008").rows if r.source == f"tuna-2008, {table}" and r.item.startswith("letters")
    ]
    assert len(letters) in (12, 14)
    assert {r.verdict for r in letters} <= set(GOOD)


def test_correlations_of_tuna_2008_table_5_follow_and_are_significant() -> None:
    rows = [r for r in audited("tuna-2008").rows if r.source == "tuna-2008, Table 5"]
    assert len(rows) == 12
    assert {r.verdict for r in rows} <= set(GOOD)


def test_bleu_and_nist_of_tuna_2008_table_8_are_exchanged() -> None:
    assert "the columns bleu and nist are exchanged; 12 other numbers" in finding("tuna-2008", "Table 8: ")


def test_every_correlation_with_edit_in_tuna_2008_table_7_fails_and_no_cell_explains_it() -> None:
    sentence = finding("tuna-2008", "Table 7")
    assert "every claim that involves edit_both fails and all others hold, but no single cell explains this" in sentence
    others = [r for r in audited("tuna-2008").rows if r.source == "tuna-2008, Table 7" and "Edit" not in r.item]
    assert {r.verdict for r in others} <= set(GOOD)


def test_overall_accuracy_of_tuna_2008_table_3_lies_outside_its_parts() -> None:
    sentence = finding("tuna-2008", "Table 3")
    assert "no mean of these parts can have this value, whatever their counts" in sentence


def test_the_counts_behind_the_times_of_tuna_2008_add_up_to_the_printed_degrees_of_freedom() -> None:
    # 1,440 trials less 7 identification and 4 reading timeouts, less 24 cells
    for measure, df in (("IT", 1409), ("RT", 1412)):
        found = row("tuna-2008", "text", f"TUNA-REG extrinsic SYSTEM on {measure}, error df")
        assert (found.recomputed, found.verdict) == (df, AuditVerdict.FOLLOWS)


def test_tuna_reg_2009_follows_but_for_a_lost_sign_and_two_plain_means() -> None:
    findings = audited("tuna-reg-2009").findings
    assert len(findings) == 2
    assert "r(ID_speed, Fluency): 0.89 is printed, -0.8939 follows; the sign is wrong" in finding(
        "tuna-reg-2009", "Table 10"
    )
    assert "plain mean" in finding("tuna-reg-2009", "Table 4")


@pytest.mark.parametrize("table", ["Table 7, adequacy", "Table 7, fluency", "Table 9"])
def test_the_letters_of_tuna_reg_2009_follow(table: str) -> None:
    rows = [r for r in audited("tuna-reg-2009").rows if r.source.endswith(table) and r.item.startswith("letters")]
    assert [r.verdict in GOOD for r in rows] == [True] * 8


@pytest.mark.parametrize(
    ("item", "value"),  # W09-0629, running text
    [
        ("SYSTEM on adequacy", 7.291),
        ("DOMAIN on fluency", 17.20),
        ("SYSTEM x DOMAIN on ID speed", 6.02),
        ("SYSTEM on accuracy", 20.169),
        ("SYSTEM on ID accuracy", 44.98),
    ],
)
def test_the_statistics_of_tuna_reg_2009_follow(item: str, value: float) -> None:
    found = row("tuna-reg-2009", "text", item)
    assert found.printed == value
    assert found.verdict in GOOD


def test_group_sizes_members_and_trials_are_solved() -> None:
    # W08-1108 Table 3: 11 of 15 systems are trained, as Dice, MASI, RT and IT say alike. Error rates are counts out of 150 in Table 2; the four
    # pairs of Table 3 need 148 (as the degrees of freedom do): (4 · 6.3 + 11 · 3.8) / 15 = 4.47 = 66 · 150 / 148 / 15, and not 4.40.
    found = row("gatt-belz-2008", "Table 3", "Dice, trainable_yes")
    assert found.verdict in GOOD
    assert "of 4 and trainable_yes of 11 systems" in found.explanation
    for column in ("trainable_yes", "type_yes", "incremental_yes", "humanpref_yes"):
        rate = row("gatt-belz-2008", "Table 3", f"ER_pct, {column}")
        assert rate.verdict in GOOD
        assert "148 trials a system" in rate.explanation
    assert not [f for f in audited("gatt-belz-2008").findings if "Table 3" in f.sentence]


def test_only_one_choice_of_systems_gives_all_means_of_a_group() -> None:
    # by hand from Table 2: errors of IS-FBN, IS-IAC, NIL and IS-FBS are 9 + 9 + 8 + 11 = 37 of 4 · 148 trials, 6.25 per cent
    found = row("gatt-belz-2008", "Table 3", "ER_pct, type_no from its members")
    assert found.recomputed == pytest.approx(6.25)
    assert found.verdict in GOOD
    assert "mean of IS-FBN, IS-IAC, NIL, IS-FBS" in found.explanation


def test_what_other_trials_may_explain_is_left_open() -> None:
    # CAM-BU, NIL, CAM-B and IS-FBS made 6 + 8 + 8 + 11 = 33 errors, 5.57 per cent of 4 · 148 trials; 5.2 is printed, but the table rests on other trials
    found = row("gatt-belz-2008", "Table 3", "ER_pct, trainable_no from its members")
    assert found.recomputed == pytest.approx(5.574, abs=1e-3)
    assert (found.printed, found.verdict) == (5.2, AuditVerdict.UNDETERMINED)


def test_a_slipped_decimal_point_is_found_in_the_priors() -> None:
    assert "0.43 is printed, 0.04255 follows; the decimal point is too far to the right" in finding(
        "kelleher-macnamee-2008", "hasSuit"
    )


def test_a_review_of_34_false_positives_needs_more_of_them_than_are_printed() -> None:
    # 34 of all positives raise precision from .664 to .718: 34 / .054 = 630 positives, 212 of them false; 133 are printed
    found = [r for r in audited("spanger-2013").rows if r.item == "false positives"]
    assert {r.printed for r in found} == {133}
    (failed,) = [r for r in found if r.verdict is AuditVerdict.DOES_NOT_FOLLOW]
    assert failed.recomputed == pytest.approx(34 / 0.054 * 0.336, abs=0.1)


def test_a_precision_that_f_confirms_is_no_misprint() -> None:
    # P = .664 and F = .730 give a recall of .8106; with .718 for P that makes F = .7615, printed .762
    confirmed = row("spanger-2013", "text", "F after review")
    assert (confirmed.printed, confirmed.verdict) == (0.762, AuditVerdict.ROUNDING)
    assert row("spanger-2013", "text", "precision after review").verdict is AuditVerdict.UNDETERMINED
    assert not [f for f in audited("spanger-2013").findings if "precision after review" in f.sentence.partition(":")[0]]


def test_totals_of_the_context_experiment_leave_out_one_row_and_so_does_the_rate() -> None:
    # by hand: 576 of 660 is .8727; .903 is 576 of 638, right answers of all rows out of answers of all but one
    sentence = finding("spanger-2010", "638 instead of 660")
    assert "the sum without DP, action before mention (22)" in sentence
    assert "rate then is 0.873, not 0.903" in sentence


def test_the_summary_counts_every_row_once() -> None:
    audits = [audited(name) for name in list_shipped_papers()]
    rows = [r for a in audits for r in a.rows]
    failing = sum(r.verdict is AuditVerdict.DOES_NOT_FOLLOW for r in rows)
    findings = sum(len(a.findings) for a in audits)
    head = f"{findings} findings in {len(audits)} papers; {len(rows)} numbers checked: "
    assert summarise(audits).startswith(head)
    assert f"{failing} do not follow" in summarise(audits)
    assert sum(len(f.rows) for a in audits for f in a.findings) == failing


def test_every_row_that_does_not_follow_is_explained_in_a_sentence() -> None:
    for name in list_shipped_papers():
        for r in audited(name).rows:
            assert r.explanation
            assert "\n" not in r.explanation


@pytest.mark.data
@pytest.mark.parametrize(
    ("source", "copy", "columns"),
    [
        ("belz_gatt_2008_table1", "belz-gatt-2008/table1", None),
        ("belz_gatt_2008_table2", "belz-gatt-2008/table2", ("measure_a", "measure_b", "r", "stars")),
        ("gatt_belz_2008_inlg_table2", "gatt-belz-2008/table2", None),
        ("tuna2008_table3_as", "tuna-2008/table3", None),
        ("tuna2008_table6_r", "tuna-2008/table6", None),
        ("tuna2008_table8_reg", "tuna-2008/table8", None),
        ("tuna2008_table11_extrinsic", "tuna-2008/table11", None),
        ("tunareg2009_table5_test_auto", "tuna-reg-2009/table5", None),
        ("tunareg2009_table6_human_intrinsic", "tuna-reg-2009/table6", None),
        ("tunareg2009_table8_extrinsic", "tuna-reg-2009/table8", None),
        ("tunareg2009_table10_correlations", "tuna-reg-2009/table10", None),
        ("refoi_2025_table1", "refoi-2025/table1", None),
    ],
)
def test_shipped_tables_are_the_collected_ones(
    data_folder: Path, source: str, copy: str, columns: tuple[str, ...] | None
) -> None:
    path = data_folder.parent / "published" / f"{source}.csv"
    if not path.is_file():
        pytest.skip(f"needs the collected tables beside the data folder (looked for {path})")
    with path.open(encoding="utf-8") as there, (TABLES / f"{copy}.csv").open(encoding="utf-8") as here:
        collected, shipped_rows = list(csv.DictReader(there)), list(csv.DictReader(here))
    kept = columns or tuple(collected[0])
    assert [[r[c] for c in kept] for r in collected] == [[r[c] for c in kept] for r in shipped_rows]


def test_refoi_follows_from_its_parts_but_for_two_rows() -> None:
    """The card of Seed42Lab/RefOI (README.md) gives the numbers of objects that the paper does not: 744 of COCO's classes and 741 of others, 993 among
    their kind and 492 alone. Human Spk: (744 · 92.07 + 741 · 92.58) / 1485 = 92.32, (993 · 91.74 + 492 · 93.50) / 1485 = 92.32; printed is 92.20."""
    told = sorted(finding.sentence for finding in audit(read_paper(TABLES / "refoi-2025")).findings)
    assert [sentence.partition(";")[0] for sentence in told] == [
        "Table 2, Human Spk, human_success_pct: 92.2 is printed, 92.323 follows (rounding allows 92.32 to 92.33)",
        "Table 2, Human Spk, human_success_pct: 92.2 is printed, 92.324 follows (rounding allows 92.32 to 92.33)",
        "Table 2, LLaVA-34B Brf, human_success_pct: 36.77 is printed, 36.804 follows (rounding allows 36.8 to 36.81)",
    ]
