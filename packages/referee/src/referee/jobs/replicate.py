"""Replicates a challenge.

Runs its systems on the available corpus, compares the scores with print, and gives reasons for differences (`referee
replicate`).

The test sets are not public, so our scores come from folds of the public corpus: the order of the systems should agree,
and roughly the numbers. Systems with words are run twice: with their algorithm, and with its broken strings corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from referee import catalogue
from referee.capabilities import LearnsFirst
from referee.contracts import Batch, FloatArray, Metric
from referee.corpora.outputs import Output
from referee.engines.local import LocalEngine
from referee.jobs.challenge_tasks import BOTH, DOMAINS, ChallengeTask, PrintedMeasure, load_task
from referee.jobs.folder import Run
from referee.jobs.folds import RunPlan, cut_folds
from referee.jobs.open import Answers, Opened, open_outputs
from referee.jobs.run import Watch, run
from referee.jobs.score import ScoreTable, Settings, score_trials
from referee.jobs.speak import System
from referee.records import Trial
from referee.statistics.correlation import spearman
from referee.systems.roster import GROUPS

UNMENDED = "|mended:no"
Row = Mapping[str, Any]


def replicate(
    name: str,
    opened: Opened,
    out: Path,
    folds: int = 5,
    seed: int = 1,
    jobs: int = 1,
    least_words: int = 0,
    draws: int = 0,
    trained_on: int | None = None,
    peers: Sequence[str] = (),
    watch: Watch = lambda total: lambda n: None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Run a task's systems into the run folder `out` and compare.

    `options` are those of `referee.jobs.run.run`.

    With `least_words` only trials whose first reference has that many words are scored (all are used for training).
    With `draws`, each row has the range of its value under the printed protocol (`draw_protocol`), if the task has one.
    With `trained_on` the first so many trials are the challenge's own training trials, the others its test trials;
    outputs of `peers` (files, with or without a label of the printed table) are scored beside the systems.
    """
    task = load_task(name)
    written = [w for full in task.systems() for w in _list_variants(full)]
    plan = RunPlan(systems=tuple(map(System.read, written)), folds=folds, by=task.by, seed=seed, trained_on=trained_on)
    run(plan, opened, out, engine=LocalEngine(jobs), watch=watch, **options)
    trials = list(Run(out).trials())
    scored = [t for t in trials if len((t.references[0].text or "").split()) >= least_words]
    answers = open_outputs(str(out), lenient=True)
    for output in sample_people(task.people if trained_on is None else (), trials, seed):
        answers.add(output)
    labels = [_add_peer(answers, peer, {t.id for t in trials}) for peer in peers]
    # No resampling, since the spread over folds stands beside the values; lenient, since systems may be silent.
    settings = Settings(metrics=tuple(m.metric for m in task.measures), by=("domain",), resamples=0, lenient=True)
    parts = [test for _, test in cut_folds(plan, trials)] if trained_on is None else [trials]
    rows = compare_with_print(task, score_trials(answers, lambda: scored, settings), parts, labels)
    if task.test_items and draws and trained_on is None:
        add_protocol(rows, draw_protocol(task, answers, scored, written, draws, seed))
    return [{key: value for key, value in row.items() if key != "written"} for row in rows]


def _list_variants(system: str) -> list[str]:
    """Return a system as published and with corrected strings, if its realiser can correct them."""
    return [system + UNMENDED, system] if catalogue.entry("system", system).tags["mended"] else [system]


def _add_peer(answers: Answers, peer: str, ids: Set[str]) -> str:
    """Add the outputs of a peer under its printed label; return the label."""
    label, separator, path = peer.partition("=")
    label, path = (label, path) if separator else (Path(peer).name.partition(".")[0], peer)
    outputs = open_outputs(path)
    outputs.check_complete(ids)
    for output in (o for of_system in outputs.by_system.values() for o in of_system.values()):
        answers.add(output._replace(system=label))
    return label


def _find_other_speakers(trials: Iterable[Trial], pool: Iterable[Trial]) -> Iterator[tuple[Trial, list[Trial]]]:
    """Yield every trial with the trials of a pool that other speakers have of the same scene and condition."""
    pools: dict[tuple[str | None, str | None], list[Trial]] = {}
    for trial in pool:
        pools.setdefault((trial.scene.id, trial.condition), []).append(trial)
    for trial in trials:
        beside = pools.get((trial.scene.id, trial.condition), ())
        yield trial, [t for t in beside if t.speaker != trial.speaker]


def sample_people(labels: Sequence[str], trials: Sequence[Trial], seed: int) -> Iterator[Output]:
    """Yield, for every trial, the descriptions of random other speakers of its scene and condition."""
    described = [t for t in trials if t.references]
    for trial, others in _find_other_speakers(trials, described) if labels else ():
        drawn = Random(f"{seed} {trial.id}").sample(others, min(len(labels), len(others)))
        for label, other in zip(labels, drawn, strict=False):
            yield Output(trial.id, label, other.references[0], "", None)


def compare_with_print(
    task: ChallengeTask, table: ScoreTable, folds: Sequence[Iterable[Trial]], peers: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return our scores beside the printed ones, with the value of every fold.

    The systems in the order of the catalogue, then people and peers.
    """
    part_of = {t.id: i for i, fold in enumerate(folds) for t in fold}
    fold = np.array([part_of[t] for t in table.trials])
    domain = np.array([d or "" for d in table.groups["domain"]])
    labels = {w: label for full, label in task.systems().items() for w in _list_variants(full)}
    rows = []
    for system, label in {**labels, **{p: p for p in (*task.people, *peers)}}.items():
        for measure in task.measures:
            for where in measure.columns:
                mask = np.ones(len(fold), bool) if where == BOTH else domain == where
                parts = [_average_items(table, system, measure, mask & (fold == f)) for f in range(len(folds))]
                spread = [x for x in parts if x is not None]
                ours, printed = _average_items(table, system, measure, mask), task.printed(label, measure, where)
                rows.append(
                    {
                        **_describe_replicated_system(system),
                        **({"system": f"{system} (peer)", "evidence": "peer"} if system in peers else {}),
                        "written": system,
                        "domain": where,
                        "metric": measure.metric,
                        "ours": ours,
                        "low": min(spread, default=None),
                        "high": max(spread, default=None),
                        "folds": parts,
                        "published": printed,
                        "difference": None if ours is None or printed is None else ours - printed,
                    }
                )
    return rows


Value = tuple[str, str, str]
"""A system as written, a metric, and a domain."""


def draw_protocol(
    task: ChallengeTask, answers: Answers, trials: Sequence[Trial], systems: Sequence[str], draws: int, seed: int
) -> dict[Value, list[float]]:
    """Return the values of systems in random draws of the printed protocol, in printed units.

    A draw has `task.test_items` trials of each domain, each with a second reference: another speaker's description of
    the same scene in the same condition.
    """
    others = {trial.id: beside for trial, beside in _find_other_speakers(trials, trials)}
    by_domain = {
        domain: [t for t in trials if t.domain == domain and others[t.id]] for domain in DOMAINS if domain != BOTH
    }
    values: dict[Value, list[float]] = {}
    for number in range(draws):
        rng = Random(f"protocol {seed} {number}")
        drawn = {d: rng.sample(pool, min(task.test_items, len(pool))) for d, pool in by_domain.items()}
        references = {
            t.id: (*t.references, *rng.choice(others[t.id]).references) for part in drawn.values() for t in part
        }
        drawn[BOTH] = [t for part in drawn.values() for t in part]
        for system, measure in product(systems, task.measures):
            outputs = answers.by_system[system]
            for domain in measure.columns:
                items = [t for t in drawn[domain] if t.id in outputs]
                batch = Batch.of([outputs[t.id].description for t in items], items, [references[t.id] for t in items])
                value = _measure(measure, batch)
                if value is not None:
                    values.setdefault((system, measure.metric, domain), []).append(value)
    return values


def _measure(measure: PrintedMeasure, batch: Batch) -> float | None:
    """Return the mean of a measure over a batch in printed units; None without values."""
    metric = catalogue.configure("metric", measure.metric)
    if isinstance(metric, LearnsFirst):
        metric.learn(batch)
    return _finish(measure, metric, metric.statistics(batch))


def _finish(measure: PrintedMeasure, metric: Metric, rows: FloatArray) -> float | None:
    """Return the value of a metric over rows of statistics in printed units; None without values."""
    # As in a table of scores: missing values are left out, not counted as 0.
    rows = rows[~np.isnan(rows).any(axis=1)]
    if not len(rows):
        return None
    value = float(metric.finish(rows.sum(axis=0), np.asarray(len(rows), dtype=float)))
    return None if np.isnan(value) else value * measure.units


def add_protocol(rows: Iterable[dict[str, Any]], values: Mapping[Value, Sequence[float]]) -> None:
    """Add the mean and the range of the draws to each row, and whether the printed value is in the range."""
    for row in rows:
        written = row["written"]
        drawn = values.get((written, row["metric"], row["domain"]), ())
        low, high = min(drawn, default=None), max(drawn, default=None)
        printed = row["published"]
        is_inside = None if printed is None or low is None or high is None else bool(low <= printed <= high)
        row |= {
            "protocol": sum(drawn) / len(drawn) if drawn else None,
            "protocol_low": low,
            "protocol_high": high,
            "draws": len(drawn),
            "published_in_range": is_inside,
        }


def _describe_replicated_system(written: str) -> dict[str, Any]:
    """Return what the catalogue says of a system: evidence, what is fitted, and whether it is a floor or corrected.

    The system is written GROUP/NAME, with UNMENDED for uncorrected words. A name without a group stands for people.
    """
    full = written.removesuffix(UNMENDED)
    group, _, name = full.partition("/")
    if not name:
        return {"system": full, "evidence": None, "fitted": [], "floor": False, "mended": False, "people": True}
    row = GROUPS[group].TABLE[name]
    # Systems without words have none to correct.
    mended = row.mended and full == written
    about = {"evidence": row.evidence, "fitted": list(row.fitted), "floor": row.floor}
    return {"system": name, **about, "mended": mended, "people": False}


def _average_items(table: ScoreTable, system: str, measure: PrintedMeasure, mask: np.ndarray) -> float | None:
    """Return a system's score on some items in printed units; None without values."""
    if (system, measure.metric) not in table.rows:
        return None
    return _finish(measure, table.metrics[system, measure.metric], table.rows[system, measure.metric][mask])


# -- agreement ---------------------------------------------------------------------------------------------------------------


def summarise(name: str, rows: Iterable[Row], other_cuts: Sequence[Iterable[Row]] = ()) -> dict[str, Any]:
    """Return the agreement over systems, by the first measure over both domains and for every column: Spearman's rho
    and mean absolute difference.

    Rho is given over all systems, without those at the floor, without those with settings fitted to print, and without
    either, each with its lowest and highest value over folds and, with several splits (`other_cuts`), over splits.
    Systems with words have every column twice: with their algorithm, and corrected.
    """
    main = load_task(name).measures[0].metric
    cuts = [dict(_group_rows(part)) for part in (rows, *other_cuts)]
    columns = [
        {
            "metric": metric,
            "domain": domain,
            "mended": mended,
            **_compute_agreement([c[metric, domain, mended] for c in cuts]),
        }
        for metric, domain, mended in cuts[0]
    ]
    first = next(c for c in columns if (c["metric"], c["domain"]) == (main, BOTH))
    return {**first, "columns": columns}


def _group_rows(rows: Iterable[Row]) -> Iterator[tuple[tuple[str, str, bool], list[Row]]]:
    """Return the rows that can be compared, by measure, domain and whether strings were corrected.

    The algorithms alone come first.
    """
    columns: dict[tuple[str, str, bool], list[Row]] = {}
    for row in rows:
        if not row.get("people"):
            columns.setdefault((row["metric"], row["domain"], bool(row.get("mended"))), []).append(row)
    for key, part in sorted(columns.items(), key=lambda item: item[0][2]):
        # Only systems with both numbers, or correlation and difference would be about different systems.
        yield key, [r for r in part if r["difference"] is not None]


def _compute_agreement(cuts: Sequence[Sequence[Row]]) -> dict[str, Any]:
    """Return the agreement of one column, over systems and splits."""
    rows = cuts[0]
    chosen: dict[str, Callable[[Row], bool]] = {
        "spearman": lambda row: True,
        "spearman_without_floor": lambda row: not row.get("floor"),
        "spearman_unfitted": lambda row: not row.get("fitted"),
        "spearman_unfitted_without_floor": lambda row: not (row.get("fitted") or row.get("floor")),
    }
    correlations: dict[str, Any] = {}
    for key, belongs in chosen.items():
        correlations |= _summarise_rho(key, [[r for r in part if belongs(r)] for part in cuts])
    protocol = [r for r in rows if r.get("protocol") is not None]
    return {
        **correlations,
        "protocol_in_range": sum(bool(r["published_in_range"]) for r in protocol) if protocol else None,
        "protocol_n": len(protocol),
        "protocol_mean_absolute_difference": _take_mean(abs(r["protocol"] - r["published"]) for r in protocol),
        "mean_absolute_difference": _take_mean(abs(r["difference"]) for r in rows),
        "mean_absolute_difference_faithful": _take_mean(
            abs(r["difference"]) for r in rows if r["evidence"] == "faithful"
        ),
        "n": len(rows),
    }


def _summarise_rho(key: str, cuts: Sequence[Sequence[Row]]) -> dict[str, Any]:
    """Return Spearman's rho for the first split, its number of systems, and its range over folds and splits."""
    folds = [[{**r, "ours": r["folds"][f]} for r in part] for part in cuts for f in range(_split_folds(part))]
    return {
        key: _correlate(cuts[0]),
        f"{key}_n": len(cuts[0]),
        f"{key}_folds": _find_range(map(_correlate, folds)),
        f"{key}_seeds": _find_range(map(_correlate, cuts)) if len(cuts) > 1 else None,
    }


def _split_folds(rows: Sequence[Row]) -> int:
    return min((len(r.get("folds") or ()) for r in rows), default=0)


def _correlate(rows: Sequence[Row]) -> float | None:
    """Return Spearman's rho of rows with printed values."""
    pairs = [(r["ours"], r["published"]) for r in rows if r["ours"] is not None]
    return spearman([ours for ours, _ in pairs], [printed for _, printed in pairs]).r


def _find_range(values: Iterable[float | None]) -> list[float] | None:
    numbers = [v for v in values if v is not None]
    return [min(numbers), max(numbers)] if numbers else None


def _take_mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
