"""The first figure of a report shows every system in every panel, and only the tested panel distinguishes systems."""

from __future__ import annotations

import re
from pathlib import Path

import referee

EXAMPLE = Path(__file__).parents[5] / "examples" / "first-hour"


def test_the_first_figure_shows_every_system_with_its_standing(tmp_path: Path) -> None:
    evaluation = referee.evaluate(EXAMPLE / "outputs.jsonl", scenes=EXAMPLE / "kitchen.jsonl")
    evaluation.report(tmp_path / "report")
    figure = (tmp_path / "report" / "figures" / "findings.svg").read_text("utf-8")
    points = re.findall(r'aria-label="value: [^"]*system: (\w+); standing: ([^;"]+);', figure)
    close, apart = "best, or not significantly different", "differs from the best"
    # By `referee compare` on the same files: full and careful are not told apart, short is worse than both.
    assert set(points[:3]) == {("full", close), ("careful", close), ("short", apart)}
    assert set(points[3:]) == {(system, "not tested") for system in ("full", "careful", "short")}
