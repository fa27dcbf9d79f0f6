"""Repeated games: reduction and pseudo-dyads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.records import Description, Entity, Scene, Trial
from referee_lab.tangram.models.reduction import Telling, compute_affinities, list_tellings, overlap

SCENE = Scene(entities=(Entity(id="A"), Entity(id="B")))


def trial(game: str, number: int, target: str, text: str | None) -> Trial:
    said = () if text is None else (Description(text=text, speaker=game),)
    return Trial(id=f"{game}-{number}", scene=SCENE, targets=(target,), references=said, meta={"game": game})


def test_repetitions_are_counted_by_game_and_thing_and_silence_counts() -> None:
    found = list_tellings(
        [
            trial("g", 1, "A", "a dancer"),
            trial("g", 2, "B", "a rock"),
            trial("g", 3, "A", None),
            trial("g", 4, "A", "dancer"),
        ]
    )
    assert [(t.target, t.repetition, t.words) for t in found] == [("A", 1, 2), ("B", 1, 2), ("A", 3, 1)]


def test_overlap_is_dice_of_the_words_that_describe() -> None:
    assert overlap("the dancing man", "a dancing woman") == pytest.approx(2 * 1 / 4)
    assert overlap("um it is", "that one") is None


def telling(game: str, repetition: int, text: str) -> Telling:
    return Telling(game=game, pair=game, target="A", kind="A", repetition=repetition, text=text)


def test_a_pair_with_its_own_words_is_nearer_to_itself_than_to_pseudo_dyads() -> None:
    told = [telling(g, r, w) for g, w in (("1", "rabbit"), ("2", "candle"), ("3", "rabbit ears")) for r in (1, 2)]
    near = {a.pair: a for a in compute_affinities(told)}
    assert {a.within_pair for a in near.values()} == {1.0}
    assert near["1"].pseudo == pytest.approx((0 + 2 / 3) / 2)  # candle shares nothing, rabbit ears one of two
    assert near["2"].pseudo == 0
    assert near["1"].pseudo_dyads == 2


def test_pseudo_dyads_come_from_other_games_and_the_repetition_before() -> None:
    told = [telling("1", 1, "rabbit"), telling("1", 2, "rabbit"), telling("2", 2, "rabbit")]
    assert compute_affinities(told) == []  # no other game has a first telling
    again = [replace(t, pair="p") for t in told]
    assert compute_affinities(again) == []  # another game of the same people is no pseudo-dyad
