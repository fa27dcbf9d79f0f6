"""The rational hearer: textbook values, the order of Franke & Degen's conditions, and parameters from people's choices."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.optimize import minimize

from referee.corpora.franke_degen import FrankeDegen2016
from referee.errors import InputError
from referee.hearers.literal import Literal
from referee.hearers.rational_listener import Rational, infer
from referee.records import Description, Entity, HearerView, Outcome, Property, Response, Scene, Trial

SHAPES = {"blue square": "a", "blue circle": "b", "green square": "c"}
FRAME = HearerView(
    id="t",
    scene=Scene(
        entities=tuple(
            Entity(id=i, attributes=tuple(map(Property, ("colour", "shape"), name.split())))
            for name, i in SHAPES.items()
        )
    ),
)
CREATURE_MESSAGES = tuple(
    (Property(name, value),)
    for name, values in {"species": ("s1", "s2"), "accessory": ("v1", "v2")}.items()
    for value in values
)
CONDITIONS = {"simple": "simple", "complex": "complex", "ambig": "ambiguous"}


def believe(hearer: Rational, *said: tuple[str, str], view: HearerView = FRAME) -> dict[str, float]:
    response = hearer.resolve(Description(properties=tuple(Property(*p) for p in said)), view)
    return dict(response.probabilities or ())


def test_blue_means_the_blue_square() -> None:
    # Frank & Goodman's frame of reference with four one-word messages: the circle would have been called a circle. At alpha 1,
    # S(blue|square) = 1/2 / (1/2 + 1/2), S(blue|circle) = 1/2 / (1/2 + 1), so the square has (1/2) / (1/2 + 1/3) = 0.6
    belief = believe(Rational(longest=1), ("colour", "blue"))
    assert belief == pytest.approx({"a": 0.6, "b": 0.4, "c": 0.0})


def test_without_reasoning_it_is_the_literal_hearer() -> None:
    said = Description(properties=(Property("colour", "blue"),))
    assert Rational(depth=0).resolve(said, FRAME) == Response(
        trial="t",
        hearer="rsa",
        outcome=Outcome.SEVERAL,
        probabilities=(("a", 0.5), ("b", 0.5), ("c", 0.0)),
        entities=("a", "b"),
    )


def test_more_rounds_and_more_rationality_sharpen_the_inference() -> None:
    shares = [believe(Rational(longest=1, depth=d), ("colour", "blue"))["a"] for d in range(4)]
    assert shares == sorted(set(shares))
    shares = [believe(Rational(longest=1, alpha=a), ("colour", "blue"))["a"] for a in (0.5, 1, 2, 4, 8)]
    assert shares == sorted(set(shares))


def test_where_longer_messages_cost_nothing_a_short_one_says_less() -> None:
    free = believe(Rational(longest=2, cost=0.0, alpha=4), ("colour", "blue"))["a"]
    dear = believe(Rational(longest=2, cost=5.0, alpha=4), ("colour", "blue"))["a"]
    alone = believe(Rational(longest=1, alpha=4), ("colour", "blue"))["a"]
    assert free < dear == pytest.approx(alone, abs=1e-6)


def test_a_message_beyond_the_set_is_understood_all_the_same() -> None:
    assert believe(Rational(longest=1), ("colour", "blue"), ("shape", "circle"))["b"] == pytest.approx(1)


def test_what_is_true_of_nothing_is_none_and_lapses_are_even() -> None:
    assert believe(Rational(), ("colour", "pink")) == {"a": 0.0, "b": 0.0, "c": 0.0, "none": 1.0}
    belief = believe(Rational(lapse=0.3), ("colour", "green"))
    assert belief == pytest.approx({"a": 0.1, "b": 0.1, "c": 0.8})


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="not negative"):
        believe(Rational(alpha=-1), ("colour", "blue"))


def test_true_parameters_are_found_again_from_simulated_people() -> None:
    rng = Random(5)
    true = Rational(longest=1, alpha=2.0, lapse=0.1)
    trial = Trial(id="t", scene=FRAME.scene, targets=("a",))
    responses = []
    for number in range(1500):
        said = Description(properties=(Property("colour", rng.choice(("blue", "green"))),))
        belief = dict(true.resolve(said, FRAME).probabilities or ())
        chosen = rng.choices(list(belief), list(belief.values()))[0]
        responses.append(
            Response(trial="t", hearer=str(number), outcome=Outcome.ENTITY, entity=chosen, description=said)
        )
    found = infer(Rational(longest=1), [trial], [*responses, Response(trial="t", hearer="x", outcome=Outcome.NONE)])
    assert (found.n, found.left_out) == (1500, 1)
    for name, value in (("alpha", 2.0), ("lapse", 0.1)):
        low, high = found.interval(name, 0.99)
        assert low <= value <= high
    assert found.probabilities.sum() == pytest.approx(1)
    assert found.compute_marginal("alpha").sum() == pytest.approx(1)


def test_responses_of_no_use_are_an_error_that_says_so() -> None:
    with pytest.raises(InputError, match="no response can be used"):
        infer(Rational(), [], [Response(trial="t", hearer="x", outcome=Outcome.NONE)])


@pytest.fixture(scope="module")
def creatures(data_folder: Path) -> tuple[list[Trial], list[Response]]:
    corpus = FrankeDegen2016(data_folder, part="comprehension")
    return list(corpus.trials()), list(corpus.responses())


def rates(hearer: Rational | Literal, creatures: tuple[list[Trial], list[Response]]) -> dict[str, tuple[float, float]]:
    """By condition: how often the hearer is expected to choose the target, and how often people did."""
    sums: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for trial, response in zip(*creatures, strict=True):
        assert response.description is not None
        answered = hearer.resolve(response.description, trial.for_hearer(Random(1)))
        target = trial.targets[0]
        pair = dict(answered.probabilities or ()).get(target, 0.0), response.entity == target
        sums[CONDITIONS.get(trial.condition or "", "unambiguous")].append(pair)
    return {name: (float(np.mean([p for p, _ in s])), float(np.mean([r for _, r in s]))) for name, s in sums.items()}


@pytest.mark.data
def test_conditions_of_franke_and_degen_come_in_the_order_people_have(
    creatures: tuple[list[Trial], list[Response]],
) -> None:
    found = rates(Rational(messages=CREATURE_MESSAGES), creatures)
    order = ["unambiguous", "simple", "complex", "ambiguous"]
    assert sorted(found, key=lambda name: -found[name][0]) == order
    assert sorted(found, key=lambda name: -found[name][1]) == order
    # by hand at alpha 1: simple 1/(1 + 1/3), complex (1/2)/(1/2 + 1/3), ambiguous twins 1/2
    expected = {"unambiguous": 1.0, "simple": 0.75, "complex": 0.6, "ambiguous": 0.5}
    assert {name: model for name, (model, _) in found.items()} == pytest.approx(expected)


@pytest.mark.data
def test_a_literal_hearer_does_not_tell_the_conditions_apart(creatures: tuple[list[Trial], list[Response]]) -> None:
    found = {name: model for name, (model, _) in rates(Literal(), creatures).items()}
    assert found == pytest.approx({"unambiguous": 1.0, "simple": 0.5, "complex": 0.5, "ambiguous": 0.5})


@pytest.mark.data
def test_the_posterior_peaks_where_a_direct_search_does(creatures: tuple[list[Trial], list[Response]]) -> None:
    """The likelihood written out from the four conditions, maximised by another program (scipy)."""
    found = infer(Rational(messages=CREATURE_MESSAGES), *creatures)
    assert (found.n, found.left_out) == (3894, 0)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for trial, response in zip(*creatures, strict=True):
        role = {trial.meta[f"pos{i}"]: f"m{i}" for i in (1, 2, 3)}
        place = [role[name] for name in ("target", "competitor", "distractor")].index(response.entity or "")
        counts[CONDITIONS.get(trial.condition or "", "unambiguous")][place] += 1

    def surprise(x: np.ndarray) -> float:
        alpha, lapse = x
        rival = 0.5**alpha / (1 + 0.5**alpha)
        target = {"unambiguous": 1.0, "simple": 1 / (1 + rival), "complex": 0.5 / (0.5 + rival), "ambiguous": 0.5}
        total = 0.0
        for name, p in target.items():
            shares = (1 - lapse) * np.array([p, 1 - p, 0.0]) + lapse / 3
            total -= float(np.array(counts[name]) @ np.log(shares))
        return total

    best = minimize(surprise, [1.0, 0.1], bounds=[(0.05, 20), (0.001, 0.5)])
    assert found.log_likelihoods.max() == pytest.approx(-best.fun, abs=0.5)
    low, high = found.interval("alpha")
    assert low < best.x[0] < high
    assert found.best().lapse == pytest.approx(best.x[1], abs=0.01)
    literal = infer(Rational(messages=CREATURE_MESSAGES, depth=0), *creatures, alphas=[1.0])
    assert found.log_likelihoods.max() > literal.log_likelihoods.max() + 50
