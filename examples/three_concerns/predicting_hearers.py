"""Which measures predict whether and how fast people find the object? Nine corpora with human hearers side by side.

    python examples/three_concerns/predicting_hearers.py --data FOLDER --out FOLDER [--page docs/which-measures-predict-hearers.md]

Makes every number and figure of docs/which-measures-predict-hearers.md: results.json, cells.csv, tables.md, and two figures as SVG. `--page` puts the
tables into the page (between the comments that name them) and the figures beside it.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import forest
import numpy as np
from nine_corpora import NEW, SOURCES, Heard, Material, Source, length, measure, read, read_properties, readable
from within_conditions import (
    Area,
    Correlation,
    LeftOut,
    Statistic,
    Tested,
    leave_out,
    lengths_alike,
    noise,
    numbered,
    tested,
)

from referee import catalogue
from referee.contracts import FloatArray
from referee.statistics.comparisons import adjust
from referee.statistics.frames import IntArray

WORDS = {
    "string/exact": "exact match",
    "string/edit.normalised": "edit distance",
    "string/bleu.1": "BLEU-1",
    "string/rouge-su4": "ROUGE-SU4",
    "string/chrf": "chrF",
}
SETS = {
    "set/dice": "Dice",
    "set/masi": "MASI",
    "set/edit": "set edit",
    "meaning/denotation": "denotational Dice",
    "scene/dice.specificity": "specificity-aware Dice",
    "scene/remaining": "fewer distractors remaining",
    "scene/surplus": "surplus",
}
LENGTH = "fewer words"
OTHERS = "other hearers"
FOUND, SPEED, DIFFERENCE = "found", "speed", "difference"
ALL, CONDITION, TARGET, LENGTHS = "all", "condition", "condition and target", "condition and length"
REDRAWN, SEVERAL = "condition, other references", "condition, several messages"
ALPHA = 0.05
MOST = 5
FIGURES = {FOUND: "predicting-found.svg", SPEED: "predicting-speed.svg"}

NOTHING = {"value": None, "n": 0, "missed": 0}

Cell = dict[str, Any]
Result = dict[str, Any]


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", help="the folder of corpora (else REFEREE_DATA)")
    parser.add_argument(
        "--out", type=Path, required=True, help="a folder for results.json, cells.csv, tables.md and the figures"
    )
    parser.add_argument("--page", type=Path, help="a page whose tables are made anew, with the figures beside it")
    parser.add_argument(
        "--corpora",
        default=",".join(s.name for s in SOURCES),
        help="some of the nine, or conventions-network, with commas",
    )
    parser.add_argument("--games", type=int, help="so many games of each corpus, drawn by lot (for a quick look)")
    parser.add_argument("--draws", type=int, default=200, help="how often noise is drawn")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(given)
    names = options.corpora.split(",")
    if unknown := set(names) - {s.name for s in (*SOURCES, *NEW)}:
        parser.error(f"not among the corpora: {', '.join(sorted(unknown))}")
    wanted = [s for s in (*SOURCES, *NEW) if s.name in names]
    jobs = [(s.name, options.data, options.games, options.draws) for s in wanted]
    if options.jobs > 1:
        with ProcessPoolExecutor(options.jobs) as pool:
            results = list(pool.map(study, *zip(*jobs, strict=True)))
    else:
        results = [study(*job) for job in jobs]
    write(results, options.out, options.page)


def study(name: str, data: str | None, games: int | None, draws: int) -> Result:
    """One corpus: what it holds, every measure against success and time, and what noise would give."""
    source = next(s for s in (*SOURCES, *NEW) if s.name == name)
    material = read(source, data, games)
    result = examine(source, material, draws)
    result["sensitivity"] = [
        {"corpus": source.name, "label": source.label, **cell}
        for cell in (*_compare(material.rows), _ceiling(material.rows), *_read_anew(source, data, games))
    ]
    if name == "degen2020" and games is None:
        result["sets"] = examine_sets(source, read_properties(data))
        known, right, played = readable(data)
        presence = tested(Area(known, right, np.zeros(len(known), dtype=np.int64)), [numbered(played)], len(known))
        result["readable"] = _plain(presence) | {
            "share": float(known.mean()),
            "found_with": float(right[known > 0].mean()),
            "found_without": float(right[known == 0].mean()),
        }
    return result


def examine(source: Source, material: Material, draws: int) -> Result:
    rows = material.rows
    if not rows:
        raise SystemExit(f"{source.name}: no answer can be measured. Read more games (--games).")
    right = np.array([float(r.right) for r in rows])
    words = length(rows)
    columns = _columns(rows)
    return {
        "corpus": source.name,
        "label": source.label,
        "answers": material.answers,
        "one_message": material.usable,
        "n": len(rows),
        "missed": int((1 - right).sum()),
        "found": float(right.mean()),
        "guessing": float(np.mean([1 / r.options for r in rows])),
        "timed": int((~np.isnan(_speeds(rows))).sum()),
        "conditions": len({r.condition for r in rows}),
        "sampled": list(material.sampled),
        "clusters": [len(np.unique(f)) for f in _factors(rows)],
        "references": float(np.mean([len(r.trial.references) for r in rows])),
        "words": float(np.median(words)),
        "noise": _noise(rows, columns, words, right, draws),
        "cells": _named_cells(source, rows, columns, words, right),
    }


def examine_sets(source: Source, rows: Sequence[Heard]) -> list[Cell]:
    """The measures of sets and scenes."""
    columns = {label: _better(rows, metric) for metric, label in SETS.items()}
    return _named_cells(source, rows, columns, length(rows), np.array([float(r.right) for r in rows]))


def _named_cells(
    source: Source, rows: Sequence[Heard], columns: Mapping[str, FloatArray], words: FloatArray, right: FloatArray
) -> list[Cell]:
    return [
        {"corpus": source.name, "label": source.label, "measure": label, **cell}
        for label, values in columns.items()
        for cell in _cells(rows, values, words, right, source.alike is not None)
    ]


def _better(rows: Sequence[Heard], metric: str) -> FloatArray:
    """A measure, turned so that higher is what it calls better."""
    lower = catalogue.create("metric", metric).direction == "lower"
    return -measure(rows, metric) if lower else measure(rows, metric)


def _speeds(rows: Sequence[Heard]) -> FloatArray:
    """Times of right answers, turned so that higher is faster; NaN where there is none, or the clock went backwards."""
    return np.array([-t if r.right and (t := r.milliseconds) is not None and t >= 0 else np.nan for r in rows])


def _factors(rows: Sequence[Heard]) -> list[IntArray]:
    return [numbered(labels) for labels in zip(*(r.clusters for r in rows), strict=True)]


def _cells(
    rows: Sequence[Heard], values: FloatArray, words: FloatArray, right: FloatArray, recurring: bool
) -> Iterator[Cell]:
    """A measure against success and speed, in all scopes: what is compared with what."""
    known = ~np.isnan(values)
    speeds = _speeds(rows)
    timed = known & ~np.isnan(speeds)
    scopes: dict[str, list[Any]] = {
        ALL: [0] * len(rows),
        CONDITION: [r.condition for r in rows],
        LENGTHS: list(zip([r.condition for r in rows], lengths_alike(words).tolist(), strict=True)),
    }
    if recurring:
        scopes[TARGET] = [(r.condition, r.target) for r in rows]
    factors = _factors(rows)
    if (values == -words).all():
        del scopes[LENGTHS]
    for scope, labels in scopes.items():
        found = _try(Area, np.flatnonzero(known), labels, factors, values, right)
        yield {"outcome": FOUND, "scope": scope} | _plain(found) | {"missed": int((1 - right[known]).sum())}
        if scope in (CONDITION, LENGTHS):
            found = _try(Correlation, np.flatnonzero(timed), labels, factors, values, speeds)
            yield {"outcome": SPEED, "scope": scope} | _plain(found)


def _try(
    statistic: Callable[[FloatArray, FloatArray, IntArray], Statistic],
    places: IntArray,
    labels: Sequence[Any],
    factors: Iterable[IntArray],
    values: FloatArray,
    outcome: FloatArray,
) -> Tested:
    if not len(places):
        return Tested(value=None, n=0)
    strata = numbered([labels[i] for i in places])
    return tested(statistic(values[places], outcome[places], strata), [f[places] for f in factors], len(places))


def _columns(rows: Sequence[Heard]) -> dict[str, FloatArray]:
    return {LENGTH: -length(rows)} | {label: _better(rows, metric) for metric, label in WORDS.items()}


def _area(rows: Sequence[Heard], values: FloatArray) -> LeftOut | None:
    """The area of a measure within condition, also without each cluster; None where no answer has a value."""
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return None
    right = np.array([float(rows[i].right) for i in known])
    statistic = Area(values[known], right, numbered([rows[i].condition for i in known]))
    return leave_out(statistic, [f[known] for f in _factors(rows)], len(known))


def _compare(rows: Sequence[Heard]) -> Iterator[Cell]:
    """The differences of all pairs of measures, on the same answers."""
    areas = {label: area for label, values in _columns(rows).items() if (area := _area(rows, values)) is not None}
    for (a, first), (b, second) in combinations(areas.items(), 2):
        if first.n == second.n:
            difference = first.minus(second).tested(0.0, (-1.0, 1.0))
            yield {"measure": f"{a} − {b}", "outcome": DIFFERENCE, "scope": CONDITION, **_plain(difference)}


def _ceiling(rows: Sequence[Heard]) -> Cell:
    """How well others' success with the same description predicts success."""
    answers: dict[tuple[str, str | None], list[float]] = {}
    for r in rows:
        answers.setdefault((r.trial.id, r.description.text), []).append(float(r.right))
    heard = [answers[r.trial.id, r.description.text] for r in rows]
    values = [
        (sum(own) - r.right) / (len(own) - 1) if len(own) > 1 else np.nan for r, own in zip(rows, heard, strict=True)
    ]
    area = _area(rows, np.array(values))
    found = Tested(value=None, n=0) if area is None else area.tested(Area.null, Area.limits)
    return {"measure": OTHERS, "outcome": FOUND, "scope": CONDITION, **_plain(found)}


def _read_anew(source: Source, data: str | None, games: int | None) -> Iterator[Cell]:
    """The areas with other references, and with what was said in rounds of several messages."""
    others = {
        REDRAWN: None if source.place else read(source, data, games, draw=2),
        SEVERAL: None if source.whole_exchange else read(replace(source, whole_exchange=True), data, games),
    }
    for scope, material in others.items():
        for label, values in _columns(material.rows).items() if material else ():
            area = _area(material.rows, values) if material else None
            if area is not None:
                found = area.tested(Area.null, Area.limits)
                yield {"measure": label, "outcome": FOUND, "scope": scope, **_plain(found)}


def _plain(found: Tested) -> Cell:
    return {name: getattr(found, name) for name in ("value", "low", "high", "p", "n", "clusters")}


def _noise(
    rows: Sequence[Heard], columns: Mapping[str, FloatArray], words: FloatArray, right: FloatArray, draws: int
) -> Result:
    """Every measure laid beside other games' answers: where 95 % of the values lie, and how often an interval would exclude .5.

    Areas are those within condition, correlations those within condition and length. False alarms are counted for the length and the last measure.
    """
    conditions, games = numbered([r.condition for r in rows]), numbered([r.game for r in rows])
    speeds = _speeds(rows)
    timed = np.flatnonzero(~np.isnan(speeds))
    lengths = numbered(list(zip(conditions[timed].tolist(), lengths_alike(words)[timed].tolist(), strict=True)))
    clusters = _factors(rows)[0]
    bands: dict[str, Result] = {}
    alarms: list[bool] = []
    for label, values in columns.items():
        filled_in = np.nan_to_num(values)
        areas = []
        for scores, heard in noise(filled_in, conditions, games, draws):
            statistic = Area(scores, right[heard], conditions[heard])
            areas.append(statistic.value())
            if label in (LENGTH, list(columns)[-1]):
                p = tested(statistic, [clusters[heard]], len(heard)).p
                alarms.append(p is not None and p < ALPHA)
        rhos = [
            Correlation(scores, speeds[timed][heard], lengths[heard]).value()
            for scores, heard in (noise(filled_in[timed], lengths, games[timed], draws) if len(timed) else ())
        ]
        bands[label] = {FOUND: _band(areas), SPEED: _band(rhos)}
    return {"bands": bands, "false_alarms": float(np.mean(alarms)), "draws": draws}


def _band(values: Sequence[float]) -> list[float] | None:
    known = [v for v in values if not np.isnan(v)]
    return [float(q) for q in np.quantile(known, [0.025, 0.975])] if known else None


# -- what follows -------------------------------------------------------------------------------------------------------------


def correct(results: Sequence[Result]) -> list[Cell]:
    """All cells with p-values corrected (Holm) over everything that was asked of one outcome in one scope, on all corpora."""
    cells = [c for r in results for c in (*r["cells"], *r.get("sets", ()))]
    for kind in {(c["outcome"], c["scope"]) for c in cells}:
        family = [c for c in cells if (c["outcome"], c["scope"]) == kind]
        for cell, p in zip(family, adjust([c["p"] for c in family]), strict=True):
            cell["p_corrected"] = p
            cell["tests"] = sum(c["p"] is not None for c in family)
    return cells


def summarise(cells: Sequence[Cell], outcome: str, scope: str) -> list[Result]:
    """For every measure on how many corpora it says something, and whether always in the same direction."""
    null = 0.5 if outcome == FOUND else 0.0
    chosen = [c for c in cells if c["outcome"] == outcome and c["scope"] == scope and c["value"] is not None]
    return [
        _summary(label, [c for c in chosen if c["measure"] == label], null)
        for label in (LENGTH, *WORDS.values(), *SETS.values())
    ]


def _summary(label: str, cells: Sequence[Cell], null: float) -> Result:
    values = [c["value"] for c in cells]
    outside = [c for c in cells if c["low"] is not None and not c["low"] <= null <= c["high"]]
    settled = [c for c in cells if c["p_corrected"] is not None and c["p_corrected"] < ALPHA]
    up, down = (sum((c["value"] > null) == side for c in settled) for side in (True, False))
    return {
        "measure": label,
        "corpora": len(cells),
        "excludes": len(outside),
        "up": up,
        "down": down,
        "higher": sum(v > null for v in values),
        "median": median(values) if values else None,
        "range": [min(values), max(values)] if values else None,
        "verdict": verdict(len(cells), up, down),
    }


def verdict(corpora: int, up: int, down: int) -> str:
    """Predictive is what holds after correction on most corpora, in one direction, and nowhere in the other; firmly so if no single corpus decides it."""
    if corpora < MOST:
        return "too few corpora"
    if up and down:
        return "contradictory"
    settled = max(up, down)
    if settled * 2 <= corpora:
        return "not shown"
    opposite = " the opposite" if down else ""
    return f"predicts{opposite}" if (settled - 1) * 2 > corpora - 1 else f"predicts{opposite}, if no corpus is left out"


# -- tables and figures -------------------------------------------------------------------------------------------------------


def write(results: Sequence[Result], out: Path, page: Path | None) -> None:
    out.mkdir(parents=True, exist_ok=True)
    cells = correct(results)
    summaries = {
        f"{outcome}, {scope}": summarise(cells, outcome, scope)
        for outcome, scope in dict.fromkeys((c["outcome"], c["scope"]) for c in cells)
    }
    full = {"alpha": ALPHA, "corpora": list(results), "summaries": summaries}
    (out / "results.json").write_text(json.dumps(full, indent=1), encoding="utf-8")
    columns = (
        "corpus",
        "measure",
        "outcome",
        "scope",
        "n",
        "missed",
        "clusters",
        "value",
        "low",
        "high",
        "p",
        "p_corrected",
    )
    with (out / "cells.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", restval="")
        writer.writeheader()
        more = [c for r in results for c in r["sensitivity"]]
        writer.writerows({**c, "clusters": " x ".join(map(str, c["clusters"]))} for c in (*cells, *more))
    tables = make_tables(results, cells, summaries)
    (out / "tables.md").write_text(
        "\n\n".join(f"<!-- {k} -->\n{t}" for k, t in tables.items()) + "\n", encoding="utf-8"
    )
    draw(results, out)
    if page:
        page.write_text(filled(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
        draw(results, page.parent)


def filled(page: str, tables: Mapping[str, str]) -> str:
    """A page with its tables made anew, each between `<!-- name -->` and `<!-- end -->`."""
    for name, table in tables.items():
        page = re.sub(
            rf"(<!-- {re.escape(name)} -->\n).*?(\n<!-- end -->)",
            lambda found, table=table: f"{found[1]}\n{table}\n{found[2]}",  # type: ignore[misc]
            page,
            flags=re.DOTALL,
        )
    return page


def draw(results: Sequence[Result], folder: Path) -> None:
    for outcome, scope, title, axis, null, domain in (
        (FOUND, CONDITION, "Found or not, within condition", "AUC", 0.5, (0.3, 0.9)),
        (SPEED, LENGTHS, "Fast or slow, within condition and length", "rho with speed", 0.0, (-0.2, 0.3)),
    ):
        cells = [
            {**c, "line": _line(r, outcome)}
            | dict(zip(("noise_low", "noise_high"), r["noise"]["bands"][c["measure"]][outcome] or (), strict=False))
            for r in results
            for c in r["cells"]
            if c["outcome"] == outcome and c["scope"] == scope
        ]
        order = list(dict.fromkeys(c["measure"] for c in cells))
        if any(c["value"] is not None for c in cells):
            cells.sort(key=lambda c: order.index(c["measure"]))
            forest.draw(cells, folder / FIGURES[outcome], title=title, axis=axis, null=null, domain=domain)


def _line(result: Result, outcome: str) -> str:
    if outcome == SPEED:
        return f"{result['label']}  {result['timed']:,}"
    return f"{result['label']}  {result['n']:,} ({result['missed']:,})"


def make_tables(
    results: Sequence[Result], cells: Sequence[Cell], summaries: Mapping[str, Sequence[Result]]
) -> dict[str, str]:
    measures = (LENGTH, *WORDS.values())
    tables = {
        "corpora": _table(_CORPORA, map(_corpus_line, results)),
        "found": _table(
            ("corpus", "n (not found)", *measures), (_found_line(r, cells, measures, CONDITION) for r in results)
        ),
        "found, same length": _table(
            ("corpus", *measures[1:]), (_found_line(r, cells, measures[1:], LENGTHS, False) for r in results)
        ),
        "found, same target": _table(
            ("corpus", *measures),
            (
                _found_line(r, cells, measures, TARGET, False)
                for r in results
                if any(c["scope"] == TARGET for c in r["cells"])
            ),
        ),
        "found, summary": _summary_table(summaries, FOUND, (CONDITION, LENGTHS, TARGET)),
        "speed": _table(("corpus", "n", *measures), (_speed_line(r, cells, measures) for r in results if r["timed"])),
        "speed, summary": _summary_table(summaries, SPEED, (CONDITION, LENGTHS)),
    }
    tables["chance"] = _chance(len(results))
    degen = next((r for r in results if "sets" in r), None)
    if degen:
        tables["sets"] = _sets(degen)
        tables["readable"] = _readable(degen["readable"])
    return tables


_CORPORA = (
    "corpus",
    "answers used, of all",
    "found (guessing)",
    "what was sampled",
    "conditions",
    "references",
    "words, median",
    "AUC of noise (chrF), 95 %",
    "false alarms of noise",
)


def _corpus_line(r: Result) -> list[str]:
    band = r["noise"]["bands"]["chrF"][FOUND]
    return [
        f"{r['label']} (`{r['corpus']}`)",
        f"{r['n']:,} of {r['answers']:,}",
        f"{r['found']:.1%} ({r['guessing']:.0%})".replace("%", " %"),
        " x ".join(f"{n} {kind}s" for n, kind in zip(r["clusters"], r["sampled"], strict=True)).replace(
            "scenes", "contexts"
        ),
        str(r["conditions"]),
        f"{r['references']:.1f}",
        f"{r['words']:.0f}",
        f"{_short(band[0])} to {_short(band[1])}" if band else "–",
        f"{r['noise']['false_alarms']:.1%}".replace("%", " %"),
    ]


def _pick(cells: Iterable[Cell], r: Result, measure: str, outcome: str, scope: str) -> Cell:
    own = {"corpus": r["corpus"], "measure": measure, "outcome": outcome, "scope": scope}
    return next((c for c in cells if all(c[k] == v for k, v in own.items())), NOTHING)


def _found_line(
    r: Result, cells: Sequence[Cell], measures: Iterable[str], scope: str, counted: bool = True
) -> list[str]:
    told = [tell(_pick(cells, r, m, FOUND, scope)) for m in measures]
    return [r["label"], *([f"{r['n']:,} ({r['missed']:,})"] if counted else []), *told]


def _speed_line(r: Result, cells: Sequence[Cell], measures: Iterable[str]) -> list[str]:
    told = []
    for m in measures:
        plain, rest = (_pick(cells, r, m, SPEED, scope) for scope in (CONDITION, LENGTHS))
        told.append(tell(plain, "+") + ("" if rest["value"] is None else f"; {tell(rest, '+')}"))
    return [r["label"], f"{r['timed']:,}", *told]


def _summary_table(summaries: Mapping[str, Sequence[Result]], outcome: str, scopes: Sequence[str]) -> str:
    """Every word measure with its verdict, scope by scope."""
    null, sign = (".5", "") if outcome == FOUND else ("0", "+")
    heads = (
        "measure",
        "compared within",
        "corpora",
        "median (range)",
        f"above {null}",
        f"interval excludes {null}",
        "after correction: as promised, opposite",
        "verdict",
    )
    lines = [
        _summary_line(s, scope, sign)
        for label in (LENGTH, *WORDS.values())
        for scope in scopes
        for s in summaries.get(f"{outcome}, {scope}", ())
        if s["measure"] == label and s["corpora"]
    ]
    return _table(heads, lines)


def _summary_line(s: Result, scope: str, sign: str) -> list[str]:
    low, high = s["range"]
    return [
        s["measure"] if scope == CONDITION else "",
        scope,
        str(s["corpora"]),
        f"{_short(s['median'], sign)} ({_short(low, sign)} to {_short(high, sign)})",
        str(s["higher"]),
        str(s["excludes"]),
        f"{s['up']}, {s['down']}",
        s["verdict"],
    ]


def _sets(degen: Result) -> str:
    heads = (
        "measure",
        "n (not found)",
        "AUC, all rounds",
        "within condition",
        "within condition, same length",
        "rho with speed; same length",
    )
    lines = []
    for m in SETS.values():
        found = {scope: _pick(degen["sets"], degen, m, FOUND, scope) for scope in (ALL, CONDITION, LENGTHS)}
        plain, rest = (_pick(degen["sets"], degen, m, SPEED, scope) for scope in (CONDITION, LENGTHS))
        n = f"{found[ALL]['n']:,} ({found[ALL]['missed']})"
        lines.append([m, n, *(tell(c) for c in found.values()), f"{tell(plain, '+')}; {tell(rest, '+')}"])
    return _table(heads, lines)


def _chance(corpora: int) -> str:
    """How many intervals would exclude .5 if no measure knew anything."""
    two = 1 - (1 - ALPHA) ** corpora - corpora * ALPHA * (1 - ALPHA) ** (corpora - 1)
    return (
        f"Of {corpora} corpora {_short(corpora * ALPHA)} would have an interval without .5 before correction, "
        f"two or more with probability {_short(two)}."
    )


def _readable(r: Result) -> str:
    return (
        f"The words name a property in {r['share']:.0%} of the rounds. Found: {r['found_with']:.1%} of these, {r['found_without']:.1%} of the others; "
        f"AUC of being readable {tell({**r, 'p_corrected': None})}."
    ).replace("%", " %")


def tell(cell: Cell, sign: str = "") -> str:
    """A value with its interval; a star where it stands after correction."""
    if cell["value"] is None:
        return "–"
    bounds = "" if cell["low"] is None else f" [{_short(cell['low'], sign)}, {_short(cell['high'], sign)}]"
    star = "\\*" if cell["p_corrected"] is not None and cell["p_corrected"] < ALPHA else ""
    return f"{_short(cell['value'], sign)}{star}{bounds}"


def _short(value: float, sign: str = "") -> str:
    """Two digits without the leading nought."""
    text = f"{value:{sign}.2f}".replace("-0.00", "0.00").replace("+0.00", "0.00")
    return re.sub(r"^([+-]?)0\.", r"\1.", text)


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
