"""`referee tangram serve`: a ready-made Tangram study on this machine.

Two people in two browsers, or one with a bot, or one alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.room_studies import exists_already, serve_rooms, tell_of_links
from referee_lab.server.web.built_pages import require_pages

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram serve --bot                          play with a bot, alone, at once

  referee tangram serve --player 'llm/openai-compatible|model:NAME|endpoint:http://localhost:8000/v1'   play with a language model

  referee tangram serve --data pairs --mode live       two people: give both the same link

  referee tangram serve --puzzles house,cat --solo --no-training

  referee tangram serve --goals figures.json           own figures (`referee tangram goals draw figures.json`)

  referee tangram serve --data pairs --invited         named pairs; `referee study links pairs --pairs names.txt` makes their links

  referee tangram serve --group 4                      four people: one speaks, three move the pieces

  referee tangram serve --pieces pentomino             pentominoes instead of the Tangram
""")
)
def serve(
    data: options.MadeStudy = Path("tangram-study"),
    puzzles: Annotated[str | None, typer.Option(help="Figures in order, with commas (house, rocket, pagoda, eagle, swan, cat, boat, chapel).")] = None,
    goals: options.OwnGoals = None,
    pieces: options.PieceSet = "tangram",
    bot: Annotated[bool, typer.Option("--bot", help="Play with a bot.")] = False,
    player: Annotated[str | None, typer.Option(help="Play with this program: llm/openai-compatible|model:NAME|endpoint:URL.")] = None,
    solo: Annotated[bool, typer.Option("--solo", help="Play alone: see the goal and move the pieces.")] = False,
    voice: Annotated[bool, typer.Option("--voice", help="Offer to record the microphone (needs https, or this machine).")] = False,
    group: Annotated[int, typer.Option(help="People who play together: one speaks, the others move the pieces.", min=2, max=6)] = 2,
    invited: options.Invited = False,
    training: Annotated[bool, typer.Option(help="A short training with the pieces before the game.")] = True,
    participants: options.Participants = 24,
    mode: options.Mode = "debug",
    language: options.PageLanguage = "en",
    port: options.Port = 8000,
    host: options.Host = "127.0.0.1",
    public_url: options.ProxyUrl = None,
    qr: options.QrCode = True,
) -> None:  # fmt: skip
    """Serve a Tangram study until Ctrl-C.

    A folder that exists is served as it is: change its study.toml to change anything (`referee docs tangram`). Recordings stay in its folder data/;
    `referee tangram export` takes them out.
    """
    require_pages("participant", "organiser")
    if (bot or player) and solo:
        raise InputError("--solo cannot be combined with a bot", remedy="leave out --bot or --solo")
    if (data / "study.toml").exists():
        if puzzles or goals or pieces != "tangram" or bot or solo or voice or player or group != 2 or invited:
            raise exists_already(data)
    else:
        partner = "bot" if bot or player else "none" if solo else "person"
        settings: dict[str, Any] = {"voice": voice, "group": group, **({"player": player} if player else {})}
        settings |= {"pairing": "invited"} if invited else {}
        chosen = _add_figures(puzzles, goals, pieces, settings)
        _make_study(data, chosen, partner, settings, training, participants, mode, language)
    serve_rooms(data, port=port, host=host, public_url=public_url, qr=qr)


def _add_figures(puzzles: str | None, goals: Path | None, pieces: str, settings: dict[str, Any]) -> list[str]:
    """Return the names of the figures; custom ones are added to the settings.

    Raises an error for a wrong one before the folder is made.
    """
    from referee_lab.commands.tangram.figures import choose_goals
    from referee_lab.tangram.game.goals import compute_turn_step, export_custom_goal

    if puzzles is None and goals is None and pieces == "tangram":
        return []  # those of the protocol
    chosen = choose_goals(puzzles, goals, pieces)
    figure_lines = [line for goal in chosen for line in export_custom_goal(goal).get("goals", ())]
    if figure_lines:
        settings["goals"] = figure_lines
    settings["step"] = compute_turn_step(chosen)
    return [goal.name for goal in chosen]


def _make_study(
    data: Path,
    puzzles: list[str],
    partner: str,
    settings: dict[str, Any],
    training: bool,
    participants: int,
    mode: str,
    language: str,
) -> None:
    """Make the study folder."""
    from referee_lab.commands.study.new import make_id
    from referee_lab.rooms.room_study import make_tangram_study

    make_tangram_study(
        data,
        puzzles=puzzles,
        partner=partner,
        participants=participants,
        language=language,
        mode=mode,
        id=make_id(data),
        practice=training and partner == "person",
        settings=settings,
    )
    print(f"Made {data}.")
    tell_of_links(data, settings)
