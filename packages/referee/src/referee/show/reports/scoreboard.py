"""The scoreboard: every system and measure with interval and letters.

Systems that share a letter do not differ significantly (Piepho 2004).

All systems have the same items, so letters come from t-tests paired by item and clustered by the sampling unit,
Holm-corrected (1979) for the number of pairs. Measures of whole sets (BLEU, NIST) are compared when they are scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any

from referee.show.reports.best_system import ALPHA, PairTests, choose_lead, rank_systems
from referee.show.reports.material import HUMAN, Material, Row
from referee.show.reports.score_tables import format_number
from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.comparisons import adjust, paired_t
from referee.statistics.dependent_trials import average_rows, compare_clustered
from referee.statistics.frames import make_frame
from referee.statistics.homogeneous_subsets import compact_letters

if TYPE_CHECKING:
    import polars as pl

OUTCOMES = ("missing", "unparsable", "unknown", "duplicate", "empty", "outside")


def group_by_family(measures: Iterable[str]) -> dict[str, list[str]]:
    """Return measures by family, the part of their name before the slash."""
    by_family: dict[str, list[str]] = {}
    for name in measures:
        by_family.setdefault(name.partition("/")[0], []).append(name)
    return by_family


def format_arrow(direction: str) -> str:
    return {"higher": " ↑", "lower": " ↓"}.get(direction, "")


def shorten_measure(measure: str) -> str:
    """Return the name of a measure without its family; switches stay."""
    return measure.partition("/")[2] or measure


def order_systems(material: Material) -> list[str]:
    """Return systems in the order of tables and figures.

    The best come first, then those without a value, people last.
    """
    placed = rank_systems(material, choose_lead(material))
    return [*(s for s in placed if s != HUMAN), *(s for s in material.systems if s not in placed or s == HUMAN)]


def compare_all(material: Material) -> pl.DataFrame:
    """Return all pairs of systems on every measure: averages paired by item, measures of whole sets as scored."""
    import polars as pl

    frames = []
    for measure in material.measures:
        values = material.values(measure)
        if measure not in material.averages:
            pairs = _correct_pairs(material.whole_pairs(measure))
        elif values["system"].n_unique() > 1:
            pairs = _compare_systems(values, material)
        else:
            continue
        if pairs.height:
            frames.append(pairs.select(pl.lit(measure).alias("metric"), pl.all()))
    return pl.concat(frames, how="vertical_relaxed") if frames else pl.DataFrame()


def _compare_systems(values: pl.DataFrame, material: Material) -> pl.DataFrame:
    """Return all pairs of systems on the items of one measure, over the run's clusters.

    d is the mean difference in standard deviations of the differences.
    """
    wide = values.pivot(on="system", index="trial", values="value", aggregate_function="mean")
    clusters = material.clusters(wide["trial"].to_list())
    columns = {name: wide[name].to_numpy()[:, None] for name in wide.columns if name != "trial"}
    pairs = list(combinations(columns, 2))
    # No resampling: the t over clusters is all that letters need.
    tests = [compare_clustered(columns[a], columns[b], average_rows, clusters, resamples=0) for a, b in pairs]
    gaps = [(pair, gap) for pair, gap in zip(pairs, tests, strict=True) if gap is not None]
    # a difference without any spread has no t; `_are_different` does not count it as a tie
    tested = [_replace_nan(gap.p) if gap.error else None for _, gap in gaps]
    corrected = adjust(tested)
    rows = [
        (a, b, *map(_replace_nan, (gap.difference, gap.low, gap.high)), gap.df, raw, d, p, gap.n)
        for ((a, b), gap), raw, p in zip(gaps, tested, corrected, strict=True)
        # The effect size is that of plain pairs of items; the clusters are in p and interval.
        for d in (paired_t(columns[a][:, 0], columns[b][:, 0]).d,)
    ]
    return make_frame(PAIR_COLUMNS, rows)


def _correct_pairs(pairs: Sequence[Row]) -> pl.DataFrame:
    """Return stored pairs of systems with p values corrected over them; they have no d, since no item has a value."""
    corrected = adjust([row["p"] for row in pairs])
    rows = [
        (*(row[name] for name in ("system_a", "system_b", "difference", "low", "high", "df", "p")), None, p, row["n"])
        for row, p in zip(pairs, corrected, strict=True)
    ]
    return make_frame(PAIR_COLUMNS, rows)


PAIR_COLUMNS = ("system_a", "system_b", "difference", "low", "high", "df", "p", "d", "p_corrected", "n")


def _replace_nan(value: float) -> float | None:
    return None if isnan(value) else value


def get_corrected_p_values(comparisons: pl.DataFrame, measure: str) -> PairTests:
    """Return corrected p values of pairs of systems on one measure.

    A pair whose difference is the same on every item has None.
    """
    rows = [row for row in comparisons.iter_rows(named=True) if row["metric"] == measure]
    return {
        frozenset((row["system_a"], row["system_b"])): row["p_corrected"]
        for row in rows
        if row["p_corrected"] is not None or _are_different(row)
    }


def compute_subset_letters(material: Material, comparisons: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Return letters by system and measure, A for the best; empty without comparisons."""
    import polars as pl

    letters: dict[tuple[str, str], str] = {}
    for measure in material.measures if comparisons.height else ():
        rows = comparisons.filter(pl.col("metric") == measure)
        compared = set(rows["system_a"]) | set(rows["system_b"])
        differ = [(r["system_a"], r["system_b"]) for r in rows.iter_rows(named=True) if _are_different(r)]
        # Letters begin with the best, so the order has to be that of the ranking.
        order = [s for s in rank_systems(material, measure) if s in compared]
        by_system = compact_letters(order, differ) if order else {}
        letters |= {(system, measure): text for system, text in by_system.items()}
    return letters


def _are_different(row: Mapping[str, Any]) -> bool:
    """Return whether two systems differ: significantly, or by the same amount on every item."""
    if row["p_corrected"] is not None:
        return bool(row["p_corrected"] <= ALPHA)
    has_spread = row["low"] is None or row["low"] < row["high"]
    return not has_spread and row["n"] > 1 and abs(row["difference"]) > 1e-12


def build_scoreboard(material: Material, letters: Mapping[tuple[str, str], str]) -> list[Sheet]:
    """Return one table per family of measures, with the best value of each column in bold."""
    order = order_systems(material)
    return [
        _build_family_sheet(material, family, names, order, letters)
        for family, names in group_by_family(material.measures).items()
    ]


def _build_family_sheet(
    material: Material, family: str, names: Sequence[str], order: Sequence[str], letters: Mapping[tuple[str, str], str]
) -> Sheet:
    """Return the table of one family of measures."""
    tops = {m: _find_best(material, m) for m in names}
    shared = {s: _find_shared_n(material, s, names) for s in order}
    rows = []
    for system in order:
        cells = [
            score_cell(material.overall.get((system, m)), letters.get((system, m), ""), shared[system]) for m in names
        ]
        best = [
            _mark_best(c, material.value(system, m) == tops[m] and tops[m] is not None)
            for c, m in zip(cells, names, strict=True)
        ]
        rows.append((build_system_cell(material, system), _format_n(shared[system]), *best))
    tidy = [
        {**row, "letters": letters.get((row["system"], row["metric"]), "")}
        for row in material.scores
        if row["metric"] in names and row.get("group") is None
    ]
    return Sheet(
        name=f"scores-{family}",
        corpus=material.label,
        title=f"{material.label}: {family} measures",
        header=("system", "n", *(f"{shorten_measure(m)}{format_arrow(material.direction(m))}" for m in names)),
        rows=tuple(rows),
        notes=_describe_baseline(material, names),
        tidy=tuple(tidy),
    )


def _describe_baseline(material: Material, names: Sequence[str]) -> tuple[str, ...]:
    """Return the note on stars, if the run has a baseline."""
    base = next((r["baseline"] for r in material.scores if r["metric"] in names and r.get("baseline")), None)
    if base is None:
        return ()
    return (
        f"* p ≤ .05, ** p ≤ .01 against {base} (t over clusters, two-sided, not corrected for the number of comparisons)",
    )


def _find_best(material: Material, measure: str) -> float | None:
    """Return the best value of a measure with a direction and at least two systems; people do not compete."""
    ranked = [s for s in rank_systems(material, measure) if s != HUMAN]
    if material.direction(measure) == "none" or len(ranked) < 2:
        return None
    return material.value(ranked[0], measure)


def _mark_best(cell: Cell, best: bool) -> Cell:
    return Cell(cell.text, cell.small, cell.letters, cell.badge, best, cell.order)


def _find_shared_n(material: Material, system: str, names: Iterable[str]) -> int | None:
    """Return the n of a system if all measures have the same, else None."""
    sizes = {row["n"] for m in names if (row := material.overall.get((system, m))) is not None}
    return sizes.pop() if len(sizes) == 1 else None


def _format_n(n: int | None) -> Cell:
    return Cell("varies") if n is None else Cell(str(n), order=float(n))


def score_cell(row: Row | None, letters: str = "", shared: int | None = None) -> Cell:
    """Return a value with its interval, and n if the line has none."""
    from referee.show.reports.score_tables import format_stars

    if row is None or row["value"] is None:
        return Cell("–", small="n = 0")
    n = "" if shared is not None else f"n = {row['n']}"
    interval = f"[{format_number(row['low'])}, {format_number(row['high'])}]" if row.get("low") is not None else ""
    small = "; ".join(part for part in (interval, n) if part)
    return Cell(f"{format_number(row['value'])}{format_stars(row)}", small=small, letters=letters, order=row["value"])


def build_system_cell(material: Material, system: str) -> Cell:
    """Return a system with its badge: the certainty of its reconstruction, from the catalogue."""
    return Cell(system, badge=material.tags(system).get("evidence", ""))


def build_counts_sheet(material: Material) -> Sheet | None:
    """Return the counts of missing and malformed outputs; None if there are none."""
    counted = {s: c for s, c in material.counts.items() if any(c.get(k) for k in OUTCOMES)}
    if not counted:
        return None
    kinds = [k for k in OUTCOMES if any(c.get(k) for c in counted.values())]
    rows = [
        (Cell(s), *(Cell(str(c.get(k, 0)), order=float(c.get(k, 0))) for k in kinds))
        for s, c in material.counts.items()
    ]
    return Sheet(
        name="outcomes",
        corpus=material.label,
        title=f"{material.label}: answers that had to be interpreted or left out",
        header=("system", *kinds),
        rows=tuple(rows),
        notes=("They are counted separately, never as wrong answers in the scores.",),
        tidy=tuple({"system": s, **{k: c.get(k, 0) for k in kinds}} for s, c in material.counts.items()),
    )
