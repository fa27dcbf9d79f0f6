"""`referee tangram play`: bots and language models play whole puzzles.

Recordings to try everything with that needs some, and scores.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee_lab.commands import options

if TYPE_CHECKING:
    from referee_lab.tangram.game.goals import Goal
    from referee_lab.tangram.players.matches import GameLimits


app = options.make_app()
SCORES = "games.jsonl"


@app.command(
    epilog=options.examples("""
  referee tangram play --bots 8 --out recordings

  referee tangram play --solver 'llm/openai-compatible|model:NAME|endpoint:http://localhost:8000/v1' --operator bot --out games

  referee tangram play --solver 'llm/openai-compatible|model:NAME' --operator 'llm/openai-compatible|model:NAME|sees:both' --bots 4 --out games

The same command resumes a stopped run and repeats games that ended without an answer; scores are in games.jsonl.
""")
)
def play(
    out: Annotated[Path, typer.Option(help="The folder for the recordings (one file of JSON lines each).", show_default=False)],
    bots: Annotated[int, typer.Option(help="Pairs of players; each plays one puzzle.", min=1)] = 1,
    puzzles: Annotated[str | None, typer.Option(help="Figures, comma-separated (default: all in turn).")] = None,
    goals: options.OwnGoals = None,
    pieces: options.PieceSet = "tangram",
    solver: Annotated[str | None, typer.Option(help="Who sees the goal: bot, or llm/openai-compatible|model:NAME|endpoint:URL.")] = None,
    operator: Annotated[str | None, typer.Option(help="Who moves the pieces: bot, or llm/openai-compatible|…")] = None,
    turns: Annotated[int, typer.Option(help="Turns after which a game is given up.", min=1)] = 200,
    patience: options.Patience = 120.0,
    seed: Annotated[int, typer.Option(help="Seed of the first pair; each further pair adds 1.", min=0)] = 1,
    form: options.TextOrJson = "text",
) -> int:  # fmt: skip
    """Let pairs of bots or models play without a browser; the recordings are marked as synthetic.

    A game ends as solved, timeout or turns; if a player crashes, stalls, gives unreadable answers or cannot be reached,
    that is the outcome.
    """
    options.check_form(form)
    from referee_lab.commands.tangram.figures import choose_goals
    from referee_lab.tangram.players.matches import GameLimits

    chosen = choose_goals(puzzles, goals, pieces)
    out.mkdir(parents=True, exist_ok=True)
    if solver is None and operator is None:
        return _play_bots(out, bots, chosen, seed)
    return _play_match(
        out, bots, chosen, (solver or "bot", operator or "bot"), GameLimits(turns=turns, answer_s=patience), seed, form
    )


def _play_bots(out: Path, bots: int, goals: list[Goal], seed: int) -> int:
    """Play games between the two bots and write their recordings; return the number of solved ones."""
    from referee_lab.tangram.game.bot_games import play_bot_game
    from referee_lab.tangram.game.log import write_recording

    solved = 0
    for number in range(bots):
        # A seed of its own for each pair: the same command makes the same recordings.
        recording = play_bot_game(goals[number % len(goals)], seed + number)
        path = out / f"{recording.header.session}.jsonl"
        write_recording(path, recording)
        outcome = next((e.kind for e in reversed(recording.entries) if e.kind in ("solved", "timeout")), "ended")
        solved += outcome == "solved"
        minutes = recording.entries[-1].t_server_ms / 60_000
        print(f"{path}  {outcome} after {minutes:.1f} minutes, {len(recording.entries):,} entries")
    print(f"{solved} of {bots} solved; synthetic: these are bots")
    return 0


def _play_match(
    out: Path, games: int, goals: list[Goal], players_named: tuple[str, str], limits: GameLimits, seed: int, form: str
) -> int:
    """Play games between two named players and write recordings and scores."""
    from referee.files import write_atomically
    from referee_lab.commands.tangram.sources import print_results
    from referee_lab.tangram.game.goals import compute_turn_step
    from referee_lab.tangram.game.log import write_recording
    from referee_lab.tangram.game.rules import SETTINGS
    from referee_lab.tangram.players.contract import UNANSWERED
    from referee_lab.tangram.players.matches import play_match
    from referee_lab.tangram.players.roster import make_player
    from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

    done = _find_finished_games(out / SCORES, players_named)
    (out / "calls").mkdir(exist_ok=True)
    for number in range(games):
        goal, game_seed = goals[number % len(goals)], seed + number
        session = f"game-{goal.name}-{game_seed}"
        # A game without an answer from an endpoint says nothing about the players.
        if session in done and done[session]["outcome"] != UNANSWERED:
            print(f"{session}  there already: {done[session]['outcome']}") if form == "text" else None
            continue
        players = [
            make_player(w, role, goal, game_seed, out / "calls")
            for w, role in zip(players_named, (SOLVER, OPERATOR), strict=True)
        ]
        rules = {**SETTINGS, "step": compute_turn_step([goal])}
        recording, score = play_match(goal, *players, seed=game_seed, session=session, settings=rules, limits=limits)
        write_recording(out / f"{session}.jsonl", recording)
        done[session] = {**asdict(score), "solver": players_named[0], "operator": players_named[1]}
        write_atomically(out / SCORES, [json.dumps(row, ensure_ascii=False) for row in done.values()])
        if form == "text":
            print(f"{session}  {_format_game(done[session])}")
    rows = list(done.values())
    data = {"games": rows, "outcomes": Counter(row["outcome"] for row in rows)}
    return print_results(form, data, lambda: [_format_summary(rows)])


def _find_finished_games(path: Path, players: tuple[str, str]) -> dict[str, dict[str, Any]]:
    """Return the stored games of the same players."""
    from referee.errors import InputError
    from referee_lab.tangram.json_lines import parse_json_object

    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [parse_json_object(line, str(path), n, "delete the file to play again") for n, line in enumerate(lines, 1)]
    if other := [row for row in rows if (row["solver"], row["operator"]) != players]:
        other_players = f"{other[0]['solver']} and {other[0]['operator']}"
        raise InputError(f"this folder has games of {other_players}", where=path, remedy="choose another --out")
    return {row["session"]: row for row in rows}


def _format_game(row: dict[str, Any]) -> str:
    """Return a game's score in words."""
    role = f"{row['by']}: " if row["by"] else ""
    why = f" ({role}{row['why']})" if row["why"] else ""
    talk = f"{row['words']} words in {row['utterances']} utterances, {row['clarifications']} questions"
    moves = f"{row['moves']} moves, {row['errors']} refused, {row['unreadable']} unreadable"
    return f"{row['outcome']}{why} after {row['seconds'] / 60:.1f} minutes, {talk}, {moves}"


def _format_summary(rows: list[dict[str, Any]]) -> str:
    """Return the summary of all games as a line."""
    counts = Counter(row["outcome"] for row in rows)
    outcomes = ", ".join(f"{name} {n}" for name, n in counts.most_common())
    unreadable = sum(row["unreadable"] for row in rows)
    return f"{len(rows)} games: {outcomes}; {unreadable} unreadable answers, which are not moves; scores in {SCORES}"
