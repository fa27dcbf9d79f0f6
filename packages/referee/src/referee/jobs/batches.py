"""Divides a corpus into pieces: ranges of trials with their outputs, read as batches by workers.

A line-based file is divided by its index (`referee.corpora.line_index`), and a worker reads its piece from the file.
Sources that cannot be divided (archives, corpora of other formats, a selected part, references of other speakers) are
read here, and their pieces contain trials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from referee.contracts import Batch
from referee.corpora.line_index import TrialIndex, is_line_based
from referee.corpora.reading.lines import FileLines
from referee.jobs.open import Answers, AnswersPart, Opened
from referee.records import HUMAN, Description, Response, Trial

CHUNK = 10_000
"""Trials of a piece; affects memory only, results do not depend on it."""


@dataclass(frozen=True, slots=True, eq=False)
class ScorePiece:
    """Some trials, or the lines of a file that hold them, with the outputs of the systems."""

    number: int
    ids: Sequence[str]
    trials: Sequence[Trial] | FileLines
    answers: AnswersPart
    read: Callable[[FileLines], Iterable[Trial]]
    # Instead of the trials' own, where those of other speakers are asked for.
    references: Sequence[Sequence[Description]] | None = None

    def __str__(self) -> str:
        return f"trials {self.ids[0]} to {self.ids[-1]}"

    def batches(self, systems: Sequence[str]) -> PieceBatches:
        """Read the piece and return a batch for each system."""
        trials = list(self.read(self.trials)) if isinstance(self.trials, FileLines) else self.trials
        references = [t.references for t in trials] if self.references is None else self.references
        answers = self.answers.read()
        batches = {}
        for system in systems:
            answers.check_content(system, trials)
            batches[system] = Batch(
                _select_descriptions(answers, system, trials),
                trials,
                references,
                answers=_select_responses(answers, system, trials),
            )
        return PieceBatches(trials, references, answers, batches)

    def carried(self) -> ScorePiece:
        """Return the piece with the lines of its files, for a machine that cannot read them."""
        trials = self.trials.carried() if isinstance(self.trials, FileLines) else self.trials
        return replace(self, trials=trials, answers=self.answers.carried())

    @property
    def files(self) -> set[str]:
        """Return the files that the piece is read from."""
        lines = [lines for lines, _ in self.answers.files]
        return {str(x) for x in (*lines, *([self.trials] if isinstance(self.trials, FileLines) else []))}


@dataclass(frozen=True, slots=True)
class PieceBatches:
    """The batches of one piece, by system."""

    trials: Sequence[Trial]
    references: Sequence[Sequence[Description]]
    answers: Answers
    by_system: dict[str, Batch]


def _select_descriptions(answers: Answers, system: str, trials: Sequence[Trial]) -> list[Description | None]:
    """Return a system's description of each trial, None where it gave none."""
    # A file of outputs may bring its own "human", which then is a system like others.
    if system == HUMAN and HUMAN not in answers.by_system:
        return [t.references[0] if t.references else None for t in trials]
    description_of = answers.by_system[system].description
    return [description_of(t.id) for t in trials]


def _select_responses(answers: Answers, system: str, trials: Sequence[Trial]) -> list[Response | None]:
    """Return a system's response to each trial, None where it gave none."""
    answered = answers.by_system.get(system)
    return [] if answered is None or not answered.finds else [answered.response(t.id) for t in trials]


# -- cutting -----------------------------------------------------------------------------------------------------------------


def cut_corpus(
    opened: Opened,
    answers: Answers,
    size: int = CHUNK,
    of_others: bool = False,
    watch: Callable[[Iterable[Trial]], Iterable[Trial]] = lambda trials: trials,
) -> list[ScorePiece] | Iterator[ScorePiece]:
    """Return the pieces of a corpus in order; a list if its file has an index, else a stream.

    `of_others` compares descriptions with those of other speakers of the same scene.

    Raises:
        DuplicateTrial: for a repeated id.
    """
    if opened.file is not None and not of_others and is_line_based(opened.file):
        index = TrialIndex.of(opened.file)
        # For an unreadable id, reading from the beginning reports the error.
        if index.is_readable and index.ids:
            ranges = enumerate(index.ranges(size))
            return [ScorePiece(n, ids, lines, answers.part(ids), opened.read) for n, (lines, ids) in ranges]
    return _read_pieces(opened, answers, size, of_others, watch)


def _read_pieces(
    opened: Opened, answers: Answers, size: int, of_others: bool, watch: Callable[[Iterable[Trial]], Iterable[Trial]]
) -> Iterator[ScorePiece]:
    """Yield pieces with trials that are read here."""
    find = _index_references(opened.everyone) if of_others else None
    for number, trials in enumerate(_cut_chunks(watch(opened.trials()), size)):
        ids = [t.id for t in trials]
        references = None if find is None else [find(t) for t in trials]
        yield ScorePiece(number, ids, trials, answers.part(ids), opened.read, references)


def _cut_chunks(trials: Iterable[Trial], size: int) -> Iterator[list[Trial]]:
    """Yield lists of at most `size` trials."""
    iterator = iter(trials)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _index_references(trials: Callable[[], Iterable[Trial]]) -> Callable[[Trial], Sequence[Description]]:
    """Return a function that finds, for a trial, references of the same scene and target by other speakers."""
    pools: dict[tuple[str, tuple[str, ...]], list[tuple[str | None, Description]]] = defaultdict(list)
    for trial in trials():
        pools[_make_target_key(trial)] += [(trial.speaker, d) for d in trial.references]
    return lambda trial: [d for speaker, d in pools[_make_target_key(trial)] if speaker != trial.speaker]


def _make_target_key(trial: Trial) -> tuple[str, tuple[str, ...]]:
    # A trial whose scene has no id shares its scene with no other.
    return (trial.scene.id or trial.id, trial.targets)
