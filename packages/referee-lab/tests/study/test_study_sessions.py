"""The states of a session, and what is missing, as pure functions."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee_lab.server.sessions.states import (
    MOVES,
    OUTCOMES,
    change_state,
    count_next_attempt,
    find_complete_steps,
    find_missing_steps,
    find_position,
)


def reachable(state: str) -> set[str]:
    found: set[str] = set()
    to_do = [state]
    while to_do:
        for after in MOVES[to_do.pop()] - found:
            found.add(after)
            to_do.append(after)
    return found


def test_every_state_is_reached_and_the_last_one_is_left_never() -> None:
    assert reachable("entered") | {"entered"} == set(MOVES)
    assert [state for state, after in MOVES.items() if not after] == ["declined", "purged"]


def test_everyone_who_consented_can_withdraw_and_nobody_comes_back_from_it() -> None:
    for state in set(MOVES) - {"entered", "declined", "withdrawn", "purged"}:
        assert change_state(state, "withdrawn") == "withdrawn"
    assert MOVES["withdrawn"] == {"purged"}
    with pytest.raises(ValueError, match="coded cannot become running"):
        change_state("coded", "running")


def test_a_code_needs_a_finished_session() -> None:
    assert [state for state, after in MOVES.items() if "coded" in after] == ["finished"]
    assert set(OUTCOMES.values()) <= set(MOVES)


STEPS = (2, 3, 5, 6, 9)


class Row(NamedTuple):
    step: int
    attempt: int
    state: str


def test_an_aborted_trial_is_missing_where_it_is_shown_again_and_not_where_it_is_skipped() -> None:
    rows = [Row(2, 1, "done"), Row(3, 1, "aborted")]
    assert find_missing_steps(STEPS, rows, "again") == [3, 5, 6, 9]
    assert find_missing_steps(STEPS, rows, "skip") == [5, 6, 9]
    assert count_next_attempt(3, rows) == 2


def test_going_on_shows_the_pages_before_the_next_trial_again() -> None:
    assert find_position(STEPS, [], "again", 11) == 0
    assert (
        find_position(STEPS, [Row(2, 1, "done"), Row(3, 1, "done")], "again", 11) == 4
    )  # page 4 stands before trial 5
    assert find_position(STEPS, [Row(3, 1, "done")], "again", 11) == 0  # 2 is still to come
    assert find_position(STEPS, [Row(i, 1, "done") for i in STEPS], "again", 11) == 10
    assert find_position((), [], "again", 3) == 3


@given(st.lists(st.builds(Row, st.sampled_from(STEPS), st.integers(1, 4), st.sampled_from(["done", "aborted"]))))
def test_what_is_missing_and_what_is_there_make_the_whole(rows: list[Row]) -> None:
    for policy in ("again", "skip"):
        left = find_missing_steps(STEPS, rows, policy)
        assert sorted([*left, *find_complete_steps(rows, policy)]) == list(STEPS)
        assert all(
            index < find_position(STEPS, rows, policy, 11) or index in left or index > left[0] for index in STEPS
        )
