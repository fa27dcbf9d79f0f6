"""The noisy hearer: the literal one in the limit, and worked cases of its look at a scene."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from random import Random

import pytest

from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError
from referee.hearers.literal import Literal
from referee.hearers.noisy import Noisy
from referee.records import Description, Entity, HearerView, Outcome, Property, Relation, Scene


def view(*entities: Entity) -> HearerView:
    return HearerView(id="t", scene=Scene(entities=entities))


def thing(name: str, **attributes: str) -> Entity:
    return Entity(id=name, attributes=tuple(Property(k, v) for k, v in attributes.items()))


def believe(hearer: Noisy, where: HearerView, *said: tuple[str, str]) -> dict[str, float]:
    response = hearer.resolve(Description(properties=tuple(Property(*p) for p in said)), where)
    return dict(response.probabilities or ())


PAIR = view(thing("a", colour="red"), thing("b", colour="blue"))
PLAIN = Noisy(noise=0.1, salience=0.0, guess=0.0)


def test_one_look_at_two_entities_worked_by_hand() -> None:
    # a seems red with 0.9, b with 0.1: only a 0.9·0.9, only b 0.1·0.1, both 0.9·0.1, neither 0.1·0.9
    assert believe(PLAIN, PAIR, ("colour", "red")) == pytest.approx(
        {"a": 0.81, "b": 0.01, "several": 0.09, "none": 0.09}
    )


def test_a_guess_follows_fit() -> None:
    # the 0.18 of several and none are guessed away 9 : 1
    belief = believe(Noisy(noise=0.1, salience=0.0, guess=1.0), PAIR, ("colour", "red"))
    assert belief == pytest.approx({"a": 0.81 + 0.162, "b": 0.01 + 0.018})


def test_a_guess_follows_salience_where_fit_is_equal() -> None:
    odd_one = view(thing("a", colour="red"), thing("b", colour="red"), thing("c", colour="blue"))
    belief = believe(Noisy(noise=0.1, salience=2.0, guess=1.0), odd_one)
    # all fit the empty description, so everything is a guess: c differs from 2 of 2 others, a and b from 1 of 2
    assert belief["c"] / belief["a"] == pytest.approx(exp(2 * (1 - 0.5)))


def test_a_neighbouring_place_is_confused_more_often_than_a_far_one() -> None:
    row = view(*(thing(str(i), **{"x-dimension": str(i)}) for i in range(1, 6)))
    belief = believe(Noisy(), row, ("x-dimension", "2"))
    assert belief["2"] > belief["1"] == pytest.approx(belief["3"])
    assert belief["3"] > belief["4"] > belief["5"]


def test_likeness_of_sizes_worked_by_hand() -> None:
    sizes = view(thing("s", size="small"), thing("m", size="medium"), thing("l", size="large"))
    hearer = Noisy(size_noise=0.0, spread=0.5, salience=0.0, guess=0.0)
    # medium is half the range away from small: d = 0.5 = spread, so likeness exp(-1/2); large is two spreads away: exp(-2)
    fits = 1.0, exp(-0.5), exp(-2)
    belief = believe(hearer, sizes, ("size", "small"))
    assert belief["s"] == pytest.approx(fits[0] * (1 - fits[1]) * (1 - fits[2]))


def test_noise_can_differ_between_attributes() -> None:
    hearer = Noisy(noise=0.0, noises={"colour": 0.25}, salience=0.0, guess=0.0)
    assert believe(hearer, PAIR, ("colour", "red"))["a"] == pytest.approx(0.75**2)


def test_without_noise_it_is_the_literal_hearer() -> None:
    hearer = Noisy(noise=0, size_noise=0, place_noise=0, spread=1e-6, salience=0, guess=1)
    for trial in list(Synthetic(speakers=3).trials()):
        where = trial.for_hearer(Random(1))
        said = replace(trial.references[0], spans=())
        literal = Literal().resolve(said, where)
        noisy = hearer.resolve(said, where)
        assert (noisy.outcome, noisy.entity) == (literal.outcome, literal.entity)
        assert dict(noisy.probabilities or ()) == pytest.approx(dict(literal.probabilities or ()), abs=1e-9)


def test_noise_costs_certainty_and_never_gains_it() -> None:
    shares = [believe(Noisy(noise=n), PAIR, ("colour", "red"))["a"] for n in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    assert shares == sorted(shares, reverse=True)
    assert believe(Noisy(noise=0.5), PAIR, ("colour", "red"))["b"] == pytest.approx(shares[-1])


def test_relations_are_judged_with_their_landmarks() -> None:
    left = replace(thing("x", type="ball"), relations=(Relation("left-of", "y"),))
    where = view(left, thing("y", type="cube"), thing("z", type="ball"))
    belief = believe(PLAIN, where, ("left-of", ""), ("landmark.type", "cube"))
    # one joint judgement: x 0.9, y and z 0.1 each
    assert belief["x"] == pytest.approx(0.9**3)


def test_a_property_outside_the_scene_leads_to_none() -> None:
    response = Noisy().resolve(Description(properties=(Property("mood", "sad"),)), PAIR)
    assert response.outcome == Outcome.NONE


@pytest.mark.parametrize(
    "wrong", [{"noise": 0.6}, {"noise": -0.1}, {"noises": {"colour": 2}}, {"spread": 0}, {"guess": 1.5}]
)
def test_impossible_parameters_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="→"):
        Noisy(**wrong).resolve(Description(properties=()), PAIR)  # type: ignore[arg-type]
