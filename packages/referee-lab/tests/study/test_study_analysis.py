"""Analyses of studies: numbers counted by hand, the printed handling of outliers, contrasts against refitted models, and rules that are heeded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import exp, log
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import polars as pl
import pytest
from study_server import Person, Site, site, study_folder

from referee.statistics.mixed import mixed_correctness, mixed_times
from referee_lab.bots.simulation import simulate
from referee_lab.study.analysis import mixed_analysis
from referee_lab.study.analysis.answer_table import build_hearing_frame, build_pair_frame
from referee_lab.study.analysis.mixed_analysis import build_measure_sheets, compute_contrasts
from referee_lab.study.analysis.registered_tests import CAUTION, analyse
from referee_lab.study.analysis.tuna2008_tables import build_challenge_tables, set_outliers_to_mean
from referee_lab.study.data.collection import collect, collect_from
from referee_lab.study.data.dataset import Dataset
from referee_lab.study.folder.demo_study import make_demo


def collected_from(opened: Site) -> Dataset:
    with opened.served.store.read() as connection:
        return collect(opened.served.study, connection)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Site]:
    with site(study_folder(tmp_path)) as opened:
        yield opened


def trial_steps(person: Person) -> list[int]:
    return [i for i in person.saved_steps if person.step(i).kind == "trial"]


def answers(
    systems: Mapping[str, float], people: int = 12, items: int = 24, seed: int = 1, spread: float = 0.3
) -> pl.DataFrame:
    """Latin-square answers: times with known ratios between systems, and errors with known rates of 0.1 a system."""
    rng, names = Random(seed), list(systems)
    pace = [rng.gauss(0, 0.2) for _ in range(people)]
    hard = [rng.gauss(0, 0.1) for _ in range(items)]
    rows = [
        {
            "participant": f"p{p}",
            "item": f"i{i}",
            "system": (name := names[(p + i) % len(names)]),
            "domain": ("furniture", "people")[i % 2],
            "outcome": "entity",
            "error": float(rng.random() < 0.1),
            "reading_ms": 1000 * systems[name] * exp(pace[p] + hard[i] + rng.gauss(0, spread)),
            "identification_ms": 2000 * systems[name] * exp(pace[p] + hard[i] + rng.gauss(0, spread)),
            "combined_ms": None,
        }
        for p in range(people)
        for i in range(items)
    ]
    return pl.DataFrame(rows, schema_overrides={"combined_ms": pl.Float64})


# -- what counts ---------------------------------------------------------------------------------------------------------


def test_rules_take_times_away_and_leave_errors_alone(running: Site) -> None:
    person = Person(running).begin()
    steps = trial_steps(person)
    for n, index in enumerate(steps):
        body = person.body(index, right=n != 1)
        body["flags"] = ["hidden"] if n == 0 else []
        assert person.put(index, body=body).status_code == 201
    collected = collected_from(running)
    frame, raw = build_hearing_frame(collected), build_hearing_frame(collected, raw=True)
    assert frame["error"].sum() == raw["error"].sum() == 1
    assert frame["identification_ms"].null_count() == 1
    assert raw["identification_ms"].null_count() == 0
    assert frame["combined_ms"].drop_nulls().to_list() == pytest.approx([812.4 + 1203.7] * (len(steps) - 1))


def test_an_answer_that_names_no_object_is_no_error(tmp_path: Path) -> None:
    with site(study_folder(tmp_path, protocol="open-choice", id="open", least_trials="0.0")) as opened:
        person = Person(opened).begin()
        given = ("entity", "several", "none")
        for index, outcome in zip(trial_steps(person), given, strict=False):
            body = person.body(index)
            body["times"] = {"combined_ms": 1000.0}
            if outcome != "entity":
                body["answer"] = {**body["answer"], "outcome": outcome, "entity": None}
            assert person.put(index, body=body).status_code == 201
        collected = collected_from(opened)
    frame = build_hearing_frame(collected)
    assert sorted(frame["outcome"].to_list()) == ["entity", "none", "several"]
    assert frame["error"].to_list().count(None) == 2
    assert frame["combined_ms"].drop_nulls().to_list() == [1000.0]
    sheet = next(s for s in analyse(collected).sheets if s.name == "outcomes")
    assert sum(row["n"] for row in sheet.tidy) == 3


def test_whoever_withdrew_is_in_no_analysis(running: Site) -> None:
    stays, leaves = Person(running), Person(running)
    for person in (stays, leaves):
        person.complete()
    assert build_hearing_frame(collected_from(running))["participant"].n_unique() == 2
    leaves.ask("POST", "withdraw")
    collected = collected_from(running)
    assert set(build_hearing_frame(collected)["participant"]) == {stays.plan["alias"]}
    assert "1 withdrawn (not in the data)" in analyse(collected).remarks[0]


def test_the_page_is_told_what_is_not_known_about_times_and_who_was_simulated(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", items=6, participants=3)
    simulate(study.folder, participants=3)
    said = analyse(collect_from(study)).remarks
    assert CAUTION in said
    assert any(remark.startswith("SIMULATED: 3 of 3") for remark in said)
    json.dumps(analyse(collect_from(study)).as_json(), allow_nan=False)


# -- as printed ----------------------------------------------------------------------------------------------------------


def test_outliers_become_the_overall_mean_as_printed() -> None:
    """By hand: nine times 1000 and 10000 have mean 1900 and SD 2846.05 (n - 1), so 10000 lies beyond 1900 + 5692.10."""
    frame = answers({"A": 1.0})[:10].with_columns(pl.Series("reading_ms", [1000.0] * 9 + [10000.0]))
    cleaned, said = set_outliers_to_mean(frame, ["reading_ms"])
    assert cleaned["reading_ms"].to_list() == [1000.0] * 9 + [1900.0]
    assert said == ["RT: 1 outliers of 10 (10.0%) were replaced by the mean."]


def test_table_11_has_means_by_domain_and_the_sd_over_both() -> None:
    frame = answers({"A": 1.0, "B": 1.5})
    sheets, _ = build_challenge_tables(frame, frame, study="s")
    table = next(s for s in sheets if s.name == "table11-as-registered")
    own = [r for r in frame.to_dicts() if r["system"] == "A"]
    row = next(r for r in table.tidy if r["system"] == "A")
    assert row["RT furniture"] == pytest.approx(mean(r["reading_ms"] for r in own if r["domain"] == "furniture"))
    assert row["IT Both"] == pytest.approx(mean(r["identification_ms"] for r in own))
    assert row["IT SD"] == pytest.approx(stdev(r["identification_ms"] for r in own))
    assert row["ER people"] == pytest.approx(100 * mean(r["error"] for r in own if r["domain"] == "people"))
    assert table.header == ("system", *("furniture", "people", "Both", "SD") * 2, "furniture", "people", "Both")
    assert [r["system"] for r in table.tidy] == ["B", "A"]  # the slowest reader first, as printed


def test_table_12_sets_the_slow_system_apart_and_leaves_the_like_ones_together() -> None:
    frame = answers({"A": 1.0, "B": 1.0, "C": 2.0}, people=24)
    sheets, _ = build_challenge_tables(frame, frame, study="s")
    table = next(s for s in sheets if s.name == "table12-as-registered")
    letters = {(r["measure"], r["system"]): r["letters"] for r in table.tidy}
    assert letters["IT", "A"] == letters["IT", "B"] == "A"
    assert letters["IT", "C"] == "B"
    assert [text for text, _ in table.spans] == ["IT", "RT"]


def test_degrees_of_freedom_are_those_of_the_challenge() -> None:
    """12 systems, two entity types, 1,440 answers: F(11, 1416); the challenge lost 7 timeouts and printed F(11, 1409) on IT."""
    frame = answers({f"s{n:02}": 1.0 for n in range(12)}, people=24, items=60)
    lost = frame.with_columns(
        pl.when(pl.int_range(pl.len()) < 7).then(None).otherwise(pl.col("identification_ms")).alias("identification_ms")
    )
    sheets, _ = build_challenge_tables(frame, lost, study="s")
    notes = {s.name: " ".join(s.notes) for s in sheets}
    assert "IT: SYSTEM F(11, 1416)" in notes["table11-as-printed"]
    assert "IT: SYSTEM F(11, 1409)" in notes["table11-as-registered"]
    assert "SYSTEM x ENTITY TYPE F(11, 1409)" in notes["table11-as-registered"]


# -- mixed models --------------------------------------------------------------------------------------------------------


def test_contrasts_between_systems_are_those_of_a_model_with_another_baseline() -> None:
    frame = answers({"A": 1.0, "B": 1.2, "C": 1.5})
    rows = {(r["system_a"], r["system_b"]): r for r in compute_contrasts(mixed_times(frame, time="reading_ms"))}
    refitted = mixed_times(frame, time="reading_ms", baseline="C")
    effect = next(e for e in refitted.effects if e.system == "B")
    assert rows["B", "C"]["estimate"] == pytest.approx(effect.estimate, rel=1e-6)
    assert rows["B", "C"]["error"] == pytest.approx(effect.error, rel=1e-6)
    assert rows["B", "C"]["p"] == pytest.approx(effect.p, rel=1e-4)


def test_the_analysis_finds_the_ratio_that_was_put_in() -> None:
    frame = answers({"A": 1.0, "B": 1.5}, people=20, items=40)
    sheets, _ = build_measure_sheets(frame, "identification_ms", study="s", alpha=0.05, correction="holm")
    (pair,) = next(s for s in sheets if s.name.endswith("pairs")).tidy
    assert pair["ratio_low"] < 1 / 1.5 < pair["ratio_high"]
    total = (0.2**2 + 0.1**2 + 0.3**2) ** 0.5  # SDs of participants, items and rest in `answers`
    assert pair["d"] == pytest.approx(-log(1.5) / total, abs=0.25)
    assert pair["difference"] < pair["high"] < 0


def test_a_row_shows_size_interval_and_p_of_one_method() -> None:
    """A difference of means with a clustered interval beside the model's p can contradict it ([-90, +1,083] ms beside p < .001)."""
    frame = answers({"A": 1.0, "B": 1.5}, people=20, items=40)
    sheets, _ = build_measure_sheets(frame, "identification_ms", study="s", alpha=0.05, correction="holm")
    sheet = next(s for s in sheets if s.name.endswith("pairs"))
    assert sheet.header == ("system", "against", "ratio", "p", "by")
    ((_, _, ratio, _, by),) = sheet.rows
    (pair,) = sheet.tidy
    assert (ratio.text, ratio.small) == (f"{pair['ratio']:.2f}", f"{pair['ratio_low']:.2f}, {pair['ratio_high']:.2f}")
    assert (by.text, pair["test"]) == ("mixed model", "mixed model")


def test_a_pair_without_a_model_shows_the_difference_that_was_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = answers({"A": 1.0, "B": 1.5}, people=20, items=40)
    failed = replace(mixed_times(frame, time="reading_ms"), converged=False, message="the search ended early")
    monkeypatch.setattr(mixed_analysis, "mixed_times", lambda *_, **__: failed)
    sheets, _ = build_measure_sheets(frame, "reading_ms", study="s", alpha=0.05, correction="holm")
    sheet = next(s for s in sheets if s.name.endswith("pairs"))
    assert sheet.header == ("system", "against", "difference", "p", "by")
    ((_, _, difference, _, by),) = sheet.rows
    assert difference.text.endswith(" ms")
    assert difference.small
    assert by.text == "clustered t"


def test_a_search_that_fails_leaves_no_model_but_clustered_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = answers({"A": 1.0, "B": 1.5}, people=20, items=40)
    failed = replace(mixed_correctness(frame, correct="error"), converged=False, message="the search ended early")
    monkeypatch.setattr(mixed_analysis, "mixed_correctness", lambda *_, **__: failed)
    sheets, _ = build_measure_sheets(frame, "error", study="s", alpha=0.05, correction="holm")
    sheet = next(s for s in sheets if s.name.endswith("pairs"))
    (pair,) = sheet.tidy
    assert (pair["test"], pair["ratio"]) == ("clustered t", None)
    assert "No mixed model (the search ended early), so pairs are tested with clustered errors." in sheet.notes
    assert not any("χ²" in note for note in sheet.notes)


def test_items_without_variance_of_their_own_are_said_to_be_so() -> None:
    # items are dealt along the sorted times, so that their means differ less than chance would make them
    frame = answers({"A": 1.0, "B": 1.5}).sort("system", "reading_ms").with_columns(item=pl.int_range(pl.len()) % 24)
    assert mixed_times(frame, time="reading_ms").singular == ("item",)
    sheets, _ = build_measure_sheets(frame, "reading_ms", study="s", alpha=0.05, correction="holm")
    sheet = next(s for s in sheets if s.name.endswith("pairs"))
    assert any("(singular: no variance of item)." in note for note in sheet.notes)
    assert [r["test"] for r in sheet.tidy] == ["mixed model"]


def test_pairs_are_corrected_by_holm_or_tukey_as_registered() -> None:
    frame = answers({"A": 1.0, "B": 1.1, "C": 1.15}, seed=4)

    def p_values(correction: str) -> list[tuple[float, float]]:
        sheets, _ = build_measure_sheets(frame, "reading_ms", study="s", alpha=0.05, correction=correction)
        return [(r["p"], r["p_corrected"]) for r in next(s for s in sheets if s.name.endswith("pairs")).tidy]

    plain = [p for p, _ in p_values("none")]
    assert [c for _, c in p_values("none")] == plain
    first, second, third = plain  # sorted; Holm by hand: 3 p1, then 2 p2 and p3, none below the one before
    steps = [min(3 * first, 1), max(3 * first, 2 * second), max(3 * first, 2 * second, third)]
    assert [c for _, c in p_values("holm")] == pytest.approx([min(s, 1.0) for s in steps])
    assert all(p < c < 3 * p for p, c in p_values("tukey"))  # between none and Bonferroni's


def test_a_system_without_errors_is_left_out_of_the_odds_and_said_so() -> None:
    frame = answers({"A": 1.0, "B": 1.0, "C": 1.0}, people=20, items=30).with_columns(
        pl.when(pl.col("system") == "A").then(0.0).otherwise(pl.col("error")).alias("error")
    )
    sheets, _ = build_measure_sheets(frame, "error", study="s", alpha=0.05, correction="holm")
    pairs = next(s for s in sheets if s.name == "error-pairs")
    assert any(note.startswith("Without A (all right or all wrong") for note in pairs.notes)
    tests = {frozenset((r["system_a"], r["system_b"])): r["test"] for r in pairs.tidy}
    assert tests[frozenset("AB")] == "clustered t"
    assert tests[frozenset("BC")] == "mixed model"


# -- judgements and productions ------------------------------------------------------------------------------------------


def rated(collected: Dataset, ratings: Mapping[str, Mapping[str, float]]) -> Dataset:
    """The same answers with ratings by system."""
    changed = [
        replace(a, answer={"ratings": ratings[a.asked.system or ""]}) if a.kind == "trial" and a.asked else a
        for a in collected.answers
    ]
    return replace(collected, answers=tuple(changed))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    study = make_demo(tmp_path_factory.mktemp("judged") / "study", "judgement", items=6, participants=6)
    simulate(study.folder, participants=6)
    return collect_from(study)


def test_ratings_are_averaged_by_system_and_agreement_is_full_where_all_agree(judged: Dataset) -> None:
    systems = ("toy-minimal", "toy-chatty", "human")
    ratings = {s: {"adequacy": 2.0 + n, "fluency": 5.0} for n, s in enumerate(systems)}
    sheets = {s.name: s for s in analyse(rated(judged, ratings)).sheets}
    means = {r["system"]: r["mean"] for r in sheets["adequacy-means"].tidy}
    assert means == pytest.approx({s: 2.0 + n for n, s in enumerate(systems)})
    assert "Krippendorff's α = 1.00" in " ".join(sheets["adequacy-means"].notes)
    assert "all ratings are the same" in " ".join(sheets["fluency-means"].notes)


def test_wins_are_counted_for_the_system_behind_the_side(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", "judgement-pairwise", items=3, participants=3)
    simulate(study.folder, participants=3)
    collected = collect_from(study)
    frame = build_pair_frame(collected)
    for a, row in zip(collected.trials, frame.iter_rows(named=True), strict=True):
        choice = a.answer["choice"]
        side = {"tie": 0.5}.get(choice, float(a.labels.get(choice) == "first"))
        assert row["won"] == side
    sheets = {s.name: s for s in analyse(collected).sheets}
    shares = {r["system"]: r["mean"] for r in sheets["wins-systems"].tidy}
    wins: dict[str, list[float]] = {}
    for row in frame.iter_rows(named=True):
        wins.setdefault(row["first"], []).append(row["won"])
        wins.setdefault(row["second"], []).append(1 - row["won"])
    assert shares == pytest.approx({system: mean(values) for system, values in wins.items()})


def test_productions_are_counted_in_words(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", "production", items=4, participants=2)
    simulate(study.folder, participants=2)
    collected = collect_from(study)
    rows: list[Mapping[str, Any]] = list(analyse(collected).sheets[0].tidy)
    everything = next(r for r in rows if r["domain"] == "all")
    said = [str(a.answer["text"]) for a in collected.trials]
    assert (everything["descriptions"], everything["people"], everything["items"]) == (8, 2, 4)
    assert everything["words"] == pytest.approx(mean(len(text.split()) for text in said))
    assert everything["same"] == 1.0  # both bots say what the corpus says (Production.simulate)
