"""Opening a corpus: what cannot be one is refused with the form that can."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from referee.errors import InputError
from referee.jobs.open import open_corpus


def test_a_corpus_in_parquet_is_refused_with_the_form_that_is_read(tmp_path: Path) -> None:
    pl.DataFrame({"id": ["t1"], "target": ["a"]}).write_parquet(tmp_path / "corpus.parquet")
    with pytest.raises(InputError, match=r"corpus\.parquet.*Parquet") as refused:
        open_corpus(tmp_path / "corpus.parquet")
    assert "referee corpus schema" in str(refused.value)


def test_a_folder_with_trials_is_read_as_lines(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_text(
        '{"id": "t1", "target": "a", "entities": [{"id": "a", "attributes": [["colour", "red"]]}]}\n'
    )
    assert [trial.id for trial in open_corpus(tmp_path).trials()] == ["t1"]
