"""Forms in a study: questions before and after, some of which decide who may take part, and a field for comments."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError, MalformedInput

KINDS = ("text", "number", "choice", "multi", "long")
_LONGEST = {"text": 200, "number": 30, "choice": 200, "multi": 200, "long": 5000}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One question of a form. `choices` are the options, `eligible` the answers that permit participation (all, if
    empty).

    `when` is "before" for questions before the first trial, such as colour vision.
    """

    name: str
    question: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    required: bool = False
    eligible: tuple[str, ...] = ()
    when: str = "after"

    def public(self) -> dict[str, Any]:
        """Return the question in the form for the browser."""
        named = {"name": self.name, "question": self.question, "kind": self.kind}
        shown = {**named, "required": self.required, "longest": _LONGEST[self.kind]}
        return {**shown, "choices": list(self.choices)} if self.choices else shown


def read_form(path: Path) -> tuple[FormField, ...]:
    """Return the questions of a form; empty if the file does not exist."""
    if not path.exists():
        return ()
    remedy = "[[field]] with name, question and kind (text, number, choice, multi, long)"
    try:
        fields = tuple(
            FormField(**{**f, "choices": tuple(f.get("choices", ())), "eligible": tuple(f.get("eligible", ()))})
            for f in tomllib.loads(path.read_text("utf-8-sig"))["field"]
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise MalformedInput(f"not a form ({error})", where=path, remedy=remedy) from None
    for form_field in fields:
        if form_field.kind not in KINDS or (form_field.kind in ("choice", "multi")) != bool(form_field.choices):
            raise MalformedInput(
                f"the field {form_field.name!r} is of an unknown kind, or has no choices", where=path, remedy=remedy
            )
        if form_field.when not in ("before", "after"):
            raise MalformedInput(
                f"{form_field.name!r} is asked {form_field.when!r}", where=path, remedy='when is "before" or "after"'
            )
        if form_field.eligible and (
            form_field.kind != "choice"
            or not set(form_field.eligible) < set(form_field.choices)
            or not form_field.required
        ):
            raise MalformedInput(
                f"{form_field.name!r}: `eligible` names some of the choices of a required question",
                where=path,
                remedy='for example choices = ["yes", "no"], eligible = ["yes"], required = true',
            )
    if len({form_field.name for form_field in fields}) < len(fields):
        raise MalformedInput("two fields have the same name", where=path, remedy="give each its own")
    return fields


def make_comment_fields(question: str) -> tuple[FormField, ...]:
    """Return the field for comments."""
    return (FormField(name="comments", question=question, kind="long"),)


def find_ineligible(answer: Any, fields: tuple[FormField, ...]) -> str | None:
    """Return the first question whose answer excludes the person; None if they may take part."""
    fields_answered = answer.get("fields") or {}
    return next(
        (
            form_field.name
            for form_field in fields
            if form_field.eligible and fields_answered.get(form_field.name) not in form_field.eligible
        ),
        None,
    )


def check_fields(answer: Any, fields: tuple[FormField, ...]) -> None:
    """Raise InputError for the first invalid answer to a form."""
    if not isinstance(answer, dict):
        raise _make_answer_error("not an object")
    names = {form_field.name for form_field in fields}
    for name in answer:
        if name not in names:
            raise _make_answer_error(f"the form has no field {name!r}")
    for form_field in fields:
        _check_field(answer.get(form_field.name), form_field)


def _check_field(value: Any, form_field: FormField) -> None:
    """Raise InputError for an invalid answer to one question."""
    if value is None or value == "" or value == []:
        if form_field.required:
            raise _make_answer_error(f"{form_field.name}: an answer is required")
        return
    choices = value if form_field.kind == "multi" else [value]
    if not isinstance(choices, list) or any(isinstance(v, (dict, list, bool)) for v in choices):
        raise _make_answer_error(f"{form_field.name}: this is not an answer to this question")
    if any(len(str(v)) > _LONGEST[form_field.kind] for v in choices):
        raise _make_answer_error(f"{form_field.name}: the answer is longer than {_LONGEST[form_field.kind]} characters")
    if form_field.choices and any(v not in form_field.choices for v in choices):
        raise _make_answer_error(f"{form_field.name}: the answer is none of the choices")


def _make_answer_error(problem: str) -> InputError:
    return InputError(problem, where="answer.fields", remedy="answer the form as it is shown")
