"""Transfer: what a hearer reaches on experiments of the same kind, each asked about by a hearer that learned from the others only.

A hearer that holds within one experiment may fail on the next: other people, other pictures, other instructions. The values of the experiments are summed up
with random effects, and the prediction interval says what to expect of a new experiment of a stated size (`statistics.meta_analysis`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any

from referee.capabilities import Remembers, learns
from referee.errors import DataNotFound
from referee.hearers.answering import find_understood_words, split_words
from referee.hearers.passports.answer_columns import Belief, tabulate
from referee.hearers.passports.ceilings import find_ceiling
from referee.hearers.passports.measures import measure
from referee.hearers.passports.people import HumanAnswer, People, open_people
from referee.hearers.passports.questions import Asking, Examination, Question, create_hearer, put
from referee.hearers.passports.reading import choose_reading
from referee.records import Trial
from referee.statistics.meta_analysis import Pooled, pool, standard_error

ENOUGH = 5
"""Fewest experiments for a prediction interval."""
WIDEST = 0.30
"""Widest prediction interval that still allows a verdict."""
LEAST_ANSWERS = 20
KINDS = (
    ("franke-degen2016", "franke2024", "mayn-refgames"),
    ("colors", "colors-mandarin"),
    ("degen2020",),
    ("tangrams-hawkins", "multiparty-tangrams", "tg-matcher", "tangrams-ref", "conventions-network"),
)
"""Corpora of one kind: the same task and the same kind of domain. Copies of rounds (coop-nets, vlm-tangram) are in none."""
SHARED_TEXTS = {("tg-matcher", "multiparty-tangrams")}
"""Corpora with texts in common: a hearer that is asked about one does not learn from the other."""
LABELS = ("experiment", "study", "part")
UNNAMED = "other trials"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What a hearer reaches in one experiment that it did not learn from.

    `words_known` is the proportion of the words that it can know.

    There is no `auc` where people do not differ between descriptions, so that there is nothing to rank.
    """

    corpus: str
    experiment: str
    n: int
    accuracy: float
    human_accuracy: float
    auc: float | None
    calibration_error: float | None
    log_likelihood: float | None
    read: float
    words_known: float | None
    auc_interval: tuple[float, float] | None
    accuracy_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """All experiments, with the means of accuracy and AUC, and prediction intervals of a new experiment with `size` answers (None: too few experiments)."""

    experiments: tuple[Experiment, ...]
    accuracy: float | None
    auc: float | None
    low: float | None
    high: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    size: int

    @property
    def is_known(self) -> bool:
        """Whether a prediction is narrow enough to rest a verdict on."""
        return self.low is not None and self.high is not None and self.high - self.low <= WIDEST

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "interval_of": "auc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredExperiment:
    """The answers of people in one experiment, and the beliefs of a hearer that did not learn from it."""

    corpus: str
    experiment: str
    people: People
    beliefs: Mapping[Question, Belief]
    words_known: float | None = None

    def measure(self) -> Experiment:
        """Return what the hearer reaches in the experiment."""
        answers = self.people.answers
        beliefs = [self.beliefs[a.trial.id, a.description] for a in answers]
        evidence = tabulate(answers, beliefs, self.people.clusters())
        m = measure(evidence)
        ceiling = find_ceiling(evidence.questions, evidence.human_right, evidence.human_choices)
        can_rank = ceiling is None or ceiling.has_differences
        return Experiment(
            corpus=self.corpus,
            experiment=self.experiment,
            n=m.n,
            accuracy=m.accuracy,
            human_accuracy=m.human_accuracy,
            auc=m.auc if can_rank else None,
            calibration_error=m.calibration.error,
            log_likelihood=m.log_likelihood,
            read=sum(b.outcome not in ("unparsable", "dont-know") for b in beliefs) / len(beliefs),
            words_known=self.words_known,
            auc_interval=m.intervals["auc"] if can_rank else None,
            accuracy_interval=m.intervals["accuracy"],
        )


def ask_experiments(examination: Examination, people: People) -> tuple[AnsweredExperiment, ...]:
    """Test the hearer on every experiment of the same kind; one that learns is trained without the experiment."""
    hearer = create_hearer(examination)
    corpora = {people.name: people}
    # Asking over a network costs money: only what was asked for.
    if examination.elsewhere and examination.train is None and not isinstance(hearer, Remembers):
        corpora |= _list_other_corpora(examination, people.name)
    parts = [part for each in corpora.values() for part in _split_by_experiment(each)]
    if len(parts) < 2 or examination.train is not None:
        return ()
    learning = learns(hearer)
    plan: list[Asking] = []
    asked: list[tuple[str, str, People]] = []
    for part in parts:
        lessons = [t for other in parts if _is_apart(other, part) for t in other[2].trials if t.references]
        if learning and not lessons:
            continue
        questions: list[Question] = list(dict.fromkeys((a.trial.id, a.description) for a in part[2].answers))
        plan.append((lessons if learning else (), [questions]))
        asked.append(part)
    trials = {t.id: t for *_, of_part in parts for t in of_part.trials}
    return tuple(
        AnsweredExperiment(
            corpus=corpus,
            experiment=experiment,
            people=of_part,
            beliefs=dict(zip(lists[0], answers[0], strict=True)),
            words_known=_measure_known_words(of_part.answers, learned if learning else None, hearer),
        )
        for (corpus, experiment, of_part), (learned, lists), answers in zip(
            asked, plan, put(examination, trials, plan), strict=True
        )
    )


def replay_experiments(people: People, beliefs: Mapping[Question, Belief]) -> tuple[AnsweredExperiment, ...]:
    """Return the results of a recorded hearer on every experiment of the corpus that it answered."""
    parts = list(_split_by_experiment(people))
    return tuple(
        AnsweredExperiment(corpus=corpus, experiment=experiment, people=of_part, beliefs=beliefs)
        for corpus, experiment, of_part in (parts if len(parts) > 1 else ())
    )


def _list_other_corpora(examination: Examination, name: str) -> dict[str, People]:
    """Return the other available corpora of the same kind, in the form that the hearer reads."""
    kind = next((corpora for corpora in KINDS if name in corpora), ())
    data = None if examination.data is None else Path(examination.data)
    folder = data if data is not None and data.is_dir() else None
    found = {}
    for corpus in kind:
        if corpus == name:
            continue
        try:
            people = choose_reading(open_people(corpus, folder), examination.reads).people
        except DataNotFound:
            continue
        limit = examination.limit
        found[corpus] = people if limit is None else people.sample_units(limit, examination.by, examination.seed)
    return found


def _split_by_experiment(people: People) -> Iterator[tuple[str, str, People]]:
    """Yield corpus, name and people of each experiment with enough answers; a corpus that names none is one."""
    parts = {t.id: next((str(t.meta[f]) for f in LABELS if t.meta.get(f)), "") for t in people.trials}
    for label in dict.fromkeys(parts[a.trial.id] for a in people.answers):
        answers = tuple(a for a in people.answers if parts[a.trial.id] == label)
        trials = tuple(t for t in people.trials if parts[t.id] == label)
        # Trials beside named experiments have no name of their own: that of the file would be in the card's reasons.
        name = label or (UNNAMED if any(parts.values()) else people.name)
        if len(answers) >= LEAST_ANSWERS:
            yield people.name, name, replace(people, answers=answers, trials=trials)


def _is_apart(other: tuple[str, str, People], part: tuple[str, str, People]) -> bool:
    """Return whether a hearer that is asked about one experiment may learn from the other."""
    if other[0] == part[0]:
        return other[1] != part[1]
    return not {(other[0], part[0]), (part[0], other[0])} & SHARED_TEXTS


def _measure_known_words(answers: Sequence[HumanAnswer], lessons: Sequence[Trial] | None, hearer: Any) -> float | None:
    """Return the proportion of words that occur in the training data or as values of the scene; None for other hearers."""
    if lessons is not None:
        seen = {word for t in lessons for d in t.references for word in split_words(d.text or "")}
        known = [word in seen for a in answers for word in split_words(a.description.text or "")]
    elif getattr(hearer, "reads_values", False):
        known = [is_known for a in answers for is_known in find_understood_words(a.description, a.trial.scene)]
    else:
        return None
    return sum(known) / len(known) if known else None


def sum_up(experiments: Sequence[Experiment], size: int | None = None) -> Transfer | None:
    """Return the summary of all experiments and a prediction for one with `size` answers; None with fewer than two."""
    if len(experiments) < 2:
        return None
    size = round(median(e.n for e in experiments)) if size is None else size
    accuracy = _pool_proportions([(e.n, e.accuracy, e.accuracy_interval) for e in experiments], size)
    auc = _pool_proportions([(e.n, e.auc, e.auc_interval) for e in experiments if e.auc is not None], size)
    return Transfer(
        experiments=tuple(experiments),
        accuracy=accuracy.effect,
        auc=auc.effect,
        low=auc.new_low,
        high=auc.new_high,
        accuracy_low=accuracy.new_low,
        accuracy_high=accuracy.new_high,
        size=size,
    )


def _pool_proportions(values: Sequence[tuple[int, float | None, tuple[float, float] | None]], size: int) -> Pooled:
    """Return the random-effects summary of proportions with their intervals.

    Without five of them only their mean.
    """
    # Never surer than half an answer: a hearer whose belief is constant has an AUC without any error.
    usable = [(n, v, max(standard_error(*bounds), 0.5 / n)) for n, v, bounds in values if v is not None and bounds]
    if len(usable) < ENOUGH:
        present = [value for _, value, _ in values if value is not None]
        return Pooled(n=len(present), effect=sum(present) / len(present) if present else None)
    _, effects, errors = zip(*usable, strict=True)
    # The error of an estimate from one answer, from which that of a new experiment follows.
    single = median(error * sqrt(n) for n, _, error in usable)
    return pool(effects, errors, new_error=single / sqrt(size), limits=(0.0, 1.0))
