"""A finished part of a run: one system's outputs on some trials as one file; and trials that failed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from referee.corpora.jsonl import json_line
from referee.corpora.outputs import output_to_json
from referee.jobs.speak import Spoken
from referee.signature import digest


@dataclass(frozen=True, slots=True)
class Failure:
    """A trial that ended the worker process of a system at every attempt."""

    system: str
    trial: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPart:
    """A finished part: `trials` are those asked; `lines` are the outputs by trial."""

    system: str
    trials: tuple[str, ...]
    counts: dict[str, float]
    lines: dict[str, str]

    @classmethod
    def of(cls, system: str, trials: Sequence[str], spoken: Spoken) -> RunPart:
        """Return a finished part from its descriptions."""
        lines = {
            trial: json_line(output_to_json(trial, system, description)) for trial, description in spoken.descriptions
        }
        return cls(system=system, trials=tuple(trials), counts=spoken.counts, lines=lines)

    @property
    def name(self) -> str:
        # By content: the same part is the same file. Labels hold slashes and bars, which file names may not.
        return digest(json_line([self.system, *self.trials]))[:24]

    def as_bytes(self) -> bytes:
        """Return the part as bytes: a line of counts, then one output a line."""
        head = json_line({"system": self.system, "trials": self.trials, "counts": self.counts})
        return "".join(f"{line}\n" for line in (head, *self.lines.values())).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> RunPart:
        """Return a part from its file."""
        # Not `splitlines`, which also cuts at separators that a description may hold.
        first, *lines = content.decode().rstrip("\n").split("\n")
        head = json.loads(first)
        by_trial = {json.loads(line)["trial"]: line for line in lines}
        return cls(system=head["system"], trials=tuple(head["trials"]), counts=head["counts"], lines=by_trial)
