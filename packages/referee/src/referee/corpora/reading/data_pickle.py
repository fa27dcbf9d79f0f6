"""Pickles with plain data only: lists, dictionaries, texts, numbers.

A pickle can run any code when read; one that tries to is refused.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from referee.corpora.reading.lines import open_binary
from referee.errors import MalformedInput

LARGEST = 1 << 30
REMEDY = "take the file from its makers again; do not open it with anything else"


class _DataOnly(pickle.Unpickler):
    """An unpickler without classes and functions, so that a file cannot call any."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it wants to use {module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it refers to something outside the file")


def read_pickle(path: Path) -> Any:
    """Return the data of a pickle. Raises MalformedInput for one with anything but plain data."""
    if path.stat().st_size > LARGEST:
        raise MalformedInput("more than 1 GB: this is not a list of expressions", where=path, remedy=REMEDY)
    try:
        with open_binary(path) as file:
            # The files are from Python 2, where texts are bytes.
            return _DataOnly(file, encoding="latin1").load()
    except pickle.UnpicklingError as error:
        raise MalformedInput(f"not a pickle of plain data: {error}", where=path, remedy=REMEDY) from None
    # Damaged pickles fail in every way that there is.
    except Exception as error:
        raise MalformedInput(f"a damaged pickle ({type(error).__name__}: {error})", where=path, remedy=REMEDY) from None
