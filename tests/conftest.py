"""Shared fixtures: where the real corpora are, if they are anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Speed is measured in benchmarks/, never in tests: an example may take as long as the machine makes it.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real corpora; tests that need it are skipped, saying why, where it is missing."""
    folder = Path(os.environ.get("REFEREE_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "tuna").is_dir():
        pytest.skip(f"needs the corpora: set REFEREE_DATA to the data folder (looked in {folder})")
    return folder
