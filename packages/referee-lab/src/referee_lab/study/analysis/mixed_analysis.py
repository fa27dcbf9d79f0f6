"""Mixed-model analysis of human data.

Participants and items as crossed random effects, all pairs of systems, corrected, with effect sizes and intervals.

Times are modelled as logarithms, so an effect is a ratio of times; errors as log odds (Baayen et al. 2008; Jaeger
2008). For times, the effect size is d with all variances of the model in the denominator (Westfall et al. 2014). For
errors, it is the difference of error rates, clustered by participant and item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import exp, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError
from referee.records import NOTHING
from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.clusters import cluster_bootstrap, cluster_differences
from referee.statistics.comparisons import adjust
from referee.statistics.mixed import (
    MixedModel,
    compute_two_sided_p,
    find_critical_value,
    fit_fullest_model,
    mixed_correctness,
    mixed_times,
)

if TYPE_CHECKING:
    import polars as pl

ERROR = "error"
NAMES = {
    ERROR: "error rate",
    "reading_ms": "reading time",
    "identification_ms": "identification time",
    "combined_ms": "reading and identification together",
}
Row = dict[str, Any]


def build_measure_sheets(
    frame: pl.DataFrame, measure: str, *, study: str, alpha: float, correction: str
) -> tuple[list[Sheet], list[str]]:
    """Return means by system and contrasts of all pairs for one measure, or the reason why there are none."""
    measured = frame.drop_nulls(measure)
    if measured["system"].n_unique() < 2 or measured["participant"].n_unique() < 2:
        return [], [f"{NAMES[measure]}: fewer than two systems or participants have values."]
    sheets = [_build_measure_means(measured, measure, study)]
    model, notes = _fit_or_explain(measured, measure)
    pairs = _merge_contrasts(measured, measure, model, correction)
    sheets.append(_build_contrast_sheet(pairs, measure, study, alpha, correction, notes))
    return sheets, []


# -- means -----------------------------------------------------------------------------------------------------------------


BOOTSTRAP = "Intervals (95%) from a bootstrap that draws participants and items."


def build_means_sheet(
    frame: pl.DataFrame,
    value: str,
    *,
    study: str,
    name: str,
    title: str,
    show: Callable[[float], str],
    measure: str = "",
    heads: tuple[str, ...] = ("system", "n", "mean"),
    descending: bool = False,
    more: Mapping[str, tuple[Any, str]] = NOTHING,
    notes: tuple[str, ...] = (BOOTSTRAP,),
) -> Sheet:
    """Return the table of means by system with cluster-bootstrap intervals.

    `more` has, by system, the value and the text of a further column, which is the last of `heads`.
    """
    rows = cluster_bootstrap(frame, value=value, system="system").sort("mean", descending=descending).to_dicts()
    return Sheet(
        name=name,
        corpus=study,
        title=title,
        header=heads,
        rows=tuple(
            (
                Cell(r["system"]),
                Cell(str(r["n"]), order=float(r["n"])),
                Cell(show(r["mean"]), small=f"{show(r['low'])}, {show(r['high'])}"),
                *([Cell(more[r["system"]][1])] if more else []),
            )
            for r in rows
        ),
        notes=notes,
        tidy=tuple(
            {
                **({"measure": measure} if measure else {}),
                **r,
                **({heads[-1]: more[r["system"]][0]} if more else {}),
            }
            for r in rows
        ),
    )


def _build_measure_means(frame: pl.DataFrame, measure: str, study: str) -> Sheet:
    """Return the table of means of a measure, for times with medians."""

    def show(value: float) -> str:
        return f"{100 * value:.1f}%" if measure == ERROR else f"{value:,.0f}"

    by_system = frame.select("system", measure).group_by("system").median()
    medians = {} if measure == ERROR else {system: (ms, show(ms)) for system, ms in by_system.iter_rows()}
    return build_means_sheet(
        frame,
        measure,
        study=study,
        name=f"{measure}-means",
        title=f"{NAMES[measure].capitalize()} by system{'' if measure == ERROR else ', ms'}",
        show=show,
        measure=measure,
        heads=("system", "n", "mean", *(["median"] if medians else [])),
        more=medians,
    )


# -- models ----------------------------------------------------------------------------------------------------------------


def _fit_or_explain(frame: pl.DataFrame, measure: str) -> tuple[MixedModel | None, list[str]]:
    """Return the mixed model with remarks, or None with the reason.

    Systems whose odds have no finite estimate are left out.
    """
    # Odds of a system that is always or never right have no finite estimate.
    usable, left_out = _select_estimable(frame) if measure == ERROR else (frame, [])
    try:
        model = fit_fullest_model(lambda slopes: _fit_by_measure(usable, measure, slopes), usable)
    except InputError as error:
        return None, [_explain_missing(error.problem), *left_out]
    if not model.converged:
        return None, [_explain_missing(model.message), *left_out]
    return model, [_describe_omnibus(model), *left_out]


def _fit_by_measure(frame: pl.DataFrame, measure: str, slopes: Sequence[str]) -> MixedModel:
    """Fit the mixed model of a measure: logistic for errors, linear on log times otherwise."""
    if measure == ERROR:
        return mixed_correctness(frame, correct=ERROR, slopes=slopes)
    return mixed_times(frame, time=measure, slopes=slopes)


def _select_estimable(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows of systems with both right and wrong answers, and a remark on the other systems."""
    import polars as pl

    rates = frame.group_by("system").agg(pl.col(ERROR).mean())
    same = sorted(rates.filter(pl.col(ERROR).is_in([0.0, 1.0]))["system"].to_list())
    notes = [f"Without {', '.join(same)} (all right or all wrong, so their odds have no estimate)."] if same else []
    return frame.filter(~pl.col("system").is_in(same)), notes


def _explain_missing(why: str) -> str:
    return f"No mixed model ({why}), so pairs are tested with clustered errors."


def _describe_omnibus(model: MixedModel) -> str:
    """Return a sentence with the omnibus test and the standard deviations of the random effects."""
    spread = ", ".join(f"{name} {sd:.2f}" for name, sd in model.sds.items())
    if model.chi2 is None:
        test_text = "no omnibus test"
    elif model.error_df is None:
        test_text = f"χ²({model.df}) = {model.chi2:.2f}, {format_p(model.p)}"
    else:
        test_text = f"F({model.df}, {model.error_df:.1f}) = {model.chi2 / model.df:.2f}, {format_p(model.p)}"
    rule = f" Simplified: {'; '.join(model.simplified)}." if model.simplified else ""
    edge = f" (singular: no variance of {' or '.join(model.singular)})" if model.singular else ""
    return (
        f"Mixed model, {model.n:,} answers, {model.participants} participants, {model.items} items: "
        f"systems differ {test_text}; SD of effects: {spread}{edge}.{rule}"
    )


def compute_contrasts(model: MixedModel) -> list[Row]:
    """Return every pair of systems on the model's scale: estimate, error, p, and ratio with its interval.

    Linear models also give d.
    """
    systems = [model.baseline, *(e.system for e in model.effects)]
    estimates = [0.0, *(e.estimate for e in model.effects)]
    # Logistic models have no residual of their own, and so no d.
    total = sqrt(sum(sd**2 for sd in model.sds.values())) if "residual" in model.sds else None
    rows = []
    for a, b in combinations(range(len(systems)), 2):
        gap = estimates[a] - estimates[b]
        error = sqrt(max(_compute_variance(model, a, b), 0.0))
        weights = np.zeros(len(systems))
        weights[a], weights[b] = 1.0, -1.0
        df = model.compute_df(weights[1:]) if error > 0 else None
        p = compute_two_sided_p(gap / error, df) if error > 0 else None
        reach = find_critical_value(df)
        rows.append(
            {
                "system_a": systems[a],
                "system_b": systems[b],
                "estimate": gap,
                "error": error,
                "df": df,
                "p": p,
                "ratio": exp(gap),
                "ratio_low": exp(gap - reach * error),
                "ratio_high": exp(gap + reach * error),
                "d": gap / total if total else None,
            }
        )
    return rows


def _compute_variance(model: MixedModel, a: int, b: int) -> float:
    """Return the variance of the difference of two effects; the effect of the baseline is fixed at 0."""
    c = model.covariance
    variances = [float(c[i - 1, i - 1]) for i in (a, b) if i]
    return sum(variances) - (2 * float(c[a - 1, b - 1]) if a and b else 0.0)


def _merge_contrasts(frame: pl.DataFrame, measure: str, model: MixedModel | None, correction: str) -> list[Row]:
    """Return the model's contrasts with plain differences and clustered errors, used where no model fits.

    Where a pair has no model, a clustered test counts.
    """
    plain = cluster_differences(frame, value=measure, system="system").to_dicts()
    modelled = {frozenset((r["system_a"], r["system_b"])): r for r in (compute_contrasts(model) if model else [])}
    rows = []
    for row in plain:
        contrast = modelled.get(frozenset((row["system_a"], row["system_b"])))
        # The two sources name the members of a pair in different orders.
        if contrast is not None and contrast["system_a"] != row["system_a"]:
            contrast = _reverse_pair(contrast)
        test = {"p": row["p"], "test": CLUSTERED} if contrast is None else {"p": contrast["p"], "test": MODEL}
        ratio = {k: (contrast or {}).get(k) for k in ("ratio", "ratio_low", "ratio_high", "d", "df")}
        columns = {k: row[k] for k in ("system_a", "system_b", "difference", "low", "high", "n_a", "n_b")}
        rows.append({"measure": measure, **columns, **ratio, **test})
    for row, p in zip(rows, _correct_p_values(rows, correction, frame["system"].n_unique()), strict=True):
        row["p_corrected"] = p
    return sorted(rows, key=lambda r: (r["p"] is None, r["p"]))


def _correct_p_values(rows: Sequence[Row], correction: str, systems: int) -> list[float | None]:
    """Return p values corrected for the number of pairs: by Holm, by Tukey's range, or not at all."""
    p_values = [r["p"] for r in rows]
    if correction == "holm":
        return adjust(p_values, "holm")
    if correction == "none":
        return p_values
    from scipy.special import ndtri
    from scipy.stats import studentized_range

    return [
        # z is taken back from p; Tukey's q of a pair is √2 times its z.
        None if p is None else float(studentized_range.sf(-float(ndtri(p / 2)) * sqrt(2), systems, inf))
        for p in p_values
    ]


def _reverse_pair(row: Row) -> Row:
    turned = {"ratio": 1 / row["ratio"], "ratio_low": 1 / row["ratio_high"], "ratio_high": 1 / row["ratio_low"]}
    return {**row, **turned, "d": None if row["d"] is None else -row["d"]}


def _build_contrast_sheet(
    pairs: Sequence[Row], measure: str, study: str, alpha: float, correction: str, notes: Sequence[str]
) -> Sheet:
    """Return the table of pairs that differ, the clearest first, each with size, interval and p.

    All of them are in the tidy rows.
    """
    clear = [r for r in pairs if r["p_corrected"] is not None and r["p_corrected"] <= alpha]
    ratio = "odds ratio" if measure == ERROR else "ratio"
    methods = dict.fromkeys(r["test"] for r in clear)
    rows = tuple((Cell(r["system_a"]), Cell(r["system_b"]), *_format_contrast(r, measure, methods)) for r in clear)
    word = {"holm": "corrected by Holm", "tukey": "corrected by Tukey"}.get(correction, "not corrected")
    counted = f"{len(clear)} of {len(pairs)} pairs differ at {alpha:g}, p {word}; the others are in --format json."
    return Sheet(
        name=f"{measure}-pairs",
        corpus=study,
        title=f"{NAMES[measure].capitalize()}: pairs that differ",
        header=("system", "against", *(_HEADS[m].format(ratio) for m in methods), "p", "by"),
        rows=rows,
        left=2,
        notes=(counted, *(_TOLD[m].format(ratio) for m in methods), *notes),
        tidy=tuple(pairs),
    )


MODEL, CLUSTERED = "mixed model", "clustered t"
# A difference of means and a test on another scale can contradict each other, so each method has a column of its own.
_HEADS = {MODEL: "{0}", CLUSTERED: "difference"}
_TOLD = {
    MODEL: "{0}: of the model, with its 95% interval (not corrected for the number of pairs); 1 is no difference.",
    CLUSTERED: "difference: of means, with the 95% interval of the clustered test (not corrected for the number of pairs).",
}


def _format_contrast(r: Row, measure: str, methods: Iterable[str]) -> list[Cell]:
    """Return the effect size in the column of the method that tested the pair; the other column is empty."""
    cells = [_format_effect(r, measure) if m == r["test"] else Cell("") for m in methods]
    return [*cells, Cell(format_p(r["p_corrected"])), Cell(r["test"])]


def _format_effect(r: Row, measure: str) -> Cell:
    """Return the effect size of a contrast with its interval as a table cell."""
    if r["test"] == MODEL:
        return Cell(f"{r['ratio']:.2f}", small=f"{r['ratio_low']:.2f}, {r['ratio_high']:.2f}")
    scale, unit = (100, " points") if measure == ERROR else (1, " ms")
    bounds = "" if r["low"] is None else f"{scale * r['low']:+,.0f}, {scale * r['high']:+,.0f}"
    return Cell(f"{scale * r['difference']:+,.0f}{unit}", small=bounds)


def format_p(p: float | None) -> str:
    """Return a p value in the format of printed papers."""
    return "p undefined" if p is None else "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)
