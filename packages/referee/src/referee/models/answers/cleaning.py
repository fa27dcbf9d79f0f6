"""Removes the wrapping of models' answers: reasoning, channels, chat tokens, code fences, answer tags."""

from __future__ import annotations

import re
from typing import NamedTuple

from referee.models.answers.vocabulary import REFUSAL

_NAMES = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|scratchpad|reflection|analysis|inner_monologue|cot)"
# Chat templates often write the opening tag into the prompt, so the answer may have only the closing tag.
_THOUGHT_TAG = re.compile(
    rf"(?P<begin><{_NAMES}\b[^<>]{{0,80}}>|◁think▷|\[THINK\]|<\|(?:begin_of_thought|START_THINKING)\|>|<unused94>)"
    rf"|</{_NAMES}>|◁/think▷|\[/THINK\]|<\|(?:end_of_thought|END_THINKING)\|>|<unused95>",
    re.IGNORECASE,
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final(?:<\|message\|>)?", re.IGNORECASE)
_CHANNEL_END = re.compile(r"<\|(?:end|return)\|>")
_OTHER_CHANNEL = re.compile(r"<\|channel\|>(?:analysis|commentary)", re.IGNORECASE)
_CHAT_TOKENS = re.compile(
    r"<\|im_start\|>(?:assistant|user|system)?|<\|(?:im_end|eot_id|endoftext|end|return|assistant|eom_id|end_of_text|recipient)\|>(?:os\b)?|</?s>"
    r"|<(?:start|end)_of_turn>(?:model\b)?|<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_RESPONSE\|>"
)
_TAGS = r"(answer|final_answer|finalanswer|final|output|response|result|description|choice|rating|score|selection|solution|ans|prediction|expr|b|strong|referring_expression|expression|utterance)"
_TAGGED = re.compile(rf"<{_TAGS}>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_TAG = re.compile(rf"<{_TAGS}>", re.IGNORECASE)
_FENCE = re.compile(r"^```[\w+-]*[ \t]*\n?(.*?)\n?```$", re.DOTALL)


class CleanAnswer(NamedTuple):
    """The answer proper, and whether it ends before it began: within a thought."""

    text: str
    is_cut_off: bool


def clean_answer(content: str) -> CleanAnswer:
    """Return an answer without thoughts, chat tokens, a fence around the whole of it, and answer tags."""
    finals = list(_FINAL_CHANNEL.finditer(content))
    text = _CHANNEL_END.split(content[finals[-1].end() :], maxsplit=1)[0] if finals else content
    if not finals and _OTHER_CHANNEL.search(text):
        return CleanAnswer("", is_cut_off=True)
    text, is_open = _remove_thoughts(text)
    text = _CHAT_TOKENS.sub("", text).strip()
    if not text and is_open:
        return CleanAnswer("", is_cut_off=True)
    return CleanAnswer(_remove_tags(strip_fence(text)), is_cut_off=False)


def _remove_thoughts(text: str) -> tuple[str, bool]:
    """A text without thoughts, and whether the last of them is never closed."""
    parts: list[str] = []
    start, is_open = 0, False
    for tag in _THOUGHT_TAG.finditer(text):
        if tag["begin"]:
            parts += [] if is_open else [text[start : tag.start()]]
            is_open = True
        else:
            parts = parts if is_open else []
            start, is_open = tag.end(), False
    return "".join(parts if is_open else [*parts, text[start:]]), is_open


def _remove_tags(text: str) -> str:
    """The content of the last answer tag, or the text where there is none."""
    tagged = [inside.strip() for _, inside in _TAGGED.findall(text) if inside.strip()]
    if tagged:
        return strip_fence(tagged[-1])
    text = re.sub(rf"</{_TAGS}>\s*$", "", text, flags=re.IGNORECASE).rstrip()
    opened = list(_OPEN_TAG.finditer(text))
    rest = text[opened[-1].end() :].strip() if opened else ""
    return rest or text


def strip_fence(text: str) -> str:
    """A text without the code fence around the whole of it."""
    text = text.strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced and "```" not in fenced[1] else text


def is_refusal(text: str) -> bool:
    """Whether a text begins like a refusal."""
    return REFUSAL.match(strip_fence(text).lstrip("*_#>\"' ")) is not None
