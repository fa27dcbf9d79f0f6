"""Referring expressions for elements of mobile screens (UIBert.

Bai et al. 2021; screens from Rico), with the box of every candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.place_records import parse_numbers
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import Unheard, add_location, find_files, read_rows
from referee.errors import UnknownName
from referee.geometry import Box, Convention, ScenePicture
from referee.records import Description, Entity, Scene, Trial

SHARES = Convention.of("0-1 xyxy")
SIDES = ("xmin", "ymin", "xmax", "ymax")
READINGS = ("dev", "test")
Row = Mapping[str, Any]


class UiBert(Unheard):
    """1,125 expressions (509 dev, 616 test), each about one element of a screen.

    `reading` is dev, test or "all".
    """

    card = Card(
        name="uibert-refexp",
        title="RefExp of UIBert: referring expressions for elements of mobile screens",
        source="google-research-datasets/uibert on GitHub, commit eceafbd",
        licence="CC BY 4.0",
        languages=("en",),
        citation="Bai et al. 2021, IJCAI",
        sampled=("scene",),
        faults=(
            "screens are named by their Rico id and not included; places are shares of a screen whose size is not known",
            "targets can be recognised without reading: in dev 93 % of the targets lie on an element of the view "
            "hierarchy (IoU >= .9), and 4 % of all other candidates; "
            "so the hierarchy's class and text are not read, and a hearer that sees both wins without reading",
            "the training part is not in this copy",
        ),
        files=tuple(f"uibert-refexp/{r}.jsonl.gz" for r in READINGS),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "all") -> None:
        super().__init__(data)
        self.reading = reading

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every expression of the reading."""
        if self.reading not in (*READINGS, "all"):
            raise UnknownName("reading", self.reading, (*READINGS, "all"), hint="dev, test or all")
        for part in READINGS if self.reading == "all" else (self.reading,):
            (path,) = find_files(self.data, "uibert-refexp", f"{part}.jsonl.gz")
            for number, row in enumerate(read_rows(path, dict)):
                with add_location(path, number + 1):
                    trial = _make_trial(row, f"{part}-{number}", part)
                yield trial


def _make_trial(row: Row, name: str, part: str) -> Trial:
    """Return an expression as a trial with its candidates."""
    screen = _get_only(row, "image/id")
    boxes = _read_boxes(row, "image/object/bbox")
    entities = tuple(Entity(id=f"e{i}", region=Box(box, SHARES)) for i, box in enumerate(boxes))
    meant = _get_only(row, "image/ref_exp/label")
    if not isinstance(meant, int) or not 0 <= meant < len(entities):
        raise WrongShape(
            f"the target is element {meant!r}, but the screen has {len(entities)} elements", "count the elements from 0"
        )
    return Trial(
        id=name,
        scene=Scene(entities=entities, id=str(screen), picture=ScenePicture(path=f"{screen}.jpg")),
        targets=(f"e{meant}",),
        domain="screens",
        condition=part,
        references=(Description(text=str(_get_only(row, "image/ref_exp/text"))),),
    )


def _get_only(row: Row, key: str) -> Any:
    """Return the only value of a field. Raises WrongShape for several."""
    values = get_field(row, key, list)
    if len(values) != 1:
        raise WrongShape(
            f"{key!r} has {len(values)} values", "write one screen, one expression and one element per line"
        )
    return values[0]


def _read_boxes(row: Row, prefix: str) -> list[tuple[Any, ...]]:
    sides = [get_field(row, f"{prefix}/{side}", list) for side in SIDES]
    return [parse_numbers(list(box), 4) for box in zip(*sides, strict=True)]
