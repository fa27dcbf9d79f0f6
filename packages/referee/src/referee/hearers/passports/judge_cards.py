"""The card of an externally asked judge (see `judges`): the keys of a hearer's card, without those that need choices."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.hearers.passports.answer_columns import encode_names
from referee.hearers.passports.card_parts import (
    has_found_target,
    identify,
    list_settings,
    make_area_fields,
    make_recorded_fields,
    rank_people,
    set_beside_people,
)
from referee.hearers.passports.cards import seal
from referee.hearers.passports.ceilings import find_ceiling
from referee.hearers.passports.examination import Examination, make_question
from referee.hearers.passports.fitness import Probe, decide_judge
from referee.hearers.passports.judges import Judged, measure_judge, read_judge
from referee.hearers.passports.people import People
from referee.hearers.passports.probes import KINDS
from referee.hearers.passports.replay import select_answers

UNDEFINED_FOR_JUDGES = (
    "accuracy",
    "expected_accuracy",
    "calibration_error",
    "time_correlation",
    "chance",
    "position_bias",
    "position_bias_as_shown",
    "log_likelihood",
)
"""A judge chooses no object, so these measures are not defined for it."""


def examine_judge(examination: Examination, people: People) -> dict[str, Any]:
    """Return the agreement of a judge with whether people found the target."""
    judged = read_judge(examination.hearer, people.trials)
    people = select_answers(people, set(judged.scores))
    about_it = make_recorded_fields(examination, people, judged.checksum, f"recorded judge ({judged.kind})")
    clusters = people.clusters()
    scores = np.array([judged.scores[a.trial.id] for a in people.answers])
    right = np.array([has_found_target(a) for a in people.answers], dtype=bool)
    questions, conditions, games = (
        encode_names([of(a) for a in people.answers])
        for of in (make_question, lambda a: a.trial.condition, lambda a: a.trial.meta.get("game"))
    )
    measures = measure_judge(judged, scores, right, clusters, (conditions, games))
    ranking = rank_people(examination, people, _scale_scores(judged, scores), clusters)
    verdict = decide_judge(measures, ranking)
    taken = tuple(a.response.entity or str(a.response.outcome) for a in people.answers)
    return seal(
        {
            **identify(examination, people, about_it),
            **dict.fromkeys(UNDEFINED_FOR_JUDGES),
            "n": measures.n,
            "human_accuracy": measures.human_accuracy,
            "auc": measures.area.value,
            "auc_within_condition": measures.within_condition.value,
            "auc_within_game": measures.within_game.value,
            "correlation": measures.correlation,
            "agreed": measures.agreed,
            "kappa": measures.kappa,
            **set_beside_people(find_ceiling(questions, right, taken), ranking),
            "verdict": verdict.word,
            "reasons": list(verdict.reasons),
            "intervals": {
                "auc": measures.area.interval,
                "correlation": measures.correlation_interval,
                **make_area_fields(measures.within_condition, measures.within_game),
            },
            "calibration_curve": [],
            "probes": {kind: {**asdict(Probe(n=0)), "why": "not asked"} for kind in KINDS},
            "outcomes": {},
            "transfer": None,
            "fitted": None,
            "on_new": {},
            **about_it,
            "folds": [],
            **list_settings(examination, people, clusters),
        }
    )


def _scale_scores(judged: Judged, scores: FloatArray) -> FloatArray:
    return scores if judged.kind == "judgement" else (scores - 1) / 4
