"""Checks of numbers that a formula gives from others.

Sums, ratios, pooled standard deviations, degrees of freedom, F-measures.

Formulas are arithmetic over names (columns of the row, or cells given by `cells`), with sqrt, abs, min and max. They
are parsed as an expression tree, and only arithmetic is evaluated.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from referee.auditing.claims import PrintedClaim, Subject, Unknown
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import Number
from referee.auditing.value_claims import ValueClaim
from referee.contracts import FloatArray

OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    # NaN, not a warning: the audit calls it undetermined.
    "sqrt": lambda x: np.sqrt(np.where(np.asarray(x) < 0, np.nan, x)),
    "abs": np.abs,
    "min": lambda *xs: reduce(np.minimum, xs),
    "max": lambda *xs: reduce(np.maximum, xs),
}


def check_formulas(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return one claim for a single cell (`target = "table[row].column"`), or one per row (`table` and `target = "column"`)."""
    text, cells = section.get_required("formula", str), section.get("cells", {}, dict)
    try:
        names, evaluate = parse(text)
    except ValueError as error:
        raise section.make_mistake(
            f"formula {text!r}: {error}", "use numbers, names, + - * / ** ( ) sqrt abs min max"
        ) from None
    target = section.get_required("target", str)
    table_id = section.get("table", None, str)
    if table_id is None:
        table, row, column = paper.cell(target, section)
        places = [(row, column)]
    else:
        table = paper.table(table_id, section)
        skip = section.get("without", [], list)
        places = [(label, target) for label in section.get("rows", list(table.labels), list) if label not in skip]
    item = section.get("item", None, str)
    claims: list[PrintedClaim] = []
    for row, column in places:
        operands = {name: _find_number(name, row, cells, table.id, paper, section) for name in names}
        subject = section.subject(paper, table, item or _name_cell(row, column))
        claims.append(_make_claim(table.get_interval(row, column), operands, evaluate, text, subject))
    return claims


def _name_cell(row: str, column: str) -> str:
    """Return the name of a cell in words; a column called value, as in lists of facts, is not named."""
    return row if column == "value" else f"{row}, {column}"


def _find_number(
    name: str, row: str, cells: Mapping[str, str], table: str, paper: Paper, section: CheckSection
) -> Number | None:
    """Return the number that a name in a formula stands for; None if it is not printed."""
    reference = cells.get(name)
    if reference is not None:
        return paper.number(reference, section)
    home = paper.tables[table]
    if name not in home.columns:
        raise section.make_mistake(
            f"the formula's {name!r} is neither a column nor given", f'add cells = {{ {name} = "…" }}'
        )
    return home.number(row, name)


def _make_claim(
    printed: Number | None,
    operands: Mapping[str, Number | None],
    evaluate: Callable[[Mapping[str, FloatArray]], FloatArray],
    text: str,
    subject: Subject,
) -> PrintedClaim:
    """Return the claim that a printed number equals its formula."""
    empty = [name for name, number in operands.items() if number is None]
    if printed is None or empty:
        return Unknown(subject=subject, because=f"{', '.join(empty) or 'the target'} is not printed", printed=printed)
    assignments = ", ".join(f"{name} = {number.text}" for name, number in operands.items() if number is not None)
    inputs = tuple(number for number in operands.values() if number is not None)
    because = f"{text} with {assignments}" if assignments else text
    return ValueClaim(
        subject=subject, because=because, printed=printed, inputs=inputs, compute=_compute(list(operands), evaluate)
    )


def _compute(names: list[str], evaluate: Callable[[Mapping[str, FloatArray]], FloatArray]) -> Compute:
    """Return the formula as a function of points."""

    def compute(points: FloatArray) -> FloatArray:
        """Return the value of the formula at every point."""
        values = evaluate({name: points[:, i] for i, name in enumerate(names)})
        # A formula without names gives one number for all points.
        return np.broadcast_to(np.asarray(values, dtype=float), (len(points),))

    return compute


def parse(text: str) -> tuple[list[str], Callable[[Mapping[str, FloatArray]], FloatArray]]:
    """Return the names of a formula and a function that evaluates it; ValueError on anything but arithmetic."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(error.msg) from None
    names: list[str] = []
    _check_formula(tree, names)
    return names, lambda values: _evaluate(tree, values)


def _check_formula(node: ast.expr, names: list[str]) -> None:
    """Check that a formula has only arithmetic, and collect its names."""
    if isinstance(node, ast.Name):
        if node.id not in names:
            names.append(node.id)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return
    elif isinstance(node, ast.BinOp) and type(node.op) in (*OPERATORS, ast.Div):
        _check_formula(node.left, names)
        _check_formula(node.right, names)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _check_formula(node.operand, names)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and node.args:
        for argument in node.args:
            _check_formula(argument, names)
    else:
        raise ValueError(f"{ast.unparse(node)!r} is not allowed")


def _evaluate(node: ast.expr, values: Mapping[str, FloatArray]) -> Any:
    """Return the value of a formula for arrays of operands."""
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _divide(_evaluate(left, values), _evaluate(right, values))
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_evaluate(left, values), _evaluate(right, values))
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, values)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_evaluate(a, values) for a in arguments))
    raise ValueError(f"{ast.unparse(node)!r} is not allowed")


def _divide(a: Any, b: Any) -> FloatArray:
    """Return the quotient; division by zero gives NaN, which the audit reports as undetermined."""
    top, bottom = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0))
