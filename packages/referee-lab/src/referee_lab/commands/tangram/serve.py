"""`referee tangram serve`: a ready-made Tangram study on this machine.

Two people in two browsers, or one with a bot, or one alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.room_studies import RoomStudyOptions
from referee_lab.server.web.built_pages import require_pages

app = options.make_app()
EPILOG = options.examples("""
  referee tangram serve --bot                          play with a bot, alone, at once

  referee tangram serve --player 'llm/openai-compatible|model:NAME|endpoint:http://localhost:8000/v1'   play with a language model

  referee tangram serve --data pairs --mode live       two people: give both the same link

  referee tangram serve --puzzles house,cat --solo --no-training

  referee tangram serve --goals figures.json           own figures (`referee tangram goals check figures.json`)

  referee tangram serve --data pairs --invited         named pairs; `referee study links pairs --pairs names.txt` makes their links

  referee tangram serve --group 4                      four people: one speaks, three move the pieces

  referee tangram serve --pieces pentomino             pentominoes instead of the Tangram
""")


@dataclass
class ServeOptions(RoomStudyOptions):
    """Options of `referee tangram serve`."""

    data: Path = option(Path("tangram-study"), "The study folder; made if there is none.")
    puzzles: str | None = option(
        None, "Figures in order, with commas (house, rocket, pagoda, eagle, swan, cat, boat, chapel)."
    )
    goals: Path | None = option(None, "A file of custom figures (`referee tangram goals`).")
    pieces: str = option("tangram", "The set of pieces: tangram, pentomino, or a file of custom pieces (.toml, .json).")
    bot: bool = option(False, "Play with a bot.")
    player: str | None = option(None, "Play with this program: llm/openai-compatible|model:NAME|endpoint:URL.")
    solo: bool = option(False, "Play alone: see the goal and move the pieces.")
    voice: bool = option(False, "Offer to record the microphone (needs https, or this machine).")
    group: int = option(2, "People who play together: one speaks, the others move the pieces.", minimum=2, maximum=6)
    training: bool = option(True, "A short training with the pieces before the game.", "--training/--no-training")


@command(app, ServeOptions, EPILOG)
def serve(chosen: ServeOptions) -> int:
    """Serve a Tangram study until Ctrl-C.

    A folder that exists is served as it is: change its study.toml to change anything (`referee docs tangram`). Recordings stay in its folder data/;
    `referee tangram export` takes them out.
    """
    require_pages("participant", "organiser")
    if (chosen.bot or chosen.player) and chosen.solo:
        raise InputError("--solo cannot be combined with a bot", remedy="leave out --bot or --solo")
    if not chosen.exists():
        _make_study(chosen)
    elif any(
        getattr(chosen, name) != getattr(ServeOptions, name)
        for name in ("puzzles", "goals", "pieces", "bot", "player", "solo", "voice", "group", "invited")
    ):
        raise chosen.make_options_error()
    chosen.serve()
    return 0


def _make_study(chosen: ServeOptions) -> None:
    """Make the study folder. Raises an error for a wrong figure before that."""
    from referee_lab.commands.tangram.figures import choose_goals
    from referee_lab.rooms.room_study import make_tangram_study
    from referee_lab.tangram.game.goals import compute_turn_step, export_custom_goal

    settings: dict[str, Any] = {"voice": chosen.voice, "group": chosen.group}
    settings |= {"player": chosen.player} if chosen.player else {}
    settings |= {"pairing": "invited"} if chosen.invited else {}
    puzzles: list[str] = []  # those of the protocol
    if chosen.puzzles or chosen.goals or chosen.pieces != "tangram":
        goals = choose_goals(chosen.puzzles, chosen.goals, chosen.pieces)
        settings["step"], puzzles = compute_turn_step(goals), [goal.name for goal in goals]
        if custom_goals := [line for goal in goals for line in export_custom_goal(goal).get("goals", ())]:
            settings["goals"] = custom_goals
    partner = "bot" if chosen.bot or chosen.player else "none" if chosen.solo else "person"
    practice = chosen.training and partner == "person"
    about = chosen.describe_study()
    make_tangram_study(chosen.data, puzzles=puzzles, partner=partner, practice=practice, settings=settings, **about)
    print(f"Made {chosen.data}.")
    chosen.print_invitation_hint()
