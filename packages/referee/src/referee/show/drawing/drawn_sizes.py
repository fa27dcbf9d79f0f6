"""The drawn size of a thing within its cell, for the size words that the corpora use."""

from __future__ import annotations

from collections.abc import Mapping

from referee.records import Entity

__all__ = ["SCALES", "height_of", "scale_of"]

SCALES = {"large": 1.0, "big": 1.0, "medium": 0.75, "regular": 0.75, "small": 0.52}
# Between large and medium, so that no size is suggested.
UNSAID = 0.8
STANDING = 0.72  # from the floor to the middle of a cube's upper face, where the next object stands, in cells


def scale_of(values: Mapping[str, str]) -> tuple[float, tuple[str, ...]]:
    """Return the scale and the attribute that specifies it (none where the size is missing or unknown)."""
    scale = SCALES.get(values.get("size", ""))
    return (UNSAID, ()) if scale is None else (scale, ("size",))


def height_of(entity: Entity) -> float:
    """Return the height at which something on top of this entity begins, in cells."""
    return STANDING * scale_of({p.name: p.value for p in entity.attributes})[0]
