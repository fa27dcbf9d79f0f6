"""Proportions of the objects that hearers chose (or their mean probabilities), by system and hearer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.metrics.hearing import PEOPLE
from referee.records import HUMAN, Outcome, Response

__all__ = ["Shares", "choice_shares"]

Shares = tuple[int, list[tuple[str, float]]]
"""How many answers there are, and the share of every object or outcome that got one, the largest first; pages show whole percents."""
LEAST = 0.015


def choice_shares(responses: Iterable[Response]) -> dict[str, dict[tuple[str, str], Shares]]:
    """Return proportions by trial, then by system and hearer; all people are one hearer.

    Proportions below 1.5 per cent are left out, because an uncertain hearer gives a little to every object.
    """
    sums: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    counts: dict[tuple[str, str, str], int] = {}
    for r in responses:
        hearer = PEOPLE if r.probabilities is None else r.hearer
        system = HUMAN if r.system is None else r.system
        weights = sums.setdefault(r.trial, {}).setdefault((system, hearer), {})
        counts[r.trial, system, hearer] = counts.get((r.trial, system, hearer), 0) + 1
        for what, share in belief_of(r).items():
            weights[what] = weights.get(what, 0.0) + share
    return {
        trial: {key: _shares(weights, counts[trial, *key]) for key, weights in groups.items()}
        for trial, groups in sums.items()
    }


def belief_of(response: Response) -> Mapping[str, float]:
    """Return a simulated hearer's probabilities; for a person, 1 for the answer."""
    if response.probabilities is not None:
        return dict(response.probabilities)
    chosen = response.entity if response.outcome is Outcome.ENTITY else None
    return {chosen or response.outcome.value: 1.0}


def _shares(sums: Mapping[str, float], n: int) -> Shares:
    shares = [(what, round(total / n, 2)) for what, total in sums.items() if total / n >= LEAST]
    return n, sorted(shares, key=lambda pair: -pair[1])
