"""Stars and Stars2: nested landmarks, relations apart from attributes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.stars import Stars
from referee.records import Property, Relation, Trial


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    (trial,) = Stars(write(tmp_path, TINY["stars"])).trials()
    return trial


def test_the_landmark_of_a_landmark_is_nested(trial: Trial) -> None:
    assert trial.references[0].properties == (
        Property("type", "star"),
        Property("near", "q1"),
        Property("landmark.type", "box"),
        Property("landmark.near", "c1"),
        Property("landmark.landmark.colour", "blue"),
    )
    assert trial.scene.denotation(trial.references[0].properties) == trial.target_mask


def test_relations_are_not_attributes(trial: Trial) -> None:
    box = trial.scene.entity("q1")
    assert box.attributes == (Property("type", "box"),)
    assert box.relations == (Relation("near", "c1"), Relation("near", "e1"))


def test_source_fields_and_the_contexts_own_are_kept(trial: Trial) -> None:
    assert (trial.id, trial.scene.id, trial.condition, trial.language) == ("stars-4-abs9", "stars-abs9", "abs", "pt")
    assert trial.meta["overspec"] == 2
    assert trial.meta["context_image"] == "x.png"


# data/stars/README.md: 704 descriptions, 64 speakers x 11 contexts; 1,204 descriptions, 76 trials, 64 contexts of 15 objects.
@pytest.mark.data
@pytest.mark.parametrize(("version", "count", "people", "contexts"), [(1, 704, 64, 11), (2, 1204, 76, 64)])
def test_counts(data_folder: Path, version: int, count: int, people: int, contexts: int) -> None:
    trials = list(Stars(data_folder, version=version).trials())
    assert (len(trials), len({t.meta["trial"] for t in trials}), len({t.scene.id for t in trials})) == (
        count,
        people,
        contexts,
    )
    if version == 2:
        assert {len(t.scene.entities) for t in trials} == {15}


# Own count over the files: every property and relation said is true of the target (1,598 and 2,157), and no relation leads out of the scene.
@pytest.mark.data
@pytest.mark.parametrize(("version", "said"), [(1, 1598), (2, 2157)])
def test_everything_said_of_the_target_is_true_of_it(data_folder: Path, version: int, said: int) -> None:
    trials = list(Stars(data_folder, version=version).trials())
    own = [
        t.scene.entity(t.targets[0]).has(p)
        for t in trials
        for p in t.references[0].properties or ()
        if not p.name.startswith("landmark.")
    ]
    assert own == [True] * said
    for scene in {t.scene.id: t.scene for t in trials}.values():
        ids = {e.id for e in scene.entities}
        assert all(r.entity in ids for e in scene.entities for r in e.relations)
