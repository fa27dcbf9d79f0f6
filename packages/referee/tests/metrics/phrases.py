"""Invented outputs and references for the string measures, and a way to force the compiled or the plain path."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from hypothesis import strategies as st

from referee.contracts import Batch
from referee.metrics import tokens
from referee.records import Description, Scene, Trial

NOWHERE = Trial(id="t", scene=Scene(entities=()), targets=())

# Few words, so that short texts share n-grams; a point and a number, so that splitting matters.
WORDS = st.sampled_from(["the", "red", "chair", "The", "left.", "3,5", "a", "1-2"])
PHRASES = st.lists(WORDS, max_size=8).map(" ".join)
ITEMS = st.lists(st.tuples(PHRASES, st.lists(PHRASES, min_size=1, max_size=3)), min_size=1, max_size=6)


def hold(outputs: Sequence[str | None], references: Sequence[Sequence[str | None]]) -> Batch:
    """Texts held against texts."""
    said = [None if text is None else Description(text=text) for text in outputs]
    expected = [[Description(text=text) for text in texts] for texts in references]
    return Batch.of(said, [NOWHERE] * len(said), expected)


def invent(items: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Outputs of 0 to 10 words and one to three references, all noisy copies of one phrase."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(30)]
    outputs, references = [], []
    for _ in range(items):
        phrase = rng.choices(words, k=rng.randint(0, 10))
        copies = [
            " ".join(w if rng.random() < 0.8 else rng.choice(words) for w in phrase if rng.random() < 0.9)
            for _ in range(rng.randint(2, 4))
        ]
        outputs.append(copies[0])
        references.append(copies[1:])
    return outputs, references


@contextmanager
def compiled() -> Iterator[None]:
    """Batches of any size go through the compiled kernels."""
    with patch.object(tokens, "WORTH_COMPILING", 0):
        yield
