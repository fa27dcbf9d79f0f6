"""The systems of a run as work for an engine: a piece is some trials of one system and fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.capabilities import needs_of
from referee.corpora.jsonl import read_trials
from referee.engines.pieces import Needs, WorkPiece
from referee.jobs.folds import Fold, RunPlan, cut
from referee.jobs.parts import RunPart
from referee.jobs.speak import System, Trained, hear, train_system
from referee.records import Trial

__all__ = ["Speaking", "group_of"]

CORPUS = "corpus.jsonl"


def group_of(system: System, fold: int) -> str:
    return f"{system.label}, fold {fold + 1}"


@dataclass(slots=True)
class _Begun:
    """What a worker keeps: the corpus, cut, and the system that it trained last."""

    trials: Mapping[str, Trial]
    folds: Sequence[Fold]
    trained: Trained | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Speaking:
    """All systems of a plan on a corpus."""

    plan: RunPlan
    corpus: Path
    # Classes of systems that the running script defines: no other process has them (`referee.engines.packed`).
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
        """As much as the one that needs most: any worker may get any piece."""
        found = [needs_of(s.build(self.plan.seed)) for s in self.plan.systems]
        return Needs(max(cpus for cpus, _ in found), max(gpus for _, gpus in found))

    def begin(self, inputs: Mapping[str, Path]) -> _Begun:
        # Once per process: sending trials along with each piece of work would cost more than some of the work.
        trials = list(read_trials(inputs[CORPUS]))
        return _Begun({t.id: t for t in trials}, cut(self.plan, trials))

    def do(self, begun: _Begun, piece: WorkPiece) -> bytes:
        if begun.trained is None or begun.group != piece.group:
            system, fold = self._places()[piece.group]
            begun.trained = train_system(system, begun.folds[fold][0], self.plan.seed)
            begun.group = piece.group
        spoken = hear(begun.trained, [begun.trials[item] for item in piece.items])
        return RunPart.of(begun.trained.system.label, piece.items, spoken).as_bytes()

    def _places(self) -> dict[str, tuple[System, int]]:
        folds = self.plan.folds if self.plan.split is None else 1
        return {group_of(system, fold): (system, fold) for system in self.plan.systems for fold in range(folds)}
