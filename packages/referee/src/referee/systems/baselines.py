"""Baseline speakers as named systems; `referee.selection.baselines` implements them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems.components import EVERYTHING, NEAREST_WORDS, RANDOM_DISTINGUISHING, TYPE_ONLY, Component
from referee.systems.entries import OURS, SystemRow, build_selector, build_speaker

if TYPE_CHECKING:
    from referee.contracts import Selector
    from referee.systems.speaker import Composed

NO_TEAM = "–"

# fmt: off
TABLE: dict[str, SystemRow] = {
    "everything": SystemRow(NO_TEAM, 2026, OURS, "all that is true of the target",
        Component(EVERYTHING), learns=False),
    "type": SystemRow(NO_TEAM, 2026, OURS, "only the type",
        Component(TYPE_ONLY), learns=False),
    "random": SystemRow(NO_TEAM, 2026, OURS, "properties in random order until the target is singled out, and its type",
        Component(RANDOM_DISTINGUISHING), learns=False),
    "nearest-words": SystemRow(NO_TEAM, 2026, OURS, "a speaker's description of the most similar target, word for word",
        Component(NEAREST_WORDS), Component(NEAREST_WORDS), mended=False),
}
# fmt: on


def selector(name: str) -> Selector:
    """Return the selector of a baseline, untrained."""
    return build_selector(TABLE, name)


def system(name: str, mended: bool = False, seed: int = 0) -> Composed:
    """Return a baseline as a speaker; repeated human words are not corrected unless requested."""
    draws = {"seed": seed} if name == "random" else {}
    return build_speaker(TABLE, name, mended, switches=draws)
