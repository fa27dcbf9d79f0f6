"""Degen et al. 2020: three experiments, listeners' clicks and times, and the authors' codes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from tiny import TINY, write

from referee.corpora.degen import Degen2020
from referee.errors import MalformedInput, UnknownName
from referee.records import Outcome, Property, Trial


@pytest.fixture
def trials(tmp_path: Path) -> list[Trial]:
    return list(Degen2020(write(tmp_path, TINY["degen2020"])).trials())


def test_names_spell_out_attributes_in_each_experiments_own_order(trials: list[Trial]) -> None:
    mug, cat, _, pear = (t.scene.entity(t.targets[0]) for t in trials)
    assert mug.attributes == (Property("type", "mug"), Property("size", "small"), Property("colour", "teal"))
    assert cat.attributes == (
        Property("type", "manxCat"),
        Property("basic", "cat"),
        Property("superordinate", "animal"),
    )
    assert pear.attributes == (Property("type", "pear"), Property("colour", "pink"))


def test_neither_ids_nor_order_nor_names_betray_the_target(trials: list[Trial]) -> None:
    assert [e.id for e in trials[0].scene.entities] == ["o1", "o2", "o3"], "the order of the speaker's screen"
    assert trials[0].targets == ("o3",)
    assert trials[3].scene.entity("o2").value("type") is None, "the source's name begins with distractor_"
    assert trials[3].scene.entity("o2").value("colour") == "green"
    assert trials[1].scene.entity("o3").value("basic") == "yak", "every object has a basic-level class"


def test_the_authors_codes_become_properties(trials: list[Trial]) -> None:
    size, late, basic, pear = (t.references[0].properties for t in trials)
    assert size == (Property("size", "small"),)
    assert late is None, "not coded is not empty"
    assert basic == (Property("basic", "cat"),)
    assert pear == (Property("colour", "pink"), Property("type", "pear")), "the coded table calls pink purple"
    assert trials[0].meta["coded"] == {
        "gameid": "77-a",
        "Trial": "1",
        "UtteranceType": "size",
        "sizeMentioned": "TRUE",
        "colorMentioned": "FALSE",
        "typeMentioned": "FALSE",
    }


def test_both_experiments_of_a_game_share_its_history(trials: list[Trial]) -> None:
    first, second, third, other = trials
    assert [t.id for t in trials] == [
        "degen-exp1-77-a-1",
        "degen-exp3-77-a-2",
        "degen-exp3-77-a-3",
        "degen-exp2-88-b-1",
    ]
    assert (second.after, second.history) == (first.id, first.episode)
    assert third.history == first.episode + second.episode
    assert other.after is None


def test_a_click_answers_what_was_said_before_it(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["degen2020"])
    first, late, *_ = Degen2020(data).responses()
    assert (first.trial, first.outcome, first.entity, first.identification_ms) == (
        "degen-exp1-77-a-1",
        Outcome.ENTITY,
        "o3",
        900,
    )
    assert first.flags == ("simple", "published")
    assert late.flags == ()
    assert late.description is not None
    assert late.description.text == "mug"


def test_the_published_part_keeps_its_whole_history(tmp_path: Path) -> None:
    data = write(tmp_path, TINY["degen2020"])
    published = list(Degen2020(data, part="published").trials())
    assert [t.id for t in published] == ["degen-exp1-77-a-1", "degen-exp3-77-a-3", "degen-exp2-88-b-1"]
    assert published[1].after == "degen-exp3-77-a-2"
    assert len(list(Degen2020(data, part="published").responses())) == 3


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="published"):
        list(Degen2020(write(tmp_path, TINY["degen2020"]), part="publishd").trials())


def test_a_trial_without_a_click_is_refused(tmp_path: Path) -> None:
    (row, *_) = TINY["degen2020"]["degen2020/exp1_exp3_trials.jsonl.gz"]
    nobody = row | {"objects": [{k: v for k, v in o.items() if k != "clicked"} for o in row["objects"]]}
    data = write(tmp_path, TINY["degen2020"] | {"degen2020/exp1_exp3_trials.jsonl.gz": [nobody]})
    with pytest.raises(MalformedInput, match="0 objects have clicked True"):
        list(Degen2020(data).trials())


# data/degen2020/README.md: trials and games of each file, published trials of each experiment, coded trials 2,076 / 1,942 / 1,872.
@pytest.mark.data
def test_counts(data_folder: Path) -> None:
    trials = list(Degen2020(data_folder).trials())
    two = [t for t in trials if t.domain == "exp2"]
    assert (len(trials), len(two)) == (4371 + 2627, 2627)
    assert len({t.speaker for t in trials if t.domain != "exp2"}) == 67
    assert len({t.speaker for t in two}) == 65
    published = Counter(t.meta["published"] for t in trials)
    assert (published["exp1"], published["exp3"], published["exp2"]) == (2076, 1872, 1974)
    assert Counter(t.domain for t in trials if "coded" in t.meta) == {"exp1": 2076, "exp2": 1942, "exp3": 1872}
    assert len(list(Degen2020(data_folder, part="published").trials())) == 5922


# data/degen2020/README.md, Notes: medians of listener time, experiment 1, single-message trials, by sufficient property and utterance
# (printed in seconds, rounded half up from 1.5085, 2.303, 1.546 and 1.793).
@pytest.mark.long
@pytest.mark.data
def test_redundancy_costs_listeners_time_in_experiment_1(data_folder: Path) -> None:
    corpus = Degen2020(data_folder)
    coded = {t.id: t.meta["coded"] for t in corpus.trials() if t.meta["published"] == "exp1"}
    times: dict[tuple[str, str], list[float]] = {}
    for r in corpus.responses():
        if r.trial in coded and "simple" in r.flags and r.identification_ms is not None:
            key = (coded[r.trial]["SufficientProperty"], coded[r.trial]["UtteranceType"])
            times.setdefault(key, []).append(r.identification_ms)
    found = {key: (len(values), median(values)) for key, values in times.items()}
    assert found == {
        ("color", "color"): (954, pytest.approx(1510, abs=5)),
        ("color", "size and color"): (52, pytest.approx(2300, abs=5)),
        ("size", "size"): (583, pytest.approx(1550, abs=5)),
        ("size", "size and color"): (427, pytest.approx(1790, abs=5)),
    }


# data/degen2020/README.md: the coded files keep correct clicks only; in the raw logs of experiments 1 and 3 98 % of clicks are right.
@pytest.mark.data
def test_listeners_of_experiments_1_and_3_are_right_in_98_percent(data_folder: Path) -> None:
    corpus = Degen2020(data_folder)
    targets = {t.id: t.targets for t in corpus.trials() if t.domain != "exp2"}
    right = [r.entity in targets[r.trial] for r in corpus.responses() if r.trial in targets]
    assert sum(right) / len(right) == pytest.approx(0.98, abs=0.005)


# The codes say which attributes were mentioned; they must agree with the authors' utterance type.
@pytest.mark.data
def test_coded_properties_agree_with_the_utterance_type(data_folder: Path) -> None:
    expected = {"size": {"size"}, "color": {"colour"}, "size and color": {"size", "colour"}}
    for trial in Degen2020(data_folder, part="published").trials():
        if trial.domain == "exp1":
            said = {p.name for p in trial.references[0].properties or ()} - {"type"}
            assert said == expected[trial.meta["coded"]["UtteranceType"]], trial.id
