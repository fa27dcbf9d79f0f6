"""Tidy frames on the way in: columns are checked once, rows that miss a value are left out (after Wickham 2014)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError

if TYPE_CHECKING:
    import polars as pl

IntArray = npt.NDArray[np.int64]


def as_numbers(values: Iterable[float | None], what: str = "values") -> FloatArray:
    """Return numbers as an array with None as NaN; raise InputError for infinity."""
    filled = values if isinstance(values, np.ndarray) else [np.nan if v is None else v for v in values]
    try:
        numbers = np.asarray(filled, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{what} are not all numbers ({error})", remedy="give numbers, and None for missing values"
        ) from None
    if np.isinf(numbers).any():
        raise InputError(f"{what} contain an infinite number", remedy="remove it, or replace it by None")
    return numbers


def complete_rows(frame: pl.DataFrame, value: str | None, *factors: str) -> pl.DataFrame:
    """Select the named columns, with the value as a float, and drop rows with a missing value."""
    import polars as pl

    columns = [*([value] if value is not None else []), *factors]
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise InputError(
            f"the frame has no column {', '.join(missing)}",
            remedy=f"use one of its columns: {', '.join(frame.columns) or 'none'}",
        )
    chosen = frame.select(columns)
    if value is not None:
        numbers = as_numbers(chosen[value].cast(pl.Float64).to_numpy(), f"the values of {value}")
        chosen = chosen.with_columns(pl.Series(value, numbers).fill_nan(None))
    return chosen.drop_nulls()


def encode(column: pl.Series) -> tuple[list[str], IntArray]:
    """Return the sorted levels of a column, and for every row the index of its level."""
    import polars as pl

    names = column.cast(pl.String)
    # Dense ranks are in the order of the names, as are the sorted unique levels beside them.
    codes: IntArray = names.rank("dense").to_numpy().astype(np.int64) - 1
    return names.unique().sort().to_list(), codes


def make_frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pl.DataFrame:
    """Make a frame from rows and column names."""
    import polars as pl

    return pl.DataFrame([tuple(row) for row in rows], schema=list(columns), orient="row", infer_schema_length=None)
