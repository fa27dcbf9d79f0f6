"""Set measures against worked values from print, against NLTK, and against plain Python sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import isclose

import numpy as np
import pytest
from hypothesis import given
from nltk.metrics import masi_distance
from worlds import batches, descriptions, said, scene, trial

from referee.contracts import Batch
from referee.errors import InputError
from referee.metrics.measure import Measure
from referee.metrics.sets import Dice, Jaccard, Masi, SetEdit, SetExact
from referee.records import Description, Property

SCENE = scene("p:1 q:1 r:1")
Bag = tuple[Property, ...]


def value(measure: Measure, output: str, *references: str) -> float:
    return float(measure.measure(said(output), trial(SCENE, *references))[0])


def test_dice_punishes_omission_more_than_addition_and_substitution_most() -> None:
    # van Deemter & Gatt 2007, section 1.1, against {P, Q}: 2/3, 4/5; {P, R} by hand 2·1/4
    assert value(Dice(), "p:1", "p:1 q:1") == pytest.approx(2 / 3)
    assert value(Dice(), "p:1 q:1 r:1", "p:1 q:1") == pytest.approx(4 / 5)
    assert value(Dice(), "p:1 r:1", "p:1 q:1") == pytest.approx(1 / 2)


def test_dice_cannot_tell_an_identifying_subset_from_another() -> None:
    # van Deemter & Gatt 2007, section 1.2: {P, Q} and {P, R} tie against {P, Q, R}
    assert value(Dice(), "p:1 q:1", "p:1 q:1 r:1") == value(Dice(), "p:1 r:1", "p:1 q:1 r:1") == pytest.approx(4 / 5)


def test_dice_has_no_triangular_property() -> None:
    # A = C = {1}, B = {2} refutes s(A, C) ≤ s(A, B) + s(B, C)
    assert value(Dice(), "p:1", "p:1") > value(Dice(), "p:1", "p:2") + value(Dice(), "p:2", "p:1")


def test_one_minus_dice_is_no_metric() -> None:
    # {1}, {1, 2}, {2}: 1 > 1/3 + 1/3
    far = 1 - value(Dice(), "p:1", "q:1")
    near = 2 - value(Dice(), "p:1", "p:1 q:1") - value(Dice(), "p:1 q:1", "q:1")
    assert far == 1
    assert near == pytest.approx(2 / 3)


def test_masi_is_the_similarity_of_the_challenges() -> None:
    # {a, b, c} and {b, c, d}: 1/3 · 2/4 = 1/6, where NLTK's distance is 5/6 and the product of distances 1/3
    assert value(Masi(), "a:1 b:1 c:1", "b:1 c:1 d:1") == pytest.approx(1 / 6)


@given(descriptions(), descriptions())
def test_masi_is_one_minus_the_distance_of_nltk(one: Bag, other: Bag) -> None:
    if one and other:
        ours = Masi().measure(Description(properties=one), trial_with(other))[0]
        assert ours == pytest.approx(1 - masi_distance(set(one), set(other)))


def trial_with(*references: Bag):
    from dataclasses import replace

    return replace(trial(SCENE), references=tuple(Description(properties=r) for r in references))


def test_edit_treats_addition_omission_and_substitution_alike() -> None:
    # van Deemter & Gatt 2007, section 1.1: each is one edit of a description of two properties
    scores = [value(SetEdit(), output, "p:1 q:1") for output in ("p:1", "p:1 q:1 r:1", "p:1 q:2")]
    assert scores == pytest.approx([1 / 2, 1 / 2, 1 / 2])


def test_edit_divided_by_the_larger_set_favours_addition() -> None:
    larger = SetEdit(normalise="larger")
    assert value(larger, "p:1", "p:1 q:1") == pytest.approx(1 - 1 / 2)
    assert value(larger, "p:1 q:1 r:1", "p:1 q:1") == pytest.approx(1 - 1 / 3)
    assert value(larger, "p:1", "q:1") == pytest.approx(-1)


def test_edit_costs_are_its_parameters() -> None:
    costs = {"insertion": 0.25, "deletion": 0.5, "substitution": 0.125}
    assert value(SetEdit(**costs), "p:1 q:1 r:1", "p:1 q:1") == pytest.approx(1 - 0.25 / 2)
    assert value(SetEdit(**costs), "p:1", "p:1 q:1") == pytest.approx(1 - 0.5 / 2)
    assert value(SetEdit(**costs), "p:1 q:2", "p:1 q:1") == pytest.approx(1 - 0.125 / 2)


def test_edit_never_substitutes_where_adding_and_omitting_is_cheaper() -> None:
    assert value(SetEdit(substitution=5), "p:1 q:2", "p:1 q:1") == pytest.approx(1 - 2 / 2)


def test_repeated_properties_count_only_for_multisets() -> None:
    # {x, x, y} against {x, y}: as sets equal, as multisets 2·2 / (3 + 2)
    assert value(Dice(), "x:1 x:1 y:1", "x:1 y:1") == 1
    assert value(Dice(multiset=True), "x:1 x:1 y:1", "x:1 y:1") == pytest.approx(4 / 5)
    assert value(Dice(multiset=True), "x:1 x:1", "x:1 x:1 x:1") == pytest.approx(4 / 5)


@pytest.mark.parametrize("measure", [Dice(), Dice(multiset=True), Masi(), Jaccard(), SetExact(), SetEdit()])
def test_two_empty_sets_are_equal_and_an_empty_one_is_like_no_other(measure: Measure) -> None:
    assert value(measure, "", "") == 1
    assert value(measure, "", "p:1") == 0
    assert value(measure, "p:1", "") == 0


@pytest.mark.parametrize("kind", [Dice, Masi, Jaccard, SetExact, SetEdit])
def test_what_two_empty_sets_score_is_a_switch(kind: Callable[..., Measure]) -> None:
    assert value(kind(empty=0.0), "", "") == 0
    assert "|empty:0|" in kind(empty=0.0).score(Batch.of([], [])).signature


def test_several_references_are_averaged_unless_asked_otherwise() -> None:
    # Dice 2/3 against {p, q} and 0 against {r}
    references = ("p:1 q:1", "r:1")
    assert value(Dice(), "p:1", *references) == pytest.approx(1 / 3)
    assert value(Dice(references="best"), "p:1", *references) == pytest.approx(2 / 3)
    assert value(Dice(references="any"), "p:1", *references) == 0
    assert value(SetExact(), "r:1", *references) == pytest.approx(1 / 2)
    assert value(SetExact(references="any"), "r:1", *references) == 1


def test_an_unknown_treatment_of_references_is_refused() -> None:
    with pytest.raises(InputError, match="average, best or any"):
        value(Dice(references="median"), "p:1", "p:1")


def test_an_unknown_normalisation_is_refused() -> None:
    with pytest.raises(InputError, match="reference or larger"):
        value(SetEdit(normalise="smaller"), "p:1", "p:1")


def test_nothing_is_not_zero() -> None:
    words_only = Description(text="the red one")
    here = trial(SCENE, "p:1")
    nobody = trial(SCENE)
    batch = Batch.of(
        [None, words_only, said("p:1"), said("p:1"), said("p:1")],
        [here, here, nobody, here, here],
        [here.references, here.references, (), (words_only,), here.references],
    )
    rows = Dice().statistics(batch)[:, 0]
    assert np.isnan(rows).tolist() == [True, True, True, True, False]
    score = Dice().score(batch)
    assert (score.value, score.n) == (1.0, 1)
    empty = Dice().score(Batch.of([None], [here]))
    assert (empty.value, empty.n) == (None, 0)


def test_many_properties_take_several_words() -> None:
    many = " ".join(f"n{i}:v" for i in range(150))
    half = " ".join(f"n{i}:v" for i in range(75))
    assert value(Dice(), half, many) == pytest.approx(2 * 75 / 225)
    assert value(Masi(), half, many) == pytest.approx(2 / 3 * 75 / 150)
    assert value(SetEdit(), half, many) == pytest.approx(1 / 2)


def plain_dice(one: Bag, other: Bag) -> float:
    a, b = set(one), set(other)
    return 2 * len(a & b) / (len(a) + len(b))


def plain_multiset_dice(one: Bag, other: Bag) -> float:
    return 2 * (Counter(one) & Counter(other)).total() / (len(one) + len(other))


def plain_masi(one: Bag, other: Bag) -> float:
    a, b = set(one), set(other)
    weight = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
    return weight * len(a & b) / len(a | b)


def plain_jaccard(one: Bag, other: Bag) -> float:
    return len({*one} & {*other}) / len({*one} | {*other})


def plain_exact(one: Bag, other: Bag) -> float:
    return float(set(one) == set(other))


def cheapest(output: list[Property], reference: list[Property], costs: tuple[float, float, float]) -> float:
    """The cheapest edits by trying every way to pair off values of the same attribute."""
    insertion, deletion, substitution = costs
    if not output:
        return deletion * len(reference)
    first, *rest = output
    ways = [insertion + cheapest(rest, reference, costs)]
    for i, candidate in enumerate(reference):
        if candidate.name == first.name:
            price = 0 if candidate == first else substitution
            ways.append(price + cheapest(rest, reference[:i] + reference[i + 1 :], costs))
    return min(ways)


def plain_edit(costs: tuple[float, float, float]) -> Callable[[Bag, Bag], float]:
    def similarity(one: Bag, other: Bag) -> float:
        return 1 - cheapest(sorted(set(one)), sorted(set(other)), costs) / len(set(other))

    return similarity


MEASURES: list[tuple[Measure, Callable[[Bag, Bag], float]]] = [
    (Dice(), plain_dice),
    (Dice(multiset=True), plain_multiset_dice),
    (Masi(), plain_masi),
    (Jaccard(), plain_jaccard),
    (SetExact(), plain_exact),
    (SetEdit(), plain_edit((1, 1, 1))),
    (SetEdit(insertion=0.5, deletion=2, substitution=1.5), plain_edit((0.5, 2, 1.5))),
]


def expected(
    plain: Callable[[Bag, Bag], float], output: Description | None, references: tuple[Description, ...]
) -> float:
    given = [r.properties for r in references if r.properties is not None]
    if output is None or output.properties is None or not given:
        return np.nan
    mine = output.properties
    return float(np.mean([plain(mine, r) if mine and r else float(not mine and not r) for r in given]))


@given(batches(related=True))
def test_masks_give_what_plain_sets_give(batch: Batch) -> None:
    for measure, plain in MEASURES:
        rows = measure.statistics(batch)
        assert rows.shape == (len(batch), 1)
        for row, output, references in zip(rows[:, 0], batch.outputs, batch.references, strict=True):
            wanted = expected(plain, output, tuple(references))
            assert isclose(row, wanted, abs_tol=1e-12) or (np.isnan(row) and np.isnan(wanted))
