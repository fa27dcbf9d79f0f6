"""Opens the objects that a user names.

A corpus by catalogue name, file or run folder, a part of it, and files of outputs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature as call_signature
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from referee import catalogue
from referee.contracts import Card, Corpus
from referee.corpora.jsonl import JsonlCorpus, read_corpus, read_trials
from referee.corpora.line_index import IndexedOutput, has_index, index_outputs
from referee.corpora.outputs import (
    UNREAD,
    Output,
    OutputsOfSystem,
    iterate_row_outputs,
    make_default_name,
    read_outputs,
)
from referee.corpora.reading.lines import FileLines, LineRange, make_natural_sort_key, read_lines
from referee.corpora.reading.parquet_rows import is_parquet, serialise_rows
from referee.corpora.reading.tables import SEPARATED, SHEETS, convert_to_rows
from referee.errors import (
    DuplicateTrial,
    InputError,
    InvalidDescription,
    MissingOutputs,
    UnknownTrial,
    find_similar_names,
)
from referee.files import drop_endings, expand_path, is_address
from referee.jobs.folder import Run, is_run
from referee.jobs.score_table import Source
from referee.meaning import NOT, first_unknown
from referee.records import LANDMARKS, Description, Property, Scene, Trial
from referee.signature import digest

if TYPE_CHECKING:
    import polars as pl

PARTS = ("split", "split_seed", "items")
_PREFIXES = re.compile(rf"(?:{LANDMARKS.pattern}|{re.escape(NOT)})+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An opened corpus, which can be read repeatedly: the selected part (`trials`) and the whole of it (`everyone`)."""

    name: str
    trials: Callable[[], Iterable[Trial]]
    everyone: Callable[[], Iterable[Trial]]
    card: Card | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    recorded: Callable[..., Iterable[Output]] | None = None
    # The one file of all `trials`, if there is one, and the function that reads it or a part of it.
    file: str | Path | None = None
    read: Callable[[FileLines], Iterable[Trial]] = read_trials

    @property
    def frame(self) -> pl.DataFrame:
        """Return one row per trial: its labels, the number of entities, and the first reference."""
        import polars as pl

        labels = ("domain", "condition", "speaker", "scene", "language")
        rows = [
            (
                *(t.id, *(_get_field(t, name) for name in labels), " ".join(t.targets), len(t.scene.entities)),
                *(len(t.references), t.references[0].text if t.references else None),
            )
            for t in self.trials()
        ]
        schema: dict[str, Any] = {"trial": pl.String, **dict.fromkeys((*labels, "target"), pl.String)}
        counted = {"entities": pl.Int64, "references": pl.Int64, "text": pl.String}
        return pl.DataFrame(rows, schema={**schema, **counted}, orient="row")

    def __iter__(self) -> Iterator[Trial]:
        """Iterate over the trials."""
        return iter(self.trials())

    def __len__(self) -> int:
        """Count the trials, which reads the corpus."""
        return sum(1 for _ in self.trials())

    def __getitem__(self, key: int | slice | str) -> Any:
        """Return the trial with an index or an id, or a list of trials for a slice."""
        if isinstance(key, str):
            chosen = next((t for t in self.trials() if t.id == key), None)
            if chosen is None:
                raise UnknownTrial(f"there is no trial {key!r}", where=self.name, remedy="ids are listed in .frame")
            return chosen
        if isinstance(key, int) and key >= 0:
            trial = next(islice(self.trials(), key, None), None)
            if trial is None:
                raise IndexError(f"the corpus {self.name} has no trial with index {key}")
            return trial
        return list(self.trials())[key]

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        title = self.card.title if self.card else ""
        part = self.source.part
        return f"Opened({self.name!r}{f': {title}' if title else ''}{f', only {part}' if part else ''})"

    def _repr_html_(self) -> str:
        """Return the card, and the first three trials as pictures."""
        from referee.show.drawing.trial_cards import make_trial_card
        from referee.show.pages import render

        cards = [make_trial_card(t) for t in islice(self.trials(), 3)]
        return render("notebook/cards.html", title=repr(self), citation=self.card and self.card.citation, cards=cards)

    @property
    def source(self) -> Source:
        """Return the properties of the corpus that a score's signature needs."""
        parts = {key: str(self.parameters[key]) for key in PARTS if self.parameters.get(key) is not None}
        cut = " seed ".join(parts[key] for key in ("split", "split_seed") if key in parts)
        listed = f"items {parts['items']}" if "items" in parts else ""
        return Source(
            corpus=_name_without_folder(self.name),
            reading=self.parameters.get("reading"),
            part=" and ".join(part for part in (cut, listed) if part) or None,
            # A card without sampling units leaves them open, which differs from "none".
            sampled=self.card.sampled if self.card is not None and self.card.sampled else None,
            is_named=self.name in catalogue.names("corpus"),
        )


def open_corpus(
    corpus: Any, data: Any = None, reading: str | None = None, split: str | None = None, seed: int = 1
) -> Opened:
    """Open a corpus for reading.

    Args:
        corpus: a catalogue name, a JSONL file, a run folder, a `Corpus`, or trials in memory.
        data: the folder of corpora, instead of that of REFEREE_DATA.
        reading: of TUNA: raw, true or challenge.
        split: a part of it, ``FIELD=VALUE`` or a named split such as ``challenge-80/20:test``.
        seed: of the split.

    Returns:
        An `Opened`, whose `trials` and `everyone` can be called repeatedly.

    Raises:
        UnknownName: for a name that is neither a file nor in the catalogue.
        InputError: for a reading or a split that the corpus does not have.

    >>> import referee
    >>> opened = referee.open_corpus("synthetic", split="domain=furniture")
    >>> {t.domain for t in opened.trials()}
    {'furniture'}
    """
    if isinstance(corpus, (str, Path)) and is_run(corpus):
        return _open_run(Run(corpus), reading, split, seed)
    name, source = _open_source(corpus, data, reading)
    whole = source.trials if isinstance(source, Corpus) else source
    part = whole if split is None else _select_part(whole, split, seed)
    # a corpus with several readings names its default reading
    parameters = {
        "reading": getattr(source, "reading", None) if reading is None else reading,
        "split": split,
        # A seed that was not used is no part of the signature.
        "split_seed": None if split is None else seed,
    }
    card = source.card if isinstance(source, Corpus) else None
    recorded = source.recorded if isinstance(source, HasRecorded) else None
    file = source.file if isinstance(source, JsonlCorpus) and split is None else None
    return Opened(
        name=name,
        trials=part,
        everyone=whole,
        card=card,
        parameters=parameters,
        recorded=recorded,
        file=file,
        read=read_corpus,
    )


def open_train_and_test(
    train: Any, test: Any, data: Any = None, reading: str | None = None, limit: int | None = None
) -> tuple[Opened, int]:
    """Return training and test trials as one corpus, and how many of its first trials are for training.

    Args:
        train: as `open_corpus`; of a challenge its XML.
        test: likewise; trials may have several references.
        data: the folder of corpora.
        reading: of TUNA.
        limit: at most this many test trials.

    Raises:
        DuplicateTrial: for an id that is in both.
    """
    first, second = (open_corpus(part, data, reading if _is_named(part) else None) for part in (train, test))
    training, tested = list(first.trials()), list(islice(second.trials(), limit))
    if shared := {t.id for t in training} & {t.id for t in tested}:
        raise DuplicateTrial(
            f"trial {min(shared)!r} is among the training and the test trials",
            where=second.name,
            remedy="take it out of one of them, or rename it",
        )
    trials = (*training, *tested)
    parameters = {**second.parameters, "train": first.name, "limit": limit}
    opened = Opened(
        name=second.name, trials=lambda: trials, everyone=lambda: trials, card=second.card, parameters=parameters
    )
    return opened, len(training)


def _is_named(corpus: Any) -> bool:
    return str(corpus) in catalogue.names("corpus")


def find_trial(corpus: Any, trial: str | None = None, data: Any = None) -> Trial:
    """Return a trial of a corpus by its id; without an id, the first trial.

    Where there is none of that name the first three are named.
    """
    opened = open_corpus(corpus, data=data)
    match = next((t for t in opened.trials() if trial is None or t.id == trial), None)
    if match is None:
        some = ", ".join(t.id for t in islice(opened.trials(), 3))
        raise UnknownTrial(f"there is no trial {trial!r}", where=opened.name, remedy=f"trials are called {some} …")
    return match


def _name_without_folder(name: str) -> str:
    """Return a name without its folder: citations name the file, wherever it is.

    The checksum identifies its content.
    """
    parts = [part for part in re.split(r"[/\\]", name) if part]
    return parts[-1] if len(parts) > 1 and name not in catalogue.names("corpus") else name


def _open_run(run: Run, reading: str | None, split: str | None, seed: int) -> Opened:
    """Return the trials of a run, under the name and with the facts of the corpus they came from."""
    if reading is not None:
        raise InputError(
            "--reading has no effect on a run, whose trials were read when it was made",
            where=run.folder,
            remedy="leave --reading out",
        )
    # Counts and checksum belong to the run that was written; another run recomputes them.
    facts = {k: v for k, v in run.manifest.get("corpus", {}).items() if k not in ("trials", "checksum", "run")}
    name = str(facts.pop("name", run.folder))
    entry = catalogue.KINDS["corpus"].get(name)
    # From the class: scoring a run again must not need the corpus itself.
    card = getattr(catalogue.load("corpus", name), "card", None) if entry else None
    part = run.trials if split is None else _select_part(run.trials, split, seed)
    chosen = {} if split is None else {"split": split, "split_seed": seed}
    return Opened(
        name=name,
        trials=part,
        everyone=run.trials,
        card=card if isinstance(card, Card) else None,
        parameters={**facts, "run": str(run.folder), **chosen},
        file=run.folder / "trials.jsonl" if split is None else None,
    )


def _open_source(corpus: Any, data: Any, reading: str | None) -> tuple[str, Any]:
    """Return name and corpus object of what the user gave.

    Raises InputError or UnknownName if there is none.
    """
    if isinstance(corpus, (str, Path)):
        # A catalogue name wins over a file that happens to be called the same.
        is_named = str(corpus) in catalogue.names("corpus")
        if not is_named and reading is not None and Path(corpus).exists():
            raise InputError(
                "--reading is for TUNA; files have one reading", where=corpus, remedy="leave --reading out"
            )
        if not is_named and (is_address(corpus) or Path(corpus).exists()):
            _refuse_parquet(corpus)
            is_jsonl_folder = (Path(corpus) / "trials.jsonl").is_file()
            if (Path(corpus).is_dir() and not is_jsonl_folder) or str(corpus).lower().endswith((".xml", ".zip")):
                from referee.corpora import challenge_xml

                return str(corpus), partial(challenge_xml.read_trials, corpus)
            if str(corpus).lower().endswith((*SEPARATED, *SHEETS)):
                from referee.corpora.natives.described import read_trials_of_table

                trials_of_table = read_trials_of_table(corpus)
                return str(corpus), lambda: trials_of_table
            return str(corpus), JsonlCorpus(corpus)
        if not is_named and _is_file_name(str(corpus)):
            raise _make_missing_file_error(Path(corpus))
        return str(corpus), _open_from_catalogue(str(corpus), data, reading)
    if isinstance(corpus, Corpus):
        return corpus.card.name, corpus
    if isinstance(corpus, Opened):
        return corpus.name, corpus.trials
    # A tuple, since a generator could be read only once.
    trials = tuple(corpus) if isinstance(corpus, Iterable) else None
    if trials is None or not all(isinstance(trial, Trial) for trial in trials):
        raise InputError(
            f"a corpus cannot be of type {type(corpus).__name__}" if trials is None else "these are not trials",
            remedy="give a name of `referee list corpora`, a JSONL file, a run folder, or a list of referee.Trial",
        )
    return "trials", lambda: trials


def _refuse_parquet(corpus: str | Path) -> None:
    """Raise InputError for a corpus in Parquet, which stores flat tables."""
    if str(corpus).lower().endswith(".parquet"):
        raise InputError(
            "a corpus cannot be a Parquet table, because a trial holds a scene",
            where=corpus,
            remedy="write one trial per line as JSON (`referee corpus schema` prints the form); outputs may be Parquet",
        )


def _is_file_name(name: str) -> bool:
    return bool(re.search(r"[/\\]|\.(jsonl?|csv|tsv|xml|parquet)(\.gz)?$", name.lower()))


def _make_missing_file_error(path: Path) -> InputError:
    """Return the error for a missing file, with a similar name if there is one."""
    beside = sorted(p.name for p in path.parent.iterdir() if p.is_file()) if path.parent.is_dir() else []
    meant = find_similar_names(path.name, beside, 1)
    remedy = "give a corpus as JSONL (`referee docs corpora`), a run folder, or a name of `referee list corpora`"
    return InputError("there is no such file", where=path, remedy=f"did you mean {meant[0]}?" if meant else remedy)


def _open_from_catalogue(name: str, data: Any, reading: str | None) -> Any:
    """Return a corpus of the catalogue. Raises InputError for a reading that it lacks."""
    accepted = call_signature(catalogue.load("corpus", name)).parameters
    if reading is not None and "reading" not in accepted:
        raise InputError(f"the corpus {name!r} has no readings", remedy="leave --reading out")
    # Passed on only if given: the corpus has its own default.
    options: dict[str, Any] = {}
    if data is not None and "data" in accepted:
        options["data"] = data
    if reading is not None:
        options["reading"] = reading
    return catalogue.create("corpus", name, **options)


def _select_part(whole: Callable[[], Iterable[Trial]], split: str, seed: int) -> Callable[[], Iterator[Trial]]:
    """Return the trials that meet ``FIELD=VALUE`` conditions, or those of a part such as ``challenge-80/20:test``."""
    if "=" not in split:
        from referee.corpora.splits import get_part

        name, _, which = split.partition(":")
        return lambda: iter(get_part(whole(), name, which or "test", seed))
    conditions = [item.partition("=")[::2] for item in split.split(",")]
    fields = ("domain", "condition", "speaker", "scene", "language", "id")
    for name, _ in conditions:
        if name not in fields:
            meant = "".join(f"did you mean {field}? " for field in find_similar_names(name, fields, 1))
            raise InputError(
                f"cannot choose trials by {name!r}",
                remedy=f"{meant}--split takes one of {', '.join(fields)} with =VALUE",
            )
    return lambda: _filter_trials(whole, conditions)


def _filter_trials(whole: Callable[[], Iterable[Trial]], conditions: Sequence[tuple[str, str]]) -> Iterator[Trial]:
    """Yield the trials that meet all conditions.

    Raise InputError for a value that no trial has, with the values there are.
    """
    met = 0
    for trial in whole():
        if all(_get_field(trial, name) == value for name, value in conditions):
            met += 1
            yield trial
    if met:
        return
    for name, value in conditions:
        values = dict.fromkeys(v for t in whole() if (v := _get_field(t, name)) is not None)
        if value not in values:
            meant = find_similar_names(value, values, 1) or [f for f in values if f.lower() == value.lower()]
            some = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(islice(values, 5))} …"
            remedy = some if values else f"leave {name} out of --split: no trial of this corpus has one"
            raise InputError(f"no trial has {name}={value}", remedy=remedy)


def select_items(opened: Opened, ids: str | Path | Iterable[str]) -> Opened:
    """Return the corpus reduced to some ids, given as a list or as a file with one id per line.

    An id that the corpus does not have is an error with its line.
    """
    if isinstance(ids, (str, Path)):
        where, lines = str(ids), list(read_lines(ids))
    else:
        where, lines = "the list of items", list(enumerate(map(str, ids), 1))
    lines_by_id = {name: line for line, name in reversed(lines)}
    if not lines_by_id:
        raise InputError("the file has no ids", where=where, remedy="write one id of a trial on each line")

    def chosen() -> Iterator[Trial]:
        """Yield the listed trials. Raises UnknownTrial if one is not in the corpus."""
        left = dict(lines_by_id)
        for trial in opened.trials():
            if left.pop(trial.id, None) is not None:
                yield trial
        if left:
            name, line = min(left.items(), key=lambda item: item[1])
            raise UnknownTrial(
                f"trial {name!r} is not in the corpus or the chosen part of it",
                where=where,
                line=line,
                remedy="check --corpus, --reading and --split, or take the id out of the list",
            )

    listed = f"{len(lines_by_id)}-{digest(chr(10).join(sorted(lines_by_id)))[:8]}"
    return replace(opened, trials=chosen, file=None, parameters={**opened.parameters, "items": listed})


def _get_field(trial: Trial, name: str) -> str | None:
    return trial.scene.id if name == "scene" else getattr(trial, name)


class Answers:
    """The outputs of systems, by system and trial, with counts of problems by system and kind."""

    def __init__(self, lenient: bool = False) -> None:
        self.lenient = lenient
        self.by_system: dict[str, OutputsOfSystem] = {}
        self.problems: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.notes: list[str] = []
        # Systems of a run: there an empty answer is a fact, in a user's file it is more likely a mistake.
        self.silence_allowed: set[str] = set()
        # Whether nothing is known by its place in a file alone.
        self.is_read = True

    def add(self, output: Output) -> None:
        """Add one output; a second output for the same trial is an error, or counted and dropped."""
        outputs = self.outputs_of(output.system)
        if not outputs.add(output):
            self.trouble(output.system, "duplicate", lambda: self._duplicate_error(output, outputs[output.trial]))

    def add_unread(self, entry: IndexedOutput, where: str, default: str) -> None:
        """Add the byte range of an output in a file, with the `default` system if it names none."""
        trial, system, start, end, line = entry
        outputs = self.outputs_of(system or default)
        self.is_read = False
        if trial is not None and not outputs.add_unread(trial, where, line, start, end):
            output = Output(trial, outputs.system, UNREAD, where, line)
            self.trouble(output.system, "duplicate", lambda: self._duplicate_error(output, outputs[trial]))

    def outputs_of(self, system: str) -> OutputsOfSystem:
        """Return the outputs of a system, none at first."""
        outputs = self.by_system.get(system)
        if outputs is None:
            outputs = self.by_system[system] = OutputsOfSystem(system)
        return outputs

    def _duplicate_error(self, output: Output, first: Output) -> DuplicateTrial:
        """Return the error for two outputs of one trial."""
        place = f"{first.where}:{first.line}" if first.line else first.where
        return DuplicateTrial(
            f"{output.system} answers trial {output.trial!r} twice (first at {place})",
            where=output.where,
            line=output.line,
            remedy="; ".join(["keep one line per system and trial", *self._find_notes(output.where)]),
        )

    def _find_notes(self, where: str) -> list[str]:
        """Return the notes about a file: a misspelt `system` field assigns all its lines to one system."""
        return [note for note in self.notes if note.startswith(f"{where}:")] if not self.lenient else []

    def trouble(self, system: str, kind: str, error: Callable[[], InputError]) -> None:
        """Raise the error, or in lenient mode count it (the first of each kind is stored as a note)."""
        if not self.lenient:
            raise error()
        # A file with one mistake in every line would otherwise fill the screen.
        if not self.problems[system][kind]:
            self.notes.append(str(error()))
        self.problems[system][kind] += 1

    def leave_out(self, ids: Set[str], corpus: Callable[[], Iterable[Trial]]) -> None:
        """Drop outputs for trials of the corpus that were not selected, and note how many there were."""
        if all(outputs.keys() <= ids for outputs in self.by_system.values()):
            return
        elsewhere = {t.id for t in corpus()} - ids
        aside = 0
        for system, outputs in self.by_system.items():
            remaining = outputs.without(elsewhere)
            aside += len(outputs) - len(remaining)
            self.by_system[system] = remaining
        if aside:
            self.notes.append(f"{aside:,} answers are to trials outside the chosen part, and are left out")

    def check_complete(self, ids: Set[str]) -> None:
        """Raise an error unless every system has exactly one output per trial of the corpus."""
        for system, outputs in self.by_system.items():
            # In the order of the file: the same error is reported with the same line every time.
            for trial in [trial for trial in outputs if trial not in ids]:
                self.trouble(system, "unknown", partial(_make_unknown_trial_error, outputs, trial))
        for system, outputs in self.by_system.items():
            # In lenient mode they are counted later, with the table; so are the trials that a system of a run had nothing to say about.
            may_miss = self.lenient or system in self.silence_allowed
            missing = [] if may_miss else [i for i in ids if i not in outputs]
            if missing:
                raise MissingOutputs(
                    f"{system} answers {len(outputs)} of {len(ids)} trials; {min(missing, key=make_natural_sort_key)!r} is the first one missing",
                    where=next(iter(outputs.values())).where if outputs else "",
                    remedy="answer every trial, choose a part with --split, or use --lenient to score the existing ones",
                )

    def check_content(self, system: str, trials: Iterable[Trial]) -> None:
        """Raise an error for (or count) empty answers and properties that no entity of the scene has.

        Outputs of a run are not checked.
        """
        if system not in self.by_system:
            return
        outputs, may_be_silent = self.by_system[system], system in self.silence_allowed
        for trial in trials:
            description = outputs.description(trial.id)
            if description is None or outputs.response(trial.id) is not None:
                continue  # a place is no description
            if not may_be_silent and is_empty_answer(description):
                self.trouble(system, "empty", partial(_make_empty_output_error, outputs, trial.id))
            outside = None if may_be_silent else find_foreign_property(description, trial.scene)
            if outside is not None:
                self.trouble(system, "outside", partial(_make_foreign_property_error, outputs, trial, outside))

    def part(self, ids: Sequence[str]) -> AnswersPart:
        """Return the outputs for some trials, for transfer to a worker."""
        read: list[Output] = []
        unread: dict[tuple[str, str], list[LineRange]] = defaultdict(list)
        for system_outputs in self.by_system.values():
            outputs, lines = system_outputs.part(ids)
            read += outputs
            for path, ranges in lines.items():
                # System by system where a line that cannot be read is counted for its system.
                unread[path, system_outputs.system if self.lenient else ""] += ranges
        files = [(FileLines.of(path, ranges), system) for (path, system), ranges in unread.items()]
        return AnswersPart(tuple(self.by_system), read, files, self.lenient, frozenset(self.silence_allowed))

    @classmethod
    def of(cls, outputs: Iterable[Output], lenient: bool = False) -> Answers:
        """Return the answers in some outputs."""
        answers = cls(lenient)
        for output in outputs:
            answers.add(output)
        return answers


@dataclass(frozen=True, slots=True)
class AnswersPart:
    """The outputs for some trials: those already read, and the file lines of the others."""

    systems: tuple[str, ...]
    outputs: Sequence[Output]
    files: Sequence[tuple[FileLines, str]]
    lenient: bool
    silence_allowed: frozenset[str]

    def read(self) -> Answers:
        """Read the outputs that are still unread, and return all of them."""
        answers = Answers(self.lenient)
        answers.by_system = {system: OutputsOfSystem(system) for system in self.systems}
        answers.silence_allowed = set(self.silence_allowed)
        for output in self.outputs:
            answers.add(output)
        for lines, system in self.files:
            _read_file(answers, lines, system=system)
        return answers

    def carried(self) -> AnswersPart:
        """Return the outputs with the content of their file lines."""
        return replace(self, files=[(_load_lines(lines), system) for lines, system in self.files])


def _load_lines(part: FileLines) -> FileLines:
    return serialise_rows(part) if is_parquet(part) else part.carried()


def is_empty_answer(description: Description) -> bool:
    """Return whether a description has neither words nor properties, although the system answered."""
    has_content = (
        bool(description.properties) or description.meaning is not None or description.distribution is not None
    )
    return not has_content and not (description.text or "").strip()


def find_foreign_property(description: Description, scene: Scene) -> Property | None:
    """Return the first property that no entity of the scene has; None for a scene without entities."""
    extensions = scene.extensions
    if description.meaning is not None:
        return first_unknown(description.meaning, scene) if extensions else None
    for prop in (description.properties or ()) if extensions else ():
        # A landmark is an entity of the scene as well, and a negated value is a property: both are looked up without
        # the prefix.
        if prop not in extensions and prop._replace(name=_PREFIXES.sub("", prop.name)) not in extensions:
            return prop
    return None


def _return_value(problem: InputError) -> InputError:
    return problem


def _make_unknown_trial_error(outputs: OutputsOfSystem, trial: str) -> UnknownTrial:
    """Return the error for an output of an unknown trial."""
    output = outputs[trial]
    return UnknownTrial(
        f"{output.system} answers trial {output.trial!r}, which is not in the corpus or the chosen part of it",
        where=output.where,
        line=output.line,
        remedy="check --corpus, --reading and --split, or use --lenient to leave such answers out",
    )


def _make_empty_output_error(outputs: OutputsOfSystem, trial: str) -> InvalidDescription:
    """Return the error for an empty output."""
    output = outputs[trial]
    return InvalidDescription(
        f"the answer to trial {output.trial!r} is empty",
        where=output.where,
        line=output.line,
        remedy="leave the line out if the system failed there, or use --lenient to score it as an empty description",
    )


def _make_foreign_property_error(outputs: OutputsOfSystem, trial: Trial, prop: Property) -> InvalidDescription:
    """Return the error for a property that no entity has, with a suggestion."""
    output, meant = outputs[trial.id], _guess_property(prop, trial.scene)
    hint = f"did you mean {meant}? " if meant else ""
    return InvalidDescription(
        f"trial {output.trial!r}: no entity of the scene has {prop.name}:{prop.value}",
        where=output.where,
        line=output.line,
        remedy=f"{hint}use names and values of the scene, or --lenient to keep it and count it",
    )


def _guess_property(prop: Property, scene: Scene) -> Property | None:
    """Return the property of the scene that was probably meant: one that differs by a letter or in case."""
    bare_property = prop._replace(name=LANDMARKS.sub("", prop.name))
    names = list(dict.fromkeys(p.name for p in scene.extensions))
    name = (
        bare_property.name
        if bare_property.name in names
        else next(iter(find_similar_names(bare_property.name, names, 1, 0.7)), None)
    )
    values = [p.value for p in scene.extensions if p.name == name]
    value = (
        bare_property.value
        if bare_property.value in values
        else next(iter(find_similar_names(bare_property.value, values, 1, 0.6)), None)
    )
    return None if name is None or value is None else Property(name, value)


@runtime_checkable
class HasRecorded(Protocol):
    """A corpus with recorded model answers."""

    def recorded(self, prose: bool = False) -> Iterable[Output]: ...


RECORDED = "recorded:"


def open_outputs(outputs: Any, lenient: bool = False, opened: Opened | None = None, *, index: bool = False) -> Answers:
    """Return answers from a file, several files, a run folder, rows in memory, or (``recorded:CORPUS``) the opened
    corpus.

    With `index`, line-based files are only indexed: byte ranges suffice for `Answers.part`.
    """
    answers = Answers(lenient)
    for source in _list_sources(outputs, answers.notes.append):
        if str(source).startswith(RECORDED) and not Path(str(source).removeprefix(RECORDED)).exists():
            for output in _read_recorded(str(source).removeprefix(RECORDED), opened):
                answers.add(output)
        elif isinstance(source, (str, Path)):
            _read_file(answers, str(source).removeprefix(RECORDED), index)
        else:
            answers.add(source)
    if not answers.by_system:
        raise InputError("there are no outputs to score", remedy="name at least one file with outputs")
    return answers


def _read_recorded(written: str, opened: Opened | None) -> Iterable[Output]:
    """Yield the answers that a corpus includes.

    ``|prose:yes`` adds a second version of each system with places extracted from its texts.
    """
    name, *switches = written.split("|")
    if not set(switches) <= {"prose:yes", "prose:no"}:
        raise InputError(f"{written!r} has a switch that recorded answers do not", remedy="the one switch is prose:yes")
    if opened is None or opened.name != name or opened.recorded is None:
        is_scored = opened is not None and opened.name == name
        what = "has no recorded answers" if is_scored else "is not the corpus that is scored"
        raise InputError(f"{name!r} {what}", remedy=f"name the corpus as well: recorded:{name} --corpus {name}")
    return opened.recorded(prose="prose:yes" in switches)


def _read_file(answers: Answers, path: str | Path | FileLines, index: bool = False, system: str = "") -> None:
    """Read or index one file's outputs.

    In lenient mode unreadable lines are counted for `system`, or the file's name.
    """
    problems: list[InputError] = []
    is_part = isinstance(path, FileLines)
    run = not is_part and is_run(str(path))
    source = Path(str(path)) / "outputs.jsonl" if run else path
    before, read = set(answers.by_system), 0

    def outputs_of(source: str | Path | FileLines) -> Iterator[Output]:
        on_problem = {"on_problem": problems.append} if answers.lenient else {}
        return read_outputs(source, on_remark=answers.notes.append, **on_problem)

    if index and not is_part and has_index(str(source)):
        where, default = str(source), make_default_name(source)
        for entry in index_outputs(where):
            read += 1
            if entry.trial is not None:
                answers.add_unread(entry, where, default)
                continue
            for output in outputs_of(FileLines(where, (LineRange(entry.start, entry.end, entry.line),))):
                answers.add(output)
    else:
        for output in outputs_of(source):
            answers.add(output)
            read += 1
    if not read and not problems and not is_part:
        raise InputError(
            "there are no outputs in this file", where=source, remedy="write one answer per line (`referee docs score`)"
        )
    added = [s for s in answers.by_system if s not in before]
    if run:
        answers.silence_allowed.update(added)  # a run's outputs are used unchanged, including empty ones
    system = system or (added[0] if len(added) == 1 else drop_endings(str(path)))
    for problem in problems:
        # A system none of whose lines can be read is still in the table, with nothing but its problems.
        answers.outputs_of(system)
        answers.trouble(system, "unparsable", partial(_return_value, problem))


def expand_outputs(path: str | Path) -> list[str]:
    """Return the files of a name of outputs: a pattern, a folder of Parquet tables, or the one file or run folder."""
    if str(path) == "-" or str(path).startswith(RECORDED) or is_run(path):
        return [str(path)]
    files = expand_path(path)
    if files == [str(path)] and not is_address(path) and Path(path).is_dir():
        _check_folder(Path(path))
    return files


def _check_folder(folder: Path) -> None:
    """Raise InputError unless a folder of outputs has XML files.

    Parquet files and run folders were checked before.
    """
    names = sorted(path.name for path in folder.rglob("*") if path.is_file())
    if any(name.lower().endswith(".xml") for name in names):
        return
    lines = [name for name in names if name.lower().endswith((".jsonl", ".jsonl.gz", ".csv", ".tsv"))]
    raise InputError(
        "this folder is not a run folder and has no Parquet or XML files",
        where=folder,
        remedy=f"name its files of outputs instead, such as {folder / lines[0]}" if lines else "name a file of outputs",
    )


def _list_sources(outputs: Any, on_remark: Callable[[str], None]) -> Iterator[Any]:
    """Yield files or rows of the given outputs. Raises InputError for other objects."""
    if isinstance(outputs, (str, Path)):
        yield from expand_outputs(outputs)
        return
    rows = convert_to_rows(outputs)
    if isinstance(rows, Mapping) or not isinstance(rows, (Sequence, Iterable)):
        raise InputError(
            "outputs are neither a file nor rows",
            remedy='give a path or rows like {"trial": …, "system": …, "text": …}',
        )
    for row in iterate_row_outputs(rows, on_remark):
        if isinstance(row, (str, Path)):
            yield from expand_outputs(row)
        else:
            yield row
