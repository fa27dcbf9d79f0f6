"""OSWorld-G, UIBert, Talk2Car and clembench: what is read, and the counts of the real files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tiny import TINY, write

from referee import create, score
from referee.geometry import Box, Polygon, Size
from referee.grounding.pictures import checked


def test_what_is_not_there_has_no_target_and_no_box(tmp_path: Path) -> None:
    trials = list(create("corpus", "osworld-g", data=write(tmp_path, TINY["osworld-g"])).trials())
    assert [t.targets for t in trials] == [("S1-0",), ("S1-1",), ()]
    scene = trials[2].scene
    assert [type(e.region) for e in scene.entities] == [Box, Polygon], "a picture's trials share its scene"
    assert scene.picture is not None
    assert (scene.picture.path, scene.picture.size) == ("images/S1.webp", Size(100, 80))
    assert len(trials[0].references) == 2


def test_a_refusal_is_right_where_nothing_is_meant(tmp_path: Path) -> None:
    rows = [
        {"trial": "S1-0", "system": "m", "point": [20, 20], "in": "pixels xy"},
        {"trial": "S1-1", "system": "m", "answer": "click(2, 2)", "form": "click"},
        {"trial": "S1-2", "system": "m", "outcome": "none"},
    ]
    data = write(tmp_path, TINY["osworld-g"])
    table = score(
        rows, "osworld-g", data=data, metrics=["ground/point", "ground/none", "ground/found"], resamples=0
    ).frame
    assert dict(zip(table["metric"], table["value"], strict=True)) == {
        "ground/point": 1,
        "ground/none": 1,
        "ground/found": 1,
    }


def test_places_that_are_shares_are_scored_without_a_size(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["uibert-refexp"])
    trial = next(create("corpus", "uibert-refexp", data=data).trials())
    assert trial.targets == ("e1",)
    assert not any(e.attributes for e in trial.scene.entities), "nearly only targets lie on an element with a class"
    shares = [
        {"trial": f"{part}-0", "system": "m", "box": [500, 500, 1000, 750], "in": "0-1000 xyxy"}
        for part in ("dev", "test")
    ]
    pixels = [row | {"system": "p", "in": "pixels xyxy"} for row in shares]
    table = score(shares + pixels, "uibert-refexp", data=data, metrics=["ground/iou"], resamples=0).frame
    assert table["value"].to_list() == [1.0, None], "pixels cannot be held against shares of a screen of unknown size"


def test_what_is_told_is_the_picture(tmp_path: Path) -> None:
    trials = list(create("corpus", "clembench-refgame", data=write(tmp_path, TINY["clembench-refgame"])).trials())
    assert [(t.targets, t.scene.entities[1].image) for t in trials] == [
        (("docci_images/1",), "images/docci_images/1.webp"),
        (("docci_images/0",), "images/docci_images/1.webp"),
    ]


@pytest.mark.data
def test_counts_of_the_real_files(data_folder: Path) -> None:
    """The READMEs of the data folder print these numbers."""
    screens = create("corpus", "osworld-g", data=data_folder)
    trials = list(screens.trials())
    assert Counter(t.condition for t in trials) == {"bbox": 470, "polygon": 40, "refusal": 54}
    assert len({t.scene.id for t in trials}) == 251
    pictures = {t.scene.id: t.scene.picture for t in trials}
    for picture in list(pictures.values())[::25]:
        assert picture is not None
        assert checked(screens.picture_folder(), picture).is_file()
    assert Counter(t.condition for t in create("corpus", "uibert-refexp", data=data_folder).trials()) == {
        "dev": 509,
        "test": 616,
    }
    assert Counter(t.condition for t in create("corpus", "talk2car", data=data_folder).trials()) == {
        "val": 1163,
        "test": 2447,
    }
    games = list(create("corpus", "clembench-refgame", data=data_folder).trials())
    assert (len(games), len({e.image for t in games for e in t.scene.entities})) == (390, 283)
    assert len(list(create("corpus", "clembench-refgame", data=data_folder, reading="v2.0_en").trials())) == 90
