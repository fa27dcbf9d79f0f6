"""Answers of simulated participants to steps that simulated hearers cannot answer.

A choice among the most probable objects, and random plausible times.

The times are invented (medians near those printed for 2008: about 1.8 s to identify, reading by length). They serve to
try a study, not to learn about people.
"""

from __future__ import annotations

from math import exp, log
from random import Random
from typing import Any

from referee.records import Outcome, Response
from referee_lab.study.protocols.contract import Shown

READING_MS, PER_WORD_MS, IDENTIFYING_MS, SPREAD, NEXT_FRAME_MS = 350.0, 230.0, 1800.0, 0.35, 17.0
LATE = 6.0
# Of a simulated pointer: how often it is seen, and how much a hand trembles, in cells.
PATH_SEEN, TREMOR = 25, 0.02


def convert_response(response: Response, shown: Shown, rng: Random) -> dict[str, Any]:
    """Return the offered answer that corresponds to a hearer's response."""
    outcome = Outcome.DONT_KNOW if response.outcome is Outcome.UNPARSABLE else response.outcome
    fields: dict[str, Any] = {
        "outcome": "entity",
        "entity": None,
        "guess": None,
        "repeats": 0,
        "corrected": False,
        "pointer": "mouse",
        "trusted": True,
    }
    if outcome is Outcome.ENTITY or str(outcome) not in shown.parameters["choices"]:
        fields["entity"] = _choose_label(response, shown, rng)
    else:
        fields["outcome"] = str(outcome)
        fields["guess"] = _choose_label(response, shown, rng) if shown.parameters["best_guess"] else None
    return fields


def _choose_label(response: Response, shown: Shown, rng: Random) -> str:
    """Return the label of the hearer's entity, or one of its most probable ones."""
    labels = {entity: label for label, entity in shown.labels.items()}
    if response.entity in labels:
        return labels[response.entity]
    shares = {labels[e]: p for e, p in response.probabilities or () if e in labels}
    best = max(shares.values(), default=0.0)
    return rng.choice(sorted(label for label, p in shares.items() if p >= best - 1e-9) or sorted(shown.labels))


def draw_times(response: Response, shown: Shown, rng: Random, heard: float = 0.0) -> dict[str, Any]:
    """Return times on one clock that starts with the trial, as the browser measures them.

    A heard description delays them by `heard`.
    """
    words = len(str(shown.parameters["text"]).split())
    reading_way = shown.parameters["reading"]
    start = float(shown.parameters["fixation_ms"])
    regions = [_draw_around(PER_WORD_MS + READING_MS / max(words, 1), rng) for _ in range(words)]
    reading = sum(regions) if response.reading_ms is None else _draw_around(response.reading_ms, rng)
    if reading_way == "words":
        reading = sum(regions)
    reading = max(reading, heard)
    finding = _draw_around(IDENTIFYING_MS if response.identification_ms is None else response.identification_ms, rng)
    together = reading_way == "together"
    request = start if together else start + reading
    onset = request if together else request + NEXT_FRAME_MS
    answered = onset + (reading + finding if together else finding)
    return {
        "reading_ms": None if together else reading,
        "identification_ms": None if together else finding,
        "combined_ms": answered - start,
        "regions_ms": regions if reading_way == "words" else None,
        "t_request": request,
        "t_frame": max(onset - NEXT_FRAME_MS, 0.0),
        "t_onset": onset,
        "t_response": answered,
        "t_handler": answered + LATE * rng.random(),
        "text_onset": start,
    }


def draw_path(entity: str | None, shown: Shown, ms: float, rng: Random) -> dict[str, list[float]]:
    """Return a pointer path from below the scene to the object, with a trembling hand.

    Empty for an answer that is not an object.
    """
    at = next((entity_shown for entity_shown in shown.parameters["entities"] if entity_shown["id"] == entity), None)
    if at is None:
        return {}
    grid = shown.parameters["grid"]
    start, end = (grid["columns"] / 2, float(grid["rows"])), (at["column"] + 0.5, at["row"] + 0.5)
    share = [min(max((n / (PATH_SEEN - 1) - 0.4) / 0.6, 0.0), 1.0) for n in range(PATH_SEEN)]
    x, y = ([a + (b - a) * s + rng.gauss(0.0, TREMOR) for s in share] for a, b in zip(start, end, strict=True))
    return {"path_ms": [ms * n / (PATH_SEEN - 1) for n in range(PATH_SEEN)], "path_x": x, "path_y": y}


def _draw_around(median: float, rng: Random) -> float:
    return exp(rng.gauss(log(max(median, 1.0)), SPREAD))
