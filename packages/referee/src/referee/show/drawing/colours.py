"""The colour of a colour word, or of a triple of numbers.

The four colours of TUNA also differ in lightness (blue darkest, then red, grey, green), so that they remain distinct
for the common kinds of colour blindness; a test simulates these after Machado, Oliveira & Fernandes (2009).
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping

# TUNA's four are 57 apart in CIELAB at least, 29 for those who confuse red with green or blue with yellow.
NAMED = {
    "red": "#bd1b2b",
    "blue": "#1d4fa3",
    "green": "#79cd50",
    "grey": "#9b9ea4",
    "gray": "#9b9ea4",
    "yellow": "#f5cf2e",
    "orange": "#ee8722",
    "purple": "#7b3fa0",
    "pink": "#f39ac0",
    "brown": "#7a4a24",
    "black": "#2b2b2e",
    "white": "#ffffff",
    "cyan": "#5fdcea",
    "magenta": "#dd4fbb",
}
# Cream, for things without a colour.
PLAIN = "#e9e2d3"
HEX = re.compile(r"#[0-9a-fA-F]{6}")


def get_colour(values: Mapping[str, str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the colour of an object as ``#rrggbb`` and the attributes that give it; None without any."""
    for name in ("colour", "color"):
        word = values.get(name, "").lower()
        if word in NAMED or HEX.fullmatch(word):
            return NAMED.get(word, word), (name,)
    if channels := _parse_triple(values, ("rgb",), 255):
        # KTH writes the same colour twice, as rgb and as hsb.
        return _format_hex(*(c / 255 for c in channels)), ("rgb", *(n for n in ("hsb",) if n in values))
    if channels := _parse_hsl(values):
        hue, saturation, lightness = channels
        # colorsys puts lightness before saturation.
        return _format_hex(*colorsys.hls_to_rgb(hue / 360 % 1, lightness / 100, saturation / 100)), ("h", "s", "l")
    return None


def _parse_hsl(values: Mapping[str, str]) -> tuple[float, float, float] | None:
    """Return hue, saturation and lightness from three attributes.

    None if they are missing or out of range.
    """
    written = ",".join(values.get(name, "") for name in "hsl")
    channels = _parse_triple({"hsl": written}, ("hsl",), 360)
    return channels if channels and max(channels[1:]) <= 100 else None


def _parse_triple(values: Mapping[str, str], names: tuple[str, ...], most: float) -> tuple[float, float, float] | None:
    """Return three numbers from an attribute such as "60,120,200"; None if there are none."""
    for name in names:
        parts = values.get(name, "").split(",")
        if len(parts) == 3 and all(re.fullmatch(r"\s*\d{1,3}(\.\d+)?\s*", part) for part in parts):
            first, second, third = map(float, parts)
            if max(first, second, third) <= most:
                return first, second, third
    return None


def _format_hex(red: float, green: float, blue: float) -> str:
    return "#" + "".join(f"{round(255 * c):02x}" for c in (red, green, blue))


def mix(colour: str, other: str, share: float) -> str:
    """Return a colour mixed with a proportion of another."""
    pairs = zip(_parse_hex(colour), _parse_hex(other), strict=True)
    return _format_hex(*((1 - share) * a + share * b for a, b in pairs))


def outline(colour: str) -> str:
    """Return a darker outline colour that is visible on white."""
    # Pale colours need a darker line to stand out on white.
    return mix(colour, "#000000", 0.45 if sum(_parse_hex(colour)) < 2.4 else 0.6)


def _parse_hex(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
