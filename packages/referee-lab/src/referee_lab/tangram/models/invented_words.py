"""Words for invented references, with the shares of attributes of the Japanese corpus (Iida, Kobayashi & Tokunaga 2010, table 1)."""

from __future__ import annotations

import numpy as np

from referee.records import Event
from referee_lab.tangram.models.history import NEAR_MS, Situation
from referee_lab.tangram.tiers.dialogue import OPERATOR

# Of the 694 expressions without a pronoun: demonstrative adjective 194, shape 566, projective relation 143, action mentioned 85.
# Size is named 223 times; only the five triangles differ in size, so it is said of 223 in 694·5/7 of them.
DEMONSTRATIVE, SHAPE, SIZE, SIDE, DONE = 194 / 694, 566 / 694, 223 / (694 * 5 / 7), 143 / 694, 85 / 694
SIDES = ("on the left", "on the right", "at the top", "at the bottom")
SENTENCES = (
    "put {} a bit further up",
    "now turn {} round",
    "move {} to the left please",
    "so {} goes next to the edge",
    "then we take {}",
    "and {} fits there I think",
)
DEEDS = {"move": "moved", "rotate": "turned", "flip": "flipped"}


def say(
    event: Event, situation: Situation | None, pronoun: bool, rng: np.random.Generator
) -> tuple[str, str, tuple[str, ...]]:
    """Expression, sentence and attribute codes."""
    if situation is None:
        words, attributes = "those two", ["dad", "num"]
    elif pronoun:
        # Of *kore*, *sore* and *are* the solver's is *sore* (Spanger et al. 2013); the operator has the piece at hand.
        words, attributes = ("this" if event.by == OPERATOR else "that"), ["dpr"]
    else:
        words, attributes = _describe(situation, rng)
    sentence = str(rng.choice(SENTENCES)).format(words)
    return words, sentence, tuple(attributes)


def _describe(situation: Situation, rng: np.random.Generator) -> tuple[str, list[str]]:
    """Return a random description of the target, with its codes."""
    piece, standing = situation.pieces[situation.target], situation.standing
    parts, attributes = ["the"], []
    if rng.random() < DEMONSTRATIVE:
        parts, attributes = ["that"], ["dad"]
    if piece["shape"] == "triangle" and rng.random() < SIZE:
        parts.append(piece["size"])
        attributes.append("siz")
    if rng.random() < SHAPE:
        parts.append(piece["shape"])
        attributes.append("typ")
    else:
        parts.append("one")
    if rng.random() < SIDE:
        parts.append(str(rng.choice(SIDES)))
        attributes.append("prj")
    if standing.last_action is not None and rng.random() < DONE:
        # *ima* goes with actions up to about 10 s ago, *sakki* with older ones (Spanger et al. 2009).
        recent = standing.since_action is not None and standing.since_action <= NEAR_MS
        parts.append(f"you {'just ' if recent else ''}{DEEDS[standing.last_action]}{'' if recent else ' before'}")
        attributes.append("act")
    return " ".join(parts), attributes
