"""Scene measures against hand calculation, plain Python definitions and counts published with the TUNA corpus."""

from __future__ import annotations

import json
from math import isclose, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from worlds import PLAIN, batches, denoted, fewest_by_enumeration, kept_by_enumeration, props, said, scene, trial

from referee.contracts import Batch
from referee.errors import InputError
from referee.metrics.discrimination import Bits, Deficit, Minimal, Remaining, SpecificityDice, Surplus, Unique
from referee.metrics.distributions import Over, Under
from referee.metrics.measure import Measure
from referee.metrics.sets import Dice
from referee.records import Description, Entity, Property, Relation, Scene, Trial

# P = a, Q = b, R = c as properties of the target; {P, Q} is minimal and {P, R} does not identify it
# (the example of van Deemter & Gatt 2007, section 1.2)
SEED = scene("p:1 q:1 r:1", "p:1 r:1", "q:1 r:1")
FANS = scene(
    "type:fan colour:red size:big",
    "type:fan colour:blue size:big",
    "type:desk colour:red size:big",
    "type:desk colour:blue size:small",
)


def value(measure: Measure, output: str, where: Scene, *references: str, targets: tuple[str, ...] = ("0",)) -> float:
    return float(measure.measure(said(output), trial(where, *references, targets=targets))[0])


def test_uniqueness_sees_what_dice_does_not() -> None:
    assert value(Dice(), "p:1 q:1", SEED, "p:1 q:1 r:1") == value(Dice(), "p:1 r:1", SEED, "p:1 q:1 r:1")
    assert value(Unique(), "p:1 q:1", SEED) == 1
    assert value(Unique(), "p:1 r:1", SEED) == 0
    assert value(Minimal(), "p:1 q:1", SEED) == 1
    assert value(Minimal(), "p:1 q:1 r:1", SEED) == 0


def test_a_description_false_of_the_target_is_not_unique_and_keeps_whom_it_is_true_of() -> None:
    assert value(Unique(), "colour:blue", FANS) == 0
    assert value(Remaining(), "colour:blue", FANS) == 2
    assert value(Remaining(), "type:desk colour:red", FANS) == 1
    assert np.isnan(value(Deficit(), "colour:blue", FANS))


def test_remaining_counts_shares_and_bits() -> None:
    assert value(Remaining(), "type:fan", FANS) == 1
    assert value(Remaining(share=True), "type:fan", FANS) == pytest.approx(1 / 3)
    assert value(Bits(), "size:big", FANS) == pytest.approx(log2(3))
    assert value(Remaining(), "", FANS) == 3


def test_minimality_with_the_type_for_free() -> None:
    # type + colour is minimal either way; with the type free, colour alone counts as one property
    assert value(Minimal(), "type:fan colour:red", FANS) == 1
    assert value(Minimal(count_type=False), "type:fan colour:red", FANS) == 1
    assert value(Minimal(count_type=False), "type:fan colour:red size:big", FANS) == 0
    chairs = scene("type:chair colour:red", "type:chair colour:blue")
    assert value(Minimal(), "type:chair colour:red", chairs) == 0
    assert value(Minimal(count_type=False), "type:chair colour:red", chairs) == 1


def test_nothing_is_minimal_among_twins() -> None:
    twins = scene("colour:red", "colour:red")
    assert value(Minimal(), "colour:red", twins) == 0
    assert np.isnan(value(Deficit(), "colour:red", twins))
    assert np.isnan(value(Surplus(method="size"), "colour:red", twins))


def test_surplus_three_ways() -> None:
    # said in an order that makes the greedy way drop the two properties that only together replace the third
    where = scene("a:1 b:1 c:1", "a:1", "b:1", "c:1 b:1")
    assert value(Surplus(), "a:1 b:1 c:1", where) == 1
    lines = scene("x:1 y:1 z:1", "x:1 z:1", "y:1 z:1", "x:1 y:1")
    assert value(Surplus(), "x:1 y:1 z:1", lines) == 0
    best = scene("k:1 l:1 m:1", "l:1", "m:1")
    assert value(Surplus(), "k:1 l:1 m:1", best) == 2
    assert value(Surplus(method="greedy"), "k:1 l:1 m:1", best) == 1
    assert value(Surplus(method="greedy"), "l:1 m:1 k:1", best) == 2
    assert value(Surplus(method="size"), "k:1 l:1 m:1", best) == 2
    assert value(Surplus(method="size"), "type:fan", FANS) == -1


def test_the_type_need_not_count_as_surplus() -> None:
    chairs = scene("type:chair colour:red", "type:chair colour:blue")
    assert value(Surplus(), "type:chair colour:red", chairs) == 1
    assert value(Surplus(count_type=False), "type:chair colour:red", chairs) == 0


def test_deficit_is_what_is_still_to_be_said() -> None:
    assert value(Deficit(), "", FANS) == 2
    assert value(Deficit(), "type:fan", FANS) == 1
    assert value(Deficit(), "type:fan colour:red", FANS) == 0


def test_specificity_dice_takes_off_for_leaving_more_distractors_than_the_human() -> None:
    # Dice 2/3; one distractor of three remains for the output, none for the human
    assert value(SpecificityDice(), "type:fan", FANS, "type:fan colour:red") == pytest.approx(2 / 3 - 1 / 3)
    assert value(SpecificityDice(weight=0.5), "type:fan", FANS, "type:fan colour:red") == pytest.approx(2 / 3 - 1 / 6)
    assert value(SpecificityDice(), "p:1 q:1", SEED, "p:1 q:1 r:1") > value(
        SpecificityDice(), "p:1 r:1", SEED, "p:1 q:1 r:1"
    )


def test_several_targets_must_be_denoted_exactly() -> None:
    assert value(Unique(), "type:fan", FANS, targets=("0", "1")) == 1
    assert value(Unique(), "type:fan", FANS, targets=("0", "2")) == 0
    assert value(Minimal(), "type:fan size:big", FANS, targets=("1", "0")) == 0


def test_large_scenes_take_several_words() -> None:
    crowd = scene("colour:red mark:yes", *["colour:red"] * 99, *["colour:blue mark:yes"] * 50)
    assert value(Remaining(), "colour:red", crowd) == 99
    assert value(Remaining(), "mark:yes", crowd) == 50
    assert value(Unique(), "colour:red mark:yes", crowd) == 1
    assert value(Deficit(), "colour:red", crowd) == 1
    assert value(Unique(), "colour:blue", crowd, targets=tuple(map(str, range(100, 150)))) == 1


def test_a_landmark_is_read_with_its_relation() -> None:
    where = Scene(
        entities=(
            Entity(id="0", attributes=props("type:ball"), relations=(Relation("left", "2"),)),
            Entity(id="1", attributes=props("type:ball"), relations=(Relation("left", "3"),)),
            Entity(id="2", attributes=props("type:cube colour:red")),
            Entity(id="3", attributes=props("type:cube colour:blue")),
        )
    )
    assert value(Remaining(), "type:ball left:2", where) == 1
    assert value(Unique(), "type:ball left:2 landmark.colour:red", where) == 1
    assert value(Surplus(), "type:ball left:2 landmark.colour:red", where) == 2


def test_what_only_a_landmark_s_landmark_tells_apart_is_unique_but_not_minimal() -> None:
    ball, cube = props("type:ball"), props("type:cube")
    where = Scene(
        entities=(
            Entity(id="0", attributes=ball, relations=(Relation("left", "2"),)),
            Entity(id="1", attributes=ball, relations=(Relation("left", "3"),)),
            Entity(id="2", attributes=cube, relations=(Relation("left", "4"),)),
            Entity(id="3", attributes=cube, relations=(Relation("left", "5"),)),
            Entity(id="4", attributes=props("type:plate colour:red")),
            Entity(id="5", attributes=props("type:plate colour:blue")),
        )
    )
    nested = "type:ball left:2 landmark.left:4 landmark.landmark.colour:red"
    assert value(Unique(), nested, where) == 1
    assert value(Minimal(), nested, where) == 0


def test_without_target_or_scene_there_is_nothing_to_measure() -> None:
    nowhere = Trial(id="n", scene=Scene(entities=()), targets=())
    free = Trial(id="f", scene=FANS, targets=())
    batch = Batch.of([said("type:fan"), said("type:fan"), None], [nowhere, free, trial(FANS)])
    for measure in (Unique(), Minimal(), Remaining(), Bits(), Surplus(), Deficit(), SpecificityDice(), Over(), Under()):
        assert np.isnan(measure.statistics(batch)).all()


def test_a_target_outside_the_scene_is_named() -> None:
    with pytest.raises(InputError, match="trial 't' has the target 'x'"):
        value(Unique(), "type:fan", FANS, targets=("x",))


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InputError, match="exact, greedy, size"):
        value(Surplus(method="best"), "type:fan", FANS)


def plain_values(description: tuple[Property, ...], here: Trial) -> dict[str, float]:
    """All scene measures from their definitions, by enumeration."""
    where, targets = here.scene, set(here.targets)
    different = tuple(dict.fromkeys(description))
    found = denoted(different, where)
    left = len(found - targets)
    smallest = fewest_by_enumeration(where, targets, ())
    keep = kept_by_enumeration(where, targets, different)
    deficit = fewest_by_enumeration(where, targets, different)
    types = tuple(p for p in PLAIN if p.name == "type" and targets <= denoted((p,), where))
    beside_type = fewest_by_enumeration(where, targets, types)
    fixed, loose = (tuple(p for p in different if (p.name == "type") is kind) for kind in (True, False))
    unique = found == targets
    return {
        "unique": unique,
        "minimal": unique and len(different) == smallest,
        "minimal.no-type": unique and len(loose) == beside_type,
        "remaining": left,
        "share": left / (len(where.entities) - len(targets)) if len(where.entities) > len(targets) else 0,
        "bits": log2(1 + left),
        "surplus": len(different) - keep,
        "surplus.no-type": len(loose) - kept_by_enumeration(where, targets, loose, fixed),
        "size": np.nan if smallest is None else len(different) - smallest,
        "deficit": np.nan if deficit is None else deficit,
        "over": unique and keep < len(different),
        "under": not unique,
    }


MEASURES: dict[str, Measure] = {
    "unique": Unique(),
    "minimal": Minimal(),
    "minimal.no-type": Minimal(count_type=False),
    "remaining": Remaining(),
    "share": Remaining(share=True),
    "bits": Bits(),
    "surplus": Surplus(),
    "surplus.no-type": Surplus(count_type=False),
    "size": Surplus(method="size"),
    "deficit": Deficit(),
    "over": Over(),
    "under": Under(),
}


def same(one: float, other: float) -> bool:
    return isclose(one, other, abs_tol=1e-12) or bool(np.isnan(one) and np.isnan(other))


def check_against_plain_python(batch: Batch) -> None:
    rows = {name: measure.statistics(batch)[:, 0] for name, measure in MEASURES.items()}
    for i, (output, here) in enumerate(zip(batch.outputs, batch.trials, strict=True)):
        if output is None or output.properties is None:
            assert all(np.isnan(r[i]) for r in rows.values())
            continue
        for name, wanted in plain_values(output.properties, here).items():
            assert same(rows[name][i], float(wanted)), name


@given(batches(length=4))
def test_plain_scenes_give_what_enumeration_gives(batch: Batch) -> None:
    check_against_plain_python(batch)


@given(batches(related=True, most=4, length=3))
def test_scenes_with_relations_give_what_enumeration_gives(batch: Batch) -> None:
    check_against_plain_python(batch)


@given(batches(related=True))
def test_specificity_dice_is_dice_less_the_difference_in_distractors(batch: Batch) -> None:
    dice = Dice(references="best").statistics(batch)[:, 0]
    rows = SpecificityDice(references="best", weight=0.25).statistics(batch)[:, 0]
    for row, output, here in zip(rows, batch.outputs, batch.trials, strict=True):
        if np.isnan(row):
            continue
        assert output is not None
        targets = set(here.targets)
        left = len(denoted(output.properties or (), here.scene) - targets)
        others = max(1, len(here.scene.entities) - len(targets))
        single = [
            Dice().measure(output, Trial(id="x", scene=here.scene, targets=here.targets, references=(r,)))[0]
            - 0.25 * abs(left - len(denoted(r.properties, here.scene) - targets)) / others
            for r in here.references
            if r.properties is not None
        ]
        assert row == pytest.approx(max(single))
    assert np.array_equal(np.isnan(dice), np.isnan(rows))


def true_pairs(line: dict) -> tuple[Description, Trial]:
    """A TUNA trial with the human attribute set as output, reduced to the pairs that are true of the target."""
    entities = tuple(
        Entity(id=e["id"], attributes=tuple(Property(*a) for a in e["attributes"].items())) for e in line["entities"]
    )
    target = next(e for e in entities if e.id == line["target"])
    chosen = tuple(p for a in line["attribute_set"] if (p := Property(a["name"], a["value"])) in target.attributes)
    return Description(properties=chosen), Trial(
        id=line["id"], scene=Scene(entities=entities), targets=(line["target"],)
    )


# identifying with nothing to spare / redundant other than the type / not identifying, as counted in the corpus's own notes
TUNA_COUNTS = {
    ("furniture", "-LOC"): (78, 86, 46),
    ("furniture", "+LOC"): (71, 101, 38),
    ("people", "-LOC"): (63, 107, 10),
    ("people", "+LOC"): (80, 80, 20),
}


@pytest.mark.data
@pytest.mark.parametrize(("part", "counts"), TUNA_COUNTS.items())
def test_people_over_and_under_specify_as_often_as_the_corpus_says(
    data_folder: Path, part: tuple[str, str], counts: tuple[int, int, int]
) -> None:
    lines = map(json.loads, (data_folder / "tuna" / "tuna_singular.jsonl").read_text(encoding="utf-8").splitlines())
    pairs = [true_pairs(line) for line in lines if (line["domain"], line["condition"]) == part]
    batch = Batch.of([d for d, _ in pairs], [t for _, t in pairs])
    over = int(Over(count_type=False).statistics(batch).sum())
    under = int(Under().statistics(batch).sum())
    assert (len(batch) - over - under, over, under) == counts
