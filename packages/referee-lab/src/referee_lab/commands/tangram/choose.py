"""`referee tangram choose`: people in browsers play a reference game; one describes, the others choose, each alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.catalogue import check_choice, create
from referee.errors import InputError
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.room_studies import RoomStudyOptions
from referee_lab.server.web.built_pages import require_pages

if TYPE_CHECKING:
    from referee.records import Trial


app = options.make_app()
EPILOG = options.examples("""
  referee tangram choose --bots 2                          try it alone: two programs play with you

  referee tangram choose --data groups --group 4 --mode live   four people: give all of them the same link

  referee tangram choose --data groups --group 3 --invited     named groups; `referee study links groups --pairs names.txt` makes their links

  referee tangram choose --group 6 --speaker fixed --feedback own --repetitions 6

  referee tangram choose --pictures FOLDER --group 4           your own pictures, 2 to 24 of them; --corpus vlm-tangram has the twelve tangrams

  referee tangram choose --corpus tuna --bots 1 --bot-listener 'llm/openai-compatible|model:NAME|endpoint:URL'

Afterwards `referee tangram export groups --all --out GAMES` exports the games, and `referee play --played GAMES --people multiparty-tangrams` scores them.
""")
# Options that are settings of the protocol by the same name.
SETTINGS = ("group", "bots", "bot_speaker", "bot_listener", "repetitions", "objects", "speaker", "begins", "feedback")


@dataclass
class ChooseOptions(RoomStudyOptions):
    """Options of `referee tangram choose`."""

    data: Path = option(Path("reference-study"), "The study folder; made if there is none.")
    corpus: str | None = option(None, "Corpus whose scene the players see (default: twelve figures of this package).")
    corpus_data: Path | None = option(None, "Folder of corpora (default: REFEREE_DATA).")
    pictures: Path | None = option(
        None, "Play with the pictures of this folder; with --corpus, the folder with the pictures of its objects."
    )
    scene: str | None = option(None, "With --corpus: id of the scene (default: the first that can be shown).")
    group: int = option(3, "Players in a room: one speaks, the others choose, each alone.", minimum=2, maximum=6)
    bots: int = option(0, "Number of players that are programs.", minimum=0, maximum=5)
    bot_speaker: str = option(
        "classic/incremental", "The speaking program: a system without training, or llm/openai-compatible|…."
    )
    bot_listener: str = option(
        "literal", "The choosing program: a hearer without training, or llm/openai-compatible|…."
    )
    repetitions: int = option(6, "Number of rounds in which each object is the target.", minimum=1)
    objects: int = option(0, "Number of objects in each repetition; 0 for all.", minimum=0)
    speaker: str = option(
        "repetition", "When the speaker changes: after every repetition, after every round, never (fixed)."
    )
    begins: str = option("any", "Who speaks first (any, person, bot).")
    feedback: str = option(
        "full", "What listeners learn: everything, or only whether they were right themselves (full, own)."
    )
    limit: float = option(180.0, "Seconds until a round ends without all choices.", minimum=1)


@command(app, ChooseOptions, EPILOG)
def choose(chosen: ChooseOptions) -> int:
    """Serve a reference game for groups until Ctrl-C (`referee docs reference-game`).

    One player speaks, each of the others chooses an object alone, all write in one chat, and feedback follows every
    round. An existing folder is served unchanged: edit its study.toml for changes.
    """
    require_pages("participant", "organiser")
    parameters = create("protocol", "reference-game").info.parameters
    for name in ("speaker", "begins", "feedback"):
        check_choice(f"--{name}", getattr(chosen, name), parameters[name].values)
    settings: dict[str, Any] = {
        **{name: getattr(chosen, name) for name in SETTINGS},
        "limit_seconds": chosen.limit,
        "pairing": "invited" if chosen.invited else "any",
    }
    if not chosen.exists():
        _make_study(chosen, settings)
    elif chosen.corpus or chosen.scene or chosen.pictures or settings != {n: parameters[n].default for n in settings}:
        raise chosen.make_options_error()
    chosen.serve()
    return 0


def _make_trial(chosen: ChooseOptions) -> tuple[Trial | None, Path | None]:
    """Return the trial of the game and the folder with its objects' pictures.

    None for the figures of this package.
    """
    from referee_lab.rooms.reference_study import find_scene_trial, make_picture_trial

    corpus, pictures = chosen.corpus, chosen.pictures
    if corpus is None:
        if chosen.scene is not None:
            raise InputError("--scene needs --corpus", remedy="name the corpus with --corpus")
        return (None if pictures is None else make_picture_trial(pictures, chosen.language)), pictures
    # A corpus names its pictures from the folder of corpora on.
    data_folder = chosen.corpus_data or os.environ.get("REFEREE_DATA")
    where = pictures or (Path(data_folder) if data_folder else None)
    reader = create("corpus", corpus, **({} if corpus == "synthetic" else {"data": chosen.corpus_data}))
    return find_scene_trial(list(reader.trials()), corpus, chosen.scene, where), where


def _make_study(chosen: ChooseOptions, settings: dict[str, Any]) -> None:
    """Make the study folder."""
    from referee_lab.rooms.reference_study import make_reference_study

    trial, pictures = _make_trial(chosen)
    source = chosen.corpus or ("own pictures" if chosen.pictures else "figures of this package")
    about = {"source": source, "pictures": pictures, **chosen.describe_study()}
    study = make_reference_study(chosen.data, trial=trial, settings=settings, **about)
    objects = len(next(study.iterate_stimuli()).trial.scene.entities)
    print(f"Made {chosen.data}: {objects} objects, {chosen.group} players, {chosen.bots} of them programs.")
    chosen.print_invitation_hint()
