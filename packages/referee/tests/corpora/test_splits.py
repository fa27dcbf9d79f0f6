"""Splits keep apart what has to be kept apart, use every trial once, and can be described and repeated."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.corpora.splits import describe_split, get_part, make_folds, split_trials
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError, UnknownName
from referee.records import Scene, Trial

TRIALS = list(Synthetic().trials())
KEYS = {
    "speaker": lambda t: t.speaker,
    "scene": lambda t: t.scene.id,
    "random": lambda t: t.id,
    "challenge": lambda t: t.id,
}


@pytest.mark.parametrize("by", ["speaker", "scene", "random", "challenge"])
@settings(max_examples=15, deadline=None)
@given(k=st.integers(2, 13), seed=st.integers(0, 1000))
def test_every_trial_is_tested_once_and_no_unit_is_on_both_sides(by: str, k: int, seed: int) -> None:
    tested: Counter[str] = Counter()
    for train, test in make_folds(TRIALS, k, by, seed):
        assert len(train) + len(test) == len(TRIALS)
        assert not {KEYS[by](t) for t in train} & {KEYS[by](t) for t in test}
        tested.update(t.id for t in test)
    assert tested == Counter(t.id for t in TRIALS)


def test_folds_are_as_equal_as_units_allow() -> None:
    assert [len(test) for _, test in make_folds(TRIALS, 5, "speaker", 1)] == [156] * 5
    assert sorted(len(test) for _, test in make_folds(TRIALS, 5, "scene", 1)) == [120, 120, 180, 180, 180]


def test_challenge_folds_have_the_same_share_of_each_domain() -> None:
    for _, test in make_folds(TRIALS, 5, "challenge", 1):
        assert Counter(t.domain for t in test) == {"furniture": 84, "people": 72}


def test_challenge_sizes_are_those_of_2008_and_2007() -> None:
    # 741 items: REG'08 had 319 + 274 for training and 80 + 68 for development (W09-0629 Table 2); ASGRE'07 445 / 148 / 148.
    items = [t for t in TRIALS if t.speaker not in ("1", "4", "5")]
    train, test = split_trials(items, "challenge-80/20", seed=7)
    assert Counter(t.domain for t in train) == {"furniture": 319, "people": 274}
    assert Counter(t.domain for t in test) == {"furniture": 80, "people": 68}
    assert [len(p) for p in split_trials(items, "challenge-60/20/20")] == [445, 148, 148]


@pytest.mark.parametrize("by", ["speaker", "scene", "random", "challenge"])
def test_parts_are_disjoint_complete_and_in_the_order_of_the_corpus(by: str) -> None:
    parts = split_trials(TRIALS, f"{by}-60/20/20", seed=3)
    places = {t.id: i for i, t in enumerate(TRIALS)}
    for one in parts:
        assert [places[t.id] for t in one] == sorted(places[t.id] for t in one)
    assert sorted(places[t.id] for one in parts for t in one) == list(range(len(TRIALS)))
    keys = [{KEYS[by](t) for t in one} for one in parts]
    assert sum(map(len, keys)) == len(set.union(*keys))


def test_a_named_fold_is_that_fold() -> None:
    assert split_trials(TRIALS, "speaker-fold-2/5", seed=9) == list(make_folds(TRIALS, 5, "speaker", 9))[1]


def test_parts_go_by_name() -> None:
    train, dev, test = split_trials(TRIALS, "random-60/20/20", seed=2)
    assert [get_part(TRIALS, "random-60/20/20", p, 2) for p in ("train", "dev", "test")] == [train, dev, test]
    assert get_part(TRIALS, "random-80/20", seed=2) == split_trials(TRIALS, "random-80/20", 2)[1]
    with pytest.raises(UnknownName, match="dev"):
        get_part(TRIALS, "random-80/20", "dev")


def test_the_description_tells_seeds_apart_and_orders_not() -> None:
    one, two = (describe_split("random-80/20", s, split_trials(TRIALS, "random-80/20", s)) for s in (1, 2))
    assert one.checksum != two.checksum
    shuffled = [list(reversed(p)) for p in split_trials(TRIALS, "random-80/20", 1)]
    assert describe_split("random-80/20", 1, shuffled) == one
    assert describe_split("random-80/20", 1, shuffled[::-1]).checksum != one.checksum
    assert one.as_json() == {"name": "random-80/20", "seed": 1, "sizes": (624, 156), "checksum": one.checksum}


@pytest.mark.parametrize("name", ["speakers-80/20", "random", "random-80", "random-fold-1", "", "speaker-80/20/0/0"])
def test_unknown_names_are_refused_with_examples(name: str) -> None:
    with pytest.raises(UnknownName, match="→"):
        split_trials(TRIALS, name)


@pytest.mark.parametrize(
    "name",
    ["random-80/30", "random-100/0", "speaker-fold-6/5", "speaker-fold-0/5", "scene-fold-1/14", "random-fold-1/1"],
)
def test_impossible_cuts_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        split_trials(TRIALS, name)


def test_too_few_units_for_a_share_is_an_error_not_an_empty_part() -> None:
    with pytest.raises(InputError, match="too few"):
        split_trials([t for t in TRIALS if t.speaker in ("1", "2")], "speaker-80/20")


@pytest.mark.parametrize("by", ["speaker", "scene"])
def test_a_trial_without_the_key_cannot_be_cut_by_it(by: str) -> None:
    def bare(trial: Trial) -> Trial:
        return replace(trial, speaker=None, scene=Scene(entities=trial.scene.entities))

    with pytest.raises(InputError, match=f"no {by}"):
        split_trials(map(bare, TRIALS), f"{by}-80/20")
