"""What measures ask for of trials, out of the plain lines of a large file: trials of one scene and target are one case, and equal words one description.

For large files alone, where a record of every trial would cost more than all that is measured on it. Whatever is not plain ends the reading with
ValueError: who reads with care (`referee.corpora.jsonl`) then says what is wrong, or takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec import UNSET, Raw, Struct

from referee.corpora.jsonl import misnamed
from referee.corpora.plain_lines import (
    ROOM,
    KeptRecords,
    NotPlain,
    PlainReference,
    PlainTrial,
    TrialLines,
    decoded_page,
    is_meant,
)
from referee.records import Description, Property, Scene, Trial
from referee.signature import CLOSING, as_bytes, opening_text, said_text, scene_text

__all__ = ["PassingLines", "TrialsInPassing", "in_chunks", "pages_between"]

# Small enough for a page and its rows to stay in the near memory of a core: with pages four times as large reading is a tenth slower.
PAGE = 1 << 18
# One byte in so many tells a scene, as it is written, from most others.
FEW = 31
_CLOSING = as_bytes(CLOSING)
OF_ROW = ("domain", "condition", "speaker", "scene", "language")


@dataclass(frozen=True, slots=True)
class TrialsInPassing:
    """Some trials side by side: `cases` have their scenes and targets and nothing else, `written` are the pieces of what a fingerprint takes of them,
    those that recur one object, which goes once from process to process."""

    ids: list[str]
    cases: list[Trial]
    references: list[tuple[Description, ...]]
    labels: dict[str, list[str | None]]
    written: list[bytes]

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

    written: bytes
    name: str | None
    complete: bool | None
    picture: Raw
    scene: Scene
    ids: frozenset[str]
    known: frozenset[Property]
    text: bytes
    cases: dict[Any, _Case]


class _Case(Struct, gc=False):
    trial: Trial
    targets: str


class _Said(Struct, gc=False):
    """Words with the properties and spans that go with them in the file."""

    written: Raw
    spans: Raw
    alone: tuple[Description, ...]
    properties: tuple[Property, ...]
    text: bytes


def pages_between(path: Path, start: int, end: int) -> Iterator[bytes]:
    """A part of a file that begins with a line and ends with one, some hundred kilobytes of whole lines at a time; each line ends."""
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
        # Of words there are more than of scenes, and to make them takes a sixth of the time that reading does.
        self._places, self._said = KeptRecords(), KeptRecords(2 * ROOM)

    def between(self, path: Path, start: int, end: int) -> Iterator[TrialsInPassing]:
        """The trials of a part of the file, a page at a time."""
        return map(self.read_page, pages_between(path, start, end))

    def read_page(self, page: bytes) -> TrialsInPassing:
        rows = decoded_page(self.decoder, page)
        cases: list[Trial] = []
        references: list[tuple[Description, ...]] = []
        pieces: list[bytes] = []
        places, said_before = self._places, self._said
        for row in rows:
            # Looked up by some of its bytes, and held against what was met there: to look up all of them takes twice as long.
            written = bytes(row.entities)
            place = places.get(written[::FEW])
            if (
                place is None
                or place.written != written
                or place.name != row.scene
                or place.complete is not row.complete
                or place.picture != row.picture
            ):
                place = self._place(written, row)
            # Nearly always one target: its name is found without a list.
            one = row.target
            if one is UNSET and row.targets is not UNSET and len(row.targets) == 1:
                one = row.targets[0]
            case = place.cases.get(one) or self._case(place, row)
            cases.append(case.trial)
            opening = opening_text(row.id, case.targets, row.domain, row.condition, row.speaker, row.scene)
            pieces += (opening.encode(), place.text)
            said: tuple[Description, ...] = ()
            for reference in row.references or ():
                if type(reference) is str:
                    reference = PlainReference(reference)
                known = said_before.get(reference.text)
                if known is None or known.written != reference.properties or known.spans != reference.spans:
                    known = self._keep(reference)
                if not place.known.issuperset(known.properties):
                    _check_names(place, known)
                said = said + known.alone if said else known.alone
                pieces.append(known.text)
            references.append(said)
            pieces.append(_CLOSING)
            # Nobody asks here what happened, but what is wrong with a line is told whoever reads it.
            if row.history or row.episode:
                for event in chain(row.history or (), row.episode or ()):
                    self.event_of(event)
        for meta in {bytes(row.meta) for row in rows}:
            self.shared_meta(Raw(meta))
        ids = [row.id for row in rows]
        if self.own:
            cases = [Trial(id=i, scene=c.scene, targets=c.targets) for i, c in zip(ids, cases, strict=True)]
        columns = {name: self._label(rows, name) for name in self.names}
        return TrialsInPassing(ids, cases, references, columns, pieces)

    def _place(self, written: bytes, row: PlainTrial) -> _SceneMet:
        """A scene that was not met yet, or that looks like another at first sight."""
        key: Any = written[::FEW]
        if key in self._places:
            key = (written, row.scene, row.complete, bytes(row.picture))
            found: _SceneMet | None = self._places.get(key)
            if found is not None:
                return found
        scene, ids = self.scene_of(row)
        text = as_bytes(scene_text(scene))
        picture = Raw(bytes(row.picture))
        known = frozenset(scene.extensions)
        made = _SceneMet(written, row.scene, row.complete, picture, scene, ids, known, text, {})
        return self._places.keep(key, 4 * len(written), made)

    def _case(self, place: _SceneMet, row: PlainTrial) -> _Case:
        targets = self.target_names(row)
        if not is_meant(targets, place.scene, place.ids):
            raise NotPlain
        made = _Case(Trial(id="", scene=place.scene, targets=targets), "\x1f".join(targets))
        if len(targets) == 1:
            place.cases[targets[0]] = made
        return made

    def _keep(self, reference: PlainReference) -> _Said:
        """Words that were not met yet, or with other properties or spans."""
        written, spans = bytes(reference.properties), bytes(reference.spans)
        key: Any = reference.text
        if key in self._said:
            key = (key, written, spans)
            found: _Said | None = self._said.get(key)
            if found is not None:
                return found
        # Nobody asks for them here either.
        self.known.check_spans(reference.spans)
        description = Description(properties=self.known.properties_of(reference.properties), text=reference.text)
        text = as_bytes(said_text(description))
        made = _Said(Raw(written), Raw(spans), (description,), description.properties or (), text)
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
