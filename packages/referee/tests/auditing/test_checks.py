"""Every kind of check on small invented tables, with values worked out by hand or by `referee.statistics`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from invented import paper, with_cell

from referee.auditing.audit import audit
from referee.auditing.checks.formulas import parse
from referee.auditing.checks.variances import CellMeans, read_cells
from referee.auditing.claims import AuditRow, AuditVerdict
from referee.auditing.paper import read_paper
from referee.errors import MalformedInput
from referee.statistics.ranks import kruskal_wallis_binary
from referee.statistics.variance import one_way_from_summaries, two_way_from_summaries


def rows(tmp_path: Path, description: str, **tables: str) -> list[AuditRow]:
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    entries = "".join(f'[tables.{name}]\nfile = "{name}.csv"\nname = "{name}"\n' for name in tables)
    (tmp_path / "paper.toml").write_text(entries + description, encoding="utf-8")
    return list(audit(read_paper(tmp_path)).rows)


def verdicts(found: list[AuditRow]) -> list[str]:
    return [row.verdict.value for row in found]


def test_a_correlation_with_a_constant_is_undefined_and_not_zero(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "correlations"\nprinted = "pairs"\nscores = "scores"\n'
    scores = "system,x,y\na,1.0,5.0\nb,2.0,5.0\nc,3.0,5.0\n"
    found = rows(tmp_path, check, scores=scores, pairs="measure_a,measure_b,r\nx,y,0.00\n")
    assert verdicts(found) == ["undetermined"]
    assert "not defined" in found[0].explanation


def test_a_correlation_leaves_out_rows_with_an_empty_cell(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "correlations"\nprinted = "pairs"\nscores = "scores"\n'
    scores = "system,x,y\na,1.00,2.00\nb,2.00,4.10\nc,3.00,5.90\nd,,100\n"
    found = rows(tmp_path, check, scores=scores, pairs="measure_a,measure_b,r\nx,y,0.999\n")
    assert verdicts(found) == ["follows"]  # r of (1, 2), (2, 4.1), (3, 5.9) is 3.9 / sqrt(2 · 7.62) = .9990
    assert "over 3 rows" in found[0].explanation


def test_two_systems_have_no_correlation(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "correlations"\nprinted = "pairs"\nscores = "scores"\n'
    found = rows(tmp_path, check, scores="system,x,y\na,1,2\nb,2,4\n", pairs="measure_a,measure_b,r\nx,y,1.00\n")
    assert verdicts(found) == ["undetermined"]


def test_a_square_of_correlations_is_read_with_its_stars(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "correlations"\nform = "matrix"\nstars = true\nprinted = "square"\nscores = "scores"\n'
    values = "\n".join(f"s{i},{i}.0,{i * i}.0" for i in range(1, 6))
    # r of 1..5 and their squares: 60 / sqrt(10 · 374) = .98110; two stars from .959 on (n = 5)
    found = rows(tmp_path, check, scores=f"system,x,y\n{values}\n", square="m,x,y\nx,1,.98**\ny,.98**,1\n")
    assert [(r.item, r.printed, r.verdict.value) for r in found] == [
        ("r(x, y)", 0.98, "follows"),
        ("stars of r(x, y)", 2, "follows"),
    ]


def test_stars_may_be_counted_or_drawn_but_nothing_else(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "correlations"\nprinted = "pairs"\nscores = "scores"\nstars = "stars"\n'
    scores = "system,x,y\n" + "".join(f"s{i},{i}.0,{i * i}.0\n" for i in range(1, 6))
    for drawn in ("2", "**"):
        found = rows(tmp_path, check, scores=scores, pairs=f"measure_a,measure_b,r,stars\nx,y,.98,{drawn}\n")
        assert verdicts(found) == ["follows", "follows"]
    with pytest.raises(MalformedInput, match="'many' are not stars"):
        rows(tmp_path, check, scores=scores, pairs="measure_a,measure_b,r,stars\nx,y,.98,many\n")


def test_mirrored_cells_that_disagree_are_both_checked(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "correlations"\nform = "matrix"\nprinted = "square"\nscores = "scores"\n'
    values = "\n".join(f"s{i},{i}.0,{i * i}.0" for i in range(1, 6))
    found = rows(tmp_path, check, scores=f"system,x,y\n{values}\n", square="m,x,y\nx,1,.98\ny,-.98,1\n")
    assert verdicts(found) == ["follows", "does-not-follow"]
    assert "the sign is wrong" in found[1].explanation


def test_an_overall_mean_weighs_its_parts(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "overall"\ntable = "t"\nparts = ["a", "b"]\nwhole = "all"\nn = [80, 68]\n'
    # (80 · 15.00 + 68 · 4.41) / 148 = 10.134; the plain mean is 9.705
    found = rows(tmp_path, check, t="system,a,b,all\nx,15.00,4.41,10.13\ny,15.00,4.41,9.71\nz,,4.41,9.71\n")
    assert verdicts(found) == ["follows", "does-not-follow", "undetermined"]
    assert "plain mean" in found[1].explanation


def test_an_overall_without_counts_must_lie_between_its_parts(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "overall"\ntable = "t"\nparts = ["a", "b"]\nwhole = "all"\n'
    found = rows(tmp_path, check, t="system,a,b,all\nx,0.53,0.56,0.54\ny,0.53,0.56,0.40\n")
    assert verdicts(found) == ["follows", "does-not-follow"]


def test_missing_trials_are_solved_from_the_overall_mean(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "overall"\ntable = "t"\nparts = ["a", "b"]\nwhole = "all"\nn = [60, 60]\nmissing = 3\n'
    # 59 and 60 trials: (59 · 2155.376 + 60 · 2187.737) / 119 = 2171.6925, and rounding allows 2171.693
    found = rows(tmp_path, check, t="system,a,b,all\nx,2155.376,2187.737,2171.693\ny,2155.376,2187.737,2171.200\n")
    assert verdicts(found) == ["rounding", "does-not-follow"]
    assert "n = 59 and 60" in found[0].explanation


def test_a_total_without_one_row_is_recognised(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "total"\ntarget = "sums[all].n"\ntable = "t"\ncolumns = "n"\n'
    found = rows(tmp_path, check, t="row,n\na,22\nb,198\nc,88\n", sums="item,n\nall,286\n")
    assert verdicts(found) == ["does-not-follow"]
    assert "the sum without a (22)" in found[0].explanation


def test_the_same_number_in_two_tables_may_differ_in_digits_only(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "same"\ntable = "t"\nother = "u"\ncolumns = { x = "y" }\nrows = { b = "B" }\n'
    found = rows(tmp_path, check, t="system,x\na,1.35\nb,0.479\nc,3.2\n", u="system,y\na,1.346\nB,0.482\nc,\n")
    assert verdicts(found) == ["follows", "does-not-follow"]


def test_a_formula_may_name_cells_and_columns(tmp_path: Path) -> None:
    checks = """
[[checks]]
kind = "formula"
table = "t"
target = "prior"
formula = "selected / n"

[[checks]]
kind = "formula"
target = "t[b].prior"
formula = "2 * p * r / (p + r)"
cells = { p = "t[a].prior", r = "t[b].prior" }
"""
    table = "value,selected,n,prior\na,4,94,0.43\nb,41,42,0.976\nc,1,0,0.5\n"
    found = rows(tmp_path, checks, t=table)
    assert verdicts(found)[:2] == ["does-not-follow", "follows"]
    assert found[2].verdict is AuditVerdict.UNDETERMINED  # a division by nothing
    assert found[3].recomputed == pytest.approx(2 * 0.43 * 0.976 / (0.43 + 0.976))


@pytest.mark.parametrize(
    "text", ["__import__('os')", "a.b", "a if b else c", "[a]", "a < b", "f(a)", "'x'", "a @ b", "sqrt()", "a +"]
)
def test_a_formula_is_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)


def test_p_follows_from_the_statistic(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "significance"\ntable = "t"\n'
    # F(14, 2235) = 1.93: p = .0197 and 2.56: p = .0012 (scipy.stats.f.sf); chi2(13) = 26.27: p = .0157; chi2(14) = 13.88: p = .459
    stated = [
        "a,F,1.93,14,2235,p<.01",
        "b,F,2.56,14,2235,p<.01",
        "c,chi2,26.27,13,,p<.05",
        "d,chi2,13.88,14,,n.s.",
        "e,F,,1,2,p<.05",
    ]
    text = "\n".join(["item,statistic,value,df1,df2,p_text", *stated, ""])
    found = rows(tmp_path, check, t=text)
    assert verdicts(found) == ["does-not-follow", "follows", "follows", "follows", "undetermined"]
    assert [r.recomputed for r in found[:2]] == pytest.approx([0.0197, 0.0012], abs=1e-4)


def test_f_values_agree_with_the_statistics_module_also_for_unequal_counts() -> None:
    rng = np.random.default_rng(3)
    means, sds = rng.normal(5, 1, size=(6, 2)), rng.uniform(1, 2, size=6)
    counts = rng.integers(20, 40, size=(6, 2)).astype(float)
    cells = CellMeans(labels=tuple("abcdef"), means=(), sds=tuple(range(6)), counts=counts)  # type: ignore[arg-type]
    point = np.concatenate([means.ravel(), sds])[None, :]
    expected = two_way_from_summaries(means, counts, sds)
    found = [cells.f(effect)(point)[0] for effect in ("system", "domain", "interaction")]
    assert found == pytest.approx([e.f for e in expected.effects])
    assert cells.error_df == expected.error_df


def test_f_of_one_factor_agrees_with_the_statistics_module() -> None:
    means, sds, counts = [3.0, 4.0, 5.5], [1.0, 1.2, 0.9], [20.0, 22.0, 19.0]
    shape = np.array(counts)[:, None]
    cells = CellMeans(labels=tuple("abc"), means=tuple(range(3)), sds=tuple(range(3)), counts=shape)  # type: ignore[arg-type]
    found = cells.f("system")(np.array([means + sds]))[0]
    assert found == pytest.approx(one_way_from_summaries(means, counts, sds).effects[0].f)


def test_f_from_standard_deviations_by_cell(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "anova"\nscores = "t"\ncells = ["a", "b"]\nsd = ["sa", "sb"]\nn = 10\nprinted = { system = "u[F].value" }\n'
    means, sds = [[1.0, 2.0], [2.0, 2.5], [4.0, 3.0]], [[1.0, 1.1], [0.9, 1.0], [1.2, 1.0]]
    f = two_way_from_summaries(means, 10, sds).effects[0].f
    table = "system,a,b,sa,sb\n" + "".join(
        f"s{i},{m[0]},{m[1]},{s[0]},{s[1]}\n" for i, (m, s) in enumerate(zip(means, sds, strict=True))
    )
    found = rows(tmp_path, check, t=table, u=f"item,value\nF,{f:.2f}\n")
    assert verdicts(found) == ["follows"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('sd = "sd"', ""), "no standard deviations are printed"),
        (("n = 10", ""), "the numbers of observations are not given"),
        (("3.0,1.0", ",1.0"), "a cell of b is empty"),
        (("b,3.0,3.0,1.0\n", ""), "there is only one system"),
    ],
)
def test_an_analysis_that_cannot_be_done_says_what_is_missing(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    check = '[[checks]]\nkind = "anova"\nscores = "t"\ncells = ["x", "y"]\nsd = "sd"\nn = 10\nprinted = { system = "u[F].value" }\n'
    table = "system,x,y,sd\na,1.0,2.0,1.0\nb,3.0,3.0,1.0\n"
    found = rows(tmp_path, check.replace(*change), t=table.replace(*change), u="item,value\nF,5.00\n")
    assert verdicts(found) == ["undetermined"]
    assert said in found[0].explanation


def test_degrees_of_freedom_of_the_total_are_recognised(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "anova"\nscores = "t"\ncells = "x"\nn = 150\nprinted = { error_df = "u[F].df2" }\n'
    found = rows(tmp_path, check, t="system,x\na,1.0\nb,2.0\nc,3.0\n", u="item,df2\nF,449\n")
    assert (found[0].verdict, found[0].recomputed) == (AuditVerdict.DOES_NOT_FOLLOW, 447)
    assert "N - 1" in found[0].explanation


def test_kruskal_wallis_agrees_with_the_statistics_module(tmp_path: Path) -> None:
    check = '[[checks]]\nkind = "kruskal-wallis"\nscores = "t"\nshares = ["a", "b"]\nscale = 100\nn = [60, 60]\nmissing = 3\nprinted = "u[H].value"\n'
    # 7/59 and 4/60, 6/60 and 5/59, 19/60 and 8/60
    h = kruskal_wallis_binary([11 / 119, 11 / 119, 27 / 120], [119, 119, 120]).h
    table = "system,a,b\nx,11.864,6.667\ny,10.000,8.475\nz,31.667,13.333\n"
    found = rows(tmp_path, check, t=table, u=f"item,value\nH,{h:.3f}\n")
    assert verdicts(found) == ["follows"]
    assert found[0].recomputed == pytest.approx(h, abs=1e-9)


def test_letters_that_say_something_else_do_not_follow(tmp_path: Path) -> None:
    clean = paper(tmp_path)
    letters = clean.tables["letters"]
    worst = letters.labels[-1]
    found = audit(with_cell(clean, "letters", worst, "letters", letters.text(letters.labels[0], "letters")))
    row = next(r for r in found.rows if r.item == f"letters of {worst}")
    assert row.verdict is AuditVerdict.DOES_NOT_FOLLOW
    assert letters.labels[0] in row.explanation


def test_renamed_letters_say_the_same(tmp_path: Path) -> None:
    clean = paper(tmp_path)
    renamed = clean
    for label in clean.tables["letters"].labels:
        text = clean.tables["letters"].text(label, "letters")
        renamed = with_cell(renamed, "letters", label, "letters", text.translate(str.maketrans("ABCDEFGH", "PQRSTUVW")))
    assert not audit(renamed).findings


def test_a_system_without_letters_is_a_mistake_of_the_description(tmp_path: Path) -> None:
    paper(tmp_path)
    kept = (tmp_path / "letters.csv").read_text().splitlines()[:-1]
    (tmp_path / "letters.csv").write_text("\n".join(kept) + "\n")
    with pytest.raises(MalformedInput, match="gives no subset letters"):
        audit(read_paper(tmp_path))


def test_read_cells_names_the_systems_in_order(tmp_path: Path) -> None:
    clean = paper(tmp_path)
    section = next(s for s in clean.checks if s.values["kind"] == "anova")
    cells = read_cells(clean, section)
    assert isinstance(cells, CellMeans)
    assert cells.labels == tuple(f"S{i}" for i in range(8))
    assert cells.counts.shape == (8, 2)


REFERENCES = (
    '[[checks]]\nkind = "kruskal-wallis"\nscores = "t"\nshares = "a"\nn = 10\nreferences = 2\nprinted = "u[H].value"\n'
)


@pytest.mark.parametrize(("printed", "verdict"), [("8.00", "undetermined"), ("20.00", "does-not-follow")])
def test_averages_over_references_bound_the_chi_square_of_a_match_with_at_least_one(
    tmp_path: Path, printed: str, verdict: str
) -> None:
    # by hand: averages of .50 and .10 are 10 and 2 of 20 comparisons, so 5 to 10 and 1 to 2 items met at least one of two references;
    # H is smallest for .5 and .2, 190 · .045 / 4.55 = 1.88, and largest for 1 and .1, 190 · .405 / 4.95 = 15.55
    found = rows(tmp_path, REFERENCES, t="system,a\nx,.50\ny,.10\n", u=f"item,value\nH,{printed}\n")
    assert verdicts(found) == [verdict]
    assert found[0].low == pytest.approx(1.88, abs=0.3)
    assert found[0].high == pytest.approx(15.55, abs=0.3)


@pytest.mark.parametrize(("admitted", "verdict"), [("", "does-not-follow"), ("it is over other items", "undetermined")])
def test_numbers_that_are_admitted_to_be_another_quantity_are_left_open(
    tmp_path: Path, admitted: str, verdict: str
) -> None:
    check = f'[[checks]]\nkind = "formula"\ntable = "t"\ntarget = "c"\nformula = "a + b"\nadmitted = "{admitted}"\n'
    found = rows(tmp_path, check, t="item,a,b,c\nx,1,2,9\ny,1,2,3\n")
    assert verdicts(found) == [verdict, "follows"]
    assert admitted in found[0].explanation


def test_the_members_of_a_group_are_solved_and_so_are_the_trials_behind_its_rates(tmp_path: Path) -> None:
    # by hand: only b and d of 1, 2, 4, 8 have a mean of 5.0, and a and c one of 2.5. Of 20 trials a to d failed 1, 2, 3 and 4; over 18 trials
    # b and d have 6 of 36 = 16.7 per cent and a and c 4 of 36 = 11.1; over 20 they would have 15.0 and 10.0
    check = """
[[checks]]
kind = "groups"
table = "means"
groups = ["no", "yes"]
scores = "t"
columns = { score = "score", rate = "rate" }
shares = { rate = 20 }
missing = 3
scale = 100
"""
    table = "system,score,rate\na,1.00,5.0\nb,2.00,10.0\nc,4.00,15.0\nd,8.00,20.0\n"
    found = rows(tmp_path, check, t=table, means="measure,no,yes\nscore,2.50,5.00\nrate,11.1,16.7\n")
    assert set(verdicts(found)) <= {"follows", "rounding"}
    told = {r.item: r.explanation for r in found}
    assert "mean of b, d" in told["score, yes from its members"]
    assert "18 trials a system" in told["rate, yes"]
    wrong = rows(tmp_path, check, t=table, means="measure,no,yes\nscore,2.50,5.00\nrate,11.1,19.9\n")
    assert "undetermined" in verdicts(wrong)
