"""Rendered solids: what is nearer hides what is behind, and regions are exactly the pixels shown."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from referee import score
from referee.cli import main
from referee.corpora.synthetic.solids import Solids
from referee.errors import InputError
from referee.geometry import Mask, ScenePicture
from referee.grounding.pictures import checked, open_picture
from referee.show.drawing.traced_solids import SHAPES, Solid, as_png, find_visible_solids, trace

RED = (0.8, 0.1, 0.1)


def solid(shape: str, x: float = 0, z: float = 0, size: float = 1) -> Solid:
    return Solid(shape=shape, x=x, z=z, size=size, colour=RED)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_solid_is_seen_and_its_pixels_are_red(shape: str) -> None:
    seen = trace([solid(shape)], 120, 80)
    inside = seen.pixels[seen.shown == 0]
    assert len(inside) > 200
    assert (inside[:, 0] >= inside[:, 1]).all()
    assert (seen.shown == find_visible_solids([solid(shape)], 120, 80)).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_nearer_hides_what_is_behind(shape: str) -> None:
    alone = (find_visible_solids([solid(shape, z=3)], 120, 80) == 0).sum()
    hidden = (find_visible_solids([solid(shape, z=3), solid("block", z=0)], 120, 80) == 0).sum()
    assert 0 < hidden < alone


def test_the_picture_is_a_png() -> None:
    pixels = trace([solid("ball")], 64, 64).pixels
    assert (np.asarray(Image.open(io.BytesIO(as_png(pixels)))) == pixels).all()


def test_every_trial_of_a_scene_is_told_apart_and_can_be_seen() -> None:
    trials = list(Solids(scenes=2, solids=5, width=120, height=80).trials())
    assert len(trials) == 10
    for trial in trials:
        assert trial.references[0].properties is not None
        assert trial.scene.denotation(trial.references[0].properties) == trial.target_mask
        region = trial.scene.entity(trial.targets[0]).region
        assert isinstance(region, Mask)
        assert region.area >= 5


def test_the_same_seed_gives_the_same_scenes_and_more_change_nothing() -> None:
    few, many = Solids(scenes=1, width=120, height=80), Solids(scenes=2, width=120, height=80)
    assert list(few.trials()) == list(many.trials())[:7]


def test_too_many_solids_are_refused() -> None:
    with pytest.raises(InputError, match="cannot make"):
        next(Solids(solids=40).trials())


def test_a_rendered_corpus_goes_from_pixels_to_a_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever finds the red pixels of the picture itself finds the region: pixels, masks and measures agree."""
    toys = tmp_path / "toys"
    assert (
        main(
            [
                "corpus",
                "solids",
                "--out",
                str(toys),
                "--scenes",
                "1",
                "--things",
                "4",
                "--width",
                "160",
                "--height",
                "120",
            ]
        )
        == 0
    )
    rows = [json.loads(line) for line in (toys / "trials.jsonl").read_text("utf-8").splitlines()]
    picture = ScenePicture(path=rows[0]["picture"]["path"], sha256=rows[0]["picture"]["sha256"])
    assert open_picture(checked(toys, picture)).size == (160, 120)
    outputs = [
        {"trial": row["id"], "system": "mask", "places": [{"mask": entity["region"]["mask"]}]}
        for row in rows
        for entity in row["entities"]
        if entity["id"] == row["targets"][0]
    ]
    table = score(outputs, str(toys), metrics=["ground/iou", "ground/found"], resamples=0).frame
    assert table["value"].to_list() == [1.0, 1.0]
