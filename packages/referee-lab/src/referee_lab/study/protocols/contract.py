"""The contract of an experiment.

Its display, its recorded data, how an answer is checked, and how a simulated participant answers.

A protocol is a declaration in Python and a jsPsych plug-in in the browser that share field names. `show` makes the
plug-in's parameters. The plug-in sends back a `GivenAnswer`. `check` validates it, and `respond` turns public labels
("e3") into entities again. Neither the target nor the name of a system ever reaches the browser, except in production
studies, where the person describes the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from referee.contracts import Hearer
from referee.records import NOTHING, Description, Response, Trial
from referee_lab.study.folder.settings import Setting

# Steps in which people play together: each is a room, and is over when its room is.
ROOM_PLUGINS = ("tangram", "reference-game")


# A setting of a protocol in study.toml.
Parameter = Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedColumn:
    """A column that a protocol records, for the codebook.

    Type ("number", "text", "truth", "list"), unit, meaning, and values where they are a closed set.
    """

    type: str
    about: str
    unit: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """The declaration of a protocol: its plug-in, its settings, and its recorded data."""

    name: str
    title: str
    source: str
    plugin: str
    parameters: Mapping[str, Parameter]
    answer: Mapping[str, RecordedColumn]
    times: Mapping[str, RecordedColumn]
    # Whether its `reading_ms` is a reading time, to which a study's bounds of reading times apply.
    bounded_reading: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """One description of one trial by one system (None: a human reference).

    `id` is "<trial>|<system>". `rival` is the other one of a pair.
    """

    id: str
    trial: Trial
    description: Description
    system: str | None = None
    rival: Stimulus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The display of a stimulus for one person.

    The plug-in's parameters, and the entity behind each public label (never sent).
    """

    parameters: Mapping[str, Any]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """The answer of a page for one step of its plan, with raw times in milliseconds (of regions: a list) and quality
    flags.

    `state` is "done", or "aborted" for a trial that a reload interrupted; `attempt` counts from 1. Simulated answers
    have no step; the sender sets it.
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
        """Return a problem with a study's settings beyond their types and limits, in words; None without one."""

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the plug-in's parameters, with entities under public labels in an independent order."""

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError, naming the field, if an answer cannot have come from this protocol."""

    def respond(self, answer: GivenAnswer, stimulus: Stimulus, shown: Shown, hearer: str) -> Response | None:
        """Return the answer as a response for the hearing metrics; None if the protocol asks for words or ratings."""

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the answer of a simulated participant."""
