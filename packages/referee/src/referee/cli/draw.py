"""`referee draw`: a scene as a picture, from a file or a corpus, and contact sheets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.api.draw import Drawing
from referee.api.draw import draw as draw_it
from referee.api.options import DrawOptions
from referee.cli.options import examples, make_app
from referee.errors import InputError
from referee.files import write_atomically
from referee.options import apply, command, option

app = make_app()

EPILOG = examples("""
  referee draw scene.json --out scene.svg

  referee draw scene.json --target a --numbers --out scene.png      with a frame round a, and numbers to answer with

  referee draw --corpus tuna --trial s1t1 --mark --out s1t1.svg     a trial of a corpus, its target framed

  referee draw scene.json --out scene.png --regions regions.json    and where everything is, in pixels of scene.png

  referee draw --sheet people --out people.png                      every value beside every other

Without --out the SVG goes to standard output. SCENE.json is as for `referee describe`; - reads standard input.
""")


@dataclass
class DrawCommand(DrawOptions):
    """Options of `referee draw`: those of `referee.draw`, and those of the command only."""

    out: str = option("-", "FILE.svg or FILE.png; - is standard output (SVG).", "--out", "-o")
    regions: Path | None = option(None, "FILE.json: the box of every entity, in pixels of the PNG of --out.")
    outlines: bool = option(False, "With --regions: masks of the entities' pixels, not bounding boxes.")
    scale: float = option(2.0, "Scale of a PNG in pixels per unit; a cell is 100 units wide.")


@command(app, DrawCommand, EPILOG)
def draw(options: DrawCommand) -> int:
    """Draw a scene with every attribute visible; objects without a picture become cards with words."""
    # All options before the first is used: reading a corpus takes a while.
    ending = Path(options.out).suffix.lower()
    if options.out != "-" and ending not in (".svg", ".png"):
        raise InputError(
            "the file extension is neither .svg nor .png", where=options.out, remedy="name FILE.svg or FILE.png"
        )
    if not 0.1 <= options.scale <= 10:
        raise InputError(f"cannot scale by {options.scale:g}", remedy="--scale is between 0.1 and 10")
    if options.regions is not None and ending != ".png":
        raise InputError(
            "regions are in pixels, and without a PNG there are none",
            remedy="write the picture to a PNG file: --out FILE.png",
        )
    drawing = apply(draw_it, options)
    if options.out == "-":
        write_atomically(options.out, [drawing.svg])
    else:
        drawing.save(options.out, options.scale)
    if options.regions is not None:
        write_atomically(
            options.regions, [_describe_regions(drawing, Path(options.out), options.scale, options.outlines)]
        )
    return 0


def _describe_regions(drawing: Drawing, out: Path, scale: float, outlines: bool) -> str:
    """Return the picture with its size and hash, and the region of every entity, as JSON of a trial."""
    import hashlib
    import json

    from referee.corpora.jsonl import record_to_json
    from referee.geometry import ScenePicture
    from referee.grounding.pictures import size_of

    regions = drawing.regions(scale, outlines=outlines)
    picture = ScenePicture(path=out.name, size=size_of(out), sha256=hashlib.sha256(out.read_bytes()).hexdigest())
    entities = [{"id": entity, "region": record_to_json(region)} for entity, region in regions.items()]
    return json.dumps({"picture": record_to_json(picture), "entities": entities}, ensure_ascii=False, indent=1) + "\n"
