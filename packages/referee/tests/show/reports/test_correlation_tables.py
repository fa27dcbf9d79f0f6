"""The matrix of measures: values by numpy, undefined ones as a dash, and people in or out."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from small_runs import CHAIR, LARGE, RED, exact, material_of, trials

from referee.show.reports.correlation_tables import build_correlation_sheets, correlate_measures, format_correlation
from referee.show.reports.sections import build_sections

METRICS = ("set/dice", "set/exact", "scene/surplus", "scene/unique")


def sampler(seed: int, chance: float) -> Any:
    rng = Random(seed)
    chosen = [[list(RED), *(list(p) for p in (CHAIR, LARGE) if rng.random() < chance)] for _ in range(20)]
    return lambda i: {"properties": chosen[i]}


def test_correlations_are_numpys_and_a_measure_that_does_not_vary_has_none(tmp_path: Path) -> None:
    systems = {f"s{k}": sampler(k, 0.2 * k) for k in range(5)}
    material = material_of(tmp_path / "run", systems, corpus=trials(20), metrics=METRICS, resamples=0)
    columns = {m: [material.value(s, m) for s in material.systems] for m in METRICS}
    pairs = {(p["measure_a"], p["measure_b"]): p for p in correlate_measures(material, material.systems, METRICS)}
    assert pairs["set/dice", "set/exact"]["r"] == pytest.approx(
        np.corrcoef(columns["set/dice"], columns["set/exact"])[0, 1]
    )
    left = [np.corrcoef(np.delete(columns["set/dice"], i), np.delete(columns["set/exact"], i))[0, 1] for i in range(5)]
    assert pairs["set/dice", "set/exact"]["without_one_low"] == pytest.approx(min(left))
    assert pairs["set/dice", "set/exact"]["without_one_high"] == pytest.approx(max(left))
    assert pairs["set/dice", "scene/unique"]["r"] is None, "all systems say red, which is always unique"
    (sheet,) = build_correlation_sheets(material)
    row = next(r for r in sheet.rows if r[0].text == "scene/unique")
    assert [c.text for c in row[1:]] == ["–", "–", "–", ""]


def test_people_come_in_a_table_of_their_own(tmp_path: Path) -> None:
    """With people as a row the sign of a correlation can turn (RefOI 2025), so both are shown."""
    from dataclasses import replace

    told = [
        replace(t, speaker=str(i % 2), scene=replace(t.scene, id=f"scene {i // 2}")) for i, t in enumerate(trials(20))
    ]
    systems = {f"s{k}": sampler(k, 0.25 * k) for k in range(4)}
    material = material_of(
        tmp_path / "run", systems, corpus=told, metrics=METRICS, resamples=0, humans=True, references="others"
    )
    without, with_people = build_correlation_sheets(material)
    assert "over 4 systems)" in without.title
    assert "4 systems and people" in with_people.title
    assert {p["n"] for p in without.tidy} == {4}
    assert {p["n"] for p in with_people.tidy} == {5}


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_systems_are_told_so(tmp_path: Path, n: int) -> None:
    material = material_of(tmp_path / "run", {f"s{k}": exact for k in range(n)}, resamples=0)
    section = next(s for s in build_sections(material) if s.name == "correlations")
    assert section.texts == (f"Correlations over systems need at least 3 systems; this report has {n}.",)
    assert not section.sheets
    assert not section.figures


@pytest.mark.parametrize(
    ("r", "text"), [(None, "–"), (-0.5837, "-.58"), (0.997, "1"), (-1.0, "-1"), (0.001, "0"), (0.25, ".25")]
)
def test_coefficients_are_printed_as_in_papers(r: float | None, text: str) -> None:
    assert format_correlation(r) == text
