"""One line of a recording, an annotation or a dialogue: a JSON object, or an error that names the line."""

from __future__ import annotations

import json
from typing import Any

from referee.errors import MalformedInput

__all__ = ["json_object"]


def json_object(line: str, where: str, number: int, remedy: str) -> dict[str, Any]:
    """Return the JSON object on a line. Raises MalformedInput with `remedy` for anything else."""
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise MalformedInput("not a JSON object", where=where, line=number, remedy=remedy)
    return row
