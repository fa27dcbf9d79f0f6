"""Links for a laboratory or a class.

One label each, signed by the study's key, so that labels cannot be invented or guessed.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from urllib.parse import urlencode

from referee.errors import InputError
from referee_lab.server.store.keys import Keys

LETTERS = 16


def sign_label(keys: Keys, study: str, label: str) -> str:
    return keys.derive_code("link", study, label, letters=LETTERS)


def is_signed(keys: Keys, study: str, label: str, key: str) -> bool:
    """Return whether a link's key belongs to its label, compared in constant time."""
    typed_key = key.strip().upper().encode("utf-8", "surrogateescape")
    return bool(label) and hmac.compare_digest(typed_key, sign_label(keys, study, label).encode())


def link_query(keys: Keys, study: str, label: str) -> str:
    """Return the query string of a link, after the study's address."""
    return urlencode({"label": label, "key": sign_label(keys, study, label)})


def make_labels(count: int, names: Sequence[str] = ()) -> list[str]:
    """Return one label per name, or P001, P002 … without names.

    Raise InputError if a label is empty or occurs twice.
    """
    labels = [" ".join(label.split()) for label in names] if names else [f"P{n:03}" for n in range(1, count + 1)]
    twice = {label for label in labels if labels.count(label) > 1}
    if twice or not all(labels):
        raise InputError(
            f"a label is empty or occurs twice: {', '.join(sorted(twice)) or '(empty)'}",
            remedy="give each person a different one",
        )
    return labels


def make_pair_labels(pairs: int | Sequence[str], size: int) -> list[str]:
    """Return labels of pairs (or groups of `size`) whose members only meet each other.

    `pairs` is their number, or lines with the names of each pair, separated by commas.
    """
    if isinstance(pairs, int):
        lines = [[chr(ord("a") + place) for place in range(size)] for _ in range(pairs)]
    else:
        lines = [[" ".join(name.split()) for name in line.split(",")] for line in pairs]
    for number, names in enumerate(lines, 1):
        if len(set(names)) != size or not all(names) or any("/" in name for name in names):
            raise InputError(
                f"line {number} does not name {size} people: {', '.join(names)}",
                remedy=f"give {size} different names with commas, without /",
            )
    return [f"{number:02}/{name}" for number, names in enumerate(lines, 1) for name in names]
