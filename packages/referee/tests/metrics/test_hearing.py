"""Hearing measures: the situated study's printed counts, ties, clocks, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
import pytest

from referee.errors import InputError
from referee.jobs.heard import make_hearing_rows
from referee.metrics.hearing import MEASURES, OVER_RESPONSES, Hearing, group_responses
from referee.records import Entity, Outcome, Response, Scene, Trial
from referee.statistics.clusters import cluster_bootstrap

PAIR = Scene(entities=(Entity(id="a"), Entity(id="b")))


def trial(name: str, *targets: str) -> Trial:
    return Trial(id=name, scene=PAIR, targets=targets or ("a",))


def response(who: str, item: str, right: bool = True, **more: object) -> Response:
    fields = {"outcome": Outcome.ENTITY, "entity": "a" if right else "b", **more}
    if fields["outcome"] != Outcome.ENTITY:
        fields["entity"] = None
    return Response(trial=item, hearer=who, **fields)  # type: ignore[arg-type]


def votes(counts: Iterable[int], evaluators: int) -> list[Response]:
    """So many of the evaluators are right about each item."""
    return [response(f"e{e}", f"i{i}", right=e < count) for i, count in enumerate(counts) for e in range(evaluators)]


def measured(responses: list[Response], ties: str = "strict") -> dict[str, float]:
    names = {r.trial for r in responses}
    (hearing,) = group_responses(responses, {n: trial(n) for n in names})[0].values()
    return dict(zip(MEASURES, hearing.measure(ties=ties).tolist(), strict=True))


def test_rates_of_the_situated_study_follow_from_its_counts() -> None:
    # Spanger et al. 2013, true positives: 20 items × 34 evaluators, 661 right, 19 wrong over 10 items; printed IR .972, MIR 1.000
    found = measured(votes([34] * 10 + [32] * 9 + [33], 34))
    assert found["ir"] == pytest.approx(0.972, abs=0.0005)
    assert found["mir"] == 1.0
    assert found["agreement"] == pytest.approx(661 / 680)
    # false negatives: 16 of 20 items right by majority, printed MIR .800
    assert measured(votes([30] * 16 + [10] * 4, 34))["mir"] == pytest.approx(0.800)


def test_a_majority_is_more_than_half() -> None:
    assert measured(votes([1, 2], 3))["mir"] == pytest.approx(0.5)


def test_agreement_is_over_majority_correct_items_only() -> None:
    # 3 of 4 and 4 of 4 right; the item with 1 of 4 does not count
    assert measured(votes([3, 4, 1], 4))["agreement"] == pytest.approx((0.75 + 1) / 2)


@pytest.mark.parametrize(
    ("ties", "mir", "agreement"), [("strict", 0.5, 0.75), ("half", 0.75, 2 / 3), ("correct", 1, 0.625)]
)
def test_a_tie_is_no_majority_unless_one_says_so(ties: str, mir: float, agreement: float) -> None:
    # items with 3 and 2 of 4 right; "half" weighs the tied item by 1/2: (0.75 + 0.5·0.5) / 1.5
    found = measured(votes([3, 2], 4), ties)
    assert (found["mir"], found["agreement"]) == pytest.approx((mir, agreement))


def test_ties_are_reported_and_unknown_ways_to_break_them_refused() -> None:
    (hearing,) = group_responses(votes([3, 2], 4), {"i0": trial("i0"), "i1": trial("i1")})[0].values()
    assert hearing.counts()["ties"] == 1
    with pytest.raises(InputError, match="strict, half, correct"):
        hearing.measure(ties="coin")


def test_outcomes_add_up_to_one_and_none_is_folded_into_wrong() -> None:
    others = [o for o in Outcome if o not in (Outcome.ENTITY, Outcome.POINT, Outcome.BOX)]
    said = [response("e", "i0"), response("e", "i1", right=False)]
    found = measured(said + [response("e", f"j{o}", outcome=o) for o in others])
    assert found["ir"] == found["error"] == pytest.approx(1 / (2 + len(others)))
    assert found["ir"] + found["error"] + sum(found[str(o)] for o in others) == pytest.approx(1)


def test_clocks_are_kept_apart_and_added_only_where_both_ran() -> None:
    found = measured(
        [
            response("e", "i0", reading_ms=1000.0, identification_ms=2000.0),
            response("e", "i1", identification_ms=4000.0),
            response("e", "i2"),
        ]
    )
    assert (found["reading_ms"], found["identification_ms"], found["combined_ms"]) == (1000, 3000, 3000)
    assert np.isnan(measured([response("e", "i0")])["reading_ms"]), "no clock is not 0 ms"


def test_a_corrected_click_counts_for_identification_but_not_for_time() -> None:
    said = [
        response("e", "i0", identification_ms=900.0, flags=("corrected",)),
        response("e", "i1", identification_ms=500.0),
    ]
    assert (measured(said)["ir"], measured(said)["identification_ms"]) == (1.0, 500.0)
    rows = make_hearing_rows([trial("i0"), trial("i1")], said)
    assert rows[0]["excluded"] == {"time of a corrected answer": 1}


def test_responses_without_one_referent_are_left_out_and_listed() -> None:
    said = [response("e", "two"), response("e", "elsewhere"), response("e", "one")]
    rows = {r["measure"]: r for r in make_hearing_rows([trial("one"), trial("two", "a", "b")], said)}
    assert rows["ir"]["n"] == 1
    assert rows["ir"]["excluded"] == {"several targets": 1, "trial not in the run": 1}
    (only,) = {r["value"] for r in make_hearing_rows([], said[:1])}
    assert only is None, "nothing to count is not 0"


def test_people_are_one_group_and_every_simulated_hearer_another() -> None:
    simulated = response("literal", "i0", probabilities=(("a", 1.0), ("b", 0.0)), system="s")
    groups, _ = group_responses([response("p1", "i0"), response("p2", "i0"), simulated], {"i0": trial("i0")})
    assert set(groups) == {("human", "people"), ("s", "literal")}
    assert groups["human", "people"].n_participants == 2


def test_intervals_are_those_of_the_cluster_bootstrap() -> None:
    """The pigeonhole bootstrap of `statistics.clusters` errs on the wide side, and Wilson's upper bound leans inwards: bounds agree to .025."""
    rng = np.random.default_rng(3)
    people, items = rng.normal(0, 1, 20), rng.normal(0, 1, 30)
    said = [
        response(f"p{p}", f"i{i}", right=bool(people[p] + items[i] + rng.normal() > -1))
        for p in range(20)
        for i in range(30)
    ]
    rows = make_hearing_rows([trial(f"i{i}") for i in range(30)], said)
    ours = next(r for r in rows if r["measure"] == "ir")
    frame = pl.DataFrame(
        {
            "system": ["human"] * len(said),
            "participant": [r.hearer for r in said],
            "item": [r.trial for r in said],
            "right": [float(r.entity == "a") for r in said],
        }
    )
    (theirs,) = cluster_bootstrap(frame, value="right", system="system", resamples=2000).to_dicts()
    assert ours["value"] == pytest.approx(theirs["mean"])
    assert ours["low"] == pytest.approx(theirs["low"], abs=0.025)
    assert ours["high"] == pytest.approx(theirs["high"], abs=0.025)


def test_one_answer_has_no_interval_and_the_same_seed_gives_the_same() -> None:
    (row,) = [r for r in make_hearing_rows([trial("i0")], [response("e", "i0")]) if r["measure"] == "ir"]
    assert (row["value"], row["low"], row["high"], row["n"]) == (1.0, None, None, 1)
    said, asked = votes([3, 2, 4], 4), [trial(f"i{i}") for i in range(3)]
    assert make_hearing_rows(asked, said) == make_hearing_rows(asked, said)


def test_weights_count_as_copies() -> None:
    """A participant drawn twice is a participant with a twin."""
    asked = {f"i{i}": trial(f"i{i}") for i in range(3)}
    (one,) = group_responses(votes([3, 2, 1], 3), asked)[0].values()
    twin = [response("twin", r.trial, right=r.entity == "a") for r in votes([3, 2, 1], 3) if r.hearer == "e2"]
    (two,) = group_responses([*votes([3, 2, 1], 3), *twin], asked)[0].values()
    assert isinstance(one, Hearing)
    np.testing.assert_allclose(one.measure(np.array([1.0, 1.0, 2.0])), two.measure())


def test_items_answered_once_and_twice_are_added_up_alike() -> None:
    """One answer an item takes a shorter way; two answers to item 0 and none to 1 must not, though there are as many answers as items."""
    values = np.zeros((3, len(OVER_RESPONSES)))
    values[:, 0] = [1.0, 0.0, 1.0]
    people = np.array([[1.0, 2.0, 3.0]])
    once = Hearing(participants=np.arange(3), items=np.array([2, 0, 1]), values=values)
    assert once._sum_by_item(people).tolist() == [[2.0, 3.0, 1.0]]
    twice = Hearing(participants=np.arange(3), items=np.array([0, 0, 2]), values=values)
    assert twice._sum_by_item(people).tolist() == [[3.0, 0.0, 3.0]]
