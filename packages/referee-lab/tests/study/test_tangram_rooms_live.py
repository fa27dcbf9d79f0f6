"""Rooms over real connections to a real server process: nothing is lost, nothing comes twice, both see one order, and a killed server goes on where it was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from crowd import ServerProcess, free_port
from postgres_server import new_database, postgres
from sqlalchemy import text
from tangram_people import Player, load_recordings, pair, say

from referee.errors import InputError
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.store.store import Store, make_sqlite_url, open_store
from referee_lab.tangram.game.board import Board, Change
from referee_lab.tangram.game.goals import find_goal, lay_out_goal
from referee_lab.tangram.game.log import Recording, apply_entry, find_faults, format_recording, parse_recording

QUIET = {"clock", "voice", "hint", "left"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    tmp_path = tmp_path_factory.mktemp("rooms")
    make_tangram_study(
        tmp_path / "pairs", id="pairs", puzzles=["house", "cat"], practice=False, settings={"swap_after": 1}
    )
    process = ServerProcess(tmp_path / "pairs", free_port())
    process.start()
    process.wait_until_up()
    yield process
    if process.process is not None and process.process.poll() is None:
        process.kill()


def stored(server: ServerProcess) -> Store:
    return open_store(
        server.database or make_sqlite_url(server.folder / "data" / "study.sqlite"), "pairs", create=False
    )


def rows(store: Store, room: str) -> list[Any]:
    with store.read() as connection:
        return list(
            connection.execute(
                text("SELECT seq, session, client_seq, kind FROM event WHERE room = :room ORDER BY seq"), {"room": room}
            )
        )


def anything(operator: Player, solver: Player, rng: Random) -> None:
    """Something that one of the two might do."""
    piece = rng.choice("1234567")
    what = rng.random()
    if what < 0.15:
        say(rng.choice((operator, solver)), f"the {rng.random():.6f} one")
    elif what < 0.2:
        rng.choice((operator, solver)).send("typing", typing=True)
    elif what < 0.5:
        operator.send("cursor", points=[[-8.0, 1200 * rng.random(), 5.0], [0, 1200 * rng.random(), 800 * rng.random()]])
    elif what < 0.9:
        kind = rng.choice(("grab", "move", "move", "move", "release"))
        operator.send(kind, piece=piece, x=1200 * rng.random(), y=800 * rng.random())
    else:
        operator.send("rotate", piece=piece, rotation=45 * rng.randrange(8), flipped=rng.random() < 0.5)


async def a_stormy_game(port: int, events: int) -> tuple[Player, Player]:
    operator, solver = await pair(port, "pairs")
    rng = Random(5)
    for number in range(events):
        anything(operator, solver, rng)
        if rng.random() < 0.004:
            rng.choice((operator, solver)).tear()
        if number % 20 == 0:
            await asyncio.sleep(0.005)
        if number % 1000 == 999:
            await operator.settled()
    for player in (operator, solver):
        await player.settled()
    say(operator, "the last word")
    await operator.settled()
    await solver.until(lambda: any(e["data"].get("text") == "the last word" for e in solver.seen))
    await operator.until(lambda: any(e["data"].get("text") == "the last word" for e in operator.seen))
    await operator.end()
    await solver.end()
    return operator, solver


def check_the_log(server: ServerProcess, operator: Player, solver: Player, told_at_least: int) -> None:
    store = stored(server)
    log = rows(store, operator.room)
    assert [row.seq for row in log] == list(range(len(log))), "no line is missing"
    for player in (operator, solver):
        mine = [row.client_seq for row in log if row.client_seq and row.session == _session(server, player)]
        assert mine == list(range(1, player.seq + 1)), "everything sent is stored, once and in order"
        start = next(row.seq for row in log if row.kind == "start")
        told = [event["server_seq"] for event in player.seen if event["server_seq"] > start + 2]
        theirs = [row.seq for row in log if _is_told(row, _session(server, player)) and row.seq > start + 2]
        assert told == [seq for seq in theirs if seq <= told[-1]], (
            "from the beginning of the game, in the order of the log"
        )
        assert len(told) > told_at_least
    recording = load_recordings(store, operator.room)[0]
    assert find_faults(recording) == []
    assert parse_recording(format_recording(recording)) == recording
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize(("events", "torn"), [(2_000, 1), pytest.param(10_000, 10, marks=pytest.mark.long)])
def test_thousands_of_events_over_torn_connections_come_once_and_in_one_order(
    server: ServerProcess, events: int, torn: int
) -> None:
    operator, solver = asyncio.run(a_stormy_game(server.port, events))
    assert operator.connections > torn
    assert solver.connections > torn
    assert operator.seq + solver.seq == events + 1
    check_the_log(server, operator, solver, told_at_least=events // 2)


@pytest.mark.long
def test_rooms_on_postgresql_keep_the_same_promise(tmp_path: Path) -> None:
    make_tangram_study(tmp_path / "pairs", id="pairs", puzzles=["house"], practice=False)
    with postgres() as url:
        server = ServerProcess(tmp_path / "pairs", free_port(), new_database(url, "rooms"))
        server.start()
        try:
            server.wait_until_up()
            operator, solver = asyncio.run(a_stormy_game(server.port, 1_500))
        finally:
            server.stop()
        check_the_log(server, operator, solver, told_at_least=500)


def _session(server: ServerProcess, player: Player) -> str:
    assert player.member is not None
    from referee_lab.server.store.keys import load_keys

    keys = load_keys(server.folder / "data" / "keys.toml")
    return str(keys.read("pairs", player.member.token)["id"])


def _is_told(row: Any, session: str) -> bool:
    if row.kind == "late":
        return bool(row.session == session)
    return row.kind not in QUIET and not (row.kind in ("cursor", "typing") and row.session == session)


def place(player: Player, piece: str, board: Board) -> None:
    """As a hand would: grab, a few moves, release."""
    put = board.placements[piece]
    player.send("grab", piece=piece)
    player.send("move", piece=piece, x=put.x + 9, y=put.y)
    player.send("move", piece=piece, x=put.x, y=put.y, rotation=put.rotation, flipped=put.flipped)
    player.send("release", piece=piece)
    player.send("move", piece=piece, x=put.x, y=put.y)  # as by keys: it may have been drawn to a piece that lay nearby
    player.send("release", piece=piece)


def hashes(recording: Recording) -> list[str]:
    """The hash of the board at each snapshot, from the changes before it alone."""
    board, found = None, []
    for entry in recording.entries:
        if entry.kind == "snapshot" and board is not None:
            found.append(board.hash())
        board = apply_entry(board, entry) if entry.kind != "snapshot" else board
    return found


async def two_puzzles(port: int) -> tuple[Player, Player, list[str]]:
    operator, solver = await pair(port, "pairs")
    roles = [operator.role]
    for goal in ("house", "cat"):
        for piece in "1234567":
            place(operator, piece, lay_out_goal(find_goal(goal)))
        await operator.settled()
        for player in (operator, solver):
            await player.until(lambda player=player: player.status["result"] == "solved")
        assert operator.status["solved"] == solver.status["solved"] == 1 + (goal == "cat")
        if goal == "house":
            assert "goal" in solver.status
            assert "goal" not in operator.status
            assert operator.status["swaps"] is True
            for player in (operator, solver):
                player.send("ready")
                await player.settled()
            for player in (operator, solver):
                await player.until(lambda player=player: player.status["phase"] == "playing")
            operator, solver = solver, operator
            roles.append(operator.role)
    for player in (operator, solver):
        await player.until(lambda player=player: player.status["phase"] == "over")
        assert player.status["outcome"] == "completed"
        await player.end()
    return operator, solver, roles


def test_two_puzzles_with_swapped_roles_are_two_recordings_that_replay_as_they_were(server: ServerProcess) -> None:
    operator, solver, roles = asyncio.run(two_puzzles(server.port))
    store = stored(server)
    first, second = load_recordings(store, operator.room)
    assert roles == ["operator", "operator"]
    assert (first.header.goal, second.header.goal) == ("house", "cat")
    assert first.header.players.keys() == second.header.players.keys()
    assert all(first.header.players[name] != second.header.players[name] for name in first.header.players)
    for recording in (first, second):
        assert find_faults(recording) == []
        live = [e.data["hash"] for e in recording.entries if e.kind == "snapshot"]
        assert hashes(recording) == live
        assert len(live) >= 7
        assert recording.entries[-2].kind == "solved"
    told = [e["data"]["hash"] for e in solver.seen if e["kind"] == "snapshot"]
    assert told[-len(live) :] == live, "the pages were told the same hashes"
    store.close()


async def killed_in_a_game(server: ServerProcess) -> tuple[Player, Player, str]:
    operator, solver = await pair(server.port, "pairs")
    rng = Random(3)
    for _ in range(2):
        for _ in range(100):
            anything(operator, solver, rng)
            await asyncio.sleep(0.001)
        await asyncio.to_thread(server.kill)
        server.start()
        await asyncio.to_thread(server.wait_until_up)
        await operator.settled()
        await solver.settled()
    room = operator.room
    for piece in "1234567":
        place(operator, piece, lay_out_goal(find_goal("house")))
    await operator.until(lambda: operator.status["result"] == "solved")
    await solver.until(lambda: solver.status["result"] == "solved")
    await operator.end()
    await solver.end()
    return operator, solver, room


def test_after_kill_9_what_was_acknowledged_is_there_and_the_game_goes_on(server: ServerProcess) -> None:
    operator, solver, room = asyncio.run(killed_in_a_game(server))
    store = stored(server)
    log = rows(store, room)
    assert operator.room == room
    for player in (operator, solver):
        mine = [row.client_seq for row in log if row.client_seq and row.session == _session(server, player)]
        assert mine == list(range(1, player.seq + 1))
    recording = load_recordings(store, room)[0]
    assert find_faults(recording) == []
    assert sum(e.kind == "reconnect" for e in recording.entries) >= 2
    store.close()


async def a_lost_partner(port: int) -> tuple[Player, Player, dict[str, Any], dict[str, Any]]:
    operator, solver = await pair(port, "pairs")
    place(operator, "3", lay_out_goal(find_goal("house")))
    await operator.settled()
    await operator.end()
    await solver.until(lambda: solver.status["partner"][0]["present"] is False)
    await solver.until(lambda: solver.status["phase"] == "over")
    assert solver.status["outcome"] == "partner-left"
    assert solver.member is not None
    assert operator.member is not None
    await solver.end()
    endings = []
    for player in (solver, operator):
        assert player.member is not None
        member = player.member
        _, said = await member.ask("POST", "enter", {"tab": member.tab})
        member.wire.close()
        endings.append(said)
    return operator, solver, endings[0], endings[1]


def test_a_partner_who_stays_away_ends_the_room_and_both_are_paid(tmp_path: Path) -> None:
    make_tangram_study(
        tmp_path / "pairs", id="pairs", puzzles=["house"], practice=False, settings={"grace_seconds": 1.0}
    )
    server = ServerProcess(tmp_path / "pairs", free_port())
    server.start()
    server.wait_until_up()
    operator, _, stayed, left = asyncio.run(a_lost_partner(server.port))
    server.stop()
    assert (stayed["state"], stayed["outcome"], stayed["paid"]) == ("partner_left", "partner_left", True)
    assert (left["state"], left["outcome"], left["paid"]) == ("timed_out", "technical", True)
    assert stayed["code"]
    assert left["code"]
    store = stored(server)
    recording = load_recordings(store, operator.room)[0]
    assert find_faults(recording) == []
    assert recording.entries[-1].data == {"reason": "partner-left"}
    store.close()


def test_a_recording_with_somebody_who_withdrew_is_not_given_out(server: ServerProcess) -> None:
    async def play() -> str:
        operator, solver = await pair(server.port, "pairs")
        assert solver.member is not None
        await solver.member.ask("POST", "withdraw")
        for player in (operator, solver):
            await player.end()
        return operator.room

    room = asyncio.run(play())
    store = stored(server)
    with pytest.raises(InputError, match="withdrawn"):
        load_recordings(store, room)
    store.close()


def test_who_withdraws_during_a_game_plays_no_further_and_the_partner_is_paid(server: ServerProcess) -> None:
    async def play() -> tuple[Player, dict[str, Any]]:
        operator, solver = await pair(server.port, "pairs", seed=60)
        assert operator.member is not None
        assert solver.member is not None
        status, said = await operator.member.ask("POST", "withdraw")
        assert (status, said["state"]) == (200, "withdrawn")
        await operator.until(lambda: "withdrawn" in operator.problems)
        await solver.until(lambda: solver.status["phase"] == "over")
        assert solver.status["outcome"] == "partner-left"
        operator.send("cursor", points=[[0, 1, 2]])
        await asyncio.sleep(0.2)
        await solver.end()
        _, ending = await solver.member.ask("POST", "enter", {"tab": solver.member.tab})
        solver.member.wire.close()
        await operator.end()
        return operator, ending

    operator, ending = asyncio.run(play())
    assert ending["state"] == "partner_left"
    store = stored(server)
    log = rows(store, operator.room)
    assert log[-1].kind == "over", "nothing is stored of somebody who has withdrawn"
    store.close()


async def trespasses(port: int) -> list[list[str]]:
    found = []
    for kind, data in [
        ("move", {"piece": "1", "x": 3, "y": 4}),
        ("cursor", {"points": [[0, 1, 2]]}),
        ("cursor", {"points": [["soon", 1, 2]]}),
        ("cursor", {"points": [[5, 1, 2]]}),
        ("say", {"text": ""}),
        ("say", {"text": "x" * 5000, "typing_start_ms": 0, "typing_end_ms": 0, "keystrokes": 1}),
        ("solved", {}),
    ]:
        operator, solver = await pair(port, "pairs", seed=len(found) + 10)
        solver.send(kind, **data)
        await solver.until(lambda solver=solver: bool(solver.problems))
        found.append(solver.problems[:1])
        assert not any(e["kind"] in ("move", "solved", "cursor") for e in operator.seen)
        for player in (operator, solver):
            await player.end()
    return found


def test_a_solver_who_touches_and_messages_that_make_no_sense_are_refused(server: ServerProcess) -> None:
    found = asyncio.run(trespasses(server.port))
    assert all(problem[0] in ("not-allowed", "malformed") for problem in found)


def test_of_a_packet_with_a_bad_message_what_came_before_it_is_kept(server: ServerProcess) -> None:
    async def play() -> str:
        operator, solver = await pair(server.port, "pairs", seed=40)
        operator.tear()  # what is sent now goes together when the page is back
        operator.send("cursor", points=[[0, 1, 2]])
        operator.send("move", piece="9")
        operator.send("typing", typing=True)
        await operator.until(lambda: bool(operator.problems))
        await solver.until(lambda: any(event["kind"] == "cursor" for event in solver.seen))
        for player in (operator, solver):
            await player.end()
        return operator.room

    room = asyncio.run(play())
    store = stored(server)
    assert [(row.kind, row.client_seq) for row in rows(store, room) if row.client_seq is not None] == [("cursor", 1)]
    store.close()


def test_a_change_by_hand_is_the_change_of_the_board() -> None:
    """The driver of these tests does what a page does: the same changes give the same board."""
    board = lay_out_goal(find_goal("house"))
    put = board.placements["3"]
    assert board.apply(Change("move", "3", put.x, put.y, put.rotation, put.flipped)).placements == board.placements
