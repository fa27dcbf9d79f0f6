"""Invented papers: raw numbers are drawn, everything is computed from them, and only then rounded for print."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from referee.auditing.paper import Paper, read_paper
from referee.statistics.correlation import pearson
from referee.statistics.homogeneous_subsets import homogeneous_subsets
from referee.statistics.ranks import kruskal_wallis_binary
from referee.statistics.variance import two_way_from_summaries

MEASURES = ("edit", "time")

DESCRIPTION = """
title = "An invented paper"

[tables.scores]
file = "scores.csv"
name = "Table 1"

[tables.pairs]
file = "pairs.csv"
name = "Table 2"
key = ["measure_a", "measure_b"]

[tables.letters]
file = "letters.csv"
name = "Table 3"

[tables.text]
file = "text.csv"
name = "text"
key = "item"
exact = ["df2"]

[[checks]]
kind = "correlations"
printed = "pairs"
stars = "stars"
scores = "scores"
columns = { edit = "edit_both", time = "time_both", accuracy = ["accuracy_a", "accuracy_b"] }

[[checks]]
kind = "overall"
table = "scores"
parts = ["edit_a", "edit_b"]
whole = "edit_both"
n = [N, N]

[[checks]]
kind = "overall"
table = "scores"
parts = ["time_a", "time_b"]
whole = "time_both"
n = [N, N]

[[checks]]
kind = "anova"
scores = "scores"
cells = ["time_a", "time_b"]
sd = "time_sd"
n = [N, N]
printed = { system = "text[system].value", domain = "text[domain].value", interaction = "text[interaction].value", error_df = "text[system].df2" }

[[checks]]
kind = "kruskal-wallis"
scores = "scores"
shares = ["accuracy_a", "accuracy_b"]
n = [N, N]
printed = "text[accuracy].value"

[[checks]]
kind = "subsets"
printed = "letters"
scores = "scores"
cells = ["time_a", "time_b"]
sd = "time_sd"
n = [N, N]

[[checks]]
kind = "order"
table = "letters"
scores = "scores"
by = "time_both"
way = "rising"

[[checks]]
kind = "counts"
table = "scores"
columns = ["accuracy_a", "accuracy_b"]
n = N

[[checks]]
kind = "range"
table = "scores"
columns = ["accuracy_a", "accuracy_b"]
low = 0
high = 1
"""


@dataclass(frozen=True)
class Raw:
    """The numbers behind the print."""

    systems: list[str]
    columns: dict[str, np.ndarray]
    n: int


def draw(seed: int, systems: int = 8, n: int = 40) -> Raw:
    rng = np.random.default_rng(seed)
    names = [f"S{i}" for i in range(systems)]
    columns: dict[str, np.ndarray] = {}
    skill = rng.normal(size=systems)
    for measure, scale in (("edit", 3.0), ("time", 400.0)):
        items = scale * (5 + skill[:, None, None] + rng.normal(size=(systems, 2, n)) + rng.normal(size=(1, 2, 1)))
        columns[f"{measure}_a"], columns[f"{measure}_b"] = items[:, 0].mean(axis=1), items[:, 1].mean(axis=1)
        columns[f"{measure}_both"] = items.reshape(systems, -1).mean(axis=1)
        columns[f"{measure}_sd"] = items.reshape(systems, -1).std(axis=1, ddof=1)
    for domain in "ab":
        columns[f"accuracy_{domain}"] = rng.binomial(n, 1 / (1 + np.exp(skill)), size=systems) / n
    return Raw(names, columns, n)


def rounded(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"


def write(folder: Path, raw: Raw, digits: Mapping[str, int] | None = None) -> Path:
    """The paper as its authors would print it, each kind of number with its own digits."""
    chosen = {"edit": 2, "time": 1, "accuracy": 2, "r": 2, "f": 2, **(digits or {})}
    folder.mkdir(parents=True, exist_ok=True)
    names = list(raw.columns)
    scores = [
        [s, *(rounded(raw.columns[c][i], chosen[c.partition("_")[0]]) for c in names)]
        for i, s in enumerate(raw.systems)
    ]
    _csv(folder / "scores.csv", ["system", *names], scores)
    _csv(folder / "pairs.csv", ["measure_a", "measure_b", "r", "stars"], _pairs(raw, chosen["r"]))
    _csv(folder / "letters.csv", ["system", "letters"], _letters(raw))
    _csv(folder / "text.csv", ["item", "value", "df2"], _text(raw, chosen["f"]))
    (folder / "paper.toml").write_text(
        DESCRIPTION.replace("N]", f"{raw.n}]").replace("[N,", f"[{raw.n},").replace("n = N", f"n = {raw.n}")
    )
    return folder


def _csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def _pairs(raw: Raw, digits: int) -> list[list[str]]:
    accuracy = (raw.columns["accuracy_a"] + raw.columns["accuracy_b"]) / 2
    measures = {"edit": raw.columns["edit_both"], "time": raw.columns["time_both"], "accuracy": accuracy}
    found = []
    for a, b in combinations(measures, 2):
        result = pearson(measures[a].tolist(), measures[b].tolist())
        found.append([a, b, rounded(result.r or 0.0, digits), str(len(result.stars))])
    return found


def _anova(raw: Raw):  # type: ignore[no-untyped-def]
    means = np.stack([raw.columns["time_a"], raw.columns["time_b"]], axis=1)
    return two_way_from_summaries(means, raw.n, raw.columns["time_sd"])


def _text(raw: Raw, digits: int) -> list[list[str]]:
    found = _anova(raw)
    rows = [
        [name, rounded(e.f, digits), str(found.error_df)]
        for name, e in zip(("system", "domain", "interaction"), found.effects, strict=True)
    ]
    accuracy = (raw.columns["accuracy_a"] + raw.columns["accuracy_b"]) / 2
    return [*rows, ["accuracy", rounded(kruskal_wallis_binary(accuracy.tolist(), 2 * raw.n).h or 0.0, digits), ""]]


def _letters(raw: Raw) -> list[list[str]]:
    found = _anova(raw)
    means = dict(zip(raw.systems, map(float, raw.columns["time_both"]), strict=True))
    subsets = homogeneous_subsets(means, error_ms=found.error_ms, error_df=found.error_df, counts=2 * raw.n)
    return [list(row) for row in zip(subsets.systems, subsets.letters, strict=True)]


def paper(folder: Path, seed: int = 1, **digits: int) -> Paper:
    return read_paper(write(folder, draw(seed), digits))


def with_cell(source: Paper, table: str, row: str, column: str, text: str) -> Paper:
    """The same paper with another text in one cell."""
    return with_cells(source, table, {(row, column): text})


def with_cells(source: Paper, table: str, texts: Mapping[tuple[str, str], str]) -> Paper:
    old = source.tables[table]
    cells = [dict(row) for row in old.cells]
    for (row, column), text in texts.items():
        cells[old.labels.index(row)][column] = text
    fresh = tuple(replace(section, asked=set()) for section in source.checks)
    return replace(source, tables={**source.tables, table: replace(old, cells=tuple(cells))}, checks=fresh)
