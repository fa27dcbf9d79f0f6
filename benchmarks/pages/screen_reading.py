"""How far words on a screen lead: the hearer that reads them (`sight/ocr`) on instructions of OSWorld-G, beside the one that points at the middle.

    python benchmarks/pages/screen_reading.py [--split scene-fold-1/8:test] [--kept FOLDER]

All screens by default (250 with an instruction that means something), which takes most of an hour, for reading a screen takes seconds; `--kept` keeps what
was read, a file a screen, so that one that was stopped goes on where it was. Prints shares: found, elsewhere, none.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue, open_corpus
from referee.corpora.screens import OsWorldG
from referee.files import write_atomically
from referee.hearers import onlookers
from referee.metrics.grounding import is_hit
from referee.records import Outcome


def kept_in(folder: Path) -> Any:
    """`read_screen` that reads every picture once, whatever process asks."""
    read = onlookers.read_screen

    def once(path: str) -> Any:
        file = folder / f"{sha256(Path(path).read_bytes()).hexdigest()}.json"
        if not file.exists():
            write_atomically(file, [json.dumps(read(path))])
        return [(tuple(box), text) for box, text in json.loads(file.read_text(encoding="utf-8"))]

    return once


def main() -> None:
    options = ArgumentParser(description=__doc__)
    options.add_argument("--split")
    options.add_argument("--kept", type=Path)
    asked = options.parse_args()
    if asked.kept:
        asked.kept.mkdir(parents=True, exist_ok=True)
        onlookers.read_screen = kept_in(asked.kept)
    corpus = open_corpus("osworld-g", reading="original", split=asked.split)
    trials = [t for t in corpus.trials() if t.targets]
    for name in ("sight/centre", f"sight/ocr|pictures:{OsWorldG().picture_folder()}"):
        hearer = catalogue.configure("hearer", name)
        heard = [(t, hearer.resolve(t.references[0], t.for_hearer(Random(1)))) for t in trials]
        none = sum(r.outcome is Outcome.NONE for _, r in heard) / len(heard)
        found = sum(r.outcome is not Outcome.NONE and is_hit(r, t) for t, r in heard) / len(heard)
        screens = len({t.scene.picture.path for t in trials if t.scene.picture})
        print(
            f"{name.partition('|')[0]}: found {found:.3f}, elsewhere {1 - found - none:.3f}, none {none:.3f} of {len(heard)} on {screens} screens"
        )


if __name__ == "__main__":
    main()
