"""Say that, or not: measures against printed numbers, folds, baselines."""

from __future__ import annotations

import numpy as np
import pytest
from situations import cursor, dialogue, said

from jackknife_by_hand import interval_by_hand
from referee.errors import InputError
from referee_lab.tangram.models.demonstratives import (
    ALL,
    ALWAYS,
    CURSOR,
    PUBLISHED,
    RECENT,
    Confusion,
    classify,
    classify_new,
    fold_places,
)
from referee_lab.tangram.models.history import Situation, list_situations


def test_the_matrix_that_fits_the_printed_values_gives_them() -> None:
    # matrix (A): the only one with 548 of 1,242 pronouns, P .664 and F .730 (Spanger et al. 2013, tables 4 and 5)
    a = Confusion(tp=444, fn=104, fp=225, tn=469)
    assert a.n == 1242
    assert (round(a.precision or 0, 3), round(a.recall or 0, 3), round(a.f or 0, 3)) == (0.664, 0.810, 0.730)
    fits = [
        (tp, fp)
        for tp in range(549)
        for fp in range(695)
        if tp and round(tp / (tp + fp), 3) == 0.664 and round(2 * tp / (tp + fp + 548), 3) == 0.730
    ]
    assert fits == [(444, 225)]
    assert not any(fp == 133 for _, fp in fits)  # the number printed in section 5.4


def test_the_comparison_lines_follow_from_the_printed_counts() -> None:
    always = Confusion(tp=548, fn=0, fp=694, tn=0)
    over = Confusion(tp=452, fn=96, fp=155, tn=538)  # Iida et al. 2010, table 5
    for name, c in ((ALWAYS, always), (CURSOR, over)):
        assert (c.precision, c.recall, c.f) == pytest.approx(PUBLISHED[name], abs=0.0006)
    assert over.accuracy == pytest.approx(0.798, abs=0.0005)


def test_nothing_suggested_has_no_precision() -> None:
    assert Confusion(tp=0, fn=3, fp=0, tn=2).precision is None


def world(pairs: int = 4, each: int = 12) -> list[Situation]:
    """Pronouns exactly where the cursor is."""
    found = []
    for pair in range(pairs):
        parts = []
        for i in range(each):
            start, over = 5000.0 * (i + 1), (i + pair) % 3 == 0
            parts.append(cursor(start - 500, start + 500, "1" if over else "6"))
            parts.append(said(start, "that" if over else "the triangle", "1", dpr=over))
        found += list_situations([dialogue(*parts, name=f"d{pair}", pair=f"p{pair}")])
    return found


@pytest.mark.parametrize("by", ["instance", "pair"])
def test_a_rule_that_is_there_is_found_and_gone_without_its_features(by: str) -> None:
    result = classify(world(), folds=4, by=by)
    assert result.row(ALL).confusion.f == result.row(CURSOR).confusion.f == 1.0
    assert (result.row("without current operation").confusion.f or 0) < 0.8
    assert result.row(ALWAYS).confusion.recall == 1.0
    assert result.row(RECENT).confusion.n == len(world())


def test_folds_by_pair_never_split_a_pair() -> None:
    situations = world()
    places = fold_places(situations, 10, "pair", 1)
    for pair in {s.pair for s in situations}:
        assert len({p for p, s in zip(places, situations, strict=True) if s.pair == pair}) == 1
    assert len(set(places.tolist())) == 4


def test_every_instance_is_tested_once_in_folds_of_equal_size() -> None:
    sizes = np.bincount(fold_places(world(), 10, "instance", 1))
    assert sizes.sum() == 48
    assert sizes.max() - sizes.min() <= 1


def test_the_worst_false_positives_come_surest_first() -> None:
    situations = world()
    # one speaker describes although the cursor is there
    flipped = [
        type(s)(**{**{n: getattr(s, n) for n in s.__slots__}, "pronoun": False}) if i in (0, 3) else s
        for i, s in enumerate(situations)
    ]
    result = classify(flipped, folds=4)
    worst = result.find_false_positives()
    assert {s.id for _, s in worst} == {situations[0].id, situations[3].id}
    assert [v for v, _ in worst] == sorted((v for v, _ in worst), reverse=True)
    assert all(v > 0 for v, _ in worst)


def test_dialogues_without_a_choice_of_form_are_refused() -> None:
    with pytest.raises(InputError, match="0 of 12"):
        classify(
            [s for s in world(1) for s in [type(s)(**{**{n: getattr(s, n) for n in s.__slots__}, "pronoun": False})]]
        )


def test_one_pair_cannot_be_left_out() -> None:
    with pytest.raises(InputError, match="--by instance"):
        classify(world(1), by="pair")


def test_f_has_an_interval_over_pairs_by_leaving_each_out() -> None:
    flipped = [
        type(s)(**{**{n: getattr(s, n) for n in s.__slots__}, "pronoun": False}) if s.pair == "p0" and i % 2 else s
        for i, s in enumerate(world())
    ]
    row = classify(flipped, folds=4).row(CURSOR)
    used, over = [s.pronoun for s in flipped], [s.standing.cursor_over for s in flipped]

    def f(kept: list[int]) -> float:
        both = sum(used[i] and over[i] for i in kept)
        return 2 * both / (sum(used[i] for i in kept) + sum(over[i] for i in kept))

    # By hand: jackknife over the four pairs, t with 3 degrees of freedom.
    value = f(list(range(len(flipped))))
    without = [f([i for i, s in enumerate(flipped) if s.pair != pair]) for pair in ("p0", "p1", "p2", "p3")]
    low, high = interval_by_hand(without, value)
    assert (row.low, row.high) == pytest.approx((low, min(high, 1.0)))


def test_a_model_that_never_says_a_class_is_named() -> None:
    rare = [
        type(s)(**{**{n: getattr(s, n) for n in s.__slots__}, "pronoun": i in (0, 13, 26, 39)})
        for i, s in enumerate(world())
    ]
    row = classify(rare, folds=4).row("without current operation")
    assert (row.never, row.confusion.f, row.low) == (("pronoun",), 0.0, None)
    balanced = classify(rare, folds=4, weights="balanced").row("without current operation")
    assert balanced.never == ()
    assert classify(rare, folds=4, threshold=-100).row(ALL).never == ("other",)


def test_what_was_learned_from_one_source_is_tested_on_another() -> None:
    result = classify_new(world(3), world(2))
    assert (result.row(ALL).confusion.f, result.by, len(result.situations)) == (1.0, "source", 24)


def test_where_no_cursor_was_recorded_its_rule_has_no_value() -> None:
    spoken = [
        s
        for pair in range(6)
        for s in list_situations(
            [
                dialogue(
                    *(
                        said(5000.0 * (i + 1), "that" if i % 3 else "the square", "1", dpr=bool(i % 3))
                        for i in range(9)
                    ),
                    name=f"d{pair}",
                    pair=f"p{pair}",
                )
            ]
        )
    ]
    row = classify(spoken, folds=3).row(CURSOR)
    assert (row.confusion.n, row.confusion.f, row.low, row.gap) == (0, None, None, None)
    # Half of the dialogues have a cursor: the rule is measured there, and there it holds always.
    mixed = classify([*world(6), *spoken], folds=3).row(CURSOR)
    assert (mixed.confusion.n, mixed.confusion.f) == (6 * 12, 1.0)
