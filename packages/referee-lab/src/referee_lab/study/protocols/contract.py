"""What a kind of experiment declares: what it shows, what it records, how an answer is read, and how a simulated person would give one.

A protocol is a declaration in Python and a jsPsych plug-in in the browser that share one vocabulary: `show` makes the plug-in's parameters, the plug-in sends
back what becomes a `GivenAnswer`, `read` checks it and turns public labels ("e3") into entities again. Neither the target nor the name of a system ever
reaches the browser, except in production studies, where the target is what the person has to describe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from referee.contracts import Hearer
from referee.records import NOTHING, Description, Response, Trial

__all__ = ["ROOM_PLUGINS", "GivenAnswer", "Info", "Kind", "Parameter", "RecordedColumn", "Shown", "Stimulus"]

# Steps in which people play together: each is a room, and is over when its room is.
ROOM_PLUGINS = ("tangram", "reference-game")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A setting of a protocol in study.toml: its default (whose type it must have), its unit, what it does, and values where they are a closed set."""

    default: Any
    about: str
    unit: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedColumn:
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
    answer: Mapping[str, RecordedColumn]
    times: Mapping[str, RecordedColumn]
    # Whether what it calls `reading_ms` is a time of reading, to which a study's bounds of reading times apply.
    bounded_reading: bool = True


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
