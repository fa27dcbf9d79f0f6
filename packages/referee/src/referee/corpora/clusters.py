"""Clusters of trials that are not independent.

The scene, speaker, game or participant that a trial belongs to, as a corpus' card names the sampling unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.errors import UnknownName
from referee.records import Response, Trial

FACTORS = ("scene", "speaker", "game", "participant")


def get_cluster(trial: Trial, factor: str, response: Response | None = None) -> str | None:
    """Return the label of the scene, speaker, game or participant of a trial; None if it is unknown.

    The participant is the hearer of the `response` if one is given, else the person that the corpus names for the
    trial.
    """
    if factor not in FACTORS:
        raise UnknownName("factor", factor, FACTORS, hint=f"one of {', '.join(FACTORS)}")
    return response.hearer if factor == "participant" and response is not None else trial.cluster(factor)


def describe_sampling(sampled: Sequence[str]) -> str:
    """Describe the sampling unit."""
    if not sampled:
        return "unknown: trials are treated as independent"
    kinds = [f"{factor}s" for factor in sampled]
    new = " and ".join(f"new {kind}" for kind in kinds)
    return f"{' and '.join(kinds)}{', crossed' * (len(kinds) > 1)}: intervals generalise to {new}"
