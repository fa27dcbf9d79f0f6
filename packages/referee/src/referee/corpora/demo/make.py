"""Two toy speakers that bound all real ones, and the files of their outputs.

``python -m referee.corpora.demo.make [FOLDER]``.

*toy-minimal* gives a shortest distinguishing description (Dale's full brevity, 1989: a type only if needed, a position
if that is shorter); *toy-chatty* gives the type, the colour and all other visible attributes. Both are deterministic,
so the files can be reproduced.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from referee.corpora.jsonl import json_line
from referee.corpora.outputs import output_to_json
from referee.corpora.synthetic.corpus import Synthetic
from referee.corpora.synthetic.words import say_plainly
from referee.files import write_atomically
from referee.records import Description, Property, SpeakerView


def _visible(view: SpeakerView) -> list[Property]:
    """Return the visible properties of the target, its position last, without absent features (such as no beard)."""
    return [p for p in view.scene.entity(view.targets[0]).attributes if p.value != "0"]


def minimal(view: SpeakerView) -> tuple[Property, ...]:
    """The first of the smallest sets that only the target has."""
    visible = _visible(view)
    # By size, then in the order of the attributes: the same file whenever it is made.
    sets = (s for size in range(1, len(visible) + 1) for s in combinations(visible, size))
    return next(s for s in sets if view.scene.denotation(s) == view.target_mask)


def chatty(view: SpeakerView) -> tuple[Property, ...]:
    """Return all attributes of the target except its position."""
    return tuple(p for p in _visible(view) if not p.name.endswith("-dimension"))


TOYS = {"toy-minimal": minimal, "toy-chatty": chatty}


def make(system: str) -> Iterator[str]:
    """The lines of one toy speaker's outputs on the default synthetic corpus."""
    for trial in Synthetic().trials():
        properties = TOYS[system](trial.for_speaker())
        description = Description(properties=properties, text=say_plainly(properties))
        yield json_line(output_to_json(trial.id, system, description))


def _write(folder: Path) -> None:
    for system in TOYS:
        write_atomically(folder / f"{system}.jsonl", make(system))


if __name__ == "__main__":
    _write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
