"""The retrieval hearer: it reads words by the company they kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import exp, log, sqrt
from random import Random

import pytest

from referee.corpora.splits import make_folds
from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError, NotTrained
from referee.hearers.baselines import Majority
from referee.hearers.retrieval import Retrieval
from referee.records import Description, Entity, HearerView, Outcome, Property, Scene, Trial


def thing(name: str, kind: str, colour: str) -> Entity:
    return Entity(id=name, attributes=(Property("type", kind), Property("colour", colour)))


def known(number: int, text: str, kind: str, colour: str) -> Trial:
    scene = Scene(entities=(thing("t", kind, colour), thing("d", "lamp", "grey")))
    return Trial(id=str(number), scene=scene, targets=("t",), references=(Description(text=text),))


LEARNED = [
    known(1, "die rote Lampe", "lamp", "red"),
    known(2, "der rote Stuhl", "chair", "red"),
    known(3, "der blaue Stuhl", "chair", "blue"),
    known(4, "die blaue Lampe", "lamp", "blue"),
]
ROOM = HearerView(id="q", scene=Scene(entities=(thing("a", "chair", "blue"), thing("b", "lamp", "red"))))


def hear(text: str, **parameters: float) -> tuple[Outcome, str | None, dict[str, float]]:
    response = Retrieval(**parameters).fit(LEARNED).resolve(Description(text=text), ROOM)  # type: ignore[arg-type]
    return response.outcome, response.entity, dict(response.probabilities or ())


def test_words_mean_what_their_neighbours_targets_looked_like() -> None:
    assert hear("Blaue Stuhl!")[1] == "a"
    assert hear("die Lampe, rote")[1] == "b"


def test_votes_of_two_neighbours_worked_by_hand() -> None:
    # one word, two descriptions with it, equally near: red among 2 of 2 (usual share 1/2), chair and lamp 1 of 2 each (1/2)
    outcome, entity, belief = hear("rote", neighbours=2, order=1, sharpness=1.0)
    assert (outcome, entity) == (Outcome.ENTITY, "b")
    assert belief["b"] / belief["a"] == pytest.approx(exp(1 - 0.5))


def test_similarity_is_the_cosine_of_rarity_weighted_words() -> None:
    hearer = Retrieval(order=1).fit(LEARNED)
    weights = {word: log(5 / (1 + n)) + 1 for word, n in Counter(rote=2, stuhl=2, der=2).items()}
    length = sqrt(sum(w * w for w in weights.values()))
    near = {number: similarity for similarity, number in hearer._find_nearest("rote")}
    assert near[1] == pytest.approx(weights["rote"] / length)


def test_unknown_words_are_unparsable_and_no_words_are_not_known() -> None:
    assert hear("xyzzy")[0] == Outcome.UNPARSABLE
    assert hear("")[0] == Outcome.DONT_KNOW
    said = Description(properties=(Property("colour", "red"),))
    assert Retrieval().fit(LEARNED).resolve(said, ROOM).outcome == Outcome.DONT_KNOW, "it reads words only"


def test_it_must_be_trained_and_may_have_learned_nothing() -> None:
    with pytest.raises(NotTrained):
        Retrieval().resolve(Description(text="rote"), ROOM)
    assert Retrieval().fit([]).resolve(Description(text="rote"), ROOM).outcome == Outcome.UNPARSABLE


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        Retrieval(neighbours=0).fit(LEARNED)


def test_words_help_on_scenes_never_seen() -> None:
    trials = list(Synthetic(speakers=10).trials())
    right: Counter[str] = Counter()
    for train, test in make_folds(trials, 3, "scene"):
        for hearer in (Retrieval().fit(train), Majority().fit(train)):
            for trial in test:
                said = replace(trial.references[0], properties=None)
                answered = hearer.resolve(said, trial.for_hearer(Random(trial.id)))
                right[hearer.name] += answered.entity == trial.targets[0]
    assert right["retrieval"] > right["majority"] + 0.1 * len(trials)
