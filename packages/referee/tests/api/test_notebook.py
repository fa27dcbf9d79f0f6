"""The notebook of the examples runs from the first cell to the last, and every cell shows something that a notebook can draw."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from referee.show.reports import report_folder

NOTEBOOK = Path(__file__).parents[4] / "examples" / "from-outputs-to-figure.ipynb"


def run(source: str, names: dict[str, Any]) -> Any:
    """A cell: its statements, and the value of its last line if that is an expression."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None


def test_the_notebook_goes_from_outputs_to_a_figure_in_ten_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        report_folder, "save_figure", lambda figure, folder: None
    )  # the report's own tests draw its files
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(sources) == 10
    stored = [bool(cell["outputs"]) for cell in cells if cell["cell_type"] == "code"]
    assert stored == [False, True, False] + 7 * [True], "shipped with its outputs"
    names: dict[str, Any] = {}
    shown = [run(source, names) for source in sources]
    looks = ("_repr_html_", "_repr_svg_", "_repr_mimebundle_")
    assert [any(hasattr(thing, look) for look in looks) for thing in shown] == [False, True, False] + 7 * [True]
    assert shown[3].frame["system"].unique(maintain_order=True).to_list() == ["incremental", "greedy", "brief"]
    assert names["place"].joinpath("report", "index.html").is_file()
