"""The result of an API function: a frame with figure, table and notebook view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee.jobs.score import PROBLEMS
from referee.options import GROUPINGS
from referee.show.pages import render
from referee.show.reports.score_tables import escape_tex, format_number

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl


# -- rows and frames -------------------------------------------------------------------------------------------------------


Schema = Mapping[str, type]

_GROUPS: dict[str, type] = dict.fromkeys(GROUPINGS, str)
_VALUE: dict[str, type] = {"value": float, "low": float, "high": float, "n": int}
SCORES: Schema = {
    "system": str, "metric": str, **_VALUE, **_GROUPS, "clusters": str,
    "baseline": str, **dict.fromkeys(("difference", "difference_low", "difference_high", "p", "p_randomisation"), float),
    "value_answered": float, "n_answered": int, "only_this": int, "only_baseline": int, "p_mcnemar": float,
    **dict.fromkeys(PROBLEMS, int), **dict.fromkeys(("refused", "none", "several"), int), "signature": str,
}  # fmt: skip
ITEMS: Schema = {"system": str, "trial": str, "metric": str, "value": float, **_GROUPS}
RUNS: Schema = {"system": str, "trials": int, "answered": int, "empty": int, "signature": str}
OUTPUTS: Schema = {"system": str, "trial": str, "text": str, "properties": str}
HEARING: Schema = {
    "system": str, "hearer": str, "metric": str, **_VALUE, "clusters": str,
    "participants": int, "items": int, "ties": int, "excluded": int, "signature": str,
}  # fmt: skip
RESPONSES: Schema = {
    "system": str, "hearer": str, "trial": str, "outcome": str, "entity": str, "found": bool,
    "reading_ms": float, "identification_ms": float, "repeats": int, **_GROUPS,
}  # fmt: skip
COURT: Schema = {
    "as": str, "domain": str, "rows": str, "metric": str, "hearer": str, "n": int, "r": float, "r_low": float, "r_high": float,
    "rho": float, "rho_low": float, "rho_high": float, "families": int, "p": float, "without_low": float, "without_high": float,
    "finding": str,
}  # fmt: skip
EVALUATED: Schema = {"system": str, "metric": str, **_VALUE, "hearer": str, "signature": str}
PAIRS: Schema = {
    "a": str, "b": str, "metric": str, **dict.fromkeys(("difference", "low", "high", "p", "p_corrected"), float),
    "items": int, "clusters": int, "detectable": float, "direction": str, "only_a": int, "only_b": int, "signature": str,
}  # fmt: skip
PASSPORT: Schema = {"hearer": str, "corpus": str, "metric": str, **_VALUE, "verdict": str, "signature": str}
AUDIT: Schema = {
    "paper": str, "source": str, "item": str, "printed": str, "recomputed": str, "low": float, "high": float, "verdict": str, "explanation": str,
}  # fmt: skip
REPLICATION: Schema = {
    "task": str, "system": str, "domain": str, "metric": str, "value": float, "low": float, "high": float,
    "published": float, "difference": float, "evidence": str,
}  # fmt: skip
REPORT: Schema = {"kind": str, "file": str, "bytes": int}
ENTITIES: Schema = {"entity": str, "target": bool, "name": str, "value": str}
STEPS: Schema = {"step": int, "name": str, "value": str, "reason": str, "ruled_out": int, "remaining": int}


def make_frame(rows: Iterable[Mapping[str, Any]], schema: Schema) -> pl.DataFrame:
    """Return rows under a schema: missing fields become null, fields outside the schema are dropped."""
    import polars as pl

    kinds = {str: pl.String, float: pl.Float64, int: pl.Int64, bool: pl.Boolean}
    return pl.DataFrame(
        [tuple(_format_cell(row.get(name), kind) for name, kind in schema.items()) for row in rows],
        schema={name: kinds[kind] for name, kind in schema.items()},
        orient="row",
    )


def _format_cell(value: Any, kind: type) -> Any:
    return None if value is None else kind(value)


def group_columns(group: str | None) -> dict[str, str]:
    """Return the columns that a group such as ``domain=furniture`` fills; none for the whole."""
    name, _, value = (group or "").partition("=")
    return {name: value} if name else {}


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a frame as a pandas frame; only pandas is needed for it."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise InputError("pandas is not installed", remedy="pip install pandas, or work on with .frame") from None
    # By name, so that a column without a value has its type as well.
    kinds = {"String": "string", "Float64": "Float64", "Int64": "Int64", "Boolean": "boolean"}
    types = {name: kinds[str(kind)] for name, kind in frame.schema.items()}
    return pd.DataFrame({name: frame[name].to_list() for name in types}, dtype=object).astype(types)


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

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return the rows as a polars frame; subclasses override this to build the frame on first access."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return the frame as a pandas frame; pandas must be installed."""
        return to_pandas(self.frame)

    def plot(self) -> alt.TopLevelMixin:
        """Return a figure (altair): notebooks show it, and ``.save("figure.svg")`` writes it."""
        raise NotImplementedError

    def to_latex(self) -> str:
        """Return a complete booktabs table."""
        return format_latex_table(*self._format_table())

    def _format_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the headings and the cells of the result's table as text."""
        return list(self.frame.columns), [[_format_value(cell) for cell in row] for row in self.frame.iter_rows()]

    def _get_title(self) -> str:
        return f"{type(self).__name__}: {len(self.frame)} rows of {', '.join(self.frame.columns)}"

    def _list_notes(self) -> Sequence[str]:
        """Return the notes that a notebook shows under the table."""
        return ()

    def _repr_html_(self) -> str:
        heads, rows = self._format_table()
        return render("notebook/result.html", title=self._get_title(), heads=heads, rows=rows, notes=self._list_notes())

    def __repr__(self) -> str:
        return self._get_title()

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, key: Any) -> Any:
        return self.frame[key]

    def __getattr__(self, name: str) -> Any:
        # Only for missing attributes; lookups during copying are not passed on.
        if name.startswith("_") or not self.__dict__:
            raise AttributeError(name)
        return getattr(self.frame, name)


def _format_value(cell: Any) -> str:
    return "–" if cell is None else format_number(cell) if isinstance(cell, float) else str(cell)


def format_interval(value: float | None, low: float | None, high: float | None, marks: str = "") -> str:
    """Return a value with its marks and interval: ``0.512* [0.470, 0.560]``."""
    bounds = "" if value is None or low is None else f" [{format_number(low)}, {format_number(high)}]"
    return f"{format_number(value)}{marks}{bounds}"


def format_latex_table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a complete booktabs table of text cells."""
    lines = [" & ".join(map(escape_tex, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{tabular}{" + "l" * len(heads) + "}",
            r"\toprule",
            " & ".join(map(escape_tex, heads)) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
