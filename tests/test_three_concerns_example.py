"""The studies of examples/three_concerns run without the corpora, and their rows mean what they say."""

from __future__ import annotations

import gzip
import importlib
import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.courtroom.item_evidence import auc, rank_correlation
from referee.records import Description, Entity, Event, Property, Scene, Trial

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "three_concerns"
PAGE = FOLDER.parent.parent / "docs" / "which-measures-predict-hearers.md"
MODULES = ("answered", "forest", "meta_analysis", "nine_corpora", "predicting_hearers", "within_conditions")
RED, BLUE, BIG, SMALL = (
    Property("colour", "red"),
    Property("colour", "blue"),
    Property("size", "big"),
    Property("size", "small"),
)


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "answered", raising=False)
    return runpy.run_path(str(FOLDER / "run.py"))


def test_versions_differ_from_the_reference_by_one_property(study: dict[str, Any]) -> None:
    scene = Scene(entities=(Entity(id="a", attributes=(RED, BIG)), Entity(id="b", attributes=(BLUE, SMALL))))
    both = Trial(id="t", scene=scene, targets=("a",), references=(Description(properties=(RED, BIG)),))
    one = Trial(id="t", scene=scene, targets=("a",), references=(Description(properties=(RED,)),))
    assert set(study["versions_of"](both)) == {
        ("omitted", (BIG,)),
        ("omitted", (RED,)),
        ("exchanged", (BLUE, BIG)),
        ("exchanged", (RED, SMALL)),
    }
    assert set(study["versions_of"](one)) == {("exchanged", (BLUE,)), ("added", (RED, BIG))}


def test_the_study_runs_on_synthetic_scenes(
    study: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["run.py", "--trials", "15"])
    study["main"]()
    out = capsys.readouterr().out
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()]
    means = {
        row[0]: [float(x) for x in row[2:10]]
        for row in table
        if row[:1] and row[0] in ("omitted", "added", "exchanged")
    }
    assert means["added"][0] > means["omitted"][0], (
        "Dice punishes omission more than addition (van Deemter & Gatt 2007)"
    )
    assert means["exchanged"][-2] == 0, "the literal hearer never finds what a false description describes"
    assert "REFEREE_DATA is not set" in out


def test_a_timed_hearer_takes_as_long_as_people_whose_times_grow_with_length(study: dict[str, Any]) -> None:
    scene = Scene(entities=(Entity(id="a", attributes=(RED, BIG)), Entity(id="b", attributes=(BLUE, SMALL))))
    rows = [
        study["Answered"](
            description=Description(properties=said),
            trial=Trial(id=f"{game}{i}", scene=scene, targets=("a",)),
            right=1.0,
            milliseconds=1000.0 * len(said),
            game=game,
            group="",
        )
        for game in ("g", "h")
        for i, said in enumerate([(RED,), (BIG,), (RED, BIG)])
    ]
    hearer = study["timed"]("literal", rows)
    view = rows[0].trial.for_hearer(Random(1))
    short, long = (hearer.resolve(Description(properties=said), view) for said in ((RED,), (RED, BIG)))
    assert study["_total"](short) == pytest.approx(1000, rel=1e-6)
    assert study["_total"](long) == pytest.approx(2000, rel=1e-6)
    assert study["_total"](study["timed"]("literal", []).resolve(Description(properties=(RED,)), view)) is None


@pytest.mark.long
@pytest.mark.data
def test_coded_rounds_are_all_correct_and_held_against_other_games(
    study: dict[str, Any], data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFEREE_DATA", str(data_folder))
    rows = study["in_like_conditions"](study["degen"](coded=True))
    assert len(rows) > 5000
    assert all(r.right for r in rows), "the authors coded correct clicks only (card of degen2020)"
    assert all(d.speaker != r.game for r in rows for d in r.trial.references)


# -- nine corpora ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def nine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The modules of the study of nine corpora, by name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return {name: importlib.import_module(name) for name in MODULES}


def test_with_one_condition_the_values_are_those_of_the_court(nine: Any) -> None:
    rng = np.random.default_rng(1)
    scores, right, times = rng.integers(0, 6, 200) / 5.0, rng.integers(0, 2, 200) * 1.0, rng.normal(size=200)
    one = np.zeros(200, dtype=np.int64)
    area, rho = nine["within_conditions"].Area, nine["within_conditions"].Correlation
    assert area(scores, right, one).value() == pytest.approx(auc(scores, right).value)
    assert rho(scores, times, one).value() == pytest.approx(rank_correlation(scores, times).value)


def test_only_answers_of_one_condition_are_compared(nine: Any) -> None:
    scores = np.array([1.0, 2.0, 2.0, 11.0, 12.0, 13.0])
    right = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    conditions = np.array([0, 0, 0, 1, 1, 1])
    area = nine["within_conditions"].Area(scores, right, conditions)
    assert area.value() == pytest.approx((1 + 0.5 + 0 + 0) / 4), "two pairs in each condition, none between them"


@pytest.mark.parametrize("name", ["Area", "Correlation"])
def test_leaving_out_rows_is_the_same_as_never_having_had_them(nine: Any, name: str) -> None:
    rng = np.random.default_rng(2)
    scores, conditions = rng.integers(0, 9, 120) / 7.0, rng.integers(0, 4, 120)
    other = rng.integers(0, 2, 120) * 1.0 if name == "Area" else rng.normal(size=120)
    made = getattr(nine["within_conditions"], name)
    out = np.arange(0, 120, 5)
    kept = np.setdiff1d(np.arange(120), out)
    left = made(scores, other, conditions).value(out)
    assert left == pytest.approx(made(scores[kept], other[kept], conditions[kept]).value())


def test_an_interval_over_few_alike_games_is_wider_than_one_over_answers(nine: Any) -> None:
    rng = np.random.default_rng(3)
    game = np.repeat(np.arange(12), 30)
    right = (rng.random(360) < np.repeat(rng.uniform(0.2, 0.9, 12), 30)) * 1.0
    statistic = nine["within_conditions"].Area(np.repeat(rng.normal(size=12), 30), right, np.zeros(360, dtype=np.int64))
    by_game, by_answer = (nine["within_conditions"].tested(statistic, [c], 360) for c in (game, np.arange(360)))
    assert by_game.high - by_game.low > 2 * (by_answer.high - by_answer.low)
    crossed = nine["within_conditions"].tested(statistic, [game, np.arange(360) % 30], 360)
    assert crossed.clusters == (12, 30)
    assert crossed.high - crossed.low >= 0.99 * (by_game.high - by_game.low)


def test_noise_lays_scores_of_a_condition_beside_answers_of_the_same_condition(nine: Any) -> None:
    strata, games = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    for scores, heard in nine["within_conditions"].noise(strata * 10.0, strata, games, 5):
        assert (scores == strata[heard] * 10).all()
        assert sorted(heard) == list(range(6))


@pytest.mark.parametrize(
    ("messages", "usable"),
    [
        ([("speaker", "the rabbit")], True),
        ([("speaker", "the rabbit"), ("listener", "")], True),
        ([("speaker", "the rabbit"), ("listener", "which?")], False),
        ([("speaker", "the"), ("speaker", "rabbit")], False),
        ([], False),
    ],
)
def test_a_round_is_read_where_one_message_was_written(nine: Any, messages: Any, usable: bool) -> None:
    scene = Scene(entities=(Entity(id="a"),))
    said = tuple(Event(kind="message", by=by, text=text) for by, text in messages)
    trial = Trial(id="t", scene=scene, targets=("a",), episode=said)
    assert nine["nine_corpora"].has_one_message(trial) is usable


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((9, 6, 0), "predicts"),
        ((9, 5, 0), "predicts, if no corpus is left out"),
        ((9, 4, 0), "not shown"),
        ((9, 0, 7), "predicts the opposite"),
        ((9, 6, 1), "contradictory"),
        ((1, 1, 0), "too few corpora"),
    ],
)
def test_a_measure_predicts_only_if_it_does_on_most_corpora(
    nine: Any, counts: tuple[int, int, int], words: str
) -> None:
    assert nine["predicting_hearers"].verdict(*counts) == words


def tiny_games(folder: Path) -> None:
    """Ten games in which the usual name is found at once, and a name of one's own often missed."""
    rng, rows = Random(1), []
    for game in range(10):
        for turn in range(24):
            figure = "ABCDEFGHIJKL"[turn % 12]
            usual = rng.random() < 0.6
            text = f"the one like an {figure * 4}" if usual else f"strange thing {rng.randrange(99)}"
            found = rng.random() < (0.95 if usual else 0.4)
            time = rng.randint(900, 1500) + (0 if usual else 800)
            rows.append(
                {
                    "game": f"g{game}",
                    "trial": turn + 1,
                    "repetition": turn // 12 + 1,
                    "target": figure,
                    "clicked": figure if found else "ABCDEFGHIJKL"[(turn + 1) % 12],
                    "correct": found,
                    "messages": [["d", text, time]],
                    "rt_ms": time,
                    "simple": True,
                }
            )
    (folder / "tangrams-hawkins").mkdir()
    with gzip.open(folder / "tangrams-hawkins" / "tangrams_cued.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_the_study_of_nine_corpora_finds_what_was_put_into_a_tiny_one(nine: Any, tmp_path: Path) -> None:
    tiny_games(tmp_path)
    page, out = tmp_path / "page.md", tmp_path / "out"
    page.write_text("before\n<!-- found -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    nine["predicting_hearers"].main(
        [f"--data={tmp_path}", f"--out={out}", f"--page={page}", "--corpora=tangrams-hawkins", "--draws=20", "--jobs=1"]
    )
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    (corpus,) = results["corpora"]
    cells = {(c["measure"], c["outcome"], c["scope"]): c for c in corpus["cells"]}
    chrf = cells["chrF", "found", "condition"]
    assert (chrf["n"], chrf["clusters"], corpus["sampled"]) == (240, [10], ["game"])
    assert chrf["low"] > 0.6
    assert chrf["p_corrected"] < 0.05
    assert cells["chrF", "speed", "condition"]["low"] > 0, "the usual name was answered faster"
    low, high = corpus["noise"]["bands"]["chrF"]["found"]
    assert low < 0.5 < high < chrf["value"]
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| Tangrams, pairs | 240 (" in text
    for folder in (out, tmp_path):
        for figure in ("predicting-found.svg", "predicting-speed.svg"):
            assert (folder / figure).read_text(encoding="utf-8").startswith("<svg")
    header, *lines = (out / "cells.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("corpus,measure,outcome,scope,n,missed,clusters,value,low,high,p,p_corrected")
    assert len(lines) == len(corpus["cells"]) + len(corpus["sensitivity"])
    more = {(c["measure"], c["outcome"], c["scope"]): c for c in corpus["sensitivity"]}
    difference = more["BLEU-1 − chrF", "difference", "condition"]
    bleu = cells["BLEU-1", "found", "condition"]
    assert difference["value"] == pytest.approx(bleu["value"] - chrf["value"])
    assert difference["high"] - difference["low"] < chrf["high"] - chrf["low"] + bleu["high"] - bleu["low"]
    assert more["chrF", "found", "condition, other references"]["low"] > 0.6
    assert more["other hearers", "found", "condition"]["n"] == 0, "every description was heard once"


def test_the_page_has_a_place_for_every_table_and_shows_both_figures() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = re.findall(r"<!-- ([^>]+?) -->\n(?:(?!<!--).)*\n<!-- end -->", text, flags=re.DOTALL)
    assert set(names) == {
        "chance",
        "corpora",
        "found",
        "found, same length",
        "found, same target",
        "found, summary",
        "speed",
        "speed, summary",
        "sets",
        "readable",
        "meta",
        "meta, ceilings",
        "meta, differences",
        "meta, predicted",
        "meta, rules",
        "meta, worlds",
    }
    for figure in ("predicting-found.svg", "predicting-speed.svg"):
        assert f"]({figure})" in text
        assert (PAGE.parent / figure).read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.data
@pytest.mark.long
def test_the_page_says_of_a_corpus_what_comes_out_of_it(nine: Any, data_folder: Path) -> None:
    study = nine["predicting_hearers"]
    result = study.study("tangrams-hawkins", str(data_folder), None, 2)
    for cell in result["cells"]:
        cell["p_corrected"] = None  # stars depend on all nine corpora
    tables = study.make_tables([result], result["cells"], {})
    page = PAGE.read_text(encoding="utf-8").replace("\\*", "")
    for name in ("found", "found, same length", "found, same target", "speed"):
        row = tables[name].splitlines()[-1]
        part = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", page, flags=re.DOTALL)
        assert part is not None
        assert row in part[1].splitlines()


def cells_of_page(folder: Path) -> Path:
    """The areas that the page prints, as cells.csv."""
    names = dict(
        zip(
            (
                "Degen 2020",
                "Colors",
                "Colors, Mandarin",
                "Colour grids",
                "Tangrams, pairs",
                "Tangrams, groups",
                "Tangrams, strangers",
                "KiloGram tangrams",
                "Photographs",
            ),
            (
                "degen2020",
                "colors",
                "colors-mandarin",
                "color-grids",
                "tangrams-hawkins",
                "multiparty-tangrams",
                "tg-matcher",
                "tangrams-ref",
                "continual-adaptation",
            ),
            strict=True,
        )
    )
    lines = ["corpus,measure,outcome,scope,n,value,low,high"]
    lines += [f"{name},BLEU-1 − chrF,difference,condition,100,-.01,-.02,0" for name in names.values()]
    page = PAGE.read_text(encoding="utf-8")
    for name, scope in (("found", "condition"), ("found, same target", "condition and target")):
        part = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", page, flags=re.DOTALL)
        assert part is not None
        head, _, *rows = (tuple(c.strip() for c in row.strip("|").split("|")) for row in part[1].strip().splitlines())
        for corpus, *values in rows:
            for measure, value in zip(head[1:], values, strict=True):
                if numbers := re.fullmatch(r"(\.\d+)(?:\\\*)? \[(\.\d+), (\.\d+)\]", value):
                    lines.append(f"{names[corpus]},{measure},found,{scope},100,{','.join(numbers.groups())}")
    path = folder / "cells.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_meta_analysis_and_its_manuscript(nine: Any, tmp_path: Path) -> None:
    """chrF, calculated elsewhere at one estimate of the spread: .584 [.544, .625], new corpus [.496, .672]; on the same target .564 [.470, .658].

    Intervals over the confidence distribution of the spread hold these.
    """
    study = nine["meta_analysis"]
    study.main([str(cells_of_page(tmp_path)), f"--out={tmp_path / 'out'}", f"--latex={tmp_path / 'tex'}"])
    analysis = json.loads((tmp_path / "out" / "meta.json").read_text(encoding="utf-8"))
    pooled = {(p["measure"], p["scope"]): p for p in analysis["pooled"]}
    chrf, same = pooled["chrF", "condition"], pooled["chrF", "condition and target"]
    assert [chrf["effect"], chrf["low"], chrf["high"]] == pytest.approx([0.584, 0.544, 0.625], abs=0.007)
    assert 0.43 < chrf["new_low"] < 0.496
    assert 0.672 < chrf["new_high"] < 0.74
    assert [same["effect"], same["low"], same["high"]] == pytest.approx([0.564, 0.470, 0.658], abs=0.015)
    assert len(analysis["rules"]["hash"]) == 64
    assert {w["world"] for w in analysis["worlds"]} == {"colours", "tangrams", "objects", "photographs"}
    (difference,) = analysis["differences"]
    assert difference["effect"] == pytest.approx(-0.01)
    text = (tmp_path / "tex" / "manuscript.tex").read_text(encoding="utf-8")
    assert all(
        part in text
        for part in ("\\begin{table}", "\\begin{picture}", "Methods", "Data statement", "Degen2020".lower())
    )
    if shutil.which("pdflatex"):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "manuscript.tex"]
        made = subprocess.run(command, cwd=tmp_path / "tex", capture_output=True, timeout=120, check=False)
        assert made.returncode == 0, made.stdout.decode(errors="replace")[-2000:]


def test_a_headline_that_hangs_on_one_corpus_says_so(nine: Any, tmp_path: Path) -> None:
    lines = ["corpus,measure,outcome,scope,n,value,low,high"]
    lines += ["degen2020,m,found,condition,9,.70,.69,.71", "colors,m,found,condition,9,.51,.50,.52"]
    lines += [f"{name},m,found,condition,9,.60,.55,.65" for name in ("tg-matcher", "tangrams-ref", "color-grids")]
    (tmp_path / "cells.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    study = nine["meta_analysis"]
    rules = {"date": "d", "sensitivity": [], "seen": [], "new": [], "worlds": {}}
    (row,) = study.analyse(study.read_cells(tmp_path / "cells.csv"), [], rules)["left_out"]
    assert row["holds"] == (not row["depends_on"] and row["excludes_chance"])
    assert row["lowest"][1] == "degen2020"
