"""A state of the Tangram board as a picture.

SVG for pages and reports, pixels for animations; all pieces have one colour, as in REX-J (Tokunaga et al. 2010).
"""

from __future__ import annotations

from collections.abc import Collection
from html import escape
from typing import TYPE_CHECKING

from referee.errors import naming_extra
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.goals import Goal, format_outline
from referee_lab.tangram.game.piece_sets import select_custom

if TYPE_CHECKING:
    from PIL.Image import Image


TABLE, PIECE, EDGE = "#f4f1ea", "#4a6670", "#ffffff"
LIT, CURSOR, INK, SHADE = "#d9822b", "#b3261e", "#1d2a30", "#d8d2c4"
COLOURS = (TABLE, PIECE, EDGE, LIT, CURSOR, INK)
# The tip is at (0, 0).
ARROW = ((0, 0), (0, 24), (6, 18), (10, 27), (14, 25), (10, 17), (18, 17))
# Painted twice as large and reduced, for Pillow's polygons have hard edges.
SMOOTH = 2
# In units of the board, as everything that is scaled with it.
CAPTION = 70


def draw_board(
    board: Board,
    *,
    goal: Goal | None = None,
    cursor: tuple[float, float] | None = None,
    numbers: bool = False,
    highlight: Collection[str] = (),
    title: str = "Tangram board",
) -> str:
    """Return a board as SVG in its own units.

    The goal, if given, is a shade in the middle under the pieces.
    """
    width, height = board.area
    shapes = [f'<rect width="{width:g}" height="{height:g}" fill="{TABLE}"/>']
    if goal is not None:
        place = f"translate({width / 2:g} {height / 2:g})"
        shapes.append(f'<path d="{format_outline(goal)}" transform="{place}" fill="{SHADE}" fill-rule="evenodd"/>')
    for piece in board.order:
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in board.corners(piece))
        fill = LIT if piece in highlight else _get_colour(piece)
        drawn = f'fill="{fill}" stroke="{EDGE}" stroke-width="2"'
        shapes.append(f'<polygon data-piece="{piece}" points="{points}" {drawn}/>')
    if numbers:
        shapes += [_draw_number(piece, board) for piece in board.order]
    if cursor is not None:
        points = " ".join(f"{cursor[0] + x:.2f},{cursor[1] + y:.2f}" for x, y in ARROW)
        shapes.append(f'<polygon class="cursor" points="{points}" fill="{CURSOR}" stroke="{EDGE}" stroke-width="1.5"/>')
    box = f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(shapes)}</svg>'


def _get_colour(piece: str) -> str:
    """Return the colour of a piece: one for all, as in REX-J; custom pieces have their own colours."""
    custom_pieces = select_custom([piece])
    return custom_pieces[0].colour if custom_pieces else PIECE


def _draw_number(piece: str, board: Board) -> str:
    """Return the number of a piece as an SVG text at its centroid."""
    placed = board.placements[piece]
    style = 'text-anchor="middle" dominant-baseline="central" font-family="sans-serif" font-size="26" fill="#ffffff"'
    return f'<text x="{placed.x:g}" y="{placed.y:g}" {style}>{piece}</text>'


def paint_board(
    board: Board,
    *,
    cursor: tuple[float, float] | None = None,
    numbers: bool = False,
    highlight: Collection[str] = (),
    caption: str | None = None,
    width: int = 600,
) -> Image:
    """Return a board as pixels, with the caption below it (an empty text leaves the line blank)."""
    with naming_extra():
        from PIL import Image, ImageDraw, ImageFont
    scale = SMOOTH * width / board.area[0]
    below = 0 if caption is None else CAPTION
    size = (SMOOTH * width, round(scale * (board.area[1] + below)))
    image = Image.new("RGB", size, TABLE)
    brush = ImageDraw.Draw(image)
    for piece in board.order:
        points = [(scale * x, scale * y) for x, y in board.corners(piece)]
        brush.polygon(points, fill=LIT if piece in highlight else _get_colour(piece), outline=EDGE, width=SMOOTH)
    letters = ImageFont.load_default(scale * 30)
    if numbers:
        for piece, placed in board.placements.items():
            brush.text((scale * placed.x, scale * placed.y), piece, fill=EDGE, font=letters, anchor="mm")
    if cursor is not None:
        tip = [(scale * (cursor[0] + 1.4 * x), scale * (cursor[1] + 1.4 * y)) for x, y in ARROW]
        brush.polygon(tip, fill=CURSOR, outline=EDGE)
    if caption is not None:
        brush.rectangle((0, scale * board.area[1], *size), fill=INK)
        brush.text((scale * 16, scale * (board.area[1] + below / 2)), caption, fill=EDGE, font=letters, anchor="lm")
    return image.reduce(SMOOTH)
