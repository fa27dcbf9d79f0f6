"""Calls of a model, parsed: a call that failed, was refused or was cut off has no value."""

from __future__ import annotations

from typing import Any

from referee.geometry import Convention
from referee.models.answers.parsing import CUT_OFF, REFUSED, ParsedAnswer, parse_answer, parse_place
from referee.models.response_cache import ASKED_AGAIN, Call

FAILED = "failed"
# The outcomes of answers, as runs and accounts count them.
OUTCOMES = {"read": "answered", "unread": "unparsable", "refused": "refused", "cut-off": "cut off", FAILED: FAILED}


def flags_of(parsed: ParsedAnswer) -> tuple[str, ...]:
    """Return the flags of a response: why the answer has no value, and whether it was asked for twice."""
    reason = () if parsed.outcome in ("read", FAILED) else (OUTCOMES[parsed.outcome],)
    return (*reason, ASKED_AGAIN) if parsed.is_second else reason


def parse_call(call: Call, kind: str, *, convention: Convention | None = None, **question: Any) -> ParsedAnswer:
    """Return the parsed answer of a call (see `parse_answer`).

    Its outcome is "failed" if the endpoint never answered.

    An answer with only reasoning was cut off.
    """
    if call.failure is not None:
        return ParsedAnswer(FAILED)
    if call.refusal:
        return ParsedAnswer(REFUSED)
    if not (call.content or "").strip() and call.reasoning:
        return ParsedAnswer(CUT_OFF)
    if kind == "place":
        return parse_place(call.content, question.pop("form"), convention=convention, finish=call.finish, **question)
    return parse_answer(call.content, kind, finish=call.finish, **question)
