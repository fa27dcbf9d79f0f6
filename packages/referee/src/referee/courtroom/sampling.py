"""The sampling units of the answers to a run: the factors that are resampled, from the corpus card or from `--cluster`.

These are scenes, speakers or games, by the design of the corpus, and people, unless a game includes speaker and hearer.
Without recurring units they are the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.corpora.clusters import get_cluster
from referee.jobs.score_table import DESIGN, Source, choose_clusters
from referee.metrics.hearing import PEOPLE
from referee.records import Trial
from referee.statistics.dependent_trials import Clusters

PARTICIPANT, GAME, ITEM = "participant", "game", "item"


class Asked(NamedTuple):
    """The origin of one answer: corpus, trial and participant."""

    origin: str
    trial: Trial
    participant: str


def cluster_answers(answers: Sequence[Asked], hearer: str, cluster: str, sampled: tuple[str, ...] | None) -> Clusters:
    """Return the clusters of answers over all factors of the design, or over one chosen factor."""
    factors = list_factors(hearer, cluster, sampled)
    clusters = choose_clusters({name: [_find_unit(a, name) for a in answers] for name in factors}, cluster)
    if cluster == PARTICIPANT or set(clusters.names) - {PARTICIPANT}:
        return clusters
    items = Clusters.of({ITEM: [f"{a.origin}/{a.trial.id}" for a in answers]})
    return Clusters((*clusters.names, *items.names), (*clusters.codes, *items.codes))


def list_factors(hearer: str, cluster: str, sampled: tuple[str, ...] | None) -> list[str]:
    """Return the factors of a hearer's answers, of which those that recur are used."""
    factors = list(Source(sampled=sampled).factors(cluster))
    if cluster == DESIGN and hearer == PEOPLE and not {PARTICIPANT, GAME} & set(factors):
        factors.append(PARTICIPANT)
    return factors


def _find_unit(answer: Asked, factor: str) -> str | None:
    """Return the unit of an answer in a factor; None if it has none."""
    if factor == PARTICIPANT:
        return answer.participant
    label = get_cluster(answer.trial, factor)
    return None if label is None else f"{answer.origin}/{label}"


def format_clusters(clusters: Clusters) -> str:
    """Return the numbers of clusters as text, such as ``13 scenes x 57 speakers``."""
    return " x ".join(f"{n:,} {name}{'s' * (n != 1)}" for name, n in zip(clusters.names, clusters.sizes(), strict=True))
