"""Tables 11 and 12 of the TUNA Challenge 2008 (Gatt, Belz & Kow 2008) for any study.

Times and errors by domain, and Tukey's homogeneous subsets.

In the style of ASGRE 2007 (Belz & Gatt 2008) SYSTEM is the only factor, times are not transformed, and there is one
table of each.

As printed in 2008: each measure drops its own timeouts, times outside mean ± 2 SD are replaced by the overall mean, and
answers count as independent in a SYSTEM x ENTITY TYPE analysis of variance; errors use Kruskal-Wallis. Replacing
outliers shrinks the variance, so the same tables are also made with the registered exclusion rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import InputError
from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.homogeneous_subsets import Subsets, homogeneous_subsets
from referee.statistics.outliers import replace_outliers
from referee.statistics.ranks import kruskal_wallis_frame
from referee.statistics.variance import Anova, one_way, two_way
from referee_lab.study.analysis.mixed_analysis import format_p

if TYPE_CHECKING:
    import polars as pl

ONE_WAY = "SYSTEM is the only factor, and times are used as measured (Belz & Gatt 2008)."
HEADS = {"reading_ms": "RT", "identification_ms": "IT", "combined_ms": "RIT"}


def build_challenge_tables(
    raw: pl.DataFrame, registered: pl.DataFrame, *, study: str, alpha: float = 0.05, style: str = "tuna2008"
) -> tuple[list[Sheet], list[str]]:
    """Return both tables twice: by the rules of the printed study, and by the study's own rules.

    Style 2008 replaces outliers and tests SYSTEM x ENTITY TYPE; style 2007 tests SYSTEM alone.
    """
    measures = [m for m in ("reading_ms", "identification_ms") if raw[m].drop_nulls().len()]
    measures = measures or [m for m in ("combined_ms",) if raw[m].drop_nulls().len()]
    if not measures:
        return [], ["The challenge's tables are not made: there are no times."]
    if style == "asgre2007":
        # One factor: without domains every model below is one-way, and there is one mean a system.
        raw, registered = (f.with_columns(domain=None) for f in (raw, registered))
        printed, said = raw, [ONE_WAY]
    else:
        printed, said = set_outliers_to_mean(raw, measures)
    sheets = []
    for frame, way, notes in ((printed, "as printed", said), (registered, "as registered", [])):
        named = _Named(style, way)
        sheets += [
            _build_table11(frame, measures, study, named, notes),
            *_build_table12(frame, measures, study, named, alpha),
        ]
    return sheets, []


class _Named(NamedTuple):
    """The names and titles of the two tables."""

    style: str
    way: str

    def table(self, number: int) -> tuple[str, str]:
        """Return the name and title of a table by its printed number."""
        if self.style == "asgre2007":
            kind = {11: "means", 12: "subsets"}[number]
            return f"asgre2007-{kind}-{self.way.replace(' ', '-')}", f"ASGRE 2007, {kind}, {self.way}"
        return f"table{number}-{self.way.replace(' ', '-')}", f"Table {number}, {self.way}"


def set_outliers_to_mean(frame: pl.DataFrame, measures: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Return the table with times outside mean ± 2 SD set to the mean, and remarks with their number."""
    import polars as pl

    notes = []
    for measure in measures:
        cleaned = replace_outliers(frame[measure].to_list())
        frame = frame.with_columns(pl.Series(measure, cleaned.values).fill_nan(None))
        share = cleaned.touched / cleaned.n if cleaned.n else 0.0
        notes.append(
            f"{HEADS[measure]}: {cleaned.touched:,} outliers of {cleaned.n:,} ({share:.1%}) were replaced by the mean."
        )
    return frame, notes


# -- Table 11 --------------------------------------------------------------------------------------------------------------


def _build_table11(
    frame: pl.DataFrame, measures: Sequence[str], study: str, named: _Named, notes: Sequence[str]
) -> Sheet:
    """Return means and SD by domain and overall, errors in per cent, from slowest to fastest system.

    From the slowest system of the first column to the fastest.
    """
    domains = sorted(frame["domain"].drop_nulls().unique().to_list())
    parts: list[str | None] = [*domains, None] if len(domains) > 1 else [None]
    heads = [d or ("Both" if len(domains) == 2 else "All") for d in parts]
    tidy = [_build_row(frame, system, parts, heads, measures) for system in frame["system"].unique().sort().to_list()]
    first = f"{HEADS[measures[0]]} {heads[0]}"
    tidy.sort(key=lambda row: -(row[first] or 0.0))
    tests = [_describe_anova(frame, m, HEADS[m]) for m in measures] + [_describe_error_test(frame)]
    counted = ", ".join(f"{frame[m].drop_nulls().len():,} for {HEADS[m]}" for m in measures)
    name, title = named.table(11)
    return Sheet(
        name=name,
        corpus=study,
        title=f"{title}: {', '.join(HEADS[m] for m in measures)} in ms, error rate (ER) in per cent",
        spans=(("", 1), *((HEADS[m], len(heads) + 1) for m in measures), ("ER", len(heads))),
        header=("system", *(h for _ in measures for h in (*heads, "SD")), *heads),
        rows=tuple((Cell(row["system"]), *map(_format_cell, list(row.values())[1:])) for row in tidy),
        notes=(f"N = {counted}, of {len(frame):,} answers.", *(t for t in tests if t), *notes),
        tidy=tuple(tidy),
    )


def _build_row(
    frame: pl.DataFrame, system: str, parts: Sequence[str | None], heads: Sequence[str], measures: Sequence[str]
) -> dict[str, Any]:
    """Return the row of a system: means and standard deviations of every measure, by domain."""
    import polars as pl

    of_system = frame.filter(pl.col("system") == system)
    row: dict[str, Any] = {"system": system}
    for column, head, scale in (*((m, HEADS[m], 1.0) for m in measures), ("error", "ER", 100.0)):
        for part, name in zip(parts, heads, strict=True):
            mean = (of_system if part is None else of_system.filter(pl.col("domain") == part))[column].mean()
            row[f"{head} {name}"] = mean * scale if isinstance(mean, float) else None
        if head != "ER":
            sd = of_system[column].std()
            row[f"{head} SD"] = sd if isinstance(sd, float) else None
    return row


def _format_cell(value: float | None) -> Cell:
    return Cell("–") if value is None else Cell(f"{value:.3f}", order=value)


# -- tests and Table 12 ----------------------------------------------------------------------------------------------------


def _fit_anova(frame: pl.DataFrame, measure: str) -> Anova:
    """Return the ANOVA: SYSTEM x ENTITY TYPE, or SYSTEM without domains. Raises InputError if impossible.

    InputError where there is none.
    """
    measured = frame.drop_nulls(measure)
    if measured["domain"].drop_nulls().n_unique() > 1:
        return two_way(measured, value=measure, system="system", domain="domain")
    return one_way(measured, value=measure, system="system")


def _describe_anova(frame: pl.DataFrame, measure: str, head: str) -> str:
    """Return a note with the analysis of variance of one measure."""
    try:
        anova = _fit_anova(frame, measure)
    except InputError as error:
        return f"{head}: no analysis of variance ({error.problem})."
    named = {"system": "SYSTEM", "domain": "ENTITY TYPE"}
    notes = []
    for e in anova.effects:
        term = named.get(e.term, "SYSTEM x ENTITY TYPE")
        if e.f is not None:
            notes.append(f"{term} F({e.df}, {anova.error_df}) = {e.f:.2f}, {format_p(e.p)}")
    return f"{head}: {'; '.join(notes)}."


def _describe_error_test(frame: pl.DataFrame) -> str:
    """Return a note with the Kruskal-Wallis test of errors."""
    answered = frame.drop_nulls("error")
    if answered["system"].n_unique() < 2:
        return ""
    kruskal = kruskal_wallis_frame(answered, value="error", system="system")
    return (
        "ER: all answers are equally right or wrong, so there is no test."
        if kruskal.h is None
        else f"ER: Kruskal-Wallis χ² = {kruskal.h:.2f}, df = {kruskal.df}, {format_p(kruskal.p)}."
    )


def _build_table12(
    frame: pl.DataFrame, measures: Sequence[str], study: str, named: _Named, alpha: float
) -> list[Sheet]:
    """Return the systems from fastest to slowest with the letters of their homogeneous subsets.

    Identification time first, as printed.
    """
    subsets = {}
    for measure in reversed(measures):
        # columns without subsets are left out; the note under Table 11 gives the reason
        with suppress(InputError):
            subsets[HEADS[measure]] = _find_subsets(frame, measure, alpha)
    if not subsets:
        return []
    length = max(len(s.systems) for s in subsets.values())
    rows = [tuple(cell for s in subsets.values() for cell in _format_subsets(s, i)) for i in range(length)]
    tidy = [
        {"measure": head, "rank": i + 1, "system": name, "mean": mean, "letters": letters}
        for head, s in subsets.items()
        for i, (name, mean, letters) in enumerate(zip(s.systems, s.means, s.letters, strict=True))
    ]
    return [
        Sheet(
            name=named.table(12)[0],
            corpus=study,
            title=f"{named.table(12)[1]}: homogeneous subsets (Tukey, α = {alpha:g})",
            spans=tuple((head, 2) for head in subsets),
            header=tuple(name for _ in subsets for name in ("system", "subset")),
            rows=tuple(rows),
            notes=("Systems that share no letter differ.",),
            tidy=tuple(tidy),
            left=2 * len(subsets),
        )
    ]


def _find_subsets(frame: pl.DataFrame, measure: str, alpha: float) -> Subsets:
    """Return homogeneous subsets of the systems. Raises InputError if the data allow none."""
    import polars as pl

    model = _fit_anova(frame, measure)
    rows = frame.drop_nulls(measure).group_by("system").agg(pl.col(measure).mean().alias("m"), pl.len().alias("n"))
    means, counts = (dict(rows.select("system", name).iter_rows()) for name in ("m", "n"))
    return homogeneous_subsets(means, error_ms=model.error_ms, error_df=model.error_df, counts=counts, alpha=alpha)


def _format_subsets(subsets: Subsets, i: int) -> tuple[Cell, Cell]:
    return (Cell(subsets.systems[i]), Cell(subsets.letters[i])) if i < len(subsets.systems) else (Cell(""), Cell(""))
