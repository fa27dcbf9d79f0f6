"""Scripts that are written without blanks between words: which of their languages a text is in."""

from __future__ import annotations

import re

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\u1100-\u11ff\uac00-\ud7af]")


def has_unspaced_script(text: str) -> bool:
    """Return whether a text has Chinese, Japanese or Korean characters."""
    return not text.isascii() and any(script.search(text) for script in (_HAN, _KANA, _HANGUL))


def find_language_by_script(text: str) -> str | None:
    """Return zh, ja or ko if the script of a text determines it, else None."""
    if text.isascii():
        return None
    if _KANA.search(text):
        return "ja"
    return "ko" if _HANGUL.search(text) else "zh" if _HAN.search(text) else None
