"""`referee docs`: the pages of the documentation, in the terminal."""

from __future__ import annotations

from pathlib import Path

from referee.cli.help_page import find_help_width, list_entries
from referee.errors import UnknownName

PAGES = Path(__file__).parent.parent / "docs"
"""The folder of pages: a link to docs/ in a checkout, the pages themselves in a wheel."""

MOVED = {"tangram-speech": "tangram-recording"}
"""Pages that were merged into others: old names, which messages and links may still have, with the new ones."""

_HELP = """Usage: referee docs [PAGE]

Print a page of the documentation as Markdown; without a name, list the pages.

Examples:
  referee docs score
  referee docs corpora | less"""


def run(args: list[str]) -> int:
    """Print the page that `args` names, or the list of pages."""
    if "--help" in args or "-h" in args:
        print(_HELP)
        return 0
    pages = {path.stem: path for path in sorted(PAGES.glob("*.md"))}
    if not args:
        print(list_entries({name: _read_title(path) for name, path in pages.items()}, find_help_width()))
        return 0
    name = args[0].removesuffix(".md")
    name = MOVED.get(name, name)
    if name not in pages:
        raise UnknownName("page of the documentation", name, pages, hint="list them with `referee docs`")
    print(pages[name].read_text("utf-8").rstrip())
    return 0


def _read_title(path: Path) -> str:
    """Return the first heading of a page of documentation."""
    with path.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").rstrip() for line in lines if line.startswith("# ")), path.stem)
