"""Colour grids: three grids of nine colours, a chat, a click, sixty rounds a game (McDowell & Goodman 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from referee.contracts import Card
from referee.corpora.games import Message, add_history, is_simple, join_messages, list_events, measure_delay
from referee.corpora.reading.lines import WrongShape, get_field
from referee.corpora.reading.packed import find_files, read_rows
from referee.records import Entity, Event, Outcome, Property, Response, Scene, Trial

FILE = "rounds.jsonl.gz"
CELLS = 9


class ColorGrids:
    """8,814 rounds of 158 games.

    A trial is called GAME-ROUND (games have hyphens too: split at the last), grids o0, o1, o2 by object index.

    Cells are numbered row by row. ``meta["places"]`` lists the grids from left to right on the listener's screen,
    ``meta["speaker_places"]`` on the speaker's.
    """

    card = Card(
        name="color-grids",
        title="Colour grids: three grids of nine colours",
        source="forkunited/ltprg on GitHub, commit 4e40d35",
        licence="MIT (Bill McDowell 2019)",
        languages=("en",),
        citation="McDowell & Goodman 2019, ACL",
        sampled=("game",),
        faults=(
            "143 of the 158 games have all 60 rounds; the others break off after 1 to 43",
            "9 rounds have no message at all, and in 4 more the speaker said nothing before the click",
            "in 9 rounds a message was sent after the click",
            "times are those of the server: from the speaker's last message before the click, so they include reading it",
            "35 of the 26,442 grids show a colour twice; every colour has lightness 50",
        ),
        files=(f"color-grids/{FILE}",),
    )

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def trials(self) -> Iterator[Trial]:
        return add_history(read_rows(self._find_file(), _make_trial))

    def responses(self) -> Iterator[Response]:
        # without the scenes, which take most of the time to build
        return read_rows(self._find_file(), _make_response)

    def _find_file(self) -> Path:
        (path,) = find_files(self.data, "color-grids", FILE)
        return path


class Click(NamedTuple):
    """One round: which grid the speaker meant, which one the listener clicked, and the order of grids on both screens."""

    game: str
    number: int
    ids: list[str]
    heard: list[str]
    spoken: list[str]
    target: str
    clicked: str


def _parse_click(row: dict[str, Any]) -> Click:
    """Return the display and the click of a round. Raises WrongShape if they contradict each other."""
    ids = [f"o{i}" for i in range(len(get_field(row, "grids", list)))]
    heard, spoken = _parse_order(row, "listener_order", ids), _parse_order(row, "speaker_order", ids)
    target, clicked = _get_grid(ids, row, "target"), _get_grid(heard, row, "l_clicked")
    correct = get_field(row, "success", bool)
    if correct != (clicked == target):
        raise WrongShape(f"success is {correct}, but {clicked} was clicked and the target is {target}")
    return Click(get_field(row, "game", str), get_field(row, "round", int), ids, heard, spoken, target, clicked)


def _make_trial(row: dict[str, Any]) -> Trial:
    """Return a round as a trial with its messages and its click."""
    game, number, ids, heard, spoken, target, clicked = _parse_click(row)
    correct, messages = clicked == target, _parse_messages(row)
    click = Event(kind="click", by="listener", entities=(clicked,), data={"correct": correct})
    return Trial(
        id=f"{game}-{number}",
        scene=Scene(entities=tuple(_make_grid(i, grid, spoken) for i, grid in zip(ids, row["grids"], strict=True))),
        targets=(target,),
        domain="colour grids",
        condition=get_field(row, "condition", str).lower(),
        speaker=game,
        episode=list_events(messages, click),
        references=join_messages(messages, speaker=game),
        meta={"game": game, "round": number, "correct": correct, "places": heard, "speaker_places": spoken},
    )


def _make_response(row: dict[str, Any]) -> Response:
    """Return the listener's click as a response."""
    click, messages = _parse_click(row), _parse_messages(row)
    return Response(
        trial=f"{click.game}-{click.number}",
        hearer=click.game,
        outcome=Outcome.ENTITY,
        entity=click.clicked,
        description=next(iter(join_messages(messages, speaker=click.game)), None),
        identification_ms=measure_delay(messages),
        flags=("simple",) if is_simple(messages) else (),
    )


def _parse_messages(row: dict[str, Any]) -> list[Message]:
    """Return the messages of a round, with times before the click."""
    click = get_field(row, "time_click", int)
    return [
        Message(get_field(m, "role", str), get_field(m, "text", str), click - get_field(m, "time", int))
        for m in get_field(row, "messages", list)
    ]


def _parse_order(row: dict[str, Any], field: str, ids: Sequence[str]) -> list[str]:
    """Return the grids from left to right on one player's screen."""
    order = get_field(row, field, list)
    if sorted(order) != list(range(len(ids))):
        raise WrongShape(f"{field} is {order}, not an order of {len(ids)} grids", "name every grid once, from 0")
    return [ids[i] for i in order]


def _get_grid(ids: Sequence[str], row: dict[str, Any], field: str) -> str:
    """Return the grid that an index names. Raises WrongShape for an index out of range."""
    number: int = get_field(row, field, int)
    if not 0 <= number < len(ids):
        raise WrongShape(f"{field} is {number}, but there are {len(ids)} grids", "count grids from 0")
    return ids[number]


def _make_grid(grid_id: str, colours: list[list[int]], spoken: Sequence[str]) -> Entity:
    """Return a grid as an entity with nine coloured cells."""
    if len(colours) != CELLS:
        raise WrongShape(f"a grid has {len(colours)} colours", f"give every grid {CELLS}")
    cells = (_format_colour(number, *colour) for number, colour in enumerate(colours, 1))
    return Entity(id=grid_id, attributes=tuple(cells), position=(float(spoken.index(grid_id) + 1),))


@lru_cache(maxsize=100_000)
def _format_colour(number: int, hue: int, saturation: int, lightness: int) -> Property:
    """Return a cell's colour as CSS writes it, which people and language models can read."""
    return Property(f"cell{number}", f"hsl({hue}, {saturation}%, {lightness}%)")
