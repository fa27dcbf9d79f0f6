"""A language model as the partner of a person in a room: its words and moves reach the room, and its failures are told and end nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from study_server import Person as Visitor
from study_server import Site

from fake_endpoint import completion, serving
from referee_lab.rooms import bot_partners
from referee_lab.rooms.any_room import RoomLine
from referee_lab.rooms.hall import Hall, Live, Person
from referee_lab.rooms.model_partner import SILENT, UNREAD, ModelPartner
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.sessions.served_study import open_served


class FarEnd:
    """A person's end of the line, with nobody there."""

    def __init__(self, who: str) -> None:
        self.actor = who

    def put(self, events: Sequence[Any], **more: Any) -> None:
        pass

    def cut(self, problem: str, message: str) -> None:
        raise AssertionError(problem)


async def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(0.01)


async def talk(site: Site, person: Person, url: str, says: list[str]) -> tuple[Live, list[str]]:
    """Somebody in the role that chance gave them says things to the model, each after it has answered the last."""
    written = f"llm/openai-compatible|model:toy|endpoint:{url}|tries:1|pause_s:0"
    hall = Hall(site.served, lambda hall, live: ModelPartner(hall, live, written, pace=50.0))
    hall.open()
    live = await hall.enter(person, FarEnd(person.session), -1)
    times = {"typing_start_ms": 0.0, "typing_end_ms": 0.0, "keystrokes": 1}
    for seq, text in enumerate(says, 1):
        before = len(live.chat)
        hall.take(live, person.session, [RoomLine(person.session, "say", {"text": text, **times}, seq, 0.0)])
        await until(lambda before=before: len(live.chat) > before + 1)
        await asyncio.sleep(0.3)
    said = [line["text"] for line in live.chat]
    await hall.close()
    return live, said


def meet(tmp_path: Path, swap: bool) -> tuple[Site, Person]:
    # The person begins as the operator; with the roles swapped after no puzzle, the second has the model at the pieces.
    make_tangram_study(tmp_path / "m", id="m", puzzles=["house"], partner="bot", settings={"player": "bot"})
    site = Site(open_served(tmp_path / "m"))
    return site, Person(Visitor(site).begin().session, "P-1", "debug", 3)


def test_a_model_that_solves_says_what_it_says_and_its_failures_are_told(tmp_path: Path) -> None:
    site, person = meet(tmp_path, False)
    try:
        with serving(completion("put the square at the top"), completion(""), (500, {}, b"")) as fake:
            live, said = site.loop.run_until_complete(
                asyncio.wait_for(talk(site, person, fake.url, ["ok", "what?"]), 90)
            )
            assert "Tell your partner the next small step" in fake.seen[0]["messages"][0]["content"]
            assert "outline" in fake.seen[0]["messages"][1]["content"]
        assert live.room.phase == "playing"
        assert "put the square at the top" in said
        assert {UNREAD, SILENT} & set(said)
    finally:
        site.close()


def test_a_model_that_solves_is_asked_when_the_person_says_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would wait for ever for somebody who does nothing, so that only words bring a call."""
    monkeypatch.setattr(bot_partners, "PATIENCE_SECONDS", 1e9)
    site, person = meet(tmp_path, False)
    try:
        with serving(completion("take the square"), completion("the yellow one")) as fake:
            _, said = site.loop.run_until_complete(
                asyncio.wait_for(talk(site, person, fake.url, ["hello", "which one?"]), 90)
            )
            assert "your partner: which one?" in fake.seen[-1]["messages"][1]["content"]
        # What is said before its first turn is in that turn and brings no second one: it never answers twice.
        assert not any({one, other} <= {"take the square", "the yellow one"} for one, other in pairwise(said))
        assert said[-1] == "the yellow one"
    finally:
        site.close()


def test_a_model_at_the_pieces_moves_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee_lab.rooms import room_state

    monkeypatch.setattr(room_state, "deal_roles", lambda room: ("solver", "operator"))
    site, person = meet(tmp_path, True)
    answer = '{"moves": [{"do": "move", "piece": "6", "x": 300, "y": 200}, {"do": "say", "text": "here?"}]}'
    try:
        with serving(completion(answer)) as fake:
            live, said = site.loop.run_until_complete(
                asyncio.wait_for(talk(site, person, fake.url, ["the square, left"]), 90)
            )
            assert "outline" not in fake.seen[0]["messages"][1]["content"]
            assert "your partner: the square, left" in fake.seen[0]["messages"][1]["content"]
        assert live.room.game is not None
        placed = live.room.game.board.placements["6"]
        assert (placed.x, placed.y) == pytest.approx((300, 200), abs=13)
        assert said[-1] == "here?"
    finally:
        site.close()
