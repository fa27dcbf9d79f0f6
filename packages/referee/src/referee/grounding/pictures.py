"""Pictures from outside, opened with care.

Named inside their folder, of a known kind, not larger than pictures are, and whole.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, MalformedInput, naming_extra
from referee.geometry import Resize, ScenePicture, Size

if TYPE_CHECKING:
    from PIL.Image import Image

KINDS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
MOST_PIXELS = 100_000_000
MOST_BYTES = 200_000_000
REMEDY = "convert it to PNG, JPEG or WebP, or copy it again"


def inside(folder: str | Path, name: str) -> Path:
    """Return the file of that name in a folder; a name that leads out of it is refused, by links too."""
    base = Path(folder).resolve()
    path = (base / name).resolve()
    if "\x00" in name or not path.is_relative_to(base):
        raise InputError(
            f"the picture {name!r:.80} is not in its folder",
            where=folder,
            remedy="name a file inside the folder, without ..",
        )
    if not path.is_file():
        raise InputError(
            f"there is no picture {name!r:.80}",
            where=folder,
            remedy="copy the pictures there, or score recorded answers without them",
        )
    return path


def size_of(path: str | Path) -> Size:
    """Return width and height from a picture's header, without unpacking it."""
    with _open_picture(Path(path)) as picture:
        return Size(*picture.size)


def size_of_content(content: Any) -> Size | None:
    """Return width and height of the bytes of a picture.

    None where they are no picture, or the extra sight is not installed.
    """
    if not isinstance(content, bytes) or find_spec("PIL") is None:
        return None
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content)) as picture:
            return Size(*picture.size)
    except (UnidentifiedImageError, Image.DecompressionBombError):
        return None


def open_picture(path: str | Path) -> Image:
    """Return a picture in RGB, upright and fully decoded.

    Raises InputError for a bomb, a truncated file or another kind.
    """
    with naming_extra():
        from PIL import ImageOps

    with _decode_picture(Path(path)) as picture:
        picture.load()
        # Photographs may declare a rotation; boxes refer to the upright picture.
        upright = ImageOps.exif_transpose(picture)
        return (upright or picture).convert("RGB")


def check_whole(path: str | Path) -> None:
    """Decode every frame of a picture. Raises InputError for a truncated file or another kind."""
    with naming_extra():
        from PIL import ImageSequence

    with _decode_picture(Path(path)) as picture:
        for frame in ImageSequence.Iterator(picture):
            frame.load()


@contextmanager
def _decode_picture(path: Path) -> Iterator[Image]:
    """Yield an opened picture; the decoder's errors become an InputError."""
    with _open_picture(path) as picture:
        try:
            yield picture
        except (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, ZeroDivisionError) as error:
            raise MalformedInput(f"the picture cannot be unpacked ({error})", where=path, remedy=REMEDY) from None


def thumbnail(path: str | Path, longest: int) -> Image:
    """Return a picture with its longer side at most that many pixels."""
    picture = open_picture(path)
    picture.thumbnail((longest, longest))
    return picture


def resized(picture: Image, by: Resize) -> Image:
    """Return a picture resized by a rule; where the rule pads, with grey on both sides."""
    with naming_extra():
        from PIL import Image as images

    size = Size(*picture.size)
    if by.pads:
        longest, corner = max(picture.size), by.padding(size)
        padded = images.new("RGB", (longest, longest), (127, 127, 127))
        padded.paste(picture, corner)
        picture = padded
    sent = by.sent(size)
    return picture if picture.size == (sent.width, sent.height) else picture.resize((sent.width, sent.height))


def _open_picture(path: Path) -> Image:
    """Return an opened picture. Raises InputError if it is too large or no picture."""
    with naming_extra():
        from PIL import Image, UnidentifiedImageError

    # Below Pillow's own warning, which would be no error.
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        if path.stat().st_size > MOST_BYTES:
            raise MalformedInput("more than 200 MB: too large for a picture", where=path, remedy=REMEDY)
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(path, formats=KINDS)
    except UnidentifiedImageError:
        raise MalformedInput(
            f"not a picture that can be read ({', '.join(KINDS)})", where=path, remedy=REMEDY
        ) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        problem = f"more than {MOST_PIXELS:,} pixels when unpacked"
        raise MalformedInput(
            problem, where=path, remedy="make it smaller; such a file could exhaust the memory"
        ) from None
    except (OSError, SyntaxError, ValueError) as error:
        raise MalformedInput(f"the picture cannot be opened ({error})", where=path, remedy=REMEDY) from None
    if picture.size[0] * picture.size[1] > MOST_PIXELS:
        raise MalformedInput(f"more than {MOST_PIXELS:,} pixels when unpacked", where=path, remedy="make it smaller")
    return picture


def encode_png(picture: Image) -> bytes:
    """Return a picture as PNG."""
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def checked(folder: str | Path, picture: ScenePicture) -> Path:
    """Return the file of a scene's picture, after checking its declared size and hash."""
    path = inside(folder, picture.path)
    if picture.size is not None and (actual_size := size_of(path)) != picture.size:
        raise InputError(
            f"the picture is {actual_size} and not {picture.size}",
            where=path,
            remedy="regions refer to the original: use the picture in its original size",
        )
    if picture.sha256 is not None and hashlib.sha256(path.read_bytes()).hexdigest() != picture.sha256:
        raise InputError(
            "this is another picture than the one that regions were drawn on (its hash differs)",
            where=path,
            remedy="copy it again",
        )
    return path
