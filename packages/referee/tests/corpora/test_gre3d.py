"""GRE3D: slots become properties that mean the same in descriptions and scenes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.gre3d import Gre3d
from referee.records import Property, Relation, Trial


@pytest.fixture
def trials(tmp_path: Path) -> list[Trial]:
    return list(Gre3d(write(tmp_path, TINY["gre3d7"])).trials())


def test_slots_become_properties_and_the_only_possible_landmark_is_named(trials: list[Trial]) -> None:
    assert trials[0].references[0].properties == (
        Property("location", "centre"),
        Property("type", "ball"),
        Property("on-top-of", "c1"),
        Property("landmark.colour", "pink"),
        Property("landmark.type", "cube"),
    )


def test_scene_and_description_agree_although_the_source_spells_centre_in_two_ways(trials: list[Trial]) -> None:
    trial = trials[0]
    assert trial.scene.denotation(trial.references[0].properties or ()) == trial.target_mask
    assert trial.scene.entity("b2").attributes[-2:] == (
        Property("location", "right-hand"),
        Property("location", "front"),
    )
    assert trial.scene.entity("c1").relations == (Relation("under", "b1"),)


def test_a_description_that_was_not_lined_up_has_words_but_no_properties(trials: list[Trial]) -> None:
    assert trials[1].references[0].properties is None
    assert trials[1].references[0].text


def test_the_sources_own_pattern_is_kept(trials: list[Trial]) -> None:
    assert trials[0].id == "gre3d7-p9s1"
    assert trials[0].scene.id == "gre3d7-1"
    assert trials[0].meta["pattern"] == ["tg_loc"]
    assert trials[0].meta["order"] == 3


# data/gre3d/README.md: descriptions, speakers, scenes, and the share of descriptions with a relation.
@pytest.mark.data
@pytest.mark.parametrize(
    ("version", "count", "speakers", "scenes", "relational"), [(7, 4480, 280, 32, 0.134), (3, 630, 63, 20, 0.356)]
)
def test_counts_and_relation_shares(
    data_folder: Path, version: int, count: int, speakers: int, scenes: int, relational: float
) -> None:
    trials = list(Gre3d(data_folder, version=version).trials())
    plain = {"type", "colour", "size", "location"}
    said = [
        any(p.name.removeprefix("landmark.") not in plain for p in t.references[0].properties or ()) for t in trials
    ]
    assert len(trials) == count
    assert len({t.speaker for t in trials}) == speakers
    assert len({t.scene.id for t in trials}) == scenes
    assert sum(said) / count == pytest.approx(relational, abs=0.0005)


# data/gre3d/README.md: agreement of colour, type and size with the scene tables is above 99 %.
@pytest.mark.data
@pytest.mark.parametrize("version", [7, 3])
def test_what_is_said_is_true_of_the_target(data_folder: Path, version: int) -> None:
    true = [
        t.scene.entity(t.targets[0]).has(p)
        for t in Gre3d(data_folder, version=version).trials()
        for p in t.references[0].properties or ()
        if not p.name.startswith("landmark.")
    ]
    assert sum(true) / len(true) > 0.99


# data/gre3d/README.md: size, colour and type together identify the target of every scene.
@pytest.mark.data
@pytest.mark.parametrize("version", [7, 3])
def test_size_colour_and_type_identify_every_target(data_folder: Path, version: int) -> None:
    for trial in {t.scene.id: t for t in Gre3d(data_folder, version=version).trials()}.values():
        plain = [p for p in trial.scene.entity(trial.targets[0]).attributes if p.name != "location"]
        assert trial.scene.denotation(plain) == trial.target_mask
