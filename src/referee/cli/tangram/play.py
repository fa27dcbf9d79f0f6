"""`referee tangram play`: bots play whole puzzles; recordings to try everything with that needs some."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli import options

__all__ = ["app"]

app = options.new_app()


@app.command(
    epilog="""
[bold]Example[/bold]

  referee tangram play --bots 8 --out recordings
"""
)
def play(
    out: Annotated[Path, typer.Option(help="The folder for the recordings (one file of JSON lines each).", show_default=False)],
    bots: Annotated[int, typer.Option(help="Pairs of bots; each plays one puzzle.", min=1)] = 1,
    puzzles: Annotated[str | None, typer.Option(help="Figures with commas; all eight in turn without this.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first pair; the others count up.", min=0)] = 1,
) -> int:  # fmt: skip
    """Let pairs of bots play without a browser; the recordings are marked as synthetic."""
    from referee.files import write_atomically
    from referee.situated.game.bot_games import play as play_one
    from referee.situated.game.goals import GOALS, find_goal
    from referee.situated.game.log import write_recording

    goals = [find_goal(name.strip()) for name in puzzles.split(",")] if puzzles else list(GOALS.values())
    out.mkdir(parents=True, exist_ok=True)
    solved = 0
    for number in range(bots):
        # A seed of its own for each pair: the same command makes the same recordings.
        recording = play_one(goals[number % len(goals)], seed + number)
        path = out / f"{recording.header.session}.jsonl"
        write_atomically(path, write_recording(recording).rstrip("\n").split("\n"))
        outcome = next((e.kind for e in reversed(recording.entries) if e.kind in ("solved", "timeout")), "ended")
        solved += outcome == "solved"
        minutes = recording.entries[-1].t_server_ms / 60_000
        print(f"{path}  {outcome} after {minutes:.1f} minutes, {len(recording.entries):,} entries")
    print(f"{solved} of {bots} solved; synthetic: these are bots")
    return 0
