"""The tables of a task-performance evaluation, checked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from referee.errors import InputError
from referee.records import Description, Entity, Outcome, Response, Scene, Trial
from referee_lab.tangram.evaluation.task_performance import (
    Evaluation,
    describe_published_design,
    describe_published_results,
    describe_published_review,
    evaluate,
)

SCENE = Scene(entities=tuple(Entity(id=str(i)) for i in range(1, 8)))
PEOPLE = [f"e{i}" for i in range(6)]


def answers() -> tuple[list[Response], list[Trial]]:
    """Six evaluators; TP items right for all but one, FN items right for half, FP items split over two groups."""
    trials = [Trial(id=f"{c}{i}", scene=SCENE, targets=("1",)) for c in ("TP", "FN", "FP") for i in range(4)]
    found = []
    for p, person in enumerate(PEOPLE):
        for i in range(4):
            found.append(_answer(f"TP{i}", person, "TP", not (p == 0 and i == 0), 1000 + 10 * p + i))
            found.append(_answer(f"FN{i}", person, "FN", (p + i) % 2 == 0 or (p, i) == (1, 0), 1500 + 30 * p + i))
            condition = "FP-DP" if (p < 3) == (i < 2) else "FP-Orig"
            found.append(_answer(f"FP{i}", person, condition, (p, i) != (2, 1), 1200 + 7 * p * i))
    return found, trials


def _answer(trial: str, person: str, condition: str, right: bool, ms: float) -> Response:
    return Response(
        trial=trial,
        hearer=person,
        system=condition,
        outcome=Outcome.ENTITY,
        entity="1" if right else "2",
        description=Description(text="that" if condition != "FP-Orig" else "the square"),
        reading_ms=200.0,
        identification_ms=ms - 200.0,
        repeats=0 if right else 1,
    )


@pytest.fixture(scope="module")
def found() -> Evaluation:
    return evaluate(*answers())


def test_rates_majorities_and_agreement_are_those_counted_by_hand(found: Evaluation) -> None:
    lines = {x.condition: x for x in found.lines}
    tp, fn = lines["TP"], lines["FN"]
    assert (tp.responses, tp.correct, tp.items, tp.evaluators) == (24, 23, 4, 6)
    assert tp.measures["ir"] == pytest.approx(23 / 24)
    assert tp.ir_interval[0] < 23 / 24 <= tp.ir_interval[1] <= 1
    assert tp.measures["agreement"] == pytest.approx((5 / 6 + 3) / 4)
    assert tp.agreement_sd == pytest.approx(1 / 12)  # shares 5/6, 1, 1, 1
    # FN0 has four of six right, the others three: three ties, one majority
    assert (fn.correct, fn.majority_correct, fn.ties) == (13, 1, 3)
    assert tp.measures["combined_ms"] == pytest.approx(1000 + 25 + 1.5)
    assert tp.measures["repeats"] == pytest.approx(1 / 24)


def test_ties_are_counted_as_asked() -> None:
    half = {x.condition: x for x in evaluate(*answers(), ties="half").lines}
    assert half["FN"].majority_correct == 1 + 3 * 0.5


def test_paired_tests_run_over_evaluators_and_agree_with_scipy(found: Evaluation) -> None:
    contrast = next(c for c in found.contrasts if c.first == "TP")
    responses, _ = answers()

    def means(condition: str, value: str) -> list[float]:
        rows = [[r for r in responses if r.hearer == p and r.system == condition] for p in PEOPLE]
        take = (
            (lambda r: float(r.entity == "1")) if value == "right" else (lambda r: r.reading_ms + r.identification_ms)
        )
        return [sum(map(take, own)) / len(own) for own in rows]

    for value, comparison in (("right", contrast.accuracy), ("time", contrast.time)):
        expected = stats.ttest_rel(means("TP", value), means("FN", value))
        assert comparison.t == pytest.approx(expected.statistic)
        assert comparison.p == pytest.approx(expected.pvalue)
        assert comparison.df == 5


def test_a_corrected_answer_counts_for_accuracy_and_not_for_time() -> None:
    responses, trials = answers()
    slow = replace(responses[0], identification_ms=1e6, flags=("corrected",))
    line = evaluate([slow, *responses[1:]], trials).lines[0]
    assert line.responses == 24
    assert (line.measures["combined_ms"] or 0) < 1100


def test_i_dont_know_is_not_correct_and_stays_apart() -> None:
    responses, trials = answers()
    unsure = replace(responses[3], outcome=Outcome.DONT_KNOW, entity=None)
    line = evaluate([unsure if r is responses[3] else r for r in responses], trials).lines[0]
    assert (line.correct, line.measures["dont-know"]) == (22, pytest.approx(1 / 24))


def test_moved_is_the_number_of_items_whose_pronoun_the_majority_understood(found: Evaluation) -> None:
    assert found.moved == 4
    assert not found.simulated


def test_length_of_the_expression_is_taken_out_of_the_time(found: Evaluation) -> None:
    contrast = next(c for c in found.contrasts if c.first == "FP-DP")
    assert (
        contrast.time_given_length is None
    )  # here every pronoun has four letters and every description ten: nothing can tell them apart


def test_answers_of_unknown_category_or_trial_are_refused() -> None:
    responses, trials = answers()
    with pytest.raises(InputError, match="TP, FN, FP-DP, FP-Orig"):
        evaluate([replace(responses[0], system="TN")], trials)
    with pytest.raises(InputError, match="not among the trials"):
        evaluate([replace(responses[0], trial="nowhere")], trials)
    with pytest.raises(InputError, match="no answers"):
        evaluate([], trials)


def test_a_model_that_cannot_be_fitted_leaves_its_reason_and_the_other_tables() -> None:
    responses, trials = answers()
    timeless = [replace(r, identification_ms=None) for r in responses]
    contrast = evaluate(timeless, trials).contrasts[0]
    assert isinstance(contrast.mixed_time, InputError)
    assert contrast.accuracy.df == 5


def test_what_was_published_is_read_from_the_audited_tables() -> None:
    # Spanger et al. 2013, tables 4, 5 and 7 and section 5: as the audit's tables and the specification have them
    assert describe_published_design() == "76 trials, 15.2 s"
    assert describe_published_review() == "precision .664 → .718, F .730 → .762"
    assert describe_published_results() == (
        "IR TP .972; MIR TP 20/20, FN 16/20, FP-DP 34/36, FP-Orig 32/36; agreement .969 .871 .926 .969; "
        "TP against FN t(33) = 16.24"
    )


def test_times_of_right_answers_and_chance_are_as_they_are(found: Evaluation) -> None:
    given, trials = answers()
    tp = [r for r in given if r.system == "TP" and r.entity == "1"]
    expected = sum((r.reading_ms or 0) + (r.identification_ms or 0) for r in tp) / len(tp)
    assert next(x for x in found.lines if x.condition == "TP").right_ms == pytest.approx(expected)
    assert found.chance == pytest.approx(1 / 7)
    twelve = Scene(entities=tuple(Entity(id=str(i)) for i in range(1, 13)))
    assert evaluate(given, [replace(t, scene=twelve) for t in trials]).chance == pytest.approx(1 / 12)


def test_what_lies_outside_the_data_is_not_estimated(found: Evaluation) -> None:
    # "that" has 4 characters and "the square" 10: no length is common to both.
    (contrast,) = (c for c in found.contrasts if c.first == "FP-DP")
    assert contrast.time_given_length is None
    given, trials = answers()
    longer = [
        replace(r, description=Description(text="that" if i % 2 else "the square there")) if r.system == "FP-DP" else r
        for i, r in enumerate(given)
    ]
    (contrast,) = (c for c in evaluate(longer, trials).contrasts if c.first == "FP-DP")
    assert contrast.time_given_length is not None
