"""What a kind of experiment declares: what it shows, what it records, how an answer is read, and how a simulated person would give one.

A protocol is a declaration in Python and a jsPsych plug-in in the browser that share one vocabulary: `show` makes the plug-in's parameters, the plug-in sends
back what becomes a `GivenAnswer`, `read` checks it and turns public labels ("e3") into entities again. Neither the target nor the name of a system ever
reaches the browser, except in production studies, where the target is what the person has to describe.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import isfinite
from random import Random
from typing import Any, Protocol

from referee.contracts import Hearer
from referee.errors import InputError
from referee.records import NOTHING, Description, Response, Trial

__all__ = [
    "CLOCKS",
    "GivenAnswer",
    "Info",
    "Kind",
    "Parameter",
    "Recorded",
    "Shown",
    "Stimulus",
    "check_recorded",
    "refuse",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A setting of a protocol in study.toml: its default (whose type it must have), its unit, what it does, and values where they are a closed set."""

    default: Any
    about: str
    unit: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A column that a protocol records, for the codebook: type ("number", "text", "truth", "list"), unit, meaning, and values where they are a closed set."""

    type: str
    about: str
    unit: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """The declaration: which plug-in shows it, with which settings, and what comes back."""

    name: str
    title: str
    source: str
    plugin: str
    parameters: Mapping[str, Parameter]
    answer: Mapping[str, Recorded]
    times: Mapping[str, Recorded]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """One description of one trial by one system (None: what a person said); `id` is "<trial>|<system>". `rival` is the other one of a pair."""

    id: str
    trial: Trial
    description: Description
    system: str | None = None
    rival: Stimulus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one person sees of a stimulus: the plug-in's parameters, and (never sent) which entity hides behind each public label."""

    parameters: Mapping[str, Any]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """What a page sent for one step of its plan: the answer, raw times in milliseconds (of regions: a list), and quality flags.

    `state` is "done", or "aborted" for a trial that a reload broke off; `attempt` counts from 1. A protocol that simulates somebody leaves the place in the
    plan to whoever sends the answer.
    """

    answer: Mapping[str, Any]
    times: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    flags: tuple[str, ...] = ()
    step: int = 0
    attempt: int = 1
    state: str = "done"


class Kind(Protocol):
    """A protocol. `settings` are the study's values for `info.parameters`, defaults filled in."""

    info: Info

    def problem_with(self, settings: Mapping[str, Any]) -> str | None:
        """What is wrong with a study's settings beyond their types, in words; None when nothing is."""

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """The plug-in's parameters, with entities under public labels in an order of their own."""

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """InputError naming the field when an answer cannot have come from this protocol."""

    def respond(self, answer: GivenAnswer, stimulus: Stimulus, shown: Shown, hearer: str) -> Response | None:
        """The answer as a response for the hearing metrics; None where the protocol asks for something else (words, ratings)."""

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """What a simulated person would send back."""


# -- what every protocol checks ----------------------------------------------------------------------------------------------
# Every field known, of its kind, within its values: an answer that cannot have come from the page is refused by name.

# No study can allow more: a request has a limit as well.
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


def check_recorded(answer: GivenAnswer, info: Info) -> None:
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
    # True is an integer in Python, and would pass for 1 ms.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise refuse(field, "should be a number")
    if value < 0 and not timed:
        raise refuse(field, "should not be below 0")
