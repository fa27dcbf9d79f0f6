"""What every hearer of the catalogue promises, whoever wrote it: above all, that it cannot know the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from fake_endpoint import completion, serving
from referee import catalogue
from referee.contracts import Hearer
from referee.corpora.synthetic.corpus import Synthetic
from referee.hearers.answering import PSEUDO
from referee.records import Description, Entity, HearerView, Outcome, Property, Response, Scene, Trial
from referee.signature import parameters, signature

# Patches of colour are scenes of their own; tests/hearers/test_colour.py keeps the same promises there.
# So are pictures (tests/hearers/test_onlookers.py).
NAMES = [name for name in catalogue.HEARERS if not name.startswith("colour") and not name.startswith("sight/")]
MINDS_ORDER = ("position", "remote")

TRIALS = list(Synthetic(speakers=4).trials())
TRAIN, TEST = TRIALS[: len(TRIALS) // 2], TRIALS[len(TRIALS) // 2 :][:24]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serving(completion("1")) as server:
        yield server.url


@pytest.fixture(scope="module", params=NAMES)
def hearer(request: pytest.FixtureRequest, endpoint: str) -> Any:
    """Each hearer in turn, trained on one half of the corpus; the tests ask about the other half."""
    more = {"model": "toy", "endpoint": endpoint} if request.param == "remote" else {}
    return catalogue.create("hearer", request.param, **more).fit(TRAIN)


def view_of(trial: Trial, seed: int = 1) -> HearerView:
    return trial.for_hearer(Random(f"{seed}|{trial.id}"))


def said_in(trial: Trial) -> Description:
    return replace(trial.references[0], spans=())


def beliefs(response: Response) -> dict[str, float]:
    assert response.probabilities is not None
    return dict(response.probabilities)


def renamed(scene: Scene) -> Scene:
    """The same entities under names that sort the other way round."""
    names = {e.id: f"x{len(scene.entities) - i}" for i, e in enumerate(scene.entities)}
    relations = {e.id: tuple(r._replace(entity=names[r.entity]) for r in e.relations) for e in scene.entities}
    return replace(scene, entities=tuple(replace(e, id=names[e.id], relations=relations[e.id]) for e in scene.entities))


def test_conforms_and_signs_every_parameter(hearer: Any) -> None:
    assert isinstance(hearer, Hearer)
    signed = signature(hearer.name, hearer)
    # All but the pace of asking, which decides nothing.
    paced = getattr(type(hearer), "unsigned", frozenset())
    assert all((f"|{name}:" in signed) == (name not in paced) for name in parameters(hearer))


def test_belief_is_spread_over_the_scene_and_sums_to_one(hearer: Any) -> None:
    for trial in TEST:
        response = hearer.resolve(said_in(trial), view_of(trial))
        belief = beliefs(response)
        assert response.trial == trial.id
        assert sum(belief.values()) == pytest.approx(1)
        assert min(belief.values()) >= 0
        assert set(belief) - set(PSEUDO) <= {e.id for e in trial.scene.entities}
        assert (response.entity is not None) == (response.outcome == Outcome.ENTITY)


def test_the_target_makes_no_difference(hearer: Any) -> None:
    for trial in TEST:
        said = said_in(trial)
        answer = hearer.resolve(said, view_of(trial))
        for entity in trial.scene.entities:
            other = replace(trial, targets=(entity.id,), references=(), episode=(), meta={}, speaker=None)
            assert hearer.resolve(said, view_of(other)) == answer


def test_the_name_of_a_trial_gives_nothing_away(hearer: Any) -> None:
    """Also not the name of a trial that the hearer learned from."""
    if getattr(hearer, "name", "") == "remote":
        pytest.skip("the name of the trial is part of the seed of its order, and the scripted model answers by order")
    for trial, known in zip(TEST, TRAIN, strict=False):
        view = view_of(trial)
        answer = hearer.resolve(said_in(trial), view)
        assert hearer.resolve(said_in(trial), replace(view, id=known.id)) == replace(answer, trial=known.id)


def test_names_of_entities_give_nothing_away(hearer: Any) -> None:
    for trial in TEST:
        view = view_of(trial)
        other = replace(view, scene=renamed(view.scene))
        names = dict(zip((e.id for e in view.scene.entities), (e.id for e in other.scene.entities), strict=True))
        belief = beliefs(hearer.resolve(said_in(trial), view))
        expected = {names.get(name, name): share for name, share in belief.items()}
        assert beliefs(hearer.resolve(said_in(trial), other)) == pytest.approx(expected)


def test_the_order_of_entities_makes_no_difference(hearer: Any) -> None:
    if hearer.name in MINDS_ORDER:
        pytest.skip("answers by place, on purpose")
    for trial in TEST:
        answers = [hearer.resolve(said_in(trial), view_of(trial, seed)) for seed in (1, 2, 3)]
        assert len({(a.outcome, a.entity) for a in answers}) == 1
        for other in answers[1:]:
            assert beliefs(other) == pytest.approx(beliefs(answers[0]))


def test_asking_again_or_in_bulk_changes_nothing(hearer: Any) -> None:
    pairs = [(said_in(t), view_of(t)) for t in TEST]
    first = [hearer.resolve(*pair) for pair in pairs]
    assert [hearer.resolve(*pair) for pair in reversed(pairs)] == first[::-1]
    if hasattr(hearer, "resolve_many"):
        for one, other in zip(first, hearer.resolve_many([*pairs, *pairs]), strict=False):
            assert (one.trial, one.outcome, one.entity) == (other.trial, other.outcome, other.entity)
            assert beliefs(one) == pytest.approx(beliefs(other))


ONE = Scene(entities=(Entity(id="only", attributes=(Property("type", "chair"), Property("colour", "red"))),))
ODD = {
    "nothing at all": Description(),
    "empty words": Description(text=""),
    "blank words": Description(text=" \n\t"),
    "no known language": Description(text="ꙮ zzyzx ϗ̈ 🜁"),
    "very long": Description(text="red " * 5000),
    "no properties": Description(properties=(), text=""),
    "a property outside the scene": Description(properties=(Property("mood", "sad"),), text="the sad one"),
    "a contradiction": Description(
        properties=(Property("colour", "red"), Property("colour", "blue")), text="the red blue one"
    ),
    "a landmark that is not there": Description(properties=(Property("landmark.type", "sea"),), text="by the sea"),
}


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("where", ["a scene", "a scene of one"])
def test_odd_input_has_a_defined_outcome(hearer: Any, what: str, where: str) -> None:
    view = view_of(TEST[0]) if where == "a scene" else HearerView(id="alone", scene=ONE)
    response = hearer.resolve(ODD[what], view)
    assert isinstance(response.outcome, Outcome)
    assert sum(beliefs(response).values()) == pytest.approx(1)


def test_nobody_understands_without_hearing(hearer: Any) -> None:
    """Without words or properties only hearers that never listen may point."""
    response = hearer.resolve(Description(), view_of(TEST[0]))
    assert response.outcome != Outcome.ENTITY or hearer.name in ("position", "majority")
