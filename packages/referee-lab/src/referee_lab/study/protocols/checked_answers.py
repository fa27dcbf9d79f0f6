"""Checks answers of pages: all fields known, of the declared type, within their values.

An answer that cannot come from the page is an error that names the field; a choice of an object becomes a response.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any

from referee.errors import InputError
from referee.records import Outcome, Response
from referee_lab.study.protocols.contract import GivenAnswer, Info, RecordedColumn, Shown, Stimulus

_LONGEST_TEXT, _LONGEST_LIST = 5000, 500


def make_time_column(about: str) -> RecordedColumn:
    """Return a column that records a time in milliseconds."""
    return RecordedColumn(type="number", about=about, unit="ms")


CLOCKS = {
    "t_request": make_time_column("time at which the scene was requested"),
    "t_frame": make_time_column("time stamp of the frame in which the scene was drawn"),
    "t_onset": make_time_column("time stamp of the next frame, taken as the scene's onset"),
    "t_response": make_time_column("time stamp of the event of the answer"),
    "t_handler": make_time_column("time at which the page handled that event"),
    "text_onset": make_time_column("onset of the description"),
}
CHOSEN = {
    "corrected": RecordedColumn(type="truth", about="whether a first choice was taken back"),
    "pointer": RecordedColumn(
        type="text", about="input device of the choice", values=("mouse", "touch", "pen", "keyboard")
    ),
    "trusted": RecordedColumn(type="truth", about="whether the event came from an input device, not from a script"),
}


class AnyProtocol:
    """The base of all protocols: settings have no problems but those of their types and limits."""

    info: Info

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """Return None: there is no problem."""
        return None


class NothingIdentified(AnyProtocol):
    """A protocol that asks for something else than a choice of an object: words, ratings, a game."""

    def respond(self, answer: GivenAnswer, stimulus: Stimulus, shown: Shown, hearer: str) -> Response | None:
        """Return None: answers of this protocol choose no object."""
        return None


def make_choice_response(
    answer: GivenAnswer,
    stimulus: Stimulus,
    shown: Shown,
    hearer: str,
    reading_ms: float | None,
    identification_ms: float | None,
) -> Response:
    """Return a choice of an object as a response: a label is its entity again, a choice taken back is flagged."""
    fields = answer.answer
    corrected = ("corrected",) if fields.get("corrected") and "corrected" not in answer.flags else ()
    return Response(
        trial=stimulus.trial.id,
        hearer=hearer,
        outcome=Outcome(fields["outcome"]),
        system=stimulus.system,
        description=stimulus.description,
        entity=None if fields.get("entity") is None else shown.labels[fields["entity"]],
        reading_ms=reading_ms,
        identification_ms=identification_ms,
        repeats=int(fields.get("repeats") or 0),
        flags=(*answer.flags, *corrected),
    )


def make_field_error(field: str, problem: str) -> InputError:
    """Return the error for one field of an answer."""
    return InputError(problem, where=field, remedy="answers must come from this study's own page; reload it")


def check_choice(answer: GivenAnswer, offered: Collection[str], labels: Collection[str]) -> None:
    """Raise InputError unless the outcome was offered, and an object is named that was shown."""
    fields = answer.answer
    outcome = fields.get("outcome")
    if outcome not in offered:
        raise make_field_error("answer.outcome", f"{outcome!r} was not offered")
    if (outcome == "entity") != (fields.get("entity") is not None):
        raise make_field_error("answer.entity", "an object is named if and only if the outcome is an entity")
    for name in ("entity", "guess"):
        if fields.get(name) is not None and fields[name] not in labels:
            raise make_field_error(f"answer.{name}", "no such object was shown")


def check_recorded(answer: GivenAnswer, info: Info) -> None:
    """Raise InputError unless all fields of answer and times are declared and of their type."""
    for part, fields, declared in (("answer", answer.answer, info.answer), ("times", answer.times, info.times)):
        _check_names(part, fields, declared)
        for name, value in fields.items():
            if value is not None:
                _check_kind(f"{part}.{name}", value, declared[name])


def _check_names(part: str, fields: Mapping[str, Any], declared: Collection[str]) -> None:
    """Raise InputError for a field that the protocol does not declare."""
    if not isinstance(fields, Mapping):
        raise make_field_error(part, "not an object")
    for name in fields:
        if name not in declared:
            raise make_field_error(f"{part}.{str(name)[:40]}", "this protocol has no such field")


def _check_kind(field: str, value: Any, declared: RecordedColumn) -> None:
    """Raise InputError for a field that is not of its declared type."""
    # A place may lie before the edge of a scene, and a press before an onset.
    timed = declared.unit in ("ms", "cells")
    if declared.type == "number":
        _check_number(field, value, timed)
    elif declared.type == "list":
        if not isinstance(value, list) or len(value) > _LONGEST_LIST:
            raise make_field_error(field, f"should be a list of at most {_LONGEST_LIST} numbers")
        for member in value:
            _check_number(field, member, timed)
    elif declared.type == "json":
        if not isinstance(value, Mapping):
            raise make_field_error(field, "should be an object")
    elif declared.type == "labels":
        if not (isinstance(value, list) and len(value) <= _LONGEST_LIST and all(isinstance(v, str) for v in value)):
            raise make_field_error(field, "should be a list of labels")
    elif declared.type == "truth" and not isinstance(value, bool):
        raise make_field_error(field, "should be true or false")
    elif declared.type == "sound" and not isinstance(value, str):
        raise make_field_error(field, "should be a recording")
    elif declared.type == "text" and (not isinstance(value, str) or len(value) > _LONGEST_TEXT):
        raise make_field_error(field, f"should be text of at most {_LONGEST_TEXT} characters")
    if declared.values and value not in declared.values:
        raise make_field_error(field, f"{value!r:.40} is none of {', '.join(declared.values)}")


def _check_number(field: str, value: Any, timed: bool) -> None:
    """Raise InputError unless a value is a finite number.

    A time may be negative: a person may press in the frame in which something appears, before its onset.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise make_field_error(field, "should be a number")
    if value < 0 and not timed:
        raise make_field_error(field, "should not be below 0")


def sum_claimed_ms(times: Mapping[str, Any]) -> float:
    """Return the least duration of an answer in ms, by its own times; 0 without times."""
    reported = {name: times.get(name) for name in ("combined_ms", "reading_ms", "identification_ms")}
    spent = {name: float(ms) for name, ms in reported.items() if isinstance(ms, (int, float)) and ms > 0}
    return max(spent.get("combined_ms", 0.0), spent.get("reading_ms", 0.0) + spent.get("identification_ms", 0.0))
