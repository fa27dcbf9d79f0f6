"""Analyses evaluators' answers.

Identification rates, times and repeats by category, with the printed tests and modern ones (Spanger et al. 2013).

The paper compares TP with FN and FP-DP with FP-Orig by paired t-tests over evaluators. In addition there are an
equivalence test (a non-significant difference is not equality), mixed models with evaluators and items, and times
adjusted for the length of the expression.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log
from typing import TYPE_CHECKING

import numpy as np

from referee.auditing.paper import Paper, read_shipped_paper
from referee.errors import InputError
from referee.metrics.hearing import MEASURES, PEOPLE, group_responses
from referee.records import Event, Outcome, Response, Trial
from referee.statistics.clustered_regression import Slope, regress
from referee.statistics.clusters import cluster_bootstrap
from referee.statistics.comparisons import Comparison, Equivalence, equivalence, paired_t
from referee.statistics.mixed import MixedModel, mixed_correctness, mixed_times
from referee_lab.tangram.evaluation.replacement import FN, FP_DP, FP_ORIG, TP
from referee_lab.tangram.models.context import VARIANTS
from referee_lab.tangram.models.demonstratives import Confusion
from referee_lab.tangram.tiers.dialogue import EXPRESSION
from referee_lab.tangram.tiers.reference_forms import has_pronoun_list, is_pronoun

if TYPE_CHECKING:
    import polars as pl


CONDITIONS = (TP, FN, FP_DP, FP_ORIG)
PAIRS = ((TP, FN), (FP_DP, FP_ORIG))
MARGIN = 0.05
HUMAN = "human"
# Between a system and the context in which its words are shown.
AT = "@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One category: its number of answers, every hearing measure (None if it has no data), and an interval of IR
    clustered by evaluator and item.
    """

    condition: str
    responses: int
    correct: int
    items: int
    evaluators: int
    majority_correct: float
    ties: int
    measures: dict[str, float | None]
    ir_interval: tuple[float, float]
    agreement_sd: float | None
    right_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCategories:
    """Two categories: accuracy and time by paired t-test over evaluators, equivalence of accuracy, mixed models, and times with expression length taken out."""

    first: str
    second: str
    accuracy: Comparison
    accuracy_equivalence: Equivalence
    time: Comparison
    time_when_right: Comparison
    mixed_accuracy: MixedModel | InputError
    mixed_time: MixedModel | InputError
    time_given_length: Slope | None
    per_character: Slope | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The tables of an evaluation.

    `moved` is the number of FP items that the majority found with the pronoun.
    """

    lines: tuple[Category, ...]
    contrasts: tuple[PairedCategories, ...]
    responses: int
    moved: int | None
    simulated: bool
    ties: str
    chance: float
    reviews: Mapping[str, Review]


def evaluate(
    responses: Sequence[Response], trials: Iterable[Trial], *, ties: str = "strict", margin: float = MARGIN
) -> Evaluation:
    """Return all tables from the answers.

    The category of an answer is its `system` (TP, FN, FP-DP, FP-Orig); in a study of systems in contexts it is the
    system and the context.
    """
    trials_by_id = {t.id: t for t in trials}
    if not responses:
        raise InputError("there are no answers", remedy="collect some, or name another --mode")
    if lost := sorted({r.trial for r in responses} - set(trials_by_id)):
        raise InputError(
            f"answers to {lost[0]!r}, which is not among the trials", remedy="give the trials file they belong to"
        )
    responses = [replace(r, system=_get_category(r)) for r in responses]
    conditions, pairs = _list_comparisons(responses)
    lines = tuple(_measure_category(c, responses, trials_by_id, ties) for c in conditions)
    contrasts = tuple(_compare_categories(a, b, responses, trials_by_id, margin) for a, b in pairs)
    moved = next((line.majority_correct for line in lines if line.condition == FP_DP), None)
    return Evaluation(
        lines=lines,
        contrasts=contrasts,
        responses=len(responses),
        moved=None if moved is None else int(moved),
        simulated=any("simulated" in r.flags for r in responses),
        ties=ties,
        # By the boards that were shown: seven pieces here, twelve elsewhere.
        chance=sum(1 / len(trials_by_id[r.trial].scene.entities) for r in responses) / len(responses),
        reviews=_review_contexts(conditions, responses, trials_by_id),
    )


def _get_category(response: Response) -> str:
    """Return the category of an answer. Raises InputError if it has none."""
    if response.system in CONDITIONS:
        return str(response.system)
    if (response.system or "").rpartition(AT)[2] not in VARIANTS:
        raise InputError(
            f"answers of category {response.system!r}",
            remedy=f"the field system of an answer is one of {', '.join(CONDITIONS)}, or a system in a study with --systems",
        )
    return str(response.system)


def _list_comparisons(responses: Sequence[Response]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the categories in order, and the pairs to compare.

    These are the published pairs, or every system with the people in each context.
    """
    present = {str(r.system) for r in responses}
    if present <= set(CONDITIONS):
        return [c for c in CONDITIONS if c in present], [pair for pair in PAIRS if set(pair) <= present]
    split = [category.rpartition(AT)[::2] for category in present]
    order = [
        (s, c)
        for c in VARIANTS
        for s in sorted({s for s, _ in split}, key=lambda s: (s != HUMAN, s))
        if (s, c) in split
    ]
    pairs = [(f"{s}{AT}{c}", f"{HUMAN}{AT}{c}") for s, c in order if s != HUMAN and (HUMAN, c) in order]
    return [f"{s}{AT}{c}" for s, c in order], pairs


# -- one category --------------------------------------------------------------------------------------------------------------


def _measure_category(
    condition: str, responses: Sequence[Response], trials: Mapping[str, Trial], ties: str
) -> Category:
    """Return the measures of one category."""
    import polars as pl

    # Evaluators are people to the measures, whether simulated or not: one group with as many participants.
    answers = [replace(r, probabilities=None) for r in responses if r.system == condition]
    hearing = group_responses(answers, trials)[0][condition, PEOPLE]
    values = dict(zip(MEASURES, hearing.measure(ties=ties).tolist(), strict=True))
    rights = [_is_right(r, trials) for r in answers]
    shares = _compute_item_accuracy(answers, trials)
    won = [s for s in shares.values() if s > 0.5]
    rows = [("all", r.hearer, r.trial, float(right)) for r, right in zip(answers, rights, strict=True)]
    frame = pl.DataFrame(rows, schema=["system", "participant", "item", "right"], orient="row")
    (interval,) = cluster_bootstrap(frame, value="right", system="system").iter_rows(named=True)
    times = [t for r, right in zip(answers, rights, strict=True) if right and (t := _get_time(r)) is not None]
    return Category(
        condition=condition,
        responses=len(answers),
        correct=sum(rights),
        items=hearing.n_items,
        evaluators=hearing.n_participants,
        majority_correct=values["mir"] * hearing.n_items,
        ties=hearing.counts(ties)["ties"],
        measures={name: None if np.isnan(v) else v for name, v in values.items()},
        ir_interval=(interval["low"], interval["high"]),
        agreement_sd=float(np.std(won, ddof=1)) if len(won) > 1 else None,
        right_ms=sum(times) / len(times) if times else None,
    )


def _is_right(response: Response, trials: Mapping[str, Trial]) -> bool:
    return response.outcome == Outcome.ENTITY and response.entity == trials[response.trial].targets[0]


def _compute_item_accuracy(answers: Sequence[Response], trials: Mapping[str, Trial]) -> dict[str, float]:
    """Return the share of correct answers per item."""
    by_item: dict[str, list[bool]] = {}
    for r in answers:
        by_item.setdefault(r.trial, []).append(_is_right(r, trials))
    return {item: sum(right) / len(right) for item, right in by_item.items()}


# -- two categories ------------------------------------------------------------------------------------------------------------


def _compare_categories(
    a: str, b: str, responses: Sequence[Response], trials: Mapping[str, Trial], margin: float
) -> PairedCategories:
    """Return the comparison of two categories by all tests."""
    import polars as pl

    answers = [r for r in responses if r.system in (a, b)]
    frame = pl.DataFrame(
        {
            "system": [r.system for r in answers],
            "participant": [r.hearer for r in answers],
            "item": [r.trial for r in answers],
            "right": [float(_is_right(r, trials)) for r in answers],
            "time": [_get_time(r) for r in answers],
            "length": [len(r.description.text or "") if r.description else None for r in answers],
        }
    )
    people = sorted(set(frame["participant"]))
    accuracy = [_average_by_person(frame, "right", c, people) for c in (a, b)]
    time = [_average_by_person(frame, "time", c, people) for c in (a, b)]
    right = frame.filter(pl.col("right") == 1)
    quick = [_average_by_person(right, "time", c, people) for c in (a, b)]
    length_effect, per_character = _adjust_for_length(frame, a)
    return PairedCategories(
        first=a,
        second=b,
        accuracy=paired_t(*accuracy),
        # The paper finds no difference and tests no equivalence: at 612 + 612 responses two or three points could hide.
        accuracy_equivalence=equivalence(*accuracy, margin=margin),
        time=paired_t(*time),
        # A wrong answer is no identification: how long it took says nothing about how hard the right one was.
        time_when_right=paired_t(*quick),
        mixed_accuracy=_fit_or_error(lambda: mixed_correctness(frame, correct="right", baseline=b)),
        mixed_time=_fit_or_error(lambda: mixed_times(frame.drop_nulls("time"), time="time", baseline=b)),
        time_given_length=length_effect,
        per_character=per_character,
    )


def _get_time(response: Response) -> float | None:
    """Return reading and identification time together; None for a corrected answer."""
    if "corrected" in response.flags or response.reading_ms is None or response.identification_ms is None:
        return None
    return response.reading_ms + response.identification_ms


def _average_by_person(frame: pl.DataFrame, value: str, condition: str, people: Sequence[str]) -> list[float | None]:
    """Return the mean of each evaluator in a category; None without answers."""
    import polars as pl

    rows = frame.filter((pl.col("system") == condition) & pl.col(value).is_not_null())
    means = dict(rows.group_by("participant").agg(pl.col(value).mean()).iter_rows())
    return [means.get(p) for p in people]


def _fit_or_error(fit: Callable[[], MixedModel]) -> MixedModel | InputError:
    """Return a fitted model, or the error with the reason why it could not be fitted."""
    try:
        model = fit()
    except InputError as error:
        return error
    return model if model.converged else InputError(f"no model: {model.message}")


def _has_overlapping_lengths(rows: pl.DataFrame, first: str) -> bool:
    """Return whether the lengths of expressions in two categories overlap.

    Without overlap nothing is estimated.
    """
    import polars as pl

    lengths, other = (rows.filter(side)["length"] for side in (pl.col("system") == first, pl.col("system") != first))
    if lengths.is_empty() or other.is_empty():
        return False
    return bool(max(lengths.min(), other.min()) <= min(lengths.max(), other.max()))  # type: ignore[type-var,operator]


def _adjust_for_length(frame: pl.DataFrame, first: str) -> tuple[Slope | None, Slope | None]:
    """Return the difference in log time at equal length of the expression, and the effect of a character.

    Clustered by evaluator.
    """
    rows = frame.drop_nulls(["time", "length"])
    if rows.is_empty() or rows["length"].n_unique() < 2 or not _has_overlapping_lengths(rows, first):
        return None, None
    # In the paper the original expressions are 2.72 characters longer than *sore*: unadjusted times include that
    # difference in reading.
    columns = {
        first: [float(s == first) for s in rows["system"]],
        "characters": [float(c) for c in rows["length"]],
    }
    try:
        _, effect, character = regress(columns, [log(t) for t in rows["time"]], list(rows["participant"]))
    except InputError:
        return None, None
    return effect, character


# -- the review of the corpus-matching evaluation ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Precision and F before and after some false positives count as right.

    The published F keeps recall as it was.
    """

    moved: int
    precision: float | None
    recall: float | None
    f: float | None
    precision_after: float | None
    f_after: float | None
    f_after_recomputed: float | None


def review_confusion(confusion: Confusion, moved: int) -> Review:
    """Return precision, recall and F if `moved` false positives count as correct (section 5.4).

    Recall is fixed, or recomputed with them as true positives.
    """
    if not 0 <= moved <= confusion.fp:
        raise InputError(f"{moved} of {confusion.fp} false positives is impossible", remedy="check the counts")
    after = Confusion(tp=confusion.tp + moved, fn=confusion.fn, fp=confusion.fp - moved, tn=confusion.tn)
    # Precision counted anew, recall kept: P .664 to .718 and F .730 to .762 leave R at .811 both times.
    p, r = after.precision, confusion.recall
    return Review(
        moved=moved,
        precision=confusion.precision,
        recall=r,
        f=confusion.f,
        precision_after=p,
        f_after=None if not p or not r else 2 * p * r / (p + r),
        f_after_recomputed=after.f,
    )


def _review_contexts(
    conditions: Sequence[str], responses: Sequence[Response], trials: Mapping[str, Trial]
) -> dict[str, Review]:
    """Return the review of the pronouns of every system in every context.

    A pronoun where people said other words counts as correct if the majority found the referent.
    """
    answers: dict[str, list[Response]] = {}
    for r in responses:
        trial = trials[r.trial]
        is_known = "pronoun" in trial.meta and r.description is not None and has_pronoun_list(trial.language)
        if is_known and AT in str(r.system) and not str(r.system).startswith(f"{HUMAN}{AT}"):
            answers.setdefault(str(r.system), []).append(r)
    return {condition: _review_answers(answers[condition], trials) for condition in conditions if condition in answers}


def _review_answers(answers: Sequence[Response], trials: Mapping[str, Trial]) -> Review:
    """Return the review of one system in one context, over the items that were answered."""
    texts = {r.trial: r.description.text or "" for r in answers if r.description is not None}
    predicted = {id: is_pronoun(Event(kind=EXPRESSION, text=text), trials[id].language) for id, text in texts.items()}
    counts = Counter((bool(trials[id].meta["pronoun"]), is_said) for id, is_said in predicted.items())
    confusion = Confusion(
        tp=counts[True, True], fn=counts[True, False], fp=counts[False, True], tn=counts[False, False]
    )
    shares = _compute_item_accuracy(answers, trials)
    return review_confusion(
        confusion,
        sum(shares[id] > 0.5 for id, is_said in predicted.items() if is_said and not trials[id].meta["pronoun"]),
    )


@cache
def _load_paper() -> Paper:
    return read_shipped_paper("spanger-2013")


def _get_printed(table: str, row: str, column: str = "value") -> str:
    """Return a cell as printed, with proportions written without the leading zero."""
    text = _load_paper().tables[table].text(row, column)
    return text[1:] if text.startswith("0.") else text


def describe_published_design() -> str:
    """Return the number of trials of an evaluator, and the length of their clips, as printed."""
    return f"{_get_printed('text', 'trials per evaluator')} trials, {_get_printed('measured', 'mean clip, seconds')} s"


def describe_published_results() -> str:
    """Return the printed identification by category, and the test of the first two categories."""
    categories = _load_paper().tables["evaluation"].labels
    majority = [
        f"{c} {_get_printed('evaluation', c, 'majority right')}/{_get_printed('evaluation', c, 'instances')}"
        for c in categories
    ]
    agreement = " ".join(_get_printed("evaluation", c, "agreement") for c in categories)
    df, t = _get_printed("text", "degrees of freedom"), _get_printed("measured", "accuracy of TP against FN, t")
    summary = f"IR {TP} {_get_printed('evaluation', TP, 'IR')}; MIR {', '.join(majority)}; agreement {agreement}"
    return f"{summary}; {TP} against {FN} t({df}) = {t}"


def describe_published_review() -> str:
    """Return the classifier's precision and F before and after the review of its false positives."""
    names = ("precision", "F")
    return ", ".join(f"{n} {_get_printed('rates', n)} → {_get_printed('rates', f'{n} after review')}" for n in names)
