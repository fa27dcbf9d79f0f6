"""A ready-made Tangram study: consent, a short training with the pieces, the room, comments (the order of the REX-J collection, Tokunaga et al. 2010)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.records import Description, Entity, Property, Scene, Trial
from referee.situated.game.board import PIECES
from referee.studies.design.designs import Request, lay_out
from referee.studies.folder.draft import Draft, Extra, write_study
from referee.studies.folder.study import Study

__all__ = ["make_tangram_study"]


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
    trial = _trial("tangram", language)
    training = Extra(trial=_trial("training", language), description=Description())
    draft = Draft(
        id=id,
        title="Tangram",
        protocol="tangram",
        participants=participants,
        layout=lay_out("all", Request(items=(trial.id,), conditions=(), participants=participants, seed=seed)),
        conditions=(),
        trials=[trial],
        outputs=[],
        language=language,
        mode=mode,
        seed=seed,
        source="own figures" if chosen.get("goals") else "puzzles of this package",
        practice=[training] if practice else [],
        fields={
            "study": {"contact": "the organisers of this study"},
            "protocol": chosen,
            "design": {"order": "fixed"},
            # A room takes long and saves a single answer at its end: the place must not run out under it.
            "policy": {"reserve_minutes": 240.0},
            # Who was invited is known by a link that nobody else has.
            **({"recruitment": {"platform": "link"}} if chosen.get("pairing") == "invited" else {}),
        },
    )
    return write_study(path, draft)


def _trial(name: str, language: str) -> Trial:
    """The seven pieces as a scene; what is referred to shows only in the dialogue."""
    pieces = tuple(
        Entity(id=piece, attributes=(Property("type", kind["shape"]), Property("size", kind["size"])))
        for piece, kind in PIECES.items()
    )
    return Trial(
        id=name, scene=Scene(entities=pieces, id=name), targets=tuple(PIECES), language=language, domain="tangram"
    )
