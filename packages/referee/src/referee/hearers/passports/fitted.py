"""Parameters of rationality fitted to people.

By maximum likelihood on some people, tried on others, beside the textbook values.

RSA has alpha (how sensible the speaker is) and a cost of a property; language models' scores have alpha (how sharply they become beliefs). Folds are of people:
no participant's answers are predicted with parameters that were fitted to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.hearers.answering import has_structure, understand
from referee.hearers.passports.answer_columns import Belief, read_belief, tabulate
from referee.hearers.passports.measures import LAPSE, measure
from referee.hearers.passports.people import HumanAnswer, People
from referee.hearers.passports.questions import Question
from referee.hearers.rational_listener import Rational
from referee.hearers.recorded import Recorded
from referee.jobs.listen import show_to_hearer
from referee.records import Outcome, Response

LOWEST, HIGHEST = 0.01, 100.0
MOST_COST = 10.0
STARTS = (0.5, 2.0, 8.0)
Parameters = dict[str, float]


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is fitted: the probability of every usable answer by parameters, and the hearer's answers with them."""

    answers: Sequence[HumanAnswer]
    sizes: FloatArray
    taken: Callable[[Parameters], FloatArray]
    respond: Callable[[Parameters], Callable[[HumanAnswer], Response]]
    textbook: Parameters


def fit_rational(hearer: Rational, people: People, folds: int, seed: int) -> dict[str, Any] | None:
    """Return the fit of RSA's alpha and cost to people's choices; None where there is nothing to fit."""
    answers = tuple(a for a in people.answers if _is_usable(a))
    if not answers:
        return None
    cases: dict[Any, int] = {}
    case_of = np.array([cases.setdefault(_make_case(a), len(cases)) for a in answers])
    scenes = list(cases)

    def taken(parameters: Parameters) -> FloatArray:
        """Return the probability of every chosen object under the parameters."""
        alpha, cost = np.array([parameters["alpha"]]), np.array([parameters.get("cost", hearer.cost)])
        beliefs = [hearer.believe(scene, uttered, alpha, cost)[0, place] for scene, uttered, place in scenes]
        chosen: FloatArray = np.array(beliefs)[case_of]
        return chosen

    def respond(parameters: Parameters) -> Callable[[HumanAnswer], Response]:
        fitted = replace(hearer, alpha=parameters["alpha"], cost=parameters.get("cost", hearer.cost))
        return lambda a: fitted.resolve(a.description, show_to_hearer(a.trial, seed))

    textbook = {"alpha": hearer.alpha, "cost": hearer.cost}
    # Where all messages are equally long, cost changes nothing and is not fitted.
    dearer = taken({"alpha": hearer.alpha, "cost": hearer.cost + 1.0})
    if np.allclose(dearer, taken(textbook), atol=1e-12):
        del textbook["cost"]
    sizes = np.array([float(len(a.trial.scene.entities)) for a in answers])
    return _fit(_Problem(answers, sizes, taken, respond, textbook), people, folds, seed)


def _is_usable(answer: HumanAnswer) -> bool:
    """Return whether an answer chose an object after a description whose properties are understood."""
    is_plain = not has_structure(answer.description)
    understood = is_plain and not isinstance(understand(answer.description, answer.trial.scene), Outcome)
    return understood and answer.response.outcome == Outcome.ENTITY


def _make_case(answer: HumanAnswer) -> Any:
    scene, uttered = answer.trial.scene, understand(answer.description, answer.trial.scene)
    return scene, uttered, scene.index(answer.response.entity or "")


def fit_recorded(recorded: Recorded, people: People, folds: int, seed: int) -> dict[str, Any] | None:
    """Return the fit of the alpha with which a model's scores become beliefs; None for a hearer without scores."""
    answers = tuple(a for a in people.answers if a.trial.id in recorded.scores and a.response.entity is not None)
    if not answers:
        return None
    scores = [recorded.scores[a.trial.id] for a in answers]
    table = np.full((len(scores), max(map(len, scores))), -np.inf)
    for row, by_entity in zip(table, scores, strict=True):
        row[: len(by_entity)] = list(by_entity.values())
    table -= table.max(axis=1, keepdims=True)
    place = np.array([list(s).index(str(a.response.entity)) for s, a in zip(scores, answers, strict=True)])

    def taken(parameters: Parameters) -> FloatArray:
        """Return the probability of every chosen object under the parameters."""
        weights = np.exp(parameters["alpha"] * table)
        shares: FloatArray = weights[np.arange(len(place)), place] / weights.sum(axis=1)
        return shares

    def respond(parameters: Parameters) -> Callable[[HumanAnswer], Response]:
        fitted = recorded.with_alpha(parameters["alpha"])
        return lambda a: fitted.answers[a.trial.id]

    sizes = np.array([float(len(s)) for s in scores])
    return _fit(_Problem(answers, sizes, taken, respond, {"alpha": 1.0}), people, folds, seed)


def _fit(problem: _Problem, people: People, folds: int, seed: int) -> dict[str, Any] | None:
    """Return parameters for all people, and measures of every person's answers by parameters of the other folds."""
    persons = sorted({a.response.hearer for a in problem.answers})
    folds = min(folds, len(persons))
    if folds < 2:
        return None
    Random(seed).shuffle(persons)
    fold_of = {person: i % folds for i, person in enumerate(persons)}
    fold = np.array([fold_of[a.response.hearer] for a in problem.answers])
    fits = [_maximise(problem, fold != i) for i in range(folds)]
    beliefs = [_believe(problem, fits[i], fold == i, seed) for i in range(folds)]
    in_order = [beliefs[i][a.trial.id, a.description] for i, a in zip(fold, problem.answers, strict=True)]
    m = measure(tabulate(problem.answers, in_order, replace(people, answers=tuple(problem.answers)).clusters()))
    whole = np.ones(len(fold), dtype=bool)
    return {
        **_maximise(problem, whole),
        "n": m.n,
        "people": len(persons),
        "folds": fits,
        "accuracy": m.accuracy,
        "expected_accuracy": m.expected_accuracy,
        "auc": m.auc,
        "calibration_error": m.calibration.error,
        "log_likelihood": m.log_likelihood,
        "intervals": {name: m.intervals[name] for name in ("accuracy", "auc", "log_likelihood")},
        "textbook": {
            **problem.textbook,
            "log_likelihood": float(_compute_log_likelihoods(problem, problem.textbook)[whole].mean()),
        },
    }


def _compute_log_likelihoods(problem: _Problem, parameters: Parameters) -> FloatArray:
    logs: FloatArray = np.log((1 - LAPSE) * problem.taken(parameters) + LAPSE / problem.sizes)
    return logs


def _maximise(problem: _Problem, selected: FloatArray) -> Parameters:
    """Return the parameters with the highest likelihood, the best of several starts; one answer in a hundred is a guess."""
    from scipy.optimize import minimize

    names = list(problem.textbook)

    def decode(point: Sequence[float]) -> Parameters:
        return {"alpha": float(np.exp(point[0]))} | dict(zip(names[1:], map(float, point[1:]), strict=True))

    def compute_loss(point: Sequence[float]) -> float:
        return -float(_compute_log_likelihoods(problem, decode(point))[selected].mean())

    bounds = [(np.log(LOWEST), np.log(HIGHEST)), *((0.0, MOST_COST) for _ in names[1:])]
    ends = [
        minimize(compute_loss, [np.log(start), *(0.1 for _ in names[1:])], method="L-BFGS-B", bounds=bounds)
        for start in STARTS
    ]
    return decode(min(ends, key=lambda end: float(end.fun)).x)


def _believe(problem: _Problem, fit: Parameters, selected: FloatArray, seed: int) -> Mapping[Question, Belief]:
    """Return the fitted hearer's beliefs about the questions of the selected answers."""
    respond = problem.respond(fit)
    beliefs: dict[Question, Belief] = {}
    for answer, is_in in zip(problem.answers, selected, strict=True):
        question = answer.trial.id, answer.description
        if is_in and question not in beliefs:
            beliefs[question] = read_belief(respond(answer), show_to_hearer(answer.trial, seed), "fitted")
    return beliefs
