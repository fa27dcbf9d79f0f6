"""b5-ref: six faces, every one with every attribute."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.b5 import B5Ref
from referee.records import Property


def test_a_face_is_described_by_its_attributes(tmp_path: Path) -> None:
    (trial,) = B5Ref(write(tmp_path, TINY["b5-ref"])).trials()
    assert (trial.id, trial.scene.id, trial.targets, trial.language) == ("b5-8-2", "b5-2", ("b",), "pt")
    assert trial.references[0].properties == (Property("glasses", "yes"),)
    assert trial.scene.denotation(trial.references[0].properties) == trial.target_mask
    assert list(B5Ref(tmp_path).responses()) == []


# data/b5-ref/README.md: 1,821 descriptions, 152 speakers, 12 contexts x 6 faces, 27 attributes each.
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    trials = list(B5Ref(data_folder).trials())
    assert (len(trials), len({t.speaker for t in trials}), len({t.scene.id for t in trials})) == (1821, 152, 12)
    faces = [e for t in trials for e in t.scene.entities]
    assert {len(t.scene.entities) for t in trials} == {6}
    assert {len(e.attributes) for e in faces} == {27}


# Own count: 7,225 of 7,226 properties said are true of the target.
@pytest.mark.data
def test_what_is_said_is_true_but_once(data_folder: Path) -> None:
    said = [
        t.scene.entity(t.targets[0]).has(p)
        for t in B5Ref(data_folder).trials()
        for p in t.references[0].properties or ()
    ]
    assert (sum(said), len(said)) == (7225, 7226)
