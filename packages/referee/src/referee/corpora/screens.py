"""Instructions about screens: OSWorld-G with its refusals (Xie et al. 2025), and ScreenSpot's JSON (Cheng et al. 2024)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.contracts import Card
from referee.corpora.place_records import parse_numbers
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import Unheard, add_location, find_files, read_list
from referee.errors import UnknownName
from referee.geometry import Box, Convention, Polygon, Region, ScenePicture, Size
from referee.records import Description, Entity, Property, Scene, Trial

XYWH = Convention.of("pixels xywh")


class OsWorldG(Unheard):
    """564 targets on 251 screens: 470 boxes, 40 outlines, 54 that are not there.

    Each has two wordings, which are the trial's references; `reading` is "both", "original" or "refined" (without
    knowledge of the application).
    """

    FILES = ("OSWorld-G.json.gz", "OSWorld-G_refined.json.gz")
    READINGS = ("both", "original", "refined")

    card = Card(
        name="osworld-g",
        title="OSWorld-G: grounding of instructions on computer screens",
        source="xlang-ai/OSWorld-G on GitHub, commit 5e97d36",
        licence="Apache-2.0 (badge in the README; no licence file)",
        languages=("en",),
        citation="Xie et al. 2025, arXiv 2505.13227",
        # A screen has up to nine instructions.
        sampled=("scene",),
        faults=(
            "57 of the 564 refined wordings are the original ones",
            "pictures were re-encoded from PNG to WebP at the same size in pixels",
            "one refined wording (9bQOfLzvdu-0) is empty and left out",
            "54 targets are not there (refusals): their trials have no target, and no box of zeros",
        ),
        files=tuple(f"osworld-g/{f}" for f in FILES),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "both") -> None:
        super().__init__(data)
        self.reading = reading

    def picture_folder(self) -> Path:
        return find_files(self.data, "osworld-g", *self.FILES)[0].parent

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every instruction of the reading."""
        if self.reading not in self.READINGS:
            raise UnknownName("reading", self.reading, self.READINGS, hint=f"one of {', '.join(self.READINGS)}")
        original, refined = (
            list(read_list(path, _make_trial)) for path in find_files(self.data, "osworld-g", *self.FILES)
        )
        wordings = {t.id: t.references for t in refined}
        scenes = _make_scenes(original)
        for trial in original:
            again = wordings.get(trial.id, ())
            references = {"both": trial.references + again, "original": trial.references, "refined": again}[
                self.reading
            ]
            yield replace(trial, scene=scenes[trial.scene.id], references=references)


def _make_trial(row: dict[str, Any]) -> Trial:
    """Return an instruction as a trial."""
    name = get_field(row, "id", str)
    region = _parse_region(get_field(row, "box_type", str), get_field(row, "box_coordinates", list))
    width, height = parse_numbers(get_field(row, "image_size", list), 2)
    stem = Path(get_field(row, "image_path", str)).stem
    kinds = tuple(Property("kind", kind) for kind in get_field(row, "GUI_types", list) if isinstance(kind, str))
    entities = () if region is None else (Entity(id=name, attributes=kinds, region=region),)
    picture = ScenePicture(path=f"images/{stem}.webp", size=Size(int(width), int(height)))
    return Trial(
        id=name,
        scene=Scene(entities=entities, id=stem, complete=False, picture=picture),
        targets=tuple(e.id for e in entities),
        domain="screens",
        condition=row["box_type"],
        references=(Description(text=text),) if (text := get_field(row, "instruction", str)).strip() else (),
    )


def _parse_region(kind: str, coordinates: list[Any]) -> Region | None:
    """Return the gold region: box or polygon; None for a refusal."""
    if kind == "refusal":
        return None
    if kind == "bbox":
        return Box(parse_numbers(coordinates, 4), XYWH)
    if kind != "polygon" or len(coordinates) % 2:
        raise WrongShape(
            f"{len(coordinates)} numbers cannot be a region of the kind {kind!r}",
            "write bbox, polygon (x1 y1 x2 y2 …) or refusal",
        )
    flat = parse_numbers(coordinates, len(coordinates))
    return Polygon(tuple((flat[i], flat[i + 1]) for i in range(0, len(flat), 2)))


def _make_scenes(trials: Sequence[Trial]) -> dict[str | None, Scene]:
    """Return one scene per picture, with all objects that any trial outlines on it."""
    entities: dict[str | None, list[Entity]] = defaultdict(list)
    for trial in trials:
        entities[trial.scene.id] += trial.scene.entities
    return {t.scene.id: replace(t.scene, entities=tuple(entities[t.scene.id])) for t in trials}


class ScreenSpot(Unheard):
    """ScreenSpot's files as its makers publish and read them (pretrain/screenspot_test.py of njucckevin/SeeClick): a JSON list of ``img_filename``, ``bbox``
    (x, y, width, height in pixels), ``instruction``, ``data_type``, ``data_source``. `reading` is desktop, mobile, web or "all"; the pictures' sizes are taken
    from the pictures, if these are available."""

    READINGS = ("desktop", "mobile", "web")

    card = Card(
        name="screenspot",
        title="ScreenSpot: grounding on screens of computers, telephones and web pages",
        source="njucckevin/SeeClick on GitHub (screenspot_desktop.json, screenspot_mobile.json, screenspot_web.json)",
        licence="Apache-2.0",
        languages=("en",),
        citation="Cheng et al. 2024, ACL",
        sampled=("scene",),
        faults=("boxes are x, y, width, height, though many harnesses convert them and say nothing",),
        files=tuple(f"screenspot/screenspot_{r}.json" for r in READINGS),
    )

    def __init__(self, data: str | Path | None = None, reading: str = "all") -> None:
        super().__init__(data)
        self.reading = reading

    def trials(self) -> Iterator[Trial]:
        """Yield a trial for every instruction of the reading."""
        if self.reading not in (*self.READINGS, "all"):
            raise UnknownName("reading", self.reading, (*self.READINGS, "all"), hint="desktop, mobile, web or all")
        chosen = self.READINGS if self.reading == "all" else (self.reading,)
        for part in chosen:
            (path,) = find_files(self.data, "screenspot", f"screenspot_{part}.json")
            yield from (_make_spot_trial(row, part, i, path.parent) for i, row in enumerate(read_list(path, dict)))

    def picture_folder(self) -> Path:
        part = self.READINGS[0] if self.reading == "all" else self.reading
        return find_files(self.data, "screenspot", f"screenspot_{part}.json")[0].parent


def _make_spot_trial(row: dict[str, Any], part: str, number: int, folder: Path) -> Trial:
    """Return an instruction as a trial."""
    with add_location(folder / f"screenspot_{part}.json"):
        name = Path(get_field(row, "img_filename", str)).name
        region = Box(parse_numbers(get_field(row, "bbox", list), 4), XYWH)
        kind = get_field(row, "data_type", str)
        picture = ScenePicture(path=f"screenspot_imgs/{name}", size=_read_size(folder / "screenspot_imgs" / name))
        return Trial(
            id=f"{part}-{number}",
            scene=Scene(entities=(Entity(id="meant", region=region),), id=name, complete=False, picture=picture),
            targets=("meant",),
            domain="screens",
            condition=f"{part}-{kind}",
            references=(Description(text=get_field(row, "instruction", str)),),
            meta={"source": row.get("data_source")},
        )


def _read_size(path: Path) -> Size | None:
    """Return the size of a picture, from the header of its file."""
    if not path.is_file():
        return None
    from referee.grounding.pictures import size_of

    return size_of(path)
