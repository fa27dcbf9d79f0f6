"""Scores that another program computed (SPICE, CLIPScore, a learned metric), read from a file and treated like any other measure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import DuplicateTrial, InputError, MalformedInput
from referee.metrics.measure import Measure
from referee.signature import digest


@dataclass(eq=False, repr=False)
class ImportedScore(Measure):
    """The score of an item in a file with lines ``{"trial": ID, "text": WORDS, "score": NUMBER}``.

    A line without text holds for any output of the trial.

    `file` is the file, `called` the name of its scores, `release` the version of the program that computed them; the
    signature has all of them and the file's hash. Items that the file lacks are not counted.
    Range open, higher is better. Source: the file's. Empty case: not counted.
    """

    name = "imported/score"
    needs = "text"
    range = (None, None)
    _scores: dict[tuple[str, str | None], float] = field(default_factory=dict, init=False)

    file: str = ""
    called: str = ""
    release: str = ""

    def __post_init__(self) -> None:
        if not self.file:
            raise InputError(
                "the metric imported/score needs a file of scores",
                remedy='--metrics "imported/score|file:SPICE.jsonl|called:SPICE|release:1.0"',
            )
        path = Path(self.file)
        for number, row in enumerate(_read_rows(path), 1):
            try:
                text = row.get("text")
                key, score = (str(row["trial"]), None if text is None else str(text)), float(row["score"])
            except (KeyError, TypeError, ValueError, AttributeError):
                raise MalformedInput(
                    "the line is not a score with the fields 'trial' and 'score'",
                    where=path,
                    line=number,
                    remedy='write lines of the form {"trial": ID, "text": WORDS, "score": NUMBER}',
                ) from None
            if key in self._scores:
                raise DuplicateTrial(
                    f"the trial {key[0]!r} has a second score for the same text",
                    where=path,
                    line=number,
                    remedy="keep one line for each trial and text",
                )
            self._scores[key] = score
        self.file = f"{path.name}@{digest(path.read_text('utf-8'))[:8]}"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the score of each item."""
        rows = np.full((len(batch), 1), np.nan)
        for i, (output, trial) in enumerate(zip(batch.outputs, batch.trials, strict=True)):
            if output is not None and output.text is not None:
                value = self._scores.get((trial.id, output.text), self._scores.get((trial.id, None)))
                rows[i] = np.nan if value is None else value
        return rows


def _read_rows(path: Path) -> list[Any]:
    """Return the lines of a file of scores. Raises MalformedInput if they cannot be read."""
    try:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise MalformedInput(
            f"the scores cannot be read ({error})", where=path, remedy="write one JSON object a line, in UTF-8"
        ) from None
