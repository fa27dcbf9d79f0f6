"""Photographs of a study under neutral names.

A scene without one is drawn, so that every study of regions can be tried.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.geometry import Box, Region, ScenePicture, Size
from referee.grounding.marks import bounds_of
from referee.grounding.overlap import region_holds
from referee.grounding.pictures import check_whole, checked
from referee.records import Scene, SceneNotes, Trial
from referee.show.drawing import draw_scene, place
from referee_lab.study.folder.study_pictures import name_object_picture
from referee_lab.study.protocols.scene import get_context_picture

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

FOLDER = "photographs"
LENGTH = 20
KINDS = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
}
_SEEN: SceneNotes[str, Photograph] = SceneNotes("studies.photographs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Photograph:
    """A photograph on display.

    Its name, its size in coordinates, the regions of its objects, and the drawing that replaces a missing file.
    """

    name: str
    size: Size
    regions: Mapping[str, Region]
    svg: str = ""


def make_photograph(trial: Trial) -> Photograph:
    """Return a trial's photograph, or a drawing of its scene on one sheet (cached by scene)."""
    notes = _SEEN.of(trial.scene)
    if "seen" not in notes:
        notes["seen"] = _read_photograph(trial.scene) if trial.scene.picture is not None else _draw_scene(trial)
    return notes["seen"]


def _read_photograph(scene: Scene) -> Photograph:
    """Return the photograph of a scene. Raises InputError if its size is unknown."""
    picture = scene.picture
    assert picture is not None  # asked by who knows
    if picture.size is None:
        raise InputError(
            f"the size of the picture {picture.path} is not known",
            remedy="give its size in pixels, which coordinates refer to",
        )
    regions = {e.id: e.region for e in scene.entities if e.region is not None}
    return Photograph(name=name_object_picture(picture.path), size=picture.size, regions=regions)


def _draw_scene(trial: Trial) -> Photograph:
    """Return a drawing of a scene, with its objects in order of name, one per cell."""
    ordered = Scene(entities=tuple(sorted(trial.scene.entities, key=lambda e: (e.attributes, e.id))))
    layout = place(ordered)
    svg = draw_scene(ordered, domain=trial.domain, layout=layout)
    # The drawing is `columns` cells of 100 wide, with one margin on all sides.
    wide = float(svg.partition('viewBox="')[2].partition('"')[0].split()[2])
    tall = float(svg.partition('viewBox="')[2].partition('"')[0].split()[3])
    margin = (wide - 100 * layout.columns) / 2
    regions: dict[str, Region] = {}
    for entity in ordered.entities:
        at = layout[entity.id]
        left, top = margin + 100 * (at.column + at.dx), margin + 100 * (at.row + at.dy)
        regions[entity.id] = Box((left, top, left + 100, top + 100))
    name = sha256(svg.encode()).hexdigest()[:LENGTH]
    return Photograph(name=name, size=Size(round(wide), round(tall)), regions=regions, svg=svg)


def find_entity_at(shown: Photograph, x: float, y: float) -> str | None:
    """Return the entity at a point, borders included.

    Of several, the one with the smallest box, which is usually in front.
    """
    hit = [
        (_compute_area(region, shown.size), name)
        for name, region in shown.regions.items()
        if region_holds(region, x, y, shown.size)
    ]
    return min(hit)[1] if hit else None


def _compute_area(region: Region, size: Size) -> float:
    left, top, right, bottom = bounds_of(region, size)
    return (right - left) * (bottom - top)


def draw_photographs(study: Study) -> dict[str, str]:
    """Return the drawings that replace photographs, by name."""
    shown = (make_photograph(s.trial) for s in study.iterate_stimuli())
    return {p.name: p.svg for p in shown if p.svg}


def copy_pictures(folder: Path, pictures: Iterable[ScenePicture], source: Path | None) -> None:
    """Copy pictures into a study's folder under neutral names, after decoding each."""
    for picture in {picture.path: picture for picture in pictures}.values():
        if source is None:
            raise InputError("the items have pictures", remedy="name their folder: --pictures FOLDER")
        path = checked(source, picture)
        check_whole(path)
        ending = path.suffix.lower()
        if ending not in KINDS:
            raise InputError(
                f"browsers do not show {ending or 'files without an ending'}",
                where=path,
                remedy="convert it to PNG, JPEG or WebP",
            )
        (folder / FOLDER).mkdir(exist_ok=True)
        shutil.copyfile(path, folder / FOLDER / f"{name_object_picture(picture.path)}{ending}")


def find_missing_pictures(study: Study) -> list[str]:
    """Return the image files that trials of a study name and that are not in its folder."""
    return [image for image, path in find_picture_files(study).items() if path is None]


def find_picture_files(study: Study) -> dict[str, Path | None]:
    """Return the files of the images that trials of a study name; None for a missing file."""
    scenes = [s.trial.scene for s in study.iterate_stimuli()]
    if study.kind.info.plugin == "locate":
        named = [scene.picture.path for scene in scenes if scene.picture is not None]
    else:
        above = filter(None, map(get_context_picture, scenes))
        named = [*above, *(e.image for scene in scenes for e in scene.entities if e.image is not None)]
    files = {image: find_photograph_file(study.folder, name_object_picture(image)) for image in named}
    return {image: file[0] if file else None for image, file in files.items()}


def find_photograph_file(folder: Path, name: str) -> tuple[Path, str] | None:
    """Return the file of a photograph and its media type; None if the study has none of that name."""
    for ending, kind in KINDS.items():
        path = folder / FOLDER / f"{name}{ending}"
        if path.is_file():
            return path, kind
    return None
