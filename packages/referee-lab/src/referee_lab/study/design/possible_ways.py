"""Whether every branch of a study can be taken and every quota leaves room for as many people as are planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from referee_lab.server.sessions.plan import TRIAL, PlanStep, make_plan
from referee_lab.study.design.balance import BalanceClaim, format_count, make_claim
from referee_lab.study.folder.branches import PageBranch, Quota
from referee_lab.study.folder.questionnaires import FormField
from referee_lab.study.folder.study import Study


def prove_ways(study: Study) -> list[BalanceClaim]:
    """Return the claims about branches and quotas; empty if the study has none."""
    claims = []
    steps = make_plan(study, study.lists[0].id, study.seed).steps if study.branches or study.quotas else ()
    if study.branches:
        wrong = [problem for branch in study.branches for problem in _explain_unreachable(study, branch, steps)]
        counted = f"{len(study.branches)} branches" if len(study.branches) > 1 else "1 branch"
        claims.append(make_claim("every branch can be taken", counted, wrong))
    if study.quotas:
        wrong = [p for quota in study.quotas for p in _explain_unusable(study, quota, steps)] + list(
            _find_small_quotas(study)
        )
        counted = format_count(len(study.quotas), "quota")
        claims.append(make_claim("the quotas admit all planned participants", counted, wrong))
    return claims


def _find_step(steps: tuple[PlanStep, ...], question: str) -> PlanStep:
    return next(step for step in steps if any(form_field.name == question for form_field in step.fields))


def _find_field(study: Study, question: str) -> FormField:
    return next(question_field for question_field in study.questions() if question_field.name == question)


def _explain_unreachable(study: Study, branch: PageBranch, steps: tuple[PlanStep, ...]) -> Iterator[str]:
    """Yield the reasons why a branch is never taken, for each of its pages."""
    asked, field = _find_step(steps, branch.question), _find_field(study, branch.question)
    if field.eligible and not {*branch.answers} & {*field.eligible}:
        yield f"{', '.join(branch.show)}: people with these answers to {branch.question} may not take part"
    for step in steps:
        if step.branch is branch and step.index <= asked.index:
            yield f"{', '.join(branch.show)}: {branch.question} is not asked before this page"
            return
    if asked.branch is not None and _are_exclusive(asked.branch, branch):
        yield f"{', '.join(branch.show)}: {branch.question} is asked only after answering {asked.branch.question} otherwise"


def _are_exclusive(outer: PageBranch, inner: PageBranch) -> bool:
    """Return whether two branches exclude each other: they depend on one question and share no answer."""
    return outer.question == inner.question and not {*outer.answers} & {*inner.answers}


def _explain_unusable(study: Study, quota: Quota, steps: tuple[PlanStep, ...]) -> Iterator[str]:
    """Yield the reasons why a quota does not work."""
    if quota.condition:
        return
    first = next((step.index for step in steps if step.kind == TRIAL), len(steps))
    if _find_step(steps, quota.question).index > first:
        yield f"{quota.said()} is asked after the first trial, so excluded people would have worked for nothing"
    eligible = _find_field(study, quota.question).eligible
    if eligible and not {*quota.answers} & {*eligible}:
        yield f"{quota.said()}: people with this answer may not take part anyway"


def _find_small_quotas(study: Study) -> Iterator[str]:
    """Yield the quotas that fill up before all participants are recruited."""
    planned = study.participants
    # Places are dealt to the lists in turn (`places.provide`).
    dealt = Counter(study.lists[n % len(study.lists)].id for n in range(planned))
    for quota in study.quotas:
        if quota.condition:
            having = {entry.id for entry in study.lists if any(c == quota.condition for _, c in entry.trials)}
            inside = sum(dealt[name] for name in having)
            if (most := planned - inside + min(inside, quota.most)) < planned:
                yield f"{quota.said()} lets in {most} of {planned} people"
    for question in dict.fromkeys(quota.question for quota in study.quotas if quota.question):
        field, quotas = _find_field(study, question), [quota for quota in study.quotas if quota.question == question]
        open_answers = {*(field.eligible or field.choices)} - {a for quota in quotas for a in quota.answers}
        if field.required and field.kind == "choice" and not open_answers:
            most = sum(quota.most for quota in quotas)
            if most < planned:
                yield f"the quotas on {question} let in {most} of {planned} people"
