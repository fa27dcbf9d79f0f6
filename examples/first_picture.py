"""The picture on the first page: a drawn scene, what a speaker says of the framed object, and where a simulated hearer goes.

python examples/first_picture.py docs/first-picture.svg
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import referee
from referee.records import Entity, Property, Scene, Trial
from referee.show.drawing import draw_scene

ROOM = (
    ("chair", "red", "large", "left", 1, 1),
    ("chair", "red", "small", "left", 3, 1),
    ("chair", "blue", "large", "front", 5, 1),
    ("desk", "red", "large", "front", 2, 2),
    ("sofa", "green", "small", "right", 4, 2),
    ("fan", "grey", "large", "front", 1, 3),
    ("chair", "red", "large", "right", 4, 3),
)
NAMES = ("type", "colour", "size", "orientation", "x-dimension", "y-dimension")
SAID = (("type", "chair"), ("colour", "red"), ("size", "large"))
WORDS, HEAD = "“the large red chair”", 64
# Without a ground of its own, so that it fits light and dark pages.
STYLE = "<style>.head{fill:#222222}.note{fill:#555555}@media (prefers-color-scheme:dark){.head{fill:#eeeeee}.note{fill:#bbbbbb}}</style>"
GROUND = '<rect x="0" y="0" width="512" height="312" fill="#ffffff"/>'


def scene() -> Scene:
    """Seven pieces of furniture; two of them fit what is said."""
    things = (tuple(Property(n, v) for n, v in zip(NAMES, row, strict=True)) for row in ROOM)
    return Scene(entities=tuple(Entity(id=f"e{i}", attributes=a) for i, a in enumerate(things)))


def shares() -> dict[str, float]:
    """How often the noisy hearer would point at each object, if it had to point."""
    trial = Trial(id="first", scene=scene(), targets=("e0",))
    said = referee.Description(text=WORDS, properties=tuple(Property(*pair) for pair in SAID))
    answer = referee.create("hearer", "noisy").resolve(said, trial.for_hearer(Random(1)))
    belief = {name: share for name, share in answer.probabilities or () if name not in ("several", "none")}
    return {name: share / sum(belief.values()) for name, share in belief.items()}


def picture() -> str:
    found = shares()
    labels = {e.id: f"{100 * found.get(e.id, 0):.0f}%" for e in scene().entities}
    drawn = draw_scene(scene(), mark=["e0"], numbers=labels).replace(GROUND, "")
    label = "Seven pieces of furniture, a large red chair framed. Said: the large red chair. A hearer is undecided between it and the other large red chair."
    text = '<text x="256" y="{y}" text-anchor="middle" font-family="Georgia, serif" font-size="{size}" class="{kind}">{words}</text>'
    head = text.format(y=27, size=22, kind="head", words=WORDS)
    note = text.format(
        y=52, size=15, kind="note", words="framed: what was meant; per cent: where a simulated hearer points"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 {312 + HEAD}" width="512" height="{312 + HEAD}" role="img" aria-label="{label}">'
        f'{STYLE}{head}{note}<g transform="translate(0 {HEAD})">{drawn}</g></svg>\n'
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
