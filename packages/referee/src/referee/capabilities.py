"""Optional capabilities of plug-ins, each as a small protocol with a default.

No inheritance or declaration is needed: an object that has the attribute has the capability. Callers use `isinstance`,
or the function beside it if there is a default, so each default is defined once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from referee.contracts import Batch, FloatArray, Hearer, Metric
from referee.meaning import Meaning
from referee.records import Description, HearerView, Property, Response, Scene, SpeakerView, Trial

__all__ = [
    "AnswersInBatches",
    "AnswersMany",
    "AnswersParallel",
    "ChecksTraining",
    "ChecksViews",
    "CountsAnswered",
    "Explains",
    "HasDistribution",
    "HasFamily",
    "HasManner",
    "HasModel",
    "HasSelector",
    "HasWidth",
    "KeepsAccount",
    "LearnsFirst",
    "LearnsFrom",
    "NeedsHardware",
    "RealisesMeaning",
    "Remembers",
    "SaysUnderstood",
    "SaysWhetherItLearns",
    "SeesMarks",
    "SelectsMeaning",
    "SignsCalls",
    "Stops",
    "TellsTrouble",
    "TwoPassMetric",
    "WritesBatches",
    "answer_in_parallel",
    "count_parallel_questions",
    "count_statistics",
    "find_family",
    "find_manner",
    "is_average",
    "learns",
    "needs_of",
    "resolve_all",
]

# How many questions for each thread are taken in: enough that a slow one does not hold up the rest.
AHEAD = 32

T = TypeVar("T")
R = TypeVar("R")


# -- hearers and speakers ------------------------------------------------------------------------------------------------------


@runtime_checkable
class Remembers(Protocol):
    """Uses a network and caches the answers, so that an interrupted job can resume."""

    def remember(self, folder: Path, offline: bool = False) -> Any:
        """Cache answers in a folder and look them up first; offline, ask no new questions."""
        ...


@runtime_checkable
class AnswersParallel(Protocol):
    """Answers several questions at once, from as many threads."""

    parallel: int


def count_parallel_questions(thing: object) -> int:
    """Return how many questions a plug-in answers at once (default: 1).

    >>> count_parallel_questions(object())
    1
    """
    # A pool of no threads is an error, and `parallel:0` is easily written.
    return max(1, thing.parallel) if isinstance(thing, AnswersParallel) else 1


def answer_in_parallel(thing: object, answer: Callable[[T], R], questions: Iterable[T]) -> Iterator[R]:
    """Yield answers in the order of the questions; as many are asked at once as the plug-in takes.

    >>> list(answer_in_parallel(object(), str.upper, ["a", "b"]))
    ['A', 'B']
    """
    from concurrent.futures import Future, ThreadPoolExecutor  # here: it loads logging, which no start needs

    at_once = count_parallel_questions(thing)
    # Ctrl-C reaches only the main thread: other threads wait for the network and still store running answers.
    if at_once == 1 and not isinstance(thing, Stops):
        yield from map(answer, questions)
        return
    if isinstance(thing, AnswersInBatches) and thing.batch > 1:
        yield from _answer_in_batches(thing, answer, questions)
        return
    # Threads and not processes: rate limit, failures in a row and response cache belong to one object.
    pool = ThreadPoolExecutor(at_once)
    waiting: deque[Future[R]] = deque()
    try:
        for question in questions:
            waiting.append(pool.submit(answer, question))
            # A hundred thousand questions are not taken in before the first is answered.
            if len(waiting) >= AHEAD * at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:
        # Pauses end; running questions are still answered and stored.
        if isinstance(thing, Stops):
            thing.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@runtime_checkable
class AnswersInBatches(Protocol):
    """Has a local model that takes `batch` questions at once, on so many `workers` (0: in this process)."""

    batch: int
    workers: int

    def group_batch(self, members: int) -> Any:
        """Return a group whose `run(index, function, item)` runs one of its items."""
        ...


def _answer_in_batches(thing: AnswersInBatches, answer: Callable[[T], R], questions: Iterable[T]) -> Iterator[R]:
    """Yield answers in order; `batch` consecutive questions form a group, whichever worker answers it."""
    from concurrent.futures import Future, ThreadPoolExecutor

    groups = max(1, thing.workers) + 1  # one is prepared while the others are answered
    remaining = iter(questions)
    waiting: deque[Future[R]] = deque()
    # A group that has begun needs a thread for each of its items; earlier groups never wait for later ones. At an error the groups that were
    # submitted end too: one with a missing member would wait for ever.
    with ThreadPoolExecutor(thing.batch * groups) as pool:
        while chunk := list(islice(remaining, thing.batch)):
            group = thing.group_batch(len(chunk))
            waiting.extend(pool.submit(group.run, index, answer, item) for index, item in enumerate(chunk))
            while len(waiting) > thing.batch * groups:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@runtime_checkable
class Stops(Protocol):
    """Waits for answers, and can be stopped."""

    def stop(self) -> None:
        """Send no new questions; answers to running ones are still cached."""
        ...


@runtime_checkable
class SignsCalls(Protocol):
    """Records with each cached call who asked: the label of a system, or the name of a hearer."""

    asker: str


@runtime_checkable
class WritesBatches(Protocol):
    """Can write its questions into a file instead of asking them, and take the answers from another."""

    def write_to(self, batch: Any) -> Any:
        """Write the questions without an answer to a batch file."""
        ...

    def take_batch(self, answers: Path, questions: Mapping[str, Mapping[str, Any]]) -> int:
        """Cache the answers of a batch file; return how many."""
        ...


@runtime_checkable
class NeedsHardware(Protocol):
    """Declares the processors and graphics cards that a worker needs to run it."""

    num_cpus: float
    num_gpus: float


def needs_of(thing: object) -> tuple[float, float]:
    """Return the processors and graphics cards that a worker needs (default: 1 and 0).

    >>> needs_of(object())
    (1.0, 0.0)
    """
    return (thing.num_cpus, thing.num_gpus) if isinstance(thing, NeedsHardware) else (1.0, 0.0)


@runtime_checkable
class SaysWhetherItLearns(Protocol):
    """Declares whether `fit` has an effect.

    A hearer that learns must not answer trials that it was fitted on.
    """

    learns: bool


def learns(component: object) -> bool:
    """Return whether a component learns; one that does not declare it is assumed to learn, which is safe.

    >>> learns(object())
    True
    """
    return bool(component.learns) if isinstance(component, SaysWhetherItLearns) else True


@runtime_checkable
class SeesMarks(Protocol):
    """Is shown the regions of all entities (set of marks); other hearers see the picture alone."""

    marks: bool


@runtime_checkable
class SaysUnderstood(Protocol):
    """Can say how much of a text it understood."""

    def understood(self, description: Description, scene: Scene) -> float | None:
        """Return the proportion of the text's content words; None where it cannot say."""
        ...


@runtime_checkable
class AnswersMany(Protocol):
    """Answers many descriptions faster together than one by one."""

    def resolve_many(self, pairs: Sequence[tuple[Description, HearerView]]) -> list[Response]:
        """Return the answers in the order of the questions."""
        ...


def resolve_all(hearer: Hearer, pairs: Sequence[tuple[Description, HearerView]]) -> list[Response]:
    """Return the answers to many descriptions, in one call where the hearer can."""
    if isinstance(hearer, AnswersMany):
        # The order is not checked here: `AnswersMany` promises it, and the callers pair answers with questions by it.
        return hearer.resolve_many(pairs)
    return [hearer.resolve(description, view) for description, view in pairs]


@runtime_checkable
class HasFamily(Protocol):
    """Declares its family of models, so that a judgement by a related model is reported."""

    family: str


@runtime_checkable
class HasModel(Protocol):
    """Has the name of a model."""

    model: str


def find_family(hearer: object, name: str) -> str:
    """Return the family of a hearer: the declared one, its model's name, or its own name.

    >>> find_family(object(), "literal")
    'literal'
    """
    family = hearer.family if isinstance(hearer, HasFamily) else ""
    return family or (hearer.model if isinstance(hearer, HasModel) else "") or name


@runtime_checkable
class HasManner(Protocol):
    """A simulated person: `pace` multiplies response times, `care` is the exponent on belief."""

    pace: float
    care: float


def find_manner(hearer: object) -> tuple[float, float]:
    """Return pace and care of a hearer (default: 1 and 1).

    >>> find_manner(object())
    (1.0, 1.0)
    """
    return (hearer.pace, hearer.care) if isinstance(hearer, HasManner) else (1.0, 1.0)


@runtime_checkable
class KeepsAccount(Protocol):
    """Counts the outcomes, tokens and cost of its answers."""

    def account(self) -> Mapping[str, float]:
        """Return the counts so far, by name."""
        ...


@runtime_checkable
class TellsTrouble(Protocol):
    """Explains why its last description is empty."""

    trouble_: str


# -- selectors -----------------------------------------------------------------------------------------------------------------


@runtime_checkable
class HasSelector(Protocol):
    """A speaker with a selector, which may explain its choices."""

    selector: Any


@runtime_checkable
class Explains(Protocol):
    """Returns the steps that lead to a description.

    Each has `property`, `reason`, `ruled_out` and `remaining`.
    """

    def explain(self, view: SpeakerView) -> Iterable[Any]:
        """Return the steps in order; the last has no property if the description does not identify the target."""
        ...


@runtime_checkable
class ChecksViews(Protocol):
    """A selector that cannot describe every view and can check this.

    A run checks all trials before the first description.
    """

    def check(self, view: SpeakerView) -> None:
        """Raise InputError if the selector cannot describe the targets."""
        ...


@runtime_checkable
class ChecksTraining(Protocol):
    """A selector that can describe only trials like those that it was trained on, and can check this.

    A run checks all folds before the first description.
    """

    def check_training(self, train: Sequence[Trial], test: Sequence[Trial]) -> None:
        """Raise InputError if training on `train` does not suffice to describe `test`."""
        ...


@runtime_checkable
class SelectsMeaning(Protocol):
    """A selector that returns a meaning (`referee.meaning`), not only a list of properties."""

    def select_description(self, view: SpeakerView) -> Description:
        """Return a description without words: its meaning, and the properties that it mentions."""
        ...


@runtime_checkable
class RealisesMeaning(Protocol):
    """A realiser of meanings: several objects in parts, relations, negation, superlatives."""

    def realise_meaning(self, form: Meaning, view: SpeakerView) -> str:
        """Return the words of a meaning."""
        ...


@runtime_checkable
class HasDistribution(Protocol):
    """Knows the probability with which it chooses each set of properties."""

    def distribution(self, view: SpeakerView) -> tuple[tuple[frozenset[Property], float], ...]:
        """Return all sets with their probabilities."""
        ...


# -- metrics -------------------------------------------------------------------------------------------------------------------


@runtime_checkable
class LearnsFirst(Protocol):
    """Needs all outputs before it can measure any."""

    def learn(self, batch: Batch) -> Any:
        """Learn from one part; called for every part before any is measured."""
        ...


@runtime_checkable
class CountsAnswered(Protocol):
    """Also has a value over the items with a usable answer."""

    def answered(self, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the value over answered items, and their number, from sums of rows."""
        ...


@runtime_checkable
class HasWidth(Protocol):
    """Declares how many statistics it has for an item."""

    width: int


def count_statistics(metric: object) -> int:
    """Return how many statistics a metric has for an item (default: 1).

    >>> count_statistics(object())
    1
    """
    return metric.width if isinstance(metric, HasWidth) else 1


def is_average(metric: Metric) -> bool:
    """Return whether a metric's value is its summed statistic over the count: 6 over 3 items makes 2."""
    import numpy as np

    # Tried out, since no attribute of a metric says it.
    return count_statistics(metric) == 1 and float(metric.finish(np.array([6.0]), np.array(3.0))) == 2.0


@runtime_checkable
class TwoPassMetric(LearnsFirst, Protocol):
    """A metric that learns from all batches before it measures any, and reads each batch only once."""

    def collect(self, batch: Batch) -> Any:
        """Return the data of a batch for fitting and computing: small and picklable."""
        ...

    def fit(self, collected: Any) -> Any:
        """Learn from the result of `collect` for one batch, as `learn` does from the batch."""
        ...

    def compute(self, collected: Any) -> FloatArray:
        """Return the statistics of one batch from the result of its `collect`, after fitting."""
        ...


@runtime_checkable
class LearnsFrom(Protocol):
    """Declares its training data; with ``references`` one object serves all systems."""

    learns_from: str
