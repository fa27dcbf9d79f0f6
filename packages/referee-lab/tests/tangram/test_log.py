"""A recording loses nothing, says what is wrong with it, and shows exactly the states that were stored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InputError, MalformedInput
from referee_lab.tangram.game.board import CHANGES, Change
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.dialogue_sessions import is_dialogue, is_recording, read_session
from referee_lab.tangram.game.goals import GOALS, scatter_pieces
from referee_lab.tangram.game.log import (
    Header,
    LogEntry,
    Recording,
    find_faults,
    find_state,
    format_entry,
    format_header,
    format_recording,
    iterate_moments,
    iterate_timeline,
    parse_recording,
    track_positions,
)
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.tiers.dialogue_form import make_dialogue_schema
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

HEADER = Header(session="s", pair="p", goal="house", players={"a": "solver", "b": "operator"})
CHANGE = st.builds(
    Change,
    st.sampled_from(CHANGES),
    st.sampled_from(sorted(PIECES)),
    st.floats(0, 1200),
    st.floats(0, 800),
    st.integers(-8, 8).map(lambda n: 45.0 * n),
    st.booleans(),
)


@pytest.fixture(scope="module")
def played():
    return play_bot_game(GOALS["cat"], 3)


def state(board):
    return {"state": board.to_data(), "hash": board.hash()}


def handled(seq, t_ms, board, change, client=None):
    data = {"piece": change.piece, **board.placements[change.piece]._asdict()}
    return LogEntry(seq, t_ms, client, "b", change.kind, data)


def test_a_recording_survives_its_file(played):
    assert parse_recording(format_recording(played)) == played
    assert parse_recording(format_recording(played).encode()) == played


@given(st.lists(CHANGE, max_size=30))
def test_a_replay_equals_the_live_boards(changes):
    board = scatter_pieces(0)
    boards, entries = [board], [LogEntry(0, 0.0, None, "server", "start", state(board))]
    for change in changes:
        board = board.apply(change)
        boards.append(board)
        entries.append(handled(len(entries), 10.0 * len(entries), board, change))
    entries.append(LogEntry(len(entries), 10.0 * len(entries), None, "server", "snapshot", state(board)))
    recording = parse_recording(format_recording(Recording(HEADER, tuple(entries))))
    assert [m.board.hash() for m in iterate_moments(recording)] == [b.hash() for b in (*boards, board)]
    assert find_faults(recording) == []


def test_a_played_session_has_no_faults_and_its_last_state_solves_it(played):
    from referee_lab.tangram.game.goals import get_outline

    assert find_faults(played) == []
    assert list(iterate_moments(played))[-1].board.is_covered(get_outline(GOALS["cat"]))


@given(st.integers(1, 400))
def test_a_crash_in_the_last_line_costs_that_line_only(cut):
    start = LogEntry(0, 0.0, None, "server", "start", state(scatter_pieces(0)))
    entries = (start, *(LogEntry(i, 1.0 * i, None, "a", "say", {"text": "so"}) for i in (1, 2, 3)))
    text, last = format_recording(Recording(HEADER, entries)), format_entry(entries[-1])
    torn = parse_recording(text[: len(text) - min(cut, len(last) - 1)])
    assert torn.entries == entries[:-1]
    assert torn.torn
    assert any("breaks off" in fault for fault in find_faults(torn))


def test_a_character_cut_in_half_is_a_torn_line_too():
    start = LogEntry(0, 0.0, None, "server", "start", state(scatter_pieces(0)))
    say = LogEntry(1, 5.0, 5.0, "a", "say", {"text": "grün"})
    content = (format_header(HEADER) + format_entry(start) + format_entry(say)).encode()
    cut = content[: content.index("ü".encode()) + 1]
    assert parse_recording(cut).entries == (start,)


def test_a_broken_line_in_the_middle_is_named():
    with pytest.raises(MalformedInput, match=r"log\.jsonl:3"):
        parse_recording(format_header(HEADER) + format_entry(LogEntry(0, 0, None, "a", "end")) + "{oops\n", "log.jsonl")


@pytest.mark.parametrize(
    "row",
    [
        {"kind": "dance"},
        {"kind": "move", "data": {"piece": "1"}},
        {"kind": "say", "data": {}},
        {"kind": "end", "seq": "one"},
        {"kind": "end", "extra": 1},
    ],
)
def test_an_entry_that_cannot_be_replayed_is_refused(row):
    line = json.dumps({"seq": 0, "t_server_ms": 0, "t_client_ms": None, "actor": "a", "data": {}} | row)
    with pytest.raises(MalformedInput):
        parse_recording(format_header(HEADER) + line + "\n")


def test_a_newer_version_is_refused_and_says_so():
    header = json.loads(format_header(HEADER))
    with pytest.raises(InputError, match="newer"):
        parse_recording(json.dumps(header | {"version": header["version"] + 1}) + "\n")


def test_a_recording_of_the_older_form_is_the_same_recording(played):
    header = {name: getattr(played.header, name) for name in Header.__slots__} | {"version": 1}
    lines = [{"format": "referee-tangram", **header}]
    lines += [{name: getattr(entry, name) for name in LogEntry.__slots__} for entry in played.entries]
    assert parse_recording("".join(json.dumps(line) + "\n" for line in lines)) == played


def test_a_recording_is_a_dialogue_on_disk(played, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    header, *lines = map(json.loads, format_recording(played).splitlines())
    for row in (header, *lines[:50], lines[-1]):
        jsonschema.validate(row, make_dialogue_schema())
    assert set(header["objects"]) == set(PIECES)
    path = tmp_path / "cat.jsonl"
    path.write_text(format_recording(played), encoding="utf-8")
    assert is_recording(path)
    assert not is_dialogue(path)
    assert read_session(path).dialogue == convert_to_dialogue(played)


@pytest.mark.parametrize("players", [{"a": "solver", "b": "king"}, ["solver"]])
def test_a_player_has_one_of_the_two_roles(players):
    header = {"format": "referee-tangram", "session": "s", "pair": "p", "goal": "cat", "players": players, "version": 1}
    with pytest.raises(
        MalformedInput, match="not a role of this game" if isinstance(players, dict) else "unusable header"
    ):
        parse_recording(json.dumps(header) + "\n")


def test_another_file_is_not_a_recording():
    with pytest.raises(MalformedInput, match="not a Tangram recording"):
        parse_recording('{"format": "else"}\n')
    with pytest.raises(MalformedInput, match="begins with"):
        parse_recording("")
    game = {"format": "referee-dialogue", "id": "d", "meta": {"game": {"kind": "tangram"}}}
    with pytest.raises(MalformedInput, match="the version of this recording is None"):
        parse_recording(json.dumps(game) + "\n")


def test_a_lost_entry_is_found_by_its_number(played):
    gone = replace(played, entries=played.entries[:50] + played.entries[51:])
    assert find_faults(gone)[0] == "entry 51 follows entry 49"


def test_a_forged_state_is_found_by_its_hash(played):
    index = next(i for i, e in enumerate(played.entries) if e.kind == "snapshot")
    entry = played.entries[index]
    forged = json.loads(json.dumps(entry.data))
    forged["state"]["pieces"]["1"]["x"] += 0.01
    entries = list(played.entries)
    entries[index] = replace(entry, data=forged)
    assert any("stored hash" in fault for fault in find_faults(replace(played, entries=tuple(entries))))


def test_a_changed_move_is_found_by_the_next_snapshot(played):
    entries = list(played.entries)
    snapshot = next(i for i, e in enumerate(entries) if e.kind == "snapshot")
    index = max(i for i in range(snapshot) if entries[i].kind in ("release", "rotate", "flip"))
    entries[index] = replace(entries[index], data={**entries[index].data, "x": 1.0})
    assert any("another state" in fault for fault in find_faults(replace(played, entries=tuple(entries))))


def test_the_state_at_a_time_is_the_last_one_before_it():
    board = scatter_pieces(0)
    moved = board.apply(Change("move", "1", 5, 5))
    entries = (
        LogEntry(0, 100.0, None, "server", "start", state(board)),
        handled(1, 200.0, moved, Change("move", "1")),
        LogEntry(2, 320.0, None, "b", "cursor", {"points": [[-10, 1, 2], [0, 3, 4]]}),
    )
    recording = Recording(HEADER, entries)
    assert find_state(recording, 99).board == board
    assert find_state(recording, 100).board == moved
    assert find_state(recording, 215).cursor == (1, 2)
    assert find_state(recording, 500).cursor == (3, 4)
    assert find_state(recording, -1) is None
    assert track_positions(recording)(50)["1"] == board.placements["1"][:2]
    assert track_positions(recording)(-5) == track_positions(recording)(0)
    assert track_positions(recording)(1000)["1"] == (5, 5)


def test_the_quickest_ping_lays_a_players_clock_on_the_servers():
    ping = {"sent_ms": 1000.0, "received_ms": 1020.0, "server_ms": 510.0}  # offset -500, good to 10 ms
    slow = {"sent_ms": 2000.0, "received_ms": 2400.0, "server_ms": 1900.0}  # offset -300, good to 200 ms
    entries = (
        LogEntry(0, 0.0, None, "server", "start", state(scatter_pieces(0))),
        LogEntry(1, 520.0, 1020.0, "b", "clock", ping),
        LogEntry(2, 2500.0, 2400.0, "b", "clock", slow),
        LogEntry(3, 900.0, 1300.0, "b", "typing", {"typing": True}),
    )
    assert {e.seq: t for t, e in iterate_timeline(Recording(HEADER, entries))}[3] == 800.0


def test_nothing_happens_after_it_arrived_and_a_new_connection_has_a_new_clock():
    ping = {"sent_ms": 0.0, "received_ms": 0.0, "server_ms": 500.0}
    entries = (
        LogEntry(0, 0.0, None, "server", "start", state(scatter_pieces(0))),
        LogEntry(1, 500.0, 0.0, "b", "clock", ping),
        LogEntry(2, 510.0, 100.0, "b", "typing", {"typing": True}),
        LogEntry(3, 900.0, None, "b", "reconnect"),
        LogEntry(4, 950.0, 5.0, "b", "typing", {"typing": True}),
    )
    times = [t for t, _ in iterate_timeline(Recording(HEADER, entries))]
    assert times[2] == 510.0
    assert times[4] == 950.0  # no ping yet on the new connection: the time of arrival
