"""Corpora of pictures in the files that their makers publish, written small here. No copy of them is at hand; the sources of the forms are named."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from referee import create
from referee.corpora.coco import unpack_runs
from referee.corpora.reading.data_pickle import read_pickle
from referee.errors import DataNotFound, InputError, MalformedInput, UnknownName
from referee.geometry import Box, Mask, Polygon, Size

# instances.json as COCO describes it (cocodataset.org, data format).
INSTANCES = {
    "images": [{"id": 7, "file_name": "COCO_train2014_000000000007.jpg", "width": 40, "height": 30}],
    "categories": [{"id": 1, "name": "dog"}],
    "annotations": [
        {"id": 11, "image_id": 7, "category_id": 1, "bbox": [1, 2, 10, 10], "segmentation": [[1, 2, 11, 2, 11, 12]]},
        {
            "id": 12,
            "image_id": 7,
            "category_id": 1,
            "bbox": [20, 2, 10, 10],
            "segmentation": {"size": [30, 40], "counts": [600, 10, 590]},
        },
        {
            "id": 13,
            "image_id": 7,
            "category_id": 1,
            "bbox": [0, 0, 4, 4],
            "segmentation": [[0, 0, 2, 0, 2, 2, 0, 2], [3, 3, 4, 3, 4, 4, 3, 4]],
        },
    ],
}
# refs(unc).p as lichengunc/refer reads it: a list of references with their sentences.
REFS = [
    {
        "ref_id": 1,
        "ann_id": 11,
        "image_id": 7,
        "category_id": 1,
        "split": "val",
        "sent_ids": [0, 1],
        "file_name": "COCO_train2014_000000000007_11.jpg",
        "sentences": [
            {"sent": "left dog", "sent_id": 0, "raw": "Left dog", "tokens": ["left", "dog"]},
            {"sent": "small dog", "sent_id": 1},
        ],
    }
]


@pytest.fixture
def refcoco(tmp_path: Path) -> Path:
    folder = tmp_path / "refcoco"
    folder.mkdir()
    (folder / "instances.json").write_text(json.dumps(INSTANCES), "utf-8")
    # As Python 2 wrote it.
    (folder / "refs(unc).p").write_bytes(pickle.dumps(REFS, protocol=0))
    return tmp_path


@pytest.mark.parametrize("form", ["p", "json"])
def test_refcoco_in_its_usual_files(refcoco: Path, form: str) -> None:
    if form == "json":
        (refcoco / "refcoco" / "refs(unc).p").unlink()
        (refcoco / "refcoco" / "refs(unc).json").write_text(json.dumps(REFS), "utf-8")
    trials = list(create("corpus", "refcoco", data=refcoco).trials())
    assert [(t.id, t.references[0].text, t.targets, t.condition) for t in trials] == [
        ("refcoco-0", "left dog", ("11",), "val"),
        ("refcoco-1", "small dog", ("11",), "val"),
    ]
    scene = trials[0].scene
    assert (scene.id, len(scene.entities), scene.picture and scene.picture.size) == ("7", 3, Size(40, 30))
    region = scene.entity("11").region
    assert isinstance(region, Box)
    assert region.on(None) == (1, 2, 11, 12)


def test_regions_as_drawn(refcoco: Path) -> None:
    scene = next(create("corpus", "refcoco", data=refcoco, regions="mask").trials()).scene
    one, two, three = (scene.entity(i).region for i in ("11", "12", "13"))
    assert isinstance(one, Polygon)
    assert one.points == ((1, 2), (11, 2), (11, 12))
    assert isinstance(two, Mask)
    assert (two.area, two.size) == (10, Size(40, 30))
    # Two parts, 2 x 2 and 1 x 1: five pixels.
    assert isinstance(three, Mask)
    assert (three.area, three.bounds()) == (5, (0, 0, 4, 4))


def test_packed_runs_are_unpacked() -> None:
    # By hand after maskApi.c: the fourth number is a difference to the second (5 = 3 + 2), -1 is written as 31 without "more".
    assert unpack_runs("1312") == (1, 3, 1, 5)
    assert unpack_runs("13P1O") == (1, 3, 32, 2)


def test_refcoco_as_parquet(tmp_path: Path) -> None:
    """Columns of the dataset cards of lmms-lab/RefCOCO, RefCOCOplus and RefCOCOg on Hugging Face; utils_rec.py of lmms-eval reads bbox as x, y, w, h."""
    row = {
        "question_id": "469306",
        "file_name": "COCO_train2014_000000000072_0.jpg",
        "question": "?",
        "answer": ["left one", "tall one"],
        "bbox": [1.0, 2.0, 3.0, 4.0],
        "segmentation": [1.0, 2.0, 4.0, 2.0, 4.0, 6.0],
        "iscrowd": 0,
        "image": {"bytes": b"not unpacked", "path": None},
    }
    (tmp_path / "refcoco").mkdir()
    pl.DataFrame([row]).write_parquet(tmp_path / "refcoco" / "val-00000-of-00001.parquet")
    trials = list(create("corpus", "refcoco", data=tmp_path).trials())
    assert [(t.id, t.condition, t.scene.id) for t in trials] == [
        (f"refcoco-val-469306-{i}", "val", "COCO_train2014_000000000072") for i in (0, 1)
    ]
    region = trials[0].scene.entity("meant").region
    assert isinstance(region, Box)
    assert region.on(None) == (1, 2, 4, 6)


def test_all_expressions_of_an_object_are_references_of_one_trial(refcoco: Path) -> None:
    trials = list(create("corpus", "refcoco", data=refcoco, reading="unc-objects").trials())
    texts = [[r.text for r in t.references] for t in trials]
    assert texts[0] == ["left dog", "small dog"]
    expressions = list(create("corpus", "refcoco", data=refcoco).trials())
    assert sum(map(len, texts)) == len(expressions)


def test_the_size_of_a_photograph_is_read_from_its_header(tmp_path: Path) -> None:
    from io import BytesIO

    from PIL import Image

    file = BytesIO()
    Image.new("RGB", (64, 48)).save(file, "PNG")
    row = {
        "question_id": "1",
        "file_name": "COCO_train2014_000000000072_0.jpg",
        "answer": ["left one", "tall one"],
        "bbox": [1.0, 2.0, 3.0, 4.0],
        "segmentation": [1.0, 2.0, 4.0, 2.0, 4.0, 6.0],
        "image": {"bytes": file.getvalue(), "path": None},
    }
    (tmp_path / "refcoco").mkdir()
    pl.DataFrame([row]).write_parquet(tmp_path / "refcoco" / "val-00000-of-00001.parquet")
    (trial,) = create("corpus", "refcoco", data=tmp_path, reading="unc-objects").trials()
    assert trial.scene.picture is not None
    assert (trial.scene.picture.size, len(trial.references)) == (Size(64, 48), 2)


def test_the_cut_is_named_and_checked(refcoco: Path) -> None:
    with pytest.raises(UnknownName, match="umd"):
        next(create("corpus", "refcoco", data=refcoco, reading="umd").trials())
    with pytest.raises(DataNotFound):
        list(create("corpus", "refcocog", data=refcoco).trials())


def test_grefcoco_means_one_several_or_nothing(tmp_path: Path) -> None:
    """grefs(unc).json as mdetr/scripts/fine-tuning/grefexp_coco_format.py of henghuiding/gRefCOCO reads it: ann_id is a number or a list, [-1] for none."""
    folder = tmp_path / "grefcoco"
    folder.mkdir()
    (folder / "instances.json").write_text(json.dumps(INSTANCES), "utf-8")
    refs = [
        REFS[0] | {"ann_id": meant, "no_target": meant == [-1], "sentences": [{"sent": "x", "sent_id": i}]}
        for i, meant in enumerate(([11], [11, 12], [-1], 12))
    ]
    (folder / "grefs(unc).json").write_text(json.dumps(refs), "utf-8")
    trials = list(create("corpus", "grefcoco", data=tmp_path).trials())
    assert [t.targets for t in trials] == [("11",), ("11", "12"), (), ("12",)]


def test_refoi_as_parquet(tmp_path: Path) -> None:
    """Columns, types and names of files after README.md of Seed42Lab/RefOI on Hugging Face."""
    row = {
        "image": {"bytes": b"not unpacked", "path": None},
        "mask": {"bytes": b"not unpacked", "path": None},
        "boxed_image": {"bytes": b"not unpacked", "path": None},
        "box_xmin": 0.25,
        "box_ymin": 0.5,
        "box_xmax": 0.75,
        "box_ymax": 1.0,
        "label_name": "Dog",
        "is_coco": 1,
        "co_occurrence": 1,
        "written_descriptions": ["the brown dog"],
        "spoken_descriptions": ["that dog"],
    }
    (tmp_path / "refoi").mkdir()
    for part in ("co_occurrence", "single_presence"):
        pl.DataFrame([row]).write_parquet(tmp_path / "refoi" / f"{part}-00000-of-00001.parquet")
    trial, other = create("corpus", "refoi", data=tmp_path).trials()
    assert [(t.condition, t.domain) for t in (trial, other)] == [("among its kind", "coco"), ("alone", "coco")]
    assert [(d.speaker, d.text) for d in trial.references] == [("written", "the brown dog"), ("spoken", "that dog")]
    region = trial.scene.entity("meant").region
    assert isinstance(region, Box)
    assert region.on(Size(400, 200)) == (100, 100, 300, 200)
    pl.DataFrame([row | {"box_xmax": 300.0}]).write_parquet(
        tmp_path / "refoi" / "single_presence-00000-of-00001.parquet"
    )
    with pytest.raises(MalformedInput, match="goes beyond 1"):
        list(create("corpus", "refoi", data=tmp_path).trials())


def test_screenspot(tmp_path: Path) -> None:
    """screenspot_*.json as pretrain/screenspot_test.py of njucckevin/SeeClick reads it: bbox is x, y, width, height."""
    folder = tmp_path / "screenspot"
    folder.mkdir()
    row = {
        "img_filename": "pc_1.png",
        "bbox": [10, 20, 30, 40],
        "instruction": "close",
        "data_type": "icon",
        "data_source": "windows",
    }
    for part in ("desktop", "mobile", "web"):
        (folder / f"screenspot_{part}.json").write_text(json.dumps([row]), "utf-8")
    trials = list(create("corpus", "screenspot", data=tmp_path).trials())
    assert [(t.id, t.condition) for t in trials] == [
        ("desktop-0", "desktop-icon"),
        ("mobile-0", "mobile-icon"),
        ("web-0", "web-icon"),
    ]
    region = trials[0].scene.entity("meant").region
    assert isinstance(region, Box)
    assert region.on(None) == (10, 20, 40, 60)


# -- pickles ---------------------------------------------------------------------------------------------------------------


class Evil:
    """Would write a file when read by an ordinary reader."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_pickle_with_code_is_refused_and_does_nothing(tmp_path: Path, protocol: int) -> None:
    trap, file = tmp_path / "sprung", tmp_path / "refs(unc).p"
    file.write_bytes(pickle.dumps([{"ref_id": Evil(trap)}], protocol=protocol))
    with pytest.raises(MalformedInput, match="it wants to use"):
        read_pickle(file)
    assert not trap.exists()


@pytest.mark.parametrize("content", [b"", b"(dp0\nS'ref_id'", b"\x80\x04\x95", b"garbage", pickle.dumps(REFS)[:-7]])
def test_a_damaged_pickle_is_told(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "refs(unc).p"
    file.write_bytes(content)
    with pytest.raises(InputError, match="pickle"):
        read_pickle(file)


def test_a_reference_to_nothing_is_told(refcoco: Path) -> None:
    (refcoco / "refcoco" / "refs(unc).p").write_bytes(pickle.dumps([REFS[0] | {"ann_id": 99}]))
    with pytest.raises(MalformedInput, match="annotation 99 is not on picture 7"):
        list(create("corpus", "refcoco", data=refcoco).trials())
