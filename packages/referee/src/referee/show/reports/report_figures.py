"""The figures of a report in Vega-Lite, readable without colour vision (Okabe & Ito's palette)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.show.reports.material import Material, Row
from referee.show.reports.scoreboard import format_arrow

if TYPE_CHECKING:
    import altair as alt

FORMATS = ("svg", "png", "pdf")
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
CELL = 200
FIRST = 260
GREY = "#8a8f96"
BINS = 20
Spec = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure with a file name; `cell` is the width of one panel, for narrow screens."""

    name: str
    title: str
    spec: Spec
    cell: int = 0


def _import_altair() -> Any:
    """Return altair with any number of rows allowed."""
    import altair as alt

    alt.data_transformers.disable_max_rows()
    return alt


def _apply_style(chart: Any, title: str) -> Spec:
    """Return a chart with the common style."""
    alt = _import_altair()
    config: dict[str, Any] = {
        "font": "Helvetica, Arial, sans-serif",
        "view": {"strokeOpacity": 0},
        "axis": {"gridColor": "#e6e6e6", "domainColor": "#888", "tickColor": "#888", "labelLimit": 220},
        "header": {"labelFontWeight": "bold", "labelAnchor": "start"},
        "legend": {"orient": "top", "title": None, "symbolOpacity": 1, "labelLimit": 300},
    }
    titled = chart.properties(title=alt.TitleParams(text=title, anchor="start", fontSize=13))
    # Not validated against the schema: the figure is not user input, and validation takes longer than the rest.
    spec: Spec = titled.configure(**config).to_dict(validate=False, context={"pre_transform": False})
    spec.pop("$schema", None)
    return spec


def format_panel_title(material: Material, measure: str) -> str:
    return f"{measure}{format_arrow(material.direction(measure))}"


def _build_rows(material: Material, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the values of a figure."""
    fields = ("system", "level", "n", "value", "low", "high")
    return [
        {**{k: r.get(k) for k in fields}, "measure": format_panel_title(material, r["metric"])}
        for r in rows
        if r["value"] is not None
    ]


def _draw_dots(base: alt.Chart, order: Sequence[str], **more: Any) -> Any:
    """Return dots with intervals, with one line per system."""
    alt = _import_altair()
    y = alt.Y("system:N", sort=list(order), title=None)
    tips = [
        alt.Tooltip(f"{name}:{kind}")
        for name, kind in (("system", "N"), ("value", "Q"), ("low", "Q"), ("high", "Q"), ("n", "Q"))
    ]
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=4))
    rules = base.mark_rule(strokeWidth=2).encode(
        y=y, x=alt.X("low:Q", title=None), x2="high:Q", **_drop_channel(more, "shape")
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y=y, x=x, tooltip=tips, **more)
    return rules + points


def _drop_channel(channels: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in channels.items() if k != name}


def _make_panels(layer: Any, panels: Sequence[str]) -> Any:
    """Return a chart with one panel per measure."""
    alt = _import_altair()
    facet = alt.Facet("measure:N", sort=list(panels), title=None)
    # Measures have scales of their own: Dice ends at 1, an edit distance does not.
    return layer.facet(facet=facet, columns=3).resolve_scale(x="independent")


def build_scores_figure(material: Material, order: Sequence[str]) -> Figure:
    """Return a figure with one panel per measure, and in it a dot with its interval per system."""
    alt = _import_altair()
    rows = [r for r in material.scores if r.get("group") is None]
    # A fixed step for each system: panels grow with their number instead of squeezing them.
    base = alt.Chart(alt.Data(values=_build_rows(material, rows))).properties(width=CELL, height=alt.Step(17))
    layer = _draw_dots(base, order, color=alt.value(PALETTE[0]))
    title = f"{material.label}: scores with {_format_confidence(material)} intervals"
    spec = _apply_style(_make_panels(layer, [format_panel_title(material, m) for m in material.measures]), title)
    return Figure(name="scores", title=title, spec=spec, cell=CELL)


CLOSE, APART = "best, or not significantly different", "differs from the best"
UNTESTED = "not tested"


def build_findings_figure(
    material: Material,
    panels: Mapping[str, Iterable[Mapping[str, Any]]],
    order: Sequence[str],
    close: Collection[str],
    tested: bool,
) -> Figure:
    """Return the figure with the deciding measure and identification rates, one panel each.

    If differences were tested, systems that do not differ significantly from the best have another colour in the first
    panel: the test is of the deciding measure and does not apply to hearers.
    """
    alt = _import_altair()
    rows = [
        {
            **{k: r.get(k) for k in ("system", "n", "value", "low", "high")},
            "measure": title,
            "standing": UNTESTED if number else CLOSE if r["system"] in close else APART,
        }
        for number, (title, panel_rows) in enumerate(panels.items())
        for r in panel_rows
    ]
    base = alt.Chart(alt.Data(values=rows)).properties(width=FIRST, height=alt.Step(17))
    legend = {} if tested else {"legend": None}
    kinds, colours = [CLOSE, APART, UNTESTED], ([PALETTE[0], GREY, PALETTE[-1]] if tested else [PALETTE[0]] * 3)
    colour = alt.Color("standing:N", scale=alt.Scale(domain=kinds, range=colours), **legend)
    shape = alt.Shape("standing:N", scale=alt.Scale(domain=kinds, range=["circle", "diamond", "square"]), **legend)
    layer = _draw_dots(base, order, color=colour, **({"shape": shape} if tested else {}))
    title = f"{material.label}: results, with {_format_confidence(material)} intervals"
    return Figure(name="findings", title=title, spec=_apply_style(_make_panels(layer, list(panels)), title), cell=FIRST)


def _format_confidence(material: Material) -> str:
    return f"{float(material.scored[0].settings.get('confidence', 0.95)):.0%}"


def build_groups_figure(material: Material, group: str, rows: Sequence[Row], order: Sequence[str]) -> Figure:
    """Return the scores figure with a colour and a shape for each level of a grouping."""
    alt = _import_altair()
    levels = material.levels(group)
    base = alt.Chart(alt.Data(values=_build_rows(material, rows))).properties(width=CELL, height=alt.Step(12))
    colours = alt.Color("level:N", scale=alt.Scale(domain=levels, range=_repeat_cyclically(PALETTE, len(levels))))
    shapes = alt.Shape("level:N", scale=alt.Scale(domain=levels, range=_repeat_cyclically(SHAPES, len(levels))))
    # Levels of a group side by side on the line of their system, not on top of each other.
    layer = _draw_dots(base, order, color=colours, shape=shapes, yOffset=alt.YOffset("level:N", sort=levels))
    title = f"{material.label}: scores by {group} with {_format_confidence(material)} intervals"
    measured = {r["metric"] for r in rows}
    spec = _apply_style(
        _make_panels(layer, [format_panel_title(material, m) for m in material.measures if m in measured]), title
    )
    return Figure(name=f"scores-by-{group}", title=title, spec=spec, cell=CELL)


def _repeat_cyclically(things: Sequence[str], n: int) -> list[str]:
    """Return n things, beginning again after the last."""
    return [things[i % len(things)] for i in range(n)]


def build_distributions_figure(material: Material, order: Sequence[str]) -> Figure | None:
    """Return the distributions of item scores as strips, one per system; darker means more items.

    Measures with two values are left out.
    """
    alt = _import_altair()
    strips = [row for m in material.measures if m in material.averages for row in _build_strips(material, m)]
    if not strips:
        return None
    base = alt.Chart(alt.Data(values=strips)).properties(width=CELL, height=alt.Step(17))
    chart = base.mark_rect(stroke=None).encode(
        y=alt.Y("system:N", sort=list(order), title=None),
        x=alt.X("from:Q", title=None, bin="binned", axis=alt.Axis(tickCount=4)),
        x2="to:Q",
        color=alt.Color(
            "share:Q",
            # Square roots, so that thin tails are visible beside a full bin.
            scale=alt.Scale(scheme="blues", type="sqrt", domainMin=0),
            legend=alt.Legend(title="share of items", format="%", titleOrient="left"),
        ),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("from:Q"),
            alt.Tooltip("to:Q"),
            alt.Tooltip("share:Q", format=".1%"),
        ],
    )
    panels = list(dict.fromkeys(row["measure"] for row in strips))
    title = f"{material.label}: items by score"
    facet = alt.Facet("measure:N", sort=panels, title=None)
    faceted = chart.facet(facet=facet, columns=3).resolve_scale(x="independent")
    return Figure(name="distributions", title=title, spec=_apply_style(faceted, title), cell=CELL)


def _build_strips(material: Material, measure: str) -> list[dict[str, Any]]:
    """Return proportions of items in bins of equal width, the same bins for all systems.

    Empty bins are omitted.
    """
    import polars as pl

    frame = material.values(measure)
    if frame["value"].n_unique() < 3:
        return []
    edges = _choose_bin_edges(frame["value"].to_numpy())
    rows = []
    for system in material.systems:
        values = frame.filter(pl.col("system") == system)["value"].to_numpy()
        counts, _ = np.histogram(values, edges)
        for i in np.flatnonzero(counts):
            share = round(float(counts[i] / counts.sum()), 4)
            place = {"from": round(float(edges[i]), 6), "to": round(float(edges[i + 1]), 6)}
            rows.append({"measure": format_panel_title(material, measure), "system": system, **place, "share": share})
    return rows


def _choose_bin_edges(values: np.ndarray) -> np.ndarray:
    """Return the edges of bins from the least to the greatest value; few integers have a bin each."""
    low, high = float(values.min()), float(values.max())
    if (values == np.round(values)).all() and high - low <= 2 * BINS:
        # Half a unit to either side, so that integers are the middles of bins.
        return np.arange(low - 0.5, high + 1)
    return np.linspace(low, high, BINS + 1)


def build_correlations_figure(material: Material, pairs: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Return the matrix as a heat map, orange for negative and blue for positive r.

    Undefined cells are grey.
    """
    alt = _import_altair()
    defined = [p for p in pairs if p["r"] is not None]
    if not defined:
        return None
    cells = [
        {"a": a, "b": b, "r": round(p["r"], 4), "low": p["without_one_low"], "high": p["without_one_high"], "n": p["n"]}
        for p in defined
        # Both halves of the matrix, though each pair was computed once.
        for a, b in ((p["measure_a"], p["measure_b"]), (p["measure_b"], p["measure_a"]))
    ]
    names = [m for m in material.measures if any(c["a"] == m for c in cells)]
    tips = [alt.Tooltip(f) for f in ("a:N", "b:N", "r:Q", "n:Q")]
    tips += [alt.Tooltip("low:Q", title="without one: lowest"), alt.Tooltip("high:Q", title="highest")]
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("b:N", sort=names, title=None, axis=alt.Axis(labelAngle=-45)), y=alt.Y("a:N", sort=names, title=None)
    )
    scale = alt.Scale(domain=[-1, 0, 1], range=["#b35806", "#f7f7f7", "#2166ac"])
    rect = base.mark_rect().encode(
        color=alt.Color("r:Q", scale=scale, legend=alt.Legend(title="r", orient="right")), tooltip=tips
    )
    dark = alt.condition("abs(datum.r) > 0.6", alt.value("white"), alt.value("black"))
    text = base.mark_text(fontSize=10).encode(text=alt.Text("r:Q", format=".2f"), color=dark)
    title = f"{material.label}: correlation of measures over systems"
    side = alt.Step(34)
    spec = _apply_style((rect + text).properties(width=side, height=alt.Step(24)), title)
    return Figure(name="correlations", title=title, spec=spec)


def get_vega_lite_version() -> str:
    """Return the version of Vega-Lite that altair writes, in vl-convert's form."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


def save_figure(figure: Figure, folder: Path) -> None:
    """Write the figure as SVG, PNG (twice the size) and PDF."""
    import vl_convert

    # By the version that altair writes for: another one may draw the same specification differently.
    svg = vl_convert.vegalite_to_svg(figure.spec, vl_version=get_vega_lite_version())
    (folder / f"{figure.name}.svg").write_text(svg, "utf-8")
    (folder / f"{figure.name}.png").write_bytes(vl_convert.svg_to_png(svg, scale=2))
    (folder / f"{figure.name}.pdf").write_bytes(vl_convert.svg_to_pdf(svg))
