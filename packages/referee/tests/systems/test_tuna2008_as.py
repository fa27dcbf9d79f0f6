"""TUNA-AS 2008: what the fourteen entries have in common with print (Gatt, Belz & Kow 2008, table 3)."""

from __future__ import annotations

import pytest
from replicating import (
    Outputs,
    by_domain,
    cross_validate,
    described,
    mean_difference,
    printed,
    rank_correlation,
    scores,
)

from referee.records import Trial
from referee.systems import tuna2008_as

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def outputs(trials: list[Trial]) -> Outputs:
    return cross_validate(tuna2008_as, trials)


@pytest.fixture(scope="module")
def dice(outputs: Outputs, trials: list[Trial]) -> dict[str, float]:
    return scores("set/dice", outputs, trials)


def test_systems_rank_as_in_print(dice: dict[str, float]) -> None:
    """Five cuts by speaker (seeds 1 to 5) gave .88 to .97."""
    assert rank_correlation(dice, printed(tuna2008_as, "set/dice")) >= 0.85


def test_faithful_systems_score_near_to_print(dice: dict[str, float]) -> None:
    faithful = [name for name, row in tuna2008_as.TABLE.items() if row.evidence == "faithful"]
    assert len(faithful) == 9  # ATT-FB-f, -sf and -sr were fitted to print
    assert mean_difference(dice, printed(tuna2008_as, "set/dice"), faithful) <= 0.06


def test_exactly_the_systems_that_are_minimal_in_print_are_always_minimal(
    outputs: Outputs, trials: list[Trial]
) -> None:
    """In print minimality is 1 for the four ATT-FB and 0 for all others; the type counts like any attribute."""
    assert scores("scene/minimal", outputs, trials) == printed(tuna2008_as, "scene/minimal")


def test_every_description_singles_out_its_target(outputs: Outputs, trials: list[Trial]) -> None:
    assert set(scores("scene/unique", outputs, trials).values()) == {1.0}


def test_among_strangers_personal_systems_say_what_their_plain_forms_say(outputs: Outputs) -> None:
    """In print, too, all scores of ATT-DR-sf equal those of ATT-DR-b, and the three ATT-FB that look sets up are one."""
    assert outputs["ATT-DR-sf"] == outputs["ATT-DR-b"]
    assert outputs["ATT-FB-sf"] == outputs["ATT-FB-f"] == outputs["ATT-FB-sr"]


def test_the_last_smallest_set_explains_the_scores_of_the_att_systems_that_look_sets_up(
    outputs: Outputs, trials: list[Trial]
) -> None:
    """Printed: furniture .231, people .307 (table 3); the first smallest set would give .347 and .243."""
    found = by_domain("set/dice", outputs["ATT-FB-f"], trials)
    assert found == pytest.approx({"furniture": 0.231, "people": 0.307}, abs=0.01)


def test_the_submitted_programs_score_as_king_2008_reports_for_training_data(
    outputs: Outputs, trials: list[Trial]
) -> None:
    """Dice .61 furniture, .35 people on the challenge's training data, which are most of these trials."""
    found = by_domain("set/dice", outputs["OSU-GP"], trials)
    assert found == pytest.approx({"furniture": 0.61, "people": 0.35}, abs=0.03)


def test_among_known_speakers_their_own_order_scores_as_on_the_development_set(trials: list[Trial]) -> None:
    """Di Fabbrizio, Stent & Bangalore 2008, table 1: ATT-DR-sf .86 furniture, .78 people."""
    said = described(tuna2008_as, "ATT-DR-sf", trials, ("challenge", 5))
    found = by_domain("set/dice", said, trials)
    assert found == pytest.approx({"furniture": 0.86, "people": 0.78}, abs=0.04)
