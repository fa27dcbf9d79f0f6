"""One layer over corpora: pooled effects, differences between measures, systems against each other, power."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from referee.api.court import court
from referee.courtroom.base_rates import estimate_power
from referee.courtroom.evidence import SystemScores
from referee.courtroom.item_evidence import LeftOut, auc, leave_out_auc, make_association
from referee.courtroom.pooling import compare_measures, compare_systems, pool_measures
from referee.statistics.dependent_trials import Clusters
from referee.statistics.meta_analysis import pool, standard_error

RNG = np.random.default_rng(8)


def corpus(strength: float, n: int = 300) -> dict[str, LeftOut]:
    """A good measure, a copy of it with noise, and one that knows nothing, over 30 games."""
    success = RNG.integers(0, 2, n).astype(float)
    good = success * strength + RNG.normal(size=n)
    clusters = Clusters.of({"game": [str(i % 30) for i in range(n)]})
    scores = {"good": good, "nothing": RNG.normal(size=n), "copy": good.copy()}
    return {name: leave_out_auc(list(x), list(success), clusters) for name, x in scores.items()}


CORPORA = {f"c{i}": corpus(strength) for i, strength in enumerate((0.8, 1.0, 1.2, 0.9, 1.1))}


def test_an_auc_is_the_same_by_both_ways() -> None:
    success = RNG.integers(0, 2, 200).astype(float)
    scores = success + RNG.normal(size=200)
    games = [str(i % 20) for i in range(200)]
    assert auc(list(scores), list(success), games) == make_association(
        leave_out_auc(list(scores), list(success), games), 0.5
    )


def test_effects_are_pooled_with_random_effects() -> None:
    by_measure = {e.measure: e for e in pool_measures(CORPORA, "people: success")}
    single = [make_association(parts["good"], 0.5) for parts in CORPORA.values()]
    expected = pool(
        [a.value or 0.0 for a in single], [standard_error(a.low or 0.0, a.high or 0.0) for a in single], null=0.5
    )
    good = by_measure["good"]
    assert (good.effect, good.low, good.new_high, good.corpora) == (expected.effect, expected.low, expected.new_high, 5)
    assert good.low is not None
    assert good.low > 0.5
    assert by_measure["nothing"].low is not None
    assert by_measure["nothing"].low < 0.5


def test_one_corpus_says_nothing_about_a_new_one() -> None:
    (good, *_) = pool_measures({"c0": CORPORA["c0"]}, "people: success")
    alone = make_association(CORPORA["c0"]["good"], 0.5)
    assert (good.effect, good.low, good.high, good.corpora) == (alone.value, alone.low, alone.high, 1)
    assert (good.new_low, good.new_high) == (None, None)


def test_measures_are_compared_on_the_same_answers() -> None:
    gaps = {(d.a, d.b): d for d in compare_measures(CORPORA, "people: success")}
    better = gaps["good", "nothing"]
    assert better.difference > 0.1
    assert better.p_corrected is not None
    assert better.p_corrected < 0.05
    same = gaps["good", "copy"]
    assert same.difference == 0


def test_systems_are_compared_by_the_items_they_share() -> None:
    success = {"a": {str(i): float(i < 38) for i in range(100)}, "b": {str(i): float(i >= 70) for i in range(120)}}
    (found,) = compare_systems(success, None)
    # 38 items only a, 30 only b: exact two-sided p .396 (R: binom.test(38, 68)).
    assert (found.items, found.only_a, found.only_b) == (100, 38, 30)
    assert found.p == pytest.approx(0.3961248, abs=1e-6)
    assert not found.separates


def table(systems: int) -> SystemScores:
    values = [float(i) for i in range(systems)]
    return SystemScores(
        systems=tuple(f"s{i}" for i in range(systems)),
        automatic={f"a{i}": values for i in range(4)},
        hearer={"people: ir": values},
    )


def test_more_systems_have_more_power() -> None:
    few, many = estimate_power(table(8), tables=60), estimate_power(table(25), tables=60)
    assert few is not None
    assert many is not None
    assert few.predicts < many.predicts
    assert f"over 8 systems (8 families) would be called *predicts* in {few.predicts:.0%}" in few.sentence
    assert estimate_power(table(3)) is None


def test_without_any_correlation_predicts_is_rare() -> None:
    none = estimate_power(table(12), correlation=0.0, tables=200)
    assert none is not None
    assert none.predicts <= 0.05


def test_a_printed_table_has_effects_and_power() -> None:
    data = court(published="belz-gatt-2008").data
    assert {"measure", "effect", "low", "high", "new_low", "new_high", "corpora"} <= set(data["pooled"][0])
    assert {e["corpora"] for e in data["pooled"]} == {1}
    assert data["power"]["predicts"] <= 1


def area_of_second_judgements(data_folder: Path) -> float:
    """The AUC of the other answers to a caption, counted pair by pair."""
    with gzip.open(data_folder / "pragma" / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["items"] == "coco" and row["correct"] is not None]
    answers: dict[tuple[str, str], list[bool]] = {}
    for row in rows:
        answers.setdefault((row["item"], row["text"]), []).append(row["correct"])
    others = [((sum(a) - own) / (len(a) - 1), own) for a in answers.values() if len(a) > 1 for own in a]
    right, wrong = ([v for v, own in others if own is side] for side in (True, False))
    won = sum((r > w) + (r == w) / 2 for r in right for w in wrong)
    return won / (len(right) * len(wrong))


@pytest.mark.data
def test_pragma_is_tried_with_its_systems_and_people(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand from the answers: reasoning against literal separates; contrastive against literal (38:30) and reasoning against 1,000 samples (23:18) do not."""
    monkeypatch.setenv("REFEREE_DATA", str(data_folder))
    data = court("pragma", resamples=20, permutations=20).data
    pairs = {
        frozenset((c["a"], c["b"])): c for c in data["systems_compared"] if c["domain"] == "pragma: dev/by_similarity"
    }
    assert pairs[frozenset(("reasoning", "literal"))]["separates"]
    close = pairs[frozenset(("contrastive", "literal"))]
    assert ({close["only_a"], close["only_b"]}, close["separates"]) == ({38, 30}, False)
    more = pairs[frozenset(("reasoning", "reasoning.1000"))]
    assert ({more["only_a"], more["only_b"]}, more["separates"]) == ({23, 18}, False)
    corpora = {e["measure"]: e["corpora"] for e in data["pooled"]}
    # Four sets of systems, and samples of one speaker on two sets of pictures, with its own scores.
    assert (corpora["string/chrf"], corpora["words"], corpora["listener log probability"]) == (4, 6, 2)
    (ceiling,) = data["ceilings"]
    # 1,000 captions judged twice (README: 598 and 580 right), less 16 answers to which no second one belongs.
    assert (ceiling["corpus"], ceiling["n"]) == ("pragma: coco, samples", 1984)
    assert ceiling["low"] < ceiling["auc"] < ceiling["high"]
    assert ceiling["auc"] == pytest.approx(area_of_second_judgements(data_folder), abs=1e-9)
    assert any("no person described the items" in note for note in data["notes"])
