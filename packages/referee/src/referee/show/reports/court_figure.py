"""The court as a figure.

Every coefficient with its interval, how far one system can move it, and where people would put it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.courtroom.evidence import ALL, Evidence
from referee.errors import CannotWrite
from referee.show.reports.report_figures import get_vega_lite_version

Spec = dict[str, Any]
HOLDS = "indexof(['predicts', 'reversed', 'related'], datum.word) >= 0"
# Blue and vermilion of Okabe & Ito, as in all figures of a report.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#bbbbbb"


def build_court_figure(evidence: Sequence[Evidence], title: str) -> Spec:
    """Return a figure with one panel per hearer measure and one line per automatic measure."""
    rows = [_build_row(e) for e in evidence if e.domain is None and e.pearson.r is not None]
    y = {
        "field": "automatic",
        "type": "nominal",
        "title": None,
        "sort": list(dict.fromkeys(r["automatic"] for r in rows)),
    }
    panels = list(dict.fromkeys(r["hearer"] for r in rows))
    return {
        "data": {"values": rows},
        "title": {"text": title, "subtitle": LEGEND, "anchor": "start", "fontSize": 13, "subtitleColor": "#555"},
        "facet": {"field": "hearer", "type": "nominal", "title": None, "sort": panels},
        "columns": 3,
        "spec": {
            "width": 220,
            "height": {"step": 18},
            # Later layers are drawn on top.
            "layer": [
                _specify_interval(y, "lowest", "highest", GREY, 9, ALL),
                _specify_interval(y, "low", "high", BLUE, 1.5, ALL),
                _specify_dots(y, BLUE, "circle", ALL, HOLDS),
                _specify_dots(y, BLUE, "circle", ALL, f"!({HOLDS})"),
                _specify_dots(y, ORANGE, "diamond", None),
                {"mark": {"type": "rule", "color": "#888", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}},
            ],
        },
        "config": {"font": "Helvetica, Arial, sans-serif", "axis": {"gridColor": "#eeeeee", "labelLimit": 220}},
    }


LEGEND = [
    "Pearson's r over systems (dot; filled if significant among all pairs) with its 95% interval (line; "
    "it includes the noise of answers where these are available)",
    "and its range when any one system or family is left out (grey); orange diamonds: the same with people among the rows",
]


def _build_row(e: Evidence) -> dict[str, Any]:
    """Return the values of one pair for the figure."""
    low, high = (e.noise.interval_low, e.noise.interval_high) if e.noise else (e.pearson.low, e.pearson.high)
    return {
        "automatic": e.automatic,
        "hearer": e.hearer,
        "n": e.n,
        "rows": e.rows,
        "r": e.pearson.r,
        "low": low,
        "high": high,
        "word": e.word,
        "lowest": e.lowest.r if e.lowest else None,
        "highest": e.highest.r if e.highest else None,
    }


def _make_filter(rows: str | None) -> str:
    """Return the Vega filter for the rows with all systems, or for the rows without people."""
    # Whatever has people among its rows is drawn as the orange variant.
    return f"datum.rows == '{ALL}'" if rows == ALL else f"datum.rows != '{ALL}'"


def _specify_x(field: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": None, "scale": {"domain": [-1, 1]}}


def _specify_interval(y: Spec, low: str, high: str, colour: str, width: float, rows: str) -> Spec:
    """Return the specification of an interval line."""
    return {
        "transform": [{"filter": f"{_make_filter(rows)} && isValid(datum.{low})"}],
        "mark": {"type": "rule", "color": colour, "strokeWidth": width},
        "encoding": {"y": y, "x": _specify_x(low), "x2": {"field": high}},
    }


def _specify_dots(y: Spec, colour: str, shape: str, rows: str | None, only: str = "true") -> Spec:
    """Return the specification of the dots."""
    filled = not only.startswith("!")
    fill = {} if filled else {"fill": "white"}
    return {
        "transform": [{"filter": f"{_make_filter(rows)} && ({only})"}],
        "mark": {"type": "point", "filled": filled, **fill, "size": 60, "opacity": 1, "color": colour, "shape": shape},
        "encoding": {"y": y, "x": _specify_x("r")},
    }


def save_court_figure(spec: Spec, path: Path) -> None:
    """Write the figure as SVG."""
    import vl_convert

    try:
        path.write_text(vl_convert.vegalite_to_svg(spec, vl_version=get_vega_lite_version()), "utf-8")
    except OSError as error:
        raise CannotWrite(
            f"cannot be written ({error.strerror})", where=path, remedy="choose a place you may write to"
        ) from None
