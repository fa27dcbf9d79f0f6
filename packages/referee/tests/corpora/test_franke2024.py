"""The reader of franke2024, against the table that the README of the data prints."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from referee.corpora.franke2024 import Franke2024

DATA = Path(os.environ.get("REFEREE_DATA", "nowhere"))


@pytest.mark.skipif(not (DATA / "franke2024").is_dir(), reason="needs the corpus franke2024 (REFEREE_DATA)")
def test_answers_are_those_of_the_printed_table() -> None:
    """README: 484 answers a task; listeners chose the target in .529 of the cases and the distractor in .045."""
    corpus = Franke2024(DATA)
    trials = {t.id: t for t in corpus.trials()}
    responses = list(corpus.responses())
    assert Counter(t.meta["task"] for t in trials.values()) == {"speaker": 484, "listener": 100}
    assert len(responses) == 484
    right = [r.entity == trials[r.trial].targets[0] for r in responses]
    assert round(sum(right) / len(right), 3) == 0.529
    spoken = [t for t in trials.values() if t.references]
    true_words = [
        t.references[0].properties[0] in t.scene.entities[int(t.targets[0][1:]) - 1].attributes for t in spoken
    ]
    # The target word and the competitor's word are both true of the object: .822 + .134 in the table.
    assert round(sum(true_words) / len(spoken), 2) == 0.96
