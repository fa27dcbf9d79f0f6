"""What a report reads: which measures are averages, runs that share trials, and folders that are not what they seem."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from small_runs import chatty, colour, exact, make_run, material_of, trials

from referee.cli import main
from referee.jobs.folder import Run
from referee.show.reports.report_sources import gather
from referee.show.reports.sections import build_sections


def test_bleu_is_not_taken_for_an_average(tmp_path: Path) -> None:
    material = material_of(tmp_path / "run", {"chatty": chatty, "colour": colour})
    assert material.averages == {"set/dice", "set/exact", "scene/unique", "string/edit"}


def test_runs_over_the_same_trials_share_a_table_and_clashing_names_are_told_apart(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", {"mine": exact, "other": colour})
    second = make_run(tmp_path / "second", {"mine": colour})
    (material,) = gather([first, second])
    assert material.systems == ("mine (first)", "other", "mine (second)")
    assert material.value("mine (first)", "set/dice") == 1
    assert material.value("mine (second)", "set/dice") == pytest.approx(2 / 3)
    assert material.values("set/dice")["system"].n_unique() == 3


def test_runs_over_other_trials_are_kept_apart(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", {"mine": exact})
    second = make_run(tmp_path / "second", {"mine": exact}, corpus=trials(4))
    assert [m.trials.height for m in gather([first, second])] == [6, 4]


def test_the_same_outputs_held_against_other_references_are_kept_apart(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", {"mine": exact})
    second = make_run(tmp_path / "second", {"mine": exact}, references="others")
    assert len(gather([first, second])) == 2


def test_a_run_that_was_not_scored_is_scored_by_domain_and_condition(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", {"colour": colour, "exact": exact})
    (folder / "scores.jsonl").unlink()
    (folder / "items.parquet").unlink()
    (material,) = gather([folder])
    assert material.value("colour", "set/dice") == pytest.approx(2 / 3)
    assert {r["group"] for r in material.scores} == {None, "domain=a", "domain=b", "condition=+", "condition=-"}


def test_a_run_scored_again_keeps_the_name_of_its_corpus_and_how_its_systems_were_trained(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"colour": colour, "exact": exact})
    cuts = [{"name": f"speaker-fold-{i}/2", "seed": 7} for i in (1, 2)]
    manifest = Run(run).manifest | {"splits": cuts, "signatures": {"exact": "exact|order:fixed"}}
    (run / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert main(["score", str(run), "--metrics", "set/dice", "--resamples", "0", "--out", str(tmp_path / "again")]) == 0
    (material,) = gather([tmp_path / "again"])
    assert material.corpus == "trials"
    html = next(s for s in build_sections(material) if s.name == "methods").html
    assert "trained and tested on the cuts speaker-fold-1/2 and speaker-fold-2/2 (seed 7)" in html
    assert "<li>exact|order:fixed</li>" in html


def test_nan_and_null_count_as_absent(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", {"colour": colour, "exact": exact})
    items = pl.read_parquet(folder / "items.parquet")
    spoilt = pl.when(pl.col("trial") == "t0").then(float("nan")).otherwise(pl.col("value")).alias("value")
    items.with_columns(spoilt).write_parquet(folder / "items.parquet")
    rows = [json.loads(line) for line in (folder / "scores.jsonl").read_text("utf-8").splitlines()]
    rows[0]["value"] = float("nan")
    (folder / "scores.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (material,) = gather([folder])
    assert material.values("set/dice").height == 10, "five trials of two systems"
    assert material.value("colour", rows[0]["metric"]) is None


def damage_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{", "utf-8")


def make_newer(folder: Path) -> None:
    manifest = Run(folder).manifest
    (folder / "manifest.json").write_text(json.dumps({**manifest, "format": 99, "version": "9.0"}), "utf-8")


def damage_scores(folder: Path) -> None:
    (folder / "scores.jsonl").write_text('{"system": "a"', "utf-8")


def shorten_scores(folder: Path) -> None:
    (folder / "scores.jsonl").write_text('{"system": "a", "value": 1}\n', "utf-8")


def empty_scores(folder: Path) -> None:
    (folder / "scores.jsonl").write_text("", "utf-8")


def damage_items(folder: Path) -> None:
    (folder / "items.parquet").write_bytes(b"PAR1 no more")


def lose_items(folder: Path) -> None:
    (folder / "items.parquet").unlink()


def change_trials(folder: Path) -> None:
    path = folder / "trials.jsonl"
    path.write_text(path.read_text("utf-8").replace("red", "green"), "utf-8")


def lose_trials(folder: Path) -> None:
    (folder / "trials.jsonl").unlink()


def damage_outputs(folder: Path) -> None:
    (folder / "outputs.jsonl").write_text('{"trial": "t0", "system": "exact", "text": ["a list"]}\n', "utf-8")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (damage_manifest, "manifest is damaged"),
        (make_newer, "newer version (9.0)"),
        (damage_scores, "scores.jsonl:1: the score is damaged"),
        (shorten_scores, "scores.jsonl:1: the score is damaged"),
        (empty_scores, "there are no scores"),
        (damage_items, "values per item cannot be read"),
        (lose_items, "values per item cannot be read"),
        (change_trials, "not the trials that the manifest names"),
        (lose_trials, "no readable trials"),
        (damage_outputs, "outputs.jsonl:1: the field 'text' should be text"),
    ],
)
def test_a_damaged_run_is_refused_with_a_reason_and_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: object, said: str
) -> None:
    folder = make_run(tmp_path / "run", {"exact": exact, "colour": colour})
    damage(folder)  # type: ignore[operator]
    code = main(["report", str(folder), "--out", str(tmp_path / "report")])
    message = capsys.readouterr().err
    assert code == 2
    assert said in message
    assert "→" in message
    assert not (tmp_path / "report").exists()


def test_a_report_is_not_taken_for_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "manifest.json").write_text('{"format": 1, "kind": "report"}', "utf-8")
    assert main(["report", str(tmp_path / "report"), "--out", str(tmp_path / "other")]) == 2
    assert "this is a report, not a run" in capsys.readouterr().err


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path), "--out", str(tmp_path / "report")]) == 2
    assert "not a run folder" in capsys.readouterr().err
