"""One denotation for all: what `describe` reports, what `score` measures, what the literal hearer chooses and what explanations count agree on random scenes.

The independent source is `naive_meaning`, an evaluator without bit sets.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from naive_meaning import singles_out
from referee import create
from referee.contracts import Batch
from referee.jobs.describe import describe_view, describe_with_speaker
from referee.records import Description, Entity, Property, Relation, Scene, Trial

SYSTEMS = (
    "classic/incremental",
    "classic/full-brevity",
    "classic/boolean",
    "classic/relational",
    "classic/greedy",
    "classic/gradable",
    "classic/partitioned",
    "classic/graph|landmarks:2",
    "baseline/everything",
)


def random_trial(rng: Random, number: int) -> Trial:
    ids = [f"e{i}" for i in range(rng.randint(3, 6))]
    entities = tuple(
        Entity(
            id=i,
            attributes=(
                Property("type", rng.choice(("cup", "box"))),
                Property("colour", rng.choice(("red", "blue", "green"))),
                *([Property("size", rng.choice((10, 20, 30)))] if number % 2 else []),
                *([Property("x-dimension", rng.randint(1, 5))] if number % 3 == 0 else []),
            ),
            relations=tuple(
                Relation(rng.choice(("on", "near")), o)
                for o in ids
                if o != i and number % 2 == 0 and rng.random() < 0.2
            ),
        )
        for i in ids
    )
    targets = tuple(rng.sample(ids, 2 if number % 4 == 1 else 1))
    return Trial(id=f"t{number}", scene=Scene(entities=entities), targets=targets)


@pytest.mark.parametrize("system", SYSTEMS)
def test_describe_score_listen_and_explain_agree(system: str) -> None:
    rng = Random(f"agreement {system}")
    unique, hearer = create("metric", "scene/unique"), create("hearer", "literal")
    outcomes = set()
    # Without training data all costs and preferences are equal.
    untrained = [] if system in ("classic/partitioned", "classic/graph|landmarks:2") else None
    for number in range(60):
        trial = random_trial(rng, number)
        described = describe_view(trial.for_speaker(), system, untrained)
        assert described.meaning is not None
        assert described.dropped == described.false == ()
        expected = singles_out(described.meaning, trial.scene, set(trial.targets))
        output = Description(properties=described.properties, meaning=described.meaning)
        assert bool(unique.statistics(Batch.of([output], [trial]))[0, 0]) == expected
        response = hearer.resolve(output, trial.for_hearer(Random(number)))
        chosen = set(response.entities) or {response.entity}
        assert (chosen == set(trial.targets)) == expected
        # The words may say more than was chosen, or less; the steps end as the words do.
        left = described.steps[-1].remaining if described.steps else len(trial.scene.entities) - len(trial.targets)
        is_closed = left == 0 and described.steps[-1].property is not None
        assert is_closed == bool(described.distinguishing), (described.text, described.steps)
        assert described.distinguishing or not expected or described.also, described.text
        outcomes.add(expected)
    assert outcomes == {True, False} or system == "classic/boolean"


def test_the_explanation_of_words_in_parts_is_of_these_parts() -> None:
    """A trained realiser words each target alone; its selector's account of all targets at once would end otherwise."""
    rng = Random("parts")
    training = [trial for number in range(40) if len((trial := random_trial(rng, number)).targets) == 1]
    speaker = create("system", "tunareg2009/GRAPH")
    speaker.fit([_described(trial) for trial in training])
    pairs = [trial for number in range(1, 80, 4) if (trial := random_trial(rng, number))]
    for trial in pairs:
        described = describe_with_speaker(speaker, trial.for_speaker())
        is_closed = not described.steps or (
            described.steps[-1].remaining == 0 and described.steps[-1].property is not None
        )
        assert is_closed == bool(described.distinguishing), (described.text, described.steps)


def _described(trial: Trial) -> Trial:
    described = describe_view(trial.for_speaker(), "classic/incremental")
    reference = Description(text=described.text, properties=described.properties)
    return replace(trial, references=(reference,), domain="things")
