"""Prompts as files: read once, signed by name and hash, with the places that are filled in written as ``{objects}``."""

from __future__ import annotations

import re
from pathlib import Path

from referee.errors import InputError
from referee.signature import digest

PLACE = re.compile(r"\{(\w+)\}")


class PromptFile(str):
    """A prompt in a file. Its text form is ``NAME@HASH``, as in signatures.

    `text` is the content of the file.
    """

    __slots__ = ("text",)
    text: str


def read_prompt(path: str) -> PromptFile:
    """Return the prompt in a file; one that was read before stays as it is."""
    if isinstance(path, PromptFile) or not path:
        return path if isinstance(path, PromptFile) else _make_prompt_file("", "")
    try:
        text = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the prompt cannot be read ({error})", where=path, remedy="name a text file") from None
    if not text:
        raise InputError("the prompt is empty", where=path, remedy="write it, or leave the switch out")
    return _make_prompt_file(f"{Path(path).name}@{digest(text)[:8]}", text)


def _make_prompt_file(name: str, text: str) -> PromptFile:
    """Return a prompt file from name and content."""
    made = PromptFile(name)
    made.text = text
    return made


def fill_prompt(template: PromptFile, **places: str) -> str:
    """Return the prompt with its placeholders filled.

    Raises InputError, with the known names, for an unknown placeholder.
    """
    unknown = sorted(set(PLACE.findall(template.text)) - set(places))
    if unknown:
        raise InputError(
            f"the prompt {template} has the placeholder {', '.join(unknown)}, which is unknown",
            remedy=f"there are {', '.join('{' + name + '}' for name in places)}",
        )
    return PLACE.sub(lambda match: places[match[1]], template.text)
