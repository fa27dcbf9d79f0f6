"""Answers as data frames for analysis: one row per answered trial with its measures; excluded values are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.records import HUMAN, Outcome, Response
from referee_lab.study.data.dataset import TIME, Dataset, StoredAnswer
from referee_lab.study.data.exported_rows import get_preferred_system, get_ranked_systems
from referee_lab.study.folder.study import VERSUS
from referee_lab.study.protocols.identification import Identification

if TYPE_CHECKING:
    import polars as pl

TIMES = ("reading_ms", "identification_ms", "combined_ms")
Row = dict[str, Any]


def _identify_answer(a: StoredAnswer) -> dict[str, Any]:
    """Return the columns that identify an answer: participant, item, system and domain."""
    assert a.asked is not None  # answers whose stimulus is gone are marked, and no analysis uses them
    return {
        "participant": a.sitting.alias,
        "item": a.asked.trial.id,
        "system": a.asked.system or HUMAN,
        "domain": a.asked.trial.domain,
    }


def _select_usable(collected: Dataset, without: Sequence[str] = ()) -> list[StoredAnswer]:
    return [a for a in collected.trials if a.counts_for("") and a.sitting.id not in without]


def build_hearing_frame(collected: Dataset, *, raw: bool = False, without: Sequence[str] = ()) -> pl.DataFrame:
    """Return errors and times of identification.

    With `raw`, times that the preregistered rules exclude are included (except those of timeouts).

    An error is the choice of another object than the target. Answers that name no object are not errors and have their
    own `outcome`. Each measure is missing for its own timeouts: a trial that was read in time and then timed out has a
    reading time; a trial that was read for too long and then answered has an identification time.
    """
    rows = []
    apart = has_separate_reading(collected)
    for a in _select_usable(collected, without):
        response = a.response or _read_without_choice(a)
        if response is None:
            continue
        r = response if raw else a.drop_excluded_times(response)
        # A place in a picture where nothing is was meant for something: it is as wrong as another object.
        named = r.outcome in (Outcome.ENTITY, Outcome.POINT, Outcome.BOX)
        # Times of answers that named nothing are times of giving up.
        time_ms = r.identification_ms if named else None
        both = None if time_ms is None or r.reading_ms is None else time_ms + r.reading_ms
        rows.append(
            {
                **_identify_answer(a),
                "outcome": str(r.outcome) if a.response else "read",
                "error": float(not a.right) if named else None,
                "reading_ms": r.reading_ms,
                "identification_ms": time_ms if apart else None,
                # Where description and scene come together, the response has one time, kept as the identification time.
                "combined_ms": both if apart else time_ms,
            }
        )
    return _make_frame(rows, ("outcome",), ("error", *TIMES))


def _make_frame(rows: Sequence[Row], texts: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Return rows as a data frame: the columns that identify an answer, then columns of texts and of numbers."""
    import polars as pl

    # Given and not inferred: without rows, or with nothing but nulls, columns would have no type.
    kinds = dict.fromkeys(("participant", "item", "system", "domain", *texts), pl.String)
    return pl.DataFrame(rows, schema={**kinds, **dict.fromkeys(numbers, pl.Float64)})


def _read_without_choice(a: StoredAnswer) -> Response | None:
    """Return the response of a trial that ended after reading: a reading time without a choice."""
    if a.answer.get("outcome") != "read" or a.asked is None:
        return None
    ms = a.times.get("reading_ms")
    return Response(trial=a.asked.trial.id, hearer=a.sitting.alias, outcome=Outcome.DONT_KNOW, reading_ms=ms)


def has_separate_reading(collected: Dataset) -> bool:
    """Return whether this study measures reading times separately."""
    kind = collected.study.kind
    if isinstance(kind, Identification):
        return kind.get_reading(collected.study.settings) != "together"
    return any(a.response is not None and a.response.reading_ms is not None for a in collected.trials)


def build_rating_frame(collected: Dataset) -> pl.DataFrame:
    """Return one row per answer to a rating trial, with one column per scale."""
    scales = collected.study.settings["scales"]
    rows = [{**_identify_answer(a), **_get_ratings(a.answer.get("ratings"), scales)} for a in _select_usable(collected)]
    return _make_frame(rows, (), scales)


def _get_ratings(ratings: Any, scales: Sequence[str]) -> dict[str, float | None]:
    scores = ratings or {}
    return {scale: float(scores[scale]) if scale in scores else None for scale in scales}


def build_pair_frame(collected: Dataset) -> pl.DataFrame:
    """Return one row per choice: the pair, its two systems, and the score of the first.

    The score is 1, 0, or .5 for a tie.
    """
    rows = []
    for a in _select_usable(collected):
        place = _identify_answer(a)
        first, _, second = place["system"].partition(VERSUS)
        winner = get_preferred_system(a)
        won = {"tie": 0.5, first: 1.0, second: 0.0}.get(winner or "")
        rows.append({**place, "first": first, "second": second, "won": won})
    return _make_frame(rows, ("first", "second"), ("won",))


def build_rank_frame(collected: Dataset) -> pl.DataFrame:
    """Return one row per system in a ranking: its rank, 1 for the best."""
    rows = [
        {**_identify_answer(a), "system": system, "rank": float(rank)}
        for a in _select_usable(collected)
        for rank, system in enumerate(get_ranked_systems(a), 1)
    ]
    return _make_frame(rows, (), ("rank",))


def build_production_frame(collected: Dataset) -> pl.DataFrame:
    """Return one row per description: its words and the time that it took."""
    rows = [
        {
            **_identify_answer(a),
            "text": None if a.answer.get("text") is None else a.answer["text"].strip(),
            "words": None if a.answer.get("text") is None else float(len(a.answer["text"].split())),
            "first_key_ms": a.answer.get("first_key_ms") if a.counts_for(TIME) else None,
            "combined_ms": a.times.get("combined_ms") if a.counts_for(TIME) else None,
        }
        for a in _select_usable(collected)
    ]
    return _make_frame(rows, ("text",), ("words", "first_key_ms", "combined_ms"))


def build_plugin_frame(collected: Dataset) -> pl.DataFrame:
    """Return one row per answer of an organiser's plug-in: its response as a number, error, and time."""
    rows = [
        {
            **_identify_answer(a),
            "response": _parse_number(a.answer.get("response")),
            "error": None if a.right is None else float(not a.right),
            "combined_ms": a.times.get("combined_ms") if a.counts_for(TIME) else None,
        }
        for a in _select_usable(collected)
    ]
    return _make_frame(rows, (), ("response", "error", "combined_ms"))


def _parse_number(text: str | None) -> float | None:
    """Return a finite number as text as a number; None for any other text."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def count_excluded(collected: Dataset) -> Counter[tuple[str, str]]:
    """Return the number of excluded answers by scope and rule; an answer may break several rules."""
    return Counter((mark.scope, mark.reason) for a in collected.trials for mark in set(a.marks))
