"""A speaker composed of a selector and a realiser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from rooms import props, room, trial

from referee.contracts import Speaker
from referee.records import Property, SpeakerView, Trial
from referee.selection.incremental import Incremental
from referee.selection.overspecification import Overspecification
from referee.systems.speaker import Composed

SCENE = room("type:chair colour:red", "type:chair colour:blue")


class Shouting:
    """A realiser that has to hear something first."""

    heard = 0

    def fit(self, trials: Iterable[Trial]) -> Shouting:
        self.heard = len(list(trials))
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        return " ".join(p.value.upper() for p in properties)


def test_without_a_realiser_a_speaker_says_properties_and_no_words() -> None:
    description = Composed(Incremental()).describe(trial(SCENE).for_speaker())
    assert description.properties == props("colour:red type:chair")
    assert description.text is None


def test_the_realiser_gets_what_the_selector_chose_and_both_hear_all_the_training_trials() -> None:
    realiser = Shouting()
    speaker = Composed(Incremental(order="frequency"), realiser)
    speaker.fit(iter([trial(SCENE, "colour"), trial(SCENE, "type")]))
    assert realiser.heard == 2
    assert speaker.describe(trial(SCENE).for_speaker()).text == "RED CHAIR"
    assert isinstance(speaker, Speaker)


def test_probabilities_are_reported_only_when_asked_for() -> None:
    selector = Overspecification(preferences={"colour": 1.0}, eagerness=0.5)
    view = trial(SCENE).for_speaker()
    assert Composed(selector).describe(view).distribution is None
    distribution = Composed(selector, distribution=True).describe(view).distribution
    assert distribution is not None
    assert sum(p for _, p in distribution) == 1.0
    assert Composed(Incremental(), distribution=True).describe(view).distribution is None


def test_samples_follow_the_probabilities() -> None:
    """A target that shares its type with a distractor: relative frequencies of 2,000 draws come near the probabilities (standard error below .012)."""
    from collections import Counter

    from referee import catalogue
    from referee.errors import InputError
    from referee.records import Entity, Property, Scene, SpeakerView

    looks = {"a": ("cup", "red"), "b": ("cup", "blue")}
    entities = tuple(
        Entity(id=i, attributes=(Property("type", t), Property("colour", c))) for i, (t, c) in looks.items()
    )
    views = [SpeakerView(id=f"t{n}", scene=Scene(entities=entities), targets=("a",)) for n in range(2000)]
    sampling = catalogue.configure("system", "classic/rsa|choose:sample")
    drawn = Counter(frozenset(sampling.describe(view).properties or ()) for view in views)
    for properties, probability in sampling.selector.distribution(views[0]):
        assert drawn[properties] / 2000 == pytest.approx(probability, abs=0.05)
    assert sampling.describe(views[0]) == sampling.describe(views[0])
    assert catalogue.configure("system", "classic/rsa|choose:distribution").describe(views[0]).distribution
    with pytest.raises(InputError, match="no probabilities"):
        catalogue.configure("system", "classic/greedy|choose:sample")
