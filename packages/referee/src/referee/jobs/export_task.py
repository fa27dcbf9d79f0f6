"""Exports a corpus for other programs (`referee export-task`).

A folder with an inspect_ai task and a data set for Hugging Face's library.

`referee import` reads the results: every sample has its trial, and for hearers the display order of the entities.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.errors import InputError
from referee.files import write_atomically, writing_folder
from referee.grounding.marks import bounds_of, mark_target, number_marks
from referee.grounding.pictures import checked, encode_png, open_picture, size_of
from referee.jobs.open import Opened
from referee.records import HUMAN, Scene, Trial
from referee.show.drawing import draw_marked, draw_numbered
from referee.show.pages import render
from referee.systems.language_model import build_prompt
from referee.systems.object_lists import format_objects

if TYPE_CHECKING:
    from PIL.Image import Image

ROLES = ("speaker", "hearer", "locator")
DATASET, IMAGES = "data/test.jsonl", "data/images"
DRAWN = "draw"
WHICH = (
    "Which object is meant? Answer with the number of the object alone; with the word several "
    "if it fits more than one equally well, with none if it fits no object, with unknown if you cannot tell."
)
CONVENTION = "0-1000 xyxy"
WHERE = (
    "Where is it in the picture? Answer with its bounding box alone, as [x1, y1, x2, y2] in thousandths of the picture's width and height. "
    "If it is not there, answer with the word none."
)


def export_task(
    opened: Opened, out: Path, *, role: str = "speaker", pictures: str = "", seed: int = 1, overwrite: bool = False
) -> int:
    """Write the folder `out`, with pictures if `pictures` names their folder or is "draw"; return the number of prompts.

    Raises:
        InputError: for an unknown role, a locator without photographs, or a corpus without such trials.
    """
    if role not in ROLES:
        raise InputError(f"there is no role {role!r}", remedy=f"one of {', '.join(ROLES)}")
    if role == "locator" and pictures in ("", DRAWN):
        raise InputError("a locator needs photographs", remedy="name their folder: --pictures FOLDER")
    prompts = list(_yield_prompts(opened.trials(), role, pictures, seed))
    if not prompts:
        lacks = "references and boxes" if role == "locator" else "references"
        raise InputError("there are no trials to ask about", remedy=f"a {role} needs a corpus with {lacks}")
    name = "".join(c if c.isalnum() else "_" for c in f"{opened.name}_{role}").strip("_").lower()
    licence = f" ({opened.card.licence})" if opened.card is not None else ""
    with writing_folder(
        out, overwrite, lambda path: (Path(path) / DATASET).is_file(), "choose another name, or --overwrite"
    ) as folder:
        (folder / IMAGES).mkdir(parents=True)
        for row, picture in prompts:
            if picture is not None:
                (folder / row["image"]).write_bytes(picture)
        write_atomically(folder / DATASET, (json.dumps(row, ensure_ascii=False) for row, _ in prompts))
        scored = {"speaker": "description()", "hearer": "choice()", "locator": f'grounding("{CONVENTION}")'}[role]
        facts = {"corpus": opened.name, "role": role, "data": DATASET, "version": __version__}
        function = name if name[0].isalpha() else f"t_{name}"
        task = render("export_task/task.txt", **facts, scorer=scored.partition("(")[0], scored=scored, name=function)
        write_atomically(folder / "task.py", [task])
        card = render("export_task/README.md", **facts, n=len(prompts), licence=licence, folder=out.name)
        write_atomically(folder / "README.md", [card])
    return len(prompts)


def _yield_prompts(
    trials: Iterable[Trial], role: str, pictures: str, seed: int
) -> Iterator[tuple[dict[str, Any], bytes | None]]:
    """Yield the row of every trial that suits the role, with its picture."""
    for number, trial in enumerate(trials, 1):
        texts = [r.text for r in trial.references if r.text]
        if role == "speaker":
            speaker_view = trial.for_speaker()
            prompt = build_prompt(speaker_view, image=bool(pictures), words=not pictures)
            row = _make_row(trial, trial.id, prompt, next(iter(texts), ""), references=texts)
            picture = _draw_target(trial, speaker_view.scene, pictures) if pictures else None
        elif not texts or len(trial.targets) != 1:
            continue
        elif role == "hearer":
            # The order that hearers here see.
            scene = trial.for_hearer(Random(f"{seed}|{trial.id}")).scene
            places = [e.id for e in scene.entities]
            lines = "\n".join(f"{i}. {line}" for i, line in enumerate(format_objects(scene.entities), 1))
            objects = "one of the numbered objects in the picture." if pictures else f"one of these objects:\n{lines}"
            prompt = f"Somebody described {objects}\n\nThe description: {texts[0]!r}\n\n{WHICH}"
            target = str(places.index(trial.targets[0]) + 1)
            row = _make_row(trial, f"{trial.id}/{HUMAN}", prompt, target, places=places, system=HUMAN)
            picture = _draw_choices(trial, scene, pictures) if pictures else None
        else:
            region = trial.scene.entity(trial.targets[0]).region
            if trial.scene.picture is None or region is None:
                continue
            path = checked(pictures, trial.scene.picture)
            size = size_of(path)
            bbox = [float(n) for n in bounds_of(region, size)]
            prompt = f"The description: {texts[0]!r}\n\n{WHERE}"
            row = _make_row(trial, f"{trial.id}/{HUMAN}", prompt, str(bbox), system=HUMAN)
            row |= {"bbox": bbox, "image_size": [size.width, size.height]}
            picture = path.read_bytes()
        if picture is not None:
            row["image"] = f"{IMAGES}/{number}{path.suffix if role == 'locator' else '.png'}"
        yield row, picture


def _draw_target(trial: Trial, scene: Scene, pictures: str) -> bytes:
    """Return a picture as PNG whose target has a frame: drawn, or a photograph."""
    if pictures == DRAWN:
        return draw_marked(scene, trial.targets)
    regions = [trial.scene.entity(target).region for target in trial.targets]
    photograph = _open_photograph(scene, pictures)
    for region in regions:
        if region is None:
            raise InputError(
                f"the target of trial {trial.id!r} has no region", remedy="draw the scenes: --pictures draw"
            )
        photograph = mark_target(photograph, region)
    return encode_png(photograph)


def _draw_choices(trial: Trial, scene: Scene, pictures: str) -> bytes:
    """Return a picture as PNG whose objects are numbered: drawn, or a photograph."""
    if pictures == DRAWN:
        return draw_numbered(scene)
    regions = [r for e in scene.entities if (r := trial.scene.entity(e.id).region) is not None]
    if len(regions) < len(scene.entities):
        raise InputError(f"not every object of trial {trial.id!r} has a region", remedy="export for a locator")
    return encode_png(number_marks(_open_photograph(scene, pictures), regions))


def _open_photograph(scene: Scene, folder: str) -> Image:
    """Return the photograph of a scene. Raises InputError if it has none."""
    if scene.picture is None:
        raise InputError(f"scene {scene.id!r} has no photograph", remedy="draw the scenes: --pictures draw")
    return open_picture(checked(folder, scene.picture))


def _make_row(trial: Trial, name: str, prompt: str, target: str, **more: Any) -> dict[str, Any]:
    """Return one row of the data set."""
    return {
        "id": name,
        "trial": trial.id,
        "prompt": prompt,
        "target": target,
        "places": [],
        "system": None,
        "language": trial.language,
        "condition": trial.condition,
        **more,
    }
