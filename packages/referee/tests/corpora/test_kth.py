"""KTH Tangrams: a trial for every round, with the board as it was when the round began."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tiny import KTH_GAME, TINY, write

from referee.corpora.kth import KthTangrams
from referee.errors import MalformedInput
from referee.records import Property, Trial


@pytest.fixture
def rounds(tmp_path: Path) -> list[Trial]:
    return list(KthTangrams(write(tmp_path, TINY["kth-tangrams"])).trials())


def test_figures_stand_where_they_stood_when_the_round_began(rounds: list[Trial]) -> None:
    first, second = rounds
    assert [e.position for e in first.scene.entities] == [(0.2, 0.1), (0.5, 0.5)]
    assert [e.position for e in second.scene.entities] == [(0.9, 0.9), (0.3, 0.3)]
    assert first.scene.entity("p2").attributes == (
        Property("shape", "fish"),
        Property("size", "small"),
        Property("edges", "6"),
        Property("area", "0.01"),
        Property("rgb", "255,0,96"),
        Property("hsb", "0.9,1,1"),
    )


def test_the_reference_ends_with_the_first_selection_and_leaves_out_sounds(rounds: list[Trial]) -> None:
    assert rounds[0].targets == ("p2",)
    assert (rounds[0].references[0].text, rounds[0].references[0].speaker) == ("the pink thing", "3-A")
    assert (rounds[1].references[0].text, rounds[1].references[0].speaker) == ("that hat", "3-B")


def test_speech_and_board_events_are_on_one_clock(rounds: list[Trial]) -> None:
    happened = [(e.kind, e.by, e.start_ms) for e in rounds[0].episode]
    assert happened == [
        ("utterance", "A", 2000),
        ("turn", "A", 10000),
        ("utterance", "A", 11000),
        ("utterance", "B", 12000),
        ("select", "B", 14000),
        ("reject", "A", 15000),
        ("utterance", "A", 16000),
        ("select", "B", 18000),
        ("complete", "A", 19000),
    ], "what was said before the first round opens its episode"
    assert rounds[0].episode[4].entities == ("p1",)
    assert rounds[0].episode[4].data["positions"] == {"p1": [0.9, 0.9]}


def test_a_round_knows_all_rounds_before_it(rounds: list[Trial]) -> None:
    assert rounds[1].after == "kth-3-1"
    assert rounds[1].history == rounds[0].episode


def test_every_selection_is_a_response_timed_from_the_first_word(tmp_path: Path) -> None:
    wrong, right, other = KthTangrams(write(tmp_path, TINY["kth-tangrams"])).responses()
    assert (wrong.trial, wrong.hearer, wrong.entity, wrong.identification_ms) == ("kth-3-1", "3-B", "p1", 3000)
    assert (wrong.flags, right.flags) == (("first",), ())
    assert (right.entity, right.identification_ms) == ("p2", 7000)
    assert right.description is not None
    assert right.description.text == "the pink thing no the fish"
    assert (other.hearer, other.identification_ms) == ("3-A", 3000)


def test_a_round_that_does_not_begin_with_a_turn_is_refused(tmp_path: Path) -> None:
    data = write(tmp_path, {"kth-tangrams/games.jsonl.gz": [KTH_GAME | {"events": KTH_GAME["events"][1:]}]})
    with pytest.raises(MalformedInput, match="nextturn"):
        list(KthTangrams(data).trials())


# data/kth-tangrams/README.md, Counts: rounds, events by name, utterances, and selections that hit the referent.
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    corpus = KthTangrams(data_folder)
    trials, responses = list(corpus.trials()), list(corpus.responses())
    kinds = Counter(e.kind for t in trials for e in t.episode)
    assert (len(trials), len({t.meta["game"] for t in trials})) == (2693, 34)
    assert kinds == {"select": 2797, "turn": 2693, "complete": 2691, "reject": 106, "utterance": 12203}
    assert len(responses) == 2797
    hits = sum(e.entities == (e.data["referent"],) for t in trials for e in t.episode if e.kind == "select")
    assert hits == 2688
    assert {len(t.scene.entities) for t in trials} == {20}


@pytest.mark.data
@pytest.mark.parametrize("words", ["top left", "top right", "bottom left", "bottom right"])
def test_positions_agree_with_the_words_for_them(data_folder: Path, words: str) -> None:
    # The people of the corpus are the independent source: 35 to 57 descriptions say each of these.
    trials = [t for t in KthTangrams(data_folder).trials() if t.references and words in t.references[0].text.lower()]
    places = [e.position for t in trials for e in t.scene.entities if e.id == t.targets[0]]
    assert len(trials) > 20
    assert sum((x > 0.5, y > 0.5) == ("right" in words, "bottom" in words) for x, y in places) > 0.75 * len(places)
