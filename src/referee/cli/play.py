"""`referee play`: a repeated reference game between any speaker and any hearer over any corpus, beside people's curves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli import options
from referee.errors import InputError

if TYPE_CHECKING:
    from referee.situated.players.adaptation import AdaptationCurve
    from referee.situated.players.reference_game import GamePlan, PlayedGame, PlayedRound

__all__ = ["app"]

app = options.new_app()
MODEL = "llm/openai-compatible"
ABOUT = "game.json"


@app.command(
    epilog=options.examples("""
  referee play --corpus synthetic --speaker classic/incremental --hearer literal --out GAMES

  referee play --corpus tuna --speaker 'llm/openai-compatible|model:NAME|endpoint:URL' --hearer 'llm/openai-compatible|model:NAME|endpoint:URL' --out GAMES

  referee play --corpus kth-tangrams --speaker … --hearer … --group 4 --people multiparty-tangrams --out GAMES --format json

Speakers are systems (referee list systems), hearers are hearers (referee list hearers); a language model in either place is told all earlier rounds. The same
command goes on where it was stopped.
""")
)
def play(
    corpus: Annotated[str, typer.Option(help="Where the scenes come from.")],
    speaker: Annotated[str, typer.Option(help="A system by name, or llm/openai-compatible|model:NAME|endpoint:URL.")],
    hearer: Annotated[str, typer.Option(help="A hearer by name, or llm/openai-compatible|model:NAME|endpoint:URL.")],
    out: Annotated[Path, typer.Option(help="The folder for the games.", show_default=False)],
    games: Annotated[int, typer.Option(help="Games, each over another scene.", min=1)] = 10,
    repetitions: Annotated[int, typer.Option(help="How often every object comes round.", min=1)] = 6,
    objects: Annotated[int, typer.Option(help="Objects of a scene that come round.", min=1)] = 4,
    people: Annotated[str | None, typer.Option(help="People's curve beside it: tangrams-hawkins, multiparty-tangrams or continual-adaptation.")] = None,
    group: Annotated[int, typer.Option(help="Players: one speaker, and hearers who choose each on their own.", min=2, max=6)] = 2,
    patience: options.Patience = 120.0,
    data: options.Data = None,
    seed: options.Seed = 1,
    form: options.TextOrJson = "text",
) -> int:  # fmt: skip
    """Play rounds with feedback, and see whether words get fewer and choices surer from repetition to repetition, as people's do.

    Answers that cannot be read are counted apart; a player that crashes, stalls, talks nonsense or cannot be asked ends its game as an outcome of its own.
    """
    options.check_form(form)
    from referee.catalogue import create
    from referee.situated.players.adaptation import curve_of_games, curve_of_people
    from referee.situated.players.reference_game import is_named_only, plan_games

    trials = list(create("corpus", corpus, **({} if corpus == "synthetic" else {"data": data})).trials())
    plans = plan_games(trials, games, repetitions, objects, seed)
    if not plans or is_named_only(plans[0].scene):
        raise InputError(
            f"the objects of {corpus} are known by name only: a speaker could say nothing but the name",
            remedy="choose a corpus with attributes (synthetic, tuna, kth-tangrams …); --people sets this one's curve beside it",
        )
    beside = curve_of_people(people, data) if people is not None else None
    settings: dict[str, Any] = {
        "corpus": corpus,
        "speaker": speaker,
        "hearer": hearer,
        "seed": seed,
        "repetitions": repetitions,
    }
    settings["objects"] = objects
    # Only where it is not two, so that folders of earlier games are gone on with.
    settings |= {"group": group} if group > 2 else {}
    _same_game(out, settings)
    scenes = {p.scene.id for p in plans}
    learn = [t for t in trials if t.scene.id is None or t.scene.id not in scenes]
    played = _play_all(plans, out, (speaker, *[hearer] * (group - 1)), learn, patience, seed)
    found = [curve_of_games(played, f"{speaker} → {hearer}"), *([beside] if beside else [])]
    if form == "json":
        print(json.dumps(_as_json(settings, played, found), ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(settings, played, found)))
    return 0


def _same_game(out: Path, settings: dict[str, Any]) -> None:
    """The folder is new, or holds games of the same kind."""
    from referee.files import write_atomically

    out.mkdir(parents=True, exist_ok=True)
    about = out / ABOUT
    if about.exists():
        try:
            there = json.loads(about.read_text(encoding="utf-8"))
        except ValueError:
            there = None
        if there != settings:
            raise InputError(
                "this folder holds other games", where=about, remedy="choose another --out, or give the same options"
            )
        return
    write_atomically(about, [json.dumps(settings, ensure_ascii=False)])


def _play_all(
    plans: Sequence[GamePlan], out: Path, who: tuple[str, ...], learn: Sequence[Any], patience: float, seed: int
) -> list[PlayedGame]:
    from referee.cli.progress import advancing
    from referee.files import write_atomically
    from referee.situated.players.reference_game import play_reference_game

    (out / "calls").mkdir(exist_ok=True)
    players: list[Any] = []
    found = []
    with advancing("games") as begin:
        step = begin(len(plans))
        for plan in plans:
            path = out / f"{plan.id}.json"
            if not path.exists():
                # Made when first needed: a folder that is complete needs no endpoint and no training.
                players = players or [
                    # A seed of their own, or chance would choose the same for everybody.
                    _player(w, "hearer" if n else "system", learn, out / "calls", seed + max(0, n - 1))
                    for n, w in enumerate(who)
                ]
                game = play_reference_game(plan, *players, patience_s=patience)
                write_atomically(path, [json.dumps(asdict(game), ensure_ascii=False)])
            found.append(_read(path))
            step(1)
    return found


def _player(written: str, kind: str, learn: Sequence[Any], calls: Path, seed: int) -> Any:
    from referee.capabilities import Remembers
    from referee.catalogue import build, configure

    name, *switches = written.split("|")
    if name == MODEL:
        from referee.situated.players.model_partners import ModelHearer, ModelSpeaker

        made = build(ModelSpeaker if kind == "system" else ModelHearer, name, switches)
    else:
        made = configure(kind, written, seed).fit(learn)
    return made.remember(calls) if isinstance(made, Remembers) else made


def _read(path: Path) -> PlayedGame:
    from referee.situated.players.reference_game import PlayedGame

    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return PlayedGame(**{**data, "rounds": [_round(row) for row in data["rounds"]]})
    except (ValueError, TypeError, KeyError):
        raise InputError("not a played game", where=path, remedy="delete the file to play it again") from None


def _round(row: dict[str, Any]) -> PlayedRound:
    from referee.situated.players.reference_game import PlayedChoice, PlayedRound

    others = tuple(PlayedChoice(**choice) for choice in row.get("others", ()))
    return PlayedRound(**{**row, "others": others})


# -- what came of it -------------------------------------------------------------------------------------------------------------


def _tally(played: Sequence[PlayedGame]) -> dict[str, Any]:
    rounds = [r for game in played for r in game.rounds]
    return {
        "outcomes": dict(Counter(game.outcome for game in played)),
        "rounds": len(rounds),
        "speaker_unparsable": sum(r.spoken != "said" for r in rounds),
        "heard": dict(Counter(c.heard for r in rounds for c in r.choices if c.heard is not None)),
    }


def _as_json(
    settings: dict[str, Any], played: Sequence[PlayedGame], found: Sequence[AdaptationCurve]
) -> dict[str, Any]:
    ended = [{"game": g.game, "outcome": g.outcome, "by": g.by, "why": g.why, "rounds": len(g.rounds)} for g in played]
    return {**settings, "games": ended, **_tally(played), "curves": [asdict(curve) for curve in found]}


def _lines(settings: dict[str, Any], played: Sequence[PlayedGame], found: Sequence[AdaptationCurve]) -> list[str]:
    from referee.cli.tangram.sources import aligned

    tally = _tally(played)
    lines = [
        f"{settings['corpus']}: {len(played)} games of {settings['speaker']} and {settings['hearer']}, {tally['rounds']} rounds"
    ]
    for curve in found:
        rows = [("repetition", "words", "95 %", "n", "right", "95 %", "n")]
        for level in curve.levels:
            said = (_number(level.words, 1), _span(level.words_low, level.words_high, 1), str(level.n_words))
            right = (_number(level.right, 3), _span(level.right_low, level.right_high, 3), str(level.n_right))
            rows.append((str(level.repetition), *said, *right))
        slope = curve.slope
        told = "–" if slope is None else f"{slope.estimate:.3f} [{slope.low:.3f}, {slope.high:.3f}]"
        lines += ["", f"{curve.source} ({curve.games} games); log words on log repetition: {told}", "", *aligned(rows)]
    outcomes = ", ".join(f"{name} {n}" for name, n in tally["outcomes"].items())
    heard = ", ".join(f"{name} {n}" for name, n in tally["heard"].items())
    lines += [
        "",
        f"games: {outcomes}; the hearer's answers: {heard or 'none'}; nothing readable from the speaker: {tally['speaker_unparsable']}",
    ]
    lines += [f"  {g.game}: {g.outcome} ({g.by}: {g.why})" for g in played if g.why]
    lines += [
        "intervals leave out one game at a time; only choices are right or wrong, other answers are of their own kind"
    ]
    return lines


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _span(low: float | None, high: float | None, digits: int) -> str:
    return "–" if low is None or high is None else f"{low:.{digits}f}–{high:.{digits}f}"
