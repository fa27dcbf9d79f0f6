"""The location of corpora: the folder of --data or REFEREE_DATA, never inside the package."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from referee.errors import DataNotFound


def locate(data: str | Path | None, folder_name: str, files: Iterable[str], corpus: str = "") -> Path:
    """Return the folder with a corpus's files: DATA/folder_name, or DATA itself if it has the files.

    `corpus` is the name for users, if it differs from the folder's.
    """
    name = corpus or folder_name
    root = data or os.environ.get("REFEREE_DATA")
    if not root:
        raise DataNotFound(
            f"no folder of corpora is known, so the corpus {name!r} cannot be found",
            remedy=f"name the folder with --data or REFEREE_DATA, or install it: referee corpus add {name} PATH",
        )
    names = tuple(files)
    for folder in (Path(root) / folder_name, Path(root)):
        if all((folder / f).exists() for f in names):
            return folder
    raise DataNotFound(
        f"the corpus {name!r} is not here (looked for {', '.join(names)})",
        where=root,
        remedy=f"point --data or REFEREE_DATA to a folder that has {folder_name}/, or: referee corpus add {name} PATH",
    )


def compute_checksum(paths: Iterable[Path]) -> str:
    """Return one SHA-256 over the contents of several files, in the order of their names."""
    total = hashlib.sha256()
    for path in sorted(paths, key=lambda p: p.name):
        # A digest of digests, so that the boundaries between files matter.
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
