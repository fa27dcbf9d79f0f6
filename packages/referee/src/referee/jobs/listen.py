"""Simulated hearers answer what a run's systems said, and hearing is measured: by the same code for them and for people (`referee listen`).

Every trial is shown in an order drawn from the seed and its id, so neither the number of processes nor a break changes an answer. A hearer that learns is
asked only about trials that it was not trained on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.capabilities import Remembers, SignsCalls, WritesBatches
from referee.corpora.jsonl import json_line, read_responses, response_to_json
from referee.corpora.outputs import read_outputs
from referee.corpora.reading.lines import read_lines
from referee.engines.local import LocalEngine
from referee.engines.pieces import Engine
from referee.engines.stored_work import StoredWork
from referee.errors import InputError
from referee.files import hold_alone, let_go, write_atomically
from referee.jobs.folder import Run
from referee.jobs.hearing import (
    Advance,
    HearerWork,
    Session,
    SystemDescriptions,
    believing,
    by_name,
    collect_descriptions,
    fitted,
    fold_name,
    folds_of,
    heard,
    shown,
)
from referee.jobs.run import QuestionsWritten
from referee.models.batch_files import BatchFile, read_questions
from referee.models.response_cache import cost_by_asker
from referee.options import SHARD
from referee.records import Response, Trial
from referee.signature import digest, signature

__all__ = ["QuestionsWritten", "Session", "add_people", "add_recorded", "by_name", "listen", "shown"]

HERE = LocalEngine()
# Apart from `calls.jsonl`, in which a run keeps what its speakers were answered.
CALLS, BATCH = "hearing-calls", "questions.batch"
LOCK = ".answers.lock"


@contextmanager
def _alone(folder: Path) -> Iterator[Run]:
    """The run, with nobody else adding answers to it: two that do would each write the file without what the other adds."""
    run = Run(folder)
    run.manifest  # noqa: B018 (says what is wrong with a folder that is no run, before anything is put into it)
    lock = hold_alone(folder / LOCK, "answers are being added to this run already", "wait for it, or copy the run")
    try:
        yield run
    finally:
        let_go(folder / LOCK, lock)


def listen(
    folder: Path,
    session: Session,
    engine: Engine = HERE,
    shard: int = SHARD,
    advance: Advance = lambda n: None,
) -> int:
    """Let a hearer answer everything that was said in a run, and keep the answers there; returns how many there are.

    Answers of the same hearer from before are replaced, all others stay. `engine` does the work, in pieces of `shard` trials, which change nothing; after a
    break the same session goes on. A hearer that waits for a network is asked from this process, keeps its calls in the run and goes on from them.
    Questions that its endpoint did not answer are no answers: they are counted in the manifest, and asked when it listens again.
    """
    with _alone(folder) as run:
        return _listen(folder, session, run, engine, shard, advance)


def _listen(folder: Path, session: Session, run: Run, engine: Engine, shard: int, advance: Advance) -> int:
    hearer, manifest = session.build(), run.manifest
    # Rate limit, patience and response cache of a hearer behind an endpoint belong to one object: several processes would each have their own.
    asks = isinstance(hearer, Remembers)
    trials = list(run.trials())
    descriptions = collect_descriptions(run, trials, session.humans)
    work = StoredWork(None if asks else folder / f"{_unfinished(session)}{_key(folder, session, hearer)}")
    answers = (
        _asked(folder, session, trials, descriptions, advance)
        if asks
        else _computed(folder, session, trials, descriptions, work, engine, shard, advance)
    )
    # In the order of the trials and, for one trial, of the systems: neither engine nor pieces show.
    lines = [line for trial in trials for line in answers.get(trial.id, ())]
    if not lines:
        raise InputError(
            "nobody said anything in this run",
            where=folder,
            remedy="name a run with outputs, or let hearers read people's descriptions with --humans",
        )
    unanswered = sum(line is None for line in lines)
    if unanswered == len(lines):
        raise InputError(
            "the endpoint answered nothing", where=folder, remedy="see that it runs; the same command asks again"
        )
    # By name: whoever listens again with other switches is another hearer.
    others = [json_line(response_to_json(r)) for r in run.responses() if r.hearer != session.name]
    write_atomically(folder / "responses.jsonl", [*others, *(line for line in lines if line is not None)])
    signed = signature(session.name.partition("|")[0], hearer, seed=session.seed) + session.passport
    manifest["hearers"] = {**manifest.get("hearers", {}), session.name: signed}
    _note_asking(manifest, folder, session, unanswered)
    write_atomically(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    # Also what the same hearer left unfinished with other settings: these answers take its place.
    for left in folder.glob(f"{_unfinished(session)}*"):
        StoredWork(left).forget()
    return len(lines) - unanswered


def _note_asking(manifest: dict[str, Any], folder: Path, session: Session, unanswered: int) -> None:
    """What a hearer behind an endpoint was not answered, and what it cost."""
    missing = {**manifest.get("unanswered", {}), session.name: unanswered}
    manifest["unanswered"] = {hearer: n for hearer, n in missing.items() if n}
    if not manifest["unanswered"]:
        del manifest["unanswered"]
    spent = cost_by_asker(folder / CALLS).get(session.name)
    if spent is not None:
        usage = {
            "calls": spent.calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
        }
        manifest["spent"] = {**manifest.get("spent", {}), session.name: {**usage, "cost": spent.cost}}


def add_people(folder: Path, responses: Iterable[Response], source: str) -> int:
    """Put people's answers to a run's trials beside those of simulated hearers, in place of people's answers from before; returns how many there are."""
    with _alone(folder) as run:
        manifest = run.manifest
        asked = {t.id for t in run.trials()}
        theirs = [r for r in responses if r.trial in asked]
        if not theirs:
            raise InputError(
                f"nobody in {source} answered a trial of this run",
                where=folder,
                remedy="name the corpus that the run was made on, or a file of responses to its trials",
            )
        # People are told by what they lack: only simulated hearers have a belief (see `believing`).
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
    with _alone(folder) as run:
        manifest, asked = run.manifest, {t.id: t for t in run.trials()}
        theirs = [believing(r, asked[r.trial]) for r in _recorded_answers(file) if r.trial in asked]
        if not theirs:
            raise InputError(
                "no line of it answers a trial of this run",
                where=file,
                remedy='lines like {"trial": ID, "hearer": NAME, "outcome": "box", "places": […]}, or outputs with places',
            )
        names = {r.hearer for r in theirs}
        others = [r for r in run.responses() if r.hearer not in names]
        write_atomically(folder / "responses.jsonl", (json_line(response_to_json(r)) for r in [*others, *theirs]))
        manifest["hearers"] = {
            **manifest.get("hearers", {}),
            **{name: f"{name}|recorded:{file.name}" for name in names},
        }
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


def _asked(
    folder: Path, session: Session, trials: list[Trial], descriptions: dict[str, SystemDescriptions], advance: Advance
) -> dict[str, list[str | None]]:
    """From this process, by a hearer that keeps its calls."""
    answers: dict[str, list[str | None]] = {}
    for train, asked in folds_of(session, trials):
        hearer = fitted(session, train)
        batch = _ready(hearer, folder, session)
        for trial, lines in heard(hearer, [t for t in asked if t.id in descriptions], descriptions, session, advance):
            answers[trial.id] = lines
        if batch is not None and (written := batch.write()):
            raise QuestionsWritten(written)
    return answers


def _computed(
    folder: Path,
    session: Session,
    trials: list[Trial],
    descriptions: dict[str, SystemDescriptions],
    work: StoredWork,
    engine: Engine,
    shard: int,
    advance: Advance,
) -> dict[str, list[str | None]]:
    """Wherever the engine does it; what is finished lies in a hidden folder of the run until all is."""
    folds = folds_of(session, trials)
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


def _unfinished(session: Session) -> str:
    """How folders with unfinished answers of a hearer begin."""
    return f".hearing-{digest(session.name)[:8]}-"


def _key(folder: Path, session: Session, hearer: object) -> str:
    """All that decides what a hearer answers in this run, as one short name."""
    files = [*HearerWork(session, folder).inputs.values(), Path(session.hearer.rpartition(":")[0])]
    settings = (session.seed, session.humans, session.folds, session.by, session.train is None)
    read = [digest(path.read_text("utf-8")) for path in files if path.is_file()]
    return digest(json_line([signature(session.name, hearer), settings, read]))[:16]


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
