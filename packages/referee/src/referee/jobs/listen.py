"""Asks simulated hearers about a run's outputs and measures their answers, by the same code as people's (`referee
listen`).

The display order of a trial depends only on the seed and its id, so answers do not depend on the number of processes or
on interruptions. A hearer that learns is tested only on trials outside its training data.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.capabilities import (
    Remembers,
    SaysUnderstood,
    SeesMarks,
    SignsCalls,
    WritesBatches,
    answer_in_parallel,
    learns,
    needs_of,
    resolve_all,
)
from referee.corpora import splits
from referee.corpora.jsonl import read_responses, read_trials, response_to_json, write_json_line
from referee.corpora.outputs import read_outputs
from referee.corpora.reading.lines import read_lines
from referee.engines.local import LocalEngine
from referee.engines.pieces import Engine, Needs, WorkPiece
from referee.engines.stored_work import StoredWork, format_lines
from referee.errors import InputError
from referee.files import hold_alone, let_go, write_atomically
from referee.jobs.folder import Run
from referee.jobs.run import QuestionsWritten
from referee.metrics.hearing import HUMAN
from referee.models.batch_files import BatchFile, read_questions
from referee.models.response_cache import FLAGS, sum_cost_by_asker
from referee.options import SHARD
from referee.records import NOT_ANSWERED, Description, HearerView, Response, Trial
from referee.signature import digest, signature

# -- work ------------------------------------------------------------------------------------------------------------------


TRIALS, OUTPUTS, TRAIN = "trials.jsonl", "outputs.jsonl", "train.jsonl"
SystemDescriptions = list[tuple[str, Description]]
Advance = Callable[[int], None]
# Trials to learn from (None: nothing is learned), and trials to be asked about.
HearerFold = tuple[Sequence[Trial] | None, list[Trial]]


def create_hearer(written: str, seed: int) -> Any:
    """Return a new, untrained hearer with this name of the catalogue.

    Random ones are seeded by `seed`, unless an option overrides it.
    """
    return catalogue.configure("hearer", written, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The settings that determine a hearer's answers.

    `hearer` is a name with options, from which `summon` makes a hearer; `label` is the name in answers, if it differs;
    `train` a file of training trials, instead of cross-fitting; `passport` the addition of its card to its signature.
    `batch_out` is a file for questions that are not asked now, `batch_in` one with their answers.
    """

    hearer: str
    seed: int = 1
    humans: bool = False
    folds: int = 5
    by: str = "speaker"
    train: str | None = None
    passport: str = ""
    label: str = ""
    batch_in: Path | None = None
    batch_out: Path | None = None
    summon: Callable[[str, int], Any] = create_hearer

    def build(self) -> Any:
        return self.summon(self.hearer, self.seed)

    @property
    def name(self) -> str:
        return self.label or self.hearer


def show_to_hearer(trial: Trial, seed: int, hearer: object = None) -> HearerView:
    """Return the hearer's view of a trial; the order of entities depends only on the seed and the trial's id.

    Marks are for hearers that declare them.
    """
    return trial.for_hearer(Random(f"{seed}|{trial.id}"), marks=isinstance(hearer, SeesMarks) and hearer.marks)


def collect_descriptions(run: Run, trials: Iterable[Trial], humans: bool) -> dict[str, SystemDescriptions]:
    """Return for each trial the description of each system and, with `humans`, the first reference."""
    descriptions: dict[str, SystemDescriptions] = {}
    if (run.folder / OUTPUTS).exists():
        for output in run.outputs():
            descriptions.setdefault(output.trial, []).append((output.system, output.description))
    for trial in trials if humans else ():
        if trial.references:
            descriptions.setdefault(trial.id, []).append((HUMAN, trial.references[0]))
    return descriptions


def fold_name(number: int) -> str:
    return f"fold {number + 1}"


def cut_folds(session: Session, trials: list[Trial], train: Path | None = None) -> list[HearerFold]:
    """Return pairs of training and test trials for a hearer.

    A hearer that does not declare otherwise is assumed to learn.
    """
    if not learns(session.build()):
        return [(None, trials)]
    train = train or (None if session.train is None else Path(session.train))
    if train is not None:
        return [(list(_check_disjoint(read_trials(train), trials, str(train))), trials)]
    return [(learned, asked) for learned, asked in splits.make_folds(trials, session.folds, session.by, session.seed)]


def train_hearer(session: Session, train: Sequence[Trial] | None) -> Any:
    """Return a new hearer trained on these trials, so that nothing learned in an earlier fold remains."""
    hearer = session.build()
    fitted_hearer = hearer.fit(() if train is None else train)
    # Plug-ins whose `fit` returns nothing are forgiven.
    return hearer if fitted_hearer is None else fitted_hearer


def _check_disjoint(train: Iterable[Trial], trials: list[Trial], where: str) -> Iterator[Trial]:
    """Yield training trials. Raises InputError for a training trial that is also a test trial."""
    asked = {t.id for t in trials}
    for trial in train:
        if trial.id in asked:
            raise InputError(
                f"trial {trial.id!r} is both learned from and asked about",
                where=where,
                remedy="train on other trials, or leave --train out: then the run's trials are cut into folds",
            )
        yield trial


def collect_answers(
    hearer: Any,
    trials: Sequence[Trial],
    descriptions: Mapping[str, SystemDescriptions],
    session: Session,
    advance: Advance = lambda n: None,
) -> Iterator[tuple[Trial, list[str | None]]]:
    """Yield the lines of answers for each trial, one answer per description, with system and hearer.

    None for a question without an answer.

    Remote hearers get several questions at once.
    """

    def answer(trial: Trial) -> list[Response]:
        """Return the lines of answers to one trial."""
        view = show_to_hearer(trial, session.seed, hearer)
        return resolve_all(hearer, [(description, view) for _, description in descriptions[trial.id]])

    for trial, responses in zip(trials, answer_in_parallel(hearer, answer, trials), strict=True):
        signed = [
            replace(
                add_belief(response, trial),
                system=system,
                hearer=session.name,
                understood=_measure_understanding(hearer, description, trial),
            )
            for (system, description), response in zip(descriptions[trial.id], responses, strict=True)
        ]
        yield trial, [None if NOT_ANSWERED in r.flags else write_json_line(response_to_json(r)) for r in signed]
        advance(len(responses))


def _measure_understanding(hearer: Any, description: Description, trial: Trial) -> float | None:
    """Return the proportion of the words that the hearer knows, if it can report that."""
    return hearer.understood(description, trial.scene) if isinstance(hearer, SaysUnderstood) else None


def add_belief(response: Response, trial: Trial) -> Response:
    """Return the response with probability 1 for the choice if it has no probabilities, as simulated hearers' need them."""
    if response.probabilities is not None:
        return response
    chosen = [response.entity] if response.entity is not None else [e.id for e in trial.scene.entities]
    return replace(response, probabilities=tuple((e, 1 / len(chosen)) for e in chosen))


@dataclass(slots=True)
class _AskedRun:
    """The state that a worker keeps: the run, and the most recently trained hearer."""

    trials: Mapping[str, Trial]
    descriptions: Mapping[str, SystemDescriptions]
    folds: Mapping[str, HearerFold]
    hearer: Any = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class HearerWork:
    """One session over the run in `folder`."""

    session: Session
    folder: Path

    @property
    def inputs(self) -> Mapping[str, Path]:
        files = {name: self.folder / name for name in (TRIALS, OUTPUTS) if (self.folder / name).exists()}
        return files if self.session.train is None else {**files, TRAIN: Path(self.session.train)}

    @property
    def needs(self) -> Needs:
        return Needs(*needs_of(self.session.build()))

    def begin(self, inputs: Mapping[str, Path]) -> _AskedRun:
        """Read the run and its folds in a worker."""
        run = Run(inputs[TRIALS].parent)
        trials = list(run.trials())
        folds = cut_folds(self.session, trials, inputs.get(TRAIN))
        return _AskedRun(
            {t.id: t for t in trials},
            collect_descriptions(run, trials, self.session.humans),
            {fold_name(i): fold for i, fold in enumerate(folds)},
        )

    def do(self, begun: _AskedRun, piece: WorkPiece) -> bytes:
        """Return the answers to the trials of a piece, training the hearer when the fold changes."""
        if begun.group != piece.group:
            begun.hearer, begun.group = train_hearer(self.session, begun.folds[piece.group][0]), piece.group
        asked = [begun.trials[item] for item in piece.items]
        return format_lines(
            [json.dumps(lines) for _, lines in collect_answers(begun.hearer, asked, begun.descriptions, self.session)]
        )


__all__ = ["QuestionsWritten", "Session", "add_people", "add_recorded", "create_hearer", "listen", "show_to_hearer"]

HERE = LocalEngine()
# Separate from `calls.jsonl`, the response cache of a run's speakers.
CALLS, BATCH = "hearing-calls", "questions.batch"
LOCK = ".answers.lock"


@contextmanager
def _lock_run(folder: Path) -> Iterator[Run]:
    """Lock the run while answers are added, because two processes would overwrite each other's answers."""
    run = Run(folder)
    run.manifest  # noqa: B018 (raises the error for a folder that is no run, before anything is stored in it)
    lock = hold_alone(folder / LOCK, "answers are being added to this run already", "wait for it, or copy the run")
    try:
        yield run
    finally:
        let_go(folder / LOCK, lock)


def listen(
    folder: Path, session: Session, engine: Engine = HERE, shard: int = SHARD, advance: Advance = lambda n: None
) -> int:
    """Let a hearer answer all outputs of a run, and store its answers; return their number.

    Earlier answers of the same hearer are replaced, others are kept. `engine` does the work in pieces of `shard`
    trials, which do not affect results; an interrupted session resumes. Remote hearers run in this process, cache their
    calls in the run and resume from them. Questions without an answer are counted in the manifest and asked again next
    time.
    """
    with _lock_run(folder) as run:
        return _collect_and_write(folder, session, run, engine, shard, advance)


def _collect_and_write(folder: Path, session: Session, run: Run, engine: Engine, shard: int, advance: Advance) -> int:
    """Compute or request all answers and write them."""
    hearer, manifest = session.build(), run.manifest
    # Rate limit, patience and response cache of a hearer behind an endpoint belong to one object: several processes would each have their own.
    asks = isinstance(hearer, Remembers)
    trials = list(run.trials())
    descriptions = collect_descriptions(run, trials, session.humans)
    work = StoredWork(
        None if asks else folder / f"{_name_unfinished(session)}{_hash_settings(folder, session, hearer)}"
    )
    answers = (
        _ask_hearer(folder, session, trials, descriptions, advance)
        if asks
        else _compute_answers(folder, session, trials, descriptions, work, engine, shard, advance)
    )
    # In the order of the trials and, for one trial, of the systems: neither engine nor pieces show.
    lines = [line for trial in trials for line in answers.get(trial.id, ())]
    if not lines:
        raise InputError(
            "this run has no descriptions",
            where=folder,
            remedy="name a run with outputs, or let hearers read people's descriptions with --humans",
        )
    unanswered = sum(line is None for line in lines)
    if unanswered == len(lines):
        raise InputError(
            "the endpoint gave no answers", where=folder, remedy="see that it runs; the same command asks again"
        )
    # By name: the same name with other options is another hearer.
    others = [write_json_line(response_to_json(r)) for r in run.responses() if r.hearer != session.name]
    write_atomically(folder / "responses.jsonl", [*others, *(line for line in lines if line is not None)])
    signed = signature(session.name.partition("|")[0], hearer, seed=session.seed) + session.passport
    manifest["hearers"] = {**manifest.get("hearers", {}), session.name: signed}
    _record_costs(manifest, folder, session, unanswered)
    _record_asking(manifest, session, lines)
    write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    # Also unfinished work of the same hearer with other settings: these answers replace it.
    for left in folder.glob(f"{_name_unfinished(session)}*"):
        StoredWork(left).forget()
    return len(lines) - unanswered


def _record_costs(manifest: dict[str, Any], folder: Path, session: Session, unanswered: int) -> None:
    """Record the number of unanswered questions and the cost in the manifest."""
    missing = {**manifest.get("unanswered", {}), session.name: unanswered}
    manifest["unanswered"] = {hearer: n for hearer, n in missing.items() if n}
    if not manifest["unanswered"]:
        del manifest["unanswered"]
    spent = sum_cost_by_asker(folder / CALLS).get(session.name)
    if spent is not None:
        usage = {
            "calls": spent.calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
        }
        manifest["spent"] = {**manifest.get("spent", {}), session.name: {**usage, "cost": spent.cost}}


def _record_asking(manifest: dict[str, Any], session: Session, lines: Sequence[str | None]) -> None:
    """Record in the manifest how many answers of a model were unparsable, refused, cut off or asked for twice."""
    flagged = (json.loads(line)["flags"] for line in lines if line is not None and '"flags"' in line)
    counts = Counter(flag for flags in flagged for flag in flags if flag in FLAGS)
    others = {name: n for name, n in manifest.get("asking", {}).items() if name != session.name}
    manifest["asking"] = {**others, **({session.name: dict(sorted(counts.items()))} if counts else {})}
    if not manifest["asking"]:
        del manifest["asking"]


def add_people(folder: Path, responses: Iterable[Response], source: str) -> int:
    """Store people's answers to a run's trials beside those of simulated hearers, replacing earlier ones of people;
    return their number.
    """
    with _lock_run(folder) as run:
        manifest = run.manifest
        asked = {t.id for t in run.trials()}
        theirs = [r for r in responses if r.trial in asked]
        if not theirs:
            raise InputError(
                f"{source} has no answers to trials of this run",
                where=folder,
                remedy="name the corpus that the run was made on, or a file of responses to its trials",
            )
        # People are identified by a missing field: only simulated hearers have probabilities (see `add_belief`).
        simulated = [r for r in run.responses() if r.probabilities is not None]
        write_atomically(
            folder / "responses.jsonl", (write_json_line(response_to_json(r)) for r in [*theirs, *simulated])
        )
        manifest["people"] = {"source": source, "responses": len(theirs)}
        write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
        return len(theirs)


def add_recorded(folder: Path, file: Path) -> int:
    """Store the answers of externally asked hearers beside all others, under their own names.

    Return their number.

    A file of responses names the described system (``system``). In a file of outputs with places, as `referee score`
    reads it, the systems are the hearers, and the references are the descriptions.
    """
    with _lock_run(folder) as run:
        manifest, asked = run.manifest, {t.id: t for t in run.trials()}
        theirs = [add_belief(r, asked[r.trial]) for r in _iterate_recorded_answers(file) if r.trial in asked]
        if not theirs:
            raise InputError(
                "no line of this file answers a trial of this run",
                where=file,
                remedy='lines like {"trial": ID, "hearer": NAME, "outcome": "box", "places": […]}, or outputs with places',
            )
        names = {r.hearer for r in theirs}
        others = [r for r in run.responses() if r.hearer not in names]
        write_atomically(folder / "responses.jsonl", (write_json_line(response_to_json(r)) for r in [*others, *theirs]))
        manifest["hearers"] = {
            **manifest.get("hearers", {}),
            **{name: f"{name}|recorded:{file.name}" for name in names},
        }
        write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
        return len(theirs)


def _iterate_recorded_answers(file: Path) -> Iterator[Response]:
    """Yield the recorded answers of a file. Raises InputError if it does not exist."""
    if not file.is_file():
        raise InputError("there is no such file", where=file, remedy="name a file of answers: recorded:FILE.jsonl")
    _, first = next(iter(read_lines(file)), (0, "{}"))
    if '"hearer"' in first:
        return read_responses(file)
    outputs = (o for o in read_outputs(file) if o.response is not None)
    return (replace(o.response, hearer=o.system, system=None) for o in outputs if o.response is not None)


def _ask_hearer(
    folder: Path, session: Session, trials: list[Trial], descriptions: dict[str, SystemDescriptions], advance: Advance
) -> dict[str, list[str | None]]:
    """Yield answers of a hearer that asks a model; they are collected in this process because it caches them."""
    answers: dict[str, list[str | None]] = {}
    for train, asked in cut_folds(session, trials):
        hearer = train_hearer(session, train)
        batch = _prepare_hearer(hearer, folder, session)
        for trial, lines in collect_answers(
            hearer, [t for t in asked if t.id in descriptions], descriptions, session, advance
        ):
            answers[trial.id] = lines
        if batch is not None and (written := batch.write()):
            raise QuestionsWritten(written)
    return answers


def _compute_answers(
    folder: Path,
    session: Session,
    trials: list[Trial],
    descriptions: dict[str, SystemDescriptions],
    work: StoredWork,
    engine: Engine,
    shard: int,
    advance: Advance,
) -> dict[str, list[str | None]]:
    """Yield answers computed by the engine.

    Finished ones are stored in a hidden folder of the run until all are done.
    """
    folds = cut_folds(session, trials)
    groups = {fold_name(i): [t.id for t in asked if t.id in descriptions] for i, (_, asked) in enumerate(folds)}
    work.do(
        engine,
        HearerWork(session, folder),
        groups,
        shard,
        lambda items: advance(sum(len(descriptions[item]) for item in items)),
    )
    # An item that ended its process whenever it was tried is no answer; who listens again asks it again.
    lost: dict[str, list[str | None]] = {item: [None] * len(descriptions[item]) for item in work.failures}
    return {item: json.loads(line) for item, line in work.lines.items()} | lost


def _name_unfinished(session: Session) -> str:
    """Return the beginning of the names of folders with a hearer's unfinished answers."""
    return f".hearing-{digest(session.name)[:8]}-"


def _hash_settings(folder: Path, session: Session, hearer: object) -> str:
    """Return a short name for all settings that determine a hearer's answers in this run."""
    files = [*HearerWork(session, folder).inputs.values(), Path(session.hearer.rpartition(":")[0])]
    settings = (session.seed, session.humans, session.folds, session.by, session.train is None)
    read = [digest(path.read_text("utf-8")) for path in files if path.is_file()]
    return digest(write_json_line([signature(session.name, hearer), settings, read]))[:16]


def _prepare_hearer(hearer: Any, folder: Path, session: Session) -> BatchFile | None:
    """Return a hearer with its cache of answers, and with its batch files if there are any."""
    if isinstance(hearer, SignsCalls):
        hearer.asker = session.name
    calls = folder / CALLS
    calls.mkdir(exist_ok=True)
    hearer.remember(calls)
    if not isinstance(hearer, WritesBatches):
        return None
    if session.batch_in is not None and not hearer.take_batch(
        session.batch_in, read_questions(calls / BATCH, session.name)
    ):
        raise InputError(
            "no line of this file answers a question of this hearer",
            where=session.batch_in,
            remedy="name the file of answers to the questions that --batch-out wrote for it",
        )
    if session.batch_out is None:
        return None
    batch = BatchFile(session.batch_out, calls / BATCH)
    hearer.write_to(batch)
    return batch
