"""Two toy speakers between which every real one lies, and the files of what they say: ``python -m referee.corpora.demo.make [FOLDER]``.

*toy-minimal* says as little as possible (Dale's full brevity, 1989, taken to the letter: a type only where it is needed, a place where that is shorter);
*toy-chatty* says the type, the colour and whatever else the target looks like. Both are deterministic, so anybody can make the files again.
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
    """What can be seen of the target, its place last: nothing that is not there, such as a beard that somebody has not."""
    return [p for p in view.scene.entity(view.targets[0]).attributes if p.value != "0"]


def minimal(view: SpeakerView) -> tuple[Property, ...]:
    """The first of the smallest sets that only the target has."""
    visible = _visible(view)
    # By size, then in the order of the attributes: the same file whenever it is made.
    sets = (s for size in range(1, len(visible) + 1) for s in combinations(visible, size))
    return next(s for s in sets if view.scene.denotation(s) == view.target_mask)


def chatty(view: SpeakerView) -> tuple[Property, ...]:
    """Everything about the target but its place, needed or not."""
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
