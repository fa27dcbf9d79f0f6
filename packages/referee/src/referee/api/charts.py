"""Figures of results as altair charts, in the colours of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

Rows = Sequence[Mapping[str, Any]]


def _import_altair() -> Any:
    """Import altair and lift its limit of 5,000 rows in a chart."""
    import altair as alt

    alt.data_transformers.disable_max_rows()
    return alt


def draw_specification(spec: Mapping[str, Any]) -> alt.TopLevelMixin:
    """Return a Vega-Lite specification from a report or from the court as an altair chart."""
    chart: alt.TopLevelMixin = _import_altair().Chart.from_dict(dict(spec))
    return chart


def _set_title(chart: Any, title: str) -> alt.TopLevelMixin:
    """Return the chart with a title, unchanged if the title is empty."""
    head = _import_altair().TitleParams(text=title, anchor="start", fontSize=13)
    done: alt.TopLevelMixin = chart.properties(title=head)
    return done


def draw_dots(rows: Rows, title: str, y: str = "system", panel: str = "metric") -> alt.TopLevelMixin:
    """Return a dot with its interval for every row, one panel per measure, each with its own scale."""
    from referee.show.reports.report_figures import CELL, PALETTE

    alt = _import_altair()
    values = [dict(row) for row in rows if row["value"] is not None]
    line = alt.Y(f"{y}:N", sort=list(dict.fromkeys(r[y] for r in values)), title=None)
    base = alt.Chart().properties(width=CELL, height=alt.Step(17))
    rules = base.mark_rule(strokeWidth=2, color=PALETTE[0]).encode(y=line, x=alt.X("low:Q", title=None), x2="high:Q")
    tips = [alt.Tooltip(f"{y}:N"), *(alt.Tooltip(f"{name}:Q") for name in ("value", "low", "high", "n"))]
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=4))
    points = base.mark_point(filled=True, size=55, opacity=1, color=PALETTE[0]).encode(y=line, x=x, tooltip=tips)
    facet = alt.Facet(f"{panel}:N", sort=list(dict.fromkeys(r[panel] for r in values)), title=None)
    layers = alt.layer(rules, points, data=alt.InlineData(values))
    return _set_title(layers.facet(facet=facet, columns=3).resolve_scale(x="independent"), title)


def draw_strips(rows: Rows, title: str) -> alt.TopLevelMixin:
    """Return a chart of item scores: one strip of points per system, one panel per measure."""
    from referee.show.reports.report_figures import CELL, PALETTE

    alt = _import_altair()
    values = [{k: row[k] for k in ("system", "metric", "value")} for row in rows]
    chart = alt.Chart(alt.InlineData(values)).properties(width=CELL, height=alt.Step(17))
    spread = chart.mark_tick(color=PALETTE[0], opacity=0.4).encode(
        y=alt.Y("system:N", sort=list(dict.fromkeys(r["system"] for r in values)), title=None),
        x=alt.X("value:Q", title=None, axis=alt.Axis(tickCount=4)),
    )
    facet = alt.Facet("metric:N", sort=list(dict.fromkeys(r["metric"] for r in values)), title=None)
    return _set_title(spread.facet(facet=facet, columns=3).resolve_scale(x="independent"), title)


def draw_bars(rows: Rows, title: str, *, x: str, y: str, colour: str | None = None) -> alt.TopLevelMixin:
    """Return a bar chart; with `colour`, the bars are stacked by the values of that column."""
    from referee.show.reports.report_figures import CELL, PALETTE

    alt = _import_altair()
    values = [dict(row) for row in rows]
    shade: Any = alt.value(PALETTE[0])
    if colour is not None:
        words = list(dict.fromkeys(r[colour] for r in values))
        shade = alt.Color(f"{colour}:N", title=None, sort=words, scale=alt.Scale(range=list(PALETTE[: len(words)])))
    chart = alt.Chart(alt.InlineData(values)).properties(width=2 * CELL, height=alt.Step(17))
    order = list(dict.fromkeys(r[y] for r in values))
    return _set_title(
        chart.mark_bar().encode(y=alt.Y(f"{y}:N", sort=order, title=None), x=alt.X(f"{x}:Q", title=None), color=shade),
        title,
    )


def draw_scatter(rows: Rows, title: str, *, x: str, y: str, panel: str, label: str) -> alt.TopLevelMixin:
    """Return a scatter chart: one point per row, one panel per measure, a grey diagonal for equal values."""
    from referee.show.reports.report_figures import CELL, PALETTE

    alt = _import_altair()
    values = [dict(row) for row in rows if row[x] is not None and row[y] is not None]
    ends = [
        {panel: name, "at": at(r[k] for r in values if r[panel] == name for k in (x, y))}
        for name in dict.fromkeys(r[panel] for r in values)
        for at in (min, max)
    ]
    charts = []
    for name in dict.fromkeys(r[panel] for r in values):
        line = alt.Chart(alt.InlineData([e for e in ends if e[panel] == name]))
        even = line.mark_line(color="#999", strokeDash=[4, 3]).encode(x="at:Q", y="at:Q")
        points = alt.Chart(alt.InlineData([r for r in values if r[panel] == name])).mark_point(
            filled=True, size=55, opacity=1, color=PALETTE[0]
        )
        tips = [alt.Tooltip(f"{label}:N"), alt.Tooltip(f"{x}:Q"), alt.Tooltip(f"{y}:Q")]
        shown = points.encode(
            x=alt.X(f"{x}:Q", title=x, scale=alt.Scale(zero=False)),
            y=alt.Y(f"{y}:Q", title=y, scale=alt.Scale(zero=False)),
            tooltip=tips,
        )
        charts.append((even + shown).properties(width=CELL, height=CELL, title=name))
    return _set_title(alt.concat(*charts, columns=3), title)
