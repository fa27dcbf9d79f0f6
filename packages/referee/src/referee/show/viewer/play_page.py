"""The routes of the playground: its page, and the requests of the page."""

from __future__ import annotations

from collections.abc import Mapping

from referee.errors import InputError
from referee.show.pages import page_asset, page_script
from referee.show.viewer.local_server import Answering, Question, ServedPage, as_json
from referee.show.viewer.playground import Playground

__all__ = ["play_routes"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def play_routes(play: Playground) -> dict[str, Answering]:
    """Return handlers by method and path."""
    return {
        "GET /": _text(page_asset("play/play.html"), "text/html"),
        "GET /play.js": _text(page_script("play"), "text/javascript"),
        "GET /play.css": _text(page_asset("scene.css") + page_asset("play/play.css"), "text/css"),
        "GET /known": lambda asked: as_json(play.list_choices()),
        "GET /scene": lambda asked: as_json(play.scene_of(asked.query.get("corpus", ""), _number(asked.query))),
        "POST /look": lambda asked: as_json(play.look(_object(asked))),
        "POST /answer": lambda asked: as_json(play.answer(_object(asked))),
    }


def _text(content: str, kind: str) -> Answering:
    page = ServedPage(content.encode(), kind, POLICY)
    return lambda asked: page


def _number(query: Mapping[str, str]) -> int | None:
    written = query.get("number", "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None


def _object(asked: Question) -> Mapping[str, object]:
    """Return the body of a request. Raises InputError if it is no object."""
    if not isinstance(asked.body, dict):
        raise InputError("what was sent is no object", remedy="reload the page")
    return asked.body
