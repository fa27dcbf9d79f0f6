"""The study folder for a room of any kind, where every participant has one trial, the room; and the Tangram study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.records import Description, Entity, Property, Scene, Trial
from referee_lab.study.design.designs import Request, lay_out
from referee_lab.study.folder.draft import Draft, Extra, write_study
from referee_lab.study.folder.study import Study
from referee_lab.tangram.game.piece_sets import PIECES


def write_room_study(
    path: str | Path,
    *,
    protocol: str,
    title: str,
    id: str,
    trial: Trial,
    source: str,
    settings: Mapping[str, Any],
    language: str,
    participants: int = 24,
    mode: str = "debug",
    seed: int = 1,
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
            "protocol": settings,
            "design": {"order": "fixed"},
            # A room takes long and saves a single answer at its end: the place must not run out under it.
            "policy": {"reserve_minutes": 240.0},
            # Participants are identified by personal links.
            **({"recruitment": {"platform": "link"}} if settings.get("pairing") == "invited" else {}),
        },
    )
    return write_study(path, draft)


def make_tangram_study(
    path: str | Path,
    *,
    puzzles: Sequence[str] = (),
    partner: str = "person",
    language: str = "en",
    id: str = "tangram",
    practice: bool = True,
    settings: Mapping[str, Any] | None = None,
    **about: Any,
) -> Study:
    """Write the study folder; `settings` are further settings of the protocol, `about` the number of participants, the mode and the seed."""
    chosen = {"partner": partner, **({"puzzles": list(puzzles)} if puzzles else {}), **(settings or {})}
    training = Extra(trial=_make_trial("training", language), description=Description())
    return write_room_study(
        path,
        protocol="tangram",
        title="Tangram",
        id=id,
        trial=_make_trial("tangram", language),
        source="own figures" if chosen.get("goals") else "puzzles of this package",
        language=language,
        settings=chosen,
        practice=[training] if practice else [],
        **about,
    )


def _make_trial(name: str, language: str) -> Trial:
    """Return the trial of a room: the seven pieces as a scene; only the dialogue shows the referents."""
    pieces = tuple(
        Entity(id=piece, attributes=(Property("type", kind["shape"]), Property("size", kind["size"])))
        for piece, kind in PIECES.items()
    )
    return Trial(
        id=name, scene=Scene(entities=pieces, id=name), targets=tuple(PIECES), language=language, domain="tangram"
    )
