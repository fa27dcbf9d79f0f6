"""`referee evaluate` and `referee compare` from files to findings, exit codes included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import ttest_rel

import referee
from referee.cli import main
from referee.errors import InputError, UnknownName

REFERENCES = [
    "the small red chair",
    "a dog on the left",
    "the man with glasses",
    "the blue cup",
    "the old car",
    "a tree",
]
GOOD = ["the small red chair", "a dog on the left", "the man with glasses", "the blue cup", "the car", "a tree"]
POOR = ["the chair", "a cat", "man", "cup", "the bus", "a bush"]


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("poor", POOR)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_evaluate_prints_the_fields_that_others_rely_on(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(
        capsys, "evaluate", "good.txt", "poor.txt", "--references", "ref.txt", "--metrics", "string/exact,set/dice"
    )
    assert code == 0
    assert found["recognised"]["kind"] == "text"
    assert found["n"] == 6
    scores = {(row["system"], row["metric"]): row for row in found["scores"]}
    # By hand: five of six lines are equal.
    assert scores["good", "string/exact"]["value"] == pytest.approx(5 / 6)
    assert set(scores["good", "string/exact"]) == {"system", "metric", "value", "low", "high", "n", "signature"}
    assert scores["good", "set/dice"]["value"] is None
    assert sum("set/dice" in sentence for sentence in found["sentences"]) == 1
    assert found["signature"].startswith("string/exact|")


def test_evaluate_in_words(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "good.txt", "poor.txt", "--references", "ref.txt"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("recognised: text")
    assert "good has the highest string/chrf" in lines[2]


def test_what_cannot_be_read_is_refused(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "good.txt"]) == 2
    assert "--references" in capsys.readouterr().err


def test_explain(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "good.txt", "--references", "ref.txt", "--explain"]) == 0
    output = capsys.readouterr().out
    assert "kind: text" in output
    assert "not measured: content" in output


def test_save_as_and_report(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", "good.txt", "--references", "ref.txt", "--save-as", "normal.jsonl", "--report", "report"]
    assert main(arguments) == 0
    assert (texts / "report/index.html").is_file()
    assert (
        main(
            [
                "score",
                "normal.jsonl",
                "--corpus",
                "normal.trials.jsonl",
                "--metrics",
                "string/exact",
                "--format",
                "json",
            ]
        )
        == 0
    )


def edits(outputs: list[str]) -> np.ndarray:
    """Word edit distances with substitution 1, from Levenshtein's definition."""

    def distance(a: list[str], b: list[str]) -> int:
        row = list(range(len(b) + 1))
        for i, x in enumerate(a, 1):
            before, row[0] = row[0], i
            for j, y in enumerate(b, 1):
                before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
        return row[-1]

    return np.array([distance(o.split(), r.split()) for o, r in zip(outputs, REFERENCES, strict=True)], dtype=float)


def test_compare_is_a_paired_t_test_where_items_are_independent(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run_json(
        capsys, "compare", "good.txt", "poor.txt", "--references", "ref.txt", "--metric", "string/edit.1"
    )
    (pair,) = found["pairs"]
    expected = ttest_rel(edits(POOR), edits(GOOD))
    interval = expected.confidence_interval(0.95)
    assert code == 0
    assert pair["difference"] == pytest.approx((edits(POOR) - edits(GOOD)).mean())
    assert (pair["low"], pair["high"]) == pytest.approx((interval.low, interval.high), abs=1e-6)
    assert pair["p"] == pytest.approx(expected.pvalue, rel=1e-6)
    assert (pair["a"], pair["b"], pair["items"], pair["clusters"]) == ("good", "poor", 6, 6)
    assert found["ranks"] == {"string/edit.1": {"good": 1, "poor": 2}}


@pytest.mark.parametrize(
    ("order", "more", "code"),
    [
        (("good", "poor"), [], 1),
        (("poor", "good"), [], 0),
        (("poor", "good"), ["--by", "0.1"], 0),
        (("good", "good2"), [], 0),
        # Equal texts exclude every loss.
        (("good", "good2"), ["--by", "0.1"], 0),
        (("good", "poor"), ["--by", "9"], 0),
    ],
)
def test_fail_if_worse(texts: Path, order: tuple[str, str], more: list[str], code: int) -> None:
    (texts / "good2.txt").write_text("\n".join(GOOD) + "\n", "utf-8")
    # Lower is better.
    arguments = [
        "compare",
        f"{order[0]}.txt",
        f"{order[1]}.txt",
        "--references",
        "ref.txt",
        "--metric",
        "string/edit.1",
    ]
    assert main([*arguments, "--fail-if-worse", *more]) == code


def test_junit_and_markdown(texts: Path) -> None:
    arguments = ["compare", "good.txt", "poor.txt", "--references", "ref.txt", "--metric", "string/edit.1"]
    assert main([*arguments, "--fail-if-worse", "--junit", "out.xml", "--markdown", "out.md"]) == 1
    suite = ElementTree.parse(texts / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert "| good | poor | string/edit.1 |" in (texts / "out.md").read_text("utf-8")


def test_only_one_system_cannot_be_compared(texts: Path) -> None:
    assert main(["compare", "good.txt", "--references", "ref.txt"]) == 2


def test_only_common_items_are_compared() -> None:
    rows = [{"item": i, "system": "a", "output": f"cup {i}", "reference": "a cup"} for i in range(8)]
    rows += [{"item": i, "system": "b", "output": "a cup", "reference": "a cup"} for i in range(4)]
    compared = referee.compare(rows, metric="string/edit")
    assert compared.frame["items"].to_list() == [4]
    assert compared.comparisons.notes == ["a and b are compared on 4 common items; left out: 4 of a alone."]


def test_answers_of_listeners_are_tested() -> None:
    right = {"a": [1, 1, 1, 1, 1, 1, 0, 1], "b": [0, 1, 0, 0, 1, 0, 0, 1]}
    rows = [{"item": i, "system": s, "correct": c} for s, part in right.items() for i, c in enumerate(part)]
    compared = referee.compare(rows)
    # One answer an item: the paired t-test over items.
    expected = ttest_rel(right["b"], right["a"])
    assert compared.frame["p"].to_list() == [pytest.approx(expected.pvalue, rel=1e-6)]
    assert compared.frame["metric"].to_list() == ["ir"]


def test_an_evaluation_goes_on(tmp_path: Path) -> None:
    objects = [
        {"trial": i, "id": f"o{k}", "type": "cup", "colour": c} for i in range(3) for k, c in ((1, "red"), (2, "blue"))
    ]
    rows = [
        {"item": i, "system": s, "target": ["o1"], "properties": p, "text": t}
        for i in range(3)
        for s, p, t in (("a", "type:cup; colour:red", "the red cup"), ("b", "type:cup", "the cup"))
    ]
    result = referee.evaluate(rows, scenes=objects)
    found = {(r["system"], r["metric"]): r["value"] for r in result.frame.iter_rows(named=True)}
    # By hand: "the red cup" is true of the target alone, "the cup" of both.
    assert (found["a", "scene/unique"], found["b", "scene/unique"]) == (1.0, 0.0)
    assert (found["a", "ir"], found["b", "ir"]) == (1.0, 0.0)
    assert result.compare("a", "b", metric="scene/unique").frame["difference"].to_list() == [-1.0]
    assert result.listen("noisy").rows
    assert result.report(tmp_path / "report").page.is_file()


def test_systems_are_compared_by_name_after_two_hearers_answered(tmp_path: Path) -> None:
    objects = [{"trial": i, "id": o, "type": t} for i in range(8) for o, t in (("o1", "cup"), ("o2", "desk"))]
    rows = [
        {"item": i, "system": s, "target": ["o1"], "text": t, "reference": "the cup"}
        for i in range(8)
        for s, t in (("a", "the cup"), ("b", "the thing"))
    ]
    result = referee.evaluate(rows, scenes=objects)
    result.listen("literal")
    result.listen("noisy")
    pairs = {(p.a, p.b) for p in result.compare("a", "b", metric="ir").comparisons.pairs}
    assert {("a / literal", "b / literal"), ("a / noisy", "b / noisy")} <= pairs
    assert [(p.a, p.b) for p in result.compare("a", "b", metric="string/edit").comparisons.pairs] == [("a", "b")]


def test_comparing_by_a_measure_that_was_not_measured_is_refused() -> None:
    rows = [{"item": i, "system": s, "output": "a cup", "reference": "a cup"} for i in range(3) for s in "ab"]
    result = referee.evaluate(rows, metrics="string/edit")
    with pytest.raises(referee.InputError, match="string/chrf was not measured"):
        result.compare("a", "b", metric="string/chrf")
    with pytest.raises(UnknownName):
        result.compare("a", "b", metric="string/nothing")


def test_a_family_of_measures_is_compared(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ("good.txt", "poor.txt", "--references", "ref.txt")
    code, compared = run_json(capsys, "compare", *files, "--metric", "string")
    assert code == 0
    assert {"string/edit", "string/chrf", "string/bleu.4"} <= set(compared["ranks"])


PLACES_IN_WORDS = (
    '```json\n[{{"bbox_2d": [{0}, 20, 300, 400], "label": "the cup"}}]\n```',
    '<point x="{0}.5" y="40.6" alt="cup">cup</point>',
    "pyautogui.click(x=0.{0}, y=0.5)",
    "({0}, 20, 300, 400)",
)


@pytest.mark.parametrize("answer", PLACES_IN_WORDS)
def test_answers_with_coordinates_are_no_descriptions(answer: str) -> None:
    rows = [{"item": i, "output": answer.format(10 + i), "reference": f"the cup {i}"} for i in range(4)]
    with pytest.raises(referee.InputError, match="'output' holds"):
        referee.evaluate(rows)


def test_descriptions_with_numbers_are_descriptions() -> None:
    rows = [{"item": i, "output": f"chair {i} of 12", "reference": f"chair {i} of 12"} for i in range(4)]
    rows.append({"item": 9, "output": "the cup (2, 3)", "reference": "the cup"})
    assert referee.evaluate(rows, metrics="string/exact").frame["value"].to_list() == [0.8]


def test_letters_of_options_are_choices_where_the_map_says_so() -> None:
    rows = [{"item": i, "model": "m", "output": o, "reference": "B"} for i, o in enumerate("ABBC")]
    with pytest.raises(referee.InputError, match="letters of options"):
        referee.evaluate(rows)
    result = referee.evaluate(rows, map=["chosen=output", "target=reference"])
    assert result.frame.select("metric", "value").rows() == [("ir", 0.5)]
    sentences = [{**row, "output": f"The answer is {row['output']}"} for row in rows]
    with pytest.raises(referee.InputError, match="name objects differently"):
        referee.evaluate(sentences, map="chosen=output,target=reference")


def test_map_may_be_given_several_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("nr,who,said,ideal\n1,m,a cup,a cup\n2,m,a dog,a cat\n", "utf-8")
    arguments = ["evaluate", str(path), "--map", "text=said", "--map", "references=ideal", "--metrics", "string/exact"]
    code, evaluation = run_json(capsys, *arguments)
    assert code == 0
    assert [row["value"] for row in evaluation["scores"]] == [0.5]
    assert main([*arguments, "--map", "text=ideal"]) == 2
    # A role of listeners would otherwise be ignored.
    assert main([*arguments, "--map", "chosen=who"]) == 2


def test_a_gate_without_an_interval_is_refused(tmp_path: Path) -> None:
    """One common item has no interval, so whether b is worse is unknown."""
    rows = [
        {"item": i, "system": s, "output": "a cup", "reference": "a cup"} for i, s in ((1, "a"), (1, "b"), (2, "a"))
    ]
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert main(["compare", str(path), "--metric", "string/chrf", "--fail-if-worse"]) == 2
    assert main(["compare", str(path), "--metric", "string/chrf"]) == 0


@pytest.mark.parametrize("name", ["", [""]])
def test_an_empty_name_is_not_the_current_folder(texts: Path, name: Any) -> None:
    with pytest.raises(referee.InputError):
        referee.evaluate(name, references="ref.txt")


def test_one_word_texts_are_texts_even_if_a_folder_has_the_name_of_the_first(texts: Path) -> None:
    (texts / "cup").mkdir()
    result = referee.evaluate(["cup", "lamp"], references=["cup", "lamp"], metrics="string/exact")
    assert result.frame["value"].to_list() == [1.0]


@pytest.mark.parametrize("more", [{"confidence": "high"}, {"report": 3}, {"map": 3}, {"metrics": 3}, {"seed": None}])
def test_options_of_wrong_types_get_our_errors(more: dict[str, Any]) -> None:
    with pytest.raises(referee.InputError):
        referee.evaluate(["a cup"], references=["a cup"], **more)


@pytest.mark.parametrize("outputs", [5, [1, 2], {"a": 1}, object()])
def test_wrong_types_get_our_errors(outputs: Any) -> None:
    with pytest.raises(referee.InputError):
        referee.evaluate(outputs)


def test_score_reads_usual_names_of_columns(tmp_path: Path) -> None:
    rows = [{"item": "t1", "model": "a", "utterance": "the red cup"}]
    trial = referee.Trial(
        id="t1",
        scene=referee.Scene(entities=(referee.Entity(id="o"),)),
        targets=("o",),
        references=(referee.Description(text="the red cup"),),
    )
    scores = referee.score(rows, [trial], metrics=["string/exact"])
    assert scores.frame.select("system", "value").rows() == [("a", 1.0)]


def test_listen_reads_answers_of_people_from_a_table(tmp_path: Path) -> None:
    run = referee.score(demo=True, metrics="set/dice").save(tmp_path / "run")
    trials = [t for t in referee.open_corpus(run) if len(t.targets) == 1][:4]
    lines = ["participant,item,system,chosen,target"]
    for person in ("x", "y"):
        for number, trial in enumerate(trials):
            other = next(e.id for e in trial.scene.entities if e.id not in trial.targets)
            chosen = other if number == 0 else trial.targets[0]
            lines.append(f"{person},{trial.id},toy-chatty,{chosen},{trial.targets[0]}")
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", "utf-8")
    heard = referee.listen(run, people=tmp_path / "people.csv")
    # By hand: three of four items are right.
    assert [r["value"] for r in heard.rows if r["measure"] == "ir"] == [0.75]


def test_words_with_scenes_and_without_references_are_answered_by_the_literal_hearer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: "the red chair" fits one object and "the chair" two, of which the hearer gets half."""
    (tmp_path / "scenes.csv").write_text(
        "trial,id,type,colour,is_target\n1,a,chair,red,1\n1,b,chair,blue,0\n1,c,desk,red,0\n", "utf-8"
    )
    (tmp_path / "out.csv").write_text("id,model,output\n1,long,the red chair\n1,short,the chair\n", "utf-8")
    code, evaluation = run_json(capsys, "evaluate", str(tmp_path / "out.csv"), "--scenes", str(tmp_path / "scenes.csv"))
    assert code == 0
    values = {row["system"]: row["value"] for row in evaluation["scores"] if row["metric"] == "ir"}
    assert values["long"] == 1.0
    assert values["short"] < 1.0
    assert evaluation["signature"].startswith("ir|hearer:literal|")


def test_a_measure_without_direction_names_no_better_system(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[4] / "examples" / "first-hour"
    files = (str(folder / "outputs.jsonl"), "--scenes", str(folder / "kitchen.jsonl"))
    code, compared = run_json(capsys, "compare", *files, "--metric", "scene/surplus")
    assert code == 0
    assert compared["ranks"] == {}
    # A gate on it would never close.
    assert main(["compare", *files, "--metric", "scene/surplus", "--fail-if-worse"]) == 2
    assert "is better" not in capsys.readouterr().out


def test_a_damaged_archive_is_refused_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answers.zip").write_bytes(b"PK\x03\x04 and nothing more")
    assert main(["evaluate", str(tmp_path / "answers.zip")]) == 2
    assert "damaged or incomplete" in capsys.readouterr().err


def test_frames_series_and_references_for_each_output() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"item": i, "model": m, "output": f"a {m}", "ref": "a x"} for i in (1, 2) for m in "xy"]
    indexed = referee.evaluate(pandas.DataFrame(rows).set_index(["item", "model"]), metrics="string/exact")
    assert [(r["system"], r["value"], r["n"]) for r in indexed.data["scores"]] == [("x", 1.0, 2), ("y", 0.0, 2)]
    lists = referee.evaluate(
        pandas.Series(["a", "b", "c"]), references=[["a", "x"], ["x"], ["y", "z"]], metrics="string/exact"
    )
    assert lists.data["scores"][0]["value"] == pytest.approx(1 / 3)
    for wrong in ({"metrics": 3}, {"map": 3}, {"confidence": 2}, {"references": [["a", "b", "c"]] * 3}):
        with pytest.raises(referee.errors.InputError):
            referee.evaluate(["a", "b", "c"], **{"references": ["a", "b", "c"], **wrong})


def test_systems_are_compared_by_what_the_literal_hearer_finds() -> None:
    things = [{"trial": t, "object": o, "colour": c} for t in range(8) for o, c in enumerate(("red", "blue"))]
    rows = [
        {"trial": t, "system": s, "target": 0, "text": text}
        for t in range(8)
        for s, text in (("a", "red"), ("b", "blue"))
    ]
    evaluation = referee.evaluate(rows, scenes=things)
    assert evaluation.compare("a", "b").data["pairs"][0]["difference"] == -1.0
    assert referee.compare(rows, scenes=things).ranks == {"ir": {"a": 1, "b": 2}}


def test_all_files_after_the_option_are_references(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("second.txt").write_text(Path("good.txt").read_text("utf-8"), "utf-8")
    _, result = run_json(
        capsys, "evaluate", "good.txt", "--references", "ref.txt", "second.txt", "--metrics", "string/exact"
    )
    assert [(s["system"], s["value"]) for s in result["scores"]] == [("good", 1.0)]
    assert main(["evaluate", "--references", "ref.txt", "good.txt"]) == 2
    assert "name outputs first" in capsys.readouterr().err


def test_files_with_blanks_in_their_names_are_files(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("my outputs.txt").write_text(Path("good.txt").read_text("utf-8"), "utf-8")
    assert run_json(capsys, "evaluate", "my outputs.txt", "--references", "ref.txt")[1]["n"] == 6
    assert main(["evaluate", "no such folder"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_answers_of_listeners_are_saved_as_rows_that_are_read_again(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(p, i, s, int(p != "x" or s == "a")) for p in "xyz" for i in (1, 2) for s in "ab"]
    lines = ["worker,item,model,acc", *(",".join(map(str, row)) for row in rows)]
    Path("answers.csv").write_text("\n".join(lines) + "\n", "utf-8")
    _, first = run_json(capsys, "evaluate", "answers.csv", "--save-as", "answers.jsonl")
    _, again = run_json(capsys, "evaluate", "answers.jsonl")
    # Participants have other pseudonyms, which are the labels of clusters.
    assert [{**s, "signature": ""} for s in first["scores"]] == [{**s, "signature": ""} for s in again["scores"]]
    # By hand: x is wrong about b in both items.
    assert {s["system"]: s["value"] for s in again["scores"]} == {"a": 1.0, "b": pytest.approx(4 / 6)}


def test_explain_says_by_what_a_file_was_recognised(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "good.txt", "--references", "ref.txt", "--explain"]) == 0
    assert "recognised by: lines without a header" in capsys.readouterr().out


@pytest.mark.parametrize("noise", [4, 25])
def test_a_gate_over_misread_coordinates_is_refused(tmp_path: Path, noise: int) -> None:
    """Answers in 0-1000 that are declared as pixels are all wrong, so no system is worse than another.

    With imprecise answers it is open which convention is right, but not that the declared one is wrong.
    """
    generator = np.random.default_rng(3)
    rows = []
    for i in range(40):
        x, y, w, h = generator.integers([50, 50, 80, 80], [900, 700, 400, 300])
        gold = [int(x), int(y), int(x + w), int(y + h)]
        for system in ("a", "b"):
            noisy = [n + generator.normal(0, noise) for n in gold]
            box = [round(n * 1000 / size) for n, size in zip(noisy, (1600, 1200) * 2, strict=True)]
            rows.append(
                {"id": i, "model": system, "width": 1600, "height": 1200, "response": str(box), "gt_box_xyxy": gold}
            )
    path = tmp_path / "boxes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    arguments = ["compare", str(path), "--metric", "ground/accuracy", "--fail-if-worse", "--by", "0.2"]
    assert main([*arguments, "--convention", "pixels xyxy"]) == 2
    assert main([*arguments, "--convention", "0-1000 xyxy"]) == 0


def test_a_system_is_not_compared_with_itself_and_texts_are_no_scenes() -> None:
    rows = [{"item": i, "system": s, "output": "a cup", "reference": "a cup"} for i in range(3) for s in "ab"]
    with pytest.raises(referee.InputError, match="one system"):
        referee.evaluate(rows).compare("a", "a")
    with pytest.raises(referee.InputError, match="references="):
        referee.evaluate(["a cup"], ["a cup"])


def test_a_convention_is_declared_for_runs_too_and_refused_for_words(tmp_path: Path) -> None:
    rows = [
        {"id": i, "width": 1280, "height": 960, "pred_box": [600, 600, 900, 900 + i],
         "gt_box_xyxy": [768, 576, 1152, 864 + i]}
        for i in range(12)
    ]  # fmt: skip
    path, run = tmp_path / "boxes.jsonl", tmp_path / "run"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    referee.evaluate(path, convention="pixels xyxy", save_as=run)
    values = [
        referee.evaluate(run, convention=convention).frame.filter(metric="ground/accuracy")["value"][0]
        for convention in ("pixels xyxy", "0-1000 xyxy")
    ]
    assert values == [0.0, 1.0]
    with pytest.raises(InputError, match="a convention of coordinates is declared"):
        referee.evaluate(["a cup"], references=["a cup"], convention="0-1000 xyxy")


def test_systems_given_as_a_list_get_our_error(tmp_path: Path) -> None:
    result = referee.evaluate({"a": ["a cup"], "b": ["cup"]}, references=["a cup"])
    with pytest.raises(InputError, match="not a list of names"):
        result.compare(["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="out is of type"):
        result.save(5)  # type: ignore[arg-type]


def test_a_table_among_episodes_of_clembench_is_refused(tmp_path: Path) -> None:
    for name in ("game/instance_00000/interactions.json", "answers.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}", "utf-8")
    with pytest.raises(InputError, match="another table"):
        referee.evaluate(tmp_path)


def test_findings_say_so_where_only_the_correction_takes_the_difference_away() -> None:
    from referee.jobs.compare import Pair

    pair = Pair(
        a="x",
        b="y",
        metric="string/chrf",
        difference=0.194,
        low=0.023,
        high=0.365,
        p=0.028,
        p_corrected=0.056,
        items=24,
        clusters=24,
    )
    assert "no difference" in pair.sentence()
    assert "p = 0.028, Holm-corrected p = 0.056" in pair.sentence()
