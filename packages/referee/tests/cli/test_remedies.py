"""Messages name the file, and a remedy that helps; to Python callers they name arguments."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

import referee
from referee.cli import _find_remedy, main
from referee.errors import InputError


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "folder" / "mine.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps({"trial": "t1", "text": "the red chair"}) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    "command", [["listen", "{}", "--hearer", "noisy"], ["report", "{}", "--out", "report"], ["run", "--retry", "{}"]]
)
def test_a_file_of_outputs_is_no_run_folder(
    command: list[str], outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([part.format(outputs) for part in command]) == 2
    message = capsys.readouterr().err
    assert f"{outputs}: this is a file, not a run folder" in message
    assert f"`referee score {outputs} --corpus CORPUS --out RUN`" in message


def test_a_folder_of_json_lines_is_answered_with_its_files(outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(outputs.parent), "--corpus", "synthetic"]) == 2
    message = capsys.readouterr().err
    assert "has no Parquet or XML files" in message
    assert f"such as {outputs}" in message


@pytest.mark.parametrize(
    ("column", "field"), [("description", "text"), ("utterance", "text"), ("txt", "text"), ("attributes", "properties")]
)
def test_a_column_of_another_program_is_answered_with_its_field(
    column: str, field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"trial,{column}\nt1,the red chair\n", "utf-8")
    assert main(["score", str(table), "--corpus", "synthetic"]) == 2
    assert f"did you mean '{field}', not '{column}'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "word"),
    [(errno.ENOSPC, "space"), (errno.EACCES, "permissions"), (errno.ENOTDIR, "path"), (errno.EIO, "disk")],
)
def test_the_remedy_of_a_system_error_is_that_of_its_kind(number: int, word: str) -> None:
    assert word in _find_remedy(OSError(number, "broken"))


def test_python_callers_read_names_of_arguments(outputs: Path) -> None:
    with pytest.raises(InputError) as refused:
        referee.score(outputs)
    assert refused.value.remedy == "say which: `corpus` NAME (referee list corpora) or `corpus` FILE.jsonl"
    assert "--" not in str(refused.value)
    with pytest.raises(InputError, match="use `test` t, or `cluster` scene"):
        referee.score(demo=True, baseline="toy-chatty", test="randomisation", metrics="set/dice")
    with pytest.raises(InputError, match="--out RUN"):
        referee.listen(outputs, "noisy")
