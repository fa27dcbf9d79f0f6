"""What every system of the catalogue promises: it learns, it describes, it repeats itself, and it cannot see the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee import catalogue
from referee.corpora.synthetic.corpus import Synthetic
from referee.records import Description, Trial
from referee.signature import signature

EVIDENCE = {"faithful", "reconstructed", "low confidence", "stand-in", "ours"}
# Asked elsewhere, against a scripted endpoint (tests/systems/test_language_model.py).
REMOTE = {"llm/looking", "llm/openai-compatible"}
# Speaks of patches of colour, which are scenes of their own (tests/hearers/test_colour_network.py).
OF_COLOURS = {"colour/rational"}
# Needs an extra that is not installed everywhere (tests/systems/test_sequence_model.py).
NEURAL = {"neural/transformer"}
SPEAKING = [n for n, e in catalogue.SYSTEMS.items() if e.tags["task"] != "R" and n not in REMOTE | OF_COLOURS | NEURAL]
REALISING = [n for n, e in catalogue.SYSTEMS.items() if e.tags["task"] == "R"]
# Trains for many seconds even on few trials; tested with its own module.
SLOW = {n for n in SPEAKING if "learned" in n or "evolved" in n.lower() or "trained" in n}


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return list(Synthetic(speakers=3).trials())


@pytest.mark.parametrize("name", list(catalogue.SYSTEMS))
def test_every_system_says_who_when_what_and_how_sure(name: str) -> None:
    tags = catalogue.SYSTEMS[name].tags
    assert tags["team"]
    assert tags["task"] in ("AS", "R", "REG")
    assert tags["evidence"] in EVIDENCE or name in REMOTE


@pytest.mark.parametrize("name", [n for n in SPEAKING if n not in SLOW])
class TestEverySpeaker:
    def test_describes_every_trial_twice_alike(self, name: str, trials: list[Trial]) -> None:
        train, test = trials[:26], trials[26:]
        first, second = (catalogue.create("system", name).fit(train) for _ in range(2))
        for trial in test:
            said = first.describe(trial.for_speaker())
            assert isinstance(said, Description)
            assert said.properties is not None or said.text is not None
            assert said == second.describe(trial.for_speaker()), "the same training and seed give the same words"

    def test_says_only_what_is_true_of_the_target(self, name: str, trials: list[Trial]) -> None:
        if name == "baseline/nearest-words":
            pytest.skip("repeats what somebody said of another scene, true or not: that is the baseline")
        system = catalogue.create("system", name).fit(trials[:26])
        for trial in trials[26:]:
            target = trial.scene.entity(trial.targets[0])
            for prop in system.describe(trial.for_speaker()).properties or ():
                assert target.has(prop), f"{prop} is false of the target of {trial.id}"

    def test_what_people_said_of_the_trial_makes_no_difference(self, name: str, trials: list[Trial]) -> None:
        system = catalogue.create("system", name).fit(trials[:26])
        trial = trials[30]
        silent = replace(trial, references=(), episode=(), meta={})
        assert system.describe(trial.for_speaker()) == system.describe(silent.for_speaker())

    def test_signs_itself_the_same_way_each_time(self, name: str) -> None:
        signed = [signature(name, catalogue.create("system", name)) for _ in range(2)]
        assert signed[0] == signed[1]
        assert " at 0x" not in signed[0]


@pytest.mark.parametrize("name", REALISING)
def test_every_realiser_words_every_human_choice(name: str, trials: list[Trial]) -> None:
    realiser = catalogue.create("system", name).fit(trials[:26])
    for trial in trials[26:]:
        properties = trial.references[0].properties or ()
        assert isinstance(realiser.realise(properties, trial.for_speaker()), str)
