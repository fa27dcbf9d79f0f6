"""`referee corpus`.

The card of a corpus, its trials as files, its splits, installing one, and synthetic ones of any size.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Annotated, Any

import typer

from referee import catalogue
from referee.cli import find_page_width, options
from referee.cli.corpora import create_corpus, find_corpus_folder, find_folder
from referee.cli.help_page import wrap_words
from referee.cli.progress import show_download, show_progress
from referee.contracts import Card
from referee.corpora.clusters import FACTORS, describe_sampling, get_cluster
from referee.errors import CannotWrite, DataNotFound, InputError
from referee.files import write_atomically
from referee.jobs.open import open_corpus
from referee.records import Description, Response, Trial

app = options.make_app(no_args_is_help=True, help=__doc__)

Name = Annotated[str, typer.Argument(help="A corpus by name (referee corpora).", show_default=False)]
Out = Annotated[str, typer.Option("--out", "-o", help="File to write, - for standard output.", show_default=False)]
SHAPES = ("trials", "outputs", "responses", "challenge-xml", "pictures")


# -- card ------------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus card tuna --reading challenge

  referee corpus card colors --format json

The counts come from reading the corpus now. Without the data, the card has no counts and says which files are missing.
""")
)
def card(
    name: Name,
    data: options.Data = None,
    reading: options.Reading = None,
    form: options.TextOrJson = "text",
) -> int:
    """Print the facts to know before quoting a number from a corpus: source, licence, checksum, counts, known faults."""
    options.check_form(form)
    facts = read_card(name, data, reading)
    if form == "json":
        print(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        print_card(facts)
    return 0


# -- export ----------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus export tuna --reading challenge --out tuna.jsonl

  referee corpus export tuna --as outputs --speaker 101 --out human-101.jsonl     one speaker, to be scored against the others

  referee corpus export tuna --split challenge-80/20:test --seed 7 --out test.jsonl

  referee corpus export tuna --split speaker=101 --as challenge-xml --out trials-101

  referee corpus export tuna --split domain=furniture --as pictures --out drawn     every scene as a PNG, with regions: a corpus for what sees

  referee corpus export degen2020 --as responses --out - | head
""")
)
def export(
    name: Annotated[
        str, typer.Argument(help="A corpus by name, a JSONL file of trials or a run folder.", show_default=False)
    ],
    out: Out,
    shape: Annotated[str, typer.Option("--as", help=", ".join(SHAPES))] = "trials",
    data: options.Data = None,
    reading: options.Reading = None,
    speaker: Annotated[str | None, typer.Option(help="Only these speakers (comma-separated).")] = None,
    split: Annotated[
        str | None,
        typer.Option(help="A part: speaker=101, domain=people, challenge-80/20:test, speaker-fold-1/5:test."),
    ] = None,
    seed: options.Seed = 1,
    system: Annotated[str | None, typer.Option(help="Name for --as outputs (default: human-SPEAKER).")] = None,
    outlines: Annotated[
        bool, typer.Option("--outlines", help="With --as pictures: regions are masks of pixels, not bounding boxes.")
    ] = False,
) -> int:
    """Write a corpus, or a part of it, in Referee's own form, as an outputs file, as the challenges' XML, or drawn as pictures."""
    if shape not in SHAPES:
        raise InputError(f"cannot export as {shape!r}", remedy=f"--as is one of {', '.join(SHAPES)}")
    opened = open_corpus(name, data=data, reading=reading, split=split, seed=seed)
    chosen = select_speakers(show_progress(opened.trials(), f"{opened.name}: trials"), speaker)
    if shape == "challenge-xml":
        write_xml(chosen, out)
    elif shape == "pictures":
        write_pictures(chosen, out, outlines)
    elif shape == "responses":
        # All ids first: responses are read in a pass of their own, in their own order.
        write_atomically(out, format_responses(name, data, {t.id for t in chosen}))
    else:
        write_atomically(out, format_trials(chosen) if shape == "trials" else format_references(chosen, system))
    return 0


# -- check -----------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus check franke2024

  referee corpus check trials.jsonl --responses responses.jsonl --format json

Checks: is the message true of the coded target, do two runs share their items, duplicates, position effects, impossible times, blank answers.
""")
)
def check(
    name: Annotated[
        str,
        typer.Argument(
            help="A corpus by name, a JSONL file of trials, or a folder of trials and responses.", show_default=False
        ),
    ],
    data: options.Data = None,
    responses: Annotated[Path | None, typer.Option(help="JSONL file of the responses to these trials.")] = None,
    form: options.TextOrJson = "text",
) -> int:
    """Look for errors in the data themselves: miscoded targets, items that runs do not share, duplicates, effects of position, impossible times, blanks."""
    from referee.hearers.data_checks import check_corpus

    options.check_form(form)
    source, read = choose_source(name, data, responses)
    findings = check_corpus(show_progress(source.trials(), f"{name}: trials"), read, getattr(source, "blank", list)())
    if form == "json":
        print(json.dumps({"findings": [asdict(f) for f in findings]}, ensure_ascii=False, indent=1))
        return 0
    print(f"{name}: {len(findings)} finding{'s' * (len(findings) != 1)}")
    for finding in findings:
        examples = ", ".join(finding.trials[:3]) + (" …" if len(finding.trials) > 3 else "")
        print(f"{finding.check}: {finding.message}\n  {examples}")
    return 0


def choose_source(name: str, data: Path | None, responses: Path | None) -> tuple[Any, Iterable[Response]]:
    """Return the object that holds the trials and the object that holds their responses."""
    from referee.corpora.jsonl import JsonlCorpus, read_responses
    from referee.jobs.folder import Run, is_run

    path = Path(name)
    is_named = name in catalogue.names("corpus")
    source = create_corpus(name, data) if is_named else Run(path) if is_run(path) else JsonlCorpus(path)
    return source, source.responses() if responses is None else read_responses(responses)


# -- splits ----------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus splits tuna

  referee corpus splits tuna speaker-fold-1/5 scene-80/20 --seed 7

Names: challenge, random, speaker, scene or game, with -80/20, -60/20/20 or -fold-1/5. Parts are train, dev and test: --split challenge-80/20:test.
""")
)
def splits(
    name: Name,
    cuts: Annotated[list[str] | None, typer.Argument(help="Names of splits.", show_default=False)] = None,
    data: options.Data = None,
    reading: options.Reading = None,
    seed: options.Seed = 1,
) -> int:
    """The sizes of the parts of splits, with a checksum to compare; one JSON object a line."""
    from referee.corpora.splits import describe_split, split_trials
    from referee.options import CUTS

    trials = list(show_progress(open_corpus(name, data=data, reading=reading).trials(), f"{name}: trials read"))
    for cut in cuts or [f"{by}-80/20" for by in CUTS if by != "game"]:
        print(json.dumps(describe_split(cut, seed, split_trials(trials, cut, seed)).as_json()))
    return 0


# -- add -------------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus add tuna corpus.zip --data ~/corpora

  referee corpus add tuna https://www.abdn.ac.uk/ncs/documents/corpus.zip

  referee corpus add gre3d7 ~/Downloads/gre3d

The corpus is read once as a check before it becomes visible in the data folder; if that fails, the data folder is unchanged.
""")
)
def add(
    name: Name,
    source: Annotated[
        str, typer.Argument(help="A file, a folder, a zip archive or an http(s) address.", show_default=False)
    ],
    data: options.Data = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an installed corpus of that name.")] = False,
) -> int:
    """Install a corpus into the data folder."""
    from referee.corpora.installation import install

    # Without the data folder: the card says which files to expect, and they are not there yet.
    static: Card = create_corpus(name).card
    data_folder = data or os.environ.get("REFEREE_DATA")
    if not static.files:
        raise InputError(f"the corpus {name!r} needs no installing", remedy=f"use it: --corpus {name}")
    if not data_folder:
        raise DataNotFound("no folder of corpora is known", remedy="name the folder with --data or REFEREE_DATA")
    target = Path(data_folder) / find_corpus_folder(static)
    shared = _has_shared_folder(name, static)
    # A folder that two corpora share may be there for the other one's sake.
    if target.exists() and not replace and not (shared and find_folder(name, Path(data_folder)) is None):
        raise CannotWrite(
            f"a file or folder with this name exists already, maybe {name} itself",
            where=target,
            remedy="add --replace to put the new one in its place",
        )
    counts: dict[str, int] = {}
    with show_download(f"{name}: fetching") as progress:
        install(
            source,
            target,
            [Path(f).name for f in static.files],
            # Called before the new folder gets its name: an unreadable corpus never becomes visible.
            lambda f: counts.update(_verify_installation(name, f, source)),
            shared,
            progress,
        )
    print(f"{name}: {counts['trials']:,} trials and {counts['responses']:,} responses in {target}")
    return 0


def _has_shared_folder(name: str, static: Card) -> bool:
    """Return whether another corpus uses the same folder, whose files must then stay (GRE3D3 and GRE3D7)."""
    others = (n for n in catalogue.names("corpus") if n not in (name, "jsonl"))
    return any(find_corpus_folder(create_corpus(n).card) == find_corpus_folder(static) for n in others)


def _verify_installation(name: str, folder: Path, source: str) -> dict[str, int]:
    """Read the whole installed corpus. Raises InputError for an error in a file or a corpus without trials."""
    try:
        counts = count(create_corpus(name, folder), name)
    except DataNotFound as error:
        raise InputError(
            f"this is not the corpus {name!r}: {error.problem}",
            where=source,
            remedy="see `referee corpus card` for its files",
        ) from None
    if not counts["trials"]:
        raise InputError(
            f"the corpus {name!r} has no trials here", where=source, remedy="see `referee corpus card` for its files"
        )
    return counts


# -- synthetic -------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus synthetic --out toy.jsonl

  referee corpus synthetic --trials 100000 --entities 20 --seed 7 --out large.jsonl

  referee corpus synthetic --slips 0.03 --typos 0.01 --out - | head -1

Every trial says "synthetic": true in its meta. The same options always give the same file.
""")
)
def synthetic(
    out: Out,
    trials: Annotated[int, typer.Option(help="Number of trials to print.", min=1)] = 780,
    entities: Annotated[int, typer.Option(help="Number of entities in each scene.", min=2)] = 7,
    scenes: Annotated[int, typer.Option(help="Number of scenes; each speaker describes all of them.", min=1)] = 13,
    similarity: Annotated[float, typer.Option(help="Similarity of distractors and targets.", min=0, max=1)] = 0.5,
    slips: Annotated[float, typer.Option(help="Probability that a value is false.", min=0, max=1)] = 0.0,
    typos: Annotated[float, typer.Option(help="Probability that a word is misspelt.", min=0, max=1)] = 0.0,
    seed: options.Seed = 1,
) -> int:
    """Make a synthetic corpus of any size, in the TUNA design with a speaker of published habits."""
    from referee.corpora.synthetic.corpus import Synthetic

    # Every speaker describes all scenes; surplus trials are cut off below.
    speakers = ceil(trials / scenes)
    corpus = Synthetic(
        seed=seed, speakers=speakers, scenes=scenes, entities=entities, similarity=similarity, slips=slips, typos=typos
    )
    write_atomically(out, format_trials(islice(show_progress(corpus.trials(), "trials made"), trials)))
    return 0


@app.command(
    epilog=options.examples("""
  referee corpus solids --out toys                         20 pictures and toys/trials.jsonl

  referee corpus solids --out toys --scenes 200 --seed 7

A folder that every command takes: referee score answers.jsonl --corpus toys --metrics ground
""")
)
def solids(
    out: Annotated[Path, typer.Option(help="The folder to write.", show_default=False)],
    scenes: Annotated[int, typer.Option(help="Number of pictures.", min=1)] = 20,
    things: Annotated[int, typer.Option(help="Number of solids in each picture.", min=2, max=12)] = 7,
    width: Annotated[int, typer.Option(help="Width of a picture in pixels.", min=64, max=4000)] = 480,
    height: Annotated[int, typer.Option(help="Height of a picture in pixels.", min=64, max=4000)] = 320,
    seed: options.Seed = 1,
) -> int:
    """Render a synthetic corpus of pictures: solids with light, shade and occlusion, and the exact pixels of every one."""
    from referee.corpora.synthetic.solids import Solids, write_solids

    made = write_solids(out, Solids(seed=seed, scenes=scenes, solids=things, width=width, height=height))
    print(f"{made} trials on {scenes} pictures in {out}")
    return 0


# -- schema ----------------------------------------------------------------------------------------------------------------


@app.command(epilog=options.examples("  referee corpus schema > trial.schema.json"))
def schema() -> int:
    """The JSON Schema of a trial in Referee's JSONL form."""
    import json

    from referee.corpora.jsonl import trial_schema

    print(json.dumps(trial_schema(), indent=1, ensure_ascii=False))
    return 0


# -- card ------------------------------------------------------------------------------------------------------------------


def read_card(name: str, data: Path | None, reading: str | None) -> dict[str, Any]:
    """Return the card with counts and checksum.

    Without the data, the reader's facts and the missing files.
    """
    corpus = create_corpus(name, data, reading)
    static: Card = corpus.card
    facts: dict[str, Any] = {field.name: getattr(static, field.name) for field in fields(Card)}
    if hasattr(corpus, "reading"):
        facts["reading"] = corpus.reading
    if static.synthetic:
        return facts | {"found": "shipped", **count(corpus, name)}
    folder = find_folder(name, data)
    if folder is None:
        return facts | {"missing": f"not in the data folder; install it with: referee corpus add {name} PATH-OR-URL"}
    return facts | {"found": str(folder), "checksum": _compute_checksum(folder, static), **count(corpus, name)}


def _compute_checksum(folder: Path, static: Card) -> str | None:
    """Return the SHA-256 of the files on a corpus card; None if the corpus was installed in another form."""
    from referee.corpora.reading.folder import compute_checksum

    files = [folder / Path(f).name for f in static.files]
    # A corpus may come packed or saved in another form, of which the checksum would say nothing.
    return compute_checksum(files) if files and all(f.is_file() for f in files) else None


def count(corpus: Any, name: str) -> dict[str, Any]:
    """Return the numbers of trials, speakers, descriptions and responses of a corpus, read once.

    None where the corpus does not name its speakers, scenes, games or participants.
    """
    # With None from the start, so that one less is the number of named ones.
    clusters: dict[str, set[str | None]] = {factor: {None} for factor in FACTORS}
    languages: set[str] = set()
    domains: Counter[str] = Counter()
    trials = references = 0
    for trial in show_progress(corpus.trials(), f"{name}: trials read"):
        trials += 1
        references += len(trial.references)
        for factor, labels in clusters.items():
            labels.add(get_cluster(trial, factor))
        languages.add(trial.language)
        domains[trial.domain or "not stated"] += 1
    responses = 0
    for response in show_progress(corpus.responses(), f"{name}: responses read"):
        responses += 1
        # Listeners are no field of a trial: they are known from their responses.
        if "participant" in corpus.card.sampled:
            clusters["participant"].add(response.hearer)
    return {
        "trials": trials,
        "references": references,
        **{f"{factor}s": len(labels) - 1 or None for factor, labels in clusters.items()},
        "responses": responses,
        "languages_read": sorted(languages),
        "domains": dict(domains),
    }


def print_card(facts: dict[str, Any]) -> None:
    """Print the card as aligned lines no wider than the terminal, without unknown fields."""
    page = find_page_width()
    if facts["synthetic"]:
        print("SYNTHETIC corpus: generated, not human data\n")
    width = max(map(len, facts))
    for key, value in facts.items():
        if value is None or value == "" or value == () or key == "synthetic":
            continue
        lines = [f"- {v}" for v in value] if key in ("faults", "files") else [_format_field(key, value)]
        head = f"{key.replace('_', ' '):<{width}}  "
        for line in lines:
            wrapped = [head + line] if page is None else wrap_words(line, page, head, " " * len(head))
            print("\n".join(wrapped))
            head = " " * len(head)


def _format_field(key: str, value: Any) -> str:
    """Return the value of a field of the corpus card as text."""
    if key == "sampled":
        return describe_sampling(value)
    if isinstance(value, dict):
        return ", ".join(f"{k} {v:,}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


# -- export ----------------------------------------------------------------------------------------------------------------


def select_speakers(trials: Iterable[Trial], speakers: str | None) -> Iterator[Trial]:
    """Return the trials of some speakers. Raises InputError if there are none."""
    names = None if speakers is None else {s.strip() for s in speakers.split(",")}
    empty = True
    for trial in trials:
        if names is None or trial.speaker in names:
            empty = False
            yield trial
    # At the end, since trials stream: otherwise the file would be empty, and the cause would show only when it is read.
    if empty:
        raise InputError("no trial is left to export", remedy="check --speaker and --split")


def format_trials(trials: Iterable[Trial]) -> Iterator[str]:
    """Yield trials as JSON lines."""
    from referee.corpora.jsonl import trials_to_json, write_json_line

    return map(write_json_line, trials_to_json(trials))


def format_references(trials: Iterable[Trial], system: str | None) -> Iterator[str]:
    """Yield references as JSON lines of outputs."""
    from referee.corpora.jsonl import write_json_line
    from referee.corpora.outputs import output_to_json

    for trial in trials:
        seen: Counter[str] = Counter()
        for reference in trial.references:
            name = system or _write_reference(reference, trial)
            seen[name] += 1
            if seen[name] > 1:  # two people, or one twice, under one name: a system answers a trial once
                name = f"{name}-{seen[name]}"
            yield write_json_line(output_to_json(trial.id, name, reference))


def _write_reference(reference: Description, trial: Trial) -> str:
    speaker = reference.speaker or trial.speaker
    return f"human-{speaker}" if speaker else "human"


def format_responses(name: str, data: Path | None, trial_ids: set[str]) -> Iterator[str]:
    """Yield responses as JSON lines."""
    from referee.corpora.jsonl import JsonlCorpus, response_to_json, write_json_line

    corpus = create_corpus(name, data) if name in catalogue.names("corpus") else JsonlCorpus(name)
    count = 0
    for response in show_progress(corpus.responses(), f"{name}: responses"):
        if response.trial in trial_ids:
            count += 1
            yield write_json_line(response_to_json(response))
    if not count:
        raise InputError(
            f"{name} has no responses of listeners to these trials", remedy="see `referee corpora` for those that have"
        )


def write_xml(trials: Iterable[Trial], out: str) -> None:
    """Write trials as XML."""
    from referee.corpora.challenge_xml import write_trials

    if out == "-":
        raise CannotWrite(
            "XML goes to a file or a folder",
            remedy="name one: --out trials.xml (one file) or --out trials (a file per trial)",
        )
    write_trials(trials, out)


def write_pictures(trials: Iterable[Trial], out: str, outlines: bool) -> None:
    """Write trials with pictures."""
    from referee.corpora.pictured import write_pictured

    if out == "-":
        raise CannotWrite("pictures go into a folder", remedy="name one: --out drawn")
    count, pictures = write_pictured(out, trials, outlines)
    print(f"{count:,} trials on {pictures:,} pictures in {out}")
