"""Cards with words, for entities and attributes that no picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from referee.records import Property
from referee.show.drawing.ink import group, rect, text

TITLES = ("type", "name")
# About the mean width of a letter in Arial, as a share of its size.
WIDTH_OF_LETTER = 0.56
LINE = 1.25


def draw_card(properties: Sequence[Property]) -> str:
    """A framed card: the type (or name) large, everything else below it."""
    title = next((p for name in TITLES for p in properties if p.name == name), None)
    others = [p for p in properties if p is not title]
    frame = rect(4, 4, 92, 92, "#fbfaf7", rx=8, stroke="#8d887c", stroke_width=1.2)
    head = draw_words([title.value], 10, 8, 80, 24 if others else 80, most=26) if title else ""
    top = 34 if title else 10
    return frame + head + draw_words([_format_property(p) for p in others], 8, top, 84, 92 - top)


def _format_property(p: Property) -> str:
    return p.value if p.name in TITLES else f"{p.name}: {p.value}"


def with_words(marks: str, properties: Sequence[Property]) -> str:
    """Return a picture with the properties that it does not show written below it."""
    if not properties:
        return marks
    # Words never take half of the box.
    below = min(8 + 7 * len(properties), 46)
    share = (100 - below) / 100
    picture = group(marks, transform=f"translate({50 * (1 - share):g} 0) scale({share:g})")
    return picture + draw_words([_format_property(p) for p in properties], 2, 100 - below, 96, below - 2)


def draw_words(lines: Sequence[str], x: float, y: float, width: float, height: float, most: float = 12) -> str:
    """Return lines of words as large as fits a box; long lines become smaller and are not cut."""
    if not lines:
        return ""
    # Several ways to break the lines; the one that allows the largest letters wins.
    wrapped = [[part for words in lines for part in _wrap(words, letters)] for letters in (8, 12, 16, 24, 36, None)]
    size, fitting = max(((_fit(parts, width, height, most), parts) for parts in wrapped), key=lambda pair: pair[0])
    first = y + (height - LINE * size * len(fitting)) / 2 + 0.95 * size
    return "".join(text(words, x + width / 2, first + i * LINE * size, size) for i, words in enumerate(fitting))


def _wrap(words: str, letters: int | None) -> list[str]:
    """Return lines broken at spaces only."""
    return [words] if letters is None else wrap(words, letters, break_long_words=False, break_on_hyphens=False) or [""]


def _fit(lines: Sequence[str], width: float, height: float, most: float) -> float:
    longest = max(1, *map(len, lines))
    return min(most, width / (WIDTH_OF_LETTER * longest), height / (LINE * len(lines)))
