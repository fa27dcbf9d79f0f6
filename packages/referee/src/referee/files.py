"""Files and folders that appear complete or not at all: written under a temporary name, synced, and renamed.

Referee writes all files for later reading with this module, so a killed process, a full disk or a second process never
leaves half a file, and the old file is only replaced by a complete new one.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from referee.errors import CannotWrite, InputError, MissingExtra, naming_extra

FOR_ALL, FOR_OWNER = 0o644, 0o600
_MARKED = 1 << 16
ELSEWHERE = "choose another name, or remove it"


_DATA_ENDING = re.compile(
    r"(.+)\.(?:csv|tsv|xlsx?|xlsb|ods|parquet|jsonl?|ndjson|eval|xml|txt|hyp|out|pred|gz|zip|pkl|pickle|npy)$",
    re.IGNORECASE,
)


def drop_endings(path: str | Path) -> str:
    """Return the name of a file without folders and endings of data files; other dots belong to the name.

    >>> drop_endings("out/Qwen2.5-VL-7B.jsonl.gz"), drop_endings("gpt-4.1.csv"), drop_endings("team.v2")
    ('Qwen2.5-VL-7B', 'gpt-4.1', 'team.v2')
    """
    name = re.split(r"[/\\]", str(path))[-1]
    while match := _DATA_ENDING.fullmatch(name):
        name = match[1]
    return name


def is_address(path: str | Path) -> bool:
    """Return whether a path is an address such as ``s3://bucket/file``, which fsspec opens.

    >>> is_address("s3://bucket/corpus.jsonl"), is_address("corpus.jsonl")
    (True, False)
    """
    return "://" in str(path)


def open_to_read(path: str | Path) -> BinaryIO:
    """Open a local file, or one at an address (with the extra ``remote``), for reading.

    Raises:
        OSError: where it cannot be opened.
        MissingExtra: where fsspec is not installed.
    """
    if not is_address(path):
        return Path(path).open("rb")
    with naming_extra():
        import fsspec

    opened: BinaryIO = fsspec.open(str(path), "rb").open()
    return opened


def expand_path(path: str | Path, endings: tuple[str, ...] = (".parquet",)) -> list[str]:
    """Return the files that match a pattern (``runs/*.jsonl``) or lie in a folder of tables, sorted.

    Raises:
        InputError: if no file matches a pattern.
    """
    text = str(path)
    if is_address(text):
        return _expand_address(text, endings)
    if Path(text).is_dir():
        tables = sorted(str(p) for p in Path(text).rglob("*") if p.name.lower().endswith(endings))
        return tables or [text]
    if not any(sign in text for sign in "*?[") or Path(text).exists():
        return [text]
    return sorted(glob.glob(text, recursive=True)) or _raise_no_match(text)  # noqa: PTH207 (a pattern may begin anywhere)


def _expand_address(address: str, endings: tuple[str, ...]) -> list[str]:
    """Return the files that match a remote address."""
    with naming_extra():
        import fsspec.core

    system, path = fsspec.core.url_to_fs(address)
    if any(sign in path for sign in "*?["):
        paths = sorted(system.glob(path)) or _raise_no_match(address)
    elif address.lower().endswith((".jsonl", ".json", ".gz", ".csv", ".tsv", ".xml", *endings)) or not system.isdir(
        path
    ):
        return [address]
    else:
        paths = sorted(p for p in system.find(path) if p.lower().endswith(endings))
    return [system.unstrip_protocol(path) for path in paths] or [address]


def _raise_no_match(pattern: str) -> list[str]:
    raise InputError(f"no file matches {pattern!r}", remedy="check the pattern, and put it into quotes in a shell")


def make_content_mark(path: str | Path) -> str | None:
    """Return a short fingerprint of a file (size, first and last bytes); None where it cannot be read."""
    try:
        with open_to_read(path) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            digest = hashlib.blake2b(file.read(_MARKED), digest_size=16)
            file.seek(max(0, size - _MARKED))
            digest.update(file.read())
            return f"{size}-{digest.hexdigest()}"
    except (OSError, MissingExtra):
        return None


def write_atomically(path: str | Path, lines: Iterable[str], mode: int = FOR_ALL) -> None:
    """Write lines to a text file, or to standard output for ``-``.

    The permissions of `mode` hold from the first byte on.
    """
    if str(path) == "-":
        for line in lines:
            print(line)
        return
    write_bytes(path, (f"{line}\n".encode() for line in lines), mode)


def write_bytes(path: str | Path, parts: Iterable[bytes], mode: int = FOR_ALL) -> None:
    """Write pieces of bytes to a file, replacing an older one."""
    path = Path(path)
    # Renaming onto /dev/null would replace the device by an ordinary file, if permissions allow.
    if path.exists() and not path.is_file():
        raise CannotWrite(
            "this is not a file that can be replaced", where=path, remedy="name a new or an ordinary file"
        )
    partial: Path | None = None
    try:
        # a temporary file is made with 0600, and opened to others only when all of it is there
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            partial = Path(file.name)
            file.writelines(parts)
            file.flush()
            # Before the rename: otherwise a power cut may leave the new name on an empty file, and the old content
            # gone.
            os.fsync(file.fileno())
        partial.chmod(mode)
        partial.replace(path)
    except OSError as error:
        raise CannotWrite(
            f"cannot be written ({error.strerror})",
            where=path,
            remedy="check the place, its permissions and free space",
        ) from None
    finally:
        if partial is not None:
            # After a rename there is nothing under this name any more; this is for whatever went wrong before it.
            partial.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(
            f"cannot make the folder ({error.strerror})", where=folder, remedy="choose another place"
        ) from None


@contextlib.contextmanager
def writing_folder(
    target: str | Path,
    overwrite: bool = False,
    replaceable: Callable[[Path], bool] = lambda folder: False,
    remedy: str = "choose another name, or add --overwrite to replace it",
) -> Iterator[Path]:
    """Yield a temporary folder that becomes `target` when the block succeeds and is removed when it fails."""
    target = Path(target)
    if target.exists() and not (overwrite and replaceable(target)):
        remedy = remedy if replaceable(target) else ELSEWHERE
        raise CannotWrite("a file or folder with this name exists already", where=target, remedy=remedy)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside the target and not in /tmp: a rename is only atomic within one file system.
        partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise CannotWrite(
            f"cannot make the folder ({error.strerror})", where=target, remedy="choose a place you may write to"
        ) from None
    try:
        yield partial
        # `mkdtemp` makes folders that only their owner may enter.
        partial.chmod(0o755)
        put_in_place(partial, target, overwrite)
    except OSError as error:
        raise CannotWrite(
            f"cannot be written ({error.strerror})",
            where=target,
            remedy="free some space, or choose a new path",
        ) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def put_in_place(partial: Path, target: Path, overwrite: bool) -> None:
    """Rename a finished folder to its target.

    The old folder stays beside it until the new one is in place; a folder that appeared meanwhile is not changed.
    """
    # The partial folder's name is unique, so two processes never move an old folder to the same place.
    old = partial.with_name(f"{partial.name}.old")
    if overwrite and target.exists():
        target.rename(old)
    try:
        # A folder cannot be renamed onto one that has something in it: whatever came meanwhile stays, and this fails.
        partial.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def hold_alone(path: Path, busy: str, remedy: str) -> BinaryIO:
    """Hold a lock file until it is closed or the process ends, even by kill -9.

    If another process holds it, raises InputError with `busy`, the process and the `remedy`.
    """
    while True:
        try:
            # Opened without truncation: until the lock is acquired, the content is the holder's number.
            file: BinaryIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, FOR_OWNER), "r+b", buffering=0)
        except OSError as error:
            raise CannotWrite(
                error.strerror or str(error), where=path, remedy="check the folder's permissions"
            ) from error
        try:
            _lock(file)
        except OSError:
            holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
            file.close()
            raise InputError(f"{busy}, by process {holder}", where=path.parent, remedy=remedy) from None
        # Its last holder may have removed the file between our opening and our locking it: then no other process sees our lock.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(file.fileno())):
                break
        file.close()
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    return file


def let_go(path: Path, lock: BinaryIO) -> None:
    """Remove a lock file and release it.

    Removed first: another process that comes between the two steps sees that it is held.
    """
    if os.name != "nt":  # Windows removes no open file; the file that stays is empty and blocks no process
        path.unlink(missing_ok=True)
    lock.close()


def _lock(file: BinaryIO) -> None:
    """Lock a file. Raises OSError if another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        file.seek(1 << 20)  # beyond the content, because locked bytes cannot be read there
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        file.seek(0)
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
