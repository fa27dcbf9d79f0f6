"""Identification: a description, a scene, and a click on the target.

The experiments of ASGRE 2007 and TUNA 2008 are settings of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from referee.contracts import Hearer
from referee.records import Response
from referee_lab.study.protocols.checked_answers import (
    CHOSEN,
    CLOCKS,
    AnyProtocol,
    check_choice,
    check_recorded,
    make_choice_response,
    make_field_error,
    make_time_column,
)
from referee_lab.study.protocols.contract import GivenAnswer, Info, Parameter, RecordedColumn, Shown, Stimulus
from referee_lab.study.protocols.scene import SCENE, get_language, show_context, show_scene
from referee_lab.study.protocols.simulated_answers import convert_response, draw_path, draw_times
from referee_lab.study.protocols.spoken import (
    HEARD,
    HEARD_TIMES,
    check_heard,
    estimate_heard_ms,
    show_words,
    simulate_heard,
)

CHOICES = ("several", "none", "dont-know")
_TIMES = {
    "reading_ms": make_time_column("from the description's onset to the request of the scene"),
    "identification_ms": make_time_column("from the scene's onset to the answer"),
    "combined_ms": make_time_column("from the description's onset to the answer"),
    "regions_ms": RecordedColumn(type="list", about="reading time of each word", unit="ms"),
    **CLOCKS,
    **HEARD_TIMES,
}
_ANSWER = {
    "outcome": RecordedColumn(
        type="text",
        about="what was answered",
        values=("entity", *CHOICES, "timeout", "read"),
    ),
    "entity": RecordedColumn(type="text", about="label of the object chosen"),
    "guess": RecordedColumn(type="text", about="best guess after another answer"),
    "reading_timeout": RecordedColumn(
        type="truth", about="whether reading took too long, so that the scene appeared by itself"
    ),
    "path_ms": RecordedColumn(
        type="list", about="times of the pointer's positions, from the scene's onset (only with track)", unit="ms"
    ),
    "path_x": RecordedColumn(
        type="list", about="horizontal positions, in cells from the scene's left edge", unit="cells"
    ),
    "path_y": RecordedColumn(
        type="list", about="vertical positions, in cells from the scene's upper edge", unit="cells"
    ),
    "repeats": RecordedColumn(type="number", about="how often the description was asked for again"),
    **CHOSEN,
}


def declare(
    name: str,
    title: str,
    source: str,
    *,
    reading: str,
    fixation_ms: int,
    timeout_ms: int,
    reading_timeout_ms: int = 0,
    choices: bool = False,
) -> Info:
    """Return the declaration of an identification protocol.

    `reading` is whether description and scene are shown together.
    """
    parameters = {
        "fixation_ms": Parameter(
            default=fixation_ms, about="Duration of the fixation cross; 0 for none.", unit="ms", low=0
        ),
        "start": Parameter(
            default="itself",
            about="itself: trials follow each other automatically; press: the person starts each one with a button.",
            values=("itself", "press"),
        ),
        "input": Parameter(
            default="any",
            about="any: mouse, touch, pen or keyboard; mouse: only the mouse.",
            values=("any", "mouse"),
        ),
        "track": Parameter(default=False, about="Store the pointer's path from the scene's onset to the answer."),
        "bell": Parameter(default=False, about="A sound with the cross (needs a device with sound)."),
        "timeout_ms": Parameter(
            default=timeout_ms,
            about="Time limit after the scene appears, when the trial ends without an answer; 0 for none.",
            unit="ms",
            low=0,
        ),
        "confirm": Parameter(default=False, about="A choice has to be confirmed, and can be taken back before."),
        **HEARD,
        **SCENE,
    }
    if choices or reading != "together":
        parameters["reading_timeout_ms"] = Parameter(
            default=reading_timeout_ms,
            about="Time limit for reading, after which the scene follows; 0 for none.",
            unit="ms",
            low=0,
        )
    if choices:
        parameters["reading"] = Parameter(
            default=reading,
            about="together: description with the scene; before: description first; words: word by word.",
            values=("together", "before", "words"),
        )
        parameters["choices"] = Parameter(
            default=list(CHOICES),
            about="Answers offered besides the objects: several, none, dont-know.",
            values=CHOICES,
        )
        parameters["best_guess"] = Parameter(default=True, about="After one of those answers, ask for the best guess.")
    else:
        parameters["choices"] = Parameter(
            default=[],
            values=CHOICES,
            about="Answers offered besides the objects: several, none, dont-know; as printed, there are none.",
        )
    return Info(
        name=name, title=title, source=source, plugin="identify", parameters=parameters, answer=_ANSWER, times=_TIMES
    )


class Identification(AnyProtocol):
    """The behaviour that all identification protocols share; `reading` is together, before or words."""

    reading: str

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return description and scene under public labels, and the order in which they are shown."""
        scene, labels = show_scene(stimulus.trial, settings, rng)
        choices = list(settings.get("choices", ()))
        parameters = {
            **show_words(stimulus, settings),
            **get_language(stimulus.trial),
            "reading": self.get_reading(settings),
            **{
                name: settings[name]
                for name in ("start", "input", "track", "fixation_ms", "bell", "timeout_ms", "confirm")
            },
            **({"reading_timeout_ms": limit} if (limit := self._get_reading_limit(settings)) else {}),
            **scene,
            "choices": choices,
            "best_guess": bool(choices) and bool(settings.get("best_guess", False)),
            **show_context(stimulus.trial),
        }
        return Shown(parameters=parameters, labels=labels)

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the answer is an object of the scene or offered, with all its times."""
        check_recorded(answer, self.info)
        fields = answer.answer
        outcome = fields.get("outcome")
        # Where there is nothing to choose from, people have read, and nothing else.
        offered: tuple[str, ...] = ("read",)
        if shown.labels:
            offered = ("entity", *shown.parameters["choices"], *(("timeout",) if settings["timeout_ms"] else ()))
        check_choice(answer, offered, shown.labels)
        if fields.get("guess") is not None and (outcome in ("entity", "timeout") or not shown.parameters["best_guess"]):
            raise make_field_error("answer.guess", "no best guess was asked for")
        if settings["input"] == "mouse" and fields.get("pointer") not in (None, "mouse"):
            raise make_field_error("answer.pointer", "only the mouse counts here")
        lengths = {len(fields.get(name) or ()) for name in ("path_ms", "path_x", "path_y")}
        if len(lengths) > 1 or (lengths != {0} and not settings["track"]):
            raise make_field_error(
                "answer.path_ms", "a path has as many times as positions, and is sent only if it was requested"
            )
        check_heard(answer, shown)
        if fields.get("reading_timeout") and not self._get_reading_limit(settings):
            raise make_field_error("answer.reading_timeout", "reading has no time limit here")
        self._check_times(answer, shown)

    def respond(self, answer: GivenAnswer, stimulus: Stimulus, shown: Shown, hearer: str) -> Response | None:
        """Return the response; None if the trial ended with reading.

        If description and scene are shown together, the identification time is the combined time.
        """
        if answer.answer.get("outcome") == "read":
            return None
        times, together = answer.times, shown.parameters["reading"] == "together"
        reading = None if together else times.get("reading_ms")
        finding = times.get("combined_ms" if together else "identification_ms")
        return make_choice_response(answer, stimulus, shown, hearer, reading, finding)

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return a simulated hearer's choice among the offered answers, with its times or drawn ones."""
        response = hearer.resolve(stimulus.description, stimulus.trial.for_hearer(rng))
        fields: dict[str, Any] = {"outcome": "read", "entity": None}
        if shown.labels:
            fields = convert_response(response, shown, rng)
        # A heard description is not available before its words are spoken.
        times = draw_times(response, shown, rng, estimate_heard_ms(stimulus) if "media" in shown.parameters else 0.0)
        times.update(simulate_heard(stimulus, shown, times["text_onset"], rng))
        if (longest := self._get_reading_limit(settings)) and times["reading_ms"] > longest:
            late = times["reading_ms"] - longest
            fields.update(reading_timeout=True)
            times.update(reading_ms=None, regions_ms=None, combined_ms=times["combined_ms"] - late)
            times.update({n: times[n] - late for n in ("t_request", "t_frame", "t_onset", "t_response", "t_handler")})
        if not shown.labels:
            times.update(identification_ms=None, combined_ms=times["reading_ms"])
        if settings["track"] and shown.labels:
            fields.update(draw_path(fields["entity"], shown, times["t_response"] - times["t_onset"], rng))
        limit = settings["timeout_ms"]
        waited = times["combined_ms"] if shown.parameters["reading"] == "together" else times["identification_ms"]
        if limit and waited is not None and waited > limit:
            fields.update(outcome="timeout", entity=None, guess=None)
            times.update(identification_ms=None, combined_ms=None, t_response=None, t_handler=None)
        return GivenAnswer(answer=fields, times=times)

    def _get_reading_limit(self, settings: Mapping[str, Any]) -> float:
        """Return the limit on reading in ms; 0 for none, or if reading is not separate."""
        return 0.0 if self.get_reading(settings) == "together" else float(settings.get("reading_timeout_ms", 0))

    def get_reading(self, settings: Mapping[str, Any]) -> str:
        """Return when the description is shown: together with the scene, before it, or word by word."""
        return str(settings.get("reading", self.reading))

    def _check_times(self, answer: GivenAnswer, shown: Shown) -> None:
        """Raise InputError if times are missing, extra or inconsistent with the outcome."""
        times, reading = answer.times, shown.parameters["reading"]
        needed = {"together": ("combined_ms",), "before": ("reading_ms", "identification_ms")}
        needed["words"] = (*needed["before"], "regions_ms")
        ran_out, unread = answer.answer["outcome"] == "timeout", bool(answer.answer.get("reading_timeout"))
        # A step that timed out has no time.
        lacking = {
            *(("identification_ms", "combined_ms") if ran_out or not shown.labels else ()),
            *(("reading_ms", "regions_ms") if unread else ()),
        }
        for name in needed[reading]:
            if times.get(name) is None and name not in lacking:
                raise make_field_error(f"times.{name}", "this time is missing")
        words = len(str(shown.parameters["text"]).split())
        regions = times.get("regions_ms")
        if regions is not None and (reading != "words" or len(regions) > words):
            raise make_field_error(
                "times.regions_ms", f"give one time for each of the {words} words, and only in word-by-word reading"
            )
        if reading == "words" and not unread and len(regions or ()) != words:
            raise make_field_error("times.regions_ms", f"give one time for each of the {words} words")
