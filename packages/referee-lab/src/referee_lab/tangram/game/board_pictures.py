"""A state of the Tangram board as a picture.

SVG for pages and reports, pixels for animations; all pieces have one colour, as in REX-J (Tokunaga et al. 2010).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.errors import naming_extra
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.piece_sets import select_custom

if TYPE_CHECKING:
    from PIL.Image import Image


TABLE, PIECE, EDGE = "#f4f1ea", "#4a6670", "#ffffff"
CURSOR = "#b3261e"
# The tip is at (0, 0).
ARROW = ((0, 0), (0, 24), (6, 18), (10, 27), (14, 25), (10, 17), (18, 17))
# Painted twice as large and reduced, for Pillow's polygons have hard edges.
SMOOTH = 2


def draw_board(
    board: Board,
    *,
    cursor: tuple[float, float] | None = None,
    numbers: bool = False,
) -> str:
    """Return a board as SVG in its own units."""
    width, height = board.area
    shapes = [f'<rect width="{width:g}" height="{height:g}" fill="{TABLE}"/>']
    for piece in board.order:
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in board.corners(piece))
        drawn = f'fill="{_get_colour(piece)}" stroke="{EDGE}" stroke-width="2"'
        shapes.append(f'<polygon data-piece="{piece}" points="{points}" {drawn}/>')
    if numbers:
        style = (
            'text-anchor="middle" dominant-baseline="central" font-family="sans-serif" font-size="26" fill="#ffffff"'
        )
        for piece in board.order:
            placed = board.placements[piece]
            shapes.append(f'<text x="{placed.x:g}" y="{placed.y:g}" {style}>{piece}</text>')
    if cursor is not None:
        points = " ".join(f"{cursor[0] + x:.2f},{cursor[1] + y:.2f}" for x, y in ARROW)
        shapes.append(f'<polygon class="cursor" points="{points}" fill="{CURSOR}" stroke="{EDGE}" stroke-width="1.5"/>')
    box = f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="Tangram board"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(shapes)}</svg>'


def _get_colour(piece: str) -> str:
    """Return the colour of a piece: one for all, as in REX-J; custom pieces have their own colours."""
    custom_pieces = select_custom([piece])
    return custom_pieces[0].colour if custom_pieces else PIECE


def paint_board(board: Board, *, numbers: bool = False, width: int = 600) -> Image:
    """Return a board as pixels."""
    with naming_extra():
        from PIL import Image, ImageDraw, ImageFont
    scale = SMOOTH * width / board.area[0]
    image = Image.new("RGB", (SMOOTH * width, round(scale * board.area[1])), TABLE)
    brush = ImageDraw.Draw(image)
    for piece in board.order:
        points = [(scale * x, scale * y) for x, y in board.corners(piece)]
        brush.polygon(points, fill=_get_colour(piece), outline=EDGE, width=SMOOTH)
    if numbers:
        letters = ImageFont.load_default(scale * 30)
        for piece, placed in board.placements.items():
            brush.text((scale * placed.x, scale * placed.y), piece, fill=EDGE, font=letters, anchor="mm")
    return image.reduce(SMOOTH)
