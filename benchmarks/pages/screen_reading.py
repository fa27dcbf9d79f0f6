"""How far words on a screen lead: the hearer that reads them (`sight/ocr`) on instructions of OSWorld-G, beside the one that points at the middle.

    python benchmarks/pages/screen_reading.py [SPLIT]

An eighth of the screens by default (31, with 62 instructions that mean something), for reading a screen takes seconds. Prints shares: found, elsewhere, none.
"""

from __future__ import annotations

import sys
from random import Random

from referee import catalogue, open_corpus
from referee.corpora.screens import OsWorldG
from referee.metrics.grounding import hits
from referee.records import Outcome

split = sys.argv[1] if len(sys.argv) > 1 else "scene-fold-1/8:test"
corpus = open_corpus("osworld-g", reading="original", split=split)
trials = [t for t in corpus.trials() if t.targets]
for name in ("sight/centre", f"sight/ocr|pictures:{OsWorldG().picture_folder()}"):
    hearer = catalogue.configure("hearer", name)
    heard = [(t, hearer.resolve(t.references[0], t.for_hearer(Random(1)))) for t in trials]
    none = sum(r.outcome is Outcome.NONE for _, r in heard) / len(heard)
    found = sum(r.outcome is not Outcome.NONE and hits(r, t) for t, r in heard) / len(heard)
    print(
        f"{name.partition('|')[0]}: found {found:.3f}, elsewhere {1 - found - none:.3f}, none {none:.3f} of {len(heard)}"
    )
