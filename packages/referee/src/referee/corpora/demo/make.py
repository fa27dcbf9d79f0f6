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

from referee.corpora.jsonl import write_json_line
from referee.corpora.outputs import output_to_json
from referee.corpora.synthetic.corpus import Synthetic
from referee.corpora.synthetic.words import phrase_plainly
from referee.files import write_atomically
from referee.records import Description, Property, SpeakerView


def _list_visible(view: SpeakerView) -> list[Property]:
    """Return the visible properties of the target, its position last, without absent features (such as no beard)."""
    return [p for p in view.scene.entity(view.targets[0]).attributes if p.value != "0"]


def describe_minimally(view: SpeakerView) -> tuple[Property, ...]:
    """Return the first of the smallest sets of properties that identify the target."""
    visible = _list_visible(view)
    # By size, then in the order of the attributes: the same file whenever it is made.
    sets = (s for size in range(1, len(visible) + 1) for s in combinations(visible, size))
    return next(s for s in sets if view.scene.denotation(s) == view.target_mask)


def describe_fully(view: SpeakerView) -> tuple[Property, ...]:
    """Return all attributes of the target except its position."""
    return tuple(p for p in _list_visible(view) if not p.name.endswith("-dimension"))


TOYS = {"toy-minimal": describe_minimally, "toy-chatty": describe_fully}


def make_lines(system: str) -> Iterator[str]:
    """Yield the output lines of one toy speaker on the default synthetic corpus."""
    for trial in Synthetic().trials():
        properties = TOYS[system](trial.for_speaker())
        description = Description(properties=properties, text=phrase_plainly(properties))
        yield write_json_line(output_to_json(trial.id, system, description))


def _write(folder: Path) -> None:
    """Write the outputs of all toy systems to a folder."""
    for system in TOYS:
        write_atomically(folder / f"{system}.jsonl", make_lines(system))


if __name__ == "__main__":
    _write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
