"""A rehearsal: a simulated hearer plays every list once, the protocol checks every answer, and nothing is stored."""

from __future__ import annotations

from random import Random

from referee import catalogue
from referee.contracts import Hearer
from referee.jobs.progress import report_progress
from referee_lab.server.sessions.plan import check_answer, make_plan
from referee_lab.study.design.balance import format_count
from referee_lab.study.folder.study import Study


def rehearse(study: Study, hearer: Hearer | None = None) -> str:
    """Let a simulated hearer answer every step of the study, and return a sentence on the result."""
    listener = hearer or catalogue.create("hearer", "noisy")
    played = relaxed = 0
    for trial_list in report_progress(study.lists, "a rehearsal of every list"):
        plan = make_plan(study, trial_list.id, study.seed)
        relaxed += plan.relaxed
        # Only to see that it can be made: pictures are drawn and pages rendered on the way.
        plan.public(f"/s/{study.id}")
        for step in plan.steps:
            if step.stimulus is None:
                continue
            rng = Random(f"rehearsal|{trial_list.id}|{step.index}")
            answer = study.kind.simulate(step.stimulus, step.shown, study.settings, listener, rng)
            check_answer(study, step, answer)
            played += 1
    lists = format_count(len(study.lists), "list")
    warning = f"; {relaxed} of them break a limit of [design] that no order found could keep" if relaxed else ""
    return f"Rehearsed: {played} trials on {lists}, answered by a simulated hearer and accepted{warning}"
