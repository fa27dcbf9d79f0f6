"""A hearer's passport as a picture: the reliability curve, bars for its measures, and its answers to probes."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from referee.errors import CannotWrite
from referee.hearers.passports.quoting import DIGITS, shorten_corpus_name
from referee.show.reports.report_figures import PALETTE, Figure, save_figure

PICTURES = ("svg", "png", "pdf")
BARS = {
    "accuracy": "accuracy",
    "expected_accuracy": "expected accuracy",
    "human_accuracy": "people's accuracy",
    "chance": "chance",
    "auc": "AUC for people's success",
    "auc_within_condition": "AUC within conditions",
    "kappa": "kappa with people's choices",
}
CELL = 240


def draw_card(card: Mapping[str, Any]) -> Figure:
    """Return a figure of a passport: reliability and answers to probes; missing values have no bar."""
    import altair as alt

    title = f"{card['hearer']} on {card['corpus']}: {card['verdict']}"
    subtitle = f"n = {card['n']}, passport {shorten_corpus_name(card['corpus'])}:{card['hash'][:DIGITS]}"
    chart = alt.hconcat(
        _draw_reliability(card), alt.vconcat(_draw_bars(card), _draw_probes(card)), spacing=30
    ).properties(title=alt.TitleParams(text=title, subtitle=subtitle, anchor="start", fontSize=13))
    font = "Helvetica, Arial, sans-serif"
    spec: dict[str, Any] = chart.configure(font=font).configure_view(strokeOpacity=0).to_dict()
    spec.pop("$schema", None)
    return Figure(name="passport", title=title, spec=spec, cell=CELL)


def _draw_reliability(card: Mapping[str, Any]) -> Any:
    """Return the proportion of people who found the target by the hearer's probability of it.

    On the diagonal the two are the same.
    """
    import altair as alt

    even = alt.Chart(alt.InlineData([{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
    diagonal = even.mark_line(color="#999", strokeDash=[4, 3]).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    whole = alt.Scale(domain=[0, 1])
    base = alt.Chart(alt.InlineData([dict(b) for b in card["calibration_curve"]])).encode(
        x=alt.X("predicted:Q", title="hearer's probability of the target", scale=whole),
        y=alt.Y("observed:Q", title="share of people who found it", scale=whole),
    )
    size = alt.Size("n:Q", title="answers", scale=alt.Scale(range=[20, 400]))
    points = base.mark_circle(color=PALETTE[0], opacity=0.9).encode(size=size)
    return (diagonal + base.mark_line(color=PALETTE[0]) + points).properties(
        width=CELL, height=CELL, title="calibration"
    )


def _draw_bars(card: Mapping[str, Any]) -> Any:
    rows = [{"measure": name, "value": card[key]} for key, name in BARS.items() if card.get(key) is not None]
    return _draw_labelled_bars(rows, "measure", list(BARS.values()), PALETTE[0], "measures")


def _draw_probes(card: Mapping[str, Any]) -> Any:
    """Return the chart of answers to probes."""
    probes = card["probes"]
    rows = [{"description": name, "value": p["top"]} for name, p in probes.items() if p["top"] is not None]
    title = "largest probability where the description is"
    return _draw_labelled_bars(rows, "description", list(probes), PALETTE[1], title)


def _draw_labelled_bars(rows: list[dict[str, Any]], name: str, order: list[str], colour: str, title: str) -> Any:
    """Return a bar chart with labels."""
    import altair as alt

    # Kappa can lie below 0.
    lowest = min([0.0, *(row["value"] for row in rows)])
    base = alt.Chart(alt.InlineData(rows)).encode(
        y=alt.Y(f"{name}:N", sort=order, title=None, axis=alt.Axis(labelLimit=220)),
        x=alt.X("value:Q", title=None, scale=alt.Scale(domain=[lowest, 1])),
    )
    text = base.mark_text(align="left", dx=3).encode(text=alt.Text("value:Q", format=".3f"))
    return (base.mark_bar(color=colour, clip=True) + text).properties(width=CELL, title=title)


def save_card_pictures(card: Mapping[str, Any], beside: Path) -> list[Path]:
    """Write SVG, PNG and PDF beside the card, each completely or not at all."""
    figure = draw_card(card)
    saved = []
    try:
        # In a hidden neighbour first: the three files appear only when all of them are drawn.
        folder = Path(tempfile.mkdtemp(prefix=f".{beside.stem}.", dir=beside.parent))
    except OSError as error:
        raise _make_write_error(beside, error) from None
    try:
        save_figure(figure, folder)
        for kind in PICTURES:
            saved.append((folder / f"{figure.name}.{kind}").replace(beside.with_suffix(f".{kind}")))
    except OSError as error:
        raise _make_write_error(beside, error) from None
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
    return saved


def _make_write_error(place: Path, error: OSError) -> CannotWrite:
    """Return the error for a file that cannot be written."""
    return CannotWrite(
        f"cannot be written ({error.strerror})", where=place, remedy="check the place, its permissions and free space"
    )
