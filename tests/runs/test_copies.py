"""A large corpus is read and measured in parts, side by side: the table is the same, and whatever is odd is told as by one process."""

from __future__ import annotations

import gc
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

from referee.corpora import output_index
from referee.corpora.jsonl import json_line, trial_to_json
from referee.corpora.outputs import output_to_json
from referee.corpora.synthetic.corpus import generate
from referee.errors import InputError
from referee.metrics.sets import Dice
from referee.records import Description
from referee.runs import kept_rows, large_files
from referee.runs.copies import GivenUp, cut, in_copies
from referee.runs.large_files import LargeFiles

# By name: the package has a function of the same one.
api = import_module("referee.api.score")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of a process are made on Linux only")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    corpus, outputs = tmp_path / "corpus.jsonl", tmp_path / "outputs.jsonl"
    trials = list(generate(300))
    # The words of another, and the first thing that was said of this one.
    words = [t.references[0].text for t in (*trials[1:], trials[0])]
    corpus.write_text("".join(json_line(trial_to_json(t)) + "\n" for t in trials), "utf-8")
    said = [
        Description(properties=(t.references[0].properties or ())[:1], text=w)
        for t, w in zip(trials, words, strict=True)
    ]
    rows = (output_to_json(t.id, "copy", description) for t, description in zip(trials, said, strict=True))
    outputs.write_text("".join(json_line(row) + "\n" for row in rows), "utf-8")
    return corpus, outputs


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Small files are cut, too; the list tells who did the work."""
    done: list[str] = []
    side, alone = large_files.score_large, api.score_trials

    def finished(*given: object) -> object:
        table = side(*given)  # type: ignore[arg-type]
        done.append("copies")
        return table

    def alone_after_all(*given: object) -> object:
        done.append("alone")
        return alone(*given)

    monkeypatch.setattr(api, "LARGE", 1)
    monkeypatch.setattr(large_files, "LINES", 50)
    monkeypatch.setattr(large_files.LargeFiles, "copies", 2)
    monkeypatch.setattr(large_files, "score_large", finished)
    monkeypatch.setattr(api, "score_trials", alone_after_all)
    return done


def blank(line: str) -> str:
    return json.dumps({**json.loads(line), "text": "  ", "properties": []}) + "\n"


def rows_of(files: tuple[Path, Path], **more: object) -> str:
    corpus, outputs = files
    options = {"metrics": "default", "by": "domain,speaker", "lenient": True, **more}
    found = api.score(str(outputs), str(corpus), **options)
    return json.dumps([found.rows, found.table.notes, list(found.table.trials), found.table.counts])


def test_parts_begin_and_end_with_lines(files: tuple[Path, Path]) -> None:
    corpus, _ = files
    content = corpus.read_bytes()
    parts = [content[a:b] for a, b in cut(corpus, 50)]
    assert b"".join(parts) == content
    assert len(parts) > 3
    assert all(part.endswith(b"\n") for part in parts)


@pytest.mark.parametrize("in_memory", [0, 10**9])
def test_a_table_is_the_same_made_side_by_side(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch, in_memory: int
) -> None:
    pytest.importorskip("msgspec")
    monkeypatch.setattr(kept_rows, "IN_MEMORY", in_memory)
    monkeypatch.setattr(output_index, "IN_MEMORY", in_memory)
    together = rows_of(files)
    monkeypatch.setattr(large_files.LargeFiles, "copies", 0)
    assert rows_of(files) == together
    assert always == ["copies", "alone"]


def test_what_is_learnt_from_all_parts_is_the_same_to_the_last_digits_but_one(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CIDEr adds up n-grams in the order that a part meets them."""
    pytest.importorskip("msgspec")
    together = json.loads(rows_of(files, metrics="string/cider"))[0]
    monkeypatch.setattr(large_files.LargeFiles, "copies", 0)
    alone = json.loads(rows_of(files, metrics="string/cider"))[0]
    for name in ("value", "low", "high"):
        one, other = ([row[name] for row in rows if row[name] is not None] for rows in (together, alone))
        assert one == pytest.approx(other, rel=1e-12)
    assert always == ["copies", "alone"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"id": "s2t3"', '"id": "s2t2"', "occurs twice"),
        ('"targets": ["e6"]', '"targets": ["e60"]', "is not among the entities"),
        ('"language": "en"', '"tongue": "en"', "has no field 'tongue'"),
        ('"language": "en"', '"episode": [{"kind": "say", "start_ms": true}]', "should be a number"),
        ('"language": "en"', '"history": [{"kind": "say", "data": [1]}]', "should be an object"),
        ('"targets": ["e6"]', '"picture": {"path": "a.png"}', "'target' is missing"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    files: tuple[Path, Path], always: list[str], old: str, new: str, told: str
) -> None:
    corpus, _ = files
    lines = corpus.read_text("utf-8").splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if i > 12 and old in line)
    lines[place] = lines[place].replace(old, new)
    corpus.write_text("".join(lines), "utf-8")
    with pytest.raises(InputError, match=told) as wrong:
        rows_of(files)
    assert (Path(str(wrong.value.where)), wrong.value.line) == (corpus, place + 1)
    assert always == ["alone"]


@pytest.mark.parametrize("order", ["system by system", "trial by trial", "shuffled, and the last line does not end"])
def test_what_many_systems_say_is_found_wherever_it_stands(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    pytest.importorskip("msgspec")
    _, outputs = files
    lines = outputs.read_text("utf-8").splitlines()
    lines += [line.replace('"copy"', '"other"').replace('"text": "the', '"text": "a') for line in lines]
    if order == "trial by trial":
        lines.sort(key=lambda line: json.loads(line)["trial"])
    elif order != "system by system":
        Random(1).shuffle(lines)
    outputs.write_text("\n".join(lines) + ("" if order.startswith("shuffled") else "\n"), "utf-8")
    together = rows_of(files, baseline="copy")
    monkeypatch.setattr(large_files.LargeFiles, "copies", 0)
    assert rows_of(files, baseline="copy") == together
    assert always == ["copies", "alone"]


def test_games_and_pictures_are_read_by_copies_too(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("msgspec")
    corpus, _ = files
    trials = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    said = {"kind": "say", "by": "speaker", "text": "this", "start_ms": 0, "end_ms": 1.5, "data": {"n": [1]}}
    for i, trial in enumerate(trials):
        trial["episode"] = [said, {"kind": "click", "entities": trial["targets"]}]
        trial["history"] = [said] * (i % 3)
        trial["after"] = trials[i - 1]["id"] if i % 5 else None
        trial["picture"] = {"path": f"{i % 4}.png", "size": [640, 480]} if i % 4 else None
        trial["references"][0]["media"] = f"{i}.wav"
    corpus.write_text("".join(json.dumps(trial) + "\n" for trial in trials), "utf-8")
    together = rows_of(files)
    monkeypatch.setattr(large_files.LargeFiles, "copies", 0)
    assert rows_of(files) == together
    assert always == ["copies", "alone"]


def test_targets_are_told_in_every_way_that_a_file_may_tell_them(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("msgspec")
    corpus, _ = files
    trials = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    for i, trial in enumerate(trials):
        names = [entity["id"] for entity in trial["entities"]]
        if i % 3 == 0:
            trial["target"] = trial.pop("targets")[0]
        elif i % 3 == 1:
            trial["targets"] = names[:2]
        if i % 7 == 0:
            trial["references"] = [trial["references"][0]["text"], *trial["references"], "the other one"]
    corpus.write_text("".join(json.dumps(trial) + "\n" for trial in trials), "utf-8")
    together = rows_of(files)
    monkeypatch.setattr(large_files.LargeFiles, "copies", 0)
    assert rows_of(files) == together
    assert always == ["copies", "alone"]


@pytest.mark.parametrize("which", ["corpus", "outputs"])
def test_an_empty_file_is_told(files: tuple[Path, Path], always: list[str], which: str) -> None:
    files[which == "outputs"].write_text("")
    with pytest.raises(InputError, match=r"there are no (trials|outputs)"):
        rows_of(files)
    assert "copies" not in always


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: [blank(lines[0]), *lines[1:]], "is empty"),
        (lambda lines: lines[:-1], "answers 299 of 300 trials"),
        (lambda lines: [*lines, lines[3]], "twice"),
        (lambda lines: [*lines, lines[3].replace('"trial": "', '"trial": "x')], "not in the corpus"),
        (lambda lines: [lines[0].replace('"text"', '"test"'), *lines[1:]], "is not read"),
        (lambda lines: [*lines[:5], "{\n", *lines[5:]], "not JSON"),
    ],
)
def test_a_mistake_in_outputs_is_told_as_ever(
    files: tuple[Path, Path], always: list[str], change: Callable[[list[str]], list[str]], told: str
) -> None:
    _, outputs = files
    outputs.write_text("".join(change(outputs.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    try:
        said = rows_of(files, lenient=False)
    except InputError as wrong:
        said = str(wrong)
    assert told in said
    assert "copies" not in always


def test_what_is_counted_rather_than_refused_is_counted_by_one_process(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, outputs = files
    lines = outputs.read_text("utf-8").splitlines(keepends=True)
    lines[7] = '{"trial": "s1t8", "system": "copy", "text": "", "properties": []}\n'
    outputs.write_text("".join(lines), "utf-8")
    together = rows_of(files)
    monkeypatch.setattr(large_files.LargeFiles, "copies", 0)
    assert together == rows_of(files)
    assert always == ["alone", "alone"]


def test_a_copy_that_dies_or_fails_is_given_up() -> None:
    def do(part: int) -> Iterator[int]:
        yield part
        if part == 3:
            os._exit(9)
        if part == 13:
            raise ValueError("not to be seen")

    assert list(in_copies(do, [0, 1, 2], 2)) == [0, 1, 2]
    for parts in ([0, 1, 2, 3, 4], [10, 11, 12, 13]):
        with pytest.raises(GivenUp):
            list(in_copies(do, parts, 2))


def test_rows_in_a_file_are_there_as_long_as_somebody_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of a closed file would be another's."""
    monkeypatch.setattr(kept_rows, "IN_MEMORY", 0)
    table = kept_rows.KeptRows({("mine", "set/dice"): 1}, trials=2)
    table.fill(("mine", "set/dice"), 0, np.array([[0.5], [1.0]]))
    rows = table["mine", "set/dice"]
    del table
    gc.collect()
    assert rows[:].tolist() == [[0.5], [1.0]]


def test_where_no_copy_can_be_made_the_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    fork = os.fork

    def once() -> int:
        if made:
            raise BlockingIOError("no more processes")
        made.append(fork())
        return made[0]

    monkeypatch.setattr(os, "fork", once)
    with pytest.raises(GivenUp):
        list(in_copies(lambda part: [part], [1, 2], 2))
    with pytest.raises(ProcessLookupError):
        os.kill(made[0], 0)


class Unreadable:
    """What a copy gives away and nobody can read."""

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return getattr, ("text", "no such name")


def test_what_cannot_be_read_is_given_up_and_nobody_waits_for_it() -> None:
    with pytest.raises(GivenUp):
        list(in_copies(lambda part: [Unreadable()], [1, 2], 2))


def test_a_plain_parquet_table_is_scored_as_its_lines_are(files: tuple[Path, Path], always: list[str]) -> None:
    pytest.importorskip("msgspec")
    corpus, outputs = files
    table = outputs.with_suffix(".parquet")
    pl.read_ndjson(outputs).write_parquet(table)
    assert rows_of((corpus, table)) == rows_of(files)
    assert always == ["copies", "copies"]


def test_measures_with_threads_of_their_own_are_measured_by_one_process(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dice, "has_threads", True)
    rows_of(files, metrics="set/dice")
    assert always == ["alone"]


def test_small_and_packed_files_are_not_cut(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, outputs = files
    packed = outputs.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(outputs.read_bytes()))
    monkeypatch.undo()
    assert LargeFiles(corpus, packed).copies == LargeFiles(corpus, outputs.with_name("absent")).copies == 0
    monkeypatch.setattr(large_files, "score_large", lambda *given: pytest.fail("these are small"))
    rows_of(files)
    assert always == []
