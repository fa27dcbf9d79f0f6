"""A corpus as lines of JSON or as challenge XML: trials, human descriptions as if they were a system's outputs, or listeners' responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from referee import catalogue
from referee.cli.corpora import create
from referee.cli.progress import counting
from referee.errors import CannotWrite, InputError
from referee.records import Description, Trial


def spoken_by(trials: Iterable[Trial], speakers: str | None) -> Iterator[Trial]:
    """The trials of some speakers; none at all is a mistake worth stopping for."""
    names = None if speakers is None else {s.strip() for s in speakers.split(",")}
    empty = True
    for trial in trials:
        if names is None or trial.speaker in names:
            empty = False
            yield trial
    # At the end, since trials stream: a file with nothing in it would be found out much later.
    if empty:
        raise InputError("no trial is left to export", remedy="check --speaker and --split")


def trial_lines(trials: Iterable[Trial]) -> Iterator[str]:
    from referee.corpora.jsonl import json_line, trials_to_json

    return map(json_line, trials_to_json(trials))


def output_lines(trials: Iterable[Trial], system: str | None) -> Iterator[str]:
    from referee.corpora.jsonl import json_line
    from referee.corpora.outputs import output_to_json

    for trial in trials:
        seen: Counter[str] = Counter()
        for reference in trial.references:
            name = system or _human(reference, trial)
            seen[name] += 1
            if seen[name] > 1:  # two people, or one twice, under one name: a system answers a trial once
                name = f"{name}-{seen[name]}"
            yield json_line(output_to_json(trial.id, name, reference))


def _human(reference: Description, trial: Trial) -> str:
    speaker = reference.speaker or trial.speaker
    return f"human-{speaker}" if speaker else "human"


def response_lines(name: str, data: Path | None, trial_ids: set[str]) -> Iterator[str]:
    from referee.corpora.jsonl import JsonlCorpus, json_line, response_to_json

    corpus = create(name, data) if name in catalogue.names("corpus") else JsonlCorpus(name)
    count = 0
    for response in counting(corpus.responses(), f"{name}: responses"):
        if response.trial in trial_ids:
            count += 1
            yield json_line(response_to_json(response))
    if not count:
        raise InputError(
            f"{name} has no responses of listeners to these trials", remedy="see `referee corpora` for those that have"
        )


def write_xml(trials: Iterable[Trial], out: str) -> None:
    from referee.corpora.challenge_xml import write_trials

    if out == "-":
        raise CannotWrite(
            "XML goes to a file or a folder",
            remedy="name one: --out trials.xml (one file) or --out trials (a file per trial)",
        )
    write_trials(trials, out)


def write_pictures(trials: Iterable[Trial], out: str, outlines: bool) -> None:
    from referee.corpora.pictured import write_pictured

    if out == "-":
        raise CannotWrite("pictures go into a folder", remedy="name one: --out drawn")
    count, pictures = write_pictured(out, trials, outlines)
    print(f"{count:,} trials on {pictures:,} pictures in {out}")
