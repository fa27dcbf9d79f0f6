"""Whole systems of 2009, and the sets that evolve."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from referee import catalogue
from referee.auditing.paper import read_shipped_paper
from referee.contracts import Batch
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import NotTrained
from referee.systems import tunareg2009
from referee.systems.evolved_set import EvolvedSet


def test_all_six_entries_in_print_are_there() -> None:
    printed = read_shipped_paper("tuna-reg-2009").tables["table5"].labels
    assert set(tunareg2009.TABLE) == {name for name in printed if not name.startswith("HUMAN")}


@pytest.mark.parametrize("name", tunareg2009.TABLE)
def test_every_system_gives_properties_and_words(name: str) -> None:
    trials = list(Synthetic(speakers=5).trials())
    speaker = catalogue.create("system", f"tunareg2009/{name}").fit(trials[:52])
    for trial in trials[52:]:
        said = speaker.describe(trial.for_speaker())
        assert said.properties
        assert said.text


def test_evolution_finds_what_trying_everything_finds() -> None:
    """Fitness of the evolved set is that of the best of all sets in nearly every scene, and the set singles out the target."""
    trials = list(Synthetic(speakers=6).trials())
    evolved, exhaustive = EvolvedSet().fit(trials), EvolvedSet(generations=0).fit(trials)
    same = unique = 0
    for trial in trials:
        found, best = (set(s.select(trial.for_speaker())) for s in (evolved, exhaustive))
        same += found == best
        unique += trial.scene.denotation(found) == trial.target_mask
    assert same >= 0.9 * len(trials)
    assert unique == len(trials)


def test_evolution_depends_on_seed_and_trial_alone() -> None:
    trials = list(Synthetic(speakers=2).trials())
    views = [t.for_speaker() for t in trials]
    first = {v.id: EvolvedSet(generations=2, population=6).fit(trials).select(v) for v in views}
    Random(3).shuffle(views)
    again = EvolvedSet(generations=2, population=6).fit(trials)
    assert {v.id: again.select(v) for v in views} == first


def test_of_a_target_without_attributes_nothing_is_said() -> None:
    from referee.records import Entity, Scene, SpeakerView

    nothing = SpeakerView(id="x", scene=Scene(entities=(Entity(id="t"), Entity(id="d"))), targets=("t",))
    for generations in (0, 3):
        assert EvolvedSet(generations=generations).fit(Synthetic(speakers=1).trials()).select(nothing) == ()


def test_evolution_learns_and_says_so() -> None:
    with pytest.raises(NotTrained):
        EvolvedSet().select(next(Synthetic().trials()).for_speaker())


@pytest.mark.data
def test_templates_of_2009_are_nearer_to_people_than_the_converter(data_folder: Path) -> None:
    """Brugman et al. (2009) on the development set: edit 5.03 with templates, 6.42 with the old realiser; people 5.15 and 7.53."""
    from referee.corpora.splits import split_trials
    from referee.corpora.tuna import Tuna

    train, test = split_trials(Tuna(data_folder, reading="challenge").trials(), "challenge-80/20")
    people = [t for t in test if t.domain == "people"]
    values = {}
    for name in ("tunareg2009/GRAPH", "tuna2008-reg/GRAPH-4+B"):
        speaker = catalogue.create("system", name).fit(train)
        for domain, trials in (("both", test), ("people", people)):
            batch = Batch.of([speaker.describe(t.for_speaker()) for t in trials], trials)
            values[name, domain] = catalogue.create("metric", "string/edit").score(batch).value
    assert values["tunareg2009/GRAPH", "both"] == pytest.approx(5.03, abs=1.2)
    assert values["tuna2008-reg/GRAPH-4+B", "both"] == pytest.approx(6.42, abs=0.6)
    assert values["tunareg2009/GRAPH", "people"] < values["tuna2008-reg/GRAPH-4+B", "people"] - 1
