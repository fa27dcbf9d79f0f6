"""Evolution of programs that choose attributes."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest
from rooms import room, trial

from referee.errors import InputError, MissingExtra, NotTrained
from referee.systems.genetic_programming import Evolved

SOFAS = room(
    "type:sofa colour:red size:large orientation:left x-dimension:1 y-dimension:2",
    "type:sofa colour:red size:small orientation:left x-dimension:1 y-dimension:2",
    "type:sofa colour:blue size:large orientation:left x-dimension:1 y-dimension:2",
)
TRAINING = [trial(SOFAS, "colour size", condition=c) for c in 5 * ["+LOC"] + 5 * ["-LOC"]]


def test_evolution_finds_what_everybody_says_and_the_same_seed_finds_the_same_program() -> None:
    settings = {"population": 100, "generations": 15, "seed": 1}
    evolved = Evolved(**settings).fit(TRAINING)  # type: ignore[arg-type]
    assert set(evolved.select(trial(SOFAS).for_speaker())) == set(TRAINING[0].references[0].properties or ())
    assert Evolved(**settings).fit(TRAINING).programs_ == evolved.programs_  # type: ignore[arg-type]


def test_evolution_leaves_the_global_random_numbers_as_they_were() -> None:
    random.seed(5)
    before = random.getstate()
    Evolved(population=6, generations=1).fit(TRAINING)
    assert random.getstate() == before


def test_programs_must_be_evolved_first() -> None:
    with pytest.raises(NotTrained):
        Evolved().select(trial(SOFAS).for_speaker())


def test_a_domain_without_training_data_is_an_error_before_any_description() -> None:
    others = [replace(t, domain="people") for t in TRAINING[:1]]
    with pytest.raises(InputError, match="people"):
        Evolved().check_training(TRAINING, others)


def test_without_deap_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "deap", None)
    with pytest.raises(MissingExtra, match=r"referee\[evolve\]"):
        Evolved().fit(TRAINING)
