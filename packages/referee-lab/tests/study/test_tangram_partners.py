"""A bot is a partner one can finish a puzzle with, in either role, through the same rooms as people."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from study_server import Person as Visitor
from study_server import Site
from tangram_people import load_recordings

from referee.errors import InputError
from referee_lab.rooms import bot_partners
from referee_lab.rooms.any_room import RoomLine
from referee_lab.rooms.bot_partners import Partner, accept_placement
from referee_lab.rooms.hall import Hall, Live, Person
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.sessions.served_study import open_served
from referee_lab.tangram.game.board import Board, Change, Placement
from referee_lab.tangram.game.goals import find_goal, lay_out_goal
from referee_lab.tangram.game.instructions import Hand, interpret
from referee_lab.tangram.game.log import find_faults
from referee_lab.tangram.game.operator_bot import Act, perform_command
from referee_lab.tangram.game.solver_bot import Mind, instruct

FAST = 60.0


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    settings = {"swap_after": 1, "pause_seconds": 0.1}
    make_tangram_study(tmp_path / "bot", id="bot", puzzles=["house", "cat"], partner="bot", settings=settings)
    opened = Site(open_served(tmp_path / "bot"))
    yield opened
    opened.close()


class Ear:
    """A person's end of the line, with nobody there."""

    def __init__(self, who: str) -> None:
        self.actor = who

    def put(self, events: Sequence[Any], **more: Any) -> None:
        pass

    def cut(self, problem: str, message: str) -> None:
        raise AssertionError(problem)


class Attentive(Partner):
    """A bot that tells how much it has done of what it was told."""

    done = 0

    async def _perform_acts(self, acts: Sequence[Act], puzzle: int) -> None:
        await super()._perform_acts(acts, puzzle)
        self.done += 1

    async def _type_text(self, text: str, number: int, *given: Any, **more: Any) -> None:
        await super()._type_text(text, number, *given, **more)
        self.done += 1


async def until(true: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(0.005)


def touch(board: Board) -> list[Change]:
    """What a person does who was told nothing to do: they show that they heard, so that nobody waits for them."""
    piece = board.order[-1]
    return [Change(kind, piece) for kind in ("grab", "release")]


async def play(hall: Hall, person: Person) -> Live:
    """Somebody who follows the bot's words in the first puzzle and gives words to it in the second, each once the last were followed."""
    hall.open()
    live = await hall.enter(person, Ear(person.session), -1)
    rng, hand, mind, seq, heard = Random(3), Hand(), Mind.of(find_goal("cat")), 0, 0
    while live.room.phase != "over":
        await asyncio.sleep(0.005)
        game = live.room.game
        if live.room.phase != "playing" or game is None:
            continue
        if live.room.handler == person.session and len(live.chat) > heard:
            heard = len(live.chat)
            command = interpret(live.chat[-1]["text"], game.board, hand, rng)
            acts, hand = perform_command(command, game.board, hand, 0.0, rng)
            changes = [act.change for act in acts if act.change] or touch(game.board)
            for change in changes:
                seq += 1
                data = {name: getattr(change, name) for name in ("piece", "x", "y", "rotation", "flipped")}
                hall.take(live, person.session, [RoomLine(person.session, change.kind, data, seq, 0.0)])
        elif live.room.handler != person.session:
            handled = game.board.order[-1] if mind.focus else None
            said, mind = instruct(mind, game.board, handled, rng)
            assert said is not None
            seq, done = seq + 1, live.partner.done
            times = {"typing_start_ms": 0.0, "typing_end_ms": 0.0, "keystrokes": 1}
            hall.take(live, person.session, [RoomLine(person.session, "say", {"text": said.text, **times}, seq, 0.0)])
            await until(lambda done=done: live.partner.done > done or live.room.phase != "playing")
    await hall.close()
    return live


def test_a_person_and_a_bot_solve_a_puzzle_in_each_role(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    # The bot is quick but patient: a person on a busy machine is not asked again while they still move.
    monkeypatch.setattr(bot_partners, "PATIENCE_SECONDS", bot_partners.PATIENCE_SECONDS * FAST)
    visitor = Visitor(site).begin()
    person = Person(visitor.session, "P-1", "debug", 3)
    hall = Hall(site.served, lambda hall, live: Attentive(hall, live, pace=FAST))
    live = site.loop.run_until_complete(asyncio.wait_for(play(hall, person), 300))
    assert (live.room.outcome, live.solved) == ("completed", 2)
    first, second = load_recordings(site.served.store, live.room.id)
    assert find_faults(first) == find_faults(second) == []
    assert first.header.synthetic
    assert second.header.synthetic
    assert first.header.players == {"P-1": "operator", "bot": "solver"}
    assert second.header.players == {"P-1": "solver", "bot": "operator"}
    assert {e.actor for e in first.entries if e.kind == "say"} == {"bot"}
    assert {e.actor for e in second.entries if e.kind in ("grab", "move", "cursor")} == {"bot"}
    assert all(e.data["expressions"] for e in first.entries if e.kind == "say" and e.data["text"].startswith("take"))


def test_a_bot_that_solves_answers_a_question(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would wait for ever for somebody who does nothing, so that only the question makes it speak."""
    monkeypatch.setattr(bot_partners, "PATIENCE_SECONDS", 1e9)

    async def story() -> list[str]:
        hall = Hall(site.served, lambda hall, live: Attentive(hall, live, pace=FAST))
        hall.open()
        live = await hall.enter(person, Ear(person.session), -1)
        await until(lambda: len(live.chat) == 1)
        times = {"typing_start_ms": 0.0, "typing_end_ms": 0.0, "keystrokes": 1}
        hall.take(live, person.session, [RoomLine(person.session, "say", {"text": "which one?", **times}, 1, 0.0)])
        await until(lambda: len(live.chat) == 3)
        await hall.close()
        return [line["text"] for line in live.chat]

    person = Person(Visitor(site).begin().session, "P-1", "debug", 3)
    first, _, answer = site.loop.run_until_complete(asyncio.wait_for(story(), 120))
    # The house is begun with piece 1, of which there are two alike: the answer says which.
    assert "large triangle" in first
    assert answer.startswith("I mean the large triangle ")


def test_the_first_piece_takes_the_figure_with_it_and_later_ones_may_stay_where_they_are():
    goal = find_goal("house")
    wanted = lay_out_goal(goal)
    near = wanted.put("1", wanted.placements["1"]._replace(x=wanted.placements["1"].x + 20))
    mind, settled = accept_placement(Mind(wanted.placements, "1"), near, set(), 28.0)
    assert settled == {"1"}
    assert mind.goal_placements["2"].x == pytest.approx(wanted.placements["2"].x + 20)
    mind, settled = accept_placement(Mind(mind.goal_placements, "2"), near, settled, 28.0)
    assert settled == {"1", "2"}
    assert mind.goal_placements["2"] == near.placements["2"]
    assert mind.goal_placements["3"].x == pytest.approx(wanted.placements["3"].x + 20)


def test_a_piece_that_is_far_away_or_turned_is_not_near_enough():
    wanted = lay_out_goal(find_goal("house"))
    place = wanted.placements["1"]
    for wrong in (place._replace(x=place.x + 40), Placement(place.x, place.y, (place.rotation + 45) % 360)):
        mind = Mind(wanted.placements, "1")
        assert accept_placement(mind, wanted.put("1", wrong), set(), 28.0) == (mind, set())


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"player": "bogus"}, "'bogus' is not a player"),
        ({"player": "llm/openai-compatible|endpoint:http://localhost:1/v1"}, "no model is named"),
        ({"player": "llm/openai-compatible|model:m|sees:smell"}, "a player cannot see 'smell'"),
        ({"pairing": "invited"}, "invited pairs need people"),
    ],
)
def test_a_partner_that_cannot_play_is_told_before_anybody_comes(
    settings: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refused:
        make_tangram_study(tmp_path / "game", puzzles=["house"], partner="bot", settings=settings)
    assert problem in str(refused.value)
    # By the name that was given, not by that of a folder which is gone.
    assert str(refused.value).startswith(f"{tmp_path / 'game' / 'study.toml'} [protocol]: ")
