"""What a function of the API returns: one frame, with its figure, table and notebook view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.api.frames import to_pandas
from referee.show.pages import render
from referee.show.reports.score_tables import number, tex

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl


class Result:
    """A frame with its figure, its table for a paper and its notebook view.

    It has all methods of a polars frame.

    Args:
        frame: the rows, under a schema that does not change with the options.

    >>> import polars as pl
    >>> result = Result(pl.DataFrame({"system": ["a", "b"], "value": [0.5, 0.25]}))
    >>> result
    Result: 2 rows of system, value
    >>> result["value"].to_list()
    [0.5, 0.25]
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def to_pandas(self) -> pd.DataFrame:
        """Return the frame as a pandas frame; pandas must be installed."""
        return to_pandas(self.frame)

    def plot(self) -> alt.TopLevelMixin:
        """A figure (altair): notebooks show it, and ``.save("figure.svg")`` writes it."""
        raise NotImplementedError

    def to_latex(self) -> str:
        """Return a complete booktabs table."""
        return latex_table(*self._table())

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return column heads and cells as text."""
        return list(self.frame.columns), [[_shown(cell) for cell in row] for row in self.frame.iter_rows()]

    def _title(self) -> str:
        return f"{type(self).__name__}: {len(self.frame)} rows of {', '.join(self.frame.columns)}"

    def _notes(self) -> Sequence[str]:
        """Return what a notebook shows under the table."""
        return ()

    def _repr_html_(self) -> str:
        heads, rows = self._table()
        return render("notebook/result.html", title=self._title(), heads=heads, rows=rows, notes=self._notes())

    def __repr__(self) -> str:
        return self._title()

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, key: Any) -> Any:
        return self.frame[key]

    def __getattr__(self, name: str) -> Any:
        # Only what is not found here; what a copy being made asks for is not passed on.
        if name.startswith("_") or not self.__dict__:
            raise AttributeError(name)
        return getattr(self.frame, name)


def _shown(cell: Any) -> str:
    return "–" if cell is None else number(cell) if isinstance(cell, float) else str(cell)


def bounded(value: float | None, low: float | None, high: float | None, marks: str = "") -> str:
    """Return a value with its marks and interval: ``0.512* [0.470, 0.560]``."""
    bounds = "" if value is None or low is None else f" [{number(low)}, {number(high)}]"
    return f"{number(value)}{marks}{bounds}"


def latex_table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a complete booktabs table of text cells."""
    lines = [" & ".join(map(tex, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{tabular}{" + "l" * len(heads) + "}",
            r"\toprule",
            " & ".join(map(tex, heads)) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
