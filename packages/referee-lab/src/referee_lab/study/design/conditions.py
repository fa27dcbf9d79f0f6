"""The conditions of a study: systems, pairs of systems in side-by-side judgements, or none in production studies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from referee.errors import InputError
from referee_lab.study.folder.study import FEWEST_RANKED, VERSUS

# Protocols that show several descriptions of an item at once.
COMPARED = ("judgement-pairwise", "ranking")


def list_conditions(protocol: str, systems: Sequence[str]) -> list[str]:
    """Return the conditions of a study with these systems."""
    for system in systems:
        # Both are used to put names together (ids of stimuli, pairs) and to take them apart again.
        if VERSUS in system or "|" in system or not system:
            raise InputError(f"a system cannot be called {system!r} in a study", remedy="rename it in the outputs")
    if protocol == "production":
        return []
    if protocol == "ranking":
        if len(systems) < FEWEST_RANKED:
            raise InputError("a ranking needs three systems", remedy="name at least three, or take judgement-pairwise")
        return [VERSUS.join(systems)]
    if protocol != "judgement-pairwise":
        return list(systems)
    if len(systems) < 2:
        raise InputError("pairs need two systems", remedy="name at least two")
    return [f"{first}{VERSUS}{other}" for first, other in combinations(systems, 2)]
