"""RefOI in its published Parquet form (Ma et al. 2025).

Objects of OpenImages with a box and the descriptions of three writers and two speakers.

Columns are those of the dataset card (README.md of Seed42Lab/RefOI on Hugging Face: image, mask, boxed_image, box_xmin,
box_xmax, box_ymin, box_ymax as float64, is_coco, label_name, co_occurrence, written_descriptions, spoken_descriptions;
492 objects in the split single_presence, 993 in co_occurrence). The card does not give the unit of the four sides. A
published evaluation on this data reads them as proportions of the picture, as in OpenImages
(samueleantonelli/Referring-Expression-Comprehension on GitHub, evaluate_listeners.py: box_xmin times the width; its
listener finds .88 with IoU > .5); numbers beyond 1 are refused to avoid misreading.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.reading.folder import locate
from referee.corpora.reading.lines import WrongShape
from referee.corpora.reading.packed import Unheard, add_location
from referee.errors import DataNotFound, MalformedInput
from referee.geometry import Box, Convention, ScenePicture
from referee.records import Description, Entity, Property, Scene, Trial

SHARES = Convention.of("0-1 xyxy")
SIDES = ("box_xmin", "box_ymin", "box_xmax", "box_ymax")
COLUMNS = (*SIDES, "label_name", "is_coco", "co_occurrence", "written_descriptions", "spoken_descriptions")
NAME = "refoi"
SPLITS = ("single_presence", "co_occurrence")


class RefOi(Unheard):
    """One trial per object.

    Boxes are proportions of the picture; written and spoken descriptions are the references, with different
    ``speaker``s.
    """

    card = Card(
        name=NAME,
        title="RefOI: objects in photographs of OpenImages, described in writing and speech",
        source="Seed42Lab/RefOI on Hugging Face (Parquet)",
        licence="CC BY 4.0 (stated by its makers)",
        languages=("en",),
        citation="Ma et al. 2025, arXiv 2504.16060",
        sampled=("scene",),
        faults=(
            "read by its published card, without a copy of the data: sides of boxes are shares of the picture, as in OpenImages and in code published for it",
        ),
        files=("refoi/*.parquet",),
    )

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every object. Raises DataNotFound without files."""
        folder = locate(self.data, NAME, ())
        files = sorted(folder.rglob("*.parquet")) if folder.name == NAME and folder.is_dir() else []
        if not files:
            problem = "the corpus 'refoi' is not here (looked for *.parquet)"
            raise DataNotFound(
                problem, where=folder, remedy="put the Parquet files of refoi into the folder refoi/ of the data folder"
            )
        number = 0
        for path in files:
            for row in _read_rows(path):
                with add_location(path):
                    trial = _make_trial(row, number, _is_single(path, row))
                number += 1
                yield trial


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file without the pictures, which are not decoded."""
    import polars as pl

    try:
        yield from pl.read_parquet(path, columns=list(COLUMNS)).iter_rows(named=True)
    except (pl.exceptions.PolarsError, OSError) as error:
        remedy = f"it needs the columns {', '.join(COLUMNS)}"
        raise MalformedInput(f"not a Parquet file of this form ({error!s:.200})", where=path, remedy=remedy) from None


def _is_single(path: Path, row: dict[str, Any]) -> bool:
    """Return whether the object is the only one of its kind in its picture, by the published file name or by a column."""
    split = path.name.partition("-")[0]
    return split == "single_presence" if split in SPLITS else int(row["co_occurrence"]) <= 1


def _make_trial(row: dict[str, Any], number: int, alone: bool) -> Trial:
    """Return one object as a trial."""
    left, top, right, bottom = (float(row[side]) for side in SIDES)
    if max(left, top, right, bottom) > 1:
        raise WrongShape(f"the box of object {number} goes beyond 1", "sides of boxes are shares of the picture")
    thing = Entity(
        id="meant", attributes=(Property("type", row["label_name"]),), region=Box((left, top, right, bottom), SHARES)
    )
    descriptions = [("written", text) for text in row["written_descriptions"] or ()]
    descriptions += [("spoken", text) for text in row["spoken_descriptions"] or ()]
    return Trial(
        id=f"refoi-{number}",
        scene=Scene(
            entities=(thing,), id=f"refoi-{number}", complete=False, picture=ScenePicture(path=f"{number}.png")
        ),
        targets=("meant",),
        domain="coco" if row["is_coco"] else "other",
        condition="alone" if alone else "among its kind",
        references=tuple(Description(text=str(text), speaker=how) for how, text in descriptions if str(text).strip()),
        meta={"co_occurrence": int(row["co_occurrence"])},
    )
