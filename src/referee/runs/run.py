"""Systems run on a corpus: trained on one part and heard on the other, on all cores, the same for the same seed, and resumed after a break (`referee run`).

Every system and fold is a piece of work of its own, done by a fresh object, so neither their order nor a break can change what is said. Speakers that
wait for a network are asked from this process, several questions at once, where one pace can hold for all of them.
"""

from __future__ import annotations

import datetime
import multiprocessing
import os
import platform
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from referee import __version__
from referee.capabilities import Remembers, SignsCalls, WritesBatches
from referee.corpora import splits
from referee.errors import InputError
from referee.llm.batch_files import BatchFile, read_questions
from referee.records import Trial
from referee.runs.open import Opened
from referee.runs.speak import System, hear
from referee.runs.unfinished import Unfinished
from referee.signature import signature

__all__ = ["QuestionsWritten", "RunPlan", "Watch", "cut", "do_work", "run", "written_plan"]


class QuestionsWritten(Exception):
    """Questions were written into a batch file, and the run waits for their answers."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


Fold = tuple[list[Trial], list[Trial]]
Work = tuple[System, int]
Watch = Callable[[int], Callable[[int], None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """All that decides what comes out: the systems, how the corpus is cut, and the seed. `split` names one cut (``challenge-80/20``) instead of folds."""

    systems: tuple[System, ...]
    folds: int = 5
    by: str = "speaker"
    split: str | None = None
    seed: int = 1


def cut(plan: RunPlan, trials: Iterable[Trial]) -> list[Fold]:
    """Pairs of training and test trials."""
    if plan.split is None:
        return list(splits.folds(trials, plan.folds, plan.by, plan.seed))
    parts = splits.split(trials, plan.split, plan.seed)
    # Training and test; the middle part of a three-way split is for development and is not touched.
    return [(parts[0], parts[-1])]


def run(
    plan: RunPlan,
    opened: Opened,
    out: Path,
    *,
    jobs: int = 1,
    overwrite: bool = False,
    restart: bool = False,
    replay: Path | None = None,
    batch_in: Path | None = None,
    batch_out: Path | None = None,
    command: Sequence[str] = (),
    watch: Watch = lambda total: lambda n: None,
) -> dict[str, dict[str, float]]:
    """Run all systems and write the run folder `out`; returns the counts of every system.

    A run that was broken off goes on where it stopped. `replay` names a finished run whose kept calls answer instead of a network. `watch` is told how many
    answers there will be and gives back a function that is called as they come. `batch_out` is a file that language models write their questions into instead
    of asking them, `batch_in` one with the answers; a run that waits for answers raises `QuestionsWritten`.
    """
    unfinished = Unfinished(Path(out))
    # Built before anything is written: a wrong name or switch ends the command here.
    signatures = {s.label: signature(s.written.partition("|")[0], s.build(plan.seed)) for s in plan.systems}
    with unfinished.alone():
        try:
            unfinished.begin(written_plan(plan, opened, signatures), opened.trials(), overwrite, restart)
            if replay is not None:
                unfinished.remember(replay)
            # Read back from what was kept: whoever goes on with this run, in whichever process, has the same trials.
            trials = list(unfinished.trials())
            folds = cut(plan, trials)
            if batch_in is not None:
                _take(plan, unfinished, batch_in)
            batch = None if batch_out is None else unfinished.batch(batch_out)
            do_work(plan, unfinished, folds, jobs, replay is not None, watch, batch)
        # Ctrl-C included.
        except BaseException:
            unfinished.forget_if_empty()
            raise
        # With a named split only a part of the corpus is tested, and the run holds that part.
        tested = {t.id for _, test in folds for t in test}
        return unfinished.finish(
            [s.label for s in plan.systems],
            len(folds),
            [t for t in trials if t.id in tested],
            kind="outputs",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            command=["referee", *command],
            corpus={"name": opened.name, **opened.parameters},
            settings={**asdict(plan), "systems": {s.label: s.written for s in plan.systems}},
            splits=[s.as_json() for s in _cuts(plan, folds)],
            signatures=signatures,
            versions=_versions(),
        )


def _versions() -> dict[str, str]:
    """What the outputs may depend on; scikit-learn is an extra that few systems need."""
    found = {"python": platform.python_version(), "numpy": version("numpy"), "scipy": version("scipy")}
    with suppress(PackageNotFoundError):
        found["scikit-learn"] = version("scikit-learn")
    return found


def written_plan(plan: RunPlan, opened: Opened, signatures: Mapping[str, str]) -> dict[str, Any]:
    """The plan as it is compared when an unfinished run is taken up."""
    return {
        # Another release may say something else: half a run by each would be nobody's.
        "version": __version__,
        "corpus": opened.name,
        **{f"corpus {key}": value for key, value in opened.parameters.items()},
        **asdict(plan),
        "systems": {s.label: signatures[s.label] for s in plan.systems},
    }


def _cuts(plan: RunPlan, folds: Sequence[Fold]) -> Iterator[splits.Split]:
    for number, fold in enumerate(folds, 1):
        name = plan.split or f"{plan.by}-fold-{number}/{len(folds)}"
        yield splits.describe(name, plan.seed, fold)


def _take(plan: RunPlan, unfinished: Unfinished, answers: Path) -> None:
    """The answers of a batch file into the run's calls."""
    taken = 0
    for system in plan.systems:
        thing = system.build(plan.seed)
        if isinstance(thing, WritesBatches) and isinstance(thing, Remembers) and isinstance(thing, SignsCalls):
            thing.asker = system.label
            thing.remember(unfinished.calls)
            taken += thing.take_batch(answers, read_questions(unfinished.batch_questions, system.label))
    if not taken:
        raise InputError(
            "no line of it answers a question of this run",
            where=answers,
            remedy="name the file of answers to the questions that --batch-out wrote for this run",
        )


def do_work(
    plan: RunPlan,
    unfinished: Unfinished,
    folds: Sequence[Fold],
    jobs: int,
    offline: bool,
    watch: Watch,
    batch: BatchFile | None = None,
) -> None:
    """All that is not done yet: computing in processes, then those that wait for a network."""
    advance = watch(len(plan.systems) * sum(len(test) for _, test in folds))
    computing: list[Work] = []
    waiting: list[Work] = []
    for system in plan.systems:
        mine = waiting if isinstance(system.build(plan.seed), Remembers) else computing
        for fold, (_, test) in enumerate(folds):
            # A part appears whole or not at all, so being there is being done.
            if unfinished.part(system.label, fold).exists():
                advance(len(test))
            else:
                mine.append((system, fold))
    # A single piece of work is not worth the start of a process.
    if jobs > 1 and len(computing) > 1:
        for _, fold in _in_processes(computing, plan, unfinished, min(jobs, len(computing))):
            advance(len(folds[fold][1]))
        computing = []
    kept = []
    for system, fold in computing + waiting:
        heard = hear(system, *folds[fold], plan.seed, unfinished.calls, offline, advance, batch)
        if batch is None or (system, fold) in computing:
            unfinished.keep(system.label, fold, heard)
        else:
            kept.append((system.label, fold, heard))
    if batch is not None:
        if written := batch.write():
            raise QuestionsWritten(written)
        for label, fold, heard in kept:
            unfinished.keep(label, fold, heard)


# -- other processes -------------------------------------------------------------------------------------------------------


def _in_processes(work: list[Work], plan: RunPlan, unfinished: Unfinished, jobs: int) -> Iterator[Work]:
    """Pieces of work as they are finished; each process reads the corpus once from the unfinished run."""
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_prepare, initargs=(plan, unfinished)
    )
    try:
        # As they are finished and not in order: each is on the disk by then, and a break loses only what is under way.
        for done in as_completed([pool.submit(_work, piece) for piece in work]):
            yield done.result()
    except BrokenProcessPool:
        raise InputError(
            "a process died before its work was done (out of memory?)",
            where=unfinished.folder,
            remedy="what is done is kept: give the same command again, with fewer --jobs",
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


_here: tuple[RunPlan, Unfinished, list[Fold]]


def _prepare(plan: RunPlan, unfinished: Unfinished) -> None:
    global _here
    # The terminal sends Ctrl-C to all of them: they end in silence, and the parent alone says something.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _end_with_parent()
    # Once per process: sending trials along with each piece of work would cost more than some of the work.
    _here = (plan, unfinished, cut(plan, unfinished.trials()))


def _end_with_parent() -> None:
    """A parent that is killed cannot end its processes, so they watch for its end themselves."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        # `sys.exit` would end this thread only.
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _work(piece: Work) -> Work:
    plan, unfinished, folds = _here
    system, fold = piece
    unfinished.keep(system.label, fold, hear(system, *folds[fold], plan.seed))
    return piece
