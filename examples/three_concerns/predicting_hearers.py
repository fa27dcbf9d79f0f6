"""Which measures predict whether and how fast people find the object? Three corpora with human hearers side by side.

    REFEREE_DATA=FOLDER python examples/three_concerns/predicting_hearers.py [--resamples 500]

Prints the tables of docs/which-measures-predict-hearers.md. Needs degen2020, colors-in-context and tg-matcher in the data folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from answered import Answered, colours, degen, in_like_conditions, in_like_words, length, matchers, score

from referee import catalogue
from referee.contracts import FloatArray
from referee.statistics.item_evidence import Association, auc, rank_correlation

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
    parser.add_argument("--resamples", type=int, default=500)
    resamples = parser.parse_args().resamples
    rounds = list(degen(coded=False))
    show("Degen 2020, all rounds, properties read from the words", in_like_conditions(rounds), SETS, resamples)
    show("Degen 2020, all rounds, words", in_like_words(rounds), WORDS, resamples)
    show("Degen 2020, coded rounds (correct clicks only)", in_like_conditions(degen(coded=True)), SETS, resamples)
    show("Colors in Context", colours(), WORDS, resamples)
    show("Naive matchers", matchers(), WORDS, resamples)


def show(title: str, rows: Sequence[Answered], metrics: Iterable[str], resamples: int) -> None:
    """One table a corpus: every measure over all rows and in each group, against success and time."""
    columns = {"length in words": (length(rows), "lower")}
    columns |= {m: (score(rows, m), catalogue.create("metric", m).direction) for m in metrics}
    print(f"\n### {title}\n")
    print(
        "| measure | part | n | not found | games | AUC for success | rho with time |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    parts = [None, *sorted({r.group for r in rows})]
    for name, (values, better) in columns.items():
        for part in parts:
            print(line(name, part, rows, values, better, resamples))


def line(name: str, part: str | None, rows: Sequence[Answered], values: FloatArray, better: str, resamples: int) -> str:
    chosen = [i for i, r in enumerate(rows) if part is None or r.group == part]
    mine, picked = [rows[i] for i in chosen], values[chosen]
    games = [r.game for r in mine]
    turned = -picked if better == "lower" else picked
    found = auc(turned, [r.right for r in mine], games, resamples=resamples)
    # Only correct answers have times that mean the same thing.
    times = rank_correlation(picked, [r.milliseconds if r.right else None for r in mine], games, resamples=resamples)
    missed = sum(1 for r, v in zip(mine, picked, strict=True) if not r.right and v == v)
    return f"| {name} | {part or 'all'} | {found.n} | {missed} | {found.clusters} | {told(found)} | {told(times)} |"


def told(found: Association) -> str:
    if found.value is None:
        return "–"
    bounds = f" [{found.low:.2f}, {found.high:.2f}]" if found.low is not None and found.high is not None else ""
    return f"{found.value:.2f}{bounds}"


if __name__ == "__main__":
    main()
