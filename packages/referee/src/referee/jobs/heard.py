"""Hearers' results as a table: every measure of hearing by system and hearer, with intervals over the sampling units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from referee import __version__
from referee.contracts import FloatArray
from referee.jobs.score_table import DESIGN, Source, choose_clusters
from referee.metrics.hearing import MEASURES, OVER_ITEMS, OVER_RESPONSES, PEOPLE, Hearing, group_responses
from referee.records import NOTHING, Response, Trial
from referee.signature import explain, fingerprint, text_digests, trial_digests
from referee.statistics.dependent_trials import (
    Clusters,
    average_rows,
    compute_jackknife,
    degrees_of_freedom,
    make_interval,
    spread,
)

PARTICIPANT, GAME, ITEM = "participant", "game", "item"
# Intervals of shares end at 0 and 1; times and repeats have no upper end.
NO_ANSWERS = Hearing(participants=np.empty(0, np.int64), items=np.empty(0, np.int64), values=np.empty((0, 0)))
SHARES = frozenset(name for name in OVER_RESPONSES if not name.endswith("_ms") and name != "repeats")


def make_hearing_rows(
    trials: Iterable[Trial],
    responses: Iterable[Response],
    *,
    cluster: str = DESIGN,
    sampled: tuple[str, ...] | None = None,
    confidence: float = 0.95,
    ties: str = "strict",
    signed: Mapping[str, str] = NOTHING,
) -> list[dict[str, Any]]:
    """Return one row per system, hearer and measure: value, interval, n, and signature.

    Numbers of participants, items, ties and omissions.

    `cluster` selects the units of intervals; `sampled` are the sampling units of the corpus card (None: no card).
    People are always a sampling unit. `signed` are the signatures of simulated hearers.
    """
    trials_by_id = {t.id: t for t in trials}
    groups, excluded = group_responses(responses, trials_by_id)
    rows = []
    for group in dict.fromkeys([*groups, *excluded]):
        hearing, left_out = groups.get(group), dict(excluded.get(group, {}))
        clusters = Clusters()
        if hearing is not None:
            asked = [hearing.trials[i] for i in hearing.items]
            people = [hearing.hearers[p] for p in hearing.participants]
            clusters = find_hearing_clusters(asked, people, trials_by_id, group[1] == PEOPLE, cluster, sampled)
        tail = _sign_answers(hearing or NO_ANSWERS, trials_by_id, clusters.names, signed.get(group[1], ""))
        tail += f"|interval:cr2-satterthwaite-{confidence:g}|ties:{ties}|version:{__version__}"
        made = _make_rows(group, hearing, left_out, clusters, confidence, ties)
        rows += [{**row, "signature": f"{row['measure']}|hearer:{group[1].replace('|', '/')}{tail}"} for row in made]
    return rows


def _sign_answers(hearing: Hearing, trials: Mapping[str, Trial], factors: Sequence[str], signed: str) -> str:
    """Return the part of a signature on answers: settings of their hearer, trials, answers, and clusters with their labels."""
    settings = {key: value for key, value in explain(signed).items() if key not in ("measure", "version")}
    if "passport" in settings:
        # The corpus before the hash is a label, perhaps the name of a file.
        settings["passport"] = ":".join(settings["passport"].split(":")[-2:])
    asked = [trials[name] for name in hearing.trials]
    labels = [[trial.cluster(name) for name in factors if name not in (PARTICIPANT, ITEM)] for trial in asked]
    answers = (
        repr((asked[i].id, labels[i], hearing.hearers[person], *values))
        for i, person, values in zip(hearing.items, hearing.participants, hearing.values.tolist(), strict=True)
    )
    parts = {
        **settings,
        "trials": fingerprint(trial_digests(asked, [()] * len(asked))),
        "answers": fingerprint(text_digests(answers)),
        "cluster": " x ".join(factors) or "none",
    }
    return "".join(f"|{key}:{value}" for key, value in parts.items())


def find_hearing_clusters(
    items: Sequence[str],
    participants: Sequence[str],
    trials: Mapping[str, Trial],
    is_people: bool,
    cluster: str = DESIGN,
    sampled: tuple[str, ...] | None = None,
) -> Clusters:
    """Return clusters of responses by the corpus's design, and by participant if several people outside the game answered.

    Where that makes more than two factors, the two with the fewest clusters are used: they carry most of the uncertainty.
    """
    factors = list(Source(sampled=sampled).factors(cluster))
    # In a game the listener comes with the speaker: clustering by game covers both.
    if cluster == DESIGN and is_people and not {PARTICIPANT, GAME} & set(factors):
        factors.insert(0, PARTICIPANT)
    labels = {
        name: list(participants) if name == PARTICIPANT else [trials[i].cluster(name) for i in items]
        for name in factors
    }
    clusters = choose_clusters(labels, cluster)
    # With people as the only factor the trials would count as fixed, and the interval would hold for these items alone.
    if cluster == DESIGN and not set(clusters.names) - {PARTICIPANT} and len(set(items)) > 1:
        clusters = Clusters.of({**{n: labels[n] for n in clusters.names}, ITEM: list(items)})
    if len(clusters.names) <= 2:
        return clusters
    # Formulas for crossed clusters here know two factors.
    fewest = sorted(zip(clusters.sizes(), clusters.names, clusters.codes, strict=True), key=lambda part: part[0])[:2]
    return Clusters(tuple(name for _, name, _ in fewest), tuple(codes for _, _, codes in fewest))


def _make_rows(
    group: tuple[str, str],
    hearing: Hearing | None,
    left_out: dict[str, int],
    clusters: Clusters,
    confidence: float,
    ties: str,
) -> list[dict[str, Any]]:
    """Return the rows of one system and hearer."""
    if hearing is None:
        estimates = dict.fromkeys(MEASURES, (np.nan, np.nan, np.nan))
        counts, sizes = dict.fromkeys([*MEASURES, "ties"], 0), {"participants": 0, "items": 0}
    else:
        estimates = _measure_group(hearing, clusters, confidence, ties)
        counts = hearing.counts(ties)
        sizes = {"participants": hearing.n_participants, "items": hearing.n_items}
    return [
        {
            "system": group[0],
            "hearer": group[1],
            "measure": name,
            **{key: _replace_nan(x) for key, x in zip(("value", "low", "high"), estimates[name], strict=True)},
            "n": counts[name],
            **sizes,
            "cluster": " x ".join(f"{n} {kind}s" for n, kind in zip(clusters.sizes(), clusters.names, strict=True)),
            **({"ties": counts["ties"]} if name in OVER_ITEMS else {}),
            "excluded": left_out,
        }
        for name in MEASURES
    ]


def _measure_group(
    hearing: Hearing, clusters: Clusters, confidence: float, ties: str
) -> dict[str, tuple[float, float, float]]:
    """Return value and interval of every measure: means over responses, and votes over items."""
    values = hearing.measure(ties=ties)
    estimates = {}
    for i, name in enumerate(OVER_RESPONSES):
        limits = (0.0, 1.0) if name in SHARES else (0.0, None)
        interval = spread(hearing.values[:, [i]], average_rows, clusters, confidence, limits)
        estimates[name] = (values[i], interval.low, interval.high)
    votes = _jackknife_votes(hearing, clusters, confidence, ties)
    for i, name in enumerate(OVER_ITEMS, len(OVER_RESPONSES)):
        estimates[name] = (values[i], *votes[i - len(OVER_RESPONSES)])
    return estimates


def _jackknife_votes(
    hearing: Hearing, clusters: Clusters, confidence: float, ties: str
) -> Sequence[tuple[float, float]]:
    """Return intervals of votes by leaving out each cluster, because votes are not sums over responses.

    The variances of two factors are added, which errs on the wide side.
    """
    nothing = [(np.nan, np.nan)] * len(OVER_ITEMS)
    # One person's vote is no vote of many.
    if not clusters.codes or hearing.n_participants < 2:
        return nothing
    start, whole = len(OVER_RESPONSES), hearing.measure(ties=ties)
    variances = np.zeros(len(OVER_ITEMS))
    degrees = []
    for codes in clusters.codes:
        labels, counts = np.unique(codes, return_counts=True)
        without = np.array([_measure_subset(hearing, codes != c, ties)[start:] for c in labels])
        values = [float(x) for x in whole[start:]]
        variances += [
            compute_jackknife(without[:, i], values[i], counts=counts.astype(float)) for i in range(len(OVER_ITEMS))
        ]
        degrees.append(degrees_of_freedom(counts.astype(float)))
    # The factor with the fewest clusters limits precision.
    df = min(degrees)
    return [
        make_interval(float(whole[start + i]), float(variances[i]), df, confidence, (0.0, 1.0))
        for i in range(len(OVER_ITEMS))
    ]


def _measure_subset(hearing: Hearing, mask: np.ndarray, ties: str) -> FloatArray:
    """Return all measures on some of the responses; NaN where none is left."""
    return hearing.select(mask).measure(ties=ties) if mask.any() else np.full(len(MEASURES), np.nan)


def _replace_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
