"""What kind of answer a call brought, before anybody reads what it says: none, a refusal, one that was cut off, or a whole one."""

from __future__ import annotations

import re
from enum import Enum

from referee.llm.call_book import Call

__all__ = ["AnswerKind", "is_refusal", "kind_of", "unfenced"]

# Only beginnings count: "the chair that I cannot miss" is a description.
REFUSAL = re.compile(
    r"(?:```[a-z]*\s*\n)?\s*(?:i['’]?m (?:so )?sorry|i am sorry|sorry,|i (?:can['’]?t|cannot|can not|won['’]?t|am unable|['’]?m unable|must decline)"
    r"|as an ai|unfortunately,? i)\b",
    re.IGNORECASE,
)
# Only a fence around the whole answer is taken off; one in the middle is part of what was said.
FENCE = re.compile(r"^```[a-z]*\s*\n(.*?)\n?```$", re.DOTALL)


class AnswerKind(Enum):
    """The four kinds; only a whole answer is worth reading."""

    FAILED = "failed"
    REFUSED = "refused"
    CUT_OFF = "cut off"
    WHOLE = "whole"


def kind_of(call: Call) -> AnswerKind:
    """The kind of answer that a call brought."""
    if call.failure is not None:
        return AnswerKind.FAILED
    # Before the question whether it was cut off: half a refusal is a refusal.
    if is_refusal(call):
        return AnswerKind.REFUSED
    return AnswerKind.CUT_OFF if call.finish == "length" else AnswerKind.WHOLE


def is_refusal(call: Call) -> bool:
    """Whether the model declined: it said so in its own field, a filter stepped in, or the answer begins like a refusal."""
    return bool(call.refusal) or call.finish == "content_filter" or bool(REFUSAL.match(call.content or ""))


def unfenced(content: str) -> str:
    """An answer without the code fence that chat models like to put around it."""
    content = content.strip()
    fenced = FENCE.match(content)
    return fenced[1].strip() if fenced else content
