"""Planned contrasts of a factorial design.

Main effects and interactions, as weighted sums of the cells of a mixed model.

A model with one mean per cell has the same likelihood as one with all main effects and interactions. A main effect is
the difference of two levels averaged over the other factors; an interaction is a difference of differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError
from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.mixed import (
    MixedModel,
    compute_two_sided_p,
    find_critical_value,
    fit_fullest_model,
    mixed_correctness,
    mixed_times,
)
from referee_lab.study.analysis.mixed_analysis import ERROR, format_p
from referee_lab.study.folder.study import LEVELS

if TYPE_CHECKING:
    import polars as pl

TIMES, RATES, RATINGS = "log times", "log odds", "means"


def build_contrast_sheet(
    frame: pl.DataFrame,
    measure: str,
    factors: Sequence[str],
    contrasts: Sequence[str],
    *,
    study: str,
    rating: bool = False,
) -> tuple[list[Sheet], list[str]]:
    """Return the planned contrasts of one measure as a table, or the reason why there are none."""
    rows = frame.drop_nulls(measure)
    cells = {cell: tuple(cell.split(LEVELS)) for cell in rows["system"].unique().to_list()}
    if any(len(levels) != len(factors) for levels in cells.values()) or rows["participant"].n_unique() < 2:
        return [], [f"{measure}: the contrasts need two participants and answers in every cell."]
    try:
        model, scale = _fit_model(rows, measure, rating)
    except InputError as error:
        return [], [f"{measure}: no model for the contrasts ({error.problem})."]
    tidy = [
        {"measure": measure, "contrast": name, "levels": levels, "scale": scale, **estimate_contrast(model, weights)}
        for contrast in contrasts
        for name, levels, weights in iterate_contrast_weights(contrast, factors, cells)
    ]
    is_ratio = scale != RATINGS
    sheet = Sheet(
        name=f"{measure}-contrasts",
        corpus=study,
        title=f"{measure}: planned contrasts",
        header=("contrast", "levels", "estimate", "error", "df", "p", *(["ratio"] if is_ratio else [])),
        rows=tuple(_format_cells(row, is_ratio) for row in tidy),
        left=2,
        notes=(
            f"Mixed model of {scale}, {model.n:,} answers, {model.participants} participants, {model.items} items; "
            f"random effects: {', '.join(f'{name} SD {sd:.3f}' for name, sd in model.sds.items())}; "
            f"log-likelihood {model.log_likelihood:.4f}{'' if model.converged else '; NOT CONVERGED: ' + model.message}.",
            *(f"Simplified: {step}." for step in model.simplified),
        ),
        tidy=tuple(tidy),
    )
    return [sheet], []


def _fit_model(rows: pl.DataFrame, measure: str, rating: bool) -> tuple[MixedModel, str]:
    """Return the fullest model that the data allow, and the scale of its effects."""
    import polars as pl

    if measure == ERROR:
        rates = rows.group_by("system").agg(pl.col(ERROR).mean())[ERROR]
        if not rates.is_in([0.0, 1.0]).any():
            return fit_fullest_model(lambda slopes: mixed_correctness(rows, correct=ERROR, slopes=slopes), rows), RATES
    if measure != ERROR and not rating:
        return fit_fullest_model(lambda slopes: mixed_times(rows, time=measure, slopes=slopes), rows), TIMES
    # A linear model of the values themselves, which also serves error rates of 0 or 1, whose odds have no estimate.
    return fit_fullest_model(lambda slopes: mixed_times(rows, time=measure, slopes=slopes, logs=False), rows), RATINGS


def iterate_contrast_weights(
    contrast: str, factors: Sequence[str], cells: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield name, levels and weights of a contrast: each level but the first of its factors against the first.

    >>> cells = {"a / x": ("a", "x"), "a / y": ("a", "y"), "b / x": ("b", "x"), "b / y": ("b", "y")}
    >>> [(levels, weights) for _, levels, weights in iterate_contrast_weights("f", ("f", "g"), cells)]
    [('b - a', {'a / x': -0.5, 'a / y': -0.5, 'b / x': 0.5, 'b / y': 0.5})]
    """
    names = contrast.split(":")
    if unknown := [name for name in names if name not in factors]:
        raise InputError(
            f"the contrast {contrast!r} names no factor {unknown[0]!r}",
            remedy=f"[design] factors are {', '.join(factors)}",
        )
    places = [factors.index(name) for name in names]
    levels = [sorted({cell[place] for cell in cells.values()}) for place in places]
    for compared in product(*(of_factor[1:] for of_factor in levels)):
        weights: dict[str, float] = {}
        for name, cell in cells.items():
            signs = [
                1.0 if cell[place] == level else -1.0 if cell[place] == of_factor[0] else 0.0
                for place, level, of_factor in zip(places, compared, levels, strict=True)
            ]
            if all(signs):
                weights[name] = float(np.prod(signs))
        count = len(weights) / 2 ** len(places)
        levels_text = " x ".join(f"{level} - {of_factor[0]}" for level, of_factor in zip(compared, levels, strict=True))
        yield contrast, levels_text, {name: weight / count for name, weight in weights.items()}


def estimate_contrast(model: MixedModel, weights: Mapping[str, float]) -> dict[str, Any]:
    """Return estimate, error, degrees of freedom, p and interval of a weighted sum of a model's cells."""
    effects = {model.baseline: 0.0, **{e.system: e.estimate for e in model.effects}}
    missing = [cell for cell in weights if cell not in effects]
    empty = dict.fromkeys(("estimate", "error", "df", "p", "low", "high", "ratio"))
    if missing:
        return empty
    vector = np.array([weights.get(effect.system, 0.0) for effect in model.effects])
    estimate = sum(weight * effects[cell] for cell, weight in weights.items())
    variance = float(vector @ model.covariance @ vector)
    if variance <= 0:
        return {**empty, "estimate": estimate}
    error = sqrt(variance)
    df = model.compute_df(vector)
    reach = find_critical_value(df)
    return {
        "estimate": estimate,
        "error": error,
        "df": df,
        "p": compute_two_sided_p(estimate / error, df),
        "low": estimate - reach * error,
        "high": estimate + reach * error,
        "ratio": exp(estimate),
    }


def _format_cells(row: Mapping[str, Any], is_ratio: bool) -> tuple[Cell, ...]:
    """Return a contrast as the cells of a table row."""

    def number(value: float | None, places: int = 3) -> str:
        return "" if value is None else f"{value:.{places}f}"

    interval = "" if row["low"] is None else f"{number(row['low'])}, {number(row['high'])}"
    return (
        Cell(row["contrast"]),
        Cell(row["levels"]),
        Cell(number(row["estimate"]), small=interval),
        Cell(number(row["error"])),
        Cell(number(row["df"], 1)),
        Cell(format_p(row["p"])),
        *([Cell(number(row["ratio"], 2))] if is_ratio else []),
    )
