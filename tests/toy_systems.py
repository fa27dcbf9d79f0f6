"""Small speakers with known habits, which the tests install as another package would."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Self

import pytest

from referee.records import Description, Property, SpeakerView, Trial

LONG_DIARY = 40
NAMES = ("Honest", "Slow", "Wordsmith", "Lottery", "Shy", "Broken", "Deadly", "Touchy")


class Honest:
    """Says the target's type and how many trials it learned from; a trial that it has seen in training is an error."""

    def fit(self, trials: Iterable[Trial]) -> Self:
        self.seen_ = {t.id for t in trials}
        return self

    def describe(self, view: SpeakerView) -> Description:
        if view.id in self.seen_:
            raise AssertionError(f"{view.id} was in the training part")
        kind = view.scene.entity(view.targets[0]).value("type")
        return Description(properties=(Property("type", kind),), text=f"the {kind}, after {len(self.seen_)} trials")


class Slow(Honest):
    """Keeps a diary of what it described and in which process, and comes to a halt when that is long, as long as there is a file TOY_HALT."""

    def describe(self, view: SpeakerView) -> Description:
        diary, halt = Path(os.environ["TOY_DIARY"]), os.environ.get("TOY_HALT")
        with diary.open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {view.id}\n")
        while halt and Path(halt).exists() and len(diary.read_text("utf-8").splitlines()) > LONG_DIARY:
            time.sleep(0.01)
        return super().describe(view)


class Wordsmith:
    """A realiser alone: says the properties that it is given."""

    def fit(self, trials: Iterable[Trial]) -> Self:
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        return " ".join(p.value for p in properties)


class Lottery(Honest):
    """Draws lots by its seed."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def describe(self, view: SpeakerView) -> Description:
        return Description(text=str(Random(f"{self.seed} {view.id}").random()))


class Shy(Honest):
    """Says nothing at all about people."""

    def describe(self, view: SpeakerView) -> Description:
        return Description() if view.domain == "people" else super().describe(view)


class Broken(Honest):
    """Has a fault that shows in the second trial of every speaker."""

    def describe(self, view: SpeakerView) -> Description:
        return super().describe(view) if not view.id.endswith("t2") else Description(text=1 / 0)  # type: ignore[arg-type]


class Deadly(Honest):
    """Takes its process with it."""

    def describe(self, view: SpeakerView) -> Description:
        os._exit(1)


class Touchy(Honest):
    """Takes its process with it at one trial, as long as there is a file TOY_HALT."""

    def describe(self, view: SpeakerView) -> Description:
        if view.id == "s2t3" and Path(os.environ["TOY_HALT"]).exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().describe(view)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the toys known as ``toy/NAME``, here and in processes that are started from here."""
    info = folder / "toys-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n", "utf-8")
    lines = [f"toy/{name.lower()} = toy_systems:{name}" for name in NAMES]
    (info / "entry_points.txt").write_text("\n".join(["[referee.systems]", *lines, ""]), "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(Path(__file__).parent)]))
