"""A drawing as a PNG, for models and pages that cannot read SVG."""

from __future__ import annotations

__all__ = ["to_png"]


def to_png(svg: str, scale: float = 1.0) -> bytes:
    """The picture rendered, `scale` pixels to a unit of its width."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=scale))
