"""Tiers are what the log says: holds become actions, the cursor's stays become spans, nothing overlaps where a hand does one thing at a time."""

from __future__ import annotations

from itertools import pairwise

import pytest

from referee_lab.tangram.game.board import Change, Placement
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS, scatter_pieces
from referee_lab.tangram.game.log import Header, LogEntry, Recording
from referee_lab.tangram.tiers.rex_tiers import (
    convert_to_dialogue,
    list_actions,
    list_mouse_spans,
    list_utterances,
    round_dialogue_times,
)

HEADER = Header(session="s", pair="p", goal="house", players={"a": "solver", "b": "operator"})


def recorded(*steps, cursor=()):
    """A log of a start and then (time, change) pairs, with cursor batches."""
    board = scatter_pieces(0)
    for piece, x in zip("1234567", range(100, 1100, 150), strict=True):
        board = board.put(piece, Placement(x, 700.0))
    entries = [LogEntry(0, 0.0, None, "server", "start", {"state": board.to_data(), "hash": board.hash()})]
    for t, change in steps:
        board = board.apply(change)
        data = {"piece": change.piece, **board.placements[change.piece]._asdict()}
        entries.append(LogEntry(len(entries), t, None, "b", change.kind, data))
    entries += [LogEntry(len(entries), t, None, "b", "cursor", {"points": [[0, x, y]]}) for t, x, y in cursor]
    return Recording(HEADER, tuple(entries))


def spans(events):
    return [(e.data.get("action"), *e.entities, e.start_ms, e.end_ms) for e in events]


def test_a_hold_with_movement_is_one_move_from_grab_to_release():
    log = recorded(
        (100, Change("grab", "1")),
        (150, Change("move", "1", 300, 300)),
        (200, Change("move", "1", 310, 300)),
        (260, Change("release", "1")),
    )
    assert spans(list_actions(log)) == [("move", "1", 100, 260)]


def test_a_touch_is_no_action():
    assert list_actions(recorded((100, Change("grab", "1")), (200, Change("release", "1")))) == ()


def test_a_turn_in_a_hold_parts_the_move():
    log = recorded(
        (100, Change("grab", "1")),
        (150, Change("move", "1", 300, 300)),
        (200, Change("rotate", "1", rotation=45)),
        (230, Change("rotate", "1", rotation=90)),
        (300, Change("move", "1", 350, 300)),
        (400, Change("release", "1")),
    )
    assert spans(list_actions(log)) == [("move", "1", 100, 150), ("rotate", "1", 200, 230), ("move", "1", 300, 400)]


def test_turns_by_key_join_when_they_follow_closely():
    log = recorded(*((t, Change("rotate", "6", rotation=r)) for t, r in ((0, 45), (300, 90), (2000, 135))))
    assert spans(list_actions(log)) == [("rotate", "6", 0, 300), ("rotate", "6", 2000, 2010)]


def test_a_flip_is_named_and_lasts_at_least_a_step():
    assert spans(list_actions(recorded((50, Change("flip", "7", flipped=True))))) == [("flip", "7", 50, 60)]


def test_the_cursor_stays_on_a_piece_until_it_leaves_it():
    log = recorded(cursor=((100, 100, 700), (200, 105, 700), (300, 100, 100), (400, 250, 700), (500, 255, 700)))
    assert spans(list_mouse_spans(log)) == [(None, "1", 100, 300), (None, "2", 400, 500)]


def test_no_cursor_no_spans():
    assert list_mouse_spans(recorded()) == ()


def test_an_utterance_lasts_from_the_first_key_to_the_sending():
    log = recorded()
    say = LogEntry(1, 5000.0, 9000.0, "a", "say", {"text": "hello", "typing_start_ms": 7500.0, "keystrokes": 5})
    (said,) = list_utterances(Recording(HEADER, (*log.entries, say)))
    assert (said.by, said.text, said.start_ms, said.end_ms) == ("solver", "hello", 3500.0, 5000.0)


def test_times_come_on_the_grid_with_halves_going_up():
    log = recorded((104, Change("flip", "7", flipped=True)), (125, Change("flip", "7", flipped=False)))
    dialogue = convert_to_dialogue(log)
    assert [(e.start_ms, e.end_ms) for e in dialogue.select_tier("action")] == [(100, 130)]
    assert round_dialogue_times(dialogue) == dialogue


@pytest.mark.parametrize("name", GOALS)
def test_a_played_session_has_tiers_without_overlap(name):
    dialogue = convert_to_dialogue(play_bot_game(GOALS[name], 11))
    for kind in ("action", "mouse"):
        tier = dialogue.select_tier(kind)
        assert tier
        assert all(a.end_ms <= b.start_ms for a, b in pairwise(tier))
    said = dialogue.select_tier("utterance")
    for expression in dialogue.select_tier("expression"):
        first, last = expression.data["span"]
        utterance = said[expression.data["utterance"]]
        assert utterance.text[first:last] == expression.text
        assert utterance.start_ms <= expression.start_ms < expression.end_ms <= utterance.end_ms
        assert expression.entities
