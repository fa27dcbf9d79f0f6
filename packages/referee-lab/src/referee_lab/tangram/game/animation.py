"""A recording as a moving picture for papers and talks: GIF, WebP or MP4; drawn from the log, never filmed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import CannotWrite, InputError
from referee.records import Event
from referee_lab.tangram.game.board_pictures import COLOURS, paint_board
from referee_lab.tangram.game.log import STATES, Moment, Recording, replay
from referee_lab.tangram.tiers.rex_tiers import utterances

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["animated", "frames", "save_animation"]

CAPTION_MS = 6_000


def frames(
    recording: Recording,
    *,
    fps: float = 10,
    speed: float = 1.0,
    start_ms: float = 0.0,
    end_ms: float | None = None,
    width: int = 600,
    cursor: bool = True,
    numbers: bool = False,
    captions: bool = True,
) -> Iterator[Image]:
    """The pictures of a stretch of a recording, one for each 1/fps second of watching; a moment without change shows the state before."""
    if fps <= 0 or speed <= 0:
        raise InputError("frames per second and speed must be above 0", remedy="for example fps 10, speed 4")
    said = utterances(recording)
    for t_ms, moment in _sampled(recording, 1000 * speed / fps, start_ms, end_ms):
        yield paint_board(
            moment.board,
            cursor=moment.cursor if cursor else None,
            numbers=numbers,
            caption=_caption(said, t_ms) if captions else None,
            width=width,
        )


def _sampled(
    recording: Recording, every_ms: float, start_ms: float, end_ms: float | None
) -> Iterator[tuple[float, Moment]]:
    """The moment that was on the screen at each time of a grid, up to the end inclusive."""
    moments = replay(recording)
    shown, coming = next(moments, None), next(moments, None)
    t_ms = start_ms
    while shown is not None and (end_ms is None or t_ms <= end_ms):
        while coming is not None and coming.t_ms <= t_ms:
            shown, coming = coming, next(moments, None)
        yield t_ms, shown
        # Without an end of its own the film stops once the last change has been shown.
        if coming is None and end_ms is None:
            return
        t_ms += every_ms


def _caption(said: tuple[Event, ...], t_ms: float) -> str:
    """What the players last saw of their talk, for as long as one would look at it."""
    times = [(u.data.get("shown_ms", u.start_ms), u) for u in said]
    recent = [(shown, u) for shown, u in times if t_ms - CAPTION_MS <= shown <= t_ms]
    last = max(recent, key=lambda pair: pair[0], default=None)
    return "" if last is None else f"{last[1].by}: {last[1].text}"


def animated(
    recording: Recording, kind: str = "gif", *, fps: float = 10, speed: float = 1.0, **options: object
) -> bytes:
    """An animated GIF or WebP; options as for `frames`."""
    if kind not in ("gif", "webp"):
        raise InputError(f"no animated picture of kind {kind!r}", remedy="use gif or webp")
    pictures = frames(recording, fps=fps, speed=speed, **options)  # type: ignore[arg-type]
    first = next(pictures, None)
    if first is None:
        raise InputError("the recording shows no board", remedy="record a session with a start entry")
    rest: Iterator[Image] = pictures
    if kind == "gif":
        reduce = partial(_few_colours, palette=_palette(_own_colours(recording)))
        first = reduce(first)
        rest = map(reduce, pictures)
    out = io.BytesIO()
    first.save(out, kind.upper(), save_all=True, append_images=rest, duration=round(1000 / fps), loop=0)
    return out.getvalue()


def _own_colours(recording: Recording) -> tuple[str, ...]:
    """Colours of own pieces, which the recording brings with its first state."""
    states: Iterator[dict[str, Any]] = (e.data["state"] for e in recording.entries if e.kind in STATES)
    return tuple(sorted({piece["colour"] for piece in next(states, {}).get("own", {}).values()}))


def _few_colours(picture: Image, palette: bytes) -> Image:
    """A GIF holds few colours: those of the picture and the mixtures along its edges, the same in every frame so that nothing flickers."""
    from PIL import Image

    chosen = Image.new("P", (1, 1))
    chosen.putpalette(palette)
    # Dithering would crawl from frame to frame.
    return picture.quantize(palette=chosen, dither=Image.Dither.NONE)


@cache
def _palette(own: tuple[str, ...] = ()) -> bytes:
    pure = [tuple(bytes.fromhex(colour[1:])) for colour in (*COLOURS, *own)]
    # Three steps between every two colours, as smoothing leaves them along edges: 51 of the 256 a GIF may have.
    mixed = [
        tuple((part * a + (4 - part) * b) // 4 for a, b in zip(one, other, strict=True))
        for one, other in combinations(pure, 2)
        for part in (1, 2, 3)
    ]
    return bytes(chain.from_iterable([*pure, *mixed][:256]))


def save_animation(recording: Recording, path: str | Path, **options: object) -> Path:
    """Writes .gif, .webp or .mp4, as the name says; options as for `frames`."""
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind == "mp4":
        _film(recording, target, **options)  # type: ignore[arg-type]
        return target
    content = animated(recording, kind, **options)  # type: ignore[arg-type]
    try:
        target.write_bytes(content)
    except OSError as error:
        raise CannotWrite(f"cannot be written: {error.strerror}", where=target, remedy="name another place") from None
    return target


def _film(recording: Recording, target: Path, fps: float = 10, **options: object) -> None:
    """Write the frames as H.264 in MP4."""
    import av
    import numpy as np

    pictures = frames(recording, fps=fps, **options)  # type: ignore[arg-type]
    first = next(pictures, None)
    if first is None:
        raise InputError("the recording shows no board", remedy="record a session with a start entry")
    try:
        with av.open(str(target), "w") as film:
            stream = film.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
            # With 4:2:0 colour both sides have to be even.
            stream.width, stream.height, stream.pix_fmt = first.width & ~1, first.height & ~1, "yuv420p"
            shown = (0, 0, stream.width, stream.height)
            for picture in chain([first], pictures):
                film.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(picture.crop(shown)), format="rgb24")))
            film.mux(stream.encode(None))
    except av.FFmpegError as error:
        raise CannotWrite(f"cannot be written: {error.strerror}", where=target, remedy="name another place") from None
