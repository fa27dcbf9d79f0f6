"""A ready-made Tangram study.

Consent, a short training with the pieces, the room, comments (the order of the REX-J collection, Tokunaga et al.
2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.records import Description, Entity, Property, Scene, Trial
from referee_lab.rooms.room_study import write_room_study
from referee_lab.study.folder.draft import Extra
from referee_lab.study.folder.study import Study
from referee_lab.tangram.game.piece_sets import PIECES


def make_tangram_study(
    path: str | Path,
    *,
    puzzles: Sequence[str] = (),
    partner: str = "person",
    participants: int = 24,
    language: str = "en",
    mode: str = "debug",
    seed: int = 1,
    id: str = "tangram",
    practice: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> Study:
    """Write the study folder; `settings` are further settings of the protocol."""
    chosen = {"partner": partner, **({"puzzles": list(puzzles)} if puzzles else {}), **(settings or {})}
    training = Extra(trial=_make_trial("training", language), description=Description())
    return write_room_study(
        path,
        protocol="tangram",
        title="Tangram",
        id=id,
        trial=_make_trial("tangram", language),
        source="own figures" if chosen.get("goals") else "puzzles of this package",
        participants=participants,
        language=language,
        mode=mode,
        seed=seed,
        settings=chosen,
        practice=[training] if practice else [],
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
