"""What the command line does, Python does: the same options under guessable names, frames that do not change their columns, results that show themselves."""

from __future__ import annotations

import inspect
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import referee
from referee.api import results as frames
from referee.api.results import Result
from referee.errors import InputError, UnknownName
from referee.show.reports import report_folder

FUNCTIONS = ("score", "run", "listen", "court", "passport", "audit", "report", "draw", "describe", "replicate")
# What a parameter of a command is called in Python, where that is not the same.
IN_PYTHON = {
    "score": {"items": "ids"},
    "run": {"by": "folds_by", "split": "cut"},
    "listen": {"by": "folds_by"},
    "court": {"paper": "published"},
    "passport": {"by": "folds_by", "beside": "new"},
    "audit": {"paper": "papers"},
    "describe": {"corpus": "trials", "data": "trials", "reading": "trials"},
}
# What only says how something is printed or written from a terminal; results have methods for it.
PRINTING = {
    "form": "",
    "format": "",
    "scale": "Drawing.save",
    "explain": "Described.steps",
    "every": "AuditResult.frame",
    "names": "",
    "signatures": "",
    "details": "",
    "register": "AuditResult.corrections",
    "strict": "AuditResult.findings",
}
SAVED = {"court": {"out"}, "draw": {"out", "regions", "outlines"}, "audit": {"explain"}}
CHAIRS = {"entities": [{"id": x, "attributes": {"type": "chair", "colour": x}} for x in ("red", "blue")]}


def command(name: str) -> inspect.Signature:
    module = import_module(f"referee.cli.{name}")
    (registered,) = module.app.registered_commands
    return inspect.signature(registered.callback)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_python_has_every_option_of_the_command(name: str) -> None:
    given = set(inspect.signature(getattr(referee, name)).parameters)
    wanted = {
        IN_PYTHON.get(name, {}).get(option, option)
        for option in command(name).parameters
        if option not in PRINTING and option not in SAVED.get(name, ())
    }
    assert wanted - given == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_explicit_and_typed(name: str) -> None:
    signature = inspect.signature(getattr(referee, name))
    kinds = {p.kind for p in signature.parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())
    assert signature.return_annotation is not inspect.Signature.empty


def test_no_module_has_the_name_of_a_function() -> None:
    assert {m.name for m in pkgutil.iter_modules(referee.__path__)} & set(FUNCTIONS) == set()


@pytest.mark.long
def test_functions_stay_functions_when_every_module_is_imported() -> None:
    """In a process of its own; a module of the same name would take the function's place. `referee.inspect` needs inspect_ai."""
    code = (
        "import pkgutil, importlib, referee\n"
        "for m in pkgutil.walk_packages(referee.__path__, 'referee.'):\n"
        "    if '__main__' not in m.name and m.name != 'referee.inspect':\n"
        "        importlib.import_module(m.name)\n"
        f"print(all(callable(getattr(referee, n)) for n in {(*FUNCTIONS, 'open_corpus')!r}))\n"
        "print(referee.score(demo=True, metrics='set/dice').frame['n'].to_list())\n"
        f"print(referee.describe({CHAIRS!r}, 'red').text)\n"
        f"print(referee.draw({CHAIRS!r}))\n"
        "import tempfile; place = tempfile.mkdtemp()\n"
        "run = referee.run('classic/greedy', 'synthetic', place + '/run', limit=20, folds_by='random', jobs=1)\n"
        "print(run.frame['answered'].to_list(), referee.open_corpus(run.folder).frame.height)\n"
        "scored = run.score(metrics='set/dice').save(place + '/scored')\n"
        "print(len(referee.listen(scored, 'literal')) > 0, len(referee.court(scored, resamples=5).verdicts))\n"
        "referee.show.reports.report_folder.save_figure = lambda figure, folder: None\n"
        "print(referee.report(scored, place + '/report').page.is_file(), len(referee.audit('tuna-2008').findings) > 0)\n"
        "for wrong in (lambda: referee.replicate('no such task'), lambda: referee.passport('literal', reads='tea')):\n"
        "    try:\n        wrong()\n"
        "    except referee.RefereeError as told:\n        print(str(told).splitlines()[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "True",
        "[780, 780]",
        "the red chair",
        "Drawing of 2 entities",
        "[20] 20",
        "True 1",
        "True True",
        "no task is called 'no such task'",
        "reads cannot be 'tea'",
    ]


def test_every_module_can_be_found() -> None:
    assert len(list(pkgutil.iter_modules(referee.__path__))) > 10


OPTIONS: list[dict[str, Any]] = [
    {},
    {"by": "domain"},
    {"by": ["domain", "condition"]},
    {"baseline": "toy-chatty"},
    {"humans": True},
    {"lenient": True},
    {"cluster": "none", "confidence": 0.9},
    {"split": "domain=people"},
]


def test_scores_have_the_same_columns_whatever_was_asked_so_that_they_concatenate() -> None:
    found = [referee.score(demo=True, metrics="set/dice", resamples=0, **options).frame for options in OPTIONS]
    assert {tuple(frame.schema.items()) for frame in found} == {tuple(found[0].schema.items())}
    assert pl.concat(found).height == sum(frame.height for frame in found)
    groups = found[1]
    assert groups["domain"].unique().sort().to_list() == [None, "furniture", "people"]
    assert not any("=" in str(x) for x in groups["domain"])


def test_counts_are_columns_even_where_nothing_went_wrong() -> None:
    frame = referee.score(demo=True, metrics="set/dice").frame
    assert frame.select(frames.PROBLEMS).sum().row(0) == (0,) * len(frames.PROBLEMS)


def test_items_is_the_item_level_frame_with_the_labels_of_the_trials() -> None:
    table = referee.score(demo=True, metrics="set/dice")
    items = referee.score(demo=True, metrics="set/dice", items=True)
    assert items.frame.equals(table.items.frame)
    assert items.frame.columns[:4] == ["system", "trial", "metric", "value"]
    mean = items.frame.group_by("system", maintain_order=True).agg(pl.col("value").mean())
    assert mean["value"].to_list() == pytest.approx(table.frame["value"].to_list()), "Dice is the mean of its items"
    assert set(items.frame["domain"]) == {"furniture", "people"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trials = [t.id for t in referee.open_corpus("synthetic").trials()][:26]
    place = tmp_path_factory.mktemp("api") / "run"
    return referee.score(demo=True, metrics="set/dice,string/edit", by="domain", ids=trials).save(place)


@pytest.fixture(scope="module")
def everything(folder: Path) -> Iterator[list[Result]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            report_folder, "save_figure", lambda figure, folder: None
        )  # the report's own tests draw its files
        yield results_of(folder)


def results_of(folder: Path) -> list[Result]:
    heard = referee.listen(folder, "literal")
    return [
        referee.score(folder, metrics="set/dice,string/edit", by="domain"),
        referee.score(folder, items=True),
        referee.score(folder).worst("string/edit", n=2),
        heard,
        heard.items,
        referee.court(folder, resamples=10),
        referee.audit("tuna-2008"),
        referee.draw(CHAIRS, target="red"),
        referee.report(folder, folder.parent / "report"),
    ]


def test_every_result_has_a_frame_a_figure_a_table_and_a_look(everything: list[Result]) -> None:
    for result in everything:
        assert isinstance(result.frame, pl.DataFrame)
        assert len(repr(result)) < 250, repr(result)
        assert "<" in result._repr_html_()
        assert r"\bottomrule" in result.to_latex()
        assert result.plot() is not None
        assert list(result.to_pandas().columns) == result.frame.columns
        assert len(result) == result.frame.height


def test_pandas_columns_have_types_even_without_values(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    found = referee.score(folder, metrics="set/dice").to_pandas()
    assert isinstance(found, pandas.DataFrame)
    assert {str(found[c].dtype) for c in ("baseline", "speaker", "metric")} == {"string"}
    assert {str(found[c].dtype) for c in ("p", "value")} == {"Float64"}


def test_pandas_is_not_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pandas is not installed"):
        referee.score(folder, metrics="set/dice").to_pandas()


def test_pandas_outputs_with_empty_cells_are_read() -> None:
    """pandas writes a missing cell as NaN, which is no text."""
    pandas = pytest.importorskip("pandas")
    trials = list(referee.open_corpus("synthetic").trials())[:2]
    rows = [{"trial": trials[0].id, "text": "the chair"}, {"trial": trials[1].id, "properties": [["type", "fan"]]}]
    found = referee.score(pandas.DataFrame(rows), trials, metrics="string/edit,set/dice", lenient=True)
    assert found.frame.filter(pl.col("metric") == "string/edit")["n"].to_list() == [1]


def test_the_worst_items_are_pictures_of_what_went_wrong(folder: Path) -> None:
    scores = referee.score(folder, metrics="string/edit")
    worst = scores.worst(n=3)
    assert len(worst) == 3
    values = scores.items.frame["value"]
    assert worst.frame["value"].to_list() == values.sort(descending=True).head(3).to_list(), "less is better"
    assert worst._repr_html_().count("<svg") == 3
    with pytest.raises(UnknownName):
        scores.worst("set/dice")
    assert set(scores.worst(system="toy-minimal").frame["system"]) == {"toy-minimal"}


def test_a_result_does_what_its_frame_does(folder: Path) -> None:
    scores = referee.score(folder, metrics="set/dice")
    assert scores.filter(pl.col("system") == "toy-chatty").height == 1
    assert scores["value"].equals(scores.frame["value"])
    with pytest.raises(AttributeError):
        scores.no_such_thing  # noqa: B018


def test_what_python_and_the_command_count_is_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from referee.cli import main

    assert main(["score", str(folder), "--metrics", "set", "--by", "domain", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    frame = referee.score(folder, metrics="set", by="domain").frame
    assert [r["value"] for r in rows] == frame["value"].to_list()
    assert [r["signature"] for r in rows] == frame["signature"].to_list()


def test_records_show_themselves_in_a_line() -> None:
    trial = next(iter(referee.open_corpus("synthetic").trials()))
    assert len(repr(trial)) < 200
    assert trial.id in repr(trial)
    assert len(repr(trial.scene)) < 200
    assert trial._repr_html_().count("<svg") == 1
    assert len(repr(referee.open_corpus("synthetic"))) < 200
    assert referee.open_corpus("synthetic")._repr_html_().count("<svg") == 3


def test_a_corpus_is_a_frame_too() -> None:
    opened = referee.open_corpus("synthetic")
    assert opened.frame.height == 780
    assert opened.frame.columns == [
        "trial", "domain", "condition", "speaker", "scene", "language", "target", "entities", "references", "text",
    ]  # fmt: skip


def test_a_run_in_which_nothing_failed_stays_as_it_is(tmp_path: Path) -> None:
    made = referee.run("classic/greedy", "synthetic", tmp_path / "run", limit=6, folds=2, folds_by="random", jobs=1)
    assert referee.run(retry=made.folder).frame.equals(made.frame)
    with pytest.raises(InputError, match="systems, a corpus and a place"):
        referee.run("classic/greedy")


def test_a_description_says_why() -> None:
    said = referee.describe(CHAIRS, "red")
    assert isinstance(said, referee.Description)
    assert (said.text, said.distinguishing) == ("the red chair", True)
    assert said.frame.height == len(said.steps)
    assert "<svg" in said._repr_html_()


def test_people_passports_and_replications_have_frames_of_their_schema() -> None:
    from referee.api.passport import Passport
    from referee.api.replicate import Replication

    card = {"hearer": "h", "corpus": "c", "n": 9, "verdict": "not fit", "signature": "h", "auc": 0.7, "intervals": {"auc": (0.6, 0.8)}}  # fmt: skip
    passport = Passport({**card, "reasons": ["because"]})
    assert passport.frame.select("metric", "value", "low", "high", "n").rows() == [("auc", 0.7, 0.6, 0.8, 9)]
    assert "because" in passport._repr_html_()
    row = {"system": "A", "domain": "both", "metric": "set/dice", "ours": 0.7, "published": 0.8, "difference": -0.1,
           "low": 0.6, "high": 0.8, "evidence": "faithful"}  # fmt: skip
    again = Replication("tuna2008-as", [row, {**row, "system": "B", "ours": 0.6}])
    assert tuple(again.frame.columns) == tuple(frames.REPLICATION)
    assert again.plot() is not None
    assert r"\bottomrule" in again.to_latex()
