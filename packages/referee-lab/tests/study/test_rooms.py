"""Rooms as a machine of states: pairing, roles, grace, hints, limits, swaps, and every way out of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import catalogue
from referee.errors import InputError
from referee_lab.rooms.any_room import BOT, SERVER, RoomLine
from referee_lab.rooms.room_state import Room, act, join, leave, pass_time, quit_room
from referee_lab.rooms.views import build_status, view_line
from referee_lab.study.folder.study import read_protocol_settings
from referee_lab.tangram.game.goals import find_goal, lay_out_goal
from referee_lab.tangram.game.piece_sets import PIECES

MINUTE = 60_000.0
DEFAULTS = {name: p.default for name, p in catalogue.create("protocol", "tangram").info.parameters.items()}


def room(seed: int = 0, **settings: Any) -> Room:
    return Room("r", {**DEFAULTS, "puzzles": ["house", "cat"], **settings}, seed)


def started(seed: int = 0, **settings: Any) -> Room:
    one, _ = join(room(seed, **settings), "ann", "P-1", 1000.0)
    two, _ = join(one, "bob", "P-2", 2000.0)
    return two


def kinds(lines: list[RoomLine]) -> list[str]:
    return [line.kind for line in lines]


def solve(running: Room, t_ms: float) -> tuple[Room, list[RoomLine]]:
    handler, lines = str(running.handler), []
    for piece, place in lay_out_goal(find_goal(running.settings["puzzles"][running.puzzle])).placements.items():
        running, more = act(running, handler, "flip", {"piece": piece, **place._asdict()}, t_ms)
        lines += more
    return running, lines


def test_a_figure_that_is_all_but_laid_stays_told_until_it_is_laid():
    """The room's own snapshots, every few seconds, say it too, and so does the status that a page begins with."""
    running = started()
    handler = str(running.handler)
    placements = dict(lay_out_goal(find_goal("house")).placements)
    last = placements.pop("7")
    for piece, place in placements.items():
        running, _ = act(running, handler, "flip", {"piece": piece, **place._asdict()}, 3000.0)
    assert build_status(running, "ann", 3000.0, seq=1, chat=[], solved=0)["nearly"] is False
    beside = last._replace(x=last.x - 25)
    running, lines = act(running, handler, "flip", {"piece": "7", **beside._asdict()}, 3001.0)
    assert [view_line(running, line, "bob")["data"].get("nearly") for line in lines if line.kind == "snapshot"] == [
        True
    ]
    running, lines = pass_time(running, 60_000.0)
    assert [line.data["nearly"] for line in lines if line.kind == "snapshot"] == [True]
    assert build_status(running, "bob", 60_000.0, seq=1, chat=[], solved=0)["nearly"] is True


def test_one_waits_and_two_play():
    one, lines = join(room(), "ann", "P-1", 1000.0)
    assert one.phase == "waiting"
    assert kinds(lines) == ["join"]
    two, lines = join(one, "bob", "P-2", 5000.0)
    assert two.phase == "playing"
    assert kinds(lines) == ["join", "start", "role", "role"]
    assert {seat.role for seat in two.seats} == {"operator", "solver"}
    assert two.began_ms == 5000.0


def test_roles_are_bound_at_the_start_by_the_seed_and_not_by_arrival():
    assert {started(seed).get_seat("ann").role for seed in range(4)} == {"operator", "solver"}


def test_who_leaves_a_waiting_room_is_gone_and_the_next_one_waits_alone():
    one, _ = join(room(), "ann", "P-1", 0.0)
    empty, _ = leave(one, "ann", 10.0)
    assert empty.seats == ()
    other, _ = join(empty, "bob", "P-2", 20.0)
    assert other.phase == "waiting"


def test_a_third_person_does_not_get_in():
    with pytest.raises(ValueError, match="taken"):
        join(started(), "eve", "P-3", 3000.0)


def test_only_the_operator_touches():
    running = started()
    solver = next(s.actor for s in running.seats if s.role == "solver")
    for kind, data in (("move", {"piece": "1", "x": 3.0}), ("cursor", {"points": [[0, 1, 1]]})):
        with pytest.raises(ValueError, match="operator"):
            act(running, solver, kind, data, 3000.0)


def test_a_lost_hand_drops_its_piece_and_has_the_grace_to_come_back():
    running = started()
    handler = str(running.handler)
    running, _ = act(running, handler, "grab", {"piece": "4"}, 3000.0)
    running, lines = leave(running, handler, 4000.0)
    assert kinds(lines)[:2] == ["disconnect", "release"]
    assert running.game is not None
    assert running.game.held is None
    running, _ = pass_time(running, 4000.0 + 44_999)
    assert running.phase == "playing"
    running, lines = join(running, handler, "P-1", 4000.0 + 44_999.5)
    assert kinds(lines) == ["reconnect"]
    running, _ = pass_time(running, 4000.0 + 46_000)
    assert running.phase == "playing"


def test_after_the_grace_the_room_is_over_for_both_and_says_who_was_lost():
    running, _ = leave(started(), "ann", 4000.0)
    over, lines = pass_time(running, 4000.0 + 45_000)
    assert (over.phase, over.outcome) == ("over", "partner-left")
    assert kinds(lines) == ["snapshot", "end", "over"]
    assert lines[-1].data == {"outcome": "partner-left", "by": "ann"}
    assert pass_time(over, 1e9) == (over, [])


def test_hints_after_five_and_ten_minutes_and_the_end_after_fifteen():
    running = started()
    when = {}
    for minute in range(1, 17):
        before = running.phase
        running, lines = pass_time(running, 2000.0 + minute * MINUTE)
        when |= {kind: minute for kind in kinds(lines) if kind in ("timeout",)}
        if "hint" in kinds(lines):
            when[f"hint {next(x for x in lines if x.kind == 'hint').data['number']}"] = minute
        if before == "playing" and running.phase == "between":
            break
    assert when == {"hint 0": 5, "hint 1": 10, "timeout": 15}
    assert running.puzzle == 1


def test_a_solved_puzzle_leads_to_the_next_with_swapped_roles_when_both_are_ready():
    running = started(swap_after=1)
    first = running.handler
    between, lines = solve(running, 60_000.0)
    assert between.phase == "between"
    assert kinds(lines)[-3:] == ["snapshot", "solved", "end"]
    one, _ = act(between, "ann", "ready", {}, 61_000.0)
    assert one.phase == "between"
    two, lines = act(one, "bob", "ready", {}, 62_000.0)
    assert two.phase == "playing"
    assert "start" in kinds(lines)
    assert two.handler != first


def test_who_is_lost_between_two_puzzles_has_the_grace_and_finishes_nothing():
    for lost in ("ann", "bob"):
        between, _ = solve(started(), 60_000.0)
        away, lines = leave(between, lost, 61_000.0)
        assert kinds(lines) == ["disconnect"]
        assert (away.phase, away.puzzle, away.outcome) == ("between", 1, None)
        back, _ = join(away, lost, lost, 70_000.0)
        assert back.phase == "between"
        over, _ = pass_time(away, 61_000.0 + 45_000)
        assert over.outcome == "partner-left"


def test_roles_stay_where_they_are_until_it_is_time_to_swap():
    running = started(swap_after=2)
    between, _ = solve(running, 60_000.0)
    nxt, _ = pass_time(between, 60_000.0 + 1000 * DEFAULTS["pause_seconds"])
    assert nxt.phase == "playing"
    assert nxt.handler == running.handler


def test_the_last_puzzle_ends_the_room():
    running = started(puzzles=["house"])
    over, lines = solve(running, 60_000.0)
    assert (over.phase, over.outcome) == ("over", "completed")
    assert lines[-1] == RoomLine(SERVER, "over", {"outcome": "completed", "by": SERVER})


def test_what_arrives_late_is_noted_and_changes_nothing():
    over, _ = solve(started(puzzles=["house"]), 60_000.0)
    after, lines = act(over, "ann", "move", {"piece": "1", "x": 0.0}, 61_000.0)
    assert after is over
    assert lines == [RoomLine("ann", "late", {"kind": "move"})]


def test_the_waiting_room_has_a_paid_way_out_after_the_time_the_study_says():
    one, _ = join(room(wait_minutes=10.0), "ann", "P-1", 0.0)
    with pytest.raises(ValueError, match="waiting"):
        quit_room(one, "ann", 9 * MINUTE)
    over, lines = quit_room(one, "ann", 10 * MINUTE)
    assert over.outcome == "no-partner"
    assert kinds(lines) == ["over"]


def test_quitting_a_game_ends_it_for_both_at_once():
    over, lines = quit_room(started(), "bob", 5000.0)
    assert over.outcome == "partner-left"
    assert lines[-1].data["by"] == "bob"


def test_alone_one_sees_and_touches_and_may_stop_at_any_time():
    alone, _ = join(room(partner="none"), "ann", "P-1", 0.0)
    assert alone.phase == "playing"
    assert alone.get_seat("ann").role == "solo"
    over, _ = quit_room(alone, "ann", 10.0)
    assert over.outcome == "completed"


def test_with_a_bot_the_person_begins_as_the_operator_whatever_the_seed():
    for seed in range(3):
        playing, _ = join(room(seed, partner="bot"), "ann", "P-1", 0.0)
        assert playing.phase == "playing"
        assert playing.get_seat("ann").role == "operator"
        assert playing.get_seat(BOT).role == "solver"


def test_snapshots_come_every_few_seconds_and_after_every_release():
    running = started()
    handler = str(running.handler)
    _, lines = pass_time(running, 2000.0 + 5_000)
    assert kinds(lines) == ["snapshot"]
    running, _ = act(running, handler, "grab", {"piece": "2"}, 2100.0)
    _, lines = act(running, handler, "release", {"piece": "2"}, 2200.0)
    assert kinds(lines) == ["release", "snapshot"]


DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(
            ["join", "leave", "quit", "time", "grab", "move", "release", "rotate", "cursor", "say", "ready"]
        ),
        st.sampled_from(sorted(PIECES)),
        st.floats(1, 400_000),
    ),
    max_size=40,
)


@given(DEEDS)
def test_whatever_happens_the_room_stays_sound(deeds):
    """No order of comings, goings and doings breaks a room, revives one that is over, or lets a line of an unknown person through."""
    now, running, t = room(), False, 0.0
    for who, kind, piece, pause in deeds:
        t += pause
        before = now
        try:
            if kind == "join":
                now, lines = join(now, who, who.upper(), t)
            elif kind == "time":
                now, lines = pass_time(now, t)
            elif not now.has(who):
                continue
            elif kind == "leave":
                now, lines = leave(now, who, t)
            elif kind == "quit":
                now, lines = quit_room(now, who, t)
            else:
                data: dict[str, Any] = (
                    {"piece": piece, "x": t % 1200} if kind in ("grab", "move", "release", "rotate") else {}
                )
                now, lines = act(now, who, kind, data, t)
                assert lines[0].actor == who
        except ValueError:
            continue
        running = running or now.phase == "playing"
        assert len(now.seats) <= 2
        assert all(line.actor in ("ann", "bob", SERVER) for line in lines)
        assert (now.phase == "over") == (now.outcome is not None)
        assert before.phase != "over" or now.phase == "over"
        assert (now.game is not None) == running


def group(size: int, seed: int = 0, **settings: Any) -> Room:
    running = room(seed, group=size, **settings)
    for n in range(size):
        running, _ = join(running, f"p{n}", f"P-{n}", 1000.0 + n)
    return running


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_in_a_group_one_speaks_and_all_others_have_the_pieces(size):
    running = group(size)
    assert running.phase == "playing"
    assert sorted(seat.role for seat in running.seats) == ["operator"] * (size - 1) + ["solver"]
    assert len(running.handlers) == size - 1


def test_a_group_waits_until_all_are_there():
    running = room(group=3)
    for n in range(2):
        running, _ = join(running, f"p{n}", f"P-{n}", 1000.0)
    assert running.phase == "waiting"


def test_everybody_in_a_group_gets_their_turn_as_the_speaker():
    running = group(3, puzzles=["house", "cat", "swan"], swap_after=1)
    speakers = []
    for n in range(3):
        speakers.append(next(s.actor for s in running.seats if s.role == "solver"))
        running, _ = solve(running, 10_000.0 * (n + 1))
        for seat in running.seats if running.phase == "between" else ():
            running, _ = act(running, seat.actor, "ready", {}, 10_000.0 * (n + 1) + 5)
    assert running.outcome == "completed"
    assert sorted(speakers) == ["p0", "p1", "p2"]


def test_in_a_group_one_hand_at_a_time_has_a_piece():
    running = group(3)
    first, second = running.handlers
    running, _ = act(running, first, "grab", {"piece": "3"}, 2000.0)
    before = running.game.board.hash()
    running, lines = act(running, second, "move", {"piece": "4", "x": 600.0, "y": 400.0}, 2100.0)
    assert kinds(lines) == ["late"]
    assert running.game.board.hash() == before
    # Only the one who came too late is told, with the number of what has to be taken back.
    (line,) = lines
    numbered = RoomLine(line.actor, line.kind, line.data, client_seq=7, t_client=0.0, seq=9, t_server=2100.0)
    assert view_line(running, numbered, second)["seq"] == 7
    assert view_line(running, numbered, first) is None
    running, _ = act(running, first, "release", {"piece": "3"}, 2200.0)
    running, lines = act(running, second, "grab", {"piece": "4"}, 2300.0)
    assert "grab" in kinds(lines)
    assert running.holder == second
    # A lost hand lets go, and the others go on.
    running, lines = leave(running, second, 2400.0)
    assert "release" in kinds(lines)
    running, lines = act(running, first, "grab", {"piece": "4"}, 2500.0)
    assert "grab" in kinds(lines)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"group": 7}, "group.*at most 6"),
        ({"group": 3, "partner": "bot"}, "a group needs people"),
    ],
)
def test_groups_that_cannot_be_are_refused(changed, why):
    with pytest.raises(InputError, match=why):
        read_protocol_settings(catalogue.create("protocol", "tangram"), changed, Path("study.toml"))


def test_groups_may_speak():
    assert catalogue.create("protocol", "tangram").problem_with({**DEFAULTS, "group": 4, "voice": True}) is None


def test_a_turn_server_is_told_to_the_page_as_browsers_want_it():
    # The fields are those of RTCIceServer (W3C WebRTC 1.0, section 4.2.4).
    written = ["stun:stun.example.org:3478", "turn:turn.example.org:3478|ann|secret"]
    running = started(voice=True, ice_servers=written)
    assert build_status(running, "ann", 0.0, 0, [], 0)["ice"] == [
        {"urls": "stun:stun.example.org:3478"},
        {"urls": "turn:turn.example.org:3478", "username": "ann", "credential": "secret"},
    ]
