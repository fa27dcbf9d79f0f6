"""Simulated evaluators and the review of precision and F."""

from __future__ import annotations

import pytest

from referee.errors import InputError
from referee_lab.tangram.evaluation.replacement import collect_material, make_lists
from referee_lab.tangram.evaluation.simulated_evaluators import Evaluators, convert_to_trials, simulate_evaluators
from referee_lab.tangram.evaluation.task_performance import review_confusion
from referee_lab.tangram.models.demonstratives import Confusion, classify
from referee_lab.tangram.models.history import list_situations
from referee_lab.tangram.models.invented_sessions import Habits, invent_sessions
from referee_lab.tangram.models.resolution import ReferenceResolver


def test_the_review_of_the_matrix_that_fits_print_misses_the_printed_precision() -> None:
    # spec of the seed, matrix (A): .7145, .7594 with recall kept, .7642 with recall counted anew; printed are .718 and .762
    after = review_confusion(Confusion(tp=444, fn=104, fp=225, tn=469), 34)
    assert after.precision_after == pytest.approx(0.7145, abs=5e-5)
    assert after.f_after == pytest.approx(0.7594, abs=5e-5)
    assert after.f_after_recomputed == pytest.approx(0.7642, abs=5e-5)


def test_the_printed_precision_and_f_keep_recall() -> None:
    def recall(p: float, f: float) -> float:
        return f * p / (2 * p - f)

    assert recall(0.664, 0.730) == pytest.approx(recall(0.718, 0.762), abs=0.002)


def test_the_printed_revision_needs_fewer_pronouns_than_the_corpus_has() -> None:
    # matrix (B): .664 → .718 by 34 needs 624 to 634 positives; with 548 pronouns and .664 that leaves recall near .76, not .811
    b = review_confusion(Confusion(tp=415, fn=133, fp=210, tn=484), 34)
    assert (round(b.precision or 0, 3), round(b.precision_after or 0, 3), round(b.f or 0, 3)) == (0.664, 0.718, 0.708)


def test_majority_counts_follow_from_the_failures_printed() -> None:
    assert (36 - 2, 36 - 4) == (34, 32)
    gap = 34 / 36 - 32 / 36
    assert gap == pytest.approx(0.0556, abs=5e-5)  # the text says "almost 5 %"
    assert 34 * 76 == 2 * 20 * 34 + 2 * 36 * 17 == 2584


def test_more_cannot_be_right_than_were_wrong() -> None:
    with pytest.raises(InputError, match="impossible"):
        review_confusion(Confusion(tp=1, fn=1, fp=1, tn=1), 2)


def test_simulated_evaluators_answer_every_trial_of_their_list_once_and_alike_for_a_seed() -> None:
    dialogues = invent_sessions(1, Habits(pairs=2, references=240, plurals=10))
    situations = list_situations(dialogues)
    lists = make_lists(collect_material(classify(situations, folds=5), fp=6, tp=4, fn=2))
    resolver = ReferenceResolver().fit(situations)
    few = Evaluators(per_group=3)
    responses = simulate_evaluators(lists, dialogues, resolver, 5, few)
    assert responses == simulate_evaluators(lists, dialogues, resolver, 5, few)
    assert len(responses) == 3 * (len(lists[0]) + len(lists[1]))
    assert len({(r.hearer, r.trial) for r in responses}) == len(responses)
    trials = {t.id: t for t in convert_to_trials([*lists[0], *lists[1]], synthetic=True)}
    for r in responses:
        assert r.flags == ("simulated",)
        assert r.trial in trials
        assert r.entity is None or r.entity in {e.id for e in trials[r.trial].scene.entities}
        assert (r.reading_ms or 0) > 0
        assert (r.identification_ms or 0) > 0
    assert all(t.meta["synthetic"] for t in trials.values())
