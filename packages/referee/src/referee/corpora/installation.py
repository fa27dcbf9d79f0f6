"""Installs a corpus in the data folder.

Downloaded or copied to a temporary folder, read once as a check, and then renamed into place.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from referee.errors import CannotWrite, InputError, MalformedInput
from referee.files import put_in_place

Progress = Callable[[int, int | None], None]
LARGEST = 4 * 1024**3  # limit on the unpacked size: far above any corpus, far below a full disk
_BLOCK = 1 << 16
_PATIENCE_S = 60


def is_url(source: str) -> bool:
    return urlsplit(source).scheme in ("http", "https")


def install(
    source: str,
    target: Path,
    files: Iterable[str],
    verify: Callable[[Path], None],
    keep: bool = False,
    progress: Progress = lambda done, total: None,
) -> None:
    """Copy, unpack or download a corpus into a folder, and keep it only if `verify` can read it.

    `files` are the names that a reader needs: in an archive they may be in some folder of it. With `keep`, existing
    content of `target` stays unless a new file has its name. After any error, `target` is unchanged.
    """
    with _open_temporary_folder(target) as partial:
        fresh = partial / "new"
        fetched = _download(source, partial, progress) if is_url(source) else Path(source)
        _unpack(fetched, fresh)
        source_folder = _find_root(fresh, tuple(files))
        if keep and target.exists():
            merged = partial / "merged"
            shutil.copytree(target, merged)
            source_folder = Path(shutil.copytree(source_folder, merged, dirs_exist_ok=True))
        verify(source_folder)
        put_in_place(source_folder, target, overwrite=True)


@contextlib.contextmanager
def _open_temporary_folder(target: Path) -> Iterator[Path]:
    """Yield a temporary folder beside the target; file-system errors in the block become CannotWrite."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as partial:
            yield Path(partial)
    except OSError as error:
        raise CannotWrite(
            f"cannot be installed ({error.strerror or error})",
            where=target,
            remedy="check permissions and free space, or name another --data folder",
        ) from None


def _download(address: str, folder: Path, progress: Progress) -> Path:
    """Download a file and return its path. Raises InputError if the download fails."""
    name = Path(unquote(urlsplit(address).path)).name or "download"
    path = folder / name
    try:
        with (
            urlopen(Request(address, headers={"User-Agent": "referee"}), timeout=_PATIENCE_S) as answer,
            path.open("wb") as file,
        ):
            total = int(answer.headers.get("Content-Length") or 0) or None
            done = 0
            while block := answer.read(_BLOCK):
                done += file.write(block)
                progress(done, total)
    except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
        raise InputError(
            f"cannot be fetched ({getattr(error, 'reason', None) or error})",
            where=address,
            remedy="check the address, or download it yourself and name the file",
        ) from None
    # A connection that is closed early ends without an error: only the announced length tells.
    if total is not None and done < total:
        raise InputError(f"the download stopped after {done} of {total} bytes", where=address, remedy="try again")
    return path


def _unpack(source: Path, folder: Path) -> None:
    """Copy a folder or file, or unpack a zip archive, into a folder."""
    if source.is_dir():
        # Hidden files (.git, .DS_Store) are not part of the corpus.
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".*"))
        for copy in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
            copy.chmod(0o755)  # the source may be read-only, and such a folder could neither be moved nor removed
    elif zipfile.is_zipfile(source):
        _unzip(source, folder)
    elif source.is_file():
        folder.mkdir()
        shutil.copy(source, folder / source.name)
    else:
        raise InputError(
            "there is no such file or folder", where=source, remedy="check the name, or give an http(s) address"
        )


def _unzip(source: Path, folder: Path) -> None:
    """Unpack an archive. Raises MalformedInput if it is damaged or too large."""
    try:
        with zipfile.ZipFile(source) as archive:
            # Asked before unpacking, for a small archive can fill a disk.
            size = sum(member.file_size for member in archive.infolist())
            if size > LARGEST:
                raise MalformedInput(
                    f"would unpack to {size:,} bytes", where=source, remedy="unpack it yourself and name the folder"
                )
            archive.extractall(folder)  # which drops absolute names and ".." on its own
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise MalformedInput(
            f"the archive cannot be unpacked ({error})", where=source, remedy="copy or download it again"
        ) from None


def _find_root(folder: Path, files: tuple[str, ...]) -> Path:
    """Return the uppermost folder that has all files of the corpus.

    The given folder if there is none (the reader reports the missing files).
    """
    folders = sorted((folder, *(p for p in folder.rglob("*") if p.is_dir())), key=lambda p: (len(p.parts), p))
    return next((p for p in folders if files and all((p / name).exists() for name in files)), folder)
