"""Pictures show the board as it was: pieces, numbers, cursor, speech; moving ones have a frame for each step of time."""

from __future__ import annotations

import io

import av
import pytest
from lxml import etree
from PIL import Image

from referee.errors import CannotWrite, InputError
from referee_lab.tangram.game.animation import animated, frames, save_animation
from referee_lab.tangram.game.board import PIECES
from referee_lab.tangram.game.board_pictures import CURSOR, LIT, PIECE, TABLE, draw_board, draw_goal, paint_board
from referee_lab.tangram.game.bot_games import play
from referee_lab.tangram.game.goals import GOALS, solution
from referee_lab.tangram.game.log import state_at


@pytest.fixture(scope="module")
def played():
    return play(GOALS["cat"], 3)


def colour(name):
    return tuple(bytes.fromhex(name[1:]))


def test_the_svg_holds_every_piece_once_in_order():
    board = solution(GOALS["swan"])
    root = etree.fromstring(draw_board(board, goal=GOALS["boat"], cursor=(10, 20), numbers=True, highlight={"3"}))
    pieces = root.xpath("//*[@data-piece]")
    assert [p.get("data-piece") for p in pieces] == list(board.order)
    assert [p.get("data-piece") for p in pieces if p.get("fill") == LIT] == ["3"]
    assert sorted(root.xpath("//*[local-name()='text']/text()")) == sorted(PIECES)
    assert root.xpath("//*[@class='cursor']")[0].get("points").startswith("10.00,20.00")


def test_a_bare_svg_has_no_goal_numbers_or_cursor():
    text = draw_board(solution(GOALS["swan"]))
    assert "<text" not in text
    assert "<path" not in text
    assert "cursor" not in text


def test_the_goal_alone_is_one_path():
    assert len(etree.fromstring(draw_goal(GOALS["cat"]))) == 1


def test_pixels_lie_where_the_pieces_are():
    board = solution(GOALS["house"])
    picture = paint_board(board, highlight={"6"}, cursor=(100, 100))
    at = board.placements
    assert picture.getpixel((round(at["1"].x / 2), round(at["1"].y / 2))) == colour(PIECE)
    assert picture.getpixel((round(at["6"].x / 2), round(at["6"].y / 2))) == colour(LIT)
    assert picture.getpixel((5, 5)) == colour(TABLE)
    assert picture.getpixel((53, 60)) == colour(CURSOR)


def test_frames_follow_time_and_speed(played):
    pictures = list(frames(played, fps=5, speed=2, start_ms=10_000, end_ms=14_000, width=120))
    assert len(pictures) == 11  # 0, 0.4 … 4 seconds
    assert pictures[0].size[0] == 120


def test_a_frame_is_the_state_of_its_time(played):
    (picture,) = frames(played, start_ms=60_000, end_ms=60_000, captions=False, cursor=False)
    assert picture.tobytes() == paint_board(state_at(played, 60_000).board).tobytes()


@pytest.mark.parametrize("kind", ["gif", "webp"])
def test_moving_pictures_have_all_their_frames(played, kind):
    picture = Image.open(io.BytesIO(animated(played, kind, fps=5, end_ms=8_000, start_ms=6_000, width=120)))
    assert picture.is_animated
    assert 2 <= picture.n_frames <= 11


def test_a_gif_keeps_the_red_of_the_cursor(played):
    picture = Image.open(io.BytesIO(animated(played, "gif", fps=2, start_ms=8_000, end_ms=8_500, width=600)))
    colours = {c for _, c in picture.convert("RGB").getcolors(100_000)}
    assert colour(CURSOR) in colours


def test_a_gif_is_saved_under_its_name(played, tmp_path):
    path = save_animation(played, tmp_path / "cat.gif", fps=2, end_ms=1_000, width=60)
    assert path.read_bytes().startswith(b"GIF8")


def test_what_cannot_be_made_says_why(played, tmp_path):
    with pytest.raises(InputError, match="gif or webp"):
        animated(played, "png")
    with pytest.raises(InputError, match="above 0"):
        list(frames(played, fps=0))
    with pytest.raises(CannotWrite):
        save_animation(played, tmp_path / "no" / "cat.gif", fps=2, end_ms=500, width=60)


def test_a_film_has_the_frames_of_its_stretch(played, tmp_path):
    path = save_animation(played, tmp_path / "cat.mp4", fps=5, end_ms=2_000, width=121)
    with av.open(str(path)) as film:
        stream = film.streams.video[0]
        pictures = list(film.decode(stream))
        assert (stream.codec_context.name, stream.average_rate, stream.width) == ("h264", 5, 120)
    # from 0 to 2,000 ms, one every 200 ms, both ends shown
    assert len(pictures) == 11
    assert pictures[0].to_image().getpixel((2, 2)) != (0, 0, 0)
    with pytest.raises(CannotWrite):
        save_animation(played, tmp_path / "no" / "cat.mp4", fps=5, end_ms=500, width=60)
