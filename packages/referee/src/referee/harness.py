"""Measures for tasks of evaluation harnesses.

Functions of one answer, and `process_results` functions for lm-eval and lmms-eval.

A task of lm-eval or lmms-eval points at them from its own `utils.py`::

    from referee.harness import process_description as process_results

and names the measures in its `metric_list`. Tasks of inspect_ai use the scorers of `referee.inspect`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee import catalogue
from referee.contracts import Batch
from referee.corpora.natives.described import parse_texts
from referee.corpora.natives.material import make_trial
from referee.errors import InputError
from referee.geometry import Box, Convention, Size, WrongConvention
from referee.metrics.grounding import BoxAccuracy, Iou, PointInside
from referee.models.answers.parsing import parse_answer
from referee.models.answers.place_outcomes import parse_place_answer
from referee.records import Description, Response

__all__ = ["measure_choice", "measure_description", "measure_place", "process_description", "process_place"]

REFERENCES = ("references", "reference", "answer", "target", "caption")
GOLD = ("bbox", "box", "gold")


def measure_description(
    output: str, references: Sequence[str], metric: str = "string/chrf", language: str = "en"
) -> float | None:
    """Return the value of a measure for one answer; None if it has no description.

    >>> measure_description("the red cup", ["the red cup"], "string/edit")
    0.0
    """
    text = parse_answer(output, "description").value
    return None if text is None else _measure_text(text, references, metric, language)


def _measure_text(text: str, references: Sequence[str], metric: str, language: str) -> float | None:
    """Return the value of a measure for one description; None without references."""
    if not references:
        return None
    trial = make_trial("item", references, language=language)
    score = catalogue.configure("metric", metric).score(Batch.of([Description(text=text)], [trial]))
    return None if score.value is None else float(score.value)


def measure_place(
    output: str,
    gold: Sequence[float],
    *,
    convention: str,
    gold_convention: str = "pixels xyxy",
    size: Sequence[int] | None = None,
    form: str = "json",
) -> dict[str, Any]:
    """Return IoU, accuracy at .5 and whether the point is inside, for one answer with coordinates.

    An answer without any scores 0.

    Args:
        output: the words of the model.
        gold: four numbers.
        convention: the meaning of the answer's numbers, such as ``0-1000 xyxy``; there is no default.
        gold_convention: the meaning of the gold numbers.
        size: width and height of the picture, where units differ.
        form: how the model writes coordinates.

    >>> measure_place("[100, 100, 200, 200]", [64, 48, 128, 96], convention="0-1000 xyxy", size=(640, 480))["iou"]
    1.0
    """
    try:
        region = Box(tuple(map(float, gold)), Convention.of(gold_convention))  # type: ignore[arg-type]
        answer = parse_place_answer(output, form, Convention.of(convention))
    except WrongConvention as wrong:
        raise InputError(str(wrong), remedy='for example convention="0-1000 xyxy"') from None
    units = {region.convention.unit, Convention.of(convention).unit}
    if size is None and len(units) > 1:
        raise InputError(
            f"answers in {convention} cannot be compared with {gold_convention} without the picture's size",
            remedy="give width and height, or convert both to one unit",
        )
    trial = make_trial("item", region=region, size=None if size is None else Size(int(size[0]), int(size[1])))
    response = Response(trial="item", hearer="model", outcome=answer.outcome, places=answer.places)
    batch = Batch([None], [trial], [()], answers=[response])
    values = {
        name: metric.statistics(batch)[0, 0]
        for name, metric in (("iou", Iou()), ("accuracy", BoxAccuracy()), ("point", PointInside()))
    }
    return {
        **{name: float(value) if value == value else 0.0 for name, value in values.items()},
        "outcome": str(answer.outcome),
    }


def measure_choice(output: str, options: int, target: int) -> tuple[float, str]:
    """Return 1 or 0, and the choice: a number from 1, several, none, unknown or unparsable.

    >>> measure_choice("I think it is number 2.", 3, 2)
    (1.0, '2')
    """
    chosen = parse_answer(output, "choice", options=options).value
    return float(chosen == target), str(chosen) if chosen is not None else "unparsable"


def process_description(
    doc: Mapping[str, Any], results: Sequence[Any], metrics: Sequence[str] = ("string/chrf", "string/bleu.4")
) -> dict[str, float]:
    """Return the `process_results` of tasks with descriptions: one value per measure (``string_chrf``).

    An answer without a description counts as an empty one.

    >>> process_description({"references": ["the red cup"]}, ["the red cup"], ["string/exact"])
    {'string_exact': 1.0}
    """
    references, language = parse_texts(_get_field(doc, REFERENCES)), str(doc.get("language") or "en")
    if not references:
        raise InputError("the document has no reference", remedy="leave it out of the data set")
    text = parse_answer(_get_text(results), "description").value or ""
    values = {name: _measure_text(text, references, name, language) for name in metrics}
    return {name.replace("/", "_").replace(".", "_"): 0.0 if value is None else value for name, value in values.items()}


def process_place(
    doc: Mapping[str, Any], results: Sequence[Any], *, convention: str, gold_convention: str, form: str = "json"
) -> dict[str, float]:
    """Return a `process_results` for tasks in which the model gives a box or point, with declared conventions (bind them with `functools.partial`).

    >>> process_place({"bbox": [0.1, 0.1, 0.2, 0.2]}, ["[0.1, 0.1, 0.2, 0.2]"], convention="0-1 xyxy", gold_convention="0-1 xyxy")["iou"]
    1.0
    """
    width, height = doc.get("width"), doc.get("height")
    size = (width, height) if width and height else None
    measured = measure_place(
        _get_text(results),
        _get_field(doc, GOLD),
        convention=convention,
        gold_convention=gold_convention,
        size=size,
        form=form,
    )
    return {name: value for name, value in measured.items() if name != "outcome"}


def _get_text(results: Sequence[Any]) -> str:
    """Return the answer of a harness: a text, or the first of a list."""
    first = results[0] if results else ""
    return str(first[0] if isinstance(first, (list, tuple)) and first else first)


def _get_field(doc: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the first field of a document that has a value. Raises InputError if none has."""
    value = next((doc[name] for name in names if doc.get(name) is not None), None)
    if value is None:
        raise InputError(
            f"the document has none of the fields {', '.join(names)}",
            remedy="rename a field, or call the measure yourself",
        )
    return value
