"""A rehearsal: a simulated hearer plays every list once, every answer goes through the protocol's own checks, and nothing of it is kept."""

from __future__ import annotations

from random import Random

from referee import catalogue
from referee.contracts import Hearer
from referee.studies.folder import Study
from referee.studies.plan import check_answer, make_plan

__all__ = ["rehearse"]


def rehearse(study: Study, hearer: Hearer | None = None) -> str:
    """One sentence on what was played; an error where a step cannot be shown or answered."""
    listener = hearer or catalogue.create("hearer", "noisy")
    played = 0
    for one in study.lists:
        plan = make_plan(study, one.id, study.seed)
        plan.public(f"/s/{study.id}")
        for step in plan.steps:
            if step.stimulus is None:
                continue
            rng = Random(f"rehearsal|{one.id}|{step.index}")
            answer = study.kind.simulate(step.stimulus, step.shown, study.settings, listener, rng)
            check_answer(study, step, answer)
            played += 1
    return f"Rehearsed: {played} trials on {len(study.lists)} lists, answered by a simulated hearer and accepted"
