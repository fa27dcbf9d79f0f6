"""What one system said about many trials, kept lean: a million outputs share a few thousand descriptions, and where each stands is a number."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Container, Iterator, MutableMapping

from referee.corpora.outputs import Output
from referee.records import Description, Response

__all__ = ["OutputsOfSystem"]

_NO_LINE = -1


class OutputsOfSystem(MutableMapping[str, Output]):
    """Outputs of one system by trial, in the order they were read; an `Output` is made when one is asked for.

    `descriptions` is what measures ask for, trial by trial. What a system found rather than said (`Response`) is kept beside it.
    """

    __slots__ = ("_files", "_lines", "_places", "_responses", "descriptions", "system")

    def __init__(self, system: str) -> None:
        self.system = system
        self.descriptions: dict[str, Description] = {}
        self._responses: dict[str, Response] = {}
        self._lines = array("q")
        # Where each file begins among the lines.
        self._files: list[tuple[int, str]] = []
        self._places: dict[str, int] = {}

    def add(self, output: Output) -> bool:
        """Take one output; False, and nothing taken, where the trial was answered already."""
        descriptions = self.descriptions
        before = len(descriptions)
        descriptions.setdefault(output.trial, output.description)
        if len(descriptions) == before:
            return False
        if self._places:
            self._places = {}
        if not self._files or self._files[-1][1] != output.where:
            self._files.append((before, output.where))
        self._lines.append(_NO_LINE if output.line is None else output.line)
        if output.response is not None:
            self._responses[output.trial] = output.response
        return True

    def response(self, trial: str) -> Response | None:
        """What the system found there; None where it describes, or gave nothing."""
        return self._responses.get(trial) if self._responses else None

    @property
    def finds(self) -> bool:
        """Whether the system found something on any trial."""
        return bool(self._responses)

    def without(self, trials: Container[str]) -> OutputsOfSystem:
        """The same but for what is said of some trials."""
        rest = OutputsOfSystem(self.system)
        for trial, output in self.items():
            if trial not in trials:
                rest.add(output)
        return rest

    def __getitem__(self, trial: str) -> Output:
        if trial not in self.descriptions:
            raise KeyError(trial)
        if not self._places:
            self._places = {name: i for i, name in enumerate(self.descriptions)}
        return self._output(trial, self._places[trial])

    def __setitem__(self, trial: str, output: Output) -> None:
        if trial not in self.descriptions:
            self.add(output)
            return
        # Only what is said changes, never where.
        self.descriptions[trial] = output.description
        if output.response is not None:
            self._responses[trial] = output.response

    def __delitem__(self, trial: str) -> None:
        raise TypeError("what was said stays said; see `without`")

    def __contains__(self, trial: object) -> bool:
        return trial in self.descriptions

    def __iter__(self) -> Iterator[str]:
        return iter(self.descriptions)

    def __len__(self) -> int:
        return len(self.descriptions)

    def _output(self, trial: str, place: int) -> Output:
        line = self._lines[place]
        where = self._files[bisect_right(self._files, place, key=lambda file: file[0]) - 1][1]
        return Output(
            trial,
            self.system,
            self.descriptions[trial],
            where,
            None if line == _NO_LINE else line,
            self._responses.get(trial),
        )
