"""The incremental entries with a twist, on rooms small enough to walk through by hand."""

from __future__ import annotations

import pytest
from rooms import room, trial, written

from referee.errors import NotTrained
from referee.records import Property
from referee.systems.ordered_walks import BackedOffOrder, CentreRule, FrequentFirst, GroupedOrder, PriorsWithinReach


def test_a_place_in_the_middle_column_is_not_named_without_the_row() -> None:
    """x is said most; it rules out the second chair. The row that comes with it rules out the third, so colour is not needed."""
    scene = room(
        "type:chair colour:red x-dimension:3 y-dimension:1",
        "type:chair colour:red x-dimension:1 y-dimension:1",
        "type:chair colour:blue x-dimension:3 y-dimension:2",
    )
    training = [trial(scene, "type x-dimension"), trial(scene, "type x-dimension colour")]
    view = trial(scene).for_speaker()
    assert written(CentreRule().fit(training).select(view)) == "type:chair x-dimension:3 y-dimension:1"
    assert written(CentreRule(centres=()).fit(training).select(view)) == "type:chair x-dimension:3 colour:red"


def test_a_place_at_the_edge_is_named_alone() -> None:
    scene = room("type:chair x-dimension:5 y-dimension:2", "type:chair x-dimension:1 y-dimension:2")
    chosen = CentreRule().fit([trial(scene, "x-dimension")]).select(trial(scene).for_speaker())
    assert written(chosen) == "type:chair x-dimension:5"


def test_the_middle_row_brings_the_column_even_if_that_tells_nothing() -> None:
    scene = room("type:chair x-dimension:4 y-dimension:2", "type:chair x-dimension:4 y-dimension:1")
    chosen = CentreRule().fit([trial(scene, "y-dimension")]).select(trial(scene).for_speaker())
    assert written(chosen) == "type:chair y-dimension:2 x-dimension:4"


NEAR = room(
    "type:fan colour:red size:large",
    "type:fan colour:blue size:small",
    "type:fan colour:red size:small",
    "type:fan colour:red size:small",
)
NEAR_TRAINING = [trial(NEAR, " ".join((["colour"] if i < 10 else []) + (["size"] if i < 9 else []))) for i in range(20)]


def test_of_priors_within_five_points_the_most_telling_pair_is_taken() -> None:
    """Priors by the training trials: colour 10/20 = .50, size 9/20 = .45; size rules out all three, colour one."""
    view = trial(NEAR).for_speaker()
    assert written(PriorsWithinReach().fit(NEAR_TRAINING).select(view)) == "type:fan size:large"


@pytest.mark.parametrize("settings", [{"reach": 0.04}, {"relative": True}])
def test_out_of_reach_the_higher_prior_goes_first(settings: dict[str, float]) -> None:
    """Five per cent of .50 is .025: .45 is out of reach."""
    view = trial(NEAR).for_speaker()
    chosen = PriorsWithinReach(**settings).fit(NEAR_TRAINING).select(view)  # type: ignore[arg-type]
    assert written(chosen) == "type:fan colour:red size:large"


DIFFERENT = room("type:desk colour:red size:large y-dimension:1", "type:desk colour:blue size:small y-dimension:3")
HABITS = [
    trial(DIFFERENT, "y-dimension", condition="+LOC", speaker="a"),
    trial(DIFFERENT, "y-dimension", condition="+LOC", speaker="a"),
    trial(DIFFERENT, "colour", condition="+LOC", speaker="b"),
    trial(DIFFERENT, "colour", condition="-LOC", speaker="b"),
    trial(DIFFERENT, "size", condition="-LOC", speaker="c"),
    trial(DIFFERENT, "size", condition="-LOC", speaker="c"),
]


@pytest.mark.parametrize(
    ("personal", "condition", "speaker", "expected"),
    [
        (False, "+LOC", "c", "y-dimension:1"),
        (False, "-LOC", "a", "size:large"),
        (True, "+LOC", "c", "size:large"),
        (True, "-LOC", "a", "y-dimension:1"),
        (True, "+LOC", "a stranger", "y-dimension:1"),
    ],
)
def test_order_comes_from_the_condition_unless_the_speaker_has_a_habit(
    personal: bool, condition: str, speaker: str, expected: str
) -> None:
    selector = BackedOffOrder(personal).fit(HABITS)
    view = trial(DIFFERENT, condition=condition, speaker=speaker).for_speaker()
    assert written(selector.select(view)) == f"{expected} type:desk"


def test_what_a_condition_lacks_is_ranked_by_its_count_over_all_conditions() -> None:
    """Under -LOC colour was said once and y never; over all conditions y was said twice, so y comes before colour."""
    training = [t for t in HABITS if "size" not in written(t.references[0].properties or ())]
    view = trial(DIFFERENT, condition="-LOC").for_speaker()
    assert written(BackedOffOrder().fit(training).select(view)) == "y-dimension:1 type:desk"


CROWD = room(
    "type:sofa colour:red size:large y-dimension:1",
    "type:sofa colour:red size:small y-dimension:1",
    "type:sofa colour:red size:small y-dimension:3",
)
COUNTS = [
    *[trial(CROWD, "type colour y-dimension") for _ in range(6)],
    *[trial(CROWD, "type colour size") for _ in range(3)],
    trial(CROWD, "type size"),
]


def test_what_most_people_say_is_said_even_if_it_tells_nothing_and_one_attribute_that_does_the_rest_beats_a_frequent_one() -> (
    None
):
    """Shares: type 1, colour .9, y .6, size .4. y leaves one sofa, size none."""
    chosen = FrequentFirst().fit(COUNTS).select(trial(CROWD).for_speaker())
    assert written(chosen) == "type:sofa colour:red size:large"


def test_a_share_at_the_threshold_is_not_above_it() -> None:
    chosen = FrequentFirst(threshold=0.9).fit(COUNTS).select(trial(CROWD).for_speaker())
    assert written(chosen) == "type:sofa size:large"


def test_groups_go_before_counts_and_the_type_is_said_only_if_needed() -> None:
    groups = {"furniture": (("size", "colour"), ("y-dimension", "type"))}
    chosen = GroupedOrder(groups).fit(COUNTS).select(trial(CROWD).for_speaker())
    assert written(chosen) == "size:large"


def test_without_groups_for_a_domain_counts_alone_decide() -> None:
    training = [trial(CROWD, "y-dimension", domain="people"), trial(CROWD, "y-dimension size", domain="people")]
    chosen = GroupedOrder({}).fit(training).select(trial(CROWD, domain="people").for_speaker())
    assert written(chosen) == "y-dimension:1 size:large"


@pytest.mark.parametrize("selector", [CentreRule(), PriorsWithinReach(), BackedOffOrder(), FrequentFirst()])
def test_learned_orders_must_be_learned_first(selector: CentreRule) -> None:
    with pytest.raises(NotTrained, match=type(selector).__name__):
        selector.select(trial(CROWD).for_speaker())


@pytest.mark.parametrize("selector", [CentreRule(), PriorsWithinReach(), BackedOffOrder(), FrequentFirst()])
def test_a_target_with_a_double_gets_whatever_helped(selector: CentreRule) -> None:
    scene = room("type:fan colour:red", "type:fan colour:red", "type:fan colour:blue")
    chosen = selector.fit([trial(scene, "type colour")]).select(trial(scene).for_speaker())
    assert set(chosen) == {Property("type", "fan"), Property("colour", "red")}


def test_a_walk_can_be_retold() -> None:
    steps = FrequentFirst().fit(COUNTS).explain(trial(CROWD).for_speaker())
    assert [(str(s.property), s.ruled_out, s.remaining) for s in steps] == [
        ("type:sofa", (), 2),
        ("colour:red", (), 2),
        ("size:large", ("1", "2"), 0),
    ]
