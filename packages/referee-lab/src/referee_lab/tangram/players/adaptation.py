"""Do players adapt as people do? Words and success by repetition, for games played here and for people's games in corpora, with intervals over games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from referee.catalogue import create
from referee.errors import InputError
from referee.records import Outcome
from referee.statistics.clustered_regression import Slope
from referee.statistics.dependent_trials import Clusters, average_rows, spread
from referee_lab.tangram.models.reduction import WordCount, estimate_slope, list_tellings
from referee_lab.tangram.players.reference_game import PlayedGame

PEOPLE = ("tangrams-hawkins", "multiparty-tangrams", "continual-adaptation")


@dataclass(frozen=True, slots=True, kw_only=True)
class RepetitionLevel:
    """One repetition: mean words, the share of choices that were right, and mean seconds from the beginning of a round to a choice.

    Each has its interval and number; seconds are known of people's games alone.
    """

    repetition: int
    words: float | None
    words_low: float | None
    words_high: float | None
    n_words: int
    right: float | None
    right_low: float | None
    right_high: float | None
    n_right: int
    seconds: float | None = None
    seconds_low: float | None = None
    seconds_high: float | None = None
    n_seconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptationCurve:
    """All repetitions of one source, and the slope of log words on log repetition (None if it cannot be estimated)."""

    source: str
    games: int
    levels: tuple[RepetitionLevel, ...]
    slope: Slope | None


# One choice: repetition, game, right, or the seconds it took.
_Right = tuple[int, str, bool]
_Seconds = tuple[int, str, float]
# Of `multiparty-tangrams`: where all clocks are sound, and every choice lies within the limit of 180 seconds.
SOUND_CLOCKS = ("2a", "2b", "2c")


def compute_game_curve(games: Iterable[PlayedGame], source: str = "players") -> AdaptationCurve:
    """Return the curve of games that were played here, with intervals over pairs."""
    played = list(games)
    rounds = [(r, g.pair or g.game) for g in played for r in g.rounds]
    words = [(r.repetition, pair, float(r.words)) for r, pair in rounds if r.words]
    choices = [(r.repetition, pair, c) for r, pair in rounds for c in r.choices]
    right = [(repetition, pair, c.right) for repetition, pair, c in choices if c.right is not None]
    seconds = [(repetition, pair, c.seconds) for repetition, pair, c in choices if c.seconds is not None]
    return _compute_curve(source, len(played), words, right, seconds)


def compute_human_curve(corpus: str, data: str | Path | None = None) -> AdaptationCurve:
    """Return the curve of a corpus of people's repeated games."""
    if corpus not in PEOPLE:
        raise InputError(f"{corpus} has no learning curve of people", remedy=f"one of {', '.join(PEOPLE)}")
    reader = create("corpus", corpus, data=data)
    trials = [t for t in reader.trials() if t.condition is None or not str(t.condition).startswith("model")]
    words = [(t.repetition, t.game, float(t.words)) for t in list_tellings(trials)]
    times = Counter[tuple[str, str]]()
    repetition = {}
    for t in trials:
        key = (str(t.meta["game"]), t.targets[0])
        times[key] += 1
        repetition[t.id] = (times[key], str(t.meta["game"]), t.targets[0])
    right = [
        (*repetition[r.trial][:2], r.entity == repetition[r.trial][2])
        for r in reader.responses()
        if r.trial in repetition and r.outcome is Outcome.ENTITY
    ]
    seconds = [
        (*repetition[t.id][:2], float(event.data["seconds_from_start"]))
        for t in trials
        if t.meta.get("study") in SOUND_CLOCKS
        for event in t.episode
        if "seconds_from_start" in event.data
    ]
    return _compute_curve(corpus, len({str(t.meta["game"]) for t in trials}), words, right, seconds)


def _compute_curve(
    source: str, games: int, words: Sequence[WordCount], right: Sequence[_Right], seconds: Sequence[_Seconds]
) -> AdaptationCurve:
    """Return the curve of one source with its slope."""
    repetitions = sorted({r for r, _, _ in (*words, *right)})
    levels = tuple(
        _summarise_repetition(
            n, [w for w in words if w[0] == n], [r for r in right if r[0] == n], [s for s in seconds if s[0] == n]
        )
        for n in repetitions
    )
    return AdaptationCurve(source=source, games=games, levels=levels, slope=estimate_slope(words))


def _summarise_repetition(
    repetition: int, words: Sequence[WordCount], right: Sequence[_Right], seconds: Sequence[_Seconds]
) -> RepetitionLevel:
    """Return the means of one repetition with intervals over games."""
    measures = {"words": (words, None), "right": (right, 1.0), "seconds": (seconds, None)}
    fields: dict[str, Any] = {}
    for name, (rows, most) in measures.items():
        mean = _estimate_mean([(game, float(value)) for _, game, value in rows], (0.0, most))
        fields |= dict(zip((name, f"{name}_low", f"{name}_high"), mean, strict=True)) | {f"n_{name}": len(rows)}
    return RepetitionLevel(repetition=repetition, **fields)


def _estimate_mean(
    values: Sequence[tuple[str, float]], limits: tuple[float | None, float | None]
) -> tuple[float | None, float | None, float | None]:
    """Return a mean with its interval over games."""
    if not values:
        return None, None, None
    rows = np.array([[value] for _, value in values])
    estimate = spread(rows, average_rows, Clusters.of({"game": [game for game, _ in values]}), limits=limits)
    value, low, high = (None if isnan(v) else float(v) for v in (estimate.value, estimate.low, estimate.high))
    return value, low, high
