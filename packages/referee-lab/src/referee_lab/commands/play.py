"""`referee play`: a repeated reference game between any speaker and any hearer over any corpus, beside people's curves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.errors import InputError
from referee_lab.commands import options

if TYPE_CHECKING:
    from referee_lab.tangram.players.adaptation import AdaptationCurve
    from referee_lab.tangram.players.reference_game import GamePlan, PlayedGame


app = options.make_app()
ABOUT = "game.json"


@app.command(
    epilog=options.examples("""
  referee play --corpus synthetic --speaker classic/incremental --hearer literal --out GAMES

  referee play --corpus tuna --speaker 'llm/openai-compatible|model:NAME|endpoint:URL' --hearer 'llm/openai-compatible|model:NAME|endpoint:URL' --out GAMES

  referee play --corpus kth-tangrams --speaker … --hearer … --group 4 --people multiparty-tangrams --out GAMES --format json

  referee play --played GAMES --people multiparty-tangrams     score existing games, also people's (`referee tangram export`)

Speakers are systems (referee list systems), hearers are hearers (referee list hearers); a language model in either role sees all earlier rounds. The same
command resumes a stopped run.
""")
)
def play(
    corpus: Annotated[str | None, typer.Option(help="Corpus whose scenes are used.", show_default=False)] = None,
    speaker: Annotated[str | None, typer.Option(help="A system by name, or llm/openai-compatible|model:NAME|endpoint:URL.", show_default=False)] = None,
    hearer: Annotated[str | None, typer.Option(help="A hearer by name, or llm/openai-compatible|model:NAME|endpoint:URL.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option(help="The folder for the games.", show_default=False)] = None,
    played: Annotated[str | None, typer.Option(help="Play no new games: score the games of this folder, or any dialogues.", show_default=False)] = None,
    games: Annotated[int, typer.Option(help="Number of games, each with another scene.", min=1)] = 10,
    repetitions: options.Repetitions = 6,
    objects: Annotated[int, typer.Option(help="Number of objects in each scene that are used.", min=1)] = 4,
    people: Annotated[str | None, typer.Option(help="Human games to compare with: tangrams-hawkins, multiparty-tangrams or continual-adaptation.")] = None,
    group: Annotated[int, typer.Option(help="Number of players: one speaker, and hearers who choose independently.", min=2, max=6)] = 2,
    patience: options.Patience = 120.0,
    data: options.Data = None,
    seed: options.Seed = 1,
    form: options.TextOrJson = "text",
) -> int:  # fmt: skip
    """Play repeated rounds with feedback, and test whether descriptions shorten and choices improve over repetitions,
    as people's do.

    Unparsable answers are counted separately; if a player crashes, stalls, gives unparsable answers or cannot be
    reached, that is the outcome of the game.
    """
    options.check_form(form)
    from referee.catalogue import create
    from referee_lab.tangram.players.adaptation import compute_human_curve
    from referee_lab.tangram.players.reference_game import is_named_only, plan_games

    if played is not None:
        if corpus or speaker or hearer or out:
            raise InputError(
                "--played scores games and does not play new ones",
                remedy="leave out --corpus, --speaker, --hearer and --out",
            )
        games_read = (
            _read_played_games(Path(played)) if (Path(played) / ABOUT).is_file() else _read_rounds(played, data)
        )
        _print_results(*games_read, compute_human_curve(people, data) if people is not None else None, form)
        return 0
    if corpus is None or speaker is None or hearer is None or out is None:
        needed = {"--corpus": corpus, "--speaker": speaker, "--hearer": hearer, "--out": out}
        missing = ", ".join(option for option, value in needed.items() if value is None)
        raise InputError(f"missing: {missing}", remedy="name all four, or --played FOLDER to score games")
    trials = list(create("corpus", corpus, **({} if corpus == "synthetic" else {"data": data})).trials())
    plans = plan_games(trials, games, repetitions, objects, seed)
    if not plans or is_named_only(plans[0].scene):
        raise InputError(
            f"the objects of {corpus} are known by name only: a speaker could say nothing but the name",
            remedy="choose a corpus with attributes (synthetic, tuna, kth-tangrams …); --people shows this corpus's curve beside it",
        )
    beside = compute_human_curve(people, data) if people is not None else None
    settings: dict[str, Any] = {"corpus": corpus, "speaker": speaker, "hearer": hearer, "seed": seed}
    settings |= {"repetitions": repetitions, "objects": objects}
    # Only if it is not two, so that folders of earlier games can be continued.
    settings |= {"group": group} if group > 2 else {}
    _check_settings(out, settings)
    scenes = {p.scene.id for p in plans}
    learn = [t for t in trials if t.scene.id is None or t.scene.id not in scenes]
    _print_results(
        settings, _play_all(plans, out, (speaker, *[hearer] * (group - 1)), learn, patience, seed), beside, form
    )
    return 0


def _print_results(
    settings: dict[str, Any], played: Sequence[PlayedGame], beside: AdaptationCurve | None, form: str
) -> None:
    """Print the results as a table or as JSON."""
    from referee_lab.commands.tangram.sources import print_results
    from referee_lab.tangram.players.adaptation import compute_game_curve

    source = _name_players(settings, " → ")
    curves = [compute_game_curve(played, source), *([beside] if beside else [])]
    data = _convert_to_json(settings, played, curves)
    print_results(form, data, lambda: _format_lines(settings, played, curves))


def _read_played_games(folder: Path) -> tuple[dict[str, Any], list[PlayedGame]]:
    """Return the settings of the games in a folder, and the games."""
    about = folder / ABOUT
    remedy = "name a folder of `referee play --out` or of `referee tangram export STUDY --all --as games`"
    try:
        settings = json.loads(about.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError("there are no played games here", where=about, remedy=remedy) from None
    if not isinstance(settings, dict) or not {"corpus", "speaker", "hearer"} <= set(settings):
        raise InputError("the file does not name the game", where=about, remedy=remedy)
    mend = "take it out of the folder, or export the games again"
    games = [_read_game(path, mend) for path in sorted(folder.glob("*.json")) if path.name != ABOUT]
    if not games:
        raise InputError("the folder has no finished game yet", where=folder, remedy="play some first")
    return settings, games


def _read_rounds(source: str, data: Path | None) -> tuple[dict[str, Any], list[PlayedGame]]:
    """Return the references of dialogues as rounds of games."""
    from referee_lab.commands.tangram.sources import DialogueSource, open_source
    from referee_lab.tangram.game.dialogue_sessions import is_dialogue, is_recording
    from referee_lab.tangram.players.reference_game import convert_dialogue_to_game

    folder = Path(source)
    # Games in a folder below are no dialogues of this one.
    files = [p for p in folder.rglob("*") if not (p.parent / ABOUT).exists()] if folder.is_dir() else []
    if folder.is_dir() and not any(
        p.suffix in (".eaf", ".TextGrid", ".csv")
        or (p.suffix in (".json", ".jsonl") and (is_dialogue(p) or is_recording(p)))
        for p in files
    ):
        remedy = (
            "name a folder of `referee play --out`, of `referee tangram export STUDY --all --as games`, or of dialogues"
        )
        raise InputError("there are no played games here", where=folder, remedy=remedy)
    name, dialogues = open_source(source, DialogueSource(data=data))
    games = [convert_dialogue_to_game(dialogue) for dialogue in dialogues]
    if not any(game.rounds for game in games):
        raise InputError("no reference is to a single object", where=name, remedy=f"`referee dialogue check {source}`")
    return {"corpus": name, "speaker": "speakers", "hearer": "hearers"}, games


def _check_settings(out: Path, settings: dict[str, Any]) -> None:
    """Raise InputError unless the folder is new or has games with the same settings."""
    from referee.files import write_atomically

    out.mkdir(parents=True, exist_ok=True)
    about = out / ABOUT
    if about.exists():
        try:
            earlier = json.loads(about.read_text(encoding="utf-8"))
        except ValueError:
            earlier = None
        if earlier != settings:
            raise InputError(
                "this folder has other games", where=about, remedy="choose another --out, or give the same options"
            )
        return
    write_atomically(about, [json.dumps(settings, ensure_ascii=False)])


def _play_all(
    plans: Sequence[GamePlan], out: Path, partners: tuple[str, ...], learn: Sequence[Any], patience: float, seed: int
) -> list[PlayedGame]:
    """Play and store all games that are not in the folder yet; return all of them."""
    from referee.cli.progress import show_steps
    from referee.files import write_atomically
    from referee_lab.tangram.players.contract import UNANSWERED
    from referee_lab.tangram.players.reference_game import convert_game_to_json, play_reference_game
    from referee_lab.tangram.players.roster import make_partner

    (out / "calls").mkdir(exist_ok=True)
    players: list[Any] = []
    games = []
    with show_steps("games") as begin:
        step = begin(len(plans))
        for plan in plans:
            path = out / f"{plan.id}.json"
            # A game without an answer from an endpoint says nothing about the players: it is played again.
            if not path.exists() or _read_game(path).outcome == UNANSWERED:
                # Made when first needed: a folder that is complete needs no endpoint and no training.
                players = players or [
                    # Each player has its own seed; with one seed all would make the same random choices.
                    make_partner(w, "hearer" if n else "system", seed + max(0, n - 1), learn, out / "calls")
                    for n, w in enumerate(partners)
                ]
                game = play_reference_game(plan, *players, patience_s=patience)
                write_atomically(path, [convert_game_to_json(game)])
            games.append(_read_game(path))
            step(1)
    return games


def _read_game(path: Path, remedy: str = "delete the file to play it again") -> PlayedGame:
    """Return a stored game. Raises InputError if the file is not one."""
    from referee_lab.tangram.players.reference_game import parse_game

    try:
        return parse_game(path.read_text(encoding="utf-8"))
    except (ValueError, TypeError, KeyError):
        raise InputError("not a played game", where=path, remedy=remedy) from None


# -- results -----------------------------------------------------------------------------------------------------------


def _count_outcomes(played: Sequence[PlayedGame]) -> dict[str, Any]:
    """Return counts of outcomes, rounds and answers."""
    rounds = [r for game in played for r in game.rounds]
    return {
        "outcomes": dict(Counter(game.outcome for game in played)),
        "rounds": len(rounds),
        "speaker_unparsable": sum(r.spoken != "said" for r in rounds),
        "heard": dict(Counter(c.heard for r in rounds for c in r.choices if c.heard is not None)),
    }


def _convert_to_json(
    settings: dict[str, Any], played: Sequence[PlayedGame], curves: Sequence[AdaptationCurve]
) -> dict[str, Any]:
    """Return the results as JSON values."""
    ended = [
        {"game": g.game, "outcome": g.outcome, "by": g.by, "why": g.why, "rounds": len(g.rounds)}
        | ({"simulated": True} if g.simulated else {})
        for g in played
    ]
    return {**settings, "games": ended, **_count_outcomes(played), "curves": [asdict(curve) for curve in curves]}


def _format_lines(
    settings: dict[str, Any], played: Sequence[PlayedGame], curves: Sequence[AdaptationCurve]
) -> list[str]:
    """Return the results as lines of text."""
    from referee_lab.commands.tangram.sources import align_columns, format_number

    tally = _count_outcomes(played)
    lines = [
        f"{settings['corpus']}: {len(played)} games of {_name_players(settings, ' and ')}, {tally['rounds']} rounds"
    ]
    for curve in curves:
        timed = any(level.n_seconds for level in curve.levels)
        rows: list[tuple[str, ...]] = [
            ("repetition", "words", "95 %", "n", "right", "95 %", "n", *(("seconds", "95 %", "n") if timed else ()))
        ]
        for level in curve.levels:
            cells: list[str] = []
            for name, digits in (("words", 1), ("right", 3), *((("seconds", 1),) if timed else ())):
                mean, low, high = (getattr(level, f"{name}{end}") for end in ("", "_low", "_high"))
                interval = "–" if low is None else f"{low:.{digits}f}–{high:.{digits}f}"
                cells += [format_number(mean, digits), interval, str(getattr(level, f"n_{name}"))]
            rows.append((str(level.repetition), *cells))
        slope = curve.slope
        slope_text = "–" if slope is None else f"{slope.estimate:.3f} [{slope.low:.3f}, {slope.high:.3f}]"
        lines += [
            "",
            f"{curve.source} ({curve.games} games); log words on log repetition: {slope_text}",
            "",
            *align_columns(rows),
        ]
    outcomes = ", ".join(f"{name} {n}" for name, n in tally["outcomes"].items())
    heard = ", ".join(f"{name} {n}" for name, n in tally["heard"].items())
    lines += [
        "",
        f"games: {outcomes}; the hearer's answers: {heard or 'none'}; unreadable answers of the speaker: {tally['speaker_unparsable']}",
    ]
    if rehearsed := sum(g.simulated for g in played):
        lines.append(
            f"SIMULATED: {rehearsed} of the games were played by simulated participants and say nothing about people"
        )
    lines += [f"  {g.game}: {g.outcome} ({g.by}: {g.why})" for g in played if g.why]
    unit = "pair" if any(g.pair not in ("", g.game) for g in played) else "game"
    lines += [
        f"intervals leave out one {unit} at a time; only choices are right or wrong, other answers are counted separately"
    ]
    return lines


def _name_players(settings: dict[str, Any], between: str) -> str:
    """Return the names of the players; people appear once as speakers and hearers."""
    return between.join(dict.fromkeys((str(settings["speaker"]), str(settings["hearer"]))))
