"""Pictures from outside: bombs, halves, other kinds and ways out of the folder are refused with a clear error."""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from referee.errors import InputError, MalformedInput
from referee.geometry import ScenePicture, Size
from referee.grounding import pictures
from referee.grounding.pictures import checked, inside, open_picture, size_of, thumbnail


def png_header(width: int, height: int) -> bytes:
    """A PNG that says it is that large, and holds a few zeros."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "a.jpg"
    Image.effect_noise((64, 48), 90).convert("RGB").save(path)
    return path


def test_a_picture_is_opened(photo: Path) -> None:
    assert size_of(photo) == Size(64, 48)
    assert open_picture(photo).size == (64, 48)
    assert thumbnail(photo, 32).size == (32, 24)


def test_a_photograph_that_lies_on_its_side_is_turned(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (40, 20)).save(tmp_path / "side.jpg", exif=exif)
    assert open_picture(tmp_path / "side.jpg").size == (20, 40)


@pytest.mark.parametrize("side", [20_000, 60_000])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, side: int) -> None:
    (tmp_path / "bomb.png").write_bytes(png_header(side, side))
    with pytest.raises(MalformedInput, match="pixels when unpacked"):
        open_picture(tmp_path / "bomb.png")


def test_half_a_jpeg_is_refused(photo: Path) -> None:
    photo.write_bytes(photo.read_bytes()[:700])
    with pytest.raises(MalformedInput, match="cannot be unpacked"):
        open_picture(photo)


@pytest.mark.parametrize(
    "content", [b"", b"not a picture", b"<svg onload='x'/>", b"%!PS-Adobe-3.0 EPSF", b"\x89PNG\r\n\x1a\n"]
)
def test_other_things_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(MalformedInput):
        open_picture(tmp_path / "x.png")


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "a/../../secret.png", "link.png"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(b"x")
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(InputError, match="not in its folder"):
        inside(folder, name)


def test_a_missing_picture_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no picture"):
        inside(tmp_path, "nowhere.png")


def test_another_picture_than_the_scenes_is_told(photo: Path) -> None:
    right = hashlib.sha256(photo.read_bytes()).hexdigest()
    assert checked(photo.parent, ScenePicture(path="a.jpg", size=Size(64, 48), sha256=right)) == photo.resolve()
    with pytest.raises(InputError, match="64x48 and not 640x480"):
        checked(photo.parent, ScenePicture(path="a.jpg", size=Size(640, 480)))
    with pytest.raises(InputError, match="another picture"):
        checked(photo.parent, ScenePicture(path="a.jpg", sha256="0" * 64))


def test_pictures_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays flat over many pictures: what was opened is closed, and nothing keeps it."""
    import gc
    import weakref

    Image.new("RGB", (50, 50)).save(tmp_path / "a.png")
    seen = [weakref.ref(open_picture(tmp_path / "a.png")) for _ in range(50)]
    gc.collect()
    assert sum(r() is not None for r in seen) == 0
    assert pictures.MOST_PIXELS == Image.MAX_IMAGE_PIXELS
