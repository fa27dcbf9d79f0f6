"""Pictures, boxes and points in JSON.

``{"box": [1, 2, 3, 4], "in": "pixels xyxy"}``. Numbers without a declared convention are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.corpora.reading.lines import WrongShape, get_field, get_optional_field
from referee.geometry import Box, Convention, Mask, Place, Point, Polygon, Size, WrongConvention

FIELDS = ("point", "box", "polygon", "mask")
FORM = 'write {"box": [x1, y1, x2, y2], "in": "pixels xyxy"}, {"point": [x, y], "in": "0-1000 xy"}, "polygon" or "mask"'

_NUMBER = {"type": "number"}
_PAIR = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
REGION_SCHEMA = {
    "type": "object",
    "properties": {
        "box": {"type": "array", "items": _NUMBER, "minItems": 4, "maxItems": 4},
        "polygon": {"type": "array", "items": _PAIR, "minItems": 3},
        "mask": {
            "type": "object",
            "required": ["size", "counts"],
            "properties": {"size": _PAIR, "counts": {"type": ["array", "string"], "items": {"type": "integer"}}},
        },
        "in": {
            "type": "string",
            "description": "the convention of the numbers: pixels xyxy, pixels xywh, 0-1000 xyxy …",
        },
    },
    "oneOf": [{"required": ["box", "in"]}, {"required": ["polygon", "in"]}, {"required": ["mask"]}],
    "additionalProperties": False,
}
"""The JSON Schema of a place with an area: a box, outline or mask."""


def convention_from_json(data: Mapping[str, Any]) -> Convention:
    """Return the convention of the numbers beside it.

    It has no default, because none would be right for all.
    """
    text = get_optional_field(data, "in", str)
    if text is None:
        raise WrongShape('the convention of the coordinates is missing: add the field "in"', FORM)
    try:
        return Convention.of(text)
    except WrongConvention as wrong:
        raise WrongShape(str(wrong), FORM) from None


def place_from_json(data: Any) -> Place:
    """Return a place from its JSON object."""
    # A dictionary first, which it nearly always is: asking for any mapping takes longer than the rest.
    kinds = [name for name in FIELDS if name in data] if isinstance(data, dict | Mapping) else []
    if len(kinds) != 1:
        raise WrongShape(f"a place is one of {', '.join(FIELDS)}, not {data!r:.60}", FORM)
    try:
        return _PARTS[kinds[0]](data)
    except WrongConvention as wrong:
        raise WrongShape(str(wrong), FORM) from None


def parse_numbers(value: Any, count: int) -> tuple[Any, ...]:
    """Return a list of `count` numbers as a tuple. Raises WrongShape for anything else."""
    if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
        raise WrongShape(f"{value!r:.60} are not {count} numbers", FORM)
    return tuple(value)


def _is_number(value: Any) -> bool:
    # The two kinds of JSON first, which is much the quicker; from Python there may be numpy's, too. `true` is no number.
    return type(value) in (float, int) or (isinstance(value, int | float) and not isinstance(value, bool))


def _decode_box(data: Mapping[str, Any]) -> Place:
    return Box(parse_numbers(data["box"], 4), convention_from_json(data))


def _decode_point(data: Mapping[str, Any]) -> Place:
    return Point(parse_numbers(data["point"], 2), convention_from_json(data))


def _decode_polygon(data: Mapping[str, Any]) -> Place:
    return Polygon(tuple(parse_numbers(p, 2) for p in get_field(data, "polygon", list)), convention_from_json(data))


def _read_mask(data: Mapping[str, Any]) -> Place:
    """Return a mask from its JSON object."""
    mask = get_field(data, "mask", dict)
    size = size_from_json(mask)
    if isinstance(counts := mask.get("counts"), str):
        # Packed runs come from COCO's own tools, which write height before width.
        return Mask(Size(size.height, size.width), unpack_runs(counts))
    counts = get_field(mask, "counts", list)
    return Mask(size, parse_numbers(counts, len(counts)))


def unpack_runs(text: str) -> tuple[int, ...]:
    """Return the run lengths in COCO's compressed text: five bits per character and one that says that more follow.

    From the fourth run on, differences to the last run but one.

    >>> unpack_runs("13P1")
    (1, 3, 32)
    """
    runs: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 48
        if not 0 <= bits < 64:
            raise WrongShape(f"{character!r} does not occur in packed runs", "copy the annotations again")
        value |= (bits & 31) << shift
        shift += 5
        if bits & 32:
            continue
        if bits & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    return tuple(runs)


_PARTS = {"box": _decode_box, "point": _decode_point, "polygon": _decode_polygon, "mask": _read_mask}


def place_to_json(place: Place) -> dict[str, Any]:
    """Return a place as a JSON object."""
    if isinstance(place, Mask):
        return {"mask": {"size": [place.size.width, place.size.height], "counts": list(place.counts)}}
    if isinstance(place, Polygon):
        return {"polygon": [list(p) for p in place.points], "in": str(place.convention)}
    name = "box" if isinstance(place, Box) else "point"
    return {name: list(place.numbers), "in": str(place.convention)}


def size_from_json(data: Mapping[str, Any]) -> Size:
    """Return a size from ``[width, height]``."""
    width, height = parse_numbers(get_field(data, "size", list), 2)
    if not isinstance(width, int) or not isinstance(height, int) or width < 1 or height < 1:
        raise WrongShape(f"a picture of {width} x {height} pixels", 'write "size": [640, 480]')
    return Size(width, height)
