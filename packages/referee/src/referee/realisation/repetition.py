"""What was just said is not said again: "in the middle in the middle" becomes "in the middle"."""

from __future__ import annotations

__all__ = ["said_once"]


def said_once(text: str) -> str:
    """The text without a stretch of words that follows directly upon itself, longest stretches first."""
    words = text.split()
    for size in range(min(6, len(words) // 2), 0, -1):
        place = 0
        while place + 2 * size <= len(words):
            if words[place : place + size] == words[place + size : place + 2 * size]:
                del words[place : place + size]
            else:
                place += 1
    return " ".join(words)
