"""The data of the demonstration: outputs of two toy speakers on the shipped synthetic corpus, stored beside this file."""

from __future__ import annotations

from pathlib import Path


def list_output_files() -> list[Path]:
    """Return the shipped files of outputs, in the order of their names."""
    return sorted(Path(__file__).parent.glob("toy-*.jsonl"))
