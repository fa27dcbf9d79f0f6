"""One system heard on one part of a corpus: built by name, trained on other trials, asked trial by trial.

A speaker gets the view of a trial. A realiser alone (task TUNA-R of the 2008 challenge) gets the properties that the human speaker of the trial chose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.capabilities import KeepsAccount, Remembers, SignsCalls, WritesBatches, answer_in_parallel
from referee.contracts import Speaker
from referee.errors import InputError, MissingExtra, RefereeError, UnknownName
from referee.jobs.words_heard import find_language, read_back
from referee.models.batch_files import BatchFile
from referee.realisation.reading_back import ReadBack
from referee.records import Description, SpeakerView, Trial

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class System:
    """A system as a user writes it: ``NAME``, ``NAME|option:value|…``, or with a label, ``LABEL=NAME|…``."""

    label: str
    written: str

    @classmethod
    def read(cls, text: str) -> System:
        """Return a system from its text."""
        name, bar, switches = text.partition("|")
        # Looked for before the first bar only: values of switches may have one.
        label, equals, real = name.partition("=")
        if equals:
            return cls(label.strip(), f"{real.strip()}{bar}{switches}")
        # A label names the output, which neither rate limits nor folders of a FILE.py change.
        short = name.rpartition("/")[2] if ".py:" in name else name
        return cls(catalogue.drop_pace_options("system", f"{short}{bar}{switches}"), text)

    def build(self, seed: int = 1) -> Any:
        """Return a new, untrained system; random ones are seeded by the run, unless an option overrides it."""
        return catalogue.configure("system", self.written, seed)


def parse_systems(texts: Iterable[str]) -> tuple[System, ...]:
    """Return systems from names, names with options, and prefixes (``tuna2008-as`` stands for all that begin so)."""
    catalogue_names = catalogue.names("system")
    systems: list[System] = []
    for text in texts:
        group = [n for n in catalogue_names if n.startswith(f"{text.rstrip('/*')}/")]
        systems += [System.read(name) for name in group or [text]]
    systems = list(dict.fromkeys(systems))
    for system in systems:
        _check_name(system, catalogue_names)
    if not systems:
        raise InputError("no system is named", remedy="see `referee list systems`")
    # Outputs and parts of a run go by label.
    if len({s.label for s in systems}) < len(systems):
        raise InputError("two systems have the same label", remedy="give each a different label: LABEL=NAME|…")
    return tuple(systems)


def repeat_sampled(systems: Sequence[System], samples: int) -> tuple[System, ...]:
    """Return each random system `samples` times, labelled ``LABEL#1``, ``LABEL#2`` …, and the others once."""
    if samples == 1:
        return tuple(systems)
    expanded: list[System] = []
    for system in systems:
        if getattr(system.build(), "sample", None) is None:
            expanded.append(system)
        else:
            expanded += [System(f"{system.label}#{n}", f"{system.written}|sample:{n}") for n in range(1, samples + 1)]
    return tuple(expanded)


def _check_name(system: System, catalogue_names: list[str]) -> None:
    """Raise UnknownName for an unknown system, or an error for wrong options."""
    name = system.written.partition("|")[0]
    if name not in catalogue_names and ":" not in name:
        groups = dict.fromkeys(n.partition("/")[0] for n in catalogue_names)
        raise UnknownName("system", name, [*catalogue_names, *groups])
    # Built once for nothing: switches are wrong now, or not at all.
    built = system.build()
    if not any(callable(getattr(built, method, None)) for method in ("describe", "realise")):
        raise InputError(f"{name} has no describe", remedy="a system has fit(trials) and describe(view)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """The descriptions of a system, by trial (only trials with an answer), and counts of outcomes."""

    descriptions: tuple[tuple[str, Description], ...]
    counts: dict[str, float]


@dataclass(slots=True, kw_only=True)
class Trained:
    """A trained system with readers of its words; it may be asked repeatedly."""

    system: System
    thing: Any
    train: Sequence[Trial]
    readers: dict[str, ReadBack] = field(default_factory=dict)

    def reader(self, view: SpeakerView) -> ReadBack:
        """Return the reader of a language, made on first use."""
        if view.language not in self.readers:
            same = (t for t in self.train if t.language == view.language)
            self.readers[view.language] = ReadBack(find_language(self.thing, view), same)
        return self.readers[view.language]


def train_system(
    system: System,
    train: Sequence[Trial],
    seed: int = 1,
    calls: Path | None = None,
    offline: bool = False,
    batch: BatchFile | None = None,
) -> Trained:
    """Return a fresh system, trained; errors name it.

    A speaker that keeps its calls (a language model) keeps them in the folder `calls`; offline it answers from there alone. With a `batch` it writes its
    questions there instead of asking them.
    """
    try:
        thing = system.build(seed)
        if isinstance(thing, SignsCalls):
            thing.asker = system.label
        if calls is not None and isinstance(thing, Remembers):
            thing.remember(calls, offline)
        if batch is not None and isinstance(thing, WritesBatches):
            thing.write_to(batch)
        thing.fit(train)
    except MissingExtra:
        raise
    except Exception as error:
        raise name_system_in_error(error, f"{system.label} cannot be trained") from error
    return Trained(system=system, thing=thing, train=train)


def describe_trials(trained: Trained, test: Sequence[Trial], advance: Advance = lambda n: None) -> Spoken:
    """Let a trained system describe trials that it was not trained on."""
    thing, descriptions = trained.thing, []
    before = dict(thing.account()) if isinstance(thing, KeepsAccount) else {}
    for trial, description in zip(test, _collect_descriptions(trained.system, thing, test, advance), strict=True):
        if any(x is not None for x in (description.properties, description.text, description.distribution)):
            descriptions.append((trial.id, description))
    account = dict(thing.account()) if isinstance(thing, KeepsAccount) else {}
    counts = {
        "trials": len(test),
        "answered": len(descriptions),
        "silent": len(test) - len(descriptions),
        **_count_misheard(descriptions, trained, test),
    }
    # Our own counts come last: an account must not replace how many trials there were.
    spent = {name: number - before.get(name, 0) for name, number in account.items()}
    return Spoken(descriptions=tuple(descriptions), counts={**spent, **counts})


def _count_misheard(
    descriptions: Sequence[tuple[str, Description]], trained: Trained, test: Sequence[Trial]
) -> dict[str, int]:
    """Return the number of descriptions whose words omit a chosen property or are false of a target.

    Empty without words.
    """
    views = {t.id: t.for_speaker() for t in test}
    worded = [(views[i], d) for i, d in descriptions if d.text and d.properties is not None]
    if not worded:
        return {}
    heard = [read_back(description, view, trained.reader(view)) for view, description in worded]
    return {"dropped": sum(bool(h.dropped) for h in heard), "false": sum(bool(h.false) for h in heard)}


def _collect_descriptions(system: System, thing: Any, test: Sequence[Trial], advance: Advance) -> Iterator[Description]:
    """Yield the descriptions of trials in their order.

    A speaker that waits for others (`parallel`) is asked several at once.
    """

    def answer(trial: Trial) -> Description:
        """Return the description of a trial. Raises an error that names system and trial."""
        try:
            return _describe_trial(thing, trial)
        except Exception as error:
            raise name_system_in_error(error, f"{system.label} failed at trial {trial.id!r}") from error

    for description in answer_in_parallel(thing, answer, test):
        yield description
        advance(1)


def _describe_trial(thing: Any, trial: Trial) -> Description:
    """Return a system's description of a trial."""
    view = trial.for_speaker()
    if isinstance(thing, Speaker):
        return thing.describe(view)
    # The one place where a system gets something a person said: it is the input of the task.
    properties = next((r.properties for r in trial.references if r.properties is not None), None)
    return (
        Description()
        if properties is None
        else Description(properties=properties, text=thing.realise(properties, view))
    )


def name_system_in_error(error: Exception, what: str) -> InputError:
    """Return any error as an InputError that names the system and can be sent between processes."""
    # Always a new error of ours: one of a plug-in may not survive the way from another process.
    if isinstance(error, InputError):
        return InputError(f"{what}: {error.problem}", where=error.where, line=error.line, remedy=error.remedy)
    if isinstance(error, RefereeError):
        return InputError(f"{what}: {error}")
    return InputError(
        f"{what} ({type(error).__name__}: {error})",
        remedy="this is an error of the system; outputs of other systems are stored, and the same command resumes the run",
    )
