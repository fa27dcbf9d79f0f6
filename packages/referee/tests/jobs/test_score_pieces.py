"""A corpus is read and measured in pieces, in this process or by workers: the table is the same, and a mistake is reported with its file and line."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random

import polars as pl
import pytest

from referee.corpora.jsonl import trial_to_json, write_json_line
from referee.corpora.outputs import output_to_json
from referee.corpora.synthetic.corpus import generate_trials
from referee.engines.pieces import pickle_object
from referee.errors import InputError
from referee.jobs.batches import cut_corpus
from referee.jobs.open import open_corpus, open_outputs
from referee.records import Description

# By name: the package has a function of the same one.
api = import_module("referee.api.score")

PIECES = {"shard": 50}
WAYS = [PIECES, {"shard": 50, "jobs": 2}]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    corpus, outputs = tmp_path / "corpus.jsonl", tmp_path / "outputs.jsonl"
    trials = list(generate_trials(300))
    # The words of another, and the first thing that was said of this one.
    words = [t.references[0].text for t in (*trials[1:], trials[0])]
    corpus.write_text("".join(write_json_line(trial_to_json(t)) + "\n" for t in trials), "utf-8")
    said = [
        Description(properties=(t.references[0].properties or ())[:1], text=w)
        for t, w in zip(trials, words, strict=True)
    ]
    rows = (output_to_json(t.id, "copy", description) for t, description in zip(trials, said, strict=True))
    outputs.write_text("".join(write_json_line(row) + "\n" for row in rows), "utf-8")
    return corpus, outputs


def blank(line: str) -> str:
    return json.dumps({**json.loads(line), "text": "  ", "properties": []}) + "\n"


def rows_of(files: tuple[Path, Path], **more: object) -> str:
    corpus, outputs = files
    options = {"metrics": "default", "by": "domain,speaker", "lenient": True, **more}
    found = api.score(str(outputs), str(corpus), **options)
    return json.dumps([found.rows, found.table.notes, list(found.table.trials), found.table.counts])


@pytest.mark.parametrize("way", WAYS)
def test_a_table_is_the_same_made_in_pieces(files: tuple[Path, Path], way: dict[str, int]) -> None:
    assert rows_of(files, **way) == rows_of(files)


def test_what_is_learnt_from_all_parts_is_the_same_to_the_last_digits_but_one(files: tuple[Path, Path]) -> None:
    """CIDEr adds up n-grams in the order that a part meets them."""
    together = json.loads(rows_of(files, metrics="string/cider", shard=50))[0]
    alone = json.loads(rows_of(files, metrics="string/cider"))[0]
    for name in ("value", "low", "high"):
        one, other = ([row[name] for row in rows if row[name] is not None] for rows in (together, alone))
        assert one == pytest.approx(other, rel=1e-12)


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
def test_a_mistake_is_told_with_its_line(files: tuple[Path, Path], old: str, new: str, told: str) -> None:
    corpus, _ = files
    lines = corpus.read_text("utf-8").splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if i > 12 and old in line)
    lines[place] = lines[place].replace(old, new)
    corpus.write_text("".join(lines), "utf-8")
    with pytest.raises(InputError, match=told) as wrong:
        rows_of(files)
    assert (Path(str(wrong.value.where)), wrong.value.line) == (corpus, place + 1)


@pytest.mark.parametrize("order", ["system by system", "trial by trial", "shuffled, and the last line does not end"])
def test_what_many_systems_say_is_found_wherever_it_stands(files: tuple[Path, Path], order: str) -> None:
    _, outputs = files
    lines = outputs.read_text("utf-8").splitlines()
    lines += [line.replace('"copy"', '"other"').replace('"text": "the', '"text": "a') for line in lines]
    if order == "trial by trial":
        lines.sort(key=lambda line: json.loads(line)["trial"])
    elif order != "system by system":
        Random(1).shuffle(lines)
    outputs.write_text("\n".join(lines) + ("" if order.startswith("shuffled") else "\n"), "utf-8")
    whole = rows_of(files, baseline="copy")
    assert all(rows_of(files, baseline="copy", **way) == whole for way in WAYS)


def test_games_and_pictures_are_cut_too(files: tuple[Path, Path]) -> None:
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
    whole = rows_of(files)
    assert all(rows_of(files, **way) == whole for way in WAYS)


def test_targets_are_told_in_every_way_that_a_file_may_tell_them(files: tuple[Path, Path]) -> None:
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
    whole = rows_of(files)
    assert all(rows_of(files, **way) == whole for way in WAYS)


@pytest.mark.parametrize("which", ["corpus", "outputs"])
def test_an_empty_file_is_told(files: tuple[Path, Path], which: str) -> None:
    files[which == "outputs"].write_text("")
    with pytest.raises(InputError, match=r"there are no (trials|outputs)"):
        rows_of(files)


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
    files: tuple[Path, Path], change: Callable[[list[str]], list[str]], told: str
) -> None:
    _, outputs = files
    outputs.write_text("".join(change(outputs.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    try:
        said = rows_of(files, lenient=False)
    except InputError as wrong:
        said = str(wrong)
    assert told in said


def test_what_is_counted_rather_than_refused_is_counted_by_one_process(files: tuple[Path, Path]) -> None:
    _, outputs = files
    lines = outputs.read_text("utf-8").splitlines(keepends=True)
    lines[7] = '{"trial": "s1t8", "system": "copy", "text": "", "properties": []}\n'
    outputs.write_text("".join(lines), "utf-8")
    whole = rows_of(files)
    assert all(rows_of(files, **way) == whole for way in WAYS)


def test_a_plain_parquet_table_is_scored_as_its_lines_are(files: tuple[Path, Path]) -> None:
    corpus, outputs = files
    table = outputs.with_suffix(".parquet")
    pl.read_ndjson(outputs).write_parquet(table)
    assert rows_of((corpus, table)) == rows_of(files)


def test_packed_files_are_scored_alike(files: tuple[Path, Path]) -> None:
    corpus, outputs = files
    whole = rows_of(files)
    for path in files:
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    packed = (corpus, outputs.with_suffix(".jsonl.gz"))
    assert all(rows_of(packed, **way) == whole for way in WAYS)


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_of_parquet_parts_and_a_pattern_are_inputs(files: tuple[Path, Path], way: dict[str, int]) -> None:
    corpus, outputs = files
    whole = rows_of(files)
    rows = pl.read_ndjson(outputs)
    folder = outputs.parent / "system=copy"
    folder.mkdir()
    for number in range(3):
        part = rows[number * 100 : (number + 1) * 100].drop("system").sample(fraction=1.0, shuffle=True, seed=number)
        part.write_parquet(folder / f"part-{number}.parquet", row_group_size=20)
    assert rows_of((corpus, folder), **way) == whole
    assert rows_of((corpus, folder / "part-*.parquet"), **way) == whole


def test_a_pattern_that_fits_nothing_is_an_error(files: tuple[Path, Path]) -> None:
    corpus, outputs = files
    with pytest.raises(InputError, match="no file matches"):
        rows_of((corpus, outputs.parent / "*.parquet"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_addresses_are_inputs(files: tuple[Path, Path], way: dict[str, int], ending: str) -> None:
    pytest.importorskip("fsspec")
    corpus, outputs = files
    pl.read_ndjson(outputs).write_parquet(outputs.with_suffix(".parquet"))
    options = {"metrics": "default", "by": "domain", **way}
    near = api.score(str(outputs), str(corpus), **options)
    far = api.score(f"file://{outputs.with_suffix(f'.{ending}')}", f"file://{corpus}", **options)
    assert far.rows == near.rows


def test_a_piece_travels_with_its_lines_where_the_files_are_not_seen(files: tuple[Path, Path]) -> None:
    corpus, outputs = files
    pl.read_ndjson(outputs).write_parquet(outputs.with_suffix(".parquet"))
    for path in (outputs, outputs.with_suffix(".parquet")):
        opened = open_corpus(corpus)
        pieces = list(cut_corpus(opened, open_outputs(path, index=True), 40))
        assert {file for piece in pieces for file in piece.files} == {str(corpus), str(path)}
        seen = [piece.batches(["copy"]).by_system["copy"].outputs for piece in pieces]
        sent = [pickle.loads(pickle_object(piece.carried())) for piece in pieces]
        assert sum(len(pickle_object(piece)) for piece in pieces) < corpus.stat().st_size / 20
        corpus.rename(corpus.with_name("away"))
        path.rename(path.with_name("gone"))
        assert [piece.batches(["copy"]).by_system["copy"].outputs for piece in sent] == seen
        corpus.with_name("away").rename(corpus)
        path.with_name("gone").rename(path)


def test_games_are_not_cut_within_a_game(files: tuple[Path, Path]) -> None:
    """A trial takes its history from those before it: whoever reads a piece must have them."""
    corpus, outputs = files
    trials = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    for i, trial in enumerate(trials):
        trial["episode"] = [{"kind": "say", "text": trial["id"]}]
        if i % 70:
            trial["after"] = trials[i - 1]["id"]
    corpus.write_text("".join(json.dumps(trial) + "\n" for trial in trials), "utf-8")
    opened = open_corpus(corpus)
    pieces = list(cut_corpus(opened, open_outputs(outputs, index=True), 50))
    assert [len(piece.ids) for piece in pieces] == [70, 70, 70, 70, 20]
    read = [trial for piece in pieces for trial in piece.batches(["copy"]).trials]
    assert read == list(opened.trials())
