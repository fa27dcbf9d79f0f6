"""What commands print: tables that hold at 80 columns, as much or as little as was asked for, and the same words for the same mistake."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable, Sized
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from rich.console import Console

import referee
from referee import cli
from referee.cli import main, progress, take_verbosity
from referee.cli.help_page import fit_table
from referee.corpora.demo import list_output_files
from referee.corpora.outputs import read_outputs
from referee.jobs.progress import report_progress, set_progress_callback
from referee_lab.tangram.models.demonstratives import classify
from referee_lab.tangram.models.history import list_situations
from referee_lab.tangram.models.invented_sessions import invent_sessions

LONG = "a-group-of-systems/with-a-name-that-is-longer-than-most"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's systems under long names, scored on a few trials, and heard."""
    ids = [t.id for t in referee.open_corpus("synthetic").trials()]
    chosen = [*ids[:13], *ids[60:73]]
    rows = [
        {
            "trial": o.trial,
            "system": f"{LONG}/{o.system}",
            "text": o.description.text,
            "properties": o.description.properties,
        }
        for path in list_output_files()
        for o in read_outputs(path)
        if o.trial in chosen
    ]
    place = tmp_path_factory.mktemp("terminal") / "run"
    referee.score(rows, "synthetic", ids=chosen).save(place)
    referee.listen(place, "noisy")
    return place


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(list(map(str, args)))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("columns", ["80", "100"])
@pytest.mark.parametrize(
    "args",
    [
        ("score", "--by", "domain"),
        ("score", "--by", "domain,condition", "--lenient"),
        ("score", "--metrics", "all"),
        ("listen",),
        ("court", "--resamples", "10"),
    ],
)
def test_nothing_is_wider_than_the_page_or_cut(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    columns: str,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, out, _ = run(capsys, args[0], folder, *args[1:])
    assert code == 0
    table = out.split("\nnoisy|")[0]  # below a table of hearing stand the signatures, each on a line
    assert [line for line in table.splitlines() if len(line) > int(columns)] == []
    uncut = table.replace(" …", "").replace("|… (--signatures: all", "")
    assert "…" not in uncut, "a name or number was cut"


def test_an_interval_is_written_with_brackets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "score", folder, "--metrics", "set/dice", "--no-humans")
    assert out.count("[0.") >= 2


def test_columns_that_do_not_fit_go_below() -> None:
    heads = ["system", "a", "b", "c"]
    rows = [["one", "0.123 [0.1, 0.2]", "0.123 [0.1, 0.2]", "0.123 [0.1, 0.2]"]]
    tables = fit_table(heads, rows, 45, title="measures")
    assert [[str(c.header) for c in table.columns] for table in tables] == [["system", "a", "b"], ["system", "c"]]
    assert len(fit_table(heads, rows, 80)) == 1


def test_quiet_leaves_results_and_verbose_says_more(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = ("score", folder, "--metrics", "set/dice", "--split", "domain=furniture")
    _, usual, notes = run(capsys, *command, "--out", tmp_path / "a")
    assert "run folder:" in notes
    assert "outside the chosen part" in notes
    _, quiet, nothing = run(capsys, *command, "--out", tmp_path / "b", "--quiet")
    assert (quiet, nothing) == (usual, "")
    _, _, timed = run(capsys, "--verbose", *command)
    assert f"referee {referee.__version__} score: " in timed
    _, _, traced = run(capsys, "--verbose", "score", "nowhere.jsonl")
    assert "Traceback" in traced
    assert "referee: there is no file or run folder 'nowhere.jsonl'" in traced


def test_quiet_and_verbose_stand_anywhere_but_after_two_dashes() -> None:
    assert take_verbosity(["--quiet", "score", "--verbose", "a"]) == ["score", "a"]
    assert (cli.is_quiet(), cli.is_verbose()) == (True, True)
    assert take_verbosity(["score", "--", "--quiet"]) == ["score", "--", "--quiet"]
    assert not cli.is_quiet()


def test_no_color_means_no_control_characters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cli._make_console(force_terminal=True).print("[bold red]word[/bold red]")
    coloured = capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    cli._make_console(force_terminal=True).print("[bold red]word[/bold red]")
    assert ("\x1b[" in coloured or os.environ.get("TERM") == "dumb", capsys.readouterr().out) == (True, "word\n")


def test_bars_within_bars_are_not_drawn_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "has_terminal", lambda: True)
    with progress.show_clock("outer"), progress.show_steps("inner") as begin:
        begin(3)(1)
        assert list(progress.show_progress([1, 2, 3], "innermost")) == [1, 2, 3]
    assert list(progress.show_progress(iter("ab"), "unknown number")) == ["a", "b"]
    assert not progress._shown


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (("score", "--demo", "--format", "xml"), "--format"),
        (("score", "--demo", "--cluster", "xml"), "--cluster"),
        (("score", "--demo", "--by", "xml"), "--by"),
        (("listen", ".", "--ties", "xml"), "--ties"),
        (("court", "--published", "belz-gatt-2008", "--format", "xml"), "--format"),
        (("audit", "--format", "xml"), "--format"),
        (("passport", "literal", "--corpus", "synthetic", "--reads", "xml"), "--reads"),
        (("describe", "-", "--format", "xml"), "--format"),
        (("draw", "--sheet", "xml"), "--sheet"),
        (("signature", "a|b:c", "--format", "xml"), "--format"),
        (
            ("power", "--systems", "2", "--items", "4", "--participants", "2", "--effect", "0.1", "--format", "xml"),
            "--format",
        ),
        (("corpus", "card", "synthetic", "--format", "xml"), "--format"),
        (("report", ".", "--style", "xml"), "--style"),
        (("tangram", "classify", "--synthetic", "--speakers", "xml"), "--speakers"),
    ],
)
def test_the_same_mistake_is_told_in_the_same_words(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], option: str
) -> None:
    code, _, err = run(capsys, *args)
    assert code == 2
    assert f"{option} cannot be 'xml'" in err
    assert f"{option} is one of " in err


def test_only_the_trials_of_a_list_are_scored(folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("s1t1\n\ns1t2\n", "utf-8")
    _, out, _ = run(capsys, "score", folder, "--items", chosen, "--metrics", "set/dice", "--format", "json")
    rows = json.loads(out)["rows"]
    assert {r["n"] for r in rows} == {2}
    assert "|part:items 2-" in rows[0]["signature"], "the signature says that it is a part"
    chosen.write_text("s1t1\nnobody\nnowhere\n", "utf-8")
    code, _, err = run(capsys, "score", folder, "--items", chosen)
    assert (code, "chosen.txt:2: trial 'nobody' is not in the corpus" in err) == (2, True)


def test_a_part_of_a_run_is_scored_without_its_other_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "score", folder, "--split", "domain=furniture", "--metrics", "set/dice")
    assert code == 0
    assert "answers are to trials outside the chosen part" in err
    assert " 14 " in out, "7 furniture scenes of two speakers"


def test_groups_that_no_trial_names_are_said_to_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trial = {"id": "t", "entities": [{"id": "a", "attributes": {"colour": "red"}}], "targets": ["a"]}
    (tmp_path / "c.jsonl").write_text(json.dumps({**trial, "references": ["the red one"]}), "utf-8")
    (tmp_path / "o.jsonl").write_text(json.dumps({"trial": "t", "system": "s", "text": "the red one"}), "utf-8")
    args = ("score", tmp_path / "o.jsonl", "--corpus", tmp_path / "c.jsonl", "--metrics", "string/exact")
    code, _, err = run(capsys, *args, "--by", "domain")
    assert (code, "the trials have no domain" in err) == (0, True)


class Onlooker:
    """Counts what it is shown, label by label."""

    def __init__(self) -> None:
        self.seen: dict[str, list[int]] = {}

    def __call__(self, pieces: Iterable[Any], label: str) -> Iterable[Any]:
        assert isinstance(pieces, Sized), "without a number nobody can say how long it will take"
        counts = self.seen.setdefault(label, [0, 0])
        counts[1] += len(pieces)
        for piece in pieces:
            counts[0] += 1
            yield piece


def test_whoever_looks_on_at_a_court_sees_as_much_as_was_promised_and_changes_nothing(folder: Path) -> None:
    """26 trials of two systems: 40 draws of answers (50 at once), two deals of two families (in one batch, linear and by rank), 300 tables by chance."""
    onlooker = Onlooker()
    settings: dict[str, Any] = {"resamples": 40, "permutations": 20}
    assert referee.court(folder, progress=onlooker, **settings).data == referee.court(folder, **settings).data
    assert all(done == promised for done, promised in onlooker.seen.values())
    assert {"answers drawn anew": [1, 1], "systems permuted": [2, 2]}.items() <= onlooker.seen.items()
    assert onlooker.seen["tables that chance makes"] == [300, 300]


def test_whoever_looks_on_at_an_audit_sees_its_papers() -> None:
    onlooker = Onlooker()
    referee.audit(["tuna-2008", "spanger-2010"], progress=onlooker)
    assert onlooker.seen == {"papers": [2, 2]}


def test_work_that_says_its_pieces_gets_a_bar_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = io.StringIO()
    monkeypatch.setattr(progress, "has_terminal", lambda: True)
    monkeypatch.setattr(
        "rich.console.Console", lambda **_: Console(file=seen, force_terminal=True, color_system=None, width=100)
    )
    with progress.show_clock("the whole"):
        for piece in report_progress(range(4), "pieces of it"):
            assert list(report_progress([piece], "pieces within pieces")) == [piece]
            # The bar is drawn by a thread of its own, a few times a second.
            while f"pieces of it {piece}/4" not in seen.getvalue():
                sleep(0.01)
        assert list(report_progress(iter("ab"), "who knows how many")) == ["a", "b"]
    text = seen.getvalue()
    assert "pieces of it" in text
    assert "━" in text
    assert re.search(r"\d:\d\d:\d\d (-:--:--|\d:\d\d:\d\d)", text)
    assert "pieces within pieces" not in text
    assert "who knows" not in text
    assert list(report_progress([1], "nobody looks on")) == [1]


def test_whoever_looks_on_at_a_classifier_sees_its_models() -> None:
    onlooker = Onlooker()
    situations = list_situations(invent_sessions(1)[:8])
    with set_progress_callback(onlooker):
        classify(situations, folds=3)
    assert onlooker.seen == {"models": [4, 4], "intervals over pairs": [7, 7]}, (
        "all features, and without each of three kinds; beside them three baselines"
    )
