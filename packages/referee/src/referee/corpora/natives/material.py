"""Data of files from other programs as records of this package.

Trials, outputs and responses, and the recognised format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from referee.corpora.outputs import Output
from referee.corpora.reading.scripts import find_language_by_script
from referee.corpora.reading.tables import is_missing
from referee.errors import DuplicateTrial, InputError
from referee.geometry import Region, ScenePicture, Size
from referee.records import Description, Entity, Response, Scene, Trial

KINDS = ("text", "table", "log", "listeners", "places")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the user declared about files: columns, systems, conventions of coordinates.

    Columns of roles, systems, convention and format of coordinates, and further files.

    Args:
        columns: role to column, as in ``--map text=utterance``.
        convention: of all coordinates in answers, such as ``0-1000 xyxy``.
        form: the models' format of coordinates (`referee.models.answers.place_forms.FORMS`).
        format: the name of a format, instead of recognition.
        language: of all trials, if the files do not give it.
        systems: names of systems; in a table also of columns with their texts.
        default_system: the name of the system of a file that names none; by default that of the file.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    convention: str | None = None
    form: str | None = None
    format: str | None = None
    language: str | None = None
    systems: tuple[str, ...] = ()
    default_system: str | None = None

    def column(self, role: str) -> str | None:
        """Return the column of a role, where one was declared."""
        return self.columns.get(role)


@dataclass(slots=True)
class NativeData:
    """The trials, outputs and responses read from files of other programs.

    Args:
        kind: text, table, log, listeners or places.
        format: the name of the format.
        mapping: the column or field of each role.
        trials: by id, in the order of the files.
        outputs: descriptions or places, one per system and trial.
        responses: answers of listeners.
        notes: sentences that readers of the results need.
        is_tried: whether the reader was tested with a file of the real program.
        counts: by system, answers by outcome.
        unchosen: systems of the files that the user did not choose.
        left_out: sentences about omitted rows, with their number for ``{}``; numbers of several files are added.
    """

    kind: str
    format: str
    mapping: dict[str, str] = field(default_factory=dict)
    trials: dict[str, Trial] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_tried: bool = True
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    unchosen: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def systems(self) -> list[str]:
        """Names of systems in the order of the files."""
        names = [o.system for o in self.outputs] + [r.system or r.hearer for r in self.responses]
        return list(dict.fromkeys(names))

    def count(self, system: str, outcome: str) -> None:
        """Count an answer of a system."""
        self.counts.setdefault(system, Counter())[outcome] += 1

    def add_trial(self, trial: Trial) -> None:
        """Add a trial; if its id is known, add its references to the trial with that id."""
        present = self.trials.get(trial.id)
        if present is None:
            self.trials[trial.id] = trial
            return
        new = tuple(r for r in trial.references if r not in present.references)
        if new:
            self.trials[trial.id] = replace(present, references=(*present.references, *new))

    def join(self, other: NativeData, where: object = "") -> None:
        """Add the data of another file of the same format.

        Raises:
            InputError: if the formats differ, or an item means something else in the other file.
        """
        if (other.kind, other.format) != (self.kind, self.format):
            raise InputError(
                f"this file is {other.format} ({other.kind}), another {self.format} ({self.kind})",
                where=where,
                remedy="evaluate files of one format and one task at a time",
            )
        for trial in other.trials.values():
            present = self.trials.get(trial.id)
            if present is not None and not _is_same_item(present, trial):
                raise InputError(
                    f"item {trial.id!r} has other references or another gold region in an earlier file",
                    where=where,
                    remedy="evaluate files about the same items: those of one task and split at a time",
                )
            self.add_trial(trial)
        self.outputs += other.outputs
        self.responses += other.responses
        self.notes += [note for note in other.notes if note not in self.notes]
        self.is_tried = self.is_tried and other.is_tried
        for role, column in other.mapping.items():
            columns = dict.fromkeys((*self.mapping.get(role, column).split(" and "), *column.split(" and ")))
            self.mapping[role] = " and ".join(columns)
        for system, counts in other.counts.items():
            self.counts.setdefault(system, Counter()).update(counts)
        self.unchosen |= other.unchosen
        self.left_out.update(other.left_out)

    def finish(self, systems: Iterable[str] = ()) -> None:
        """Check all files together and add notes on them.

        Raises:
            InputError: if one of the declared systems does not occur.
            DuplicateTrial: if a system describes a trial twice, or a listener answers a description twice.
        """
        unknown = [name for name in systems if name not in self.systems]
        if unknown:
            raise InputError(
                f"no system is called {unknown[0]!r}",
                remedy=f"the systems here are: {', '.join(sorted({*self.systems, *self.unchosen}))}",
            )
        self._join_languages()
        self.notes[:0] = [sentence.format(f"{count:,}") for sentence, count in self.left_out.items() if count]
        if self.kind == "listeners" and "participant" in self.mapping:
            people = len({r.hearer for r in self.responses})
            self.notes.append(f"The ids of {people:,} participants are replaced by hashes.")
        first: dict[tuple[str, str], Output] = {}
        for output in self.outputs:
            other = first.setdefault((output.system, output.trial), output)
            if other is not output:
                raise DuplicateTrial(
                    f"{output.system} answers item {output.trial!r} twice (first at {other.where}:{other.line})",
                    where=output.where,
                    line=output.line,
                    remedy="keep one row for each system and item, or name the columns: --map trial=COLUMN,system=COLUMN",
                )
        answers = Counter((r.trial, r.system, r.hearer) for r in self.responses)
        twice = next((key for key, count in answers.items() if count > 1), None)
        if twice is not None:
            raise DuplicateTrial(
                f"{twice[2]} answers item {twice[0]!r} of {twice[1]} twice",
                remedy="name each answer once: exports of one study often have the same answers in several files",
            )

    def _join_languages(self) -> None:
        """Take items in Chinese characters alone for Japanese where others, of the same unknown language, have kana."""
        languages = Counter(trial.language for trial in self.trials.values())
        if "language" in self.mapping or not (languages["ja"] and languages["zh"]):
            return
        for name, trial in self.trials.items():
            if trial.language == "zh":
                self.trials[name] = replace(trial, language="ja")
        self.notes.append(
            f"{languages['zh']:,} items without kana are taken for Japanese, like the others; a column language says otherwise."
        )


def _is_same_item(a: Trial, b: Trial) -> bool:
    """Return whether two trials with one id can be the same item: they share a reference and the region meant, where both have some."""
    texts = [{r.text for r in trial.references} for trial in (a, b)]
    regions = [[e.region for e in trial.scene.entities if e.id in trial.targets and e.region] for trial in (a, b)]
    return (not all(texts) or not texts[0].isdisjoint(texts[1])) and (not all(regions) or regions[0] == regions[1])


def make_trial(
    name: str,
    references: Iterable[str] = (),
    *,
    scene: str | None = None,
    speaker: str | None = None,
    language: str | None = None,
    region: Region | None = None,
    is_absent: bool = False,
    size: Size | None = None,
    targets: tuple[str, ...] = (),
    picture: str = "",
    meta: Mapping[str, Any] | None = None,
) -> Trial:
    """Return a trial whose scene is unknown except for references or a target region; the scene is marked as incomplete."""
    texts = list(references)
    entities = () if region is None else (Entity(id="gold", region=region),)
    return Trial(
        id=name,
        scene=Scene(
            entities=entities,
            id=scene,
            complete=False,
            picture=ScenePicture(path=picture, size=size) if size is not None or picture else None,
        ),
        targets=("gold",) if region is not None else () if is_absent else targets,
        references=tuple(Description(text=text) for text in texts),
        speaker=speaker,
        language=language or find_language_by_script(" ".join(texts)) or "en",
        meta=meta or {},
    )


def format_id(value: Any) -> str | None:
    """Return a cell as an id: whole numbers without a fraction, which data frames write; None if it is empty."""
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip()
    is_whole = text.endswith(".0") and text[:-2].removeprefix("-").isdigit()
    return (text[:-2] if is_whole else text) or None


def parse_number(value: Any) -> float | None:
    """Return the number in a cell, with a decimal point or comma; None if it is empty or not a number."""
    if is_missing(value) or isinstance(value, bool):
        return None
    if not isinstance(value, int | float):
        value = str(value).strip()
        value = value.replace(",", ".") if value.count(",") == 1 and "." not in value else value
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if number == number and abs(number) != float("inf") else None


def hash_person(name: str) -> str:
    """Return a short hash of a participant's id, which is the same in every file."""
    return f"p-{blake2b(name.encode(), digest_size=5, person=b'referee').hexdigest()}"
