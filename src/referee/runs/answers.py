"""What systems said, gathered from files: one answer per system and trial, and every problem met on the way counted by kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from referee.corpora.outputs import Output
from referee.errors import DuplicateTrial, InputError

__all__ = ["Answers"]


class Answers:
    """What systems said, by system and trial, with the problems met on the way counted by system and kind."""

    def __init__(self, lenient: bool = False) -> None:
        self.lenient = lenient
        self.by_system: dict[str, dict[str, Output]] = {}
        self.problems: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.notes: list[str] = []
        self.silence_allowed: set[str] = set()

    def add(self, output: Output) -> None:
        """Take one output; a second answer to the same trial is an error, or counted and the first kept."""
        said = self.by_system.setdefault(output.system, {})
        if output.trial in said:
            first = said[output.trial]
            place = f"{first.where}:{first.line}" if first.line else first.where
            self.trouble(
                DuplicateTrial(
                    f"{output.system} answers trial {output.trial!r} twice (first at {place})",
                    where=output.where,
                    line=output.line,
                    remedy="keep one line per system and trial",
                ),
                output.system,
                "duplicate",
            )
            return
        said[output.trial] = output

    def trouble(self, error: InputError, system: str, kind: str) -> None:
        """Raise, or in lenient mode count and go on (the first of each kind is kept as a note)."""
        if not self.lenient:
            raise error
        if not self.problems[system][kind]:
            self.notes.append(str(error))
        self.problems[system][kind] += 1

    @classmethod
    def of(cls, outputs: Iterable[Output], lenient: bool = False) -> Answers:
        answers = cls(lenient)
        for output in outputs:
            answers.add(output)
        return answers
