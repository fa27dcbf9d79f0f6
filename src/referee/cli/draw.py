"""`referee draw`: a scene as a picture, from a file or a corpus, and contact sheets of everything that can be drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.api.draw import Drawing
from referee.api.draw import draw as draw_it
from referee.cli import options
from referee.errors import InputError
from referee.files import write_atomically

app = options.new_app()

EPILOG = options.examples("""
  referee draw scene.json --out scene.svg

  referee draw scene.json --target a --numbers --out scene.png      with a frame round a, and numbers to answer with

  referee draw --corpus tuna --trial s1t1 --mark --out s1t1.svg     a trial of a corpus, its target framed

  referee draw scene.json --out scene.png --regions regions.json    and where everything is, in pixels of scene.png

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
    regions: Annotated[
        Path | None,
        typer.Option(help="FILE.json: the box of every entity, in pixels of the PNG of --out.", show_default=False),
    ] = None,
    outlines: Annotated[
        bool, typer.Option("--outlines", help="--regions: the pixels of every entity instead of the box around them.")
    ] = False,
    scale: Annotated[float, typer.Option(help="PNG: pixels to a unit; a cell is 100 units.")] = 2.0,
    corpus: Annotated[str | None, typer.Option("--corpus", "-c", help="Draw a trial of this corpus.")] = None,
    trial: Annotated[str | None, typer.Option(help="Which trial of the corpus (default: the first).")] = None,
    data: options.Data = None,
    sheet: Annotated[str | None, typer.Option(help="A contact sheet: furniture, people or shapes.")] = None,
) -> int:
    """Draw a scene, so that every attribute can be seen; what has no picture is a card with words."""
    # All options before the first is used: reading a corpus takes a while.
    if out != "-" and Path(out).suffix.lower() not in (".svg", ".png"):
        raise InputError("the ending says neither SVG nor PNG", where=out, remedy="name FILE.svg or FILE.png")
    if not 0.1 <= scale <= 10:
        raise InputError(f"cannot scale by {scale:g}", remedy="--scale is between 0.1 and 10")
    if regions is not None and Path(out).suffix.lower() != ".png":
        raise InputError("regions are pixels of a PNG", remedy="name the picture: --out FILE.png")
    found = draw_it(
        scene or None,
        target=target,
        mark=mark,
        numbers=numbers,
        jitter=jitter,
        seed=seed,
        corpus=corpus,
        trial=trial,
        data=data,
        sheet=sheet,
    )
    if out == "-":
        write_atomically(out, [found.svg])
    else:
        found.save(out, scale)
    if regions is not None:
        write_atomically(regions, [_regions(found, Path(out), scale, outlines)])
    return 0


def _regions(drawing: Drawing, out: Path, scale: float, outlines: bool) -> str:
    """As in a trial: the picture with size and hash, and the region of every entity."""
    import hashlib
    import json

    from referee.corpora.place_records import picture_to_json, place_to_json
    from referee.places import ScenePicture
    from referee.sight.pictures import size_of

    found = drawing.regions(scale, outlines=outlines)
    picture = ScenePicture(path=out.name, size=size_of(out), sha256=hashlib.sha256(out.read_bytes()).hexdigest())
    entities = [{"id": entity, "region": place_to_json(region)} for entity, region in found.items()]
    return json.dumps({"picture": picture_to_json(picture), "entities": entities}, ensure_ascii=False, indent=1) + "\n"
