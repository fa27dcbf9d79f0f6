"""Hearers that do not listen: chance, and what targets look like."""

from __future__ import annotations

from math import exp, log
from random import Random

import pytest

from referee.errors import InputError, NotTrained
from referee.hearers.baselines import Majority, Position
from referee.records import Description, Entity, HearerView, Property, Scene, Trial

WORDLESS = Description()


def trial(number: int, *colours: str, target: int = 0) -> Trial:
    entities = tuple(Entity(id=f"e{i}", attributes=(Property("colour", c),)) for i, c in enumerate(colours))
    return Trial(id=str(number), scene=Scene(entities=entities), targets=(f"e{target}",))


def view_of(trial: Trial) -> HearerView:
    return HearerView(id=trial.id, scene=trial.scene)


@pytest.mark.parametrize(("place", "entity"), [(0, "e0"), (2, "e2"), (-1, "e2")])
def test_position_always_points_at_its_place(place: int, entity: str) -> None:
    assert Position(place).resolve(WORDLESS, view_of(trial(1, "red", "red", "blue"))).entity == entity


def test_position_is_right_as_often_as_chance_has_it() -> None:
    views = [trial(n, "red", "blue", "green", "grey").for_hearer(Random(n)) for n in range(2000)]
    right = sum(Position().resolve(WORDLESS, view).entity == "e0" for view in views)
    # binomial, n = 2000, p = 1/4: 500 ± 4 standard deviations of 19.4
    assert 422 < right < 578


def test_a_place_that_a_scene_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="from -2 to 1"):
        Position(2).resolve(WORDLESS, view_of(trial(1, "red", "blue")))


def test_majority_points_at_what_targets_look_like() -> None:
    hearer = Majority().fit([trial(n, "red", "blue") for n in range(3)])
    response = hearer.resolve(WORDLESS, view_of(trial(9, "blue", "red")))
    assert response.entity == "e1"
    # three targets red, three others not: log odds ±log(3.5/0.5) on either side, so red and blue are 4·log 7 apart
    apart = exp(-4 * log(7))
    assert dict(response.probabilities or ()) == pytest.approx({"e0": apart / (1 + apart), "e1": 1 / (1 + apart)})


def test_majority_must_be_trained() -> None:
    with pytest.raises(NotTrained):
        Majority().resolve(WORDLESS, view_of(trial(1, "red")))
