"""A whole task-performance evaluation with simulated evaluators, from dialogues to answers.

A rehearsal before people are asked (after Spanger et al. 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.errors import InputError
from referee.records import Response, Trial
from referee_lab.tangram.evaluation.replacement import EvaluationMaterial, Item, collect_material, make_lists
from referee_lab.tangram.evaluation.simulated_evaluators import (
    Evaluators,
    convert_to_trials,
    simulate_evaluators,
)
from referee_lab.tangram.evaluation.task_performance import MARGIN, Evaluation, Review, evaluate, review_confusion
from referee_lab.tangram.models.demonstratives import ALL, Classification, classify
from referee_lab.tangram.models.history import list_situations
from referee_lab.tangram.models.resolution import ReferenceResolver
from referee_lab.tangram.tiers.dialogue import Dialogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """Everything a rehearsal made, from the classifier to the tables."""

    classification: Classification
    material: EvaluationMaterial
    lists: tuple[list[Item], list[Item]]
    trials: list[Trial]
    responses: list[Response]
    evaluation: Evaluation
    review: Review | None


def rehearse(
    dialogues: Sequence[Dialogue],
    training: Sequence[Dialogue],
    *,
    seed: int = 1,
    folds: int = 10,
    by: str = "instance",
    ties: str = "strict",
    margin: float = MARGIN,
    evaluators: Evaluators | None = None,
) -> Rehearsal:
    """Run a whole evaluation with simulated evaluators: classify, choose, replace, answer, analyse.

    The evaluators' resolver is trained on the dialogues of `training`.
    """
    classification = classify(list_situations(dialogues), folds=folds, by=by, seed=seed)
    material = collect_material(classification, seed)
    lists = make_lists(material)
    items = [*lists[0], *lists[1]]
    if not items:
        raise InputError(
            "no reference has a clip that can be shown",
            remedy="give more dialogues: a clip needs an earlier mention and an earlier action on the target within 30 s",
        )
    # On other dialogues: an ear that had learned from these would know the answers.
    resolver = ReferenceResolver().fit(list_situations(training))
    responses = simulate_evaluators(lists, dialogues, resolver, seed, evaluators)
    trials = convert_to_trials(items, synthetic=any(d.synthetic for d in dialogues))
    evaluation = evaluate(responses, trials, ties=ties, margin=margin)
    confusion = classification.row(ALL).confusion
    return Rehearsal(
        classification=classification,
        material=material,
        lists=lists,
        trials=trials,
        responses=responses,
        evaluation=evaluation,
        review=None if evaluation.moved is None else review_confusion(confusion, evaluation.moved),
    )
