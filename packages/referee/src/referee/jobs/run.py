"""Runs systems on a corpus.

Trained on one part and tested on the other, in parallel, reproducible by seed, and resumable (`referee run`).

Work is divided into pieces (some trials of one system and fold) for an engine; neither size nor order of pieces nor
interruptions affect outputs. Remote speakers run in this process, several questions at once, because one rate limit
applies to all of them.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from referee import __version__, catalogue
from referee.capabilities import (
    ChecksTraining,
    ChecksViews,
    HasSelector,
    Remembers,
    SignsCalls,
    WritesBatches,
    learns,
    needs_of,
)
from referee.contracts import Speaker
from referee.corpora import splits
from referee.corpora.jsonl import read_trials
from referee.engines.local import LocalEngine
from referee.engines.pieces import Done, Engine, Needs, WorkPiece
from referee.engines.pieces import cut_group as pieces
from referee.errors import InputError, MissingExtra, NotTrained
from referee.jobs.folds import Fold, RunPlan, cut_folds
from referee.jobs.open import Opened
from referee.jobs.speak import Spoken, System, Trained, describe_trials, name_system_in_error, train_system
from referee.jobs.unfinished import CORPUS, Failure, RunPart, Unfinished
from referee.models.batch_files import BatchFile, read_questions
from referee.options import SHARD
from referee.records import Trial
from referee.signature import signature

__all__ = ["QuestionsWritten", "RunPlan", "Watch", "cut_folds", "do_work", "run", "serialise_plan"]


def group_of(system: System, fold: int) -> str:
    return f"{system.label}, fold {fold + 1}"


@dataclass(slots=True)
class _Begun:
    """The state that a worker keeps: the corpus in folds, and the most recently trained system."""

    trials: Mapping[str, Trial]
    folds: Sequence[Fold]
    trained: Trained | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Speaking:
    """All systems of a plan on a corpus."""

    plan: RunPlan
    corpus: Path
    # Classes of systems that the running script defines: no other process has them (`referee.engines.pieces`).
    of_script: tuple[Any, ...] = ()

    @classmethod
    def of(cls, plan: RunPlan, corpus: Path) -> Speaking:
        makers = (catalogue.load("system", system.written.partition("|")[0]) for system in plan.systems)
        return cls(plan, corpus, tuple(make for make in makers if getattr(make, "__module__", "") == "__main__"))

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {CORPUS: self.corpus}

    @property
    def needs(self) -> Needs:
        """Return the processors and graphics cards of the most demanding system, because any worker may get any piece."""
        demands = [needs_of(s.build(self.plan.seed)) for s in self.plan.systems]
        return Needs(max(cpus for cpus, _ in demands), max(gpus for _, gpus in demands))

    def begin(self, inputs: Mapping[str, Path]) -> _Begun:
        """Load trials and folds, once per worker process."""
        # Once per process: sending trials along with each piece of work would cost more than some of the work.
        trials = list(read_trials(inputs[CORPUS]))
        return _Begun({t.id: t for t in trials}, cut_folds(self.plan, trials))

    def do(self, begun: _Begun, piece: WorkPiece) -> bytes:
        """Return the outputs of a piece, training the system when the fold changes."""
        if begun.trained is None or begun.group != piece.group:
            system, fold = self._list_positions()[piece.group]
            try:
                begun.trained = train_system(system, begun.folds[fold][0], self.plan.seed)
            except MissingExtra as missing:
                # A package that is not installed costs the system its row, not the run.
                reason = f"not run: needs referee[{missing.extra}]"
                counts = dict.fromkeys(("trials", "silent", reason), float(len(piece.items)))
                spoken = Spoken(descriptions=(), counts={**counts, "answered": 0})
                return RunPart.of(system.label, piece.items, spoken).as_bytes()
            begun.group = piece.group
        spoken = describe_trials(begun.trained, [begun.trials[item] for item in piece.items])
        return RunPart.of(begun.trained.system.label, piece.items, spoken).as_bytes()

    def _list_positions(self) -> dict[str, tuple[System, int]]:
        """Return the system and the fold of every group of pieces, by the group's name."""
        folds = self.plan.folds if self.plan.split is None else 1
        return {group_of(system, fold): (system, fold) for system in self.plan.systems for fold in range(folds)}


class QuestionsWritten(Exception):
    """Questions were written into a batch file, and the run waits for their answers."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


Watch = Callable[[int], Callable[[int], None]]
HERE = LocalEngine()
_FEW_TRIALS = 20


def run(
    plan: RunPlan,
    opened: Opened,
    out: Path,
    *,
    engine: Engine = HERE,
    shard: int = SHARD,
    overwrite: bool = False,
    restart: bool = False,
    replay: Path | None = None,
    batch_in: Path | None = None,
    batch_out: Path | None = None,
    command: Sequence[str] = (),
    watch: Watch = lambda total: lambda n: None,
) -> dict[str, dict[str, float]]:
    """Run all systems and write the run folder `out`; return the counts of every system.

    An interrupted run resumes. `replay` names a finished run whose cached calls replace the network. `watch` receives
    the number of outputs and returns the progress callback. `engine` does the work, in pieces of `shard` trials, which
    do not affect results. `batch_out` is a file for the questions of language models that are not asked now, `batch_in`
    one with their answers; a run that waits for answers raises `QuestionsWritten`.
    """
    unfinished = Unfinished(Path(out))
    # Built before anything is written: a wrong name or switch ends the command here.
    signatures = {s.label: signature(s.written.partition("|")[0], s.build(plan.seed)) for s in plan.systems}
    with unfinished.alone():
        try:
            unfinished.begin(serialise_plan(plan, opened, signatures), opened.trials(), overwrite, restart)
            if replay is not None:
                unfinished.remember(replay)
            # Read back from the stored corpus, so that a resumed run has the same trials in any process.
            trials = list(unfinished.trials())
            folds = cut_folds(plan, trials)
            _check_systems(plan, trials, folds)
            if batch_in is not None:
                _take_batch(plan, unfinished, batch_in)
            batch = None if batch_out is None else unfinished.batch(batch_out)
            failures = do_work(plan, unfinished, folds, engine, shard, replay is not None, watch, batch)
        # Ctrl-C included.
        except BaseException:
            unfinished.forget_if_empty()
            raise
        # With a named split only a part of the corpus is tested, and the run holds that part.
        tested = {t.id for _, test in folds for t in test}
        return unfinished.finish(
            [s.label for s in plan.systems],
            [t for t in trials if t.id in tested],
            failures,
            kind="outputs",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            command=["referee", *command],
            corpus={"name": opened.name, **opened.parameters},
            settings={**asdict(plan), "systems": {s.label: s.written for s in plan.systems}},
            splits=[s.as_json() for s in _describe_folds(plan, folds)],
            signatures=signatures,
            versions=_list_versions(),
        )


def _check_systems(plan: RunPlan, trials: Sequence[Trial], folds: Sequence[Fold]) -> None:
    """Raise InputError, before the first trial, if a system cannot describe the trials of this corpus."""
    missing: list[MissingExtra] = []
    several = sum(len(trial.targets) > 1 for trial in trials)
    has_content = any(r.properties for trial in trials for r in trial.references)
    for system in plan.systems:
        speaker = system.build(plan.seed)
        if isinstance(speaker, HasSelector) and isinstance(speaker.selector, ChecksViews):
            _check_views(system, speaker.selector, trials)
        if isinstance(speaker, HasSelector) and isinstance(speaker.selector, ChecksTraining):
            for train, test in folds:
                try:
                    speaker.selector.check_training(train, test)
                except InputError as error:
                    raise name_system_in_error(
                        error, f"{system.label} cannot learn to describe trial {error.where!r}"
                    ) from None
        is_model = isinstance(speaker, SignsCalls)
        if not has_content and isinstance(speaker, Speaker) and learns(speaker) and not is_model:
            missing += _check_learning(system, trials, plan.seed)
        elif learns(speaker) and not is_model:
            missing += _check_training(system, folds, plan.seed)
        if (has_content and not several) or isinstance(speaker, Speaker):
            continue
        if not has_content:
            raise InputError(
                f"{system.label} only realises given properties, and no reference of these trials has any",
                remedy="choose a system that also selects properties, or a corpus whose references have properties",
            )
        if several:
            raise InputError(
                f"{system.label} only puts the properties of one object into words, and {several:,} of {len(trials):,} trials have several targets",
                remedy="choose a system that also selects properties, or a part of the corpus with --only",
            )
    if len(missing) == len(plan.systems):
        raise missing[0]


def _check_training(system: System, folds: Sequence[Fold], seed: int) -> list[MissingExtra]:
    """Raise InputError if a system cannot be trained on a fold; return the package that it needs and that is not installed.

    It is trained on a few trials, and on the whole fold only if it cannot learn from these.
    """
    for train, _ in folds:
        for number in (_FEW_TRIALS, len(train)):
            try:
                train_system(system, train[:number], seed, offline=True)
                break
            except MissingExtra as missing:
                return [missing]
            except InputError:
                if number == len(train):
                    raise
    return []


def _check_views(system: System, selector: ChecksViews, trials: Sequence[Trial]) -> None:
    """Raise InputError, with the system's name, for a trial that the selector cannot describe."""
    for trial in trials:
        try:
            selector.check(trial.for_speaker())
        except NotTrained:
            # What it can describe depends on what it will learn.
            return
        except InputError as error:
            raise name_system_in_error(error, f"{system.label} cannot describe trial {trial.id!r}") from None


def _check_learning(system: System, trials: Sequence[Trial], seed: int) -> list[MissingExtra]:
    """Raise InputError if a system cannot describe anything after training on references without properties; return the package that it lacks.

    Some systems have defaults, some learn words alone.
    """
    try:
        describe_trials(train_system(system, trials[:20], seed, offline=True), trials[:1])
    except MissingExtra as missing:
        return [missing]
    except InputError:
        raise InputError(
            f"{system.label} cannot learn from these trials: their references have no properties",
            remedy="choose a corpus with annotated references, or a system without training (classic/incremental)",
        ) from None
    return []


def _list_versions() -> dict[str, str]:
    """Return the versions that outputs may depend on; scikit-learn is optional."""
    versions = {"python": platform.python_version(), "numpy": version("numpy"), "scipy": version("scipy")}
    with suppress(PackageNotFoundError):
        versions["scikit-learn"] = version("scikit-learn")
    return versions


def serialise_plan(plan: RunPlan, opened: Opened, signatures: Mapping[str, str]) -> dict[str, Any]:
    """Return the plan as JSON values, to be compared with the plan of an unfinished run."""
    return {
        # Another release may give other outputs: a run must not mix two.
        "version": __version__,
        "corpus": opened.name,
        **{f"corpus {key}": value for key, value in opened.parameters.items()},
        **asdict(plan),
        "systems": {s.label: signatures[s.label] for s in plan.systems},
    }


def _describe_folds(plan: RunPlan, folds: Sequence[Fold]) -> Iterator[splits.Split]:
    """Yield the descriptions of the folds for the manifest."""
    for number, fold in enumerate(folds, 1):
        name = (
            plan.split
            or ("train and test" if plan.trained_on is not None else "")
            or (f"{plan.by}-fold-{number}/{len(folds)}" if len(folds) > 1 else "all trials, no training")
        )
        yield splits.describe_split(name, plan.seed, fold)


def _take_batch(plan: RunPlan, unfinished: Unfinished, answers: Path) -> None:
    """Store the answers of a batch file in the run's cache of answers."""
    taken = 0
    for system in plan.systems:
        thing = system.build(plan.seed)
        if isinstance(thing, WritesBatches) and isinstance(thing, Remembers) and isinstance(thing, SignsCalls):
            thing.asker = system.label
            thing.remember(unfinished.calls)
            taken += thing.take_batch(answers, read_questions(unfinished.batch_questions, system.label))
    if not taken:
        raise InputError(
            "no line of this file answers a question of this run",
            where=answers,
            remedy="name the file of answers to the questions that --batch-out wrote for this run",
        )


def do_work(
    plan: RunPlan,
    unfinished: Unfinished,
    folds: Sequence[Fold],
    engine: Engine,
    shard: int,
    offline: bool,
    watch: Watch,
    batch: BatchFile | None = None,
) -> list[Failure]:
    """Do all unfinished work, first on the engine, then that of remote systems; return the failed trials."""
    advance = watch(len(plan.systems) * sum(len(test) for _, test in folds))
    done: dict[str, set[str]] = {system.label: set() for system in plan.systems}
    for part in unfinished.parts():
        done[part.system] |= set(part.trials)
        advance(len(part.trials))
    computing: list[WorkPiece] = []
    waiting: list[tuple[System, int, list[Trial]]] = []
    for system in plan.systems:
        asks = isinstance(system.build(plan.seed), Remembers)
        for fold, (_, test) in enumerate(folds):
            left = [t for t in test if t.id not in done[system.label]]
            if left and asks:
                waiting.append((system, fold, left))
            elif left:
                computing += pieces(group_of(system, fold), [t.id for t in left], shard)
    failures = _compute_pieces(plan, unfinished, engine, computing, advance)
    _ask_remote(plan, unfinished, folds, waiting, offline, advance, batch)
    return failures


def _compute_pieces(
    plan: RunPlan, unfinished: Unfinished, engine: Engine, computing: list[WorkPiece], advance: Callable[[int], None]
) -> list[Failure]:
    """Run pieces on the engine and store them; return the failures."""
    failures = []
    labels = {group_of(s, fold): s.label for s in plan.systems for fold in range(plan.folds)}
    for outcome in engine.work(Speaking.of(plan, unfinished.folder / CORPUS), computing):
        # In the order of completion: each part is on disk by then, and an interruption loses only running work.
        if isinstance(outcome, Done):
            unfinished.keep(RunPart.from_bytes(outcome.result))
        else:
            failures += [Failure(labels[outcome.piece.group], item, outcome.why) for item in outcome.piece.items]
        advance(len(outcome.piece.items))
    return failures


def _ask_remote(
    plan: RunPlan,
    unfinished: Unfinished,
    folds: Sequence[Fold],
    waiting: Sequence[tuple[System, int, list[Trial]]],
    offline: bool,
    advance: Callable[[int], None],
    batch: BatchFile | None,
) -> None:
    """Ask remote systems from this process, because one rate limit applies to all of them."""
    parts = []
    for system, fold, left in waiting:
        trained = train_system(system, folds[fold][0], plan.seed, unfinished.calls, offline, batch)
        part = RunPart.of(system.label, [t.id for t in left], describe_trials(trained, left, advance))
        if batch is None:
            unfinished.keep(part)
        else:
            parts.append(part)
    if batch is not None:
        if written := batch.write():
            raise QuestionsWritten(written)
        for part in parts:
            unfinished.keep(part)
