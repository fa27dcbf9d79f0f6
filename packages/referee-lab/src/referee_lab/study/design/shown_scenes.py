"""What people are shown, proved for all of it: every object can be pressed, by the outlines that the pages use, and training gives nothing away."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from referee.jobs.watching import watched
from referee_lab.server.sessions.plan import CHECK, PlanStep, was_right
from referee_lab.study.design.balance import BalanceClaim, count_of
from referee_lab.study.folder.hit_areas import crowded
from referee_lab.study.folder.study import Check, Study
from referee_lab.study.protocols.contract import GivenAnswer, Shown
from referee_lab.study.protocols.scene import scene_layout
from referee_lab.tangram.game.goals import find_goal, training_for

__all__ = ["prove_checks", "prove_shown"]

SHOWING = ("identify", "produce", "judge")


def prove_checks(study: Study) -> list[BalanceClaim]:
    """The claim that every attention check can be failed, by some answer that the page offers; none where there are no checks."""
    if not study.checks:
        return []
    rng = Random(study.seed)
    never = [
        c.stimulus.id for c in study.checks if not _can_fail(study, c, study.kind.show(c.stimulus, study.settings, rng))
    ]
    told = f"; not so: {never[0]}" if never else ""
    return [
        BalanceClaim(
            sentence="every attention check can be failed",
            holds=not never,
            counted=f"{count_of(len(study.checks), 'check')}{told}",
        )
    ]


def _can_fail(study: Study, check: Check, shown: Shown) -> bool:
    step = PlanStep(
        index=0,
        kind=CHECK,
        plugin=study.kind.info.plugin,
        stimulus=check.stimulus,
        shown=shown,
        saved=True,
        check=check,
    )
    return any(was_right(study, step, GivenAnswer(answer=answer)) is False for answer in _offered(shown))


def _offered(shown: Shown) -> Iterator[dict[str, Any]]:
    """Answers that a page with these parameters can give, as far as they matter for being right."""
    if shown.parameters.get("pairwise"):
        yield from ({"choice": choice} for choice in ("left", "right", "tie"))
    elif scales := shown.parameters.get("scales"):
        yield {"ratings": {scale["name"]: 2 for scale in scales}}
    elif shown.parameters.get("way") in ("point", "box"):
        yield from ({"outcome": choice} for choice in shown.parameters["choices"])
        yield {"outcome": shown.parameters["way"], "x": 0, "y": 0, "box": [0, 0, 1, 1]}
    else:
        yield from ({"outcome": "entity", "entity": label} for label in shown.labels)


def _training(study: Study) -> BalanceClaim:
    puzzles = study.settings["puzzles"]
    training = training_for(find_goal(puzzles[0], study.settings["goals"])).name
    return BalanceClaim(
        sentence="training shows no figure of the game",
        holds=training not in puzzles,
        counted=f"training has the {training}, the game {', '.join(puzzles)}",
    )


def _looks(study: Study) -> BalanceClaim:
    """Everybody has an order of their own there, so that places tell nothing apart."""
    trials = {id(s.trial.scene): s for s in study.every_stimulus()}
    alike = []
    for stimulus in trials.values():
        shown = study.kind.show(stimulus, study.settings, Random(study.seed)).parameters["entities"]
        if len({one["picture"] for one in shown}) < len(shown):
            alike.append(stimulus.trial.id)
    return BalanceClaim(
        sentence="no two objects of a scene look alike",
        holds=not alike,
        counted=f"{count_of(len(trials), 'scene')}{f'; not so in {alike[0]}' if alike else ''}",
    )


def prove_shown(study: Study) -> list[BalanceClaim]:
    """The claim that every object of every scene has area of its own; none where no scene is shown."""
    if study.kind.info.plugin == "tangram" and study.practice:
        return [_training(study)]
    if study.kind.info.plugin == "reference-game":
        return [_looks(study)]
    if study.kind.info.plugin not in SHOWING:
        return []
    trials = {id(s.trial.scene): s.trial for s in study.every_stimulus()}
    jitter = float(study.settings.get("jitter", 0.0))
    hidden: dict[str, list[str]] = {}
    for trial in watched(trials.values(), "what can be pressed in every scene"):
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
