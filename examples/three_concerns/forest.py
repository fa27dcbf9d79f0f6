"""The figures of docs/which-measures-predict-hearers.md: every measure a panel, every corpus a line, Okabe & Ito's colours, readable in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Cell = Mapping[str, Any]
AS_PROMISED, OPPOSITE, UNSETTLED = "as promised", "the opposite", "not settled"
KEY = "full circle: as promised, diamond: the opposite (after correction); hollow: not settled; bars: 95 % intervals; grey: 95 % of noise"
BLUE, VERMILLION, BLACK = "#0072B2", "#D55E00", "#000000"
KINDS = (AS_PROMISED, OPPOSITE, UNSETTLED)
WIDTH, STEP = 185, 17


def draw(cells: Sequence[Cell], path: Path, *, title: str, axis: str, null: float, domain: tuple[float, float]) -> None:
    """Points with intervals; a grey band where noise alone would lie."""
    import altair as alt
    import vl_convert

    values = [{**cell, "kind": kind_of(cell, null)} for cell in cells if cell["value"] is not None]
    corpora, measures = (list(dict.fromkeys(v[name] for v in values)) for name in ("line", "measure"))
    base = alt.Chart(alt.Data(values=values)).properties(width=WIDTH, height=alt.Step(STEP))
    y = alt.Y("line:N", sort=corpora, title=None)
    scale = alt.Scale(domain=list(domain), clamp=True, nice=False)
    x = alt.X("value:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=5, format=".1f"))
    colours = alt.Scale(domain=list(KINDS), range=[BLUE, VERMILLION, BLACK])
    shapes = alt.Scale(domain=list(KINDS), range=["circle", "diamond", "circle"])
    fills = alt.Scale(domain=list(KINDS), range=[BLUE, VERMILLION, "#ffffff"])
    bands = base.mark_rule(strokeWidth=9, color="#d9d9d9", strokeCap="butt").encode(
        y=y, x=alt.X("noise_low:Q", scale=scale), x2="noise_high:Q"
    )
    line = base.mark_rule(color="#555", strokeDash=[3, 2]).encode(x=alt.XDatum(null))
    whiskers = base.mark_rule(strokeWidth=1.6).encode(
        y=y,
        x=alt.X("low:Q", scale=scale),
        x2="high:Q",
        color=alt.Color("kind:N", scale=colours, legend=None),
    )
    points = base.mark_point(size=42, opacity=1, strokeWidth=1.4).encode(
        y=y,
        x=x,
        stroke=alt.Stroke("kind:N", scale=colours, legend=None),
        fill=alt.Fill("kind:N", scale=fills, legend=None),
        shape=alt.Shape("kind:N", scale=shapes, legend=None),
    )
    chart = (
        (bands + line + whiskers + points)
        .facet(facet=alt.Facet("measure:N", sort=measures, title=None), columns=3)
        .properties(title=alt.TitleParams(text=title, subtitle=KEY, anchor="start", fontSize=13, subtitleFontSize=10))
        .configure(
            font="Helvetica, Arial, sans-serif",
            view={"stroke": "#bbb"},
            axis={"gridColor": "#eeeeee", "domainColor": "#888", "tickColor": "#888", "labelLimit": 240},
            header={"labelFontWeight": "bold", "labelAnchor": "start"},
            background="white",
        )
    )
    path.write_text(vl_convert.vegalite_to_svg(chart.to_dict(context={"pre_transform": False})), encoding="utf-8")


def kind_of(cell: Cell, null: float) -> str:
    """Whether a value stands after correction, and on which side."""
    if cell["p_corrected"] is None or cell["p_corrected"] >= 0.05:
        return UNSETTLED
    return AS_PROMISED if cell["value"] > null else OPPOSITE
