"""`referee.draw`: a scene as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.api.options import DrawOptions
from referee.api.results import ENTITIES, Result, make_frame
from referee.errors import InputError
from referee.files import write_atomically, write_bytes
from referee.geometry import Region
from referee.jobs.describe import parse_scene
from referee.jobs.open import find_trial
from referee.options import accept_options
from referee.records import Scene, Trial
from referee.show.drawing import Layout, draw_scene, draw_sheet, place, to_png


class Drawing(Result):
    """A picture: notebooks show it, ``.save("scene.png")`` writes it.

    Its frame has the attributes of the entities.

    Args:
        svg: the picture.
        scene: the scene shown; None for a contact sheet.
        framed: ids of the entities with a frame.
        layout: the positions of its entities; needed for their regions.

    >>> import referee
    >>> referee.draw({"entities": [{"id": "a", "attributes": {"type": "chair", "colour": "red"}}]})
    Drawing of 1 entity
    """

    def __init__(
        self, svg: str, scene: Scene | None = None, framed: Sequence[str] = (), layout: Layout | None = None
    ) -> None:
        self.svg, self.scene, self.framed, self.layout = svg, scene, tuple(framed), layout
        rows = [
            {"entity": e.id, "target": e.id in self.framed, "name": p.name, "value": p.value}
            for e in (scene.entities if scene else ())
            for p in e.attributes
        ]
        super().__init__(make_frame(rows, ENTITIES))

    def png(self, scale: float = 2.0) -> bytes:
        """Return the picture as PNG bytes: a grid cell is 100 units wide, and a unit is `scale` pixels."""
        if not 0.1 <= scale <= 10:
            raise InputError(f"cannot scale by {scale:g}", remedy="scale is between 0.1 and 10")
        return to_png(self.svg, scale)

    def regions(self, scale: float = 2.0, *, outlines: bool = False) -> dict[str, Region]:
        """Return the region of every visible entity in pixels of the PNG: its smallest box, or its pixels."""
        if self.scene is None:
            raise InputError("regions of a contact sheet cannot be written", remedy="draw a scene or a trial instead")
        from referee.show.drawing.drawn_regions import draw_pixels

        return dict(draw_pixels(self.scene, layout=self.layout, scale=scale, outlines=outlines).regions)

    def save(self, out: str | Path, scale: float = 2.0) -> Path:
        """Write FILE.svg or FILE.png."""
        ending = Path(out).suffix.lower()
        if ending not in (".svg", ".png"):
            raise InputError(
                "the file extension is neither .svg nor .png", where=out, remedy="name FILE.svg or FILE.png"
            )
        if ending == ".png":
            write_bytes(out, [self.png(scale)])
        else:
            write_atomically(out, [self.svg])
        return Path(out)

    def plot(self) -> Any:
        """Return the drawing itself, because it is a picture already."""
        return self

    def _get_title(self) -> str:
        """Return the title of the picture."""
        if self.scene is None:
            return "Drawing of a contact sheet"
        n = len(self.scene.entities)
        return f"Drawing of {n} entit{'ies' if n != 1 else 'y'}"

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg


@accept_options(DrawOptions)
def draw(options: DrawOptions) -> Drawing:
    """Draw a scene, a trial of a corpus, or a contact sheet (`referee draw`).

    Returns:
        A `Drawing`.

    Raises:
        InputError: where name exactly one thing to draw: a scene, a corpus or a sheet, or it cannot be read.

    >>> import referee
    >>> scene = {"entities": [{"id": "a", "attributes": {"type": "chair"}}, {"id": "b", "attributes": {"type": "sofa"}}]}
    >>> referee.draw(scene, target="b").frame["target"].to_list()
    [False, True]
    """
    # Two sources at once would silently draw one of them.
    if sum(thing is not None for thing in (options.scene, options.corpus, options.sheet)) != 1:
        raise InputError(
            "name exactly one thing to draw: a scene, a corpus or a sheet",
            remedy="give SCENE.json, or --corpus NAME, or --sheet NAME",
        )
    if options.sheet is not None:
        return Drawing(draw_sheet(options.sheet))
    if options.trial is not None and options.corpus is None:
        raise InputError("a trial can only be drawn from a corpus", remedy="name it: --corpus NAME")
    shown, scene_targets = _choose_scene(options.scene, options.corpus, options.trial, options.data)
    chosen_targets = options.target.split(",") if isinstance(options.target, str) else options.target
    framed = list(
        dict.fromkeys([*(t.strip() for t in chosen_targets if t.strip()), *(scene_targets if options.mark else ())])
    )
    if options.mark and not scene_targets:
        raise InputError("the scene names no target", remedy="name one with --target ID")
    labels = {e.id: str(i) for i, e in enumerate(shown.entities, 1)} if options.numbers else None
    layout = place(shown, jitter=options.jitter, seed=options.seed)
    return Drawing(draw_scene(shown, layout=layout, mark=framed, numbers=labels), shown, framed, layout)


def _choose_scene(scene: Any, corpus: Any, trial: str | None, data: str | Path | None) -> tuple[Scene, tuple[str, ...]]:
    """Return the scene to draw and the targets that its trial names."""
    if corpus is not None:
        scene = find_trial(corpus, trial, data)
    return (scene.scene, scene.targets) if isinstance(scene, Trial) else parse_scene(scene)
