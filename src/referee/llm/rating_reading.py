"""The one rating in an answer, however it is put; two ratings are none."""

from __future__ import annotations

import re

from referee.llm.answer_reading import answer_of
from referee.llm.json_reading import find_json

__all__ = ["read_rating"]

NUMBER = r"(?<![\d.])\d{1,3}(?:\.\d+)?(?![\d.]*\d)"
OUT_OF = re.compile(r"(?:\s*/\s*|\s+out of\s+|\s+von\s+)\d{1,3}\b|\s*%", re.IGNORECASE)
ANNOUNCED = re.compile(
    rf"\b(?:rating|score|answer|rate (?:it|this)(?: at| as| a)?)\b[^\d\n]{{0,20}}({NUMBER})", re.IGNORECASE
)


def read_rating(content: str, low: float, high: float) -> float | None:
    """The rating between `low` and `high`, or None.

    >>> [read_rating(text, 1, 7) for text in ("6", "Rating: **5**/7", "I would say 4 or 5", "9")]
    [6.0, 5.0, None, None]
    """
    text = answer_of(content)
    found = find_json(text)
    if isinstance(found, dict):
        numbers = [v for v in found.values() if isinstance(v, (int, float)) and not isinstance(v, bool)]
        numbers += [float(v) for v in found.values() if isinstance(v, str) and re.fullmatch(NUMBER, v.strip())]
        return _within(float(numbers[0]), low, high) if len(numbers) == 1 else None
    text = OUT_OF.sub("", text)
    announced = {float(n) for n in ANNOUNCED.findall(text)}
    first = re.findall(NUMBER, text.strip().splitlines()[0]) if text.strip() else []
    said = announced or ({float(first[0])} if len(set(first)) == 1 else {float(n) for n in re.findall(NUMBER, text)})
    return _within(said.pop(), low, high) if len(said) == 1 else None


def _within(number: float, low: float, high: float) -> float | None:
    return number if low <= number <= high else None
