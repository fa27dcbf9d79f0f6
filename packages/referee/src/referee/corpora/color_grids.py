"""Colour grids: three grids of nine colours, a chat, a click, sixty rounds a game (McDowell & Goodman 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from referee.contracts import Card
from referee.corpora.games import Message, is_simple, play, said, waited, with_history
from referee.corpora.reading.lines import WrongShape, expect
from referee.corpora.reading.packed import find, read_rows
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
        return with_history(read_rows(self._file(), _trial))

    def responses(self) -> Iterator[Response]:
        # without the scenes, which take most of the time to build
        return read_rows(self._file(), _response)

    def _file(self) -> Path:
        (path,) = find(self.data, "color-grids", FILE)
        return path


class Click(NamedTuple):
    """Who meant which grid in a round, and which one was clicked; the grids in the order of each screen."""

    game: str
    number: int
    ids: list[str]
    heard: list[str]
    spoken: list[str]
    target: str
    clicked: str


def _click(row: dict[str, Any]) -> Click:
    """Return the display and the click of a round. Raises WrongShape if they contradict each other."""
    ids = [f"o{i}" for i in range(len(expect(row, "grids", list)))]
    heard, spoken = _places(row, "listener_order", ids), _places(row, "speaker_order", ids)
    target, clicked = _pick(ids, row, "target"), _pick(heard, row, "l_clicked")
    correct = expect(row, "success", bool)
    if correct != (clicked == target):
        raise WrongShape(f"success is {correct}, but {clicked} was clicked and the target is {target}")
    return Click(expect(row, "game", str), expect(row, "round", int), ids, heard, spoken, target, clicked)


def _trial(row: dict[str, Any]) -> Trial:
    """Return a round as a trial with its messages and its click."""
    game, number, ids, heard, spoken, target, clicked = _click(row)
    correct, messages = clicked == target, _messages(row)
    click = Event(kind="click", by="listener", entities=(clicked,), data={"correct": correct})
    return Trial(
        id=f"{game}-{number}",
        scene=Scene(entities=tuple(_grid(i, grid, spoken) for i, grid in zip(ids, row["grids"], strict=True))),
        targets=(target,),
        domain="colour grids",
        condition=expect(row, "condition", str).lower(),
        speaker=game,
        episode=play(messages, click),
        references=said(messages, speaker=game),
        meta={"game": game, "round": number, "correct": correct, "places": heard, "speaker_places": spoken},
    )


def _response(row: dict[str, Any]) -> Response:
    """Return the listener's click as a response."""
    click, messages = _click(row), _messages(row)
    return Response(
        trial=f"{click.game}-{click.number}",
        hearer=click.game,
        outcome=Outcome.ENTITY,
        entity=click.clicked,
        description=next(iter(said(messages, speaker=click.game)), None),
        identification_ms=waited(messages),
        flags=("simple",) if is_simple(messages) else (),
    )


def _messages(row: dict[str, Any]) -> list[Message]:
    """Return the messages of a round, with times before the click."""
    click = expect(row, "time_click", int)
    return [
        Message(expect(m, "role", str), expect(m, "text", str), click - expect(m, "time", int))
        for m in expect(row, "messages", list)
    ]


def _places(row: dict[str, Any], field: str, ids: Sequence[str]) -> list[str]:
    """Return the grids from left to right on one player's screen."""
    order = expect(row, field, list)
    if sorted(order) != list(range(len(ids))):
        raise WrongShape(f"{field} is {order}, not an order of {len(ids)} grids", "name every grid once, from 0")
    return [ids[i] for i in order]


def _pick(ids: Sequence[str], row: dict[str, Any], field: str) -> str:
    """Return the grid that an index names. Raises WrongShape for an index out of range."""
    number: int = expect(row, field, int)
    if not 0 <= number < len(ids):
        raise WrongShape(f"{field} is {number}, but there are {len(ids)} grids", "count grids from 0")
    return ids[number]


def _grid(grid_id: str, colours: list[list[int]], spoken: Sequence[str]) -> Entity:
    """Return a grid as an entity with nine coloured cells."""
    if len(colours) != CELLS:
        raise WrongShape(f"a grid has {len(colours)} colours", f"give every grid {CELLS}")
    cells = (_cell(number, *colour) for number, colour in enumerate(colours, 1))
    return Entity(id=grid_id, attributes=tuple(cells), position=(float(spoken.index(grid_id) + 1),))


@lru_cache(maxsize=100_000)
def _cell(number: int, hue: int, saturation: int, lightness: int) -> Property:
    """A cell with its colour as style sheets write it, which people and language models can read."""
    return Property(f"cell{number}", f"hsl({hue}, {saturation}%, {lightness}%)")
