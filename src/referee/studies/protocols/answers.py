"""Checking what a browser sent: every field known, of its kind, within its values; an answer that cannot have come from the page is refused by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any

from referee.errors import InputError
from referee.studies.protocols.contract import Answer, Info, Recorded

__all__ = ["CLOCKS", "check_recorded", "refuse"]

_LONGEST_TEXT, _LONGEST_LIST = 5000, 500

CLOCKS = {
    "t_request": Recorded(type="number", about="when the scene was asked for", unit="ms"),
    "t_frame": Recorded(type="number", about="time stamp of the frame in which it was drawn", unit="ms"),
    "t_onset": Recorded(type="number", about="time stamp of the frame after, taken as its onset", unit="ms"),
    "t_response": Recorded(type="number", about="time stamp of the event that answered", unit="ms"),
    "t_handler": Recorded(type="number", about="when the page dealt with that event", unit="ms"),
    "text_onset": Recorded(type="number", about="onset of the description", unit="ms"),
}


def refuse(field: str, problem: str) -> InputError:
    """The error for one field of an answer."""
    return InputError(problem, where=field, remedy="answers must come from this study's own page; reload it")


def check_recorded(answer: Answer, info: Info) -> None:
    """InputError unless all fields of answer and times are declared and of their kind."""
    for part, given, declared in (("answer", answer.answer, info.answer), ("times", answer.times, info.times)):
        _check_names(part, given, declared)
        for name, value in given.items():
            if value is not None:
                _check_kind(f"{part}.{name}", value, declared[name])


def _check_names(part: str, given: Mapping[str, Any], declared: Collection[str]) -> None:
    if not isinstance(given, Mapping):
        raise refuse(part, "not an object")
    for name in given:
        if name not in declared:
            raise refuse(f"{part}.{str(name)[:40]}", "this protocol has no such field")


def _check_kind(field: str, value: Any, declared: Recorded) -> None:
    timed = declared.unit == "ms"
    if declared.type == "number":
        _check_number(field, value, timed)
    elif declared.type == "list":
        if not isinstance(value, list) or len(value) > _LONGEST_LIST:
            raise refuse(field, f"should be a list of at most {_LONGEST_LIST} numbers")
        for one in value:
            _check_number(field, one, timed)
    elif declared.type == "truth" and not isinstance(value, bool):
        raise refuse(field, "should be true or false")
    elif declared.type == "text" and (not isinstance(value, str) or len(value) > _LONGEST_TEXT):
        raise refuse(field, f"should be text of at most {_LONGEST_TEXT} characters")
    if declared.values and value not in declared.values:
        raise refuse(field, f"{value!r:.40} is none of {', '.join(declared.values)}")


def _check_number(field: str, value: Any, timed: bool) -> None:
    """A finite number. A time may be negative: who presses in the very frame in which something appears is before its onset, and a fact."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise refuse(field, "should be a number")
    if value < 0 and not timed:
        raise refuse(field, "should not be below 0")
