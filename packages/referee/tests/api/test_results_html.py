"""What a notebook shows is escaped: names and texts of a run are never markup."""

from __future__ import annotations

import polars as pl

import referee
from referee.api.results import Result
from referee.records import Description, Entity, Property, Scene, Trial

HOSTILE = '<script>alert("&")</script>'


class Noted(Result):
    def _list_notes(self) -> list[str]:
        return [HOSTILE]


def test_cells_heads_and_notes_of_a_result_are_escaped() -> None:
    html = Noted(pl.DataFrame({HOSTILE: [HOSTILE] * 40}))._repr_html_()
    assert "<script>" not in html
    # title, head, 30 of 40 rows, note
    assert html.count("&lt;script&gt;") == 1 + 1 + 30 + 1
    assert "10 more rows" in html


def test_the_card_of_a_trial_is_escaped_and_its_picture_is_not() -> None:
    chair, desk = (Entity(id=i, attributes=(Property("type", kind),)) for i, kind in (("a", "chair"), ("b", "desk")))
    scene = Scene(entities=(chair, desk))
    trial = Trial(id=HOSTILE, scene=scene, targets=("a",), references=(Description(text=HOSTILE),))
    html = trial._repr_html_()
    assert "<svg" in html
    assert "<script>" not in html
    assert html.count("&lt;script&gt;") == 2


def test_scores_show_their_worst_items_as_pictures() -> None:
    html = referee.score(demo=True, metrics="set/dice")._repr_html_()
    assert "SYNTHETIC corpus" in html
    # three cards, each with its picture
    assert html.count("<svg") == 3
