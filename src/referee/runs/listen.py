"""Simulated hearers answer what a run's systems said, and hearing is measured: by the same code for them and for people (`referee listen`).

Every trial is shown in an order drawn from the seed and its id, so neither the number of processes nor a break changes an answer. A hearer that learns is
asked only about trials that it was not trained on.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.capabilities import Remembers, SeesMarks, SignsCalls, WritesBatches, in_parallel, learns, resolve_all
from referee.corpora import splits
from referee.corpora.jsonl import json_line, read_responses, read_trials, response_to_json
from referee.corpora.outputs import read_outputs
from referee.corpora.reading.lines import read_lines
from referee.errors import InputError
from referee.files import write_atomically
from referee.llm.batch_files import BatchFile, read_questions
from referee.llm.call_book import spending_of
from referee.metrics.hearing import HUMAN
from referee.records import NOT_ANSWERED, Description, HearerView, Response, Trial
from referee.runs.folder import Run
from referee.runs.run import QuestionsWritten
from referee.signature import signature

__all__ = ["QuestionsWritten", "Session", "add_people", "by_name", "listen", "shown"]

# Apart from `calls.jsonl`, in which a run keeps what its speakers were answered.
CALLS, BATCH = "hearing-calls", "questions.batch"
Said = list[tuple[str, Description]]
Advance = Callable[[int], None]
Numbered = tuple[int, str | None]


def by_name(written: str, seed: int) -> Any:
    """A fresh, untrained hearer of the catalogue; one that draws lots draws them by the seed, unless a switch says otherwise."""
    return catalogue.configure("hearer", written, seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """All that decides what a hearer answers. `hearer` is a name with switches, which `summon` makes a hearer of; `label` is what its answers are
    signed with, if not that name; `train` a file of trials to learn from, instead of cross-fitting in folds; `passport` what its card adds to its signature.
    `batch_out` is a file to write questions into instead of asking them, `batch_in` one with the answers."""

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
    summon: Callable[[str, int], Any] = by_name

    def build(self) -> Any:
        return self.summon(self.hearer, self.seed)

    @property
    def name(self) -> str:
        return self.label or self.hearer


def shown(trial: Trial, seed: int, hearer: object = None) -> HearerView:
    """A trial as the hearer sees it: the order depends on the seed and on the trial's id alone; marks are for those who ask for them."""
    return trial.for_hearer(Random(f"{seed}|{trial.id}"), marks=isinstance(hearer, SeesMarks) and hearer.marks)


def listen(folder: Path, session: Session, workers: int = 1, advance: Advance = lambda n: None) -> int:
    """Let a hearer answer everything that was said in a run, and keep the answers there; returns how many there are.

    Answers of the same hearer from before are replaced, all others stay. A hearer that waits for a network keeps its calls in the run and goes on from them.
    Questions that its endpoint did not answer are no answers: they are counted in the manifest, and asked when it listens again.
    """
    hearer = session.build()
    run = Run(folder)
    manifest = run.manifest
    # Pace, patience and kept calls belong to one object: several processes would each keep their own.
    alone = workers < 2 or isinstance(hearer, Remembers)
    lines = [*_answers(folder, session, 0, 1, advance)] if alone else _in_processes(folder, session, workers, advance)
    if not lines:
        raise InputError(
            "nobody said anything in this run",
            where=folder,
            remedy="name a run with outputs, or let hearers read people's descriptions with --humans",
        )
    unanswered = sum(line is None for _, line in lines)
    if unanswered == len(lines):
        raise InputError(
            "the endpoint answered nothing", where=folder, remedy="see that it runs; the same command asks again"
        )
    # By name: whoever listens again with other switches is another hearer.
    others = [json_line(response_to_json(r)) for r in run.responses() if r.hearer != session.name]
    # In the order of the trials and, for one trial, of the systems (sorting is stable): the number of processes does
    # not show.
    write_atomically(
        folder / "responses.jsonl", [*others, *(line for _, line in sorted(lines, key=_place) if line is not None)]
    )
    signed = signature(session.name.partition("|")[0], hearer, seed=session.seed) + session.passport
    manifest["hearers"] = {**manifest.get("hearers", {}), session.name: signed}
    _note_asking(manifest, folder, session, unanswered)
    write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    return len(lines) - unanswered


def _note_asking(manifest: dict[str, Any], folder: Path, session: Session, unanswered: int) -> None:
    """What a hearer behind an endpoint was not answered, and what it cost."""
    missing = {**manifest.get("unanswered", {}), session.name: unanswered}
    manifest["unanswered"] = {hearer: n for hearer, n in missing.items() if n}
    if not manifest["unanswered"]:
        del manifest["unanswered"]
    spent = spending_of(folder / CALLS).get(session.name)
    if spent is not None:
        told = {
            "calls": spent.calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
        }
        manifest["spent"] = {**manifest.get("spent", {}), session.name: {**told, "cost": spent.cost}}


def add_people(folder: Path, responses: Iterable[Response], source: str) -> int:
    """Put people's answers to a run's trials beside those of simulated hearers, in place of people's answers from before; returns how many there are."""
    run = Run(folder)
    manifest = run.manifest
    asked = {t.id for t in run.trials()}
    theirs = [r for r in responses if r.trial in asked]
    if not theirs:
        raise InputError(
            f"nobody in {source} answered a trial of this run",
            where=folder,
            remedy="name the corpus that the run was made on, or a file of responses to its trials",
        )
    # People are told by what they lack: only simulated hearers have a belief (see `_believing`).
    simulated = [r for r in run.responses() if r.probabilities is not None]
    write_atomically(folder / "responses.jsonl", (json_line(response_to_json(r)) for r in [*theirs, *simulated]))
    manifest["people"] = {"source": source, "responses": len(theirs)}
    write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    return len(theirs)


def add_recorded(folder: Path, file: Path) -> int:
    """Put the answers of hearers that were asked elsewhere beside all others, under their own names; returns how many there are.

    A file of responses says whose words were heard (``system``). In a file of outputs with places, as `referee score` takes them, the systems are the hearers,
    and what they heard is what people said.
    """
    run = Run(folder)
    manifest, asked = run.manifest, {t.id: t for t in run.trials()}
    theirs = [_believing(r, asked[r.trial]) for r in _recorded_answers(file) if r.trial in asked]
    if not theirs:
        raise InputError(
            "no line of it answers a trial of this run",
            where=file,
            remedy='lines like {"trial": ID, "hearer": NAME, "outcome": "box", "places": […]}, or outputs with places',
        )
    names = {r.hearer for r in theirs}
    others = [r for r in run.responses() if r.hearer not in names]
    write_atomically(folder / "responses.jsonl", (json_line(response_to_json(r)) for r in [*others, *theirs]))
    manifest["hearers"] = {**manifest.get("hearers", {}), **{name: f"{name}|recorded:{file.name}" for name in names}}
    write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    return len(theirs)


def _recorded_answers(file: Path) -> Iterator[Response]:
    if not file.is_file():
        raise InputError("there is no such file", where=file, remedy="name a file of answers: recorded:FILE.jsonl")
    _, first = next(iter(read_lines(file)), (0, "{}"))
    if '"hearer"' in first:
        return read_responses(file)
    outputs = (o for o in read_outputs(file) if o.response is not None)
    return (replace(o.response, hearer=o.system, system=None) for o in outputs if o.response is not None)


def _place(numbered: tuple[int, str | None]) -> int:
    return numbered[0]


def _in_processes(folder: Path, session: Session, workers: int, advance: Advance) -> list[Numbered]:
    """Every process reads the run and answers its share of the trials."""
    lines: list[Numbered] = []
    # Spawned on every system: a copy of a process with threads in it may hang on their locks.
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))
    try:
        for part in pool.map(_share, [(folder, session, k, workers) for k in range(workers)]):
            lines += part
            advance(len(part))
    finally:
        pool.shutdown(cancel_futures=True)
    return lines


def _share(work: tuple[Path, Session, int, int]) -> list[Numbered]:
    # A progress bar cannot travel to another process; it moves on when a share comes back.
    return list(_answers(*work, lambda n: None))


def _answers(folder: Path, session: Session, share: int, of: int, advance: Advance) -> Iterator[Numbered]:
    """Answers as lines of JSON with the place of their trial, for one share of the trials; None for one that nobody gave."""
    run = Run(folder)
    trials = list(run.trials())
    said = _said(run, trials, session.humans)
    places = {t.id: i for i, t in enumerate(trials)}
    for hearer, heard in _trained(session, trials):
        batch = _ready(hearer, folder, session) if isinstance(hearer, Remembers) else None
        # All processes train on the same folds and divide only the questions, so the division changes no answer.
        mine = [t for t in heard if places[t.id] % of == share and t.id in said]
        for response in _heard(hearer, mine, said, session, advance):
            said_nothing = NOT_ANSWERED in response.flags
            yield places[response.trial], None if said_nothing else json_line(response_to_json(response))
        if batch is not None and (written := batch.write()):
            raise QuestionsWritten(written)


def _ready(hearer: Any, folder: Path, session: Session) -> BatchFile | None:
    """A hearer with the calls it keeps, and with the batch files it reads or writes."""
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
            "no line of it answers a question of this hearer",
            where=session.batch_in,
            remedy="name the file of answers to the questions that --batch-out wrote for it",
        )
    if session.batch_out is None:
        return None
    batch = BatchFile(session.batch_out, calls / BATCH)
    hearer.write_to(batch)
    return batch


def _said(run: Run, trials: Iterable[Trial], humans: bool) -> dict[str, Said]:
    """What each system (and, if wanted, the person of the corpus) said on each trial."""
    said: dict[str, Said] = {}
    if (run.folder / "outputs.jsonl").exists():
        for output in run.outputs():
            said.setdefault(output.trial, []).append((output.system, output.description))
    for trial in trials if humans else ():
        if trial.references:
            said.setdefault(trial.id, []).append((HUMAN, trial.references[0]))
    return said


def _trained(session: Session, trials: list[Trial]) -> Iterator[tuple[Any, list[Trial]]]:
    """Hearers with the trials each may be asked about; whoever does not say that it learns nothing is taken to learn."""
    hearer = session.build()
    if not learns(hearer):
        yield _fitted(hearer, ()), trials
    elif session.train is not None:
        yield _fitted(hearer, _apart(read_trials(session.train), trials, session.train)), trials
    else:
        for train, test in splits.folds(trials, session.folds, session.by, session.seed):
            # A fresh one for each fold: nothing of an earlier fold may be remembered.
            yield _fitted(session.build(), train), test


def _fitted(hearer: Any, trials: Iterable[Trial]) -> Any:
    fitted = hearer.fit(trials)
    # Plug-ins whose `fit` returns nothing are forgiven.
    return hearer if fitted is None else fitted


def _apart(train: Iterable[Trial], trials: list[Trial], where: str) -> Iterator[Trial]:
    asked = {t.id for t in trials}
    for trial in train:
        if trial.id in asked:
            raise InputError(
                f"trial {trial.id!r} is both learned from and asked about",
                where=where,
                remedy="train on other trials, or leave --train out: then the run's trials are cut into folds",
            )
        yield trial


def _heard(
    hearer: Any, trials: Sequence[Trial], said: dict[str, Said], session: Session, advance: Advance
) -> Iterator[Response]:
    """Responses signed with system and hearer; a hearer that waits for others is asked several at once."""

    def answer(trial: Trial) -> list[Response]:
        view = shown(trial, session.seed, hearer)
        return resolve_all(hearer, [(description, view) for _, description in said[trial.id]])

    for trial, responses in zip(trials, in_parallel(hearer, answer, trials), strict=True):
        for (system, _), response in zip(said[trial.id], responses, strict=True):
            yield replace(_believing(response, trial), system=system, hearer=session.name)
        advance(len(responses))


def _believing(response: Response, trial: Trial) -> Response:
    """A bare choice as a belief: answers without one are people's, and this one is not."""
    if response.probabilities is not None:
        return response
    chosen = [response.entity] if response.entity is not None else [e.id for e in trial.scene.entities]
    return replace(response, probabilities=tuple((e, 1 / len(chosen)) for e in chosen))
