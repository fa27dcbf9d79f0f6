"""A large corpus is read and measured in parts, side by side: the table is the same, and whatever is odd is told as by one process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.api.score import score as score_outputs
from referee.corpora.jsonl import json_line, trial_to_json
from referee.corpora.outputs import output_to_json
from referee.corpora.synthetic.corpus import generate
from referee.errors import InputError
from referee.records import Description
from referee.runs import score
from referee.runs.copies import GivenUp, cut, in_copies

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
    alone, side = score._Scoring.alone, score._Scoring.side_by_side

    def finished(*given: object) -> object:
        table = side(*given)  # type: ignore[arg-type]
        done.append("copies")
        return table

    def alone_after_all(*given: object) -> object:
        done.append("alone")
        return alone(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(score, "worth_it", lambda path: 2)
    monkeypatch.setattr(score, "cut", lambda path: cut(path, 100_000))
    monkeypatch.setattr(score._Scoring, "side_by_side", finished)
    monkeypatch.setattr(score._Scoring, "alone", alone_after_all)
    return done


def rows_of(files: tuple[Path, Path], **more: object) -> str:
    corpus, outputs = files
    options = {"metrics": "default", "by": "domain,speaker", "lenient": True, **more}
    found = score_outputs(str(outputs), str(corpus), **options)  # type: ignore[call-overload]
    return json.dumps([found.rows, found.table.notes, found.table.trials, found.table.counts])


def test_parts_begin_and_end_with_lines(files: tuple[Path, Path]) -> None:
    corpus, _ = files
    content = corpus.read_bytes()
    parts = [content[a:b] for a, b in cut(corpus, 100_000)]
    assert b"".join(parts) == content
    assert len(parts) > 3
    assert all(part.endswith(b"\n") for part in parts)


def test_a_table_is_the_same_made_side_by_side(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("msgspec")
    together = rows_of(files)
    monkeypatch.setattr(score, "worth_it", lambda path: 0)
    assert rows_of(files) == together
    assert always == ["copies", "alone"]


def test_what_is_learnt_from_all_parts_is_the_same_to_the_last_digits_but_one(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CIDEr adds up n-grams in the order that a part meets them."""
    pytest.importorskip("msgspec")
    together = json.loads(rows_of(files, metrics="string/cider"))[0]
    monkeypatch.setattr(score, "worth_it", lambda path: 0)
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


def test_what_is_counted_rather_than_refused_is_counted_by_one_process(
    files: tuple[Path, Path], always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, outputs = files
    lines = outputs.read_text("utf-8").splitlines(keepends=True)
    lines[7] = '{"trial": "s1t8", "system": "copy", "text": "", "properties": []}\n'
    outputs.write_text("".join(lines), "utf-8")
    together = rows_of(files)
    monkeypatch.setattr(score, "worth_it", lambda path: 0)
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


def test_small_and_packed_files_are_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tmp_path / "small.jsonl"
    small.write_text("{}\n")
    assert score.worth_it(small) == 0
    monkeypatch.setattr(score, "WORTH_COPIES", 1)
    assert score.worth_it(tmp_path / "absent.jsonl") == 0
    packed = tmp_path / "large.jsonl.gz"
    packed.write_bytes(b"....")
    assert score.worth_it(packed) == 0
