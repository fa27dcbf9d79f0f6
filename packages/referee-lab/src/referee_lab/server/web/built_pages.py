"""The pages in the browser, as built from browser/ into the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from referee.errors import InputError

STATIC = Path(str(files("referee_lab"))) / "static"
REMEDY = "in a checkout run `make bundle` (it brings Node along), or install a released package"


def find_missing_pages(*pages: str, static: Path | None = None) -> list[str]:
    """Return the names of the pages of which a file has not been built."""
    folder = STATIC if static is None else static
    return [page for page in pages if not all((folder / f"{page}.{kind}").is_file() for kind in ("html", "js", "css"))]


def require_pages(*pages: str, static: Path | None = None) -> None:
    """Raise InputError for a page that has not been built.

    Without it the server would show people nothing.
    """
    if missing := find_missing_pages(*pages, static=static):
        raise InputError(
            f"{len(missing)} pages of this command have not been built ({', '.join(missing)})",
            where=STATIC if static is None else static,
            remedy=REMEDY,
        )
