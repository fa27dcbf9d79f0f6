"""`referee.compare`: systems, models, hearers or runs on the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from referee.api import charts
from referee.api.evaluate import measure_files
from referee.api.options import CompareOptions
from referee.api.results import PAIRS, Result, make_frame
from referee.api.score import split_names
from referee.jobs.compare import Comparisons
from referee.options import accept_options

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


class Compared(Result):
    """Every pair of systems with difference, interval, test and ranks.

    Args:
        comparisons: the results.
        recognised: kind, format and mapping of the data.

    >>> import referee
    >>> texts = {"a": ["the red cup", "a dog"], "b": ["the cup", "a dog"]}
    >>> compared = referee.compare(texts, references=["the red cup", "a dog"], metric="string/edit")
    >>> compared.ranks
    {'string/edit': {'a': 1, 'b': 1}}
    """

    def __init__(self, comparisons: Comparisons, recognised: Mapping[str, Any] | None = None) -> None:
        self.comparisons, self.recognised = comparisons, recognised or {}

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Return one row per pair of systems and measure, as a polars frame that is built on first access."""
        return make_frame(self.comparisons.as_json()["pairs"], PAIRS)

    @property
    def ranks(self) -> dict[str, dict[str, int]]:
        """Return ranks by measure; 1 plus the number of significantly better systems."""
        return self.comparisons.ranks

    @property
    def data(self) -> dict[str, Any]:
        """Return the comparison as JSON values: the output of `referee compare --format json`."""
        return {"recognised": self.recognised, **self.comparisons.as_json()}

    @property
    def sentences(self) -> list[str]:
        """Return the differences between systems as sentences."""
        power = self.comparisons.power_sentence()
        return [*self.comparisons.sentences(), *self.comparisons.notes, *([power] if power else [])]

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart with a dot and an interval per pair of systems, one panel per measure."""
        rows = [
            {
                "system": f"{p.b} - {p.a}",
                "metric": p.metric,
                "value": p.difference,
                "low": p.low,
                "high": p.high,
                "n": p.items,
            }
            for p in self.comparisons.pairs
        ]
        return charts.draw_dots(rows, "differences")

    def _get_title(self) -> str:
        return f"Compared: {len(self.comparisons.pairs)} pairs"

    def _list_notes(self) -> Sequence[str]:
        return self.sentences


@accept_options(CompareOptions)
def compare(options: CompareOptions) -> Compared:
    """Compare systems on the items that they share (`referee compare`).

    Returns:
        A `Compared`; ``.ranks``, ``.sentences`` and ``.frame`` have the findings.

    Raises:
        InputError: if no comparison is possible.

    >>> import referee
    >>> rows = [{"participant": p, "item": i, "system": s, "correct": c} for p in "xyz" for i, s, c in
    ...         ((1, "a", 1), (1, "b", 1), (2, "a", 1), (2, "b", 0), (3, "a", 1), (3, "b", 0))]
    >>> referee.compare(rows).frame["difference"].round(3).to_list()
    [-0.667]
    """
    metrics = split_names(options.metric)
    return measure_files(options, metrics).compare(*split_names(options.systems), metric=metrics)
