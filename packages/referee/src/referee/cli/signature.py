"""`referee signature`: what a signed number rests on, from the signature itself or from its short form in a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options
from referee.errors import InputError, RefereeError
from referee.jobs.folder import Run, is_run
from referee.signature import explain, short

app = options.new_app()
# Folders below this one: a home directory must not be searched to its end.
DEEP = 3
MEANING = {
    "measure": "the measure",
    "corpus": "the corpus the trials came from",
    "reading": "how that corpus was read",
    "part": "which part of it",
    "trials": "how many trials, and a checksum of all that was read of them",
    "against": "whose references, and how many an item",
    "humans": "people as a row, each speaker against the others",
    "lenient": "bad or missing outputs were counted and passed over",
    "cluster": "what trials were clustered by",
    "interval": "how intervals were made, with their confidence",
    "swaps": "random swaps of clusters, where they were too many to try all",
    "seed": "seed of all randomness",
    "package": "the plug-in's package and version",
    "version": "version of Referee",
}


@app.command()
def signature(
    what: Annotated[str, typer.Argument(help="A signature, or the eight digits that stand for it in a table.")],
    places: Annotated[
        list[Path] | None,
        typer.Argument(help="Run folders to look the short form up in (default: those below this folder)."),
    ] = None,
    form: options.TextOrJson = "text",
) -> int:
    """Explain a signature part by part.

    Examples:  referee signature "set/dice|multiset:no|corpus:tuna|…"      referee signature 3f9a01bc RUN
    """
    options.check_form(form)
    # The eight digits are a hash and cannot be turned back: they are looked up among signatures that were kept.
    text = what if "|" in what else _find(what, places or [Path()])
    parts = explain(text)
    if form == "json":
        print(json.dumps({"hash": short(text), "signature": text, "parts": parts}, ensure_ascii=False, indent=1))
        return 0
    width, values = max(map(len, parts)), max(map(len, parts.values()))
    print(f"{short(text)}  {text}\n")
    for key, value in parts.items():
        print(f"  {key:<{width}}  {value:<{min(values, 40)}}  {MEANING.get(key, 'a switch of the measure')}".rstrip())
    return 0


def _find(wanted: str, places: list[Path]) -> str:
    for folder in (run for place in places for run in _runs(place)):
        try:
            rows = Run(folder).scores()
        except RefereeError:
            continue  # a damaged run somewhere below is not what was asked about
        for text in dict.fromkeys(str(row["signature"]) for row in rows if "signature" in row):
            if short(text) == wanted:
                return text
    raise InputError(
        f"no run here has a score signed {wanted!r}",
        where=", ".join(map(str, places)),
        remedy="name the run folder that the table was made with (referee score … --out RUN), or give the whole signature",
    )


def _runs(place: Path, deep: int = DEEP) -> Iterator[Path]:
    # Not looked into further: a run holds no runs.
    if is_run(place):
        yield place
    elif place.is_dir() and deep:
        for child in sorted(place.iterdir()):
            if child.is_dir() and not child.name.startswith("."):
                yield from _runs(child, deep - 1)
