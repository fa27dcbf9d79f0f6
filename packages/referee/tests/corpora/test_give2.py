"""GIVE-2: content without words, in the room that holds the button."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import TINY, write

from referee.corpora.give2 import Give2
from referee.records import Property, Relation, Trial


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    (trial,) = Give2(write(tmp_path, TINY["give2"])).trials()
    return trial


def test_worlds_and_references_use_the_same_names(trial: Trial) -> None:
    button, painting = trial.scene.entity("b7"), trial.scene.entity("p1")
    assert button.attributes == (Property("type", "button"), Property("colour", "red"), Property("size", "1"))
    assert button.position == (1.5, 1.0, 4.0)
    assert button.relations == (Relation("next", "p1"),)
    assert painting.value("type") == "painting"


def test_every_relation_is_followed_by_its_own_landmark(trial: Trial) -> None:
    assert trial.references[0].properties == (
        Property("type", "button"),
        Property("colour", "red"),
        Property("next", "p1"),
        Property("landmark.type", "painting"),
        Property("left", "PLAYER"),
        Property("landmark2.type", "player"),
    )
    assert trial.references[0].text is None


def test_language_room_and_player_are_kept(trial: Trial) -> None:
    assert (trial.language, trial.scene.id, trial.speaker) == ("de", "give2-1-room-1", "1-3")
    assert trial.meta == {"world": "1", "player": "3", "room": "room-1", "room_x": "1", "room_y": "2"}


# data/give2/README.md: 992 references (551 English, 441 German), all targets are buttons, 472 use a landmark.
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    trials = list(Give2(data_folder).trials())
    languages = [t.language for t in trials]
    assert (len(trials), languages.count("en"), languages.count("de")) == (992, 551, 441)
    assert {t.scene.entity(t.targets[0]).value("type") for t in trials} == {"button"}
    with_landmark = [t for t in trials if any(p.name.startswith("landmark") for p in t.references[0].properties or ())]
    assert len(with_landmark) == 472


# Own count: type and colour said are those of the target in every reference.
@pytest.mark.data
def test_type_and_colour_said_are_true(data_folder: Path) -> None:
    for trial in Give2(data_folder).trials():
        said = [p for p in trial.references[0].properties or () if p.name in ("type", "colour")]
        assert all(trial.scene.entity(trial.targets[0]).has(p) for p in said), trial.id
