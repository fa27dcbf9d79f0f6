"""Drawings as PNG: the region of every entity holds its pixels and no others."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from referee import draw, open_corpus, score
from referee.cli import main
from referee.corpora.pictured import write_pictured
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError
from referee.geometry import Box, Mask, ScenePicture
from referee.grounding.pictures import checked
from referee.records import Entity, Property, Scene
from referee.show.drawing.drawn_regions import PixelDrawing, draw_pixels
from referee.show.drawing.placement import place

Pixels = npt.NDArray[np.uint8]


def entity(name: str, at: tuple[float, float] | None = None, **values: str) -> Entity:
    return Entity(id=name, attributes=tuple(Property(n, v) for n, v in values.items()), position=at)


def pixels(png: bytes) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def grown(mask: npt.NDArray[np.bool_], by: int = 1) -> npt.NDArray[np.bool_]:
    wide = np.pad(mask, by)
    height, width = mask.shape
    moves = [(i, j) for i in range(2 * by + 1) for j in range(2 * by + 1)]
    return np.logical_or.reduce([wide[i : i + height, j : j + width] for i, j in moves])


def mask_of(made: PixelDrawing, name: str) -> npt.NDArray[np.bool_]:
    region = made.regions[name]
    assert isinstance(region, Mask)
    runs = np.repeat(np.arange(len(region.counts)) % 2 == 1, region.counts)
    return runs.reshape(made.size.width, made.size.height).T


SCENES = {
    "on a grid": Scene(
        entities=(
            entity("a", type="chair", colour="red"),
            entity("b", type="sofa", colour="blue"),
            entity("c", type="desk", colour="green"),
            entity("d", type="thing", nature="strange"),
        )
    ),
    # A board whose page is no whole number of pixels, and things that hide each other.
    "on a board": Scene(
        entities=(
            entity("a", (0.113, 0.0), type="chair", colour="red"),
            entity("b", (0.2, 0.061), type="sofa", colour="blue"),
            entity("c", (1.0, 0.777), type="fan", colour="green"),
        )
    ),
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=list(SCENES))
@pytest.mark.parametrize("scale", [2.0, 0.73])
def test_what_an_entity_adds_to_a_picture_lies_in_its_region(scene: Scene, scale: float) -> None:
    """Drawn without it, the picture differs in its region only; a pixel at the edge, covered by less than half, may differ too, and what shines through one."""
    layout = place(scene)
    made = draw_pixels(scene, layout=layout, scale=scale, outlines=True)
    whole = pixels(made.png)
    assert whole.shape[:2] == (made.size.height, made.size.width)
    for one in scene.entities:
        rest = replace(scene, entities=tuple(e for e in scene.entities if e is not one))
        # Attributes that all share are not written beside pictures; here nothing is, so that the rest looks the same.
        without = pixels(draw_pixels(rest, layout=layout, scale=scale).png)
        changed = (np.abs(whole.astype(int) - without) > 24).any(axis=2)
        seen = mask_of(made, one.id)
        assert changed.any()
        fronts = [mask_of(made, e.id) for e in rest.entities]
        shines = np.logical_or.reduce([grown(front, 2) & grown(~front, 2) for front in fronts])
        assert not (changed & ~grown(seen) & ~shines).any()
        # White parts of a thing change nothing on white, so the other way round only its outermost pixels are told.
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        left, top, right, bottom = made.regions[one.id].bounds()  # type: ignore[union-attr]
        assert abs(left - columns[0]) <= 1
        assert abs(top - rows[0]) <= 1
        assert abs(right - 1 - columns[-1]) <= 1
        assert abs(bottom - 1 - rows[-1]) <= 1


def test_a_patch_of_colour_is_its_region() -> None:
    """Inside, every pixel has the patch's colour; outside, none has."""
    scene = Scene(entities=(entity("a", colour="red", type="square"), entity("b", colour="blue", type="square")))
    made = draw_pixels(scene, outlines=True)
    whole = pixels(made.png).astype(int)
    reddish = (whole[:, :, 0] - whole[:, :, 2]) > 60
    bluish = (whole[:, :, 2] - whole[:, :, 0]) > 60
    one, other = mask_of(made, "a"), mask_of(made, "b")
    assert not (one & other).any()
    assert not (reddish & ~grown(one)).any()
    assert not (bluish & ~grown(other)).any()
    inner = ~grown(~one, 6)
    assert inner.any()
    assert reddish[inner].mean() > 0.9


def test_boxes_are_the_smallest_around_the_pixels() -> None:
    scene = SCENES["on a board"]
    boxes = draw_pixels(scene).regions
    masks = draw_pixels(scene, outlines=True).regions
    for name, region in masks.items():
        assert isinstance(boxes[name], Box)
        assert boxes[name].on(None) == region.bounds()  # type: ignore[union-attr]


def test_draw_writes_regions_beside_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = {"entities": [{"id": "a", "attributes": {"type": "chair"}}, {"id": "b", "attributes": {"type": "sofa"}}]}
    (tmp_path / "s.json").write_text(json.dumps(scene), "utf-8")
    out, regions = tmp_path / "s.png", tmp_path / "r.json"
    assert main(["draw", str(tmp_path / "s.json"), "--out", str(out), "--regions", str(regions), "--jitter", ".2"]) == 0
    found = json.loads(regions.read_text("utf-8"))
    picture = found["picture"]
    assert checked(tmp_path, ScenePicture(path=picture["path"], sha256=picture["sha256"])) == out
    # Jitter moves both alike.
    same = draw(scene, jitter=0.2).regions()
    assert {e["id"]: tuple(e["region"]["box"]) for e in found["entities"]} == {
        name: box.numbers for name, box in same.items() if isinstance(box, Box)
    }
    assert main(["draw", str(tmp_path / "s.json"), "--out", str(tmp_path / "s.svg"), "--regions", str(regions)]) == 2
    assert "without a PNG there are none" in capsys.readouterr().err


def test_a_corpus_of_attributes_becomes_one_of_pictures(tmp_path: Path) -> None:
    corpus = Synthetic(speakers=2, scenes=2, entities=4)
    trials, pictures = write_pictured(tmp_path / "drawn", corpus.trials())
    assert (trials, pictures) == (len(list(corpus.trials())), len(list((tmp_path / "drawn" / "pictures").iterdir())))
    read = list(open_corpus(tmp_path / "drawn").trials())
    assert [t.references for t in read] == [t.references for t in corpus.trials()]
    for trial in read:
        assert trial.scene.picture is not None
        assert checked(tmp_path / "drawn", trial.scene.picture).exists()
        assert all(e.region is not None for e in trial.scene.entities)
    # Whoever answers with the boxes meant is right about all of them, on the pictures as they are.
    answers = []
    for trial in read:
        region = trial.scene.entity(trial.targets[0]).region
        assert isinstance(region, Box)
        answers.append({"trial": trial.id, "system": "right", "box": list(region.numbers), "in": "pixels xyxy"})
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers), "utf-8")
    table = score(tmp_path / "a.jsonl", tmp_path / "drawn", metrics=["ground/accuracy", "ground/found"], resamples=0)
    assert table.frame["value"].to_list() == [1.0, 1.0]


def test_pictures_of_their_own_are_not_drawn_again(tmp_path: Path) -> None:
    corpus = Synthetic(speakers=1, scenes=1, entities=3)
    write_pictured(tmp_path / "drawn", corpus.trials())
    with pytest.raises(InputError, match="has a picture already"):
        write_pictured(tmp_path / "again", open_corpus(tmp_path / "drawn").trials())
    assert not (tmp_path / "again").exists()
