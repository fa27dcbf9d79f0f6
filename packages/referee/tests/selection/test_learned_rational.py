"""The learned rational speaker: gradients, learning, and the published level on TUNA."""

from __future__ import annotations

from itertools import combinations
from math import exp, log
from random import Random
from statistics import mean
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from contexts import DOMAINS, dice, props, scene, trial, tuna, view
from scipy.optimize import check_grad

from referee.corpora.synthetic.corpus import Synthetic
from referee.errors import InputError, NotTrained
from referee.records import Entity, Property, Scene
from referee.selection import learned_rational
from referee.selection.learned_rational import LearnedRationalSpeaker, _compute_likelihood, _Space, _Weights

TRIALS = [
    trial(where, " ".join(f"{name}:{where.entity('t').value(name)}" for name in names))
    for where, _ in DOMAINS
    for names in (("type", "colour"), ("colour",))
]


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("features", ["basic", "general", "both"])
def test_gradients_agree_with_finite_differences(depth, features):
    space = _Space.of(TRIALS, 3, features)
    (batch,) = space.batches(TRIALS, depth)

    def value(weights):
        return _compute_likelihood(space, batch, _Weights.of(space, weights), depth)[0]

    start = np.random.default_rng(1).normal(0, 0.5, space.size)
    error = check_grad(value, lambda w: _compute_likelihood(space, batch, _Weights.of(space, w), depth)[1], start)
    assert error < 1e-4 * space.size**0.5


@pytest.mark.parametrize("depth", [0, 1])
def test_how_many_trials_are_at_hand_changes_nothing(depth, monkeypatch):
    space = _Space.of(TRIALS, 3, "both")
    (batch,) = space.batches(TRIALS, depth)
    weights = _Weights.of(space, np.random.default_rng(1).normal(0, 0.5, space.size))
    together, slope = _compute_likelihood(space, batch, weights, depth)
    monkeypatch.setattr(learned_rational, "CELLS_AT_HAND", 1)
    assert len(list(batch.parts())) == len(batch.chosen)
    apart, slope_apart = _compute_likelihood(space, batch, weights, depth)
    assert apart == pytest.approx(together, rel=1e-12)
    assert slope_apart == pytest.approx(slope, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("depth", [0, 1])
def test_it_learns_to_mention_colour_where_colour_was_mentioned(depth):
    speaker = LearnedRationalSpeaker(depth=depth, longest=3).fit(TRIALS)
    chosen = [speaker.select(view(where, "t")) for where, _ in DOMAINS]
    assert all("colour" in {p.name for p in said} for said in chosen)
    assert all("orientation" not in {p.name for p in said} for said in chosen)


def test_probabilities_sum_to_one_and_skip_what_the_target_lacks():
    speaker = LearnedRationalSpeaker(longest=3).fit(TRIALS)
    bare = scene(t="colour:red", a="colour:blue")
    found = speaker.distribution(view(bare, "t"))
    assert sum(chance for _, chance in found) == pytest.approx(1.0)
    assert sorted(found, key=lambda pair: len(pair[0])) == [(frozenset(), ANY), (frozenset(props("colour:red")), ANY)]


def knowing(space: _Space, weights: np.ndarray, **switches: Any) -> LearnedRationalSpeaker:
    """A speaker with these weights, whatever trials would have taught it."""
    speaker = LearnedRationalSpeaker(**switches)
    speaker.models_ = {(None,): (space, weights)}
    return speaker


def test_a_name_without_a_value_is_no_message_by_hand():
    """The target has no size, so there are two messages, {} and {red}; saying a colour weighs ln 3 where it is true.

    S0(t) = 1/4, 3/4 and S0(a) = 1/2, 1/2 (red is not true of a). L1(t) = (1/4)/(3/4) = 1/3 and (3/4)/(5/4) = 3/5. S1(t) = 1/3 : 3/5 = 5/14, 9/14.
    """
    space = _Space.of([trial(scene(t="colour:red size:big", a="colour:blue size:small"), "colour:red")], 2, "general")
    weights = np.zeros(space.size)
    weights[space.names.index("colour")] = np.log(3)
    bare = view(scene(t="colour:red", a="colour:blue"), "t")
    red = frozenset(props("colour:red"))
    for depth, nothing, named in ((0, 1 / 4, 3 / 4), (1, 5 / 14, 9 / 14)):
        found = knowing(space, weights, depth=depth, longest=2, features="general").distribution(bare)
        assert [said for said, _ in found] == [red, frozenset()]
        assert [chance for _, chance in found] == pytest.approx([named, nothing])


PATCHY = scene(
    t="type:chair colour:red", a="type:chair size:big", b="colour:red size:small", c="type:desk", d="size:big"
)
"""No entity has a value of everything."""


def in_plain_code(space: _Space, weights: list[float], where: Scene, longest: int, depth: int) -> dict[Any, float]:
    """The formula as printed, with dictionaries: messages are the sets of the target's own values, and θ·φ scores them.

    Softmax over messages makes it S0, over entities L1, over messages again S1.
    """
    width = len(space.places)
    own = where.entity("t").attributes
    messages = [frozenset(m) for n in range(longest + 1) for m in combinations(own, n)]

    def score(entity: Entity, message: frozenset[Property]) -> float:
        row = next(
            i
            for i, told in enumerate(space.messages.tolist())
            if {n for n, said in zip(space.names, told, strict=True) if said} == {p.name for p in message}
        )
        pairs = sum(weights[space.places[u] * width + space.places[v]] for u in entity.attributes for v in message)
        look = sum(f * w for f, w in zip(space.looks[row].tolist(), weights[width * width :], strict=True))
        return pairs + (look if message <= set(entity.attributes) else 0.0)

    def shares(scores: dict[Any, float]) -> dict[Any, float]:
        return {key: exp(value) / sum(map(exp, scores.values())) for key, value in scores.items()}

    literal = {e.id: shares({m: score(e, m) for m in messages}) for e in where.entities}
    if not depth:
        return literal["t"]
    return shares({m: log(literal["t"][m] / sum(row[m] for row in literal.values())) for m in messages})


@pytest.mark.parametrize("depth", [0, 1])
def test_where_values_are_missing_the_formula_holds_and_so_do_its_slopes(depth):
    trials = [trial(PATCHY, said, target) for target, said in (("t", "type:chair"), ("a", "size:big"), ("b", ""))]
    space = _Space.of(trials, 3, "both")
    weights = np.random.default_rng(2).normal(0, 1, space.size)
    found = knowing(space, weights, depth=depth, longest=3).distribution(view(PATCHY, "t"))
    expected = in_plain_code(space, weights.tolist(), PATCHY, 3, depth)
    assert len(found) == len(expected) == 4
    assert dict(found) == pytest.approx(expected, abs=1e-12)
    (batch,) = space.batches(trials, depth)

    def likelihood(weights: np.ndarray) -> tuple[float, np.ndarray]:
        return _compute_likelihood(space, batch, _Weights.of(space, weights), depth)

    assert check_grad(lambda w: likelihood(w)[0], lambda w: likelihood(w)[1], weights) < 1e-4 * space.size**0.5


def test_unseen_values_are_no_obstacle():
    speaker = LearnedRationalSpeaker(longest=3).fit(TRIALS)
    assert set(speaker.select(view(scene(t="type:lamp colour:pink", a="type:desk colour:grey"), "t"))) <= set(
        props("type:lamp colour:pink")
    )


def test_a_group_never_seen_is_named():
    with pytest.raises(InputError, match="no training data for domain = moon"):
        LearnedRationalSpeaker(longest=2, iterations=2).fit(TRIALS).select(view(DOMAINS[0][0], "t", domain="moon"))


def test_it_needs_training():
    with pytest.raises(NotTrained):
        LearnedRationalSpeaker().select(view(DOMAINS[0][0], "t"))


@pytest.mark.data
def test_tuna_furniture_reaches_the_published_level(data_folder):
    # Monroe & Potts (2015), five-fold cross-validation over 420 furniture trials, recomputed from their predictions
    # (monroe_potts_2015_runs_recomputed.csv): S0 basic+gen accuracy .281, Dice .729; S1 .276, .738. One fold of 84 here.
    trials = tuna(data_folder, "furniture")
    Random(1).shuffle(trials)
    test, train = trials[:84], trials[84:]
    speaker = LearnedRationalSpeaker(depth=1).fit(train)
    pairs = [(set(speaker.select(t.for_speaker())), set(t.references[0].properties)) for t in test]
    assert mean(a == b for a, b in pairs) == pytest.approx(0.30, abs=0.08)
    assert mean(dice(*pair) for pair in pairs) == pytest.approx(0.74, abs=0.05)


def test_more_messages_than_can_be_learned_from_are_refused_with_a_remedy():
    """27 attributes, up to four of them: 1 + 27 + 351 + 2,925 + 17,550 = 20,854 messages; up to three: 3,304."""
    where = scene(**{i: " ".join(f"k{n}:{i}" for n in range(27)) for i in "abcdef"})
    trials = [trial(where, "k0:a", "a")]
    with pytest.raises(InputError, match=r"27 attributes make 20,854 messages(.|\n)*longest:3"):
        LearnedRationalSpeaker().fit(trials)
    assert LearnedRationalSpeaker(longest=3, iterations=1).fit(trials).select(view(where, "a")) is not None


def test_how_trials_are_batched_changes_nothing(monkeypatch):
    trials = list(Synthetic(speakers=3).trials())
    whole = LearnedRationalSpeaker(longest=2, iterations=5).fit(trials)
    monkeypatch.setattr("referee.selection.learned_rational.MOST_CELLS", 1000)
    pieces = LearnedRationalSpeaker(longest=2, iterations=5).fit(trials)
    for one in trials[:13]:
        ours, theirs = (dict(s.distribution(one.for_speaker())) for s in (whole, pieces))
        assert ours == pytest.approx(theirs, abs=1e-6)
