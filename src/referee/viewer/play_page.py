"""The playground at an address: its page and what the page asks."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from referee.errors import InputError
from referee.viewer.local_server import Answering, Question, ServedPage, as_json
from referee.viewer.playground import Playground

__all__ = ["play_routes"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
KINDS = {"js": "text/javascript", "css": "text/css"}


def play_routes(play: Playground) -> dict[str, Answering]:
    """What is answered, by method and path."""
    return {
        "GET /": lambda asked: ServedPage(_built("play.html"), "text/html", POLICY),
        **{f"GET /static/play.{kind}": _file(f"play.{kind}", name) for kind, name in KINDS.items()},
        "GET /known": lambda asked: as_json(play.known()),
        "GET /scene": lambda asked: as_json(play.scene_of(asked.query.get("corpus", ""), _number(asked.query))),
        "POST /look": lambda asked: as_json(play.look(_object(asked))),
        "POST /answer": lambda asked: as_json(play.answer(_object(asked))),
    }


def _file(name: str, kind: str) -> Answering:
    return lambda asked: ServedPage(_built(name), kind)


def _built(name: str) -> bytes:
    found = files("referee.studies") / "static" / name
    if not found.is_file():
        raise InputError("the pages have not been built here", remedy="in a checkout run `make bundle`")
    return found.read_bytes()


def _number(query: Mapping[str, str]) -> int | None:
    written = query.get("number", "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None


def _object(asked: Question) -> Mapping[str, object]:
    if not isinstance(asked.body, dict):
        raise InputError("what was sent is no object", remedy="reload the page")
    return asked.body
