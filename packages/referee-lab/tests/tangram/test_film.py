"""A film has exactly what the log has: whoever applies its marks gets the states that `find_state` gives."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from referee.errors import InputError
from referee_lab.tangram.game.board import Board, read_placement
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.dialogue_sessions import make_film
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import Header, LogEntry, Recording, find_state
from referee_lab.tangram.game.rules import SETTINGS


@pytest.fixture(scope="module")
def recording() -> Recording:
    return play_bot_game(GOALS["swan"], 5)


def _apply(film: dict[str, Any], t_ms: float) -> tuple[Board, list[float] | None]:
    """What a page does with a film, written once more in Python."""
    board, cursor = Board.from_data(film["state"]), film["cursor"]
    for mark in film["marks"]:
        if mark[0] > t_ms:
            break
        if len(mark) == 3:
            cursor = mark[1:]
        elif len(mark) == 2:
            board = Board.from_data(mark[1])
        else:
            names = ("x", "y", "rotation", "flipped")
            board = board.put(mark[1], read_placement(dict(zip(names, mark[2:], strict=True))))
    return board, cursor


def test_a_film_has_the_stored_state_of_every_time(recording: Recording) -> None:
    film = make_film(recording)
    rng = Random(1)
    times = [0.0, film["end_ms"], *(rng.uniform(0, film["end_ms"]) for _ in range(12)), film["marks"][40][0]]
    for t_ms in times:
        moment = find_state(recording, t_ms)
        board, cursor = _apply(film, t_ms)
        assert moment is not None
        assert board.hash() == moment.board.hash()
        assert cursor == (None if moment.cursor is None else list(moment.cursor))


def test_a_clip_begins_with_the_state_it_finds_and_holds_nothing_later(recording: Recording) -> None:
    clip = make_film(recording, 20_000, 32_000)
    before, after = find_state(recording, 20_000), find_state(recording, 32_000)
    assert before is not None
    assert after is not None
    assert Board.from_data(clip["state"]).hash() == before.board.hash()
    assert _apply(clip, 32_000)[0].hash() == after.board.hash()
    assert all(20_000 < mark[0] <= 32_000 for mark in clip["marks"])
    assert clip["said"]
    assert all(20_000 <= line["shown_ms"] <= 32_000 for line in clip["said"])


def test_snapshots_that_repeat_the_state_cost_nothing(recording: Recording) -> None:
    assert any(entry.kind == "snapshot" for entry in recording.entries)
    assert all(len(mark) != 2 for mark in make_film(recording)["marks"])


def test_a_state_that_changes_more_than_one_piece_is_kept_whole(recording: Recording) -> None:
    other = play_bot_game(GOALS["house"], 9).entries[0]
    jump = LogEntry(10_000, 5_000.0, None, "server", "snapshot", other.data)
    film = make_film(Recording(recording.header, (recording.entries[0], jump)))
    assert [len(mark) for mark in film["marks"]] == [2]
    assert _apply(film, 6_000)[0].hash() == other.data["hash"]


def test_hints_are_in_the_film_with_their_times() -> None:
    slow = play_bot_game(GOALS["cat"], 3, {**SETTINGS, "hints_ms": (20_000, 40_000)})
    hints = make_film(slow)["hints"]
    assert [hint["number"] for hint in hints] == [0, 1]
    # the bots look at the clock when an instruction is done
    assert [hint["t_ms"] // 10_000 for hint in hints] == [2, 4]
    assert {"piece", "x", "y", "rotation", "flipped"} <= hints[0].keys()


def test_a_recording_without_a_board_is_no_film() -> None:
    header = Header(session="s", pair="p", goal="cat", players={})
    with pytest.raises(InputError, match="no board"):
        make_film(Recording(header, ()))


def test_what_was_said_stands_in_the_order_in_which_it_was_seen(recording: Recording) -> None:
    # The solver begins to type first and sends last; times of both pages are the server's here.
    slow, quick = (
        LogEntry(
            seq, sent, sent, who, "say", {"text": who, "typing_start_ms": began, "typing_end_ms": sent, "keystrokes": 3}
        )
        for seq, who, began, sent in ((1, "solver", 100.0, 9000.0), (2, "operator", 200.0, 3000.0))
    )
    start = next(e for e in recording.entries if e.kind == "start")
    told = make_film(Recording(recording.header, (start, quick, slow)))["said"]
    assert [line["text"] for line in told] == ["operator", "solver"]
    assert told == sorted(told, key=lambda line: line["shown_ms"])
