"""Tangrams: pairs that name them again and again, strangers who read what was said."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import mean, median

import pytest
from tiny import TINY, write

from referee.corpora.tangrams import HawkinsTangrams, NaiveMatchers
from referee.records import Property


def test_a_figure_is_known_by_its_letter_only(tmp_path: Path) -> None:
    first, second = HawkinsTangrams(write(tmp_path, TINY["tangrams-hawkins"])).trials()
    assert [e.id for e in first.scene.entities] == list("ABCDEFGHIJKL")
    assert first.scene.entity("B").attributes == (Property("name", "B"),)
    assert (first.id, first.targets, first.condition) == ("tangrams-g9-1", ("B",), "repetition-1")
    assert first.references[0].text == "a hat tall"
    assert (second.after, second.history) == (first.id, first.episode)
    assert second.references[0].text == "swan", "a message of unknown time counts as said in time"


def test_the_matchers_click_is_a_response(tmp_path: Path) -> None:
    first, second = HawkinsTangrams(write(tmp_path, TINY["tangrams-hawkins"])).responses()
    assert (first.entity, first.identification_ms, first.flags) == ("K", 800, ())
    assert (second.entity, second.flags) == ("L", ("simple",))


def test_one_description_has_many_readers(tmp_path: Path) -> None:
    corpus = NaiveMatchers(write(tmp_path, TINY["tg-matcher"]))
    trials, responses = list(corpus.trials()), list(corpus.responses())
    assert [t.id for t in trials] == ["tg-expt1-2_rotate_1-g4-C", "tg-expt1-2_rotate_1-g4-C-2"]
    assert [(r.trial, r.hearer, r.entity) for r in responses] == [
        (trials[0].id, "1", "C"),
        (trials[0].id, "2", "D"),
        (trials[1].id, "3", "C"),
    ]


def test_readers_saw_both_sides_but_the_reference_is_the_speakers(tmp_path: Path) -> None:
    corpus = NaiveMatchers(write(tmp_path, TINY["tg-matcher"]))
    trial, response = next(corpus.trials()), next(corpus.responses())
    assert trial.references[0].text == "a swan"
    assert response.description is not None
    assert response.description.text == "a swan flying?"


# data/tangrams-hawkins/README.md: 5,976 trials, 83 pairs x 72; accuracy 78 % in round 1, 94 % in round 6; words 16.0 down to 3.8.
@pytest.mark.data
def test_pairs_get_better_and_shorter(data_folder: Path) -> None:
    corpus = HawkinsTangrams(data_folder)
    trials = list(corpus.trials())
    assert (len(trials), len({t.speaker for t in trials})) == (5976, 83)
    right, words = defaultdict(list), defaultdict(list)
    for trial, response in zip(trials, corpus.responses(), strict=True):
        said = trial.references[0].text or "" if trial.references else ""
        right[trial.meta["repetition"]].append(response.entity in trial.targets)
        words[trial.meta["repetition"]].append(len(said.split()))
    assert {len(values) for values in right.values()} == {83 * 12}
    assert (round(mean(right[1]), 2), round(mean(right[6]), 2)) == (0.78, 0.94)
    assert (round(mean(words[1]), 1), round(mean(words[6]), 1)) == (16.0, 3.8)
    assert max(len(t.history) for t in trials) > 71


# data/tg-matcher/README.md: guesses, people, accuracy and median seconds of the three experiments.
@pytest.mark.data
def test_naive_readers_guess_worse(data_folder: Path) -> None:
    corpus = NaiveMatchers(data_folder)
    targets = {t.id: t.targets for t in corpus.trials()}
    people, right, times = defaultdict(set), defaultdict(list), defaultdict(list)
    for r in corpus.responses():
        (experiment,) = r.flags
        people[experiment].add(r.hearer)
        right[experiment].append(r.entity in targets[r.trial])
        times[experiment].append(r.identification_ms)
    found = {
        e: (len(v), len(people[e]), round(mean(v), 2), round(median(times[e]) / 1000, 1)) for e, v in right.items()
    }
    assert found == {
        "expt1": (3600, 60, 0.62, 9.9),
        "expt2": (3840, 60, 0.56, 8.1),
        "calibration": (3904, 61, 0.59, 9.6),
    }
    assert len(targets) == 3383  # own count of distinct texts
