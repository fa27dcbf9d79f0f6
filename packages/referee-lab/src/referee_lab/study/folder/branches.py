"""Branches and quotas of a study.

Pages that depend on earlier answers, and maximal numbers of people per answer or condition.

``[[branch]]`` and ``[[quota]]`` in study.toml. An unknown name is an error in the file; `referee study check` reports branches that can never be taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from referee.errors import InputError, MalformedInput, find_similar_names

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

# An answer in the place of one to a page that was not shown.
SKIPPED = {"skipped": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBranch:
    """Pages and surveys that are shown only after one of these answers to an earlier question."""

    show: tuple[str, ...]
    question: str
    answers: tuple[str, ...]

    def is_taken(self, answers_so_far: Mapping[str, Any]) -> bool:
        """Return whether the answers so far lead to this branch; an open answer does not."""
        return bool(list_answers(answers_so_far.get(self.question)) & {*self.answers})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """At most so many people who gave one of these answers to a question, or whose list has this condition."""

    most: int
    question: str = ""
    answers: tuple[str, ...] = ()
    condition: str = ""

    def counts(self, answers_so_far: Mapping[str, Any]) -> bool:
        """Return whether a person with these answers counts towards the quota."""
        return bool(self.question) and bool(list_answers(answers_so_far.get(self.question)) & {*self.answers})

    def said(self) -> str:
        """Return the condition of the quota in words."""
        return f"the condition {self.condition}" if self.condition else f"{self.question}: {' or '.join(self.answers)}"


TABLES: Mapping[str, type[Any]] = {"branch": PageBranch, "quota": Quota}
_REMEDIES = {
    "branch": '[[branch]] show = ["page"], question = "name", answers = ["yes"]',
    "quota": '[[quota]] most = 10, with question = "name" and answers = ["yes"], or with condition = "system"',
}
R = TypeVar("R", PageBranch, Quota)


def list_answers(value: Any) -> set[str]:
    """Return an answer to a question as the set of choices that it names."""
    return {str(member) for member in value} if isinstance(value, list) else set() if value is None else {str(value)}


def is_skipped(answer: Mapping[str, Any]) -> bool:
    """Return whether an answer marks its page as not shown."""
    return dict(answer) == SKIPPED


def read_rules(kind: type[R], raw: Any, name: str, where: Path) -> tuple[R, ...]:
    """Return the tables of one kind from study.toml. Raises MalformedInput for an invalid table."""
    if not isinstance(raw, list):
        raise MalformedInput(f"[{name}] should be [[{name}]]", where=where, remedy=_REMEDIES[name])
    return tuple(_parse_rule(kind, rule, number, name, where) for number, rule in enumerate(raw, 1))


def _parse_rule(kind: type[R], raw: Mapping[str, Any], number: int, name: str, where: Path) -> R:
    """Return a branch or quota from its table in study.toml. Raises MalformedInput for an invalid field."""
    types = {field.name: str(field.type) for field in fields(kind)}
    for key, value in raw.items():
        expected = types.get(key)
        listed = isinstance(value, list) and all(isinstance(v, str) for v in value) and bool(value)
        fits = {"int": type(value) is int and value > 0, "str": isinstance(value, str) and bool(value)}
        if expected is None or not fits.get(expected, listed):
            problem = f"{name} {number}: {key!r} is {'not known' if expected is None else f'{value!r:.40}'}"
            raise MalformedInput(problem, where=where, remedy=_REMEDIES[name])
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}
    try:
        made = kind(**values)
    except TypeError:
        lacking = sorted(types.keys() - raw.keys())
        raise MalformedInput(
            f"{name} {number} lacks {', '.join(lacking)}", where=where, remedy=_REMEDIES[name]
        ) from None
    if isinstance(made, Quota) and bool(made.condition) == bool(made.question and made.answers):
        raise MalformedInput(
            f"{name} {number} needs either a question and its answers, or a condition",
            where=where,
            remedy=_REMEDIES[name],
        )
    return made


def check_names(study: Study) -> None:
    """Raise InputError if a branch or quota names something that the study does not have.

    Checked are pages, questions, answers and conditions.
    """
    where = study.folder / "study.toml"
    for problem, names in _find_unknown(study):
        raise InputError(problem, where=where, remedy=f"one of {', '.join(names)}" if names else "correct the name")


def _find_unknown(study: Study) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the names in branches and quotas that the study lacks, with the names it has."""
    questions = {question.name: question for question in study.questions()}
    shown: list[str] = []
    rules: list[PageBranch | Quota] = [*study.branches, *study.quotas]
    for number, rule in enumerate(rules, 1):
        word = f"branch {number}" if isinstance(rule, PageBranch) else f"quota {number - len(study.branches)}"
        for page in rule.show if isinstance(rule, PageBranch) else ():
            if page not in study.extra:
                yield (
                    f"{word}: [session] has no page or survey {page!r}{_suggest_name(page, study.extra)}",
                    list(study.extra),
                )
            if page in shown:
                yield f"{word}: {page!r} is in another branch already", ()
            shown.append(page)
        if isinstance(rule, Quota) and rule.condition:
            conditions = sorted({c for entry in study.lists for _, c in entry.trials})
            if rule.condition not in conditions:
                yield (
                    f"{word}: no list has the condition {rule.condition!r}{_suggest_name(rule.condition, conditions)}",
                    conditions,
                )
            continue
        asked = questions.get(rule.question)
        if asked is None:
            yield (
                f"{word}: the question {rule.question!r} is never asked{_suggest_name(rule.question, questions)}",
                list(questions),
            )
        elif not asked.choices:
            yield f"{word}: {rule.question!r} has no choices", ()
        else:
            for answer in rule.answers:
                if answer not in asked.choices:
                    yield f"{word}: {answer!r} is not a choice of {rule.question!r}", asked.choices


def _suggest_name(name: str, names: Collection[str]) -> str:
    return "".join(f" (did you mean {near_name}?)" for near_name in find_similar_names(name, names, 1))
