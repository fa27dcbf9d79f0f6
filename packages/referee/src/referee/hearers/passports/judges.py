"""Recorded judgements of external judges.

Does this description identify the target, yes or no, or from 1 to 5? Compared with people's success.

One line per trial, all of one kind: ``{"trial": ID, "judgement": true}`` or ``{"trial": ID, "rating": 4}``. A judge
chooses nothing, so its card has no accuracy, positions or probes; it has discrimination, correlation and ranking
against people's success.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.corpora.reading.lines import WrongShape, get_field, parse_object, read_lines
from referee.corpora.reading.packed import add_location
from referee.errors import DuplicateTrial, InputError, UnknownTrial
from referee.hearers.passports.areas import Area, Bounds, Truths, measure_area
from referee.hearers.passports.measures import compute_choice_kappa, get_bounds
from referee.hearers.recorded import PREFIX
from referee.records import Trial
from referee.signature import digest
from referee.statistics.dependent_trials import Clusters, spread
from referee.statistics.frames import IntArray

FORM = 'write {"trial": ID, "judgement": true} or {"trial": ID, "rating": 1 to 5} on every line, all of one kind'
KINDS = ("judgement", "rating")
RATINGS = range(1, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge's answers by trial: 0 or 1 (`kind` judgement), or 1 to 5 (`kind` rating)."""

    kind: str
    scores: Mapping[str, float]

    @property
    def checksum(self) -> str:
        """The judgements as a hash."""
        return digest("\n".join(f"{trial}\t{score:g}" for trial, score in sorted(self.scores.items())))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """A judge against people.

    Areas, Pearson's r with their success (phi for yes and no), and for yes and no the share and kappa of agreement.
    """

    n: int
    human_accuracy: float
    area: Area
    within_condition: Area
    within_game: Area
    correlation: float | None
    correlation_interval: Bounds | None
    agreed: float | None
    kappa: float | None


def is_judge(name: str) -> bool:
    """Return whether a file of recorded answers has judgements, from its first line."""
    path = Path(name.removeprefix(PREFIX))
    if not path.is_file():
        return False
    for line, text in read_lines(path):
        with add_location(path, line):
            return any(kind in parse_object(text) for kind in KINDS)
    return False


def read_judge(name: str, trials: Iterable[Trial]) -> Judged:
    """Return the judgements of a file, checked against the trials."""
    path, trial_ids = Path(name.removeprefix(PREFIX)), {t.id for t in trials}
    kinds: set[str] = set()
    scores: dict[str, float] = {}
    for line, text in read_lines(path):
        with add_location(path, line):
            trial, kind, score = _parse_judgement(parse_object(text))
            kinds.add(kind)
            if len(kinds) > 1:
                raise WrongShape("ratings and judgements are mixed", FORM)
        if trial not in trial_ids:
            raise UnknownTrial(
                f"trial {trial!r} is not in the corpus", where=path, line=line, remedy="name the corpus with this trial"
            )
        if trial in scores:
            raise DuplicateTrial(
                f"trial {trial!r} is judged twice", where=path, line=line, remedy="keep one line per trial"
            )
        scores[trial] = score
    if not scores:
        raise InputError("the file has no judgements", where=path, remedy=FORM)
    return Judged(kind=kinds.pop(), scores=scores)


def _parse_judgement(row: Mapping[str, Any]) -> tuple[str, str, float]:
    """Return trial, kind and value of one judgement. Raises WrongShape for an invalid one."""
    trial = get_field(row, "trial", str)
    kinds = [kind for kind in KINDS if kind in row]
    if len(kinds) != 1:
        raise WrongShape("neither a judgement nor a rating" if not kinds else "a judgement and a rating", FORM)
    if kinds[0] == "judgement":
        return trial, kinds[0], float(get_field(row, "judgement", bool))
    rating = row["rating"]
    if isinstance(rating, bool) or rating not in RATINGS:
        raise WrongShape(f"the rating is {rating!r:.20}", "ratings are whole numbers from 1 to 5")
    return trial, kinds[0], float(rating)


def measure_judge(
    judged: Judged, scores: FloatArray, right: Truths, clusters: Clusters, strata: Sequence[IntArray]
) -> JudgeAgreement:
    """Compare a judge's scores with people's success, one row per answer; `strata` are conditions and games."""
    conditions, games = strata
    yes = judged.kind == "judgement"
    r = spread(_compute_moments(scores, right.astype(float)), _compute_pearson, clusters, limits=(-1.0, 1.0))
    return JudgeAgreement(
        n=len(scores),
        human_accuracy=float(right.mean()),
        area=measure_area(scores, right, clusters),
        within_condition=measure_area(scores, right, clusters, conditions),
        within_game=measure_area(scores, right, clusters, games),
        correlation=None if np.isnan(r.value) else r.value,
        correlation_interval=None if np.isnan(r.value) else get_bounds(r),
        agreed=float((scores == right).mean()) if yes else None,
        kappa=compute_choice_kappa((scores > 0).tolist(), right.tolist()) if yes else None,
    )


def _compute_moments(x: FloatArray, y: FloatArray) -> FloatArray:
    rows: FloatArray = np.column_stack([x, y, x * x, y * y, x * y])
    return rows


def _compute_pearson(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """Return Pearson's r from sums, so that whole clusters can be left out; NaN if one side is constant."""
    x, y, xx, yy, xy = (totals[..., i] / counts for i in range(5))
    spread_x, spread_y = xx - x * x, yy - y * y
    below = np.sqrt(np.maximum(spread_x, 0.0) * np.maximum(spread_y, 0.0))
    r: FloatArray = np.divide(xy - x * y, below, out=np.full(np.shape(below), np.nan), where=below > 1e-12)
    return r
