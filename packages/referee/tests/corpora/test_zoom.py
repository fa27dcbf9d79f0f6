"""Zoom: several targets, several landmarks, and an annotation that is not always clear."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.zoom import Zoom
from referee.records import Property, Relation, Trial


@pytest.fixture
def trials(tmp_path: Path) -> list[Trial]:
    return list(Zoom(write(tmp_path, TINY["zoom"])).trials())


def test_between_leads_to_each_of_its_places(trials: list[Trial]) -> None:
    assert trials[0].scene.entity("cafe1").relations == (
        Relation("in", "str1"),
        Relation("between", "str1"),
        Relation("between", "str2"),
        Relation("between", "park1"),
    ), "and the relation to a place that is not on the map is gone"


def test_two_landmarks_stand_side_by_side_and_are_understood(trials: list[Trial]) -> None:
    corner = trials[0]
    assert corner.references[0].properties == (
        Property("type", "cafe"),
        Property("between", "str1"),
        Property("between", "str2"),
        Property("landmark.name", "rua um"),
        Property("landmark2.name", "rua dois"),
    )
    assert corner.scene.denotation(corner.references[0].properties) == corner.target_mask


def test_a_second_landmark_that_is_elsewhere_makes_the_description_false(trials: list[Trial]) -> None:
    said = trials[0].references[0].properties or ()
    assert trials[0].scene.denotation([*said[:-1], Property("landmark2.name", "o gato")]) == 0


def test_a_pair_has_both_targets_in_the_maps_order_and_the_properties_of_both(trials: list[Trial]) -> None:
    assert trials[1].targets == ("cafe1", "cafe2")
    assert trials[1].references[0].properties == (Property("type", "cafe"), Property("name", "o gato"))
    assert [s["target"] for s in trials[1].meta["sets"]] == ["cafe2", "cafe1"]


def test_one_place_named_twice_or_none_at_all_means_the_places_of_the_map(trials: list[Trial]) -> None:
    assert trials[2].targets == trials[3].targets == ("cafe1", "cafe2")
    assert trials[3].references[0].properties is None, "nothing annotated is not an empty description"


def test_the_same_speaker_on_the_same_map_gets_a_second_id(trials: list[Trial]) -> None:
    assert [t.id for t in trials] == ["zoom-1-7", "zoom-2-7", "zoom-3-7", "zoom-4-7", "zoom-1-7-2"]
    assert trials[4].references[0].properties == (Property("in", "str1"), Property("in", "str2"))


# data/zoom/README.md: 1,814 descriptions, 96 speakers, 20 maps of 16 to 51 entities, "some contexts ask for one place, others for two".
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    trials = list(Zoom(data_folder).trials())
    sizes = {len(t.scene.entities) for t in trials}
    assert (len(trials), len({t.speaker for t in trials}), len({t.scene.id for t in trials})) == (1814, 96, 20)
    assert (min(sizes), max(sizes)) == (16, 51)
    assert {len(t.meta["asked"]) for t in trials} == {1, 2}
    assert sum(len(t.meta["sets"]) for t in trials) == 2655  # README: "one of 2,655 target ids is not on its map"


# Own count: of what is said of a single target, types and names are nearly always in the map table, relations only sometimes.
@pytest.mark.data
def test_types_said_are_true_of_single_targets(data_folder: Path) -> None:
    single = [t for t in Zoom(data_folder).trials() if len(t.targets) == 1]
    types = [
        t.scene.entity(t.targets[0]).has(p)
        for t in single
        for p in t.references[0].properties or ()
        if p.name == "type"
    ]
    assert sum(types) / len(types) > 0.95
