"""A score of large files, by copies of this process, one a core: each reads a part of the corpus, looks up what systems say of it, and measures.

No record of every trial or answer is made and none is kept: this process holds statistics, ids and labels. Only where all is plain: whatever is odd is
`GivenUp`, and `referee.runs.score` does the work again, one trial after the other, and tells of it with file and line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.capabilities import width_of
from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure
from referee.metrics.tokens import WORTH_COMPILING
from referee.records import Description, Entity, Scene, Trial
from referee.runs.copies import GivenUp, cut, in_copies
from referee.runs.kept_rows import KeptRows
from referee.runs.open import first_outside, says_nothing
from referee.runs.packed_names import PackedNames
from referee.runs.score import (
    PROBLEMS,
    Measured,
    Statistics,
    in_passing,
    make_metrics,
    new_table,
    number_of_references,
)
from referee.runs.score_table import ScoreTable, Settings, Source, choose_clusters
from referee.runs.watching import CountedWork, ShowsProgress, unwatched
from referee.signature import Fingerprint
from referee.statistics.dependent_trials import CodedLabels

if TYPE_CHECKING:
    from referee.corpora.output_index import IntArray, OutputIndex
    from referee.corpora.passing_lines import PassingLines, TrialsInPassing

__all__ = ["LargeFiles", "score_large"]

# Lines of a part of a file, about: enough for measures that work on many at once. Where there are very many each copy takes several such parts at
# once, all copies together so many at most: they are what takes memory.
LINES = 10_000
TOGETHER = 6
# More have to wait for the one process that collects what they found.
MOST_COPIES = 8
# Pieces of work for each copy: the last ones end at about the same time.
PIECES = 6
_PARQUET_AS_LINES = """
import sys
from pathlib import Path

from referee.corpora.output_tables import parquet_as_lines

sys.exit(not parquet_as_lines(*map(Path, sys.argv[1:])))
"""
_SAID = Description(properties=(), text="this one")
_TRIAL = Trial(id="", scene=Scene(entities=(Entity(id="a"),)), targets=("a",), references=(_SAID,))


@dataclass(frozen=True, slots=True)
class LargeFiles:
    """A corpus and what systems say of it, each as one plain file; `silence` is whether an empty answer is one (as in a run)."""

    corpus: Path
    outputs: Path
    silence: bool = False

    @property
    def copies(self) -> int:
        """How many copies can do the work: one a core, up to some, or none."""
        if sys.platform != "linux" or find_spec("msgspec") is None:
            return 0
        files = (self.corpus, self.outputs)
        plain = all(file.suffix not in (".gz", ".csv", ".tsv") and file.is_file() for file in files)
        return min(MOST_COPIES, len(os.sched_getaffinity(0))) if plain else 0

    @contextmanager
    def as_lines(self) -> Iterator[LargeFiles]:
        """The same with outputs as lines of JSON, in a folder that is thrown away, where they are a table."""
        if self.outputs.suffix != ".parquet":
            yield self
            return
        with TemporaryDirectory(prefix="referee-") as folder:
            # The name stays: it is that of a system that is not named.
            lines = Path(folder) / f"{self.outputs.stem}.jsonl"
            # In a process of its own: the memory that it takes is given back with it. What goes wrong there is told by whoever reads the table next.
            command = [sys.executable, "-c", _PARQUET_AS_LINES, str(self.outputs), str(lines)]
            if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
                raise GivenUp
            yield LargeFiles(self.corpus, lines, self.silence)


@dataclass(frozen=True, slots=True)
class _Task:
    """A part of the corpus, and the systems whose answers to it are measured."""

    part: tuple[int, int]
    systems: tuple[str, ...]
    first: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    """What comes back of some trials; `task` is what it is a piece of."""

    task: _Task
    ids: list[str]
    places: IntArray
    labels: dict[str, list[str | None]]
    references: Counter[int]
    written: list[bytes]
    statistics: Statistics


def score_large(
    files: LargeFiles, settings: Settings, source: Source, size: int | None = None, watch: ShowsProgress | None = None
) -> ScoreTable:
    """The table that `score_trials` would make; `GivenUp` where only it can."""
    copies = files.copies
    if not copies or settings.humans or settings.references != "own":
        raise GivenUp
    tried = make_metrics([""], settings.metrics)
    if not in_passing(tried) or not all(map(_can_be_copied, tried.values())):
        raise GivenUp
    from referee.corpora.passing_lines import PassingLines

    watch = watch or unwatched
    # What is put aside goes into a file without a name: it takes no memory, and is gone with the process.
    with files.as_lines() as files, TemporaryFile(prefix="referee-") as kept:
        index = _index(files, copies, watch, tried)
        # One that answers fewer trials than others is to be told of, and that before everything is measured.
        if len({index.number(system) for system in index.systems}) > 1:
            raise GivenUp
        table = new_table(index.systems, settings, source)
        table.copies = copies
        factors = source.factors(settings.cluster)
        measured = Measured.with_aside(table.metrics, kept)
        by_id = any(metric.knows_trials_by_id for metric in table.metrics.values())
        work = _LargeWork(
            files,
            index,
            measured,
            PassingLines((*settings.by, *factors), by_id),
            size or _parts_at_once(copies) * LINES,
        )
        tasks = _tasks(files.corpus, index.systems, copies)
        made = in_copies(work.pieces, tasks, copies)
        _Collected(table, measured, index).take(watch(CountedWork(made, len(tasks)), "parts of the corpus"), factors)
    return table


def _load(metrics: Mapping[tuple[str, str], Any]) -> None:
    """What measures have to load before they can measure many items: loaded here, once, every copy has it."""
    tried = Measured.with_aside(metrics, BytesIO())
    _, aside, _ = tried.statistics({"": Batch.of([_SAID] * WORTH_COMPILING, [_TRIAL] * WORTH_COMPILING)})
    for key, kept in aside.items():
        tried.metrics[key].measure_aside(kept)


def _tasks(corpus: Path, systems: Sequence[str], copies: int) -> list[_Task]:
    """Parts of the corpus for all systems at once; where these are few, some of the systems at a time."""
    parts = cut(corpus, LINES)
    together = min(_parts_at_once(copies), max(1, len(parts) // (copies * PIECES)))
    parts = [(some[0][0], some[-1][1]) for some in _by(together, parts)]
    shares = min(len(systems), -(-copies * PIECES // max(1, len(parts))))
    return [_Task(part, tuple(systems[i::shares]), i == 0) for part in parts for i in range(shares)]


def _parts_at_once(copies: int) -> int:
    return max(1, TOGETHER // copies)


def _by(number: int, parts: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    return (parts[i : i + number] for i in range(0, len(parts), number))


def _can_be_copied(metric: Any) -> bool:
    """Not those of other packages, which may ask for more of a trial than there is in passing, nor those with threads of their own."""
    return type(metric).__module__.startswith("referee.") and isinstance(metric, Measure) and not metric.has_threads


def _index(files: LargeFiles, copies: int, watch: ShowsProgress, metrics: Mapping[tuple[str, str], Any]) -> OutputIndex:
    """Where each output stands; while copies look, this process loads what measures need."""
    from referee.corpora.output_index import OutputIndex, index_part

    own = files.outputs.name.split(".")[0]
    parts = cut(files.outputs, 10 * LINES)
    found = in_copies(lambda part: index_part(files.outputs, own, *part), parts, copies)
    begun = list(islice(found, 1))
    _load(metrics)
    try:
        return OutputIndex(files.outputs, own, watch(chain(begun, found), "where each output stands"))
    except ValueError:
        raise GivenUp from None


@dataclass(frozen=True, slots=True)
class _LargeWork:
    """What a copy does; whatever it raises ends in `GivenUp`."""

    files: LargeFiles
    index: OutputIndex
    measured: Measured
    # In every copy it remembers what it has met, part after part.
    lines: PassingLines
    size: int

    def pieces(self, task: _Task) -> Iterator[_Piece]:
        """A part of the corpus, some thousand trials at a time."""
        from referee.corpora.passing_lines import in_chunks

        for chunk in in_chunks(self.lines.between(self.files.corpus, *task.part), self.size):
            yield self._piece(task, chunk)

    def _piece(self, task: _Task, chunk: TrialsInPassing) -> _Piece:
        batches, places = {}, {}
        for system in task.systems:
            places[system] = self.index.places(system, chunk.ids)
            said = self.index.said(system, chunk.ids, places[system])
            self._check(said, chunk.cases)
            batches[system] = Batch(said, chunk.cases, chunk.references)
        return _Piece(
            task=task,
            ids=chunk.ids,
            places=places[task.systems[0]],
            labels=chunk.labels,
            references=Counter(map(len, chunk.references)),
            written=chunk.written if task.first else [],
            statistics=self.measured.statistics(batches),
        )

    def _check(self, said: Sequence[Description], cases: Sequence[Trial]) -> None:
        # A system says the same of the same again and again: each is looked at once.
        pairs = zip(zip(map(id, said), map(id, cases), strict=True), zip(said, cases, strict=True), strict=True)
        for description, case in dict(pairs).values():
            known: Mapping[Any, int] = case.scene.extensions
            # Nearly all is known: to look closer costs more than to measure.
            strange = [p for p in description.properties or () if p not in known]
            silent = not description.properties and not self.files.silence and says_nothing(description)
            if silent or (strange and first_outside(description, case.scene)):
                raise GivenUp


@dataclass(slots=True)
class _Collected:
    """A table in the making, from the pieces in their order; how many trials there have to be the index tells."""

    table: ScoreTable
    measured: Measured
    index: OutputIndex

    def take(self, pieces: Iterable[_Piece], factors: Sequence[str]) -> None:
        table, settings = self.table, self.table.settings
        number = self.index.number(self.index.systems[0])
        kept = KeptRows({key: width_of(metric) for key, metric in table.metrics.items()}, number)
        groups: dict[str, list[str | None]] = {name: [] for name in settings.by}
        labels = {name: CodedLabels() for name in factors}
        table.trials = trials = PackedNames()
        read, against, met = Fingerprint(), Counter[int](), np.zeros(number, bool)
        done, shared = Counter[str](), dict[str | None, str | None]()
        firsts: list[int] = []
        for piece in pieces:
            rows, aside, failed = piece.statistics
            # The trials of a system come in their order, whoever else comes between.
            first = done[piece.task.systems[0]]
            done.update(dict.fromkeys(piece.task.systems, len(piece.ids)))
            if first + len(piece.ids) > number:
                raise GivenUp
            for key, measured in rows.items():
                kept.fill(key, first, measured)
            self.measured.take(({}, aside, failed))
            firsts += [first] if aside else []
            if piece.task.first:
                trials.add(piece.ids)
                met[piece.places] = True
                for name, column in labels.items():
                    column.add(piece.labels[name])
                for name, group in groups.items():
                    group += [shared.setdefault(x, x) for x in piece.labels[name]]
                against.update(piece.references)
                read.add_bytes(b"".join(piece.written), len(piece.ids))
        # No trial twice, and none that a system answers though it is not there: that it answers all of them was seen on the way.
        if not number or not met.all():
            raise GivenUp
        table.groups, table.clusters = groups, choose_clusters(labels, settings.cluster)
        table.fingerprint, table.references = str(read), number_of_references(against)
        for key, first, measured in self._later(firsts):
            kept.fill(key, first, measured)
        table.rows = kept
        table.counts = {system: dict.fromkeys(PROBLEMS, 0) for system in self.index.systems}

    def _later(self, firsts: Sequence[int]) -> Iterator[tuple[tuple[str, str], int, FloatArray]]:
        """What was put aside, measured by copies that have all that was learnt: the rows of a metric from the trial with this number on."""
        kept, edges = self.measured.kept, self.measured.edges
        kept.flush()

        def measured_again(chunk: int) -> Iterator[tuple[tuple[str, str], int, FloatArray]]:
            # By place and not by a pointer, which copies of this process would share.
            aside = os.pread(kept.fileno(), edges[chunk + 1] - edges[chunk], edges[chunk])
            return ((key, firsts[chunk], rows) for key, rows in self.measured.measure_again(aside))

        return in_copies(measured_again, range(len(firsts)), self.table.copies)
