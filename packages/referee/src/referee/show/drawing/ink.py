"""The SVG elements of the drawings, with all outside text escaped.

Elements have no ids, style sheets or references, so any number of pictures can share a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]
FONT = "Arial, Helvetica, sans-serif"
# XML 1.0 has no form for these characters, not even an escaped one.
UNWRITABLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def number(value: float) -> str:
    """Return a coordinate with at most two decimals: equal pictures are equal texts everywhere."""
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    # Rounding may leave a minus before nothing.
    return "0" if written == "-0" else written


def escape_xml(words: str) -> str:
    """Return text for XML: markup escaped, forbidden characters replaced."""
    return escape(UNWRITABLE.sub("\ufffd", words))


def make_element(name: str, content: str | None = None, /, **attributes: object) -> str:
    """Return one element; underscores in attribute names become hyphens, and None omits an attribute."""
    written = "".join(
        f" {key.replace('_', '-')}={quoteattr(number(value) if isinstance(value, (int, float)) else str(value))}"
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def group(content: str, /, **attributes: object) -> str:
    return make_element("g", content, **attributes)


def path(d: str, fill: str = "none", /, **more: object) -> str:
    return make_element("path", d=d, fill=fill, **more)


def circle(x: float, y: float, r: float, fill: str, /, **more: object) -> str:
    return make_element("circle", cx=x, cy=y, r=r, fill=fill, **more)


def ellipse(x: float, y: float, rx: float, ry: float, fill: str, /, **more: object) -> str:
    return make_element("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=fill, **more)


def rect(x: float, y: float, width: float, height: float, fill: str, /, **more: object) -> str:
    return make_element("rect", x=x, y=y, width=width, height=height, fill=fill, **more)


def polygon(points: Iterable[Point], fill: str, /, **more: object) -> str:
    return make_element("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), fill=fill, **more)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1.0, /, **more: object) -> str:
    """Return an SVG line with round ends."""
    return make_element(
        "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, **{"stroke_linecap": "round"} | more
    )


def draw_text(words: str, x: float, y: float, size: float, /, **more: object) -> str:
    """Return words centred on a point."""
    look = {"fill": "#222", "text_anchor": "middle", "font_family": FONT, "font_size": size} | more
    return make_element("text", escape_xml(words), x=x, y=y, **look)
