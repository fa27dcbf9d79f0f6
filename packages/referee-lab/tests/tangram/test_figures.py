"""Real dialogue: KTH Tangrams as dialogues, forms, and twenty figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from referee.records import Description, Entity, Event, Property, Scene, Trial
from referee_lab.tangram.models.figure_reference import count_clips, predict_forms, resolve_figures
from referee_lab.tangram.models.history import Situation, list_situations
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.kth_dialogues import make_dialogue, read_kth_dialogues


def game_round(number: int, target: str, text: str, start: float) -> Trial:
    attributes = (Property("shape", "arrow"), Property("size", "small"))
    scene = Scene(entities=tuple(Entity(id=p, attributes=attributes, position=(0.1, 0.2)) for p in ("p1", "p2")))
    spoken = Event(
        kind="utterance",
        by="A",
        text=text,
        start_ms=start,
        end_ms=start + 2000,
        data={"role": "instructor", "round": number},
    )
    after = Event(
        kind="utterance",
        by="B",
        text="done",
        start_ms=start + 5000,
        end_ms=start + 5500,
        data={"role": "manipulator", "round": number},
    )
    click = Event(kind="select", by="B", entities=(target,), start_ms=start + 3000)
    return Trial(
        id=f"g-{number}",
        scene=scene,
        targets=(target,),
        episode=(spoken, click, after),
        references=(Description(text=text, speaker="A"),),
        meta={"game": "9", "round": number},
    )


def test_a_round_becomes_an_expression_for_its_figure_and_a_selection_an_action() -> None:
    d = make_dialogue(
        [
            game_round(1, "p1", "the big arrow", 1000),
            game_round(2, "p2", "the other", 9000),
            game_round(3, "p1", "arrow", 20_000),
        ]
    )
    assert [e.kind for e in d.events[:4]] == [UTTERANCE, EXPRESSION, ACTION, UTTERANCE]
    last = list_situations([d])[-1]
    assert (last.text, last.target, last.pair) == ("arrow", "p1", "kth-9")
    # mentioned from 1 to 3 s, selected at 4 s, one other figure in between
    assert (last.standing.since_mention, last.standing.since_action, last.standing.others_mentioned_since) == (
        17_000,
        16_000,
        1,
    )
    assert last.utterance is not None
    assert last.utterance.text == "arrow"


@pytest.fixture(scope="module")
def games(data_folder: Path) -> list[Dialogue]:
    return read_kth_dialogues(data_folder)


@pytest.fixture(scope="module")
def some(games: list[Dialogue]) -> list[Situation]:
    return list_situations(games[3:13])


@pytest.mark.data
def test_the_corpus_has_the_counts_of_its_page(games: list[Dialogue]) -> None:
    # README of the corpus: 34 games, 12,203 utterances, 2,797 selections; 5 of 2,693 rounds have no instructor's word before the selection
    assert len(games) == 34
    assert sum(len(d.select_tier(UTTERANCE)) for d in games) == 12_203
    assert sum(len(d.select_tier(ACTION)) for d in games) == 2797
    assert sum(len(d.select_tier(EXPRESSION)) for d in games) == 2688


@pytest.mark.data
def test_no_figure_is_the_referent_twice_running_so_recency_cannot_be_right(games: list[Dialogue]) -> None:
    for d in games:
        targets = [e.entities for e in d.select_tier(EXPRESSION)]
        rounds = [e.data["round"] for e in d.select_tier(EXPRESSION)]
        running = zip(zip(targets, rounds, strict=True), zip(targets[1:], rounds[1:], strict=True), strict=False)
        assert all(a != b for (a, i), (b, j) in running if j == i + 1)


@pytest.mark.data
@pytest.mark.long
def test_words_find_the_figure_far_above_chance_and_earlier_wordings_add_to_them(some: list[Situation]) -> None:
    found = {r.source: r for r in resolve_figures(some, folds=5)}
    assert found["chance"].top1 == pytest.approx(1 / 20)
    assert found["chance"].mrr == pytest.approx(np.mean(1 / np.arange(1, 21)))
    assert found["most recently mentioned"].top1 < 0.05
    assert found["words as classifiers"].top1 > 0.4
    assert found["history + words + earlier wordings"].top1 > found["words as classifiers"].top1 + 0.05


@pytest.mark.data
@pytest.mark.long
def test_what_the_pair_called_the_figure_last_tells_the_form_and_time_bins_do_not(games: list[Dialogue]) -> None:
    found = {f.features: f for f in predict_forms(list_situations(games))}
    assert found["both"].accuracy < found["majority"].accuracy + 0.02
    assert found["both + repetition, last form"].accuracy > found["majority"].accuracy + 0.05
    assert found["both"].n == found["majority"].n


@pytest.mark.data
def test_most_rounds_have_no_published_clip_because_the_last_mention_is_too_old(some: list[Situation]) -> None:
    clips = {c.shows: c for c in count_clips(some)}
    assert sum(clips["both"].reasons.values()) + clips["both"].usable == len(some)
    assert clips["both"].reasons["last mention too long ago"] > len(some) / 2
    assert clips["mention"].usable == 0  # a selection always follows the words
