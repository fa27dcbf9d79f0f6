"""The tables of the TUNA challenge in their printed shape: Tables 3 to 12 of Gatt, Belz & Kow (2008).

Means by domain, over both, and standard deviations; Tukey's homogeneous subsets from a SYSTEM x DOMAIN analysis of variance with the item as the unit;
correlations over systems. The overview treats items of different systems as independent; `referee report` without this style pairs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.records import Outcome
from referee.show.reports.best_system import join_names
from referee.show.reports.correlation_tables import correlate_measures, format_correlation, index_correlations
from referee.show.reports.material import HUMAN, Material
from referee.show.reports.sheets import Cell, Sheet
from referee.statistics.homogeneous_subsets import Subsets, homogeneous_subsets
from referee.statistics.ranks import kruskal_wallis_frame
from referee.statistics.variance import Anova, one_way, two_way

if TYPE_CHECKING:
    import polars as pl


# -- rows of a challenge ---------------------------------------------------------------------------------------------------


def get_task(material: Material, system: str) -> frozenset[str]:
    """Return AS for systems with properties, REG for systems with words, or the task in the catalogue."""
    tagged = material.tags(system).get("task")
    if tagged in ("AS", "R", "REG"):
        # A whole system selects as well: where its sets were scored it stands in the tables of both tasks.
        return frozenset({tagged, "AS"} if tagged == "REG" and _has_family(material, system, "set/") else {tagged})
    return frozenset(
        task for task, family in (("AS", "set/"), ("REG", "string/")) if _has_family(material, system, family)
    )


def _has_family(material: Material, system: str, family: str) -> bool:
    return any(m.startswith(family) and material.value(system, m) is not None for m in material.measures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extrinsic:
    """Table 11, and the times behind it for the subsets of Table 12 (system, domain, value)."""

    descriptives: Sheet
    reading: pl.DataFrame
    identification: pl.DataFrame


def compute_extrinsic(material: Material) -> Extrinsic | None:
    """Return times and errors by system and domain; None without answers of hearers."""
    import polars as pl

    rows = [r for r in material.responses if r.system is not None]
    if not rows:
        return None
    timeouts = sum(r.outcome is Outcome.TIMEOUT for r in rows)
    other = sum(r.outcome not in (Outcome.ENTITY, Outcome.TIMEOUT) for r in rows)
    schema = {"trial": pl.String, "system": pl.String, "rt": pl.Float64, "it": pl.Float64, "error": pl.Float64}
    answered = [
        # With several targets, choosing any one of them is correct.
        (r.trial, r.system, r.reading_ms, r.identification_ms, float(r.entity not in material.targets.get(r.trial, ())))
        for r in rows
        if r.outcome is Outcome.ENTITY
    ]
    frame = pl.DataFrame(answered, schema=schema, orient="row").join(
        material.trials.select("trial", "domain"), on="trial", how="left"
    )
    notes = [f"{len(answered):,} identifications. RT and IT in milliseconds; ER: per cent wrong."]
    if timeouts or other:
        notes.append(f"Left out: {timeouts:,} timeouts, {other:,} answers that named no single entity.")
    return Extrinsic(
        descriptives=_build_table11(material, frame, notes),
        reading=_select_times(frame, "rt"),
        identification=_select_times(frame, "it"),
    )


def _select_times(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return the times of one column by system and domain, without missing ones."""
    import polars as pl

    return frame.select("system", "domain", pl.col(column).alias("value")).drop_nulls("value")


def _build_table11(material: Material, frame: pl.DataFrame, notes: Sequence[str]) -> Sheet:
    """Return Table 11: means and standard deviations of times by system and domain."""
    import polars as pl

    domains = material.levels("domain")
    # With one domain "all" and the domain would be the same column twice.
    parts = [*domains, None] if len(domains) > 1 else [None]
    heads = [d if d is not None else ("Both" if len(domains) == 2 else "All") for d in parts]
    lines = [
        (s, _build_extrinsic_row(frame.filter(pl.col("system") == s), parts)) for s in frame["system"].unique().sort()
    ]
    # From slow to fast by the first column, as Table 11 is printed.
    lines.sort(key=lambda line: -(line[1][0] or 0))
    return Sheet(
        name="tuna2008-table11",
        corpus=material.label,
        title=f"Table 11 ({material.label}): reading time, identification time, error rate",
        spans=(("", 1), ("RT", len(heads) + 1), ("IT", len(heads) + 1), ("ER", len(heads))),
        header=("system", *heads, "SD", *heads, "SD", *heads),
        rows=tuple((Cell(s), *map(_format_milliseconds, cells)) for s, cells in lines),
        notes=tuple(notes),
    )


def _build_extrinsic_row(answers: pl.DataFrame, parts: Sequence[str | None]) -> list[float | None]:
    """Return the means of one system by domain and overall, with standard deviations of times."""
    cells: list[float | None] = []
    for measure, scale in (("rt", 1.0), ("it", 1.0), ("error", 100.0)):
        cells += [_format_number(_select_domain(answers, d)[measure].mean(), scale) for d in parts]
        # Standard deviations over both domains only, as printed; error rates have none.
        cells += [_format_number(answers[measure].std())] if measure != "error" else []
    return cells


def _select_domain(frame: pl.DataFrame, domain: str | None) -> pl.DataFrame:
    """Return the rows of a domain; all without one."""
    import polars as pl

    return frame if domain is None else frame.filter(pl.col("domain") == domain)


def _format_number(value: object, scale: float = 1.0) -> float | None:
    return value * scale if isinstance(value, float) else None


def _format_milliseconds(value: float | None) -> Cell:
    return Cell("–") if value is None else Cell(f"{value:.3f}", order=value)


@dataclass(frozen=True, slots=True)
class MeasureColumn:
    """A measure of a table: heading, values per item or corpus-level, whether SDs are printed, decimals."""

    heading: str
    measure: str
    sd: bool = False
    decimals: int = 3
    domains: bool = True


@dataclass(frozen=True, slots=True)
class TaskTables:
    """One task of the challenge: its three tables and which measures they show."""

    name: str
    about: str
    tables: tuple[int, int, int]
    columns: tuple[MeasureColumn, ...]
    subsets: tuple[str, ...]
    correlated: tuple[str, ...]


# Decimals are those of the printed tables.
ACCURACY = MeasureColumn("Accuracy", "string/exact", decimals=2)
EDIT = MeasureColumn("Edit", "string/edit", sd=True)
BLEU, NIST = (
    MeasureColumn("BLEU", "string/bleu.4", domains=False, decimals=4),
    MeasureColumn("NIST", "string/nist", domains=False, decimals=4),
)
TASKS = (
    TaskTables(
        "AS",
        "attribute selection",
        (3, 4, 5),
        (
            MeasureColumn("Dice", "set/dice", sd=True),
            MeasureColumn("MASI", "set/masi", sd=True),
            MeasureColumn("Accuracy", "set/exact", decimals=2),
            MeasureColumn("Minimality", "scene/minimal", decimals=2, domains=False),
        ),
        ("Dice", "MASI"),
        ("Minimality", "Accuracy", "Dice", "MASI"),
    ),
    # No subsets were printed for realisation, hence the 0.
    TaskTables("R", "realisation", (6, 0, 7), (EDIT, ACCURACY, NIST, BLEU), (), ("Edit", "Accuracy", "NIST", "BLEU")),
    TaskTables(
        "REG",
        "whole descriptions",
        (8, 9, 10),
        (EDIT, ACCURACY, BLEU, NIST),
        ("Edit",),
        ("Edit", "Accuracy", "NIST", "BLEU"),
    ),
)


def build_challenge_tables(material: Material) -> tuple[list[Sheet], list[str]]:
    """Return the tables that can be made, and a sentence for each group of tables that cannot."""
    sheets: list[Sheet] = []
    missing: list[str] = []
    for task in TASKS:
        made, why = _build_task_tables(material, task)
        sheets, missing = sheets + made, missing + why
    made, why = _build_extrinsic(material)
    return sheets + made, missing + why


def _build_task_tables(material: Material, task: TaskTables) -> tuple[list[Sheet], list[str]]:
    """Return the tables of one task, or a remark on why they are missing."""
    numbers = join_names(str(t) for t in task.tables if t)
    lacking = [c.measure for c in task.columns if c.measure not in material.measures]
    if lacking:
        return [], [f"Tables {numbers} ({task.about}) are not made: the run has no {', '.join(lacking)}."]
    systems = [s for s in material.systems if s != HUMAN and task.name in get_task(material, s)]
    if not systems:
        return [], [f"Tables {numbers} ({task.about}) are not made: no system of this run does that task."]
    # Measures of whole sets have no values by domain.
    values = {c.heading: _join_domains(material, c.measure, systems) for c in task.columns if c.domains}
    sheets = [_build_descriptives(material, task, systems, values)]
    missing: list[str] = []
    if task.tables[1]:
        made = _build_subsets(material, task.tables[1], {h: values[h] for h in task.subsets}, f"TUNA-{task.name}")
        sheets += made if isinstance(made, list) else []
        missing += [made] if isinstance(made, str) else []
    table, why = _build_correlations(material, task, systems)
    return [*sheets, *table], [*missing, *why]


def _join_domains(material: Material, measure: str, systems: Sequence[str]) -> pl.DataFrame:
    """Return the values of a measure with their domains."""
    import polars as pl

    values = material.values(measure).filter(pl.col("system").is_in(list(systems)))
    return values.join(material.trials.select("trial", "domain"), on="trial", how="left")


def _build_descriptives(
    material: Material, task: TaskTables, systems: Sequence[str], values: Mapping[str, pl.DataFrame]
) -> Sheet:
    """Return means by domain and overall, in descending order of the first column."""
    domains = material.levels("domain")
    first = values[task.columns[0].heading]
    ranked = sorted(systems, key=lambda s: -(_average_system(first, s, domains[0] if domains else None) or 0))
    spans, header = [("", 1)], ["system"]
    for c in task.columns:
        heads = [
            *(domains if c.domains and len(domains) > 1 else []),
            _format_domains(domains),
            *(["SD"] if c.sd else []),
        ]
        spans.append((c.heading, len(heads)))
        header += heads
    rows = [
        (Cell(s), *(cell for c in task.columns for cell in _build_cells(material, c, s, values, domains)))
        for s in ranked
    ]
    return Sheet(
        name=f"tuna2008-table{task.tables[0]}",
        corpus=material.label,
        title=f"Table {task.tables[0]} ({material.label}): TUNA-{task.name}, {task.about}",
        spans=tuple(spans),
        header=tuple(header),
        rows=tuple(rows),
        notes=_describe_tests(task, values),
    )


def _format_domains(domains: Sequence[str]) -> str:
    return "Both" if len(domains) == 2 else "All"


def _build_cells(
    material: Material, column: MeasureColumn, system: str, values: Mapping[str, pl.DataFrame], domains: Sequence[str]
) -> list[Cell]:
    """Return the cells of a system: by domain, and overall."""
    overall = _format_decimal(material.value(system, column.measure), column.decimals)
    if not column.domains:
        return [overall]
    frame = values[column.heading]
    by_domain = (
        [_format_decimal(_average_system(frame, system, d), column.decimals) for d in domains]
        if len(domains) > 1
        else []
    )
    return [*by_domain, overall, *([_format_decimal(_compute_sd(frame, system), column.decimals)] if column.sd else [])]


def _format_decimal(value: float | None, decimals: int) -> Cell:
    return Cell("–") if value is None else Cell(f"{value:.{decimals}f}", order=value)


def _average_system(frame: pl.DataFrame, system: str, domain: str | None) -> float | None:
    """Return the mean of a system in a domain."""
    import polars as pl

    part = frame.filter(pl.col("system") == system)
    part = part if domain is None else part.filter(pl.col("domain") == domain)
    mean = part["value"].mean()
    return mean if isinstance(mean, float) else None


def _compute_sd(frame: pl.DataFrame, system: str) -> float | None:
    """Return the standard deviation of a system."""
    import polars as pl

    sd = frame.filter(pl.col("system") == system)["value"].std()
    return sd if isinstance(sd, float) else None


def _describe_tests(task: TaskTables, values: Mapping[str, pl.DataFrame]) -> tuple[str, ...]:
    """Return the tests of the 2008 overview: analysis of variance, or Kruskal-Wallis for accuracy."""
    return tuple(
        sentence
        for c in task.columns
        if c.domains
        and (sentence := _describe_anova(c, values[c.heading]) if c.sd else _describe_kruskal(c, values[c.heading]))
    )


def _describe_kruskal(column: MeasureColumn, frame: pl.DataFrame) -> str:
    """Return the Kruskal-Wallis test in words."""
    if frame["system"].n_unique() < 2:
        return ""
    test = kruskal_wallis_frame(frame, value="value", system="system")
    return (
        ""
        if test.h is None
        else f"{column.heading}: Kruskal-Wallis χ² = {test.h:.2f}, df = {test.df}, {_format_p(test.p)}."
    )


def _describe_anova(column: MeasureColumn, frame: pl.DataFrame) -> str:
    """Return the analysis of variance in words."""
    anova = _fit_anova(frame)
    if isinstance(anova, str):
        return ""
    effects = [
        f"{e.term} F({e.df}, {anova.error_df}) = {e.f:.2f}, {_format_p(e.p)}" for e in anova.effects if e.f is not None
    ]
    return f"{column.heading}: {'; '.join(effects)}." if effects else ""


def _format_p(p: float | None) -> str:
    # As the overview prints them, without the nought before the point.
    return "p undefined" if p is None else "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def _fit_anova(frame: pl.DataFrame) -> Anova | str:
    """Return the analysis SYSTEM x DOMAIN, or SYSTEM alone without domains; or why there is none."""
    try:
        if frame["domain"].drop_nulls().n_unique() > 1:
            return two_way(frame, value="value", system="system", domain="domain")
        return one_way(frame, value="value", system="system")
    except InputError as error:
        return error.problem


def _compute_tukey(frame: pl.DataFrame) -> Subsets | str:
    """Return Tukey's subsets, or the reason why there are none."""
    import polars as pl

    model = _fit_anova(frame)
    if isinstance(model, str):
        return model
    # In the order of names, since Polars gives groups in no order of their own.
    rows = frame.group_by("system").agg(pl.col("value").mean().alias("mean"), pl.len().alias("n")).sort("system")
    means, counts = dict(rows.select("system", "mean").iter_rows()), dict(rows.select("system", "n").iter_rows())
    try:
        return homogeneous_subsets(means, error_ms=model.error_ms, error_df=model.error_df, counts=counts)
    except InputError as error:
        return error.problem


def _build_subsets(material: Material, table: int, values: Mapping[str, pl.DataFrame], task: str) -> list[Sheet] | str:
    """Return tables of systems in ascending order of their means, with letters of homogeneous subsets."""
    if not values:
        return f"Table {table} is not made: the run has no response times."
    subsets = {heading: _compute_tukey(frame) for heading, frame in values.items()}
    good = {heading: s for heading, s in subsets.items() if isinstance(s, Subsets)}
    if not good:
        return f"Table {table} is not made: {'; '.join(f'{h}: {why}' for h, why in subsets.items())}."
    length = max(len(s.systems) for s in good.values())
    rows = [tuple(cell for s in good.values() for cell in _format_subset(s, i)) for i in range(length)]
    tidy = [
        {"measure": h, "rank": i + 1, "system": s.systems[i], "mean": s.means[i], "letters": s.letters[i]}
        for h, s in good.items()
        for i in range(len(s.systems))
    ]
    sheet = Sheet(
        name=f"tuna2008-table{table}",
        corpus=material.label,
        title=f"Table {table} ({material.label}): homogeneous subsets for {task} (Tukey, α = .05)",
        spans=tuple((h, 2) for h in good),
        header=tuple(name for _ in good for name in ("system", "subset")),
        rows=tuple(rows),
        notes=("Systems that share no letter differ significantly.",),
        tidy=tuple(tidy),
        left=2 * len(good),
    )
    return [sheet]


def _format_subset(subsets: Subsets, i: int) -> tuple[Cell, Cell]:
    return (Cell(subsets.systems[i]), Cell(subsets.letters[i])) if i < len(subsets.systems) else (Cell(""), Cell(""))


def _build_correlations(material: Material, task: TaskTables, systems: Sequence[str]) -> tuple[list[Sheet], list[str]]:
    """Return the upper half of the correlation matrix."""
    table = task.tables[2]
    chosen = {c.heading: c.measure for c in task.columns}
    measures = [chosen[h] for h in task.correlated]
    pairs = correlate_measures(material, systems, measures)
    if not pairs:
        return [], [
            f"Table {table} is not made: correlations over {len(systems)} system{'s' * (len(systems) != 1)} are not meaningful."
        ]
    matrix = index_correlations(pairs)
    rows = [
        (Cell(task.correlated[i]), *(_format_upper_cell(matrix, measures, i, j) for j in range(len(measures))))
        for i in range(len(measures))
    ]
    sheet = Sheet(
        name=f"tuna2008-table{table}",
        corpus=material.label,
        title=f"Table {table} ({material.label}): correlations of measures for TUNA-{task.name} (Pearson, {len(systems)} systems)",
        header=("", *task.correlated),
        rows=tuple(rows),
        notes=("* p ≤ .05, ** p ≤ .01, two-sided.",),
        tidy=tuple(pairs),
    )
    return [sheet], []


def _format_upper_cell(
    matrix: Mapping[tuple[str, str], Mapping[str, object]], names: Sequence[str], i: int, j: int
) -> Cell:
    """Return a cell of the upper triangle of correlations."""
    if j <= i:
        return Cell("1" if i == j else "")
    pair = matrix[names[i], names[j]]
    return Cell(format_correlation(pair["r"], str(pair["stars"] or "")))  # type: ignore[arg-type]


def _build_extrinsic(material: Material) -> tuple[list[Sheet], list[str]]:
    """Return Tables 11 and 12: identification times and errors."""
    tables = compute_extrinsic(material)
    if tables is None:
        return [], [
            "Tables 11 and 12 (reading time, identification time, error rate) are not made: the run has no responses of hearers to systems."
        ]
    sheets = [tables.descriptives]
    # IT stands before RT, as in Table 12.
    made = _build_subsets(
        material, 12, {h: f for h, f in (("IT", tables.identification), ("RT", tables.reading)) if f.height}, "TUNA-REG"
    )
    return (sheets + made, []) if isinstance(made, list) else (sheets, [made])
