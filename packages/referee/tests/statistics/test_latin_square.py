"""The design of the challenges' experiments."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from referee.errors import InputError
from referee.statistics.latin_square import check_latin_squares, make_latin_square, repeated_latin_squares


@pytest.mark.parametrize("k", [2, 3, 8, 15])
def test_every_number_stands_once_in_every_row_and_column(k: int) -> None:
    square = make_latin_square(k, np.random.default_rng(k))
    for line in [*square, *square.T]:
        assert sorted(line.tolist()) == list(range(k))


@pytest.mark.parametrize(
    ("systems", "items", "participants", "each", "trials"),
    # Belz & Gatt 2008; Gatt, Belz & Kow 2008; Gatt, Belz & Kow 2009 (raters, then identifiers)
    [(15, 150, 30, 75, 2250), (12, 120, 24, 60, 1440), (8, 112, 8, 112, 896), (8, 112, 16, 56, 896)],
)
def test_the_published_designs_have_their_published_sizes(
    systems: int, items: int, participants: int, each: int, trials: int
) -> None:
    design = repeated_latin_squares(systems, items, participants, seed=1)
    assert design.height == trials
    assert design["participant"].n_unique() == participants
    assert design["item"].n_unique() == items
    assert design.group_by("participant").len()["len"].unique().to_list() == [each]
    assert check_latin_squares(design) == []


def test_every_item_is_seen_once_with_every_system() -> None:
    design = repeated_latin_squares(4, 16, 8, seed=3)
    assert design.group_by("item", "system").len()["len"].unique().to_list() == [1]
    assert design.group_by("item", "system").len().height == 64


def test_positions_are_a_shuffled_order_of_their_own_for_every_participant() -> None:
    design = repeated_latin_squares(4, 16, 8, seed=3)
    for _, rows in design.group_by("participant"):
        assert sorted(rows["position"].to_list()) == list(range(1, 9))
    orders = {tuple(rows.sort("position")["item"].to_list()) for _, rows in design.group_by("participant")}
    assert len(orders) == 8


def test_the_same_seed_gives_the_same_design_and_another_seed_another() -> None:
    assert repeated_latin_squares(4, 16, 8, seed=3).equals(repeated_latin_squares(4, 16, 8, seed=3))
    assert not repeated_latin_squares(4, 16, 8, seed=3).equals(repeated_latin_squares(4, 16, 8, seed=4))


@pytest.mark.parametrize(
    ("systems", "items", "participants", "problem"),
    [
        (1, 10, 10, "at least two systems"),
        (4, 18, 8, "18 items cannot be divided"),
        (4, 16, 6, "6 participants cannot be divided"),
        (4, 12, 8, "3 Latin squares cannot be divided evenly among 2 groups"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_with_some_that_do(
    systems: int, items: int, participants: int, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        repeated_latin_squares(systems, items, participants, seed=1)


def test_the_remedy_for_uneven_squares_works() -> None:
    with pytest.raises(InputError, match="use 16 items"):
        repeated_latin_squares(4, 12, 8, seed=1)
    assert check_latin_squares(repeated_latin_squares(4, 16, 8, seed=1)) == []


def test_the_check_names_a_swapped_system_a_repeat_and_a_gap() -> None:
    design = repeated_latin_squares(3, 9, 3, seed=1)
    swapped = design.with_columns(
        pl.when((pl.col("participant") == 0) & (pl.col("position") == 1)).then((pl.col("system") + 1) % 3).otherwise("system").alias("system")
    )  # fmt: skip
    assert any("more than once with a system" in fault for fault in check_latin_squares(swapped))
    assert any("participants do not have every system" in fault for fault in check_latin_squares(swapped))
    assert any("sees an item more than once" in fault for fault in check_latin_squares(pl.concat([design, design[:1]])))
    holed = design.with_columns(pl.when(pl.col("position") > 1).then("system").alias("system"))
    assert any("rows miss" in fault for fault in check_latin_squares(holed))
