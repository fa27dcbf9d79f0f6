"""The challenge's tables from runs small enough to check by hand."""

from __future__ import annotations

from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from small_runs import chatty, colour, exact, material_of, trials

from referee.records import Outcome, Response
from referee.show.reports.sheets import Sheet
from referee.show.reports.tuna2008 import build_challenge_tables

PANEL = (
    "set/dice",
    "set/masi",
    "set/exact",
    "scene/minimal",
    "string/edit",
    "string/exact",
    "string/nist",
    "string/bleu.4",
)


def tables_of(folder: Path, systems: dict[str, Any], **options: Any) -> tuple[dict[str, Sheet], str]:
    material = material_of(folder, systems, metrics=PANEL, resamples=0, **options)
    sheets, missing = build_challenge_tables(material)
    return {s.name.removeprefix("tuna2008-table"): s for s in sheets}, " ".join(missing)


def row(sheet: Sheet, system: str) -> list[str]:
    (found,) = [r for r in sheet.rows if r[0].text == system]
    return [c.text for c in found[1:]]


def test_table_3_prints_domains_both_and_sd(tmp_path: Path) -> None:
    """By hand: chatty's Dice is 4/5, 1, 4/5, 1, 4/5, 1; MASI 2/3·2/3 = 4/9 and 1."""
    tables, _ = tables_of(tmp_path / "run", {"chatty": chatty, "exact": exact, "colour": colour})
    sheet = tables["3"]
    assert sheet.spans == (("", 1), ("Dice", 4), ("MASI", 4), ("Accuracy", 3), ("Minimality", 1))
    assert sheet.header == ("system", "a", "b", "Both", "SD", "a", "b", "Both", "SD", "a", "b", "Both", "Both")
    dice = ["0.800", "1.000", "0.900", f"{stdev([0.8, 1] * 3):.3f}"]
    masi = ["0.444", "1.000", "0.722", f"{stdev([4 / 9, 1] * 3):.3f}"]
    assert row(sheet, "chatty") == [*dice, *masi, "0.00", "1.00", "0.50", "0.00"]
    assert row(sheet, "colour")[-1] == "1.00", "red alone is minimal"
    assert [r[0].text for r in sheet.rows] == ["exact", "chatty", "colour"], "by the first column, highest first"


def test_table_8_prints_edit_distance_accuracy_bleu_and_nist(tmp_path: Path) -> None:
    tables, _ = tables_of(tmp_path / "run", {"chatty": chatty, "exact": exact, "colour": colour})
    sheet = tables["8"]
    assert [text for text, _ in sheet.spans] == ["", "Edit", "Accuracy", "BLEU", "NIST"]
    assert row(sheet, "colour")[:4] == ["3.000", "3.000", "3.000", "0.000"]
    assert row(sheet, "chatty")[:3] == ["1.000", "0.000", "0.500"], "one word too much in the domain a"


def test_subsets_run_from_the_lowest_mean_and_share_letters_only_where_tukey_finds_no_difference(
    tmp_path: Path,
) -> None:
    """By hand for Dice: means 17/18, 1, 2/3; SSE = (2/9)² + 2·(1/9)² = 6/81 on 18 - 6 degrees of freedom, so F = 31 and
    HSD = q(.05; 3, 12)·sqrt(MSE/6) = 3.77·0.032 = 0.121 (q from the printed table of the studentised range)."""

    def nearly(i: int) -> dict[str, Any]:
        return colour(i) if i == 0 else exact(i)

    tables, _ = tables_of(tmp_path / "run", {"nearly": nearly, "exact": exact, "colour": colour})
    assert tables["3"].notes[0].startswith("Dice: system F(2, 12) = 31.00, p < .001;")
    sheet = tables["4"]
    assert [r[0].text for r in sheet.rows] == ["colour", "nearly", "exact"]
    assert [r[1].text for r in sheet.rows] == ["A", "B", "B"]
    assert [t["letters"] for t in sheet.tidy if t["measure"] == "Dice"] == ["A", "B", "B"]


def test_without_any_spread_subsets_are_not_made_and_the_reason_is_said(tmp_path: Path) -> None:
    tables, missing = tables_of(tmp_path / "run", {"exact": exact, "colour": colour})
    assert "4" not in tables
    assert "Table 4 is not made: Dice: the error variance 'error_ms' is 0.0, but must be above 0" in missing


def test_correlations_fill_the_upper_half(tmp_path: Path) -> None:
    tables, _ = tables_of(tmp_path / "run", {"chatty": chatty, "exact": exact, "colour": colour})
    sheet = tables["5"]
    assert sheet.header == ("", "Minimality", "Accuracy", "Dice", "MASI")
    assert [c.text for c in sheet.rows[2]] == ["Dice", "", "", "1", sheet.rows[2][4].text]
    assert sheet.rows[2][4].text.startswith(".9")


def test_what_cannot_be_made_is_said(tmp_path: Path) -> None:
    tables, missing = tables_of(tmp_path / "run", {"exact": exact})
    assert set(tables) == {"3", "8"}
    assert "Tables 6 and 7 (realisation) are not made: no system of this run does that task." in missing
    assert "correlations over 1 system" in missing
    assert "Tables 11 and 12" in missing
    assert "no responses" in missing
    material = material_of(tmp_path / "poor", {"exact": exact}, metrics=("set/dice",))
    sheets, why = build_challenge_tables(material)
    assert not sheets
    assert "the run has no set/masi, set/exact, scene/minimal" in why[0]


def heard(trial: int, system: str, entity: str | None, reading: float, identification: float) -> Response:
    outcome = Outcome.ENTITY if entity else Outcome.TIMEOUT
    times = {"reading_ms": reading, "identification_ms": identification}
    return Response(trial=f"t{trial}", hearer="h", outcome=outcome, system=system, entity=entity, **times)


def test_tables_11_and_12_come_from_hearers(tmp_path: Path) -> None:
    """By hand: fast reads in 100, 110 (a) and 120, 130 (b); slow in ten times that; one of slow's four answers is wrong."""
    answers = [heard(i, "fast", "x", 100 + 10 * k, 500 + k) for k, i in enumerate((0, 2, 1, 3))]
    answers += [heard(i, "slow", "y" if i == 0 else "x", 1000 + 100 * k, 510 + k) for k, i in enumerate((0, 2, 1, 3))]
    answers.append(heard(4, "slow", None, 15000, 15000))
    tables, missing = tables_of(tmp_path / "run", {"fast": exact, "slow": chatty}, responses=answers)
    assert "Tables 11" not in missing
    sheet = tables["11"]
    assert sheet.header == ("system", "a", "b", "Both", "SD", "a", "b", "Both", "SD", "a", "b", "Both")
    sd = f"{stdev([1000, 1100, 1200, 1300]):.3f}"
    assert row(sheet, "slow")[:4] == ["1050.000", "1250.000", "1150.000", sd]
    assert row(sheet, "slow")[-3:] == ["50.000", "0.000", "25.000"]
    assert row(sheet, "fast")[-1] == "0.000"
    assert [r[0].text for r in sheet.rows] == ["slow", "fast"]
    assert "1 timeouts, 0 answers" in sheet.notes[1]
    twelve = [(t["measure"], t["system"], t["letters"]) for t in tables["12"].tidy]
    assert twelve == [("IT", "fast", "A"), ("IT", "slow", "B"), ("RT", "fast", "A"), ("RT", "slow", "B")]


def test_one_domain_needs_no_column_of_its_own(tmp_path: Path) -> None:
    from dataclasses import replace

    single = [replace(t, domain=None) for t in trials()]
    tables, _ = tables_of(tmp_path / "run", {"chatty": chatty, "exact": exact}, corpus=single)
    assert tables["3"].header == ("system", "All", "SD", "All", "SD", "All", "All")


def test_the_catalogue_says_which_task_a_system_did(tmp_path: Path) -> None:
    from dataclasses import replace

    material = material_of(tmp_path / "run", {"R1": exact, "R2": colour, "R3": chatty}, metrics=PANEL, resamples=0)
    tags = {s: {"task": "R", "evidence": "faithful"} for s in material.systems}
    sheets, missing = build_challenge_tables(replace(material, facts=replace(material.facts, tags=tags)))
    assert [s.name for s in sheets] == ["tuna2008-table6", "tuna2008-table7"]
    assert any("Tables 3, 4 and 5" in m for m in missing)


@pytest.mark.parametrize("table", ["3", "8"])
def test_every_table_names_its_corpus(tmp_path: Path, table: str) -> None:
    tables, _ = tables_of(tmp_path / "run", {"exact": exact})
    assert "(trials)" in tables[table].title
