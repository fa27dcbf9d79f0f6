"""The sentences that `referee score` and reports open with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy.stats import ttest_rel

from referee.cli import main
from referee.show.reports.best_system import ScoredRows, choose_lead, describe_best, join_names, list_first_names

# Dice of single trials against the reference {a, b, c}: 2k / (|output| + 3) for k shared properties, by hand.
FULL, TWO, ONE = ["a", "b", "c"], ["a", "b"], ["a"]
DICE = {id(FULL): 1.0, id(TWO): 0.8, id(ONE): 0.5}
SAID = {
    "good": [FULL, FULL, TWO, FULL, TWO, FULL, TWO, FULL],
    "near": [TWO, FULL, FULL, FULL, ONE, FULL, ONE, FULL],
    "poor": [ONE, ONE, TWO, ONE, ONE, TWO, ONE, ONE],
}


def rows(values: dict[str, dict[str, float | None]]) -> list[dict[str, object]]:
    return [
        {"system": s, "metric": m, "group": None, "value": v, "low": None, "high": None, "n": 4}
        for s, by in values.items()
        for m, v in by.items()
    ]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    entities = [{"id": "x", "attributes": dict.fromkeys("abc", "1")}, {"id": "y", "attributes": {"a": "2"}}]
    reference = {"properties": [[name, "1"] for name in "abc"]}
    corpus = [
        {"id": f"t{i}", "target": "x", "entities": entities, "references": [reference]}
        for i in range(len(SAID["good"]))
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(t) + "\n" for t in corpus), "utf-8")
    for system, sets in SAID.items():
        lines = [{"trial": f"t{i}", "properties": [[n, "1"] for n in names]} for i, names in enumerate(sets)]
        (tmp_path / f"{system}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return [*(str(tmp_path / f"{s}.jsonl") for s in SAID), "--corpus", str(tmp_path / "corpus.jsonl")]


def test_p_values_are_those_of_paired_t_tests_corrected_by_holm(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert main(["score", *files, "--metrics", "set/dice", "--cluster", "none"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    values = {s: [DICE[id(p)] for p in sets] for s, sets in SAID.items()}
    p = {
        pair: ttest_rel(values[pair[0]], values[pair[1]]).pvalue
        for pair in (("good", "near"), ("good", "poor"), ("near", "poor"))
    }
    assert p["good", "poor"] < p["near", "poor"] < p["good", "near"], "so Holm multiplies them by 3, 2 and 1"
    poor, near = f"{3 * p['good', 'poor']:.3f}".lstrip("0"), f"{p['good', 'near']:.2f}".lstrip("0")
    assert first.startswith("good has the highest set/dice (0.925, 95 % CI ")
    assert f"The difference from near (0.850) is not significant, p = {near}; " in first
    assert (
        f"the difference from poor (0.575) is significant, p {'< .001' if 3 * p['good', 'poor'] < 0.001 else '= ' + poor}"
        in first
    )
    assert "(t test over 8 trials, Holm-corrected for 3 pairs). All 24 outputs were parsed." in first


def test_lines_that_cannot_be_parsed_are_counted(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    path = Path(files[0])
    path.write_text(path.read_text("utf-8").replace('{"trial": "t3"', '"trial": "t3"'), "utf-8")
    assert main(["score", *files, "--metrics", "set/dice", "--lenient"]) == 0
    assert "1 of 24 outputs could not be parsed. 1 output is missing." in capsys.readouterr().out.splitlines()[0]


def test_signatures_take_one_line_unless_all_are_asked_for(
    files: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    command = ["score", *files, "--metrics", "set/dice,set/masi"]
    assert main(command) == 0
    *_, last = short = capsys.readouterr().out.splitlines()
    assert "set/dice|multiset:no" in last
    assert last.endswith("|… (--signatures: all 2)")
    assert max(map(len, short)) <= 80
    assert sum("|" in line for line in short) == 1
    assert main([*command, "--signatures"]) == 0
    full = capsys.readouterr().out
    assert "  set/masi" in full
    assert "cluster:none" in full


def test_a_measure_without_differences_does_not_lead() -> None:
    scores = ScoredRows(
        rows({"a": {"x/same": 1.0, "x/low": 2.0}, "b": {"x/same": 1.0, "x/low": 1.0}}),
        {"x/same": "higher", "x/low": "lower"},
    )
    assert choose_lead(scores) == "x/low"
    assert describe_best(scores, {}, "t test")[0] == "b has the lowest x/low (1.000)."


def test_other_measures_are_counted_and_exceptions_named() -> None:
    values = {"a": {"d": 3.0, "e": 1.0, "f": 2.0, "g": 5.0}, "b": {"d": 2.0, "e": 2.0, "f": 1.0, "g": 5.0}}
    scores = ScoredRows(rows(values), dict.fromkeys("defg", "higher"))
    assert describe_best(scores, {frozenset("ab"): 0.5}, "t test")[1:] == [
        "The difference from b (2.000) is not significant, p = .50 (t test).",
        "It is best on 1 of the 2 other measures that rank the systems (not on e).",
    ]


def test_systems_without_a_value_are_named() -> None:
    values = {
        "a": {"d": 3.0, "e": 2.0, "f": 2.0},
        "b": {"d": 2.0, "e": 1.0, "f": 1.0},
        "c": {"d": None, "e": None, "f": None},
    }
    scores = ScoredRows(rows(values), dict.fromkeys("def", "higher"))
    assert describe_best(scores, {frozenset("ab"): 0.01}, "t test")[1:] == [
        "The difference from b (2.000) is significant, p = .010 (t test).",
        "c has no value for d.",
        "It is best on all 2 other measures that rank the systems.",
    ]


def test_people_do_not_compete() -> None:
    scores = ScoredRows(rows({"a": {"d": 0.4}, "human": {"d": 0.6}}), {"d": "higher"})
    assert describe_best(scores, {}, "t test") == [
        "a has d (0.400).",
        "People, each compared with the others, have d 0.600.",
    ]


def test_no_value_is_no_winner() -> None:
    assert describe_best(ScoredRows(rows({"a": {"d": None}}), {"d": "higher"}), {}, "t test") == [
        "No system has a value for d."
    ]


def test_names_in_a_sentence() -> None:
    assert join_names("abc") == "a, b and c"
    assert list_first_names("abcdef") == "a, b, c, d and 2 more"
