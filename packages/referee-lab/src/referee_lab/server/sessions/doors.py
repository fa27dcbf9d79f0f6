"""Whether a study accepts new participants: open, closed, or open between two times.

Running sessions continue in any case.

Stored in data/doors.json beside the store, so that `referee study open|close|schedule` work while the server runs; the
server reads it for every new participant.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from referee.errors import InputError, MalformedInput
from referee.files import write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """`closed` shuts at once; `opens` and `closes` are seconds since 1970, None for no limit."""

    closed: bool = False
    opens: float | None = None
    closes: float | None = None

    def are_open(self, now: float) -> bool:
        """Return whether new participants are accepted at a time."""
        early = self.opens is not None and now < self.opens
        late = self.closes is not None and now >= self.closes
        return not (self.closed or early or late)

    def said(self) -> str:
        """Return the state of the study in one sentence: open, closed, or scheduled."""
        if self.closed:
            return "closed: no enrolment"
        times = [
            f"{word} {_format_time(at)}"
            for word, at in (("from", self.opens), ("until", self.closes))
            if at is not None
        ]
        return f"open {' '.join(times)}".strip()


def read_doors(folder: Path) -> Doors:
    """Return the opening state of a study; open if none is stored."""
    path = _get_path(folder)
    try:
        return Doors(**json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return Doors()
    except (ValueError, TypeError) as error:
        raise MalformedInput(
            f"not readable ({error})", where=path, remedy="delete it, or say `referee study open`"
        ) from None


def set_doors(folder: Path, doors: Doors) -> None:
    """Store the opening state. Raises InputError if the study would close before it opens."""
    path = _get_path(folder)
    if doors.opens is not None and doors.closes is not None and doors.opens >= doors.closes:
        raise InputError("the study would close before it opens", remedy="give --opens before --closes")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [json.dumps(asdict(doors))])


def parse_time(text: str) -> float:
    """Return a time such as 2026-11-20T09:00+01:00 as seconds since 1970; without a zone it is local.

    Without it is the machine's own.
    """
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise InputError(
            f"{text!r} is not a time", remedy="for example 2026-11-20T09:00 or 2026-11-20T09:00+01:00"
        ) from None


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _get_path(folder: Path) -> Path:
    return folder / "data" / "doors.json"
