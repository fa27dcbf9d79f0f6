"""The neural listener of colours on games that it did not learn from: ``python benchmarks/colour_listener.py [--fold 1] [--jobs 2]``.

Needs the corpus colors (REFEREE_DATA). Games are cut into five folds. Fold 0 is the one on which settings were chosen (members, weight of reasoning); the
others judge, each by a listener that learned from the other four. Beside it the same listener without reasoning, and the plain logit (`colour`).
"""

from __future__ import annotations

import argparse
from multiprocessing import get_context
from statistics import mean, stdev

from learned import asked, colours, folds
from referee.hearers.colour import Colour
from referee.hearers.colour_network import ColourNetwork

CONDITIONS = ("far", "split", "close")
Row = tuple[str, str, float, int]


def judged(fold: int) -> list[Row]:
    """Share of targets found by each listener in one fold, by condition and in all."""
    train, test = folds(colours(), 5)[fold]
    trials = [t for t, _ in train]
    network = ColourNetwork().fit(trials)
    rows = _right("people", test, [r.entity for _, r in test])
    rows += _right("colour.network", test, [a.entity for a in network.resolve_many(asked(test))])
    network.reasoning = 0.0
    rows += _right("colour.network|reasoning:0", test, [a.entity for a in network.resolve_many(asked(test))])
    plain = Colour().fit(trials)
    return rows + _right("colour", test, [a.entity for a in plain.resolve_many(asked(test))])


def _right(who: str, rounds: list, chosen: list) -> list[Row]:
    found = [(t.condition, entity == t.targets[0]) for (t, _), entity in zip(rounds, chosen, strict=True)]
    parts = {part: [right for condition, right in found if part in (condition, "all")] for part in (*CONDITIONS, "all")}
    return [(who, part, mean(right), len(right)) for part, right in parts.items() if right]


def main(wanted: list[int], jobs: int) -> None:
    with get_context("spawn").Pool(jobs) as pool:
        by_fold = dict(zip(wanted, pool.map(judged, wanted), strict=True))
    for fold, rows in by_fold.items():
        print(f"fold {fold}" + (" (settings were chosen here)" if fold == 0 else ""))
        for who, part, right, n in rows:
            print(f"  {who:28} {part:6} {right:.4f}  n = {n}")
    judging = [{(who, part): right for who, part, right, _ in rows} for fold, rows in by_fold.items() if fold]
    if len(judging) > 1:
        print(f"folds {', '.join(str(f) for f in by_fold if f)}: mean ± standard deviation")
        for who, part in judging[0]:
            values = [rows[who, part] for rows in judging]
            print(f"  {who:28} {part:6} {mean(values):.3f} ± {stdev(values):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--fold", type=int, action="append", choices=range(5), help="only this fold; may be given again"
    )
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    main(given.fold or [1, 2, 3, 4], given.jobs)
