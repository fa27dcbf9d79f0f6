"""Forms in a study: optional questions about the person, and a field for comments."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError, MalformedInput

__all__ = ["KINDS", "FormField", "check_fields", "comment_fields", "read_form"]

KINDS = ("text", "number", "choice", "multi", "long")
_LONGEST = {"text": 200, "number": 30, "choice": 200, "multi": 200, "long": 5000}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One question; `choices` are what can be chosen."""

    name: str
    question: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    required: bool = False

    def public(self) -> dict[str, Any]:
        """The question as the browser gets it."""
        named = {"name": self.name, "question": self.question, "kind": self.kind}
        shown = {**named, "required": self.required, "longest": _LONGEST[self.kind]}
        return {**shown, "choices": list(self.choices)} if self.choices else shown


def read_form(path: Path) -> tuple[FormField, ...]:
    """The questions of a form; none where there is no file."""
    if not path.exists():
        return ()
    remedy = "[[field]] with name, question and kind (text, number, choice, multi, long)"
    try:
        fields = tuple(
            FormField(**{**f, "choices": tuple(f.get("choices", ()))})
            for f in tomllib.loads(path.read_text("utf-8"))["field"]
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise MalformedInput(f"not a form ({error})", where=path, remedy=remedy) from None
    for one in fields:
        if one.kind not in KINDS or (one.kind in ("choice", "multi")) != bool(one.choices):
            raise MalformedInput(
                f"the field {one.name!r} is of no known kind, or has no choices", where=path, remedy=remedy
            )
    if len({one.name for one in fields}) < len(fields):
        raise MalformedInput("two fields have the same name", where=path, remedy="give each its own")
    return fields


def comment_fields(question: str) -> tuple[FormField, ...]:
    """The field for comments."""
    return (FormField(name="comments", question=question, kind="long"),)


def check_fields(answer: Any, fields: tuple[FormField, ...]) -> None:
    """InputError that says what is wrong with the answers to a form."""
    if not isinstance(answer, dict):
        raise _refuse("not an object")
    known = {one.name for one in fields}
    for name in answer:
        if name not in known:
            raise _refuse(f"the form has no field {name!r}")
    for one in fields:
        _check_field(answer.get(one.name), one)


def _check_field(value: Any, one: FormField) -> None:
    if value is None or value == "" or value == []:
        if one.required:
            raise _refuse(f"{one.name}: an answer is required")
        return
    given = value if one.kind == "multi" else [value]
    if not isinstance(given, list) or any(isinstance(v, (dict, list, bool)) for v in given):
        raise _refuse(f"{one.name}: not an answer to this question")
    if any(len(str(v)) > _LONGEST[one.kind] for v in given):
        raise _refuse(f"{one.name}: longer than {_LONGEST[one.kind]} characters")
    if one.choices and any(v not in one.choices for v in given):
        raise _refuse(f"{one.name}: none of the choices")


def _refuse(problem: str) -> InputError:
    return InputError(problem, where="answer.fields", remedy="answer the form as it is shown")
