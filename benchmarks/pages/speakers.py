"""The numbers of docs/systems.md about later speakers: ``python benchmarks/pages/speakers.py [gre3d3] [gre3d7] [stars] [stars2] [zoom] [tuna] [plurals]``.

Dice, exact sets and the share that singles the target out, five folds: of speakers (nobody was met in training) and, where a speaker can know its
speakers, of random trials. Needs the corpora (REFEREE_DATA), except for the generated one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from referee import catalogue
from referee.contracts import Batch
from referee.corpora.splits import make_folds
from referee.jobs.open import open_corpus
from referee.jobs.speak import System
from referee.records import Trial

METRICS = ("set/dice", "set/exact", "scene/unique")
USUAL = ("classic/incremental.frequency", "baseline/everything", "baseline/type", "baseline/random")
TREES = ("classic/speaker-trees", "classic/speaker-trees|speakers:no")
CORPORA: dict[str, dict[str, tuple[str, ...]]] = {
    "gre3d3": {"speaker": (TREES[0], "classic/pro", "classic/visible-objects", *USUAL), "random": TREES},
    "gre3d7": {"speaker": (TREES[0], "classic/pro", "classic/visible-objects", *USUAL), "random": TREES},
    "stars": {"speaker": ("classic/support-vectors", TREES[0], "classic/visible-objects", *USUAL)},
    "stars2": {"speaker": ("classic/support-vectors", TREES[0], "classic/visible-objects", *USUAL)},
    "zoom": {"speaker": ("classic/support-vectors", TREES[0], "classic/visible-objects", *USUAL)},
    "tuna": {"speaker": ("classic/pro", "classic/visible-objects", *USUAL)},
    "plurals": {"scene": ("classic/log-linear", "classic/partitioned", "classic/boolean", *USUAL[:2])},
}


def scores(name: str, trials: Sequence[Trial], by: str) -> list[float]:
    """Every metric when each trial is described by a system that was trained on the other folds."""
    said = {}
    for train, test in make_folds(trials, 5, by=by, seed=1):
        system = System.read(name).build().fit(train)
        said.update((t.id, system.describe(t.for_speaker())) for t in test)
    batch = Batch.of([said[t.id] for t in trials], trials)
    return [catalogue.create("metric", metric).score(batch).value for metric in METRICS]


def main(wanted: Sequence[str]) -> None:
    print("corpus, folds by, speaker: Dice / exact / singles out")
    for corpus in wanted:
        trials = list(open_corpus(corpus, **({"reading": "challenge"} if corpus == "tuna" else {})).trials())
        for by, systems in CORPORA[corpus].items():
            for name in systems:
                shown = " / ".join(f"{value:.3f}" for value in scores(name, trials, by))
                print(f"{corpus:8} {by:8} {name:36} {shown}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(CORPORA))
