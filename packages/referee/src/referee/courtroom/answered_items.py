"""The values and answers of a run by item.

Does a better-scored description get found more often and faster, and does a measure rank systems as hearers do?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan, nan

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.admissions import OF_PEOPLE, Admission
from referee.courtroom.heard_runs import HeardRun, RowNames, SampledAnswer, TrialSettings, find_sampling_units
from referee.courtroom.item_evidence import Association, LeftOut, auc, leave_out_auc, rank_correlation
from referee.courtroom.pooling import (
    MeasureDifference,
    PooledEvidence,
    SystemComparison,
    compare_measures,
    compare_systems,
    pool_measures,
)
from referee.courtroom.printed_evidence import find_direction
from referee.courtroom.ranking_evidence import RankingEvidence, make_matrix, rank_measures
from referee.courtroom.sampling import Asked, cluster_answers, format_clusters
from referee.engines.calls import call_all
from referee.metrics.hearing import HUMAN, OVER_RESPONSES, PEOPLE
from referee.statistics.comparisons import adjust
from referee.statistics.dependent_trials import Clusters

LEAST_FOR_CEILING = 100
"""Fewest answers, to descriptions with several of them, from which a ceiling is estimated."""
TIMES = ("reading_ms", "identification_ms", "combined_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEvidence:
    """One automatic measure against a hearer's results, answer by answer.

    `kind` is "auc" (success) or "rho" (a time), `over` the units of its interval.
    """

    automatic: str
    hearer: str
    kind: str
    better: str
    found: Association
    over: str = ""
    admission: Admission = OF_PEOPLE


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer: the row of its description, the index of the item, and its results (columns of OVER_RESPONSES)."""

    row: str
    item: str
    asked: Asked
    values: Mapping[str, float]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCeiling:
    """How well the success of other people with the same description predicts success: AUC over the answers of one corpus."""

    hearer: str
    corpus: str
    auc: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverItems:
    """All evidence over items: of every measure, over corpora, between measures, of measures as rankings, between systems, and of people."""

    items: list[ItemEvidence]
    rankings: list[RankingEvidence]
    pooled: list[PooledEvidence]
    differences: list[MeasureDifference]
    systems: list[SystemComparison]
    ceilings: list[ItemCeiling]


def try_items(heard: Sequence[HeardRun], names: RowNames, settings: TrialSettings) -> OverItems:
    """Test every measure with values per item against the success and times of every hearer."""
    tables = [run.item_values() for run in heard]
    pooled: list[PooledEvidence] = []
    differences: list[MeasureDifference] = []
    systems: list[SystemComparison] = []
    sampled = [s for run in heard for s in run.samples]
    metrics = list(dict.fromkeys((*(m for table in tables for m in table), *(m for s in sampled for m in s.scores))))
    ceilings: list[ItemCeiling] = []
    evidence: list[ItemEvidence] = []
    to_rank: list[tuple[str, FloatArray, dict[str, FloatArray], int, int]] = []
    admissions = {h: a for run in heard for h, a in run.admissions.items()}
    for hearer, admission in admissions.items() if metrics else ():
        answers = [
            a for run, table in zip(heard, tables, strict=True) for a in _list_answers(run, table, hearer, names)
        ]
        of_all = [*answers, *(map(_make_sampled_answer, sampled) if hearer == PEOPLE else ())]
        asked = [a.asked for a in of_all]
        clusters = cluster_answers(asked, hearer, settings.cluster, find_sampling_units(heard))
        if not admission.refused:
            parts = _measure_success_by_corpus(metrics, hearer, of_all, heard, settings)
            pooled += pool_measures(parts, f"{hearer}: success")
            differences += compare_measures(parts, f"{hearer}: success")
        if not admission.simulated:
            systems += _compare_systems_by_corpus(answers)
            ceilings += _find_ceilings(hearer, of_all, heard, settings)
        tasks = [(metric, hearer, of_all, clusters, settings.seed, admission) for metric in metrics]
        if settings.engine is None:
            for each in settings.progress(tasks, f"{hearer}: item by item"):
                evidence += _test_metric_over_items(*each)
        else:
            evidence += [
                e
                for batch in call_all(settings.engine, [(_test_metric_over_items, g) for g in tasks], settings.shard)
                for e in batch
            ]
        if settings.permutations:
            to_rank.append(
                (f"{hearer}: success", *_make_matrices(metrics, answers), settings.permutations, settings.seed)
            )
    if settings.engine is None:
        ranked = [rank_measures(*each, progress=settings.progress) for each in to_rank]
    else:
        ranked = call_all(settings.engine, [(rank_measures, each) for each in to_rank], settings.shard)
    return OverItems(
        items=_correct_p_values(evidence),
        rankings=[r for batch in ranked for r in batch],
        pooled=pooled,
        differences=differences,
        systems=systems,
        ceilings=ceilings,
    )


def _make_sampled_answer(sample: SampledAnswer) -> _Answer:
    """Return an answer to a sample of a speaker; every text is an item of its own."""
    return _Answer(
        row="",
        item=f"{sample.origin}/{sample.trial.id}/{sample.text}",
        asked=Asked(sample.origin, sample.trial, sample.participant),
        values=dict.fromkeys(OVER_RESPONSES, nan) | {"ir": float(sample.is_right)},
        scores=sample.scores,
    )


def _find_ceilings(
    hearer: str, answers: Sequence[_Answer], heard: Sequence[HeardRun], settings: TrialSettings
) -> list[ItemCeiling]:
    """Return the ceilings by corpus: people compared with other people who answered the same description."""
    success: dict[tuple[str, str], list[float]] = {}
    for a in answers:
        success.setdefault((a.row, a.item), []).append(a.values["ir"])
    several = [a for a in answers if len(success[a.row, a.item]) > 1]
    ceilings = []
    for origin in dict.fromkeys(a.asked.origin for a in several):
        some = [a for a in several if a.asked.origin == origin]
        all_of = [success[a.row, a.item] for a in some]
        others = [(sum(s) - a.values["ir"]) / (len(s) - 1) for a, s in zip(some, all_of, strict=True)]
        clusters = cluster_answers([a.asked for a in some], hearer, settings.cluster, find_sampling_units(heard))
        found = auc(others, [a.values["ir"] for a in some], clusters, seed=settings.seed)
        if found.value is not None and found.n >= LEAST_FOR_CEILING:
            ceilings.append(
                ItemCeiling(
                    hearer=f"{hearer}: success",
                    corpus=origin,
                    auc=found.value,
                    low=found.low,
                    high=found.high,
                    n=found.n,
                )
            )
    return ceilings


def _measure_success_by_corpus(
    metrics: Sequence[str], hearer: str, answers: Sequence[_Answer], heard: Sequence[HeardRun], settings: TrialSettings
) -> dict[str, dict[str, LeftOut]]:
    """Return AUCs for success, also without each cluster, by corpus and measure."""
    parts: dict[str, dict[str, LeftOut]] = {}
    turn = {m: {"higher": 1.0, "lower": -1.0}.get(find_direction(m), 0.0) for m in metrics}
    for origin in dict.fromkeys(a.asked.origin for a in answers):
        some = [a for a in answers if a.asked.origin == origin]
        clusters = cluster_answers([a.asked for a in some], hearer, settings.cluster, find_sampling_units(heard))
        success = [a.values["ir"] for a in some]
        for metric in metrics:
            if not turn[metric]:
                continue
            scores = [turn[metric] * a.scores[metric] if metric in a.scores else None for a in some]
            part = leave_out_auc(scores, success, clusters, seed=settings.seed)
            if not isnan(part.value):
                parts.setdefault(origin, {})[metric] = part
    return parts


def _compare_systems_by_corpus(answers: Sequence[_Answer]) -> list[SystemComparison]:
    """Compare the success of systems item by item within each corpus (or set of items)."""
    right: dict[str, dict[str, dict[str, list[float]]]] = {}
    for a in answers:
        if a.row.rpartition("/")[2] != HUMAN:
            right.setdefault(a.asked.origin, {}).setdefault(a.row, {}).setdefault(a.item, []).append(a.values["ir"])
    return [
        comparison
        for origin, rows in right.items()
        for comparison in compare_systems(
            {row: {i: sum(v) / len(v) for i, v in items.items()} for row, items in rows.items()}, origin
        )
    ]


def _correct_p_values(evidence: Sequence[ItemEvidence]) -> list[ItemEvidence]:
    """Return the evidence with p values corrected (Holm) over all measures of the same answers."""
    corrected: dict[int, float | None] = {}
    for hearer in dict.fromkeys(e.hearer for e in evidence):
        members = [i for i, e in enumerate(evidence) if e.hearer == hearer]
        corrected |= dict(zip(members, adjust([evidence[i].found.p for i in members]), strict=True))
    return [replace(e, found=replace(e.found, p_corrected=corrected[i])) for i, e in enumerate(evidence)]


def _list_answers(
    run: HeardRun, table: Mapping[str, Mapping[tuple[str, str], float]], hearer: str, names: RowNames
) -> Iterable[_Answer]:
    """Return the results of each answer of a hearer with the scores of the description."""
    columns = list(OVER_RESPONSES)
    for (system, answerer), hearing in run.hearings.items():
        if answerer != hearer:
            continue
        row = names.name_row(run, system)
        rows = zip(hearing.participants.tolist(), hearing.items.tolist(), hearing.values.tolist(), strict=True)
        for person, item, values in rows:
            trial = hearing.trials[item]
            yield _Answer(
                row=row,
                item=f"{run.source.corpus}/{trial}",
                asked=Asked(run.name_origin(trial), run.trials[trial], hearing.hearers[person]),
                values=dict(zip(columns, values, strict=True)),
                scores={
                    m: metric_scores[system, trial]
                    for m, metric_scores in table.items()
                    if (system, trial) in metric_scores
                },
            )


def _test_metric_over_items(
    metric: str,
    hearer: str,
    answers: Sequence[_Answer],
    clusters: Clusters,
    seed: int,
    admission: Admission,
) -> list[ItemEvidence]:
    """Test one metric item by item: against success (AUC) and against each time (rank correlation)."""
    scores, better = [a.scores.get(metric) for a in answers], find_direction(metric)
    sign = -1.0 if better == "lower" else 1.0
    turned = [None if s is None else sign * s for s in scores]
    make_evidence = partial(
        ItemEvidence, automatic=metric, better=better, over=format_clusters(clusters), admission=admission
    )
    association = auc(turned, [a.values["ir"] for a in answers], clusters, seed=seed)
    evidence = [make_evidence(hearer=f"{hearer}: success", kind="auc", found=association)]
    for time in TIMES:
        times = [None if isnan(a.values[time]) else a.values[time] for a in answers]
        if any(t is not None for t in times):
            association = rank_correlation(scores, times, clusters, seed=seed)
            evidence.append(make_evidence(hearer=f"{hearer}: {time}", kind="rho", found=association))
    return evidence


def _make_matrices(metrics: Sequence[str], answers: Sequence[_Answer]) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return success, and all measures that have a better direction, as matrices of systems by items.

    People's own descriptions are left out as a system.
    """
    answers = [a for a in answers if a.row.rpartition("/")[2] != HUMAN]
    rows, items = (list(dict.fromkeys(part)) for part in ([a.row for a in answers], [a.item for a in answers]))
    right: dict[tuple[str, str], list[float]] = {}
    for answer in answers:
        right.setdefault((answer.row, answer.item), []).append(answer.values["ir"])
    # Most were answered once, and a mean of one costs more than all the rest.
    means = {
        key: successes[0] if len(successes) == 1 else float(np.mean(successes)) for key, successes in right.items()
    }
    human = make_matrix(rows, items, means)
    turn = {m: {"higher": 1.0, "lower": -1.0}.get(find_direction(m), 0.0) for m in metrics}
    matrices = {
        m: turn[m] * make_matrix(rows, items, {(a.row, a.item): a.scores[m] for a in answers if m in a.scores})
        for m in metrics
        if turn[m]
    }
    return human, matrices
