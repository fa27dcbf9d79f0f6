"""Trees worked out by hand in the usual way: articles and adjectives on their noun, prepositions on what they tell more about."""

from __future__ import annotations

import pytest

from referee.realisation.english import ENGLISH
from referee.realisation.noun_phrase_trees import find_heads

NOUNS = frozenset({"chair", "man"})


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("the small red chair facing left", "the>chair small>chair red>chair chair> facing>chair left>facing"),
        ("the man with a white beard", "the>man man> with>man a>beard white>beard beard>with"),
        (
            "red chair at the bottom of the picture",
            "red>chair chair> at>chair the>bottom bottom>at of>bottom the>picture picture>of",
        ),
        ("the old one wearing glasses", "the>one old>one one> wearing>one glasses>wearing"),
        ("", ""),
    ],
)
def test_a_noun_phrase_hangs_together(text: str, tree: str) -> None:
    words = text.split()
    heads = find_heads(words, NOUNS, ENGLISH)
    assert " ".join(f"{w}>{words[h] if h >= 0 else ''}" for w, h in zip(words, heads, strict=True)) == tree
