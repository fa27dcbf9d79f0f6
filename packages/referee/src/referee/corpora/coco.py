"""Annotations in COCO's form.

Pictures with their size, and regions as boxes, outlines or run lengths, written plain or packed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.corpora.place_records import parse_numbers, unpack_runs
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import read_document
from referee.geometry import Box, Convention, Mask, Polygon, Region, ScenePicture, Size
from referee.records import Entity, Property, Scene

__all__ = ["Annotations", "get_region", "read_annotations", "unpack_runs"]

XYWH = Convention.of("pixels xywh")
KINDS = ("box", "mask")


@dataclass(frozen=True, slots=True)
class Annotations:
    """Scenes by picture, each with all that is annotated on it; and the picture of every annotation."""

    scenes: Mapping[int, Scene]
    picture_of: Mapping[int, int]


def read_annotations(path: Path, kind: str = "box", prefix: str = "") -> Annotations:
    """Read a file ``instances.json``; `kind` is box or mask."""
    return read_document(path, lambda document: _read_objects(document, kind, prefix))


def _read_objects(document: Mapping[str, Any], kind: str, prefix: str) -> Annotations:
    """Return the annotated objects of all pictures, with their regions."""
    types = {get_field(c, "id", int): get_field(c, "name", str) for c in document.get("categories", [])}
    sizes = {get_field(p, "id", int): p for p in get_field(document, "images", list)}
    things: dict[int, list[Entity]] = {number: [] for number in sizes}
    picture_of: dict[int, int] = {}
    for annotation in get_field(document, "annotations", list):
        number, picture = get_field(annotation, "id", int), get_field(annotation, "image_id", int)
        if picture not in sizes:
            raise WrongShape(
                f"annotation {number} is on picture {picture}, which is not listed", "list it under images"
            )
        picture_of[number] = picture
        called = types.get(annotation.get("category_id", -1))
        attributes = () if called is None else (Property("type", called),)
        region = get_region(annotation, kind, _read_size(sizes[picture]))
        things[picture].append(Entity(id=str(number), attributes=attributes, region=region))
    return Annotations({n: _make_scene(n, sizes[n], tuple(things[n]), prefix) for n in sizes}, picture_of)


def _read_size(picture: Mapping[str, Any]) -> Size:
    return Size(get_field(picture, "width", int), get_field(picture, "height", int))


def _make_scene(number: int, picture: Mapping[str, Any], entities: tuple[Entity, ...], prefix: str) -> Scene:
    shown = ScenePicture(path=prefix + get_field(picture, "file_name", str), size=_read_size(picture))
    return Scene(entities=entities, id=str(number), complete=False, picture=shown)


def get_region(annotation: Mapping[str, Any], kind: str, size: Size | None) -> Region:
    """Return the region of an annotation: its box, or its outline, as pixels if it has several parts."""
    if kind not in KINDS:
        raise WrongShape(f"no kind of region is called {kind!r}", f"one of {', '.join(KINDS)}")
    drawn = annotation.get("segmentation")
    if kind == "box" or drawn is None or drawn == []:
        return Box(parse_numbers(get_field(annotation, "bbox", list), 4), XYWH)
    if isinstance(drawn, Mapping):
        return _decode_runs(drawn)
    parts = [_make_polygon(part) for part in (drawn if isinstance(drawn[0], list) else [drawn])]
    if len(parts) == 1:
        return parts[0]
    if size is None:
        raise WrongShape("a region of several parts needs the picture's size", "list the picture with width and height")
    return _rasterise(parts, size)


def _make_polygon(flat: list[Any]) -> Polygon:
    coordinates = parse_numbers(flat, len(flat))
    return Polygon(tuple((coordinates[i], coordinates[i + 1]) for i in range(0, len(coordinates) - 1, 2)))


def _decode_runs(drawn: Mapping[str, Any]) -> Mask:
    """Return a mask from run-length encoding."""
    height, width = parse_numbers(get_field(drawn, "size", list), 2)
    counts = drawn["counts"]
    return Mask(
        Size(width, height), unpack_runs(counts) if isinstance(counts, str) else parse_numbers(counts, len(counts))
    )


def _rasterise(parts: list[Polygon], size: Size) -> Mask:
    """Return outlines as one mask: the pixels whose centres lie inside any of them."""
    import numpy as np

    from referee.grounding.overlap import covered_pixels
    from referee.show.drawing.traced_solids import mask_runs

    covered = np.zeros((size.height, size.width), dtype=bool)
    for part in parts:
        covered |= covered_pixels(part, size)
    return Mask(size, mask_runs(covered))
