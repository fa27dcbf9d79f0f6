"""Commands to a self-driving car that refer to an object in a camera picture of nuScenes (Deruyttere et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.place_records import parse_numbers
from referee.corpora.reading.lines import get_field
from referee.corpora.reading.packed import Unheard, add_location, find_files, read_document
from referee.errors import UnknownName
from referee.geometry import Box, Convention, ScenePicture, Size
from referee.records import Description, Entity, Property, Scene, Trial

READINGS = ("val", "test")
# All pictures of nuScenes' cameras have this size (nuscenes.org, data format).
CAMERA = Size(1600, 900)
XYWH = Convention.of("pixels xywh")


class Talk2Car(Unheard):
    """3,610 commands (1,163 val, 2,447 test), each with the box of its object.

    `reading` is val, test or "all".
    """

    card = Card(
        name="talk2car",
        title="Talk2Car: commands to a self-driving car",
        source="talk2car/Talk2Car on GitHub, commit eeec6b0",
        licence="CC BY-NC-SA 4.0: not for commercial use",
        languages=("en",),
        citation="Deruyttere et al. 2019, EMNLP",
        sampled=("scene",),
        faults=(
            "pictures (nuScenes, 1600 x 900) are not included; several commands are about one picture under several names, so scenes are samples",
            "only what a command is about has a box",
        ),
        files=tuple(f"talk2car/{r}_commands.json.gz" for r in READINGS),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "all") -> None:
        super().__init__(data)
        self.reading = reading

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every command of the reading."""
        if self.reading not in (*READINGS, "all"):
            raise UnknownName("reading", self.reading, (*READINGS, "all"), hint="val, test or all")
        for part in READINGS if self.reading == "all" else (self.reading,):
            (path,) = find_files(self.data, "talk2car", f"{part}_commands.json.gz")
            for command in read_document(path, _read_commands):
                with add_location(path):
                    trial = _make_trial(command, part)
                yield trial


def _read_commands(document: dict[str, Any]) -> list[Any]:
    commands: list[Any] = get_field(document, "commands", list)
    return commands


def _make_trial(command: dict[str, Any], part: str) -> Trial:
    """Return a command as a trial."""
    thing = Entity(
        id=get_field(command, "box_token", str),
        attributes=(Property("type", get_field(command, "obj_name", str)),),
        region=Box(parse_numbers(get_field(command, "2d_box", list), 4), XYWH),
    )
    picture = ScenePicture(path=f"images/{get_field(command, 't2c_img', str)}", size=CAMERA)
    return Trial(
        id=get_field(command, "command_token", str),
        scene=Scene(entities=(thing,), id=get_field(command, "sample_token", str), complete=False, picture=picture),
        targets=(thing.id,),
        domain="streets",
        condition=part,
        references=(Description(text=get_field(command, "command", str)),),
        meta={"drive": get_field(command, "scene_token", str)},
    )
