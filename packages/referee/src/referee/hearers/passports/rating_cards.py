"""The passport of a judge that rates.

Its ratings against people's of the same texts, by item and by system, beside how far people agree with each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from referee.capabilities import answer_in_parallel
from referee.corpora.rated_texts import RatedText
from referee.errors import InputError
from referee.hearers.model_judge import SCALES, GivenRating, ModelJudge
from referee.hearers.passports.cards import seal
from referee.signature import signature
from referee.statistics.correlation import Correlation, pearson, spearman

# NeuralREG's scales have seven points; those of the judge are named with them.
ASKED = {"fluency": "fluency7", "grammar": "grammar7", "clarity": "clarity7"}
LEVEL = 0.05
FEWEST = 10


def examine_ratings(
    judge: ModelJudge, texts: Sequence[RatedText], scale: str, advance: Callable[[int], None] = lambda n: None
) -> dict[str, Any]:
    """Return a sealed card: correlations with people's mean ratings, the human ceiling, and texts without a match."""
    if scale not in ASKED:
        raise InputError(f"people did not rate {scale!r} here", remedy=f"one of {', '.join(ASKED)}")
    verdicts = []

    def rate(text: RatedText) -> GivenRating:
        return judge.rate(text.text, ASKED[scale])

    for verdict in answer_in_parallel(judge, rate, texts):
        verdicts.append(verdict)
        advance(1)
    outcomes = Counter(v.outcome for v in verdicts)
    pairs = [(t, v.rating) for t, v in zip(texts, verdicts, strict=True) if v.rating is not None]
    if len(pairs) < FEWEST:
        raise InputError(
            f"the judge rated {len(pairs)} of {len(texts)} texts ({dict(outcomes)})",
            remedy="see that it answers with numbers",
        )
    people = [_average_values(t, scale) for t, _ in pairs]
    judge_ratings = [rating for _, rating in pairs]
    items = spearman(judge_ratings, people)
    systems = _average_by_system(pairs, scale)
    ceiling = _correlate_single_raters([t for t, _ in pairs], scale)
    verdict_text = _describe_verdict(items, ceiling, len(set(judge_ratings)))
    joined = Counter(
        "none" if not t.systems else "one" if len(t.systems) == 1 else "several"
        for t in texts
        for _ in t.ratings[scale]
    )
    return seal(
        {
            "judge": judge.model,
            "signature": signature("judge", judge, scale=ASKED[scale]),
            "corpus": "neuralreg",
            "scale": scale,
            "question": SCALES[ASKED[scale]].question,
            "texts": len(pairs),
            "ratings": sum(len(t.ratings[scale]) for t, _ in pairs),
            "outcomes": dict(sorted(outcomes.items())),
            "item_spearman": items.r,
            "item_interval": [items.low, items.high],
            "item_pearson": pearson(judge_ratings, people).r,
            "people_spearman": ceiling,
            "mean_difference": float(np.mean(np.array(judge_ratings) - np.array(people))),
            "systems": systems,
            "system_spearman": spearman(*_list_means(systems)).r if len(systems) > 2 else None,
            "ratings_joined_to": dict(sorted(joined.items())),
            "verdict": verdict_text,
        }
    )


def _average_values(text: RatedText, scale: str) -> float:
    return float(np.mean([rating for _, rating in text.ratings[scale]]))


def _average_by_system(pairs: Sequence[tuple[RatedText, float]], scale: str) -> dict[str, dict[str, float]]:
    """Return the mean ratings of every system's texts; a text of several systems counts for each."""
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for text, rating in pairs:
        for system in text.systems:
            rows[system].append((rating, _average_values(text, scale)))
    return {
        system: {
            "judge": float(np.mean([r for r, _ in ratings])),
            "people": float(np.mean([p for _, p in ratings])),
            "texts": len(ratings),
        }
        for system, ratings in sorted(rows.items())
    }


def _list_means(systems: dict[str, dict[str, float]]) -> tuple[list[float], list[float]]:
    return [s["judge"] for s in systems.values()], [s["people"] for s in systems.values()]


def _correlate_single_raters(texts: Sequence[RatedText], scale: str) -> float | None:
    """Return the correlation of single raters with the mean of the others, which a judge can be expected to reach."""
    by_person: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for text in texts:
        ratings = text.ratings[scale]
        total = sum(rating for _, rating in ratings)
        for person, rating in ratings:
            if len(ratings) > 1:
                by_person[person].append((rating, (total - rating) / (len(ratings) - 1)))
    correlations = [
        spearman(*map(list, zip(*rows, strict=True))).r for rows in by_person.values() if len(rows) >= FEWEST
    ]
    defined = [r for r in correlations if r is not None and not np.isnan(r)]
    return float(np.mean(defined)) if defined else None


def _describe_verdict(correlation: Correlation, ceiling: float | None, different: int) -> str:
    """Return the verdict on a judge; a non-significant correlation is no evidence either way."""
    if different < 2 or correlation.r is None or np.isnan(correlation.r):
        return "do not use: it rates everything alike"
    if correlation.p is None or correlation.p >= LEVEL:
        return "do not use: no evidence that it agrees with people"
    if correlation.r < 0:
        return "do not use: it contradicts people"
    return "use with care" if ceiling is None or correlation.r < ceiling else "as good as one more person"
