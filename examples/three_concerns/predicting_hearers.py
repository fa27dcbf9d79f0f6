"""Which measures predict whether and how fast people find the object? Three corpora with human hearers side by side.

    REFEREE_DATA=FOLDER python examples/three_concerns/predicting_hearers.py [--resamples 300]

Prints the tables of docs/which-measures-predict-hearers.md. Needs degen2020, colors-in-context and tg-matcher in the data folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

import numpy as np
from answered import Answered, colours, degen, in_like_conditions, in_like_words, length, matchers, score
from scipy.stats import rankdata

from referee import catalogue
from referee.contracts import FloatArray
from referee.courtroom.item_evidence import Association, auc, rank_correlation

WORDS = ("string/exact", "string/edit.normalised", "string/bleu.1", "string/rouge-su4", "string/chrf")
SETS = (
    "set/dice",
    "set/masi",
    "set/edit",
    "meaning/denotation",
    "scene/dice.specificity",
    "scene/remaining",
    "scene/surplus",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--resamples", type=int, default=300)
    resamples = parser.parse_args().resamples
    rounds = list(degen(coded=False))
    show("Degen 2020, all rounds, properties read from the words", in_like_conditions(rounds), SETS, resamples)
    show("Degen 2020, all rounds, words", in_like_words(rounds), WORDS, resamples)
    show("Degen 2020, coded rounds (correct clicks only)", in_like_conditions(degen(coded=True)), SETS, resamples)
    show("Colors in Context", colours(), WORDS, resamples)
    show("Naive matchers", matchers(), WORDS, resamples)


def show(title: str, rows: Sequence[Answered], metrics: Iterable[str], resamples: int) -> None:
    """One table a corpus: every measure over all rows and in each group, against success and time."""
    words = length(rows)
    columns = {"length in words": (words, "lower")}
    columns |= {m: (score(rows, m), catalogue.create("metric", m).direction) for m in metrics}
    print(f"\n### {title}\n")
    heads = (
        "measure",
        "part",
        "n",
        "not found",
        "games",
        "AUC for success",
        "rho with time",
        "the same, length taken out",
    )
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    parts = [None, *sorted({r.group for r in rows})]
    for name, (values, better) in columns.items():
        for part in parts:
            print(line(name, part, rows, values, words, better, resamples))


def line(
    name: str,
    part: str | None,
    rows: Sequence[Answered],
    values: FloatArray,
    words: FloatArray,
    better: str,
    resamples: int,
) -> str:
    chosen = [i for i, r in enumerate(rows) if part is None or r.group == part]
    mine, picked = [rows[i] for i in chosen], values[chosen]
    games = [r.game for r in mine]
    turned = -picked if better == "lower" else picked
    found = auc(turned, [r.right for r in mine], games, resamples=resamples)
    times = rank_correlation(picked, times_of(mine), games, resamples=resamples)
    plain = without_length(picked, words[chosen], times_of(mine), games, resamples)
    missed = sum(1 for r, v in zip(mine, picked, strict=True) if not r.right and v == v)
    return f"| {name} | {part or 'all'} | {found.n} | {missed} | {found.clusters} | {told(found)} | {told(times)} | {told(plain)} |"


def times_of(rows: Sequence[Answered]) -> list[float | None]:
    """Times of correct answers: only they mean the same thing."""
    return [r.milliseconds if r.right else None for r in rows]


def without_length(
    values: FloatArray, words: FloatArray, times: Sequence[float | None], games: Sequence[str], resamples: int
) -> Association:
    """Rank correlation of what is left of a measure and of the time when their ranks are predicted from the rank of the length."""
    clock = np.array([np.nan if t is None else t for t in times])
    kept = ~(np.isnan(values) | np.isnan(clock))
    x, z, y = (rankdata(column[kept]) for column in (values, words, clock))
    if not kept.any() or np.ptp(z) == 0 or abs(np.corrcoef(x, z)[0, 1] if np.ptp(x) else 1) > 0.999:
        return Association(value=None, n=int(kept.sum()), clusters=0)
    design = np.column_stack([np.ones(len(z)), z])
    left, right = (column - design @ np.linalg.lstsq(design, column, rcond=None)[0] for column in (x, y))
    return rank_correlation(left, right, [g for g, k in zip(games, kept, strict=True) if k], resamples=resamples)


def told(found: Association) -> str:
    if found.value is None:
        return "–"
    bounds = f" [{found.low:.2f}, {found.high:.2f}]" if found.low is not None and found.high is not None else ""
    return f"{found.value:.2f}{bounds}"


if __name__ == "__main__":
    main()
