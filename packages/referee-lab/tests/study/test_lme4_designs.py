"""Planned contrasts of ten designs against lme4: estimates, standard errors and log-likelihoods.

The values are those of Debian's r-cran-lme4; `lme4/fit.R` beside them fits the data that this file writes.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import exp, sqrt
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

from referee.statistics.mixed import mixed_correctness, mixed_times
from referee_lab.study.analysis.factorial import estimate_contrast, iterate_contrast_weights
from referee_lab.study.folder.study import LEVELS

HERE = Path(__file__).parent / "lme4"


@dataclass(frozen=True)
class Design:
    """A design: its factors with their levels, which are varied between people, its size, and the share of missing answers."""

    name: str
    factors: dict[str, tuple[str, ...]]
    between: tuple[str, ...] = ()
    people: int = 24
    items: int = 12
    repeats: int = 1
    missing: float = 0.0

    @property
    def slopes(self) -> tuple[str, ...]:
        return tuple(self.name.split("-")[2:])


AB, XY = ("a", "b"), ("x", "y")
DESIGNS = (
    Design("01-lmer", {"f": AB}),
    Design("02-lmer", {"f": AB, "g": XY}),
    Design("03-lmer", {"f": AB, "g": XY}, between=("g",)),
    Design("04-lmer", {"f": ("a", "b", "c")}, people=18, items=9),
    Design("05-lmer", {"f": AB, "g": XY}, people=20, missing=0.2),
    Design("06-lmer", {"f": AB, "g": XY, "h": ("u", "v")}, people=32, items=16),
    Design("07-lmer-participant", {"f": AB, "g": XY}, people=20, items=16),
    Design("08-lmer-participant-item", {"f": AB}, people=20, items=16, repeats=2, missing=0.1),
    Design("09-glmer", {"f": AB, "g": XY}, people=40, items=20),
    Design("10-glmer", {"f": AB, "g": XY}, between=("f",), people=40, items=24, missing=0.1),
)


def answers(design: Design) -> Iterator[tuple[str, str, str, float]]:
    """Participant, item, cell and answer: every item in one cell for each person, with effects of all of them."""
    rng = Random(design.name)
    cells = list(product(*design.factors.values()))
    gauss = {
        "people": [rng.gauss(0, 0.6) for _ in range(design.people)],
        "items": [rng.gauss(0, 0.4) for _ in range(design.items)],
    }
    deviations: dict[tuple[str, int, int], float] = {}
    where = [list(design.factors).index(name) for name in design.between]
    groups = sorted({tuple(cell[i] for i in where) for cell in cells})
    for p, _, i in product(range(design.people), range(design.repeats), range(design.items)):
        allowed = [c for c in cells if tuple(c[k] for k in where) == groups[p % len(groups)]]
        cell = allowed[(p // len(groups) + i + _) % len(allowed)]
        number = cells.index(cell)
        value = 0.5 * number + gauss["people"][p] + gauss["items"][i]
        for kind, unit in (("participant", p), ("item", i)):
            if kind in design.slopes:
                value += deviations.setdefault((kind, unit, number), rng.gauss(0, 0.5))
        value += rng.gauss(0, 0.5)
        if rng.random() < design.missing:
            continue
        if "glmer" in design.name:
            value = float(rng.random() < 1 / (1 + exp(1 - value)))
        yield f"p{p}", f"i{i}", LEVELS.join(cell), value


def write(folder: Path) -> None:
    """Write every design as CSV for R, numbers unrounded."""
    for design in DESIGNS:
        with (folder / f"{design.name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["participant", "item", "cell", "y"])
            writer.writerows(answers(design))


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: d.name)
def test_contrasts_are_those_of_lme4(design: Design) -> None:
    """lmer: to 1e-4. glmer: to 2 %, and our likelihood is not lower."""
    theirs = json.loads((HERE / "values.json").read_text("utf-8"))["designs"][design.name]
    rows = list(answers(design))
    frame = pl.DataFrame(rows, schema=["participant", "item", "system", "y"], orient="row")
    is_binary = "glmer" in design.name
    model = (
        mixed_correctness(frame, correct="y", slopes=design.slopes)
        if is_binary
        else mixed_times(frame, time="y", slopes=design.slopes, logs=False)
    )
    assert model.simplified == ()
    means, covariance = np.array(theirs["means"]), np.array(theirs["covariance"])
    cells = {cell: tuple(cell.split(LEVELS)) for cell in theirs["cells"]}
    factors = tuple(design.factors)
    names = list(factors) + ([":".join(factors[:2])] if len(factors) > 1 else [])
    for contrast in names:
        for _, _, weights in iterate_contrast_weights(contrast, factors, cells):
            mine = estimate_contrast(model, weights)
            w = np.array([weights.get(cell, 0.0) for cell in theirs["cells"]])
            limits = {"rel": 0.02, "abs": 1e-3} if is_binary else {"rel": 0.0, "abs": 1e-4}
            assert mine["estimate"] == pytest.approx(float(w @ means), **limits)
            assert mine["error"] == pytest.approx(sqrt(float(w @ covariance @ w)), **limits)
    if is_binary:
        assert model.log_likelihood >= theirs["log_likelihood"] - 1e-4
    else:
        assert model.log_likelihood == pytest.approx(theirs["log_likelihood"], abs=1e-4)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
