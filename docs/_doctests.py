"""Examples in docstrings stand as doctests without a heading; on the page of Python names they become examples."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts every stretch of ``>>>`` lines under a heading that the reader of docstrings knows."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(as_example, obj.docstring.value)


def as_example(match: re.Match[str]) -> str:
    return "Examples:\n" + "\n".join(f"    {line}" for line in match[0].splitlines())
