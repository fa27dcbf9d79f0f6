"""Which measures predict whether people find the object, over corpora: a meta-analysis by rules.toml, and a manuscript to begin with.

    python examples/three_concerns/meta_analysis.py CELLS.csv … [--out FOLDER] [--page docs/which-measures-predict-hearers.md] [--latex FOLDER]

CELLS.csv comes from predicting_hearers.py. Writes meta.json and meta.md; `--latex` writes manuscript.tex with tables, a forest plot, methods and a data
statement, which pdflatex compiles with Debian's texlive-latex-base and texlive-latex-recommended.
"""

from __future__ import annotations

import argparse
import csv
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.statistics.comparisons import adjust
from referee.statistics.meta_analysis import Pooled, leave_one_out, pool, standard_error

RULES = Path(__file__).with_name("rules.toml")
FOUND, DIFFERENCE, CONDITION, NULL = "found", "difference", "condition", 0.5
OTHERS = "other hearers"
LIMITS = (0.0, 1.0)
Cell = dict[str, Any]


def main(given: Sequence[str] | None = None) -> None:
    """Read cells, write the analysis."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("cells", type=Path, nargs="+", help="cells.csv of predicting_hearers.py, one or several")
    parser.add_argument("--out", type=Path, help="a folder for meta.json and meta.md")
    parser.add_argument("--page", type=Path, help="a page whose tables are made anew")
    parser.add_argument("--latex", type=Path, help="a folder for manuscript.tex")
    options = parser.parse_args(given)
    rules = tomllib.loads(RULES.read_text("utf-8"))
    cells, differences = (
        [c for path in options.cells for c in read_cells(path, outcome)] for outcome in (FOUND, DIFFERENCE)
    )
    analysis = analyse(cells, differences, rules)
    tables = make_tables(analysis)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "meta.json").write_text(json.dumps(analysis, indent=1), encoding="utf-8")
        (options.out / "meta.md").write_text(
            "\n\n".join(f"<!-- {k} -->\n{t}" for k, t in tables.items()) + "\n", "utf-8"
        )
    if options.page:
        from predicting_hearers import filled

        options.page.write_text(filled(options.page.read_text("utf-8"), tables), encoding="utf-8")
    if options.latex:
        options.latex.mkdir(parents=True, exist_ok=True)
        (options.latex / "manuscript.tex").write_text(manuscript(analysis, cells, rules), encoding="utf-8")
    print("\n\n".join(tables.values()))


def read_cells(path: Path, outcome: str = FOUND) -> list[Cell]:
    """The areas of all measures with an interval, or their differences."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["outcome"] == outcome and row["low"] and row["value"]]
    numbers = ("value", "low", "high")
    return [{**row, **{name: float(row[name]) for name in numbers}, "n": int(row["n"])} for row in rows]


def analyse(cells: Sequence[Cell], differences: Sequence[Cell], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that the rules ask for, as plain data."""
    main_cells = [c for c in cells if c["scope"] == CONDITION and c["measure"] != OTHERS]
    ceilings = _of(cells, OTHERS)
    corpora = list(dict.fromkeys(c["corpus"] for c in main_cells))
    # Measures of sets are tried on one corpus only.
    measures = [m for m in dict.fromkeys(c["measure"] for c in main_cells) if len(_of(main_cells, m)) > 2]
    scopes = (CONDITION, *rules["sensitivity"])
    return {
        "rules": {"hash": sha256(RULES.read_bytes()).hexdigest(), "date": str(rules["date"])},
        "corpora": corpora,
        "seen": [c for c in corpora if c in rules["seen"]],
        "new": [c for c in corpora if c in rules["new"]],
        "pooled": [
            {"measure": m, "scope": scope, **_plain(_summary(_of([c for c in cells if c["scope"] == scope], m)))}
            for scope in scopes
            for m in measures
        ],
        "left_out": [_left_out(m, _of(main_cells, m)) for m in measures],
        "worlds": [
            {"measure": m, "world": world, **_plain(_summary([c for c in _of(main_cells, m) if c["corpus"] in names]))}
            for m in measures
            for world, names in rules["worlds"].items()
        ],
        "predicted": [row for m in measures for row in _predict(m, _of(main_cells, m), rules)],
        "differences": _differences(differences),
        "ceilings": [{name: c[name] for name in ("corpus", "n", "value", "low", "high")} for c in ceilings],
    }


def _of(cells: Sequence[Cell], measure: str) -> list[Cell]:
    return [c for c in cells if c["measure"] == measure]


def _numbers(cells: Sequence[Cell]) -> tuple[list[float], list[float]]:
    return [c["value"] for c in cells], [standard_error(c["low"], c["high"]) for c in cells]


def _summary(cells: Sequence[Cell]) -> Pooled:
    return pool(*_numbers(cells), null=NULL, limits=LIMITS)


def _plain(pooled: Pooled) -> dict[str, Any]:
    return {name if name != "n" else "corpora": value for name, value in asdict(pooled).items()}


def _left_out(measure: str, cells: Sequence[Cell]) -> dict[str, Any]:
    """The extremes of the mean without any one corpus, and whether the interval excludes chance each time."""
    values, errors = _numbers(cells)
    whole = _summary(cells)
    without = leave_one_out(values, errors, null=NULL)
    holds = [p.low is not None and p.low > NULL for p in without]
    effects = [(p.effect or 0.0, c["corpus"]) for p, c in zip(without, cells, strict=True)]
    return {
        "measure": measure,
        "lowest": min(effects),
        "highest": max(effects),
        "holds": whole.low is not None and whole.low > NULL and all(holds),
        "excludes_chance": whole.low is not None and whole.low > NULL,
        "depends_on": [c["corpus"] for c, is_held in zip(cells, holds, strict=True) if not is_held],
    }


def _predict(measure: str, cells: Sequence[Cell], rules: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each corpus that was read after the rules, beside the prediction from the corpora that were read before."""
    before = _numbers([c for c in cells if c["corpus"] in rules["seen"]])
    rows = []
    for c in cells:
        if c["corpus"] in rules["new"]:
            made = pool(*before, new_error=standard_error(c["low"], c["high"]), null=NULL, limits=LIMITS)
            bounds = {"new_low": made.new_low, "new_high": made.new_high}
            is_inside = (
                made.new_low is not None and made.new_high is not None and made.new_low <= c["value"] <= made.new_high
            )
            rows.append(
                {
                    "measure": measure,
                    **{k: c[k] for k in ("corpus", "value", "low", "high")},
                    **bounds,
                    "inside": is_inside,
                }
            )
    return rows


def _differences(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The differences of pairs of measures, pooled."""
    pairs = dict.fromkeys(c["measure"] for c in cells)
    rows = [{"pair": pair, **_plain(pool(*_numbers(_of(cells, pair)), limits=(-1.0, 1.0)))} for pair in pairs]
    corrected = adjust([row["p"] for row in rows])
    return [{**row, "p_corrected": p} for row, p in zip(rows, corrected, strict=True)]


# -- tables ------------------------------------------------------------------------------------------------------------


def make_tables(analysis: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the page, by the names of their comments."""
    left = {row["measure"]: row for row in analysis["left_out"]}
    head = ("measure", "compared within", "corpora", "mean AUC [95 %]", "new corpus", "without one corpus", "headline")
    rows = [
        (
            p["measure"] if p["scope"] == CONDITION else "",
            p["scope"],
            str(p["corpora"]),
            f"{_three(p['effect'])} {_span(p['low'], p['high'])}",
            _span(p["new_low"], p["new_high"]),
            _without(left[p["measure"]]) if p["scope"] == CONDITION else "",
            _headline(left[p["measure"]]) if p["scope"] == CONDITION else "",
        )
        for m in left
        for p in analysis["pooled"]
        if p["measure"] == m and p["corpora"]
    ]
    worlds = list(dict.fromkeys(w["world"] for w in analysis["worlds"]))
    by_world = {(w["measure"], w["world"]): w for w in analysis["worlds"]}
    world_rows = [
        (m, *(f"{_three(by_world[m, w]['effect'])} ({by_world[m, w]['corpora']})" for w in worlds)) for m in left
    ]
    apart = [d for d in analysis["differences"] if d["p_corrected"] is not None and d["p_corrected"] < 0.05]
    pairs = "; ".join(f"{d['pair']} {_signed(d['effect'])} {_span(d['low'], d['high'])}" for d in apart)
    ceilings = "; ".join(
        f"{c['corpus']} {_three(c['value'])} {_span(c['low'], c['high'])}, {c['n']:,} answers"
        for c in analysis["ceilings"]
    )
    predicted = "; ".join(
        f"{p['measure']} {_three(p['value'])}, predicted {_span(p['new_low'], p['new_high'])}"
        for p in analysis["predicted"]
    )
    inside = sum(p["inside"] for p in analysis["predicted"])
    rules = analysis["rules"]
    new = ", ".join(f"`{c}`" for c in analysis["new"]) or "none yet"
    return {
        "meta": _table(head, rows),
        "meta, worlds": _table(("measure", *(f"{w}: mean (corpora)" for w in worlds)), world_rows),
        "meta, differences": f"Of {len(analysis['differences'])} differences between measures {len(apart)} are significant after correction"
        + (f": {pairs}." if pairs else "."),
        "meta, ceilings": f"AUC of others' success with the same description: {ceilings}.",
        "meta, predicted": f"Corpora read after the rules: {inside} of {len(analysis['predicted'])} values lie in the interval predicted from the others"
        + (f" ({predicted})." if predicted else "."),
        "meta, rules": f"Rules `{rules['hash'][:12]}` of {rules['date']}. Seen before: {len(analysis['seen'])} corpora; read after: {new}.",
    }


def _headline(row: Mapping[str, Any]) -> str:
    if row["holds"]:
        return "predicts"
    if row["excludes_chance"]:
        return f"predicts, but not without {', '.join(row['depends_on'])}"
    return "not shown"


def _without(row: Mapping[str, Any]) -> str:
    return f"{_three(row['lowest'][0])} to {_three(row['highest'][0])}"


def _three(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", "−")


def _span(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{_three(low)}, {_three(high)}]".replace("-", "−")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# -- manuscript --------------------------------------------------------------------------------------------------------


def manuscript(analysis: Mapping[str, Any], cells: Sequence[Cell], rules: Mapping[str, Any]) -> str:
    """A LaTeX article with everything that the data decide; what an author has to write is marked."""
    shown = _best(analysis)
    plotted = [c for c in cells if c["scope"] == CONDITION and c["measure"] == shown["measure"]]
    main_rows = [p for p in analysis["pooled"] if p["scope"] == CONDITION]
    tables = make_tables(analysis)
    body = " \\\\\n".join(
        " & ".join(
            (
                _tex(p["measure"]),
                str(p["corpora"]),
                _three(p["effect"]),
                _span(p["low"], p["high"]),
                _span(p["new_low"], p["new_high"]),
            )
        )
        for p in main_rows
    )
    statement = "\n".join(_statement(name) for name in analysis["corpora"])
    left = {row["measure"]: row for row in analysis["left_out"]}
    results = " ".join(
        f"{_tex(p['measure'])}: {_three(p['effect'])} {_span(p['low'], p['high'])}, new corpus {_span(p['new_low'], p['new_high'])}; "
        f"{_tex(_headline(left[p['measure']]))}."
        for p in main_rows
    )
    text = f"""\\documentclass[11pt]{{article}}
\\usepackage[T1]{{fontenc}}
\\usepackage[utf8]{{inputenc}}
\\usepackage{{booktabs}}
\\title{{Which measures predict whether hearers find the referent? A meta-analysis of {len(analysis["corpora"])} corpora}}
\\author{{TODO}}
\\date{{}}
\\begin{{document}}
\\maketitle

\\begin{{abstract}}
TODO. Over {len(analysis["corpora"])} corpora the mean area under the curve of {_tex(shown["measure"])} is
{_three(shown["effect"])} {_span(shown["low"], shown["high"])}; in a new corpus {_span(shown["new_low"], shown["new_high"])} is expected.
\\end{{abstract}}

\\section{{Introduction}}
TODO

\\section{{Methods}}
\\paragraph{{Effect.}} {_tex(rules["effect"])}.
\\paragraph{{Model.}} {_tex(rules["model"])}.
\\paragraph{{Headline.}} {_tex(rules["headline"])}.
\\paragraph{{Comparisons.}} {_tex(rules["comparison"])}.
\\paragraph{{Ceilings.}} {_tex(rules["ceiling"])}.
\\paragraph{{Rules.}} The rules were fixed on {analysis["rules"]["date"]} (SHA-256 \\texttt{{{analysis["rules"]["hash"][:16]}}}).
The results of {len(analysis["seen"])} corpora were known before, so for them the analysis is exploratory; {len(analysis["new"])} were read afterwards.

\\section{{Results}}
{results}

\\begin{{table}}[t]
\\centering
\\begin{{tabular}}{{lrrll}}
\\toprule
measure & corpora & mean AUC & 95\\,\\% interval & new corpus \\\\
\\midrule
{body} \\\\
\\bottomrule
\\end{{tabular}}
\\caption{{Random-effects means of the area under the curve, and prediction intervals of a new corpus.}}
\\end{{table}}

\\begin{{figure}}[t]
\\centering
{_forest(plotted, shown)}
\\caption{{{_tex(shown["measure"])} by corpus, with 95\\,\\% intervals; below, the mean and (thin) the prediction interval of a new corpus.
The line is chance.}}
\\end{{figure}}

\\paragraph{{Comparisons of measures.}} {_tex(tables["meta, differences"])}
\\paragraph{{Ceilings.}} {_tex(tables["meta, ceilings"])}
\\paragraph{{New corpora.}} {_tex(tables["meta, predicted"])}

\\section{{Limits}}
TODO. People, items and games were sampled; the corpora were not: they are those that were published with listeners.

\\section*{{Data statement}}
\\begin{{itemize}}
{statement}
\\end{{itemize}}

\\end{{document}}
"""
    return text.replace("–", "--").replace("−", "$-$")


def _best(analysis: Mapping[str, Any]) -> Mapping[str, Any]:
    """The measure with the highest mean."""
    rows = [p for p in analysis["pooled"] if p["scope"] == CONDITION and p["effect"] is not None]
    best: Mapping[str, Any] = max(rows, key=lambda p: p["effect"])
    return best


def _statement(name: str) -> str:
    card = catalogue.create("corpus", name).card
    return f"\\item {_tex(card.title)} ({_tex(name)}). {_tex(card.citation)}. Source: {_tex(card.source)}. Licence: {_tex(card.licence)}."


def _forest(cells: Sequence[Cell], pooled: Mapping[str, Any]) -> str:
    """A forest plot in LaTeX's own picture environment: 100 units are AUC .3 to .9."""

    def x(value: float) -> float:
        return round(100 * (min(max(value, 0.3), 0.9) - 0.3) / 0.6, 2)

    def bar(low: float, high: float, height: float, weight: str) -> str:
        return f"{weight}\\put({x(low)},{height}){{\\line(1,0){{{round(max(x(high) - x(low), 0.01), 2)}}}}}"

    top = 6 * (len(cells) + 3)
    lines = [f"\\put({x(NULL)},0){{\\line(0,1){{{top}}}}}"]
    for i, c in enumerate(cells):
        height = top - 6 * (i + 1)
        lines += [
            bar(c["low"], c["high"], height, "\\thinlines"),
            f"\\put({x(c['value'])},{height}){{\\circle*{{1.6}}}}",
        ]
        lines.append(f"\\put(-2,{height - 1}){{\\makebox(0,0)[br]{{\\footnotesize {_tex(c['corpus'])}}}}}")
    for low, high, height, weight in (
        (pooled["new_low"], pooled["new_high"], 6, "\\thinlines"),
        (pooled["low"], pooled["high"], 6, "\\thicklines"),
    ):
        if low is not None and high is not None:
            lines.append(bar(low, high, height, weight))
    lines.append("\\put(-2,5){\\makebox(0,0)[br]{\\footnotesize mean}}")
    lines += [f"\\put({x(v)},-4){{\\makebox(0,0)[t]{{\\footnotesize {_three(v)}}}}}" for v in (0.3, 0.5, 0.7, 0.9)]
    return (
        f"\\setlength{{\\unitlength}}{{0.8mm}}\n\\begin{{picture}}(100,{top + 4})(-30,-6)\n"
        + "\n".join(lines)
        + "\n\\end{picture}"
    )


def _tex(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    special = {
        "&": "\\&",
        "%": "\\%",
        "_": "\\_",
        "#": "\\#",
        "$": "\\$",
        "{": "\\{",
        "}": "\\}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
    }
    return "".join(special.get(c, c) for c in text.replace("\\", "/"))


if __name__ == "__main__":
    main()
