"""Colors in Context: patches by their place on the speaker's screen, listeners' clicks and times."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import mean, median

import pytest
from tiny import TINY, colors_row, write

from referee.corpora.colors import Colors
from referee.errors import MalformedInput
from referee.records import Property, Trial


@pytest.fixture
def trials(tmp_path: Path) -> list[Trial]:
    return list(Colors(write(tmp_path, TINY["colors"])).trials())


def test_patches_are_called_by_their_place_on_the_speakers_screen(trials: list[Trial]) -> None:
    trial = trials[0]
    assert [e.id for e in trial.scene.entities] == ["c1", "c2", "c3"]
    assert trial.targets == ("c2",)
    assert trial.scene.entity("c2").attributes == (Property("h", "10"), Property("s", "60"), Property("l", "50"))
    assert trial.meta["roles"] == {"c1": "distr2", "c2": "target", "c3": "distr1"}
    assert trial.meta["listener_positions"] == {"c1": 2, "c2": 1, "c3": 3}


def test_the_reference_is_what_the_speaker_said_before_the_click(trials: list[Trial]) -> None:
    assert trials[0].references[0].text == "rusty brick"
    assert [e.kind for e in trials[0].episode] == ["message", "message", "message", "click", "message"]
    assert trials[2].references == (), "the listener clicked before anything was said"


def test_later_rounds_remember_earlier_ones(trials: list[Trial]) -> None:
    assert trials[1].after == "colors-g1-1"
    assert trials[1].history == trials[0].episode
    assert trials[1].history[3].data == {"correct": False, "hsl": [90, 20, 50]}
    assert trials[2].history == ()


def test_a_response_is_a_patch_and_a_time(tmp_path: Path) -> None:
    wrong, right, early = Colors(write(tmp_path, TINY["colors"])).responses()
    assert (wrong.trial, wrong.entity, wrong.identification_ms, wrong.flags) == ("colors-g1-1", "c1", 600, ())
    assert (right.entity, right.flags) == ("c2", ("simple",))
    assert (early.identification_ms, early.description) == (None, None)


def test_two_patches_in_one_place_are_refused(tmp_path: Path) -> None:
    row = colors_row("g1", 1, "target")
    row["objects"] = row["objects"] | {"distr1": {"hsl": [0, 0, 0], "pos": [2, 2]}}
    data = write(tmp_path, {"colors-in-context/colors_trials.jsonl.gz": [row]})
    with pytest.raises(MalformedInput, match="same position"):
        list(Colors(data).trials())


# data/colors-in-context/README.md, table: rounds, share correct, median time and mean words of simple rounds.
@pytest.mark.long
@pytest.mark.data
@pytest.mark.slow
def test_the_table_of_conditions(data_folder: Path) -> None:
    corpus = Colors(data_folder)
    conditions = {t.id: (t.condition, t.targets[0]) for t in corpus.trials()}
    right, times, words = defaultdict(list), defaultdict(list), defaultdict(list)
    for r in corpus.responses():
        condition, target = conditions[r.trial]
        right[condition].append(r.entity == target)
        if "simple" in r.flags and r.description is not None and r.description.text is not None:
            times[condition].append(r.identification_ms)
            words[condition].append(len(r.description.text.split()))
    assert len(conditions) == 39_599
    table = {
        c: (len(right[c]), round(100 * mean(right[c]), 1), median(times[c]), round(mean(words[c]), 2)) for c in right
    }
    assert table == {
        "far": (13_213, 97.0, 1937, 1.63),
        "split": (13_198, 89.6, 2579, 2.71),
        "close": (13_188, 83.5, 3213, 3.47),
    }
