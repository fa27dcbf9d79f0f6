"""Expressions put in place of others, and the lists of two groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from situations import dialogue, said

from referee_lab.tangram.evaluation.replacement import (
    EvaluationMaterial,
    collect_material,
    find_threshold,
    is_unique_by_words,
    make_lists,
    replace_expression,
    sample_in_proportion,
)
from referee_lab.tangram.models.demonstratives import Classification, classify
from referee_lab.tangram.models.history import iterate_situations, list_situations
from referee_lab.tangram.models.invented_sessions import invent_sessions


@pytest.fixture(scope="module")
def classification() -> Classification:
    return classify(list_situations(invent_sessions(1)))


@pytest.fixture(scope="module")
def material(classification: Classification) -> EvaluationMaterial:
    return collect_material(classification, seed=1)


def test_the_expression_is_replaced_where_it_stands_and_nothing_else() -> None:
    (s,) = iterate_situations(dialogue(said(1000, "the square", "6")))
    assert replace_expression(s) == ("take the square now", (5, 15))
    assert replace_expression(s, "that") == ("take that now", (5, 9))


def test_an_expression_that_is_not_in_its_utterance_cannot_be_replaced() -> None:
    parts = said(1000, "the square", "6")
    parts[0] = type(parts[0])(kind="utterance", by="solver", text="something else", start_ms=800, end_ms=2000)
    (s,) = iterate_situations(dialogue(parts))
    assert replace_expression(s) is None


def test_only_words_that_pick_out_one_piece_name_it_by_themselves() -> None:
    unique, shared = iterate_situations(dialogue(said(1000, "the square", "6"), said(5000, "the triangle", "1")))
    assert is_unique_by_words(unique)
    assert not is_unique_by_words(shared)


def test_a_choice_keeps_the_distribution_of_the_whole() -> None:
    things = [(kind, i) for kind in "abc" for i in range(50)]
    whole: Counter[object] = Counter({"a": 60, "b": 30, "c": 10})
    chosen = sample_in_proportion(things, 20, lambda t: t[0], whole, np.random.default_rng(1))
    assert Counter(k for k, _ in chosen) == {"a": 12, "b": 6, "c": 2}
    assert len(set(chosen)) == 20


def test_a_kind_that_is_short_is_filled_up_with_others() -> None:
    things = [("a", 0), *(("b", i) for i in range(30))]
    chosen = sample_in_proportion(things, 10, lambda t: t[0], Counter({"a": 9, "b": 1}), np.random.default_rng(1))
    assert Counter(k for k, _ in chosen) == {"a": 1, "b": 9}


def test_lists_are_the_published_ones(material: EvaluationMaterial) -> None:
    first, second = make_lists(material)
    for items in (first, second):  # Spanger et al. 2013, section 5.1: 36 FP, 20 TP, 20 FN
        assert len(items) == 76
        assert len({i.id for i in items}) == 76
        assert Counter(i.condition for i in items) == {"FP-Orig": 18, "FP-DP": 18, "TP": 20, "FN": 20}
    turned = {"FP-DP": "FP-Orig", "FP-Orig": "FP-DP", "TP": "TP", "FN": "FN"}
    assert {i.id: turned[i.condition] for i in first} == {i.id: i.condition for i in second}


def test_expressions_that_name_their_piece_are_shared_out_evenly(material: EvaluationMaterial) -> None:
    counts = [sum(is_unique_by_words(s) for s, _ in half) for half in (material.fp1, material.fp2)]
    assert abs(counts[0] - counts[1]) <= 1
    assert sum(counts) > 0


def test_the_pronoun_replaces_the_words_in_one_condition_only(material: EvaluationMaterial) -> None:
    first, second = make_lists(material)
    for item in (*first, *second):
        assert item.expression == ("that" if item.condition == "FP-DP" else item.situation.text)
        assert item.situation.expression.by == "solver"
        assert item.clip.seconds <= 30


def test_true_positives_have_the_cursor_and_handling_of_the_corpus_as_far_as_they_can(
    classification: Classification, material: EvaluationMaterial
) -> None:
    def handled(places: list[int]) -> float:
        return float(np.mean([classification.situations[i].standing.handled_now for i in places]))

    over = [i for i, s in enumerate(classification.situations) if s.standing.cursor_over]
    chosen = np.mean([s.standing.handled_now for s, _ in material.tp])
    assert chosen == pytest.approx(handled(over), abs=1 / 20)


def test_a_threshold_is_lowered_as_far_as_the_numbers_need_and_no_further(classification: Classification) -> None:
    usable = collect_material(classification, seed=1, fp=1000).usable
    # What is there already needs no other threshold, and what is nowhere within the margin leaves it as it is.
    assert find_threshold(classification, fp=usable["FP"], tp=0, fn=0) == 0.0
    assert find_threshold(classification, fp=100_000, tp=0, fn=0) == 0.0
    # So many that the machine has to be less sure: just enough, as counting them again shows.
    wanted = usable["FP"] + 10
    lowered = find_threshold(classification, fp=wanted, tp=0, fn=0)
    assert lowered < 0
    again = replace(classification, decisions=tuple(d - lowered for d in classification.decisions))
    higher = replace(classification, decisions=tuple(d - lowered - 0.02 for d in classification.decisions))
    assert collect_material(again, seed=1).usable["FP"] >= wanted > collect_material(higher, seed=1).usable["FP"]
    # Misses get fewer on the way down: where too few would be left, nothing is lowered.
    assert find_threshold(classification, fp=wanted, tp=0, fn=usable["FN"] + 1) == 0.0
