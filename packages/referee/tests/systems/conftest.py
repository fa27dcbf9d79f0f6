"""TUNA as the challenges had it, read once for all tests of systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.corpora.tuna import Tuna
from referee.records import Trial


@pytest.fixture(scope="session")
def trials(data_folder: Path) -> list[Trial]:
    return list(Tuna(data_folder, reading="challenge").trials())
