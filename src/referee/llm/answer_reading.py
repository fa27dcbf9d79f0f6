"""What kind of answer a call brought, and the answer itself without what models put around it: thoughts, fences, tags, courtesies.

Nothing here guesses: what is taken off is named below, and what stays is read by `choice_reading`, `description_reading` or `json_reading`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from referee.llm.call_book import Call

__all__ = ["AnswerKind", "answer_of", "is_refusal", "kind_of", "unfenced", "without_thoughts", "words_of_message"]

# Only beginnings count: "the chair that I cannot miss" is a description.
TELLING = (
    r"(?! tell| determine| decide| say which| know| be sure| identify which| to (?:tell|determine|decide|identify))"
)
REFUSAL = re.compile(
    r"(?:```[a-z]*\s*\n)?\s*(?:i['’]?m (?:so |very )?sorry|i am (?:so |very )?sorry|sorry,|i apologi[sz]e"
    rf"|i (?:can['’]?t|cannot|can not|won['’]?t|am unable|['’]?m unable|am not able|must decline){TELLING}"
    rf"|i['’]m (?:unable|not able){TELLING}|as an ai|unfortunately,? i (?:can['’]?t|cannot))\b",
    re.IGNORECASE,
)
# Only a fence around the whole answer is taken off here; one in the middle is looked at by whoever reads the answer.
FENCE = re.compile(r"^```[\w-]*[ \t]*\n(.*?)\n?```$", re.DOTALL)
THOUGHT = re.compile(
    r"(?:<(think|thinking|thought|reasoning|scratchpad)>.*?</\1>|◁think▷.*?◁/think▷)", re.DOTALL | re.IGNORECASE
)
# Templates often write the opening tag into the prompt, so that the answer has the closing one alone.
CLOSED = re.compile(r".*(?:</(?:think|thinking|thought|reasoning|scratchpad)>|◁/think▷)", re.DOTALL | re.IGNORECASE)
UNCLOSED = re.compile(r"(?:<(?:think|thinking|thought|reasoning|scratchpad)>|◁think▷).*", re.DOTALL | re.IGNORECASE)
CHANNEL = re.compile(r".*<\|channel\|>final(?:<\|message\|>)?(.*?)(?:<\|(?:end|return)\|>|$)", re.DOTALL)
TAGGED = re.compile(r"<(answer|final_answer|final|output|response|description)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
SPECIAL = re.compile(r"<\|(?:im_end|eot_id|endoftext|end|return|assistant)\|>|</s>|<end_of_turn>")


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
    return (
        bool(call.refusal)
        or call.finish == "content_filter"
        or bool(REFUSAL.match(without_thoughts(call.content or "")))
    )


def answer_of(content: str) -> str:
    """An answer without thoughts, fence and tags around the whole of it."""
    text = unfenced(without_thoughts(content))
    tagged = TAGGED.findall(text)
    return tagged[-1][1].strip() if len({inside.strip() for _, inside in tagged}) == 1 else text


def without_thoughts(content: str) -> str:
    """What a model says after it has thought aloud; nothing where it never came to an end."""
    final = CHANNEL.match(content)
    text = final[1] if final else content
    text = THOUGHT.sub("", text)
    text = UNCLOSED.sub("", CLOSED.sub("", text))
    return SPECIAL.sub("", text).strip()


def unfenced(content: str) -> str:
    """An answer without the code fence that chat models like to put around it."""
    content = content.strip()
    fenced = FENCE.match(content)
    return fenced[1].strip() if fenced else content


def words_of_message(message: Mapping[str, Any]) -> str | None:
    """The words of a chat message: its content as text or in parts, or the arguments of the function it called instead of speaking."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    if isinstance(content, list):
        parts = [_part(p) for p in content]
        if any(parts):
            return "".join(parts)
    return _called(message) or (content if isinstance(content, str) else None)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in (None, "text", "output_text"):
        return ""
    text = part.get("text")
    # Some servers wrap the text of a part once more.
    text = text.get("value") if isinstance(text, Mapping) else text
    return text if isinstance(text, str) else ""


def _called(message: Mapping[str, Any]) -> str | None:
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and len(calls) == 1 else {"function": message.get("function_call")}
    function = call.get("function") if isinstance(call, Mapping) else None
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    return arguments if isinstance(arguments, str) and arguments.strip() else None
