"""KiloGram tangrams described by pairs in five blocks, and their partners' clicks (Ji and colleagues 2025)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import itemgetter
from pathlib import Path

from referee.contracts import Card
from referee.corpora.games import (
    Games,
    Message,
    Round,
    add_history,
    join_messages,
    list_events,
    make_response,
    record_click,
)
from referee.corpora.reading.csv_tables import get_text, parse_list, parse_number, read_csv
from referee.corpora.reading.lines import WrongShape, make_natural_sort_key
from referee.corpora.reading.packed import check_member, find_files
from referee.errors import UnknownName
from referee.records import Entity, Property, Response, Scene, Trial

MAIN = "clean_no_discourse.csv.gz"
PILOTS = ("pilot1_data.csv.gz", "pilot2_data.csv.gz")
PARTS = ("all", "main", "pilots")
Row = dict[str, str]


class TangramsRef(Games):
    """4,449 rounds of 151 games, and 4,160 of 119 games in two pilots.

    `part` is "all", "main" or "pilots".

    Figures have their KiloGram names without ``.svg``. The file of the main experiment does not list the ten figures on
    display, so its scenes have the targets and choices of the game and are incomplete: measures of the scene are not
    computed there.
    """

    card = Card(
        name="tangrams-ref",
        title="Ad hoc conventions generalize to new referents: tangram pairs",
        source="lil-lab/tangrams-ref on GitHub, commit 19805bc, folder analyses/data",
        licence="none stated at the root",
        languages=("en",),
        citation="Ji and colleagues 2025, arXiv 2509.05566",
        sampled=("game",),
        faults=(
            "the main experiment comes without contexts: its scenes are not complete, and hold the 8 to 10 figures that were meant or clicked",
            "its rounds come without order inside a block and without names of speakers, so they have no history and no speaker",
            "its table keeps what the speaker and what the listener wrote, each in order, but not who wrote first",
            "4 rounds of the main experiment and 612 of the pilots have no click; in 398 of the latter nothing was written either",
            "one round of the pilots has a click and no description",
            "times are whole seconds: in the main experiment from the message, in the pilots from the start of the round (the time of the message is "
            "taken off here)",
            "descriptions before and after the game (pre_post.csv) have no hearers and are not read",
            "the figures have no attributes, only their names; the drawings are KiloGram's",
        ),
        files=tuple(f"tangrams-ref/{f}" for f in (MAIN, *PILOTS)),
    )

    def __init__(self, data: str | Path | None = None, part: str = "all") -> None:
        super().__init__(data)
        self.part = part

    def trials(self) -> Iterator[Trial]:
        main, *pilots = self._read_parts()
        return chain((r.trial for r in main), *(add_history(r.trial for r in pilot) for pilot in pilots))

    def _read_rounds(self) -> Iterator[Round]:
        return chain(*self._read_parts())

    def _read_parts(self) -> list[Iterable[Round]]:
        """Return the main experiment and the pilots; an unselected part is empty."""
        if self.part not in PARTS:
            raise UnknownName("part", self.part, PARTS, hint=f"one of {', '.join(PARTS)}")
        main, *pilots = find_files(self.data, "tangrams-ref", MAIN, *PILOTS)
        return [
            _read_main(main) if self.part != "pilots" else (),
            *(_read_pilot(path) if self.part != "main" else () for path in pilots),
        ]


# -- the main experiment ---------------------------------------------------------------------------------------------------


def _read_main(path: Path) -> Iterator[Round]:
    """Yield the rounds of the main experiment."""
    figures: dict[str, set[str]] = defaultdict(set)

    def look(row: Row) -> None:
        figures[row["game_id"]].update(f for column in ("target", "response") if (f := _get_figure(row, column)))

    # A first pass over the file, for the figures that a game shows.
    for _ in read_csv(path, look):
        pass
    scenes = {game: _make_scene(shown, complete=False) for game, shown in figures.items()}
    return read_csv(path, lambda row: _make_main_round(row, scenes))


def _make_main_round(row: Row, scenes: Mapping[str, Scene]) -> Round:
    """Return a round of the main experiment."""
    messages = [
        Message(role, text, None).checked()
        for role in ("speaker", "listener")
        for text in parse_list(row[f"{role}_desc"])
    ]
    seconds = parse_number(row, "sec_until_click")
    trial = _make_trial(row, "main", scenes[row["game_id"]], messages, speaker=None)
    return Round(trial, (_make_response(row, trial, seconds),))


# -- the pilots ------------------------------------------------------------------------------------------------------------


def _read_pilot(path: Path) -> Iterator[Round]:
    """Yield the rounds of a pilot in the order they were played, which the file does not keep."""
    name = path.name.partition("_")[0]
    scenes: dict[tuple[str, ...], Scene] = {}

    def turn(row: Row) -> tuple[tuple[str, int], Round]:
        """Return a row as a round, with the sort key of game and trial number."""
        context = tuple(sorted(map(_normalise_text, parse_list(row["context"])), key=make_natural_sort_key))
        if len(set(context)) < len(context):
            raise WrongShape("a figure occurs twice in the context", "name every figure once")
        scene = scenes.setdefault(context, _make_scene(context, name=f"{name}-context-{len(scenes) + 1}"))
        return (row["game_id"], int(row["trial_index"])), _make_pilot_round(row, name, scene)

    return (played for _, played in sorted(read_csv(path, turn), key=itemgetter(0)))


def _make_pilot_round(row: Row, pilot: str, scene: Scene) -> Round:
    """Return a round of a pilot."""
    text, speaker = get_text(row, "description"), f"{pilot}-{row['speaker_id']}"
    messages = [] if text is None else [Message("speaker", text, None)]
    trial = _make_trial(row, pilot, scene, messages, speaker)
    return Round(trial, (_make_response(row, trial, _measure_delay(row)),))


def _measure_delay(row: Row) -> float | None:
    """Return the seconds from the message to the click.

    The file has those from the start of the round, as ``(23,)``.
    """
    click = get_text(row, "sec_until_click")
    message_time = parse_number(row, "time_to_message")
    return None if click is None or message_time is None else float(click.strip("(),")) - message_time


# -- both ------------------------------------------------------------------------------------------------------------------


def _normalise_text(figure: str) -> str:
    return figure.strip().removesuffix(".svg")


def _get_figure(row: Row, column: str) -> str | None:
    text = get_text(row, column)
    return None if text is None else _normalise_text(text)


def _make_scene(figures: Iterable[str], name: str | None = None, complete: bool = True) -> Scene:
    entities = (Entity(id=f, attributes=(Property("name", f),)) for f in sorted(figures, key=make_natural_sort_key))
    return Scene(id=name, entities=tuple(entities), complete=complete)


def _make_trial(row: Row, part: str, scene: Scene, messages: list[Message], speaker: str | None) -> Trial:
    """Return a round's trial with its messages and click."""
    game, block = row["game_id"], int(row["block"])
    target, clicked = check_member(scene, _normalise_text(row["target"])), _get_figure(row, "response")
    right = {"True": True, "False": False}.get(row["correct"])
    made = () if clicked is None else (record_click(clicked, correct=right),)
    return Trial(
        id=f"tangrams-ref-{part}-{game}-{block}-{target}",
        scene=scene,
        targets=(target,),
        domain="tangrams",
        condition=f"block-{block + 1}",
        speaker=speaker,
        episode=list_events(messages, *made),
        references=join_messages(messages, speaker=speaker),
        meta={
            "game": game,
            "part": part,
            "block": block,
            "naming_divergence": float(row["snd_value"]),
            "repeated": row["controlled"] != "True",
        },
    )


def _make_response(row: Row, trial: Trial, seconds: float | None) -> Response:
    """Return the click as a response."""
    clicked = _get_figure(row, "response")
    part = trial.meta["part"]
    # Only the pilots name their listeners.
    hearer = f"{part}-{row['listener_id']}" if "listener_id" in row else row["game_id"]
    if clicked is None:
        return make_response(trial, hearer, None, flags=(part,))
    return make_response(
        trial, hearer, check_member(trial.scene, clicked), None if seconds is None else 1000 * seconds, flags=(part,)
    )
