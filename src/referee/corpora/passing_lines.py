"""What measures ask for of trials, out of the plain lines of a large file: trials of one scene and target are one case, and equal words one description.

For large files alone, where a record of every trial would cost more than all that is measured on it. Whatever is not plain ends the reading with
ValueError: who reads with care (`referee.corpora.jsonl`) then says what is wrong, or takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec import UNSET, Raw, Struct

from referee.corpora.jsonl import misnamed
from referee.corpora.plain_lines import KeptRecords, NotPlain, PlainReference, PlainTrial, TrialLines, decoded_page
from referee.records import Description, Property, Scene, Trial
from referee.signature import said_text, scene_text, written_in_parts

__all__ = ["PassingLines", "TrialsInPassing", "in_chunks", "pages_between"]

PAGE = 1 << 20
OF_ROW = ("domain", "condition", "speaker", "scene", "language")


@dataclass(frozen=True, slots=True)
class TrialsInPassing:
    """Some trials side by side: `cases` have their scenes and targets and nothing else, `written` are the pieces of what a fingerprint takes of them,
    those that recur one object, which goes once from process to process."""

    ids: list[str]
    cases: list[Trial]
    references: list[tuple[Description, ...]]
    labels: dict[str, list[str | None]]
    written: list[str]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def joined(cls, pages: Sequence[TrialsInPassing]) -> TrialsInPassing:
        if len(pages) == 1:
            return pages[0]
        return cls(
            [i for page in pages for i in page.ids],
            [case for page in pages for case in page.cases],
            [said for page in pages for said in page.references],
            {name: [x for page in pages for x in page.labels[name]] for name in pages[0].labels},
            [piece for page in pages for piece in page.written],
        )


def in_chunks(pages: Iterable[TrialsInPassing], size: int) -> Iterator[TrialsInPassing]:
    """Pages put together until they have about as many trials as wanted."""
    waiting: list[TrialsInPassing] = []
    for page in pages:
        waiting.append(page)
        if sum(map(len, waiting)) >= size:
            yield TrialsInPassing.joined(waiting)
            waiting = []
    if waiting:
        yield TrialsInPassing.joined(waiting)


class _SceneMet(Struct, gc=False):
    """A scene as it stands in the file, with the cases met in it so far."""

    scene: Scene
    ids: frozenset[str]
    known: frozenset[Property]
    text: str
    cases: dict[Any, _Case]


class _Case(Struct, gc=False):
    trial: Trial
    targets: str


class _Said(Struct, gc=False):
    alone: tuple[Description, ...]
    properties: tuple[Property, ...]
    text: str


def pages_between(path: Path, start: int, end: int) -> Iterator[bytes]:
    """A part of a file that begins with a line and ends with one, about a megabyte of whole lines at a time; each line ends."""
    with path.open("rb") as file:
        file.seek(start)
        while start < end:
            page = file.read(min(PAGE, end - start))
            if not page.endswith(b"\n"):
                page += file.readline()
            start += len(page)
            yield page if page.endswith(b"\n") else page + b"\n"


def _check_names(place: _SceneMet, said: _Said) -> None:
    if misnamed(Trial(id="", scene=place.scene, targets=(), references=said.alone)):
        raise NotPlain


class PassingLines(TrialLines):
    """Reads the lines of one file, with some labels of its trials (see `Trial.cluster`); each trial is a case of its `own` where ids matter."""

    def __init__(self, labels: Sequence[str], own: bool) -> None:
        super().__init__()
        self.names, self.own = tuple(labels), own
        self._places, self._said = KeptRecords(), KeptRecords()

    def between(self, path: Path, start: int, end: int) -> Iterator[TrialsInPassing]:
        """The trials of a part of the file, a page at a time."""
        return map(self.read_page, pages_between(path, start, end))

    def read_page(self, page: bytes) -> TrialsInPassing:
        rows = decoded_page(self.decoder, page)
        cases: list[Trial] = []
        references: list[tuple[Description, ...]] = []
        pieces: list[str] = []
        places, said_before = self._places, self._said
        for row in rows:
            place_key = (bytes(row.entities), row.scene, row.complete)
            place = places.get(place_key) or self._place(place_key, row)
            # Nearly always one target: its name is found without a list.
            one = row.target
            if one is UNSET and row.targets is not UNSET and len(row.targets) == 1:
                one = row.targets[0]
            case = place.cases.get(one) or self._case(place, row)
            cases.append(case.trial)
            texts = []
            said: tuple[Description, ...] = ()
            for reference in row.references or ():
                key = (
                    reference
                    if type(reference) is str
                    else (bytes(reference.spans), bytes(reference.properties), reference.text)
                )
                known = said_before.get(key) or self._keep(key, reference)
                if not place.known.issuperset(known.properties):
                    _check_names(place, known)
                said = said + known.alone if said else known.alone
                texts.append(known.text)
            references.append(said)
            labels = (row.domain, row.condition, row.speaker, row.scene)
            pieces += written_in_parts(row.id, case.targets, labels, place.text, texts)
        for meta in {bytes(row.meta) for row in rows}:
            self.shared_meta(Raw(meta))
        ids = [row.id for row in rows]
        if self.own:
            cases = [Trial(id=i, scene=c.scene, targets=c.targets) for i, c in zip(ids, cases, strict=True)]
        columns = {name: self._label(rows, name) for name in self.names}
        return TrialsInPassing(ids, cases, references, columns, pieces)

    def _place(self, key: tuple[bytes, str | None, bool | None], row: PlainTrial) -> _SceneMet:
        scene, ids = self.scene_of(row)
        made = _SceneMet(scene, ids, frozenset(scene.extensions), scene_text(scene), {})
        return self._places.keep(key, 4 * len(key[0]), made)

    def _case(self, place: _SceneMet, row: PlainTrial) -> _Case:
        targets = self.target_names(row)
        if not targets or not place.ids.issuperset(targets):
            raise NotPlain
        made = _Case(Trial(id="", scene=place.scene, targets=targets), "\x1f".join(targets))
        if len(targets) == 1:
            place.cases[targets[0]] = made
        return made

    def _keep(self, key: Any, reference: str | PlainReference) -> _Said:
        if isinstance(reference, str):
            description = Description(text=reference)
        else:
            # Looked at though nobody asks for them here: what is wrong with a line is told whoever reads it.
            self.known.spans_of(reference.spans)
            description = Description(properties=self.known.properties_of(reference.properties), text=reference.text)
        made = _Said((description,), description.properties or (), said_text(description))
        return self._said.keep(key, 400, made)

    def _label(self, rows: Sequence[PlainTrial], name: str) -> list[str | None]:
        if name == "language":
            return [row.language or "en" for row in rows]
        if name in OF_ROW:
            # One object for all equal ones: they go from process to process.
            return list(map(self.known.word, map(attrgetter(name), rows)))
        metas = (self.shared_meta(row.meta) for row in rows)
        found = (None if meta is None else meta.get(name) for meta in metas)
        return [None if label is None else str(label) for label in found]
