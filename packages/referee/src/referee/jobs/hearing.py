"""A hearer's answers to a run as work for an engine: a piece is some trials of one fold."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.capabilities import SeesMarks, in_parallel, learns, needs_of, resolve_all
from referee.corpora import splits
from referee.corpora.jsonl import json_line, read_trials, response_to_json
from referee.engines.pieces import Needs, WorkPiece
from referee.engines.stored_work import as_lines
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.metrics.hearing import HUMAN
from referee.records import NOT_ANSWERED, Description, HearerView, Response, Trial

TRIALS, OUTPUTS, TRAIN = "trials.jsonl", "outputs.jsonl", "train.jsonl"
SystemDescriptions = list[tuple[str, Description]]
Advance = Callable[[int], None]
# Trials to learn from (None: nothing is learned), and trials to be asked about.
HearerFold = tuple[Sequence[Trial] | None, list[Trial]]


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


def folds_of(session: Session, trials: list[Trial], train: Path | None = None) -> list[HearerFold]:
    """What is learned from and asked about; whoever does not say that it learns nothing is taken to learn."""
    if not learns(session.build()):
        return [(None, trials)]
    train = train or (None if session.train is None else Path(session.train))
    if train is not None:
        return [(list(_apart(read_trials(train), trials, str(train))), trials)]
    return [(learned, asked) for learned, asked in splits.folds(trials, session.folds, session.by, session.seed)]


def fitted(session: Session, train: Sequence[Trial] | None) -> Any:
    """A fresh hearer for each fold: nothing of an earlier fold may be remembered."""
    hearer = session.build()
    fitted_hearer = hearer.fit(() if train is None else train)
    # Plug-ins whose `fit` returns nothing are forgiven.
    return hearer if fitted_hearer is None else fitted_hearer


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


def heard(
    hearer: Any,
    trials: Sequence[Trial],
    descriptions: Mapping[str, SystemDescriptions],
    session: Session,
    advance: Advance = lambda n: None,
) -> Iterator[tuple[Trial, list[str | None]]]:
    """For every trial a line for each description, signed with system and hearer; None for one that nobody answered.

    A hearer that waits for others is asked several at once.
    """

    def answer(trial: Trial) -> list[Response]:
        view = shown(trial, session.seed, hearer)
        return resolve_all(hearer, [(description, view) for _, description in descriptions[trial.id]])

    for trial, responses in zip(trials, in_parallel(hearer, answer, trials), strict=True):
        signed = [
            replace(believing(response, trial), system=system, hearer=session.name)
            for (system, _), response in zip(descriptions[trial.id], responses, strict=True)
        ]
        yield trial, [None if NOT_ANSWERED in r.flags else json_line(response_to_json(r)) for r in signed]
        advance(len(responses))


def believing(response: Response, trial: Trial) -> Response:
    """A bare choice as a belief: answers without one are people's, and this one is not."""
    if response.probabilities is not None:
        return response
    chosen = [response.entity] if response.entity is not None else [e.id for e in trial.scene.entities]
    return replace(response, probabilities=tuple((e, 1 / len(chosen)) for e in chosen))


@dataclass(slots=True)
class _AskedRun:
    """What a worker keeps: the run, and the hearer that it trained last."""

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
        run = Run(inputs[TRIALS].parent)
        trials = list(run.trials())
        folds = folds_of(self.session, trials, inputs.get(TRAIN))
        return _AskedRun(
            {t.id: t for t in trials},
            collect_descriptions(run, trials, self.session.humans),
            {fold_name(i): fold for i, fold in enumerate(folds)},
        )

    def do(self, begun: _AskedRun, piece: WorkPiece) -> bytes:
        if begun.group != piece.group:
            begun.hearer, begun.group = fitted(self.session, begun.folds[piece.group][0]), piece.group
        asked = [begun.trials[item] for item in piece.items]
        return as_lines(
            [json.dumps(lines) for _, lines in heard(begun.hearer, asked, begun.descriptions, self.session)]
        )
