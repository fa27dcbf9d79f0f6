"""The study folder for a room of any kind: every participant has one trial, the room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.records import Trial
from referee_lab.study.design.designs import Request, lay_out
from referee_lab.study.folder.draft import Draft, Extra, write_study
from referee_lab.study.folder.study import Study


def write_room_study(
    path: str | Path,
    *,
    protocol: str,
    title: str,
    id: str,
    trial: Trial,
    source: str,
    participants: int,
    language: str,
    mode: str,
    seed: int,
    settings: Mapping[str, Any],
    practice: Sequence[Extra] = (),
    pictures: Path | None = None,
) -> Study:
    """Write the study folder; `settings` are settings of the protocol beside its defaults."""
    draft = Draft(
        id=id,
        title=title,
        protocol=protocol,
        participants=participants,
        layout=lay_out("all", Request(items=(trial.id,), conditions=(), participants=participants, seed=seed)),
        conditions=(),
        trials=[trial],
        outputs=[],
        language=language,
        mode=mode,
        seed=seed,
        source=source,
        practice=practice,
        pictures=pictures,
        fields={
            "study": {"contact": "the organisers of this study"},
            "protocol": settings,
            "design": {"order": "fixed"},
            # A room takes long and saves a single answer at its end: the place must not run out under it.
            "policy": {"reserve_minutes": 240.0},
            # Participants are identified by personal links.
            **({"recruitment": {"platform": "link"}} if settings.get("pairing") == "invited" else {}),
        },
    )
    return write_study(path, draft)
