"""Scorers for inspect_ai (``pip install inspect-ai``).

Descriptions, choices, and coordinates with a declared convention.

from referee.inspect import choice, description, grounding

Task(dataset=…, solver=generate(), scorer=description("string/chrf"))
Task(dataset=…, solver=generate(), scorer=grounding("0-1000 xyxy"))      # metadata: bbox, image_size
Task(dataset=…, solver=generate(), scorer=choice())                      # metadata: places, in the order shown
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from inspect_ai.scorer import NOANSWER, Score, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from referee.harness import measure_choice, measure_description, measure_place

__all__ = ["choice", "description", "grounding"]

Scoring = Callable[[TaskState, Target], Awaitable[Score]]


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator, unused-ignore]
def description(metric: str = "string/chrf") -> Scoring:
    """Return the value of a measure against the sample's targets; an answer without a description is no answer."""

    async def score(state: TaskState, target: Target) -> Score:
        """Score a description against the references by a string measure."""
        answer = state.output.completion
        language = str((state.metadata or {}).get("language") or "en")
        value = measure_description(answer, list(target), metric, language)
        return Score(value=NOANSWER if value is None else value, answer=answer, explanation=metric)

    return score


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator, unused-ignore]
def choice() -> Scoring:
    """Return whether the model chose the entity meant.

    The target is its number from 1 among ``metadata["places"]``.
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Score a choice against the number of the target."""
        answer = state.output.completion
        value, chosen = measure_choice(answer, len((state.metadata or {})["places"]), int(target.text))
        return Score(value=value, answer=chosen, explanation=answer)

    return score


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator, unused-ignore]
def grounding(convention: str, gold: str = "pixels xyxy", form: str = "json", measure: str = "accuracy") -> Scoring:
    """Return the scorer of a box or point: accuracy, ``iou`` or ``point``.

    ``metadata`` has ``bbox`` and, if units differ, ``image_size`` (width, height).
    """

    async def score(state: TaskState, target: Target) -> Score:
        """Score coordinates against the gold box."""
        answer, metadata = state.output.completion, state.metadata or {}
        measured: dict[str, Any] = measure_place(
            answer,
            metadata["bbox"],
            convention=convention,
            gold_convention=gold,
            size=metadata.get("image_size"),
            form=form,
        )
        return Score(value=measured[measure], answer=answer, explanation=measured["outcome"], metadata=measured)

    return score
