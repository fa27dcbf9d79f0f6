"""`referee corpus`: the card of a corpus, its trials as files, its splits, installing one, and synthetic ones of any size."""

from __future__ import annotations

import json
import os
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Annotated

import typer

from referee import catalogue
from referee.cli import options
from referee.cli.corpora import create, find_folder, folder_of
from referee.cli.corpus_card import count, print_card, read_card
from referee.cli.corpus_export import output_lines, response_lines, spoken_by, trial_lines, write_pictures, write_xml
from referee.cli.progress import counting, fetching
from referee.contracts import Card
from referee.errors import CannotWrite, DataNotFound, InputError
from referee.files import write_atomically
from referee.jobs.open import open_corpus

app = options.new_app(no_args_is_help=True, help=__doc__)

Name = Annotated[str, typer.Argument(help="A corpus by name (referee corpora).", show_default=False)]
Out = Annotated[str, typer.Option("--out", "-o", help="File to write, - for standard output.", show_default=False)]
SHAPES = ("trials", "outputs", "responses", "challenge-xml", "pictures")


# -- card ------------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus card tuna --reading challenge

  referee corpus card colors --format json

The counts come from reading the corpus now. Without the data, the card says what it can and what is missing.
""")
)
def card(
    name: Name,
    data: options.Data = None,
    reading: options.Reading = None,
    form: options.TextOrJson = "text",
) -> int:
    """What to know before quoting a number from a corpus: source, licence, checksum, counts, known faults."""
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
        bool, typer.Option("--outlines", help="--as pictures: regions are pixels instead of the boxes around them.")
    ] = False,
) -> int:
    """Write a corpus, or a part of it, in Referee's own form, as an outputs file, as the challenges' XML, or drawn as pictures."""
    if shape not in SHAPES:
        raise InputError(f"cannot export as {shape!r}", remedy=f"--as is one of {', '.join(SHAPES)}")
    opened = open_corpus(name, data=data, reading=reading, split=split, seed=seed)
    chosen = spoken_by(counting(opened.trials(), f"{opened.name}: trials"), speaker)
    if shape == "challenge-xml":
        write_xml(chosen, out)
    elif shape == "pictures":
        write_pictures(chosen, out, outlines)
    elif shape == "responses":
        # All ids first: responses are read in a pass of their own, in their own order.
        write_atomically(out, response_lines(name, data, {t.id for t in chosen}))
    else:
        write_atomically(out, trial_lines(chosen) if shape == "trials" else output_lines(chosen, system))
    return 0


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
    from referee.corpora.splits import describe, split
    from referee.options import CUTS

    trials = list(counting(open_corpus(name, data=data, reading=reading).trials(), f"{name}: trials read"))
    for cut in cuts or [f"{by}-80/20" for by in CUTS if by != "game"]:
        print(json.dumps(describe(cut, seed, split(trials, cut, seed)).as_json()))
    return 0


# -- add -------------------------------------------------------------------------------------------------------------------


@app.command(
    epilog=options.examples("""
  referee corpus add tuna corpus.zip --data ~/corpora

  referee corpus add tuna https://www.abdn.ac.uk/ncs/documents/corpus.zip

  referee corpus add gre3d7 ~/Downloads/gre3d

The corpus is read once, as a proof, before it becomes visible in the data folder; when that fails, nothing has changed.
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
    static: Card = create(name).card
    data_folder = data or os.environ.get("REFEREE_DATA")
    if not static.files:
        raise InputError(f"the corpus {name!r} needs no installing", remedy=f"use it: --corpus {name}")
    if not data_folder:
        raise DataNotFound("no data folder is known", remedy="name the folder with --data or REFEREE_DATA")
    target = Path(data_folder) / folder_of(static)
    shared = _shares_its_folder(name, static)
    # A folder that two corpora share may be there for the other one's sake.
    if target.exists() and not replace and not (shared and find_folder(name, Path(data_folder)) is None):
        raise CannotWrite(
            f"something is there already, maybe {name} itself",
            where=target,
            remedy="add --replace to put the new one in its place",
        )
    counts: dict[str, int] = {}
    with fetching(f"{name}: fetching") as progress:
        install(
            source,
            target,
            [Path(f).name for f in static.files],
            # Run before the new folder gets its name: what cannot be read never becomes visible.
            lambda f: counts.update(_proof(name, f, source)),
            shared,
            progress,
        )
    print(f"{name}: {counts['trials']:,} trials and {counts['responses']:,} responses in {target}")
    return 0


def _shares_its_folder(name: str, static: Card) -> bool:
    """Whether another corpus lies in the same folder (GRE3D3 and GRE3D7 do), whose files have to stay."""
    others = (n for n in catalogue.names("corpus") if n not in (name, "jsonl"))
    return any(folder_of(create(n).card) == folder_of(static) for n in others)


def _proof(name: str, folder: Path, source: str) -> dict[str, int]:
    """Read the whole corpus; its errors name the place they were found in, and no trials at all is one of them."""
    try:
        counts = count(create(name, folder), name)
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
    trials: Annotated[int, typer.Option(help="How many trials.", min=1)] = 780,
    entities: Annotated[int, typer.Option(help="Entities in each scene.", min=2)] = 7,
    scenes: Annotated[int, typer.Option(help="Different scenes; each speaker describes all of them.", min=1)] = 13,
    similarity: Annotated[float, typer.Option(help="How alike distractors and targets are.", min=0, max=1)] = 0.5,
    slips: Annotated[float, typer.Option(help="Chance of a false value.", min=0, max=1)] = 0.0,
    typos: Annotated[float, typer.Option(help="Chance of a misspelt word.", min=0, max=1)] = 0.0,
    seed: options.Seed = 1,
) -> int:
    """Make a synthetic corpus of any size, in the TUNA design with a speaker of published habits."""
    from referee.corpora.synthetic.corpus import Synthetic

    # Every speaker describes all scenes; what is too much is cut off below.
    speakers = ceil(trials / scenes)
    corpus = Synthetic(
        seed=seed, speakers=speakers, scenes=scenes, entities=entities, similarity=similarity, slips=slips, typos=typos
    )
    write_atomically(out, trial_lines(islice(counting(corpus.trials(), "trials made"), trials)))
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
    scenes: Annotated[int, typer.Option(help="How many pictures.", min=1)] = 20,
    things: Annotated[int, typer.Option(help="Solids in each picture.", min=2, max=12)] = 7,
    width: Annotated[int, typer.Option(help="Pixels across.", min=64, max=4000)] = 480,
    height: Annotated[int, typer.Option(help="Pixels down.", min=64, max=4000)] = 320,
    seed: options.Seed = 1,
) -> int:
    """Render a synthetic corpus of pictures: solids with light, shade and occlusion, and the exact pixels of every one."""
    from referee.corpora.synthetic.solids import Solids, write_solids

    made = write_solids(out, Solids(seed=seed, scenes=scenes, solids=things, width=width, height=height))
    print(f"{made} trials on {scenes} pictures in {out}")
    return 0


# -- schema ----------------------------------------------------------------------------------------------------------------


@app.command()
def schema() -> int:
    """The JSON Schema of a trial in Referee's JSONL form."""
    import json

    from referee.corpora.jsonl import trial_schema

    print(json.dumps(trial_schema(), indent=1, ensure_ascii=False))
    return 0
