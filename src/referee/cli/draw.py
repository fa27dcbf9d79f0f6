"""`referee draw`: a scene as a picture, from a file or a corpus, and contact sheets of everything that can be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli import options
from referee.corpora.reading.packed import read_document
from referee.drawing import SHEETS, draw_scene, draw_sheet, to_png
from referee.errors import InputError, UnknownName, UnknownTrial
from referee.files import write_atomically, write_bytes
from referee.records import Scene
from referee.runs.describe import view_of
from referee.runs.open import open_corpus

app = options.new_app()

EPILOG = options.examples("""
  referee draw scene.json --out scene.svg

  referee draw scene.json --target a --numbers --out scene.png      with a frame round a, and numbers to answer with

  referee draw --corpus tuna --trial s1t1 --mark --out s1t1.svg     a trial of a corpus, its target framed

  referee draw --sheet people --out people.png                      every value beside every other

Without --out the SVG goes to standard output. SCENE.json is as for [bold]referee describe[/bold]; - reads standard input.
""")


@app.command(epilog=EPILOG)
def draw(
    scene: Annotated[str, typer.Argument(help="A JSON file with a scene or a trial, or - for standard input.")] = "",
    target: Annotated[str, typer.Option("--target", "-t", help="Frame these entities (ids with commas).")] = "",
    mark: Annotated[bool, typer.Option("--mark", help="Frame the target that the trial itself names.")] = False,
    out: Annotated[str, typer.Option("--out", "-o", help="FILE.svg or FILE.png; - is standard output (SVG).")] = "-",
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Number the entities from 1, in the scene's order.")
    ] = False,
    jitter: Annotated[
        float, typer.Option(help="Shift each entity by up to this share of a cell (0.15 is slight).")
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Which shifts.")] = 0,
    scale: Annotated[float, typer.Option(help="PNG: pixels to a unit; a cell is 100 units.")] = 2.0,
    corpus: Annotated[str | None, typer.Option("--corpus", "-c", help="Draw a trial of this corpus.")] = None,
    trial: Annotated[str | None, typer.Option(help="Which trial of the corpus (default: the first).")] = None,
    data: options.Data = None,
    sheet: Annotated[str | None, typer.Option(help="A contact sheet: furniture, people or shapes.")] = None,
) -> int:
    """Draw a scene, so that every attribute can be seen; what has no picture is a card with words."""
    # All options before the first is used: reading a corpus takes a while.
    _check(scene, corpus, sheet, trial, out, scale)
    if sheet:
        _write(draw_sheet(sheet), out, scale)
        return 0
    shown, own = _from_corpus(corpus, trial, data) if corpus else _from_file(scene)
    labels = {e.id: str(i) for i, e in enumerate(shown.entities, 1)} if numbers else None
    framed = {*(t.strip() for t in target.split(",") if t.strip()), *(own if mark else ())}
    if mark and not own:
        raise InputError("the scene names no target of its own", where=scene, remedy="name one with --target ID")
    _write(draw_scene(shown, mark=framed, numbers=labels, jitter=jitter, seed=seed), out, scale)
    return 0


def _check(scene: str, corpus: str | None, sheet: str | None, trial: str | None, out: str, scale: float) -> None:
    # Two sources at once would silently draw one of them.
    if sum(map(bool, (scene, corpus, sheet))) != 1:
        raise InputError(
            "there is not exactly one thing to draw", remedy="give SCENE.json, or --corpus NAME, or --sheet NAME"
        )
    if sheet and sheet not in SHEETS:
        raise UnknownName("sheet", sheet, SHEETS, hint=f"sheets are {', '.join(SHEETS)}")
    if trial and not corpus:
        raise InputError("--trial belongs to a corpus", remedy="name it: --corpus NAME")
    if out != "-" and Path(out).suffix.lower() not in (".svg", ".png"):
        raise InputError("the ending says neither SVG nor PNG", where=out, remedy="name FILE.svg or FILE.png")
    if not 0.1 <= scale <= 10:
        raise InputError(f"cannot scale by {scale:g}", remedy="--scale is between 0.1 and 10")


def _from_file(path: str) -> tuple[Scene, tuple[str, ...]]:
    """A scene, and the targets that it names itself if it is written as a trial."""
    document: dict[str, Any] = read_document(Path(path), lambda found: found)
    entities = document.get("entities")
    known = [e for e in entities if isinstance(e, Mapping)] if isinstance(entities, list) else []
    first = next((str(e["id"]) for e in known if "id" in e), None)
    own = [document["target"]] if "target" in document else document.get("targets") or ()
    # A picture needs no target, but a view does: any entity stands in.
    return view_of({k: v for k, v in document.items() if k not in ("target", "targets")}, first, path).scene, tuple(
        map(str, own)
    )


def _from_corpus(name: str, trial: str | None, data: Path | None) -> tuple[Scene, tuple[str, ...]]:
    trials = open_corpus(name, data=data).trials()
    found = next((t for t in trials if trial is None or t.id == trial), None)
    if found is None:
        # Opened again: the search has used the trials up.
        some = ", ".join(t.id for t in islice(open_corpus(name, data=data).trials(), 3))
        raise UnknownTrial(f"there is no trial {trial!r}", where=name, remedy=f"trials are called {some} …")
    return found.scene, found.targets


def _write(svg: str, out: str, scale: float) -> None:
    if Path(out).suffix.lower() == ".png":
        write_bytes(out, [to_png(svg, scale)])
    else:
        write_atomically(out, [svg])
