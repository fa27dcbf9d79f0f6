"""`referee tangram choose`: people in browsers play a reference game; one describes, the others choose, each alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.catalogue import check_choice, create
from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.room_studies import exists_already, serve_rooms, tell_of_links
from referee_lab.server.web.built_pages import require_pages

if TYPE_CHECKING:
    from referee.records import Trial


app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram choose --bots 2                          try it alone: two programs play with you

  referee tangram choose --data groups --group 4 --mode live   four people: give all of them the same link

  referee tangram choose --data groups --group 3 --invited     named groups; `referee study links groups --pairs names.txt` makes their links

  referee tangram choose --group 6 --speaker fixed --feedback own --repetitions 6

  referee tangram choose --pictures FOLDER --group 4           your own pictures, 2 to 24 of them; --corpus vlm-tangram has the twelve tangrams

  referee tangram choose --corpus tuna --bots 1 --bot-listener 'llm/openai-compatible|model:NAME|endpoint:URL'

Afterwards `referee tangram export groups --all --out GAMES` exports the games, and `referee play --played GAMES --people multiparty-tangrams` scores them.
""")
)
def choose(
    data: options.MadeStudy = Path("reference-study"),
    corpus: Annotated[str | None, typer.Option(help="Corpus whose scene the players see.", show_default="twelve figures of this package")] = None,
    corpus_data: Annotated[Path | None, typer.Option(help="Folder of corpora (default: REFEREE_DATA).", show_default="$REFEREE_DATA")] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Play with the pictures of this folder; with --corpus, the folder with the pictures of its objects.", show_default=False)
    ] = None,
    scene: Annotated[str | None, typer.Option(help="With --corpus: id of the scene.", show_default="the first that can be shown")] = None,
    group: Annotated[int, typer.Option(help="Players in a room: one speaks, the others choose, each alone.", min=2, max=6)] = 3,
    bots: Annotated[int, typer.Option(help="Number of players that are programs.", min=0, max=5)] = 0,
    bot_speaker: Annotated[str, typer.Option(help="The speaking program: a system without training, or llm/openai-compatible|….")] = "classic/incremental",
    bot_listener: Annotated[str, typer.Option(help="The choosing program: a hearer without training, or llm/openai-compatible|….")] = "literal",
    repetitions: options.Repetitions = 6,
    objects: Annotated[int, typer.Option(help="Number of objects in each repetition; 0 for all.", min=0)] = 0,
    speaker: Annotated[str, typer.Option(help="When the speaker changes: after every repetition, after every round, never (fixed).")] = "repetition",
    begins: Annotated[str, typer.Option(help="Who speaks first (any, person, bot).")] = "any",
    feedback: Annotated[str, typer.Option(help="What listeners learn: everything, or only whether they were right themselves (full, own).")] = "full",
    limit: Annotated[float, typer.Option(help="Seconds until a round ends without all choices.", min=1)] = 180.0,
    invited: options.Invited = False,
    participants: options.Participants = 24,
    mode: options.Mode = "debug",
    language: options.PageLanguage = "en",
    port: options.Port = 8000,
    host: options.Host = "127.0.0.1",
    public_url: options.ProxyUrl = None,
    qr: options.QrCode = True,
) -> None:  # fmt: skip
    """Serve a reference game for groups until Ctrl-C (`referee docs reference-game`).

    One player speaks, each of the others chooses an object alone, all write in one chat, and feedback follows every
    round. An existing folder is served unchanged: edit its study.toml for changes.
    """
    require_pages("participant", "organiser")
    parameters = create("protocol", "reference-game").info.parameters
    for name, value in (("speaker", speaker), ("begins", begins), ("feedback", feedback)):
        check_choice(f"--{name}", value, parameters[name].values)
    settings: dict[str, Any] = {
        "group": group,
        "bots": bots,
        "bot_speaker": bot_speaker,
        "bot_listener": bot_listener,
        "repetitions": repetitions,
        "objects": objects,
        "speaker": speaker,
        "begins": begins,
        "feedback": feedback,
        "limit_seconds": limit,
        "pairing": "invited" if invited else "any",
    }
    if not (data / "study.toml").exists():
        trial, where = _make_trial(corpus, corpus_data, scene, pictures, language)
        _make_study(
            data, trial, where, corpus or ("own pictures" if pictures else None), settings, participants, mode, language
        )
    elif corpus or scene or pictures or settings != {name: parameters[name].default for name in settings}:
        raise exists_already(data)
    serve_rooms(data, port=port, host=host, public_url=public_url, qr=qr)


def _make_trial(
    corpus: str | None, data: Path | None, scene: str | None, pictures: Path | None, language: str
) -> tuple[Trial | None, Path | None]:
    """Return the trial of the game and the folder with its objects' pictures.

    None for the figures of this package.
    """
    from referee_lab.rooms.reference_study import find_scene_trial, make_picture_trial

    if corpus is None:
        if scene is not None:
            raise InputError("--scene needs --corpus", remedy="name the corpus with --corpus")
        return (None, None) if pictures is None else (make_picture_trial(pictures, language), pictures)
    # A corpus names its pictures from the folder of corpora on.
    data_folder = data or os.environ.get("REFEREE_DATA")
    where = pictures or (Path(data_folder) if data_folder else None)
    trials = list(create("corpus", corpus, **({} if corpus == "synthetic" else {"data": data})).trials())
    return find_scene_trial(trials, corpus, scene, where), where


def _make_study(
    data: Path,
    trial: Trial | None,
    pictures: Path | None,
    source: str | None,
    settings: dict[str, Any],
    participants: int,
    mode: str,
    language: str,
) -> None:
    """Make the study folder."""
    from referee_lab.commands.study.new import make_id
    from referee_lab.rooms.reference_study import make_reference_study

    study = make_reference_study(
        data,
        trial=trial,
        source=source or "figures of this package",
        participants=participants,
        language=language,
        mode=mode,
        id=make_id(data),
        settings=settings,
        pictures=pictures,
    )
    objects = len(next(study.iterate_stimuli()).trial.scene.entities)
    print(f"Made {data}: {objects} objects, {settings['group']} players, {settings['bots']} of them programs.")
    tell_of_links(data, settings)
