"""Scores outputs: every system is measured on every trial (`referee score`).

`referee.jobs.open` opens corpus and outputs, `batches` divides them into pieces and reads these, `rows` measures a
piece on an engine, and this module combines the rows of all pieces to a `ScoreTable`. Pieces return only additive
statistics, so memory grows with the numbers stored, not with the scenes read.
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np

from referee.capabilities import count_statistics
from referee.contracts import FloatArray
from referee.engines.local import LocalEngine
from referee.engines.pieces import Done, Engine, Failed, WorkPiece
from referee.errors import InputError
from referee.jobs.batches import CHUNK, ScorePiece, cut_corpus
from referee.jobs.grounding import PlaceQuestion, check_places, list_conventions, list_gold_conventions
from referee.jobs.open import Answers, Opened
from referee.jobs.progress import CountedWork, ProgressCallback, iterate_silently
from referee.jobs.rows import Key, Measuring, PieceRows, is_two_pass, list_learning, make_metrics, needs_two_passes
from referee.jobs.score_table import ScoreTable, Settings, Source, choose_clusters, warn_of_tokeniser
from referee.records import HUMAN, Outcome, Trial
from referee.signature import Fingerprint, with_labels

__all__ = ["PROBLEMS", "ScoreTable", "Settings", "format_reference_counts", "score_trials"]

PROBLEMS = ("missing", "unparsable", "unknown", "duplicate", "empty", "outside")


def score_trials(
    answers: Answers,
    trials: Opened | Callable[[], Iterable[Trial]],
    settings: Settings,
    *,
    source: Source | None = None,
    engine: Engine | None = None,
    size: int | None = None,
    watch: ProgressCallback = iterate_silently,
) -> ScoreTable:
    """Measure all systems on all trials, on an engine or (by default) in this process.

    Args:
        answers: outputs of systems (`open_outputs`, with ``index=True`` if workers are to read them).
        trials: an opened corpus, or a function that returns its trials, which may be called repeatedly.
        settings: of the table.
        source: of the trials, for the signature; by default that of the corpus.
        engine: for the work; results do not depend on it.
        size: trials per piece; affects memory only.
        watch: the progress callback.

    Raises:
        InputError: if outputs and corpus do not match.
    """
    opened = trials if isinstance(trials, Opened) else Opened(name="trials", trials=trials, everyone=trials)
    systems = [*answers.by_system, *([HUMAN] if settings.humans else [])]
    if settings.baseline is not None and settings.baseline not in systems:
        raise InputError(
            f"no system is called {settings.baseline!r}", remedy=f"--baseline takes one of {', '.join(systems)}"
        )
    # An unnamed file: collected data take no memory, and vanish with the process.
    with TemporaryFile(prefix="referee-") as file:
        table = ScoreTable(settings, source or opened.source, metrics=make_metrics(systems, settings.metrics))
        return _Scoring(answers, opened, systems, table, engine or LocalEngine(), size or CHUNK, watch).make_table(file)


class _Scoring:
    """The construction of one table of scores."""

    def __init__(
        self,
        answers: Answers,
        opened: Opened,
        systems: Sequence[str],
        table: ScoreTable,
        engine: Engine,
        size: int,
        watch: ProgressCallback,
    ) -> None:
        self.answers, self.opened, self.systems, self.table = answers, opened, systems, table
        self.engine, self.size, self.watch = engine, size, watch
        self.settings = table.settings
        self.factors = table.source.factors(self.settings.cluster)
        names = tuple(dict.fromkeys((*self.settings.by, *self.factors)))
        self.task = Measuring(table.metrics, systems, names)

    def make_table(self, file: BinaryIO) -> ScoreTable:
        """Cut the corpus into pieces, measure them, and return the table."""
        if needs_two_passes(self.table.metrics):
            self._learn_metrics()
        pieces = self._make_pieces()
        if isinstance(pieces, list):
            self._check_complete(name for piece in pieces for name in piece.ids)
        gathered = _Gathered(file)
        for rows in self._yield_rows(pieces, gathered.ids_by_piece):
            gathered.take(rows)
        if not isinstance(pieces, list):
            # Only now: which trials a corpus has that streams is known at its end.
            self._check_complete(gathered.ids())
        self._fill_table(gathered)
        return self.table

    def _check_complete(self, names: Iterable[str]) -> None:
        """Raise unless every system answers every trial, and no other."""
        ids = set(names)
        self.answers.leave_out(ids, self.opened.everyone)
        self.answers.check_complete(ids)

    def _make_pieces(self) -> Iterable[ScorePiece]:
        """Return the pieces of the corpus."""
        settings = self.settings
        # People are never compared with their own words: with people in the table, all are compared with other people's.
        of_others = settings.references == "others" or settings.humans
        name = self.opened.name
        return cut_corpus(
            self.opened, self.answers, self.size, of_others, lambda trials: self.watch(trials, f"{name}: trials")
        )

    def _yield_rows(self, pieces: Iterable[ScorePiece], ids: dict[int, Sequence[str]]) -> Iterator[PieceRows]:
        """Yield the rows of every piece as they arrive, and add the ids of its trials to `ids`."""

        def make_work(piece: ScorePiece) -> WorkPiece:
            ids[piece.number] = piece.ids
            return WorkPiece("measures", (piece,))

        outcomes: Iterable[Done | Failed] = self.engine.work(self.task, map(make_work, pieces))
        # A corpus that streams is watched trial by trial.
        if isinstance(pieces, list):
            outcomes = self.watch(CountedWork(outcomes, len(pieces)), f"{self.opened.name}: pieces")
        for outcome in outcomes:
            if isinstance(outcome, Failed):
                raise InputError(
                    f"{outcome.piece}: could not be measured ({outcome.why})",
                    remedy="try a smaller --shard or fewer --jobs",
                )
            yield from outcome.result

    def _learn_metrics(self) -> None:
        """Read the corpus once for metrics that learn first and collect no data.

        With one piece this is unnecessary: its batch is the whole set.
        """
        metrics, pieces = self.table.metrics, iter(self._make_pieces())
        first = list(islice(pieces, 2))
        if len(first) < 2:
            return
        learners = [key for key in list_learning(metrics) if not is_two_pass(metrics[key])]
        for piece in chain(first, pieces):
            batches = piece.batches(self.systems).by_system
            for key in learners:
                metrics[key].learn(batches[key[0]])

    def _fill_table(self, gathered: _Gathered) -> None:
        """Fill the table with the gathered rows, labels and clusters."""
        table, answers, settings = self.table, self.answers, self.settings
        table.trials = gathered.ids()
        labels = {name: gathered.labels(name) for name in self.task.labels}
        table.groups = {name: labels[name] for name in settings.by}
        table.clusters = choose_clusters({name: labels[name] for name in self.factors}, settings.cluster)
        table.fingerprint = gathered.fingerprint()
        table.labels = gathered.fingerprint(table.clusters.names) if table.clusters.names else ""
        table.references = format_reference_counts(gathered.references)
        table.outputs = {system: gathered.fingerprint_of(system) for system in self.systems}
        table.rows = gathered.rows(table.metrics)
        table.languages = tuple(sorted({language for language, _ in gathered.languages}))
        table.warnings = warn_of_tokeniser(table, gathered.languages)
        table.notes = [*_merge_notes([*answers.notes, *gathered.notes()]), *gathered.failed.values()]
        for system in self.systems:
            counts = {kind: answers.problems[system][kind] + gathered.problems[system, kind] for kind in PROBLEMS}
            table.counts[system] = counts | {"missing": gathered.missing[system] if system in answers.by_system else 0}
        table.outcomes = gathered.outcomes()
        table.conventions = {s: list_conventions(answers.by_system[s].values()) for s in table.outcomes}
        if table.outcomes:
            asked = gathered.asked()
            table.meant = list_gold_conventions(asked)
            doubts, table.misread = check_places(answers, asked)
            table.warnings += doubts


class _Gathered:
    """The rows of all pieces, in any order; data that two-pass metrics collect are stored in a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stored_pieces: dict[int, PieceRows] = {}
        self.ids_by_piece: dict[int, Sequence[str]] = {}
        self._collected: dict[int, tuple[int, int]] = {}
        self.references, self.missing = Counter[int](), Counter[str]()
        self.languages = Counter[tuple[str, bool]]()
        self.problems = Counter[tuple[str, str]]()
        self.failed: dict[str, str] = {}

    def take(self, piece: PieceRows) -> None:
        """Add the rows of a piece."""
        start = self._file.tell()
        pickle.dump(piece.collected, self._file, pickle.HIGHEST_PROTOCOL)
        self._collected[piece.number] = (start, self._file.tell())
        piece.collected.clear()
        self._stored_pieces[piece.number] = piece
        self.references.update(piece.references)
        self.languages.update(piece.languages)
        self.missing.update(piece.missing)
        self.problems.update({(s, kind): n for s, kinds in piece.problems.items() for kind, n in kinds.items()})
        self.failed = piece.failed | self.failed

    def pieces(self) -> Iterator[PieceRows]:
        """Return all pieces in the order of the corpus."""
        return (self._stored_pieces[number] for number in sorted(self._stored_pieces))

    def ids(self) -> list[str]:
        return [name for piece in self.pieces() for name in self.ids_by_piece[piece.number]]

    def labels(self, name: str) -> list[str | None]:
        return [label for piece in self.pieces() for label in piece.labels[name]]

    def notes(self) -> list[str]:
        return [note for piece in self.pieces() for note in piece.notes]

    def asked(self) -> list[PlaceQuestion]:
        return [question for piece in self.pieces() for question in piece.asked]

    def outcomes(self) -> dict[str, list[Outcome | None]]:
        """Return the outcome of every trial, by system, for systems that answer with coordinates."""
        systems = dict.fromkeys(system for piece in self.pieces() for system in piece.outcomes)
        sizes = {number: len(ids) for number, ids in self.ids_by_piece.items()}
        return {s: [x for p in self.pieces() for x in p.outcomes.get(s, [None] * sizes[p.number])] for s in systems}

    def fingerprint(self, factors: Sequence[str] = ()) -> str:
        """Return the digest of all trials; with factors, that of the labels by which they are clustered."""
        trials = Fingerprint()
        for piece in self.pieces():
            labels = zip(*(piece.labels[name] for name in factors), strict=True)
            trials.add(with_labels(piece.trial_digests, labels) if factors else piece.trial_digests)
        return str(trials)

    def fingerprint_of(self, system: str) -> str:
        """Return the digest of a system's outputs."""
        outputs = Fingerprint()
        for piece in self.pieces():
            outputs.add(piece.output_digests[system])
        return str(outputs)

    def rows(self, metrics: Mapping[Key, Any]) -> dict[Key, FloatArray]:
        """Return the rows of all trials in order; two-pass metrics are computed now."""
        collecting = [key for key, metric in metrics.items() if is_two_pass(metric)]
        learners = set(list_learning(metrics)) & set(collecting)
        for number in sorted(self._stored_pieces) if learners else ():
            collected = self._load_collected(number)
            for key in learners:
                metrics[key].fit(collected[key])
        for number in sorted(self._stored_pieces) if collecting else ():
            for key, collected in self._load_collected(number).items():
                self._stored_pieces[number].rows[key] = metrics[key].compute(collected)
        # One metric after the other, its parts let go: the statistics of all trials are not held twice.
        return {key: self._join_pieces(key, count_statistics(metric)) for key, metric in metrics.items()}

    def _join_pieces(self, key: Key, width: int) -> FloatArray:
        parts = [piece.rows.pop(key) for piece in self.pieces()]
        return np.concatenate(parts) if parts else np.empty((0, width))

    def _load_collected(self, number: int) -> dict[Key, Any]:
        """Return what the metrics collected from chunk `number` of the trials; a temporary file holds it to save memory."""
        start, end = self._collected[number]
        self._file.seek(start)
        collected: dict[Key, Any] = pickle.loads(self._file.read(end - start))
        return collected


def _merge_notes(notes: Sequence[str]) -> list[str]:
    """Return notes without repetitions about other lines of the same file."""
    return list({re.sub(r":\d+: ", ": ", note): note for note in reversed(notes)}.values())[::-1]


def format_reference_counts(counts: Counter[int]) -> str:
    """Return the number of references per item as text: ``1``, or ``3..56``."""
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low}..{high}"
