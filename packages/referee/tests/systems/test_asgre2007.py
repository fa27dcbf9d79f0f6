"""ASGRE 2007: what the sixteen entries have in common with print (Belz & Gatt 2008, table 1)."""

from __future__ import annotations

import pytest
from replicating import Outputs, cross_validate, mean_difference, printed, rank_correlation, scores

from referee.records import Trial
from referee.systems import asgre2007

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def outputs(trials: list[Trial]) -> Outputs:
    return cross_validate(asgre2007, trials)


@pytest.fixture(scope="module")
def dice(outputs: Outputs, trials: list[Trial]) -> dict[str, float]:
    return scores("set/dice", outputs, trials)


@pytest.mark.long
def test_systems_rank_as_in_print(dice: dict[str, float]) -> None:
    """Five cuts (seeds 1 to 5) gave .95 to .96."""
    assert rank_correlation(dice, printed(asgre2007, "set/dice")) >= 0.9


def test_the_faithful_system_scores_near_to_print(dice: dict[str, float]) -> None:
    faithful = [name for name, row in asgre2007.TABLE.items() if row.evidence == "faithful"]
    assert faithful == ["DIT-DS"]
    assert mean_difference(dice, printed(asgre2007, "set/dice"), faithful) <= 0.06


def test_reconstructions_stay_within_a_tenth_of_print(dice: dict[str, float]) -> None:
    theirs = printed(asgre2007, "set/dice")
    assert max(abs(dice[name] - theirs[name]) for name in theirs) < 0.1


def test_minimality_is_total_or_nil_where_it_is_in_print(outputs: Outputs, trials: list[Trial]) -> None:
    """In per cent there: 100 for IS-FBS; 0 for eight others."""
    ours, theirs = scores("scene/minimal", outputs, trials), printed(asgre2007, "scene/minimal")
    extremes = {name: value / 100 for name, value in theirs.items() if value in (0, 100)}
    assert len(extremes) == 9
    assert {name: ours[name] for name in extremes} == extremes


def test_every_description_singles_out_its_target(outputs: Outputs, trials: list[Trial]) -> None:
    """Belz & Gatt 2008 report that all outputs do."""
    assert set(scores("scene/unique", outputs, trials).values()) == {1.0}
