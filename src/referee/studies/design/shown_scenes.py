"""What people are shown, proved for all of it: every object can be pressed, by the outlines that the pages use, and training gives nothing away."""

from __future__ import annotations

from random import Random

from referee.situated.game.goals import TRAINING
from referee.studies.design.balance import BalanceClaim, count_of
from referee.studies.folder.hit_areas import crowded
from referee.studies.folder.study import Study
from referee.studies.protocols.scene import scene_layout

__all__ = ["prove_shown"]

SHOWING = ("identify", "produce", "judge")


def _training(study: Study) -> BalanceClaim:
    puzzles = study.settings["puzzles"]
    return BalanceClaim(
        sentence="training shows no figure of the game",
        holds=TRAINING.name not in puzzles,
        counted=f"training has the {TRAINING.name}, the game {', '.join(puzzles)}",
    )


def prove_shown(study: Study) -> list[BalanceClaim]:
    """The claim that every object of every scene has area of its own; none where no scene is shown."""
    if study.kind.info.plugin == "tangram" and study.practice:
        return [_training(study)]
    if study.kind.info.plugin not in SHOWING:
        return []
    trials = {id(s.trial.scene): s.trial for s in study.every_stimulus()}
    jitter = float(study.settings.get("jitter", 0.0))
    hidden: dict[str, list[str]] = {}
    for trial in trials.values():
        # Any seed will do: exact places are the same for everybody, and in cells nothing overlaps, whatever the seed.
        layout, _ = scene_layout(trial.scene, jitter, Random(study.seed).getrandbits(32))
        if found := crowded(trial.scene, trial.domain, layout):
            hidden[trial.id] = found
    first = next(iter(hidden.items()), None)
    told = f"; not so in {len(hidden)}, first {first[0]}: {', '.join(first[1])}" if first else ""
    return [
        BalanceClaim(
            sentence="every object of every scene has area of its own to be seen and pressed",
            holds=not hidden,
            counted=f"{count_of(len(trials), 'scene')}{told}",
        )
    ]
