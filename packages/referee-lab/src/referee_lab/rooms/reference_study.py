"""A ready-made reference game: consent, instructions, one room, comments.

It is played with figures of this package or with a scene of a corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from random import Random
from typing import Any

from referee import catalogue
from referee.capabilities import Remembers
from referee.errors import InputError, RefereeError, UnknownName
from referee.records import Description, Entity, Property, Scene, Trial
from referee.show.drawing import get_painter_name
from referee_lab.rooms.room_study import write_room_study
from referee_lab.study.folder.photographs import KINDS
from referee_lab.study.folder.study import Study
from referee_lab.study.folder.study_pictures import name_pictures
from referee_lab.study.texts import load_interface_words
from referee_lab.tangram.players.reference_game import is_named_only
from referee_lab.tangram.players.roster import make_partner

# Twelve, as in the corpora of tangrams; those that look least alike.
FIGURE_NAMES = (
    *("arrow", "boat", "bridge", "chevron", "chicken", "crown"),
    *("giraffe", "goose", "head", "mountain", "spikes", "temple"),
)
MOST_OBJECTS = 24


def make_figure_trial(language: str = "en") -> Trial:
    """Return a trial with the twelve dark figures that ship with this package."""
    figures = tuple(Entity(id=n, attributes=(Property("shape", n), Property("colour", "black"))) for n in FIGURE_NAMES)
    scene = Scene(entities=figures, id="figures")
    return Trial(id="figures", scene=scene, targets=FIGURE_NAMES, language=language, domain="figures")


def make_picture_trial(folder: Path, language: str = "en") -> Trial:
    """Return a trial with an object for every picture of a folder, named after its file."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in KINDS) if folder.is_dir() else []
    if not 2 <= len(files) <= MOST_OBJECTS:
        raise InputError(
            f"{len(files)} pictures are in the folder" if folder.is_dir() else "there is no such folder",
            where=folder,
            remedy=f"put 2 to {MOST_OBJECTS} PNG, JPEG or WebP files there",
        )
    contents = {path: path.read_bytes() for path in files}
    for first, other in combinations(files, 2):
        if first.stem == other.stem or contents[first] == contents[other]:
            alike = "have the same name" if first.stem == other.stem else "are the same picture"
            raise InputError(f"{first.name} and {other.name} {alike}", where=folder, remedy="leave one of them out")
    entities = tuple(Entity(id=path.stem, image=path.name) for path in files)
    everything = tuple(e.id for e in entities)
    scene = Scene(entities=entities, id="pictures")
    return Trial(id="pictures", scene=scene, targets=everything, language=language, domain="pictures")


def find_scene_trial(
    trials: Iterable[Trial], source: str, scene: str | None = None, pictures: Path | None = None
) -> Trial:
    """Return the trial of a named scene of a corpus; without a name, the first that can be shown.

    `pictures` is the folder with the pictures of its objects.
    """
    by_scene: dict[str, Trial] = {}
    for trial in trials:
        by_scene.setdefault(trial.scene.id or trial.id, trial)
    # One after the other, as far as needed: to know whether objects look alike they are drawn.
    seen = (_add_pictures(trial, pictures) for name, trial in by_scene.items() if scene in (None, name))
    shown = next((trial for trial in seen if _can_be_shown(trial, pictures)), None)
    if shown is None and scene is not None:
        others = (name for name, trial in by_scene.items() if _can_be_shown(_add_pictures(trial, pictures), pictures))
        some = ", ".join(islice(others, 5)) or "none at all"
        raise InputError(f"{source} has no scene {scene!r} that can be shown", remedy=f"these can: {some}")
    if shown is None:
        raise InputError(
            f"no scene of {source} can be shown: its objects have names but no pictures, look alike without positions, or are too many",
            remedy=f"choose a corpus with attributes (synthetic, tuna, kth-tangrams …) and scenes of 2 to {MOST_OBJECTS} objects",
        )
    everything = tuple(e.id for e in shown.scene.entities)
    return Trial(id=shown.id, scene=shown.scene, targets=everything, domain=shown.domain, language=shown.language)


def _add_pictures(trial: Trial, pictures: Path | None) -> Trial:
    """Return the trial with pictures of all its objects; objects without a picture are drawn."""
    entities = trial.scene.entities
    if pictures is not None and all(e.image and (pictures / e.image).is_file() for e in entities):
        return trial
    return replace(trial, scene=replace(trial.scene, entities=tuple(replace(e, image=None) for e in entities)))


def _can_be_shown(trial: Trial, pictures: Path | None) -> bool:
    """Return whether every object has a picture or a card of its own; positions carry no information in these games."""
    scene = trial.scene
    if not 2 <= len(scene.entities) <= MOST_OBJECTS:
        return False
    if pictures is not None and all(e.image for e in scene.entities):
        return len({(pictures / str(e.image)).read_bytes() for e in scene.entities}) == len(scene.entities)
    if is_named_only(scene) or not all(e.attributes or get_painter_name(e) != "card" for e in scene.entities):
        return False
    return len(set(name_pictures(scene, trial.domain).values())) == len(scene.entities)


def make_reference_study(
    path: str | Path,
    *,
    trial: Trial | None = None,
    source: str = "figures of this package",
    language: str = "en",
    id: str = "reference-game",
    settings: Mapping[str, Any] | None = None,
    **about: Any,
) -> Study:
    """Write the study folder.

    `settings` override the protocol's defaults; `about` are the number of participants, the mode, the seed, and the folder with
    the pictures of the objects.
    """
    chosen = dict(settings or {})
    trial = trial or make_figure_trial(language)
    if chosen.get("bots") and is_named_only(trial.scene):
        raise InputError(
            "programs cannot see these pictures", remedy="leave out --bots, or play with objects that have attributes"
        )
    if chosen.get("bots"):
        _try_programs(trial, chosen)
    return write_room_study(
        path,
        protocol="reference-game",
        title=load_interface_words(language)["room_choose_title"],
        id=id,
        trial=trial,
        source=source,
        language=language,
        settings=chosen,
        **about,
    )


def _try_programs(trial: Trial, settings: Mapping[str, Any]) -> None:
    """Ask each program once about these objects.

    A program that needs training, or has no words for such objects, would be silent in every room.
    """
    parameters = catalogue.create("protocol", "reference-game").info.parameters
    view = replace(trial, targets=trial.targets[:1])
    for name, kind in (("bot_speaker", "system"), ("bot_listener", "hearer")):
        written = settings.get(name, parameters[name].default)
        try:
            player = make_partner(written, kind, seed=1)
            if isinstance(player, Remembers):
                continue  # programs that need the network are not asked
            if kind == "hearer":
                player.resolve(Description(text="this one"), view.for_hearer(Random(1)))
            elif hasattr(player, "describe"):
                player.describe(view.for_speaker())
            else:
                raise InputError("it only realises given properties")
        except UnknownName:
            raise
        except RefereeError as error:
            raise InputError(
                f"{written} cannot play with these objects: {' '.join(str(error).split())}",
                remedy=f"choose another {name} (--{name.replace('_', '-')}), one that needs no training",
            ) from error
