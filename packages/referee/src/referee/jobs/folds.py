"""How a run cuts its corpus: the plan of a run, and the pairs of training and test trials that follow from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.capabilities import learns
from referee.corpora import splits
from referee.jobs.speak import System
from referee.records import Trial

Fold = tuple[list[Trial], list[Trial]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The settings that determine a run: systems, folds and seed.

    `split` names one split (``challenge-80/20``) instead of folds; with `trained_on` the first so many trials are for
    training and all others for testing.
    """

    systems: tuple[System, ...]
    folds: int = 5
    by: str = "speaker"
    split: str | None = None
    seed: int = 1
    trained_on: int | None = None


def cut_folds(plan: RunPlan, trials: Iterable[Trial]) -> list[Fold]:
    """Return pairs of training and test trials.

    A single pair without training if no system of the plan learns.
    """
    if plan.trained_on is not None:
        whole = list(trials)
        return [(whole[: plan.trained_on], whole[plan.trained_on :])]
    if plan.split is None and not any(learns(system.build(plan.seed)) for system in plan.systems):
        return [([], list(trials))]
    if plan.split is None:
        return list(splits.make_folds(trials, plan.folds, plan.by, plan.seed))
    parts = splits.split_trials(trials, plan.split, plan.seed)
    # Training and test; the middle part of a three-way split is for development and is not touched.
    return [(parts[0], parts[-1])]
