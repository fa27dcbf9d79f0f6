"""Letters, bold values and intervals of the scoreboard, and the panels by group, against calculation by hand and by other programs."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from small_runs import CHAIR, LARGE, RED, chatty, colour, exact, material_of, trials

from referee.api.compare import compare
from referee.show.reports.best_system import rank_systems
from referee.show.reports.scoreboard import build_counts_sheet, build_scoreboard, compare_all, compute_subset_letters
from referee.show.reports.sections import build_group_sheets, explain_missing_group, group_rows
from referee.show.reports.sheets import Sheet


def cell_of(sheet: Sheet, row: str, column: str) -> Any:
    (line,) = [r for r in sheet.rows if r[0].text == row]
    return line[sheet.header.index(column)]


def sampler(seed: int, chance: float) -> Any:
    rng = Random(seed)
    chosen = [[list(p) for p in (RED, CHAIR) if rng.random() < chance] or [list(LARGE)] for _ in range(60)]
    return lambda i: {"properties": chosen[i]}


def test_letters_are_shared_exactly_where_paired_t_tests_with_holm_find_no_difference(tmp_path: Path) -> None:
    """Other programs: scipy's ttest_rel and statsmodels' Holm."""
    from scipy.stats import ttest_rel
    from statsmodels.stats.multitest import multipletests

    systems = {f"s{k}": sampler(k, 0.1 + 0.13 * k) for k in range(7)}
    material = material_of(tmp_path / "run", systems, corpus=trials(60), metrics=("set/dice",), resamples=0)
    letters = compute_subset_letters(material, compare_all(material))
    values = {s: v.sort("trial")["value"].to_numpy() for (s,), v in material.values("set/dice").group_by("system")}
    pairs = list(combinations(systems, 2))
    p = multipletests([ttest_rel(values[a], values[b]).pvalue for a, b in pairs], method="holm")[1]
    tied = [bool(set(letters[a, "set/dice"]) & set(letters[b, "set/dice"])) for a, b in pairs]
    assert tied == [bool(x > 0.05) for x in p]
    assert 0 < sum(tied) < len(pairs), "the example has both ties and differences"
    assert letters[rank_systems(material, "set/dice")[0], "set/dice"].startswith("A")


def test_a_difference_that_is_the_same_on_every_item_is_no_tie(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact, "colour": colour, "twin": exact})
    letters = compute_subset_letters(material, compare_all(material))
    assert [letters[s, "set/dice"] for s in ("exact", "twin", "colour")] == ["A", "A", "B"]


def wordy(seed: int, chance: float) -> Any:
    rng = Random(seed)
    chosen = [" ".join(w for w in ("the", "red", "chair", "here") if rng.random() < chance) or "it" for _ in range(60)]
    return lambda i: {"text": chosen[i]}


def test_letters_of_bleu_are_those_of_compare(tmp_path: Path) -> None:
    """BLEU has no average of items to pair: its pairs are tested when they are scored, as `referee compare` does."""
    systems = {"a": wordy(1, 0.9), "b": wordy(2, 0.9), "c": wordy(3, 0.3)}
    corpus = trials(60, "the red chair here")
    material = material_of(tmp_path / "run", systems, corpus=corpus, metrics=("string/bleu.4",), resamples=0)
    letters = compute_subset_letters(material, compare_all(material))
    rows = [
        {"item": t.id, "system": s, "text": says(i)["text"], "reference": "the red chair here"}
        for s, says in systems.items()
        for i, t in enumerate(corpus)
    ]
    compared = compare(rows, metric="string/bleu.4").comparisons.pairs
    p_values = {(r["system_a"], r["system_b"]): r["p"] for r in material.whole_pairs("string/bleu.4")}
    assert p_values == {(p.a, p.b): pytest.approx(p.p) for p in compared}
    tied = {(p.a, p.b): bool(set(letters[p.a, p.metric]) & set(letters[p.b, p.metric])) for p in compared}
    assert tied == {(p.a, p.b): not p.is_significant for p in compared}
    assert 0 < sum(tied.values()) < 3, "the example has both ties and differences"


def test_the_best_is_bold_and_lower_is_better_for_edit_distance(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact, "colour": colour})
    sheets = {s.name: s for s in build_scoreboard(material, {})}
    strings = sheets["scores-string"]
    assert cell_of(strings, "exact", "edit ↓").best
    assert not cell_of(strings, "colour", "edit ↓").best
    assert cell_of(strings, "colour", "edit ↓").text == "3.000", "the: 1, chair→one: 2"


def test_one_system_has_nobody_to_beat(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact})
    (sheet, *_) = build_scoreboard(material, compute_subset_letters(material, compare_all(material)))
    assert not cell_of(sheet, "exact", "dice ↑").best
    assert cell_of(sheet, "exact", "dice ↑").letters == ""


def test_unequal_n_is_shown_beside_each_value_and_missing_answers_are_counted(tmp_path: Path) -> None:
    words = {"text": "the red chair"}
    material = material_of(
        tmp_path / "run", {"exact": exact, "mixed": lambda i: None if i == 0 else words if i == 1 else exact(i)}
    )
    sheets = {s.name: s for s in build_scoreboard(material, {})}
    assert cell_of(sheets["scores-set"], "mixed", "n").text == "4"
    assert cell_of(sheets["scores-string"], "mixed", "n").text == "5"
    counts = build_counts_sheet(material)
    assert counts is not None
    assert cell_of(counts, "mixed", "missing").text == "1"


def test_a_cell_without_data_says_n_0(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"exact": exact, "words": lambda i: {"text": "the red chair"}})
    sheets = {s.name: s for s in build_scoreboard(material, {})}
    cell = cell_of(sheets["scores-set"], "words", "dice ↑")
    assert (cell.text, cell.small) == ("–", "n = 0")


def test_panels_average_items_when_the_run_was_not_scored_by_groups(tmp_path: Path) -> None:
    """By hand: chatty has Dice 4/5 in the domain a (trials 0, 2, 4) and 1 in b."""
    material = material_of(tmp_path / "run", {"chatty": chatty, "exact": exact})
    rows = {(r["system"], r["metric"], r["level"]): r for r in group_rows(material, "domain")}
    assert rows["chatty", "set/dice", "a"]["value"] == pytest.approx(4 / 5)
    assert rows["chatty", "set/dice", "b"]["value"] == 1
    assert rows["chatty", "set/dice", "a"]["n"] == 3
    assert ("chatty", "string/bleu.4", "a") not in rows, "BLEU is never averaged over items"
    notes = " ".join(build_group_sheets(material, "domain", list(rows.values()), ["exact", "chatty"])[0].notes)
    assert "bleu.4" in notes
    assert "--by domain" in notes


def test_panels_equal_those_of_a_run_scored_by_groups(tmp_path: Path) -> None:
    """The scorer groups rows of statistics, the report averages items: two ways to the same values and intervals."""
    plain = material_of(tmp_path / "plain", {"chatty": chatty, "colour": colour})
    grouped = material_of(tmp_path / "grouped", {"chatty": chatty, "colour": colour}, by=("domain", "condition"))
    for group in ("domain", "condition"):
        one = {(r["system"], r["metric"], r["level"]): r for r in group_rows(plain, group)}
        two = {(r["system"], r["metric"], r["level"]): r for r in group_rows(grouped, group)}
        assert set(two) - set(one) == {k for k in two if k[1] == "string/bleu.4"}
        for key, row in one.items():
            for field in ("value", "n", "low", "high"):
                assert row[field] == pytest.approx(two[key][field]), (key, field)


def test_panels_that_cannot_be_are_explained(tmp_path: Path) -> None:
    from dataclasses import replace

    single = [replace(t, domain="a", condition=None) for t in trials()]
    material = material_of(tmp_path / "run", {"exact": exact}, corpus=single)
    assert "same domain (a)" in explain_missing_group(material, "domain")
    assert "name no condition" in explain_missing_group(material, "condition")
    many = [replace(t, domain=f"d{i}") for i, t in enumerate(trials(40))]
    material = material_of(tmp_path / "many", {"exact": exact}, corpus=many)
    assert "40 different values of domain are too many" in explain_missing_group(material, "domain")
    assert material.levels("domain")[:3] == ["d0", "d1", "d2"], "d2 before d10"


def test_intervals_of_panels_hold_the_mean(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"s": sampler(3, 0.6)}, corpus=trials(60), metrics=("set/dice",))
    for row in group_rows(material, "domain"):
        assert row["low"] < row["value"] < row["high"]
        assert np.isfinite([row["low"], row["high"]]).all()
