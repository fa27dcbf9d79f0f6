"""Converts a corpus of attributes to a corpus of pictures: every scene as a PNG, with the pixel region of every entity.

With it, vision models, people in a browser and measures of places can be tested on any corpus.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from referee.corpora.jsonl import trials_to_json, write_json_line
from referee.errors import InputError
from referee.files import writing_folder
from referee.geometry import ScenePicture
from referee.records import Scene, Trial
from referee.show.drawing.drawn_regions import Covers, draw_pixels
from referee.show.drawing.placement import place
from referee.show.drawing.png import choose_scale

PICTURES = "pictures"


def write_pictured(out: str | Path, trials: Iterable[Trial], outlines: bool = False) -> tuple[int, int]:
    """Draw every scene of the trials and write trials with picture regions: a folder with trials.jsonl and pictures/.

    Returns how many trials and pictures it has.

    Regions are boxes, or with `outlines` the pixels themselves.
    """
    with writing_folder(out) as folder:
        (folder / PICTURES).mkdir()
        artist = _Artist(folder, outlines)
        count = 0
        with (folder / "trials.jsonl").open("w", encoding="utf-8") as file:
            for data in trials_to_json(map(artist.draw_picture, trials)):
                file.write(write_json_line(data) + "\n")
                count += 1
    return count, artist.pictures


class _Artist:
    """Draws each scene once, although several trials may share it."""

    def __init__(self, folder: Path, outlines: bool) -> None:
        self.folder, self.outlines, self.pictures = folder, outlines, 0
        self.drawn_scenes: dict[Scene, Scene] = {}
        self.covers: Covers = {}

    def draw_picture(self, trial: Trial) -> Trial:
        """Return a trial with its drawn picture. Raises InputError if it has one or cannot be drawn."""
        if trial.scene.picture is not None or not trial.scene.entities:
            what = "has a picture already" if trial.scene.picture else "has nothing in it that could be drawn"
            raise InputError(f"the scene of trial {trial.id!r} {what}", remedy="export it as it is: --as trials")
        if trial.scene not in self.drawn_scenes:
            self.drawn_scenes[trial.scene] = self._draw_scene(trial.scene)
        return replace(trial, scene=self.drawn_scenes[trial.scene])

    def _draw_scene(self, scene: Scene) -> Scene:
        """Draw a scene, store its picture, and return the scene with regions."""
        layout = place(scene)
        made = draw_pixels(scene, layout=layout, scale=choose_scale(layout), outlines=self.outlines, covers=self.covers)
        path = f"{PICTURES}/{self.pictures}.png"
        (self.folder / path).write_bytes(made.png)
        self.pictures += 1
        picture = ScenePicture(path=path, size=made.size, sha256=hashlib.sha256(made.png).hexdigest())
        entities = tuple(replace(e, region=made.regions.get(e.id)) for e in scene.entities)
        return replace(scene, entities=entities, picture=picture)
