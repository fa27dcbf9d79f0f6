"""Identification in replayed dialogue (Spanger et al. 2013, section 5.1).

Watch the events before an utterance, read it, choose the piece.

A trial has its clip and, for every condition, the utterance with the position of the expression in it (`meta["clip"]`,
`meta["shown"]`, made by `referee tangram study`). Pieces keep their numbers between trials, as in the experiment. There
are two times: from the utterance's onset, as published, and from the end of the last replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log2
from random import Random
from typing import Any

from referee.capabilities import find_manner
from referee.contracts import Hearer
from referee.errors import InputError
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
from referee_lab.study.protocols.scene import get_language

DONT_KNOW = "dont-know"
# Invented, for rehearsals only: times in milliseconds, repeats and doubt as in `dialogue.evaluation`.
READING_MS, PER_CHARACTER_MS, CHOOSING_MS, PER_BIT_MS, REPEATS_PER_BIT = 900.0, 25.0, 1500.0, 1200.0, 0.15
SPREAD, LAPSE, UNSURE_BELOW, CORRECTED = 0.3, 0.01, 0.25, 0.02


class ReplayIdentify(AnyProtocol):
    """Watch a clip of a dialogue, read the next utterance, say which piece is meant: task performance.

    A clip, then the utterance with the expression in red, then one of the pieces or "I don't know"; the clip may be watched again.
    """

    info = Info(
        name="replay-identify",
        title="Watch, read, identify (task performance)",
        source="Spanger, Iida, Tokunaga, Terai & Kuriyama (2013), section 5",
        plugin="replay-identify",
        parameters={
            "role": Parameter(
                default="overhearer",
                about="overhearer: numbered buttons, as published; operator: the piece itself is pressed on the board.",
                values=("overhearer", "operator"),
            ),
            "cursor": Parameter(default=True, about="Show the operator's cursor."),
            "subtitles": Parameter(default=True, about="Show what was said during the clip."),
            "sound": Parameter(default=True, about="Play voices in the clip, if they were recorded."),
            "dont_know": Parameter(default=True, about="Offer 'I don't know'."),
            "confirm": Parameter(default=True, about="A choice has to be confirmed, and can be taken back before."),
            "speed": Parameter(default=1.0, about="Speed of the replay.", low=0.1, high=8),
            "timeout_ms": Parameter(
                default=0,
                about="Time limit after the utterance appears, when the trial ends without an answer; 0 for none.",
                unit="ms",
                low=0,
            ),
        },
        answer={
            "outcome": RecordedColumn(type="text", about="what was answered", values=("entity", DONT_KNOW, "timeout")),
            "entity": RecordedColumn(type="text", about="label of the piece chosen"),
            "repeats": RecordedColumn(type="number", about="how often the clip was watched again"),
            **CHOSEN,
        },
        times={
            "combined_ms": make_time_column("from the utterance's onset to the choice"),
            "identification_ms": make_time_column(
                "from the end of the last replay (at the earliest the onset) to the choice"
            ),
            "reading_ms": make_time_column("from the utterance's onset to the end of the last replay"),
            "confirming_ms": make_time_column("from the choice to its confirmation"),
            "clip_ms": make_time_column("duration of the first replay"),
            "t_replay_end": make_time_column("when the last replay ended"),
            **CLOCKS,
        },
        # It is nothing where the clip was watched once, and long where it was watched again; neither is a lapse.
        bounded_reading=False,
    )

    def show(self, stimulus: Stimulus, settings: Mapping[str, Any], rng: Random) -> Shown:
        """Return the clip, the utterance of this condition, and the pieces by number."""
        meta, condition = stimulus.trial.meta, stimulus.system or ""
        if not {"clip", "clips"} & set(meta) or condition not in meta.get("shown", {}):
            raise InputError(
                f"{stimulus.id!r} has no clip or no utterance to show",
                remedy="make the study with `referee tangram study`",
            )
        # No shuffling here: in the experiment a piece keeps its number, and people learn it.
        expression = meta["shown"][condition]
        # A study of contexts has a clip for each.
        film = meta["clips"][expression["context"]] if "context" in expression else meta["clip"]
        labels = {f"e{piece}": piece for piece in sorted(e.id for e in stimulus.trial.scene.entities)}
        parameters = {
            "film": film if settings["sound"] else {k: v for k, v in film.items() if k != "sounds"},
            "text": expression["text"],
            "span": list(expression["span"]),
            **get_language(stimulus.trial),
            "pieces": {piece: label for label, piece in labels.items()},
            "choices": [DONT_KNOW] if settings["dont_know"] else [],
            **{name: settings[name] for name in ("role", "cursor", "subtitles", "confirm", "speed", "timeout_ms")},
        }
        return Shown(parameters=parameters, labels=labels)

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the answer is a visible piece or offered, with both times."""
        check_recorded(answer, self.info)
        times = answer.times
        offered = ("entity", *shown.parameters["choices"], *(("timeout",) if settings["timeout_ms"] else ()))
        check_choice(answer, offered, shown.labels)
        for name in ("combined_ms", "identification_ms") if answer.answer["outcome"] != "timeout" else ():
            if times.get(name) is None:
                raise make_field_error(f"times.{name}", "this time is missing")

    def respond(self, answer: GivenAnswer, stimulus: Stimulus, shown: Shown, hearer: str) -> Response | None:
        """Return the response; its reading and identification times add up to the published time."""
        whole, last = answer.times.get("combined_ms"), answer.times.get("identification_ms")
        reading = None if whole is None or last is None else whole - last
        return make_choice_response(answer, stimulus, shown, hearer, reading, last)

    def simulate(
        self, stimulus: Stimulus, shown: Shown, settings: Mapping[str, Any], hearer: Hearer, rng: Random
    ) -> GivenAnswer:
        """Return the answer of a participant who knows the clip, where `meta["overheard"]` has it.

        Else the hearer's response to the words.
        """
        chances = _compute_probabilities(stimulus, shown, hearer, rng)
        doubt = -sum(c * log2(c) for c in chances.values() if c > 0)
        unsure = max(chances.values()) < UNSURE_BELOW and bool(shown.parameters["choices"])
        repeats = _draw_poisson(REPEATS_PER_BIT * doubt, rng)
        film = shown.parameters["film"]
        clip = (film["end_ms"] - film["start_ms"]) / settings["speed"]
        watched = repeats * (clip + 400.0)
        took = (READING_MS + PER_CHARACTER_MS * len(shown.parameters["text"])) * exp(rng.gauss(0, SPREAD))
        took += (CHOOSING_MS + PER_BIT_MS * doubt) * exp(rng.gauss(0, SPREAD))
        took *= find_manner(hearer)[0]
        onset = clip + 900.0
        limit = settings["timeout_ms"]
        late = bool(limit) and watched + took > limit
        outcome = "timeout" if late else DONT_KNOW if unsure else "entity"
        answered = None if late else onset + watched + took
        fields = {
            "outcome": outcome,
            "entity": rng.choices(list(chances), list(chances.values()))[0] if outcome == "entity" else None,
            "repeats": repeats,
            "corrected": not late and rng.random() < CORRECTED,
            "pointer": None if late else "mouse",
            "trusted": None if late else True,
        }
        times = {
            "combined_ms": None if late else watched + took,
            "identification_ms": None if late else took,
            "reading_ms": None if late else watched,
            "confirming_ms": 500.0 + 400.0 * rng.random() if settings["confirm"] and not late else None,
            "clip_ms": clip,
            "t_replay_end": onset + watched,
            "text_onset": onset,
            "t_request": onset - 25.0,
            "t_frame": onset - 17.0,
            "t_onset": onset,
            "t_response": answered,
            "t_handler": None if answered is None else answered + 2.0 * rng.random(),
        }
        return GivenAnswer(answer=fields, times=times)


def _compute_probabilities(stimulus: Stimulus, shown: Shown, hearer: Hearer, rng: Random) -> dict[str, float]:
    """Return the probability of each label, with a small share for slips."""
    believed = stimulus.trial.meta.get("overheard", {}).get(stimulus.system or "")
    if not believed:
        heard = hearer.resolve(stimulus.description, stimulus.trial.for_hearer(rng))
        believed = {heard.entity: 1.0} if heard.entity else dict(heard.probabilities or ())
    _, care = find_manner(hearer)
    weights = {label: float(believed.get(piece, 0.0)) ** care for label, piece in shown.labels.items()}
    total, n = sum(weights.values()), len(weights)
    return {k: LAPSE / n + (1 - LAPSE) * (w / total if total else 1 / n) for k, w in weights.items()}


def _draw_poisson(mean: float, rng: Random) -> int:
    """Return a random number from a Poisson distribution."""
    count, left = 0, rng.expovariate(1.0)
    while left < mean:
        count, left = count + 1, left + rng.expovariate(1.0)
    return count
